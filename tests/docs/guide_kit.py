"""Read the fenced blocks of the language guide: whole documents, fragments of documents, and what is typed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from interpreter.documents.loading import FOLDERS
from interpreter.model import DOCUMENT_KINDS
from tests.docs.page_kit import without_keys

ROOT = Path(__file__).parent.parent.parent
HOSTS = Path(__file__).parent / "hosts"
DOCS = ROOT / "docs"
#: How the files of each language end.
ENDINGS = {"en": ".md", "zh": ".zh.md"}
#: The pages of `docs/language/` in the order of reading; `docs/language.md` comes before them and lists them.
GUIDE = (
    "yaml",
    "workflow",
    "names",
    "verbs",
    "calls",
    "evidence",
    "questions",
    "runs",
    "rules",
    "types",
    "tools",
    "profiles",
    "tests",
    "example",
)
#: What is looked up rather than read.
REFERENCE = ("expressions", "functions")
PAGES = (*GUIDE, *REFERENCE)
_ON_THIS_PAGE = {"en": "On this page: ", "zh": "本页："}
_NEXT = {"en": "next: ", "zh": "下一页："}
_FENCE = re.compile(
    r"(?:^<!-- (?P<word>in|file): (?P<name>[\w/.]+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Shapes: `page` is where it stands; `host` names the document in `hosts/` that a fragment is put into, `file` the
    file that a text is written to as it stands; both are '' for a whole document and for what is typed.
    """

    page: Path
    language: str
    text: str
    host: str
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def first_key(self) -> str:
        return self.text.partition(":")[0].strip()

    @property
    def is_document(self) -> bool:
        return self.language == "yaml" and not self.host and not self.file and self.first_key in DOCUMENT_KINDS


def index_of(language: str) -> Path:
    return DOCS / f"language{ENDINGS[language]}"


def page_of(name: str, language: str) -> Path:
    return DOCS / "language" / f"{name}{ENDINGS[language]}"


def guide_of(language: str) -> str:
    """Return the guide proper as one text, in the order of reading."""
    return "\n".join(page.read_text("utf-8") for page in _read_through(language))


def blocks_of(language: str) -> list[Block]:
    """Return the blocks of the guide proper, in the order of reading."""
    return [block for page in _read_through(language) for block in _blocks_in(page)]


def _read_through(language: str) -> list[Path]:
    return [index_of(language), *(page_of(name, language) for name in GUIDE)]


def _blocks_in(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [
        Block(
            page=page,
            language=found["language"],
            text=found["text"],
            host=found["name"] if found["word"] == "in" else "",
            file=found["name"] if found["word"] == "file" else "",
            line=text.count("\n", 0, found.start("text")) + 1,
        )
        for found in _FENCE.finditer(text)
    ]


def contents_of(language: str) -> str:
    """Return the contents of the guide: a line for each page, with links to it and to its sections."""
    index = index_of(language)
    _, chapter, *sections = _links_of(index)  # the first one is the contents
    lines = [_line_of(chapter, sections)]
    for name in PAGES:
        page = page_of(name, language)
        address = f"language/{page.name}"
        lines.append(_line_of(f"[{title_of(page)}]({address})", _links_of(page, address)))
    return "\n".join(lines)


def _line_of(chapter: str, sections: list[str]) -> str:
    return f"- {chapter}" + (" — " + " · ".join(sections) if sections else "")


def navigation_of(name: str, language: str) -> str:
    """Return what stands at the top of a page: the way to the contents and to the next page, and its own sections."""
    page, index = page_of(name, language), index_of(language)
    way = [f"[{title_of(index)}](../{index.name})"]
    if name != PAGES[-1]:
        following = page_of(PAGES[PAGES.index(name) + 1], language)
        way.append(f"{_NEXT[language]}[{title_of(following)}]({following.name})")
    sections = _links_of(page)
    return " · ".join(way) + (f"\n\n{_ON_THIS_PAGE[language]}" + " · ".join(sections) if len(sections) > 1 else "")


def title_of(page: Path) -> str:
    return page.read_text("utf-8").partition("\n")[0].removeprefix("# ")


def _links_of(page: Path, address: str = "") -> list[str]:
    """Return a link to each section of a page; `address` is where it lies, '' from the page itself."""
    links = []
    anchors: Counter[str] = Counter()
    for marks, title in re.findall(r"^(#{2,}) (.+)$", _FENCE.sub("", page.read_text("utf-8")), re.MULTILINE):
        anchor = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        number = f"-{anchors[anchor]}" if anchors[anchor] else ""
        anchors[anchor] += 1
        if marks == "##" or page.parent == DOCS:
            links.append(f"[{title}]({address}#{anchor}{number})")
    return links


def write_documents(blocks: list[Block], folder: Path) -> list[Path]:
    """Write the whole documents to where the language finds them; returns the files."""
    written = []
    for block in blocks:
        if block.is_document:
            name = block.text.partition("\n")[0].partition(":")[2].strip()
            path = folder / FOLDERS.get(block.first_key, ".") / f"{name}.yaml"
        elif block.file:
            path = folder / block.file
        else:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, "utf-8")
        written.append(path)
    return written


def write_fragment(block: Block, folder: Path) -> tuple[Path, range]:
    """Write the host of a fragment with the fragment in it; returns the file and the lines of the fragment.

    Parts of the host that the fragment brings itself are left out.
    """
    host = without_keys((HOSTS / f"{block.host}.yaml").read_text("utf-8"), _top_keys(block.text))
    before, _, after = host.partition("@here@\n")
    indent = before.rpartition("\n")[2]
    lines = "".join(f"{indent}{line}" if line.strip() else line for line in block.text.splitlines(keepends=True))
    name = host.partition("\n")[0].partition(":")
    path = folder / FOLDERS.get(name[0], ".") / f"{name[2].strip()}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before.removesuffix(indent) + lines + after, "utf-8")
    first = before.count("\n") + 1
    return path, range(first, first + block.text.count("\n"))


def _top_keys(text: str) -> set[str]:
    return set(re.findall(r"^(\w+):", text, re.MULTILINE))

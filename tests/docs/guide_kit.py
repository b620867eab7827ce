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
#: The file of each language, the README whose language it shares, and the heading that ends the guide proper.
GUIDES = {
    "en": ("language.md", "README.md", "\n## Expressions and texts\n"),
    "zh": ("language.zh.md", "README.zh.md", "\n## 表达式与文本\n"),
}
_FENCE = re.compile(
    r"(?:^<!-- (?P<word>in|file): (?P<name>[\w/.]+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Shapes: `host` names the document in `hosts/` that a fragment is put into; `file` the file that a text is written
    to as it stands; both are '' for a whole document and for what is typed.
    """

    language: str
    text: str
    host: str
    file: str
    line: int

    @property
    def first_key(self) -> str:
        return self.text.partition(":")[0].strip()

    @property
    def is_document(self) -> bool:
        return self.language == "yaml" and not self.host and not self.file and self.first_key in DOCUMENT_KINDS


def guide_of(language: str) -> str:
    """Return the guide proper: all that stands before the chapter on expressions."""
    file, _, end = GUIDES[language]
    return (ROOT / "docs" / file).read_text("utf-8").partition(end)[0]


def blocks_of(text: str) -> list[Block]:
    return [
        Block(
            language=found["language"],
            text=found["text"],
            host=found["name"] if found["word"] == "in" else "",
            file=found["name"] if found["word"] == "file" else "",
            line=text.count("\n", 0, found.start("text")) + 1,
        )
        for found in _FENCE.finditer(text)
    ]


def headings_of(text: str) -> list[int]:
    """Return the level of every heading, blocks left out."""
    return [len(marks) for marks in re.findall(r"^(#+) ", _FENCE.sub("", text), re.MULTILINE)]


def contents_of(text: str) -> str:
    """Return the contents of a page: a line for each chapter, with links to it and to its sections."""
    chapters: list[list[str]] = []
    anchors: Counter[str] = Counter()
    for marks, title in re.findall(r"^(#{2,}) (.+)$", _FENCE.sub("", text), re.MULTILINE):
        anchor = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        link = f"[{title}](#{anchor}-{anchors[anchor]})" if anchors[anchor] else f"[{title}](#{anchor})"
        anchors[anchor] += 1
        if marks == "##":
            chapters.append([link])
        elif marks == "###":
            chapters[-1].append(link)
    _, *others = chapters  # the first one is the contents
    return "\n".join(
        f"- {chapter}" + (" — " + " · ".join(sections) if sections else "") for chapter, *sections in others
    )


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

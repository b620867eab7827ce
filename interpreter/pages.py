"""The pages about diagnostics: what `docs/diagnostics/<phase>.md` says of each code, for people and for programs.

A section has one form: what the table of codes says, why it matters in both languages, a wrong example and a right one.
A wrong line carries its mark (`# error: [code]`), so that the page is a test of the check it describes; where no
comment can stand on that line, the mark stands above (`# error below: [code]`, `# error 2 below: [code]`).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from interpreter.codes import CODES, PHASES
from interpreter.diagnostics import Code, Words
from rules.patterns import regex
from rules.records import record

_FENCE = regex(r"(?s)(?:<!-- in: (\w+) -->\n)?```yaml\n(.*?)```\n")
_MARK = regex(r" *# ((?:(?:error|warning|note): \[[\w/-]+\] ?)+)$")
_BELOW = regex(r" *# (?:error|warning|note) (?:(\d) )?below: \[[\w/-]+\]$")
_HOLE = regex(r"\{\w+\}")


@record
class Line:
    """One line of an example as people write it, and whether it is the one that is wrong."""

    text: str
    is_marked: bool


@record
class Example:
    """One fenced block.

    Shapes: `host` names what a part of a document stands in, '' where it is a whole document; `text` has its marks.
    """

    host: str
    text: str

    @property
    def lines(self) -> tuple[Line, ...]:
        """Return the lines without their marks."""
        found: list[Line] = []
        marks: set[int] = set()
        for line in self.text.splitlines():
            below = _BELOW.fullmatch(line)
            if below is not None:
                marks.add(len(found) + int(below[1] or 1) - 1)
                continue
            marked = _MARK.search(line)
            text = line[: marked.start()] if marked is not None else line
            found.append(Line(text, marked is not None or len(found) in marks))
        return tuple(found)


@record
class Page:
    """One section.

    Shapes: `wrong` and `right` are None for a code that no document can show.
    """

    name: str
    stated: str
    """The lines that the table of codes gives, as they stand in the page."""
    why: Words
    wrong: Example | None
    right: Example | None


def page_of(name: str) -> Page | None:
    """Return the section about a code, or None where there is no page."""
    return pages_of(name.partition("/")[0]).get(name)


@cache
def pages_of(phase: str) -> dict[str, Page]:
    """Return the sections of one page by code, in their order."""
    path = _folder() / f"{phase}.md"
    if not path.is_file():
        return {}
    return read_pages(path.read_text(encoding="utf-8"))


def read_pages(text: str) -> dict[str, Page]:
    """Return the sections of the text of a page."""
    _, *sections = text.split("\n### ")
    pages = (_read(section) for section in sections)
    return {page.name: page for page in pages}


def _read(section: str) -> Page:
    name, _, rest = section.partition("\n\n")
    stated, _, rest = rest.partition("\n\n")
    examples = [Example(found[1] or "", found[2]) for found in _FENCE.finditer(rest)]
    english, chinese = [part.replace("\n", " ").strip() for part in rest.split("\n\n")[:2]]
    wrong, right = examples if len(examples) == 2 else (None, None)
    return Page(name, stated, Words(chinese, english), wrong, right)


def stated(name: str) -> str:
    """Return the lines of a section that come from the table of codes."""
    code: Code = CODES[name]
    lines = [f"- {code.severity}", f"- en: {without_holes(code.message.en)}"]
    if code.advice is not None:
        lines.append(f"- hint: {without_holes(code.advice.en)}")
    lines.append(f"- zh: {without_holes(code.message.zh)}")
    if code.advice is not None:
        lines.append(f"- 改法: {without_holes(code.advice.zh)}")
    return "\n".join(lines)


def head_of(phase: str) -> str:
    """Return how a page begins: what stands before its first section."""
    when = PHASES[phase]
    return f"# {phase}\n\n{when.en[0].upper()}{when.en[1:]}.\n\n{when.zh}。\n"


def renewed(text: str, phase: str) -> str:
    """Return a page with everything that the table of codes says as it says it now."""
    _, *sections = text.split("\n### ")
    written = []
    for section in sections:
        name, _, rest = section.partition("\n\n")
        _, _, rest = rest.partition("\n\n")
        written.append(f"{name}\n\n{stated(name) if name in CODES else '-'}\n\n{rest}")
    return "\n### ".join([head_of(phase), *written])


def without_holes(text: str) -> str:
    """Return a text of a code with `…` for each of its facts."""
    return _HOLE.sub("…", text)


def _folder() -> Path:
    here = Path(__file__).parent
    # A wheel holds the pages inside the package, a clone beside it.
    return here / "pages" if (here / "pages").is_dir() else here.parent / "docs" / "diagnostics"

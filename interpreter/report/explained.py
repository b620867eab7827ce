"""What a code means, as lines of plain text: its message and hint, why it matters, a wrong example and a right one."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.codes import CODES, PHASES
from interpreter.diagnostics import Words
from interpreter.pages import Example, page_of, without_holes
from interpreter.report.columns import hanging, wrapped
from interpreter.report.diagnostics import SEVERITIES

_HINT = Words("改法", "hint")
_WRONG = Words("错的写法（> 标出有问题的行）", "wrong (the line in question begins with >)")
_RIGHT = Words("对的写法", "right")


def explained(name: str, language: str, width: int) -> list[str]:
    """Return what there is to say of a declared code. Units: columns, for the width."""
    lines = [part for line in _stated(name, language) for part in hanging(line, width, 4)]
    page = page_of(name)
    return lines if page is None else [*lines, "", *wrapped(page.why[language], width)]


def _stated(name: str, language: str) -> Iterator[str]:
    code = CODES[name]
    severity = SEVERITIES[language][code.severity]
    when = PHASES[name.partition("/")[0]][language]
    yield f"{name}: {severity}{Words('，', ', ')[language]}{when}"
    yield f"  {without_holes(code.message[language])}"
    if code.advice is not None:
        yield f"  {_HINT[language]}: {without_holes(code.advice[language])}"


def examples_of(name: str, language: str) -> list[str]:
    """Return the examples of a code as lines that are shown as they are; none where there is no example."""
    page = page_of(name)
    if page is None or page.wrong is None or page.right is None:
        return []
    return ["", f"{_WRONG[language]}:", *_shown(page.wrong), "", f"{_RIGHT[language]}:", *_shown(page.right)]


def _shown(example: Example) -> list[str]:
    return [f"{'  > ' if line.is_marked else '    '}{line.text}".rstrip() for line in example.lines]


def help_text(name: str, language: str) -> str:
    """Return all of it as one text, for programs that show it themselves."""
    page = page_of(name)
    advice = CODES[name].advice
    parts = [page.why[language]] if page is not None else []
    if advice is not None:
        parts.append(f"{_HINT[language]}: {without_holes(advice[language])}")
    return "\n".join([*parts, *examples_of(name, language)]) or without_holes(CODES[name].message[language])

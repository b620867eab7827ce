"""What a person says yes to: the value that a confirmation shows, and the calls that it permits, as lines.

Nothing is written that a person did not see. What is too long ends with the command that prints it in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from interpreter.report.columns import aligned, cut, hanging, width_of, wrapped
from interpreter.report.words import in_language, safe, shown
from rules.values import canonical_json, canonical_text

#: So many lines are shown of one value, and so many rows of a list.
MOST_LINES = 12
MOST_ROWS = 20
#: With one of these in it a value would not be seen to be one.
_APART = (",", ": ", "'", '"', "\n")
_WORDS = {
    "more": {"zh": "还有 {count} 行：interpreter show RUN --plan", "en": "{count} more: interpreter show RUN --plan"},
    "full": {"zh": "完整内容：interpreter show RUN --plan", "en": "in full: interpreter show RUN --plan"},
    "above": {"zh": "（内容如上）", "en": "(as above)"},
}


def _say(name: str, language: str, **words: Any) -> str:
    return _WORDS[name][language].format(**words)


def value_lines(value: Any, language: str, width: int) -> Iterator[str]:
    """Yield any value: a list of flat mappings as a table, a mapping as `name: value`, a text by its lines.

    Shapes: `width` is what the lines may take.
    """
    value = in_language(value, language)
    if isinstance(value, list) and value and all(_is_flat(row) for row in value):
        yield from _table(value, language, width)
    elif isinstance(value, list):
        texts = [shown(part, language) for part in value]
        yield from _bounded((line for text in texts for line in hanging(f"- {text}", width, 2)), MOST_ROWS, language)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _named(name, part, language, width)
    elif value is not None:
        text = shown(value, language, line_breaks=True)
        yield from _bounded(wrapped(text.rstrip("\n"), width), MOST_ROWS, language)


def call_lines(entry: dict[str, Any], seen: Any, language: str, width: int) -> Iterator[str]:
    """Yield a permitted call with all of its arguments.

    Shapes: `seen` is the value that the person has been shown already; an argument that is it is not shown twice.
    """
    arguments = entry["with"]
    lines = {name: value for name, value in arguments.items() if isinstance(value, str) and "\n" in value.strip()}
    short = ", ".join(f"{name}: {one_value(value)}" for name, value in arguments.items() if name not in lines)
    head = f"{safe(entry['tool'])}  {safe(short)}".rstrip()
    yield from _bounded(hanging(head, width, 2), MOST_LINES, language, indent="  ")
    for name, value in lines.items():
        if _is_among(value, seen):
            yield f"  {safe(name)}: {_say('above', language)}"
        else:
            yield from (f"  {line}" for line in _named(name, value, language, width - 2))


def short_call_lines(entries: Iterable[dict[str, Any]], language: str, width: int) -> Iterator[str]:
    """Yield one line for each permitted call, and where something was cut how to see it in full."""
    is_cut = False
    for one in entries:
        arguments = ", ".join(f"{name}: {one_value(value)}" for name, value in one["with"].items())
        text = f"{safe(one['tool'])}  {safe(arguments)}"
        is_long = width_of(text) > width
        is_cut = is_cut or is_long
        yield cut(text, width - 1) + "…" if is_long else text
    if is_cut:
        yield _say("full", language)


def first_call_lines(entries: list[dict[str, Any]], language: str, width: int) -> Iterator[str]:
    """Yield the first permitted calls, one line each, and how many more there are."""
    yield from short_call_lines(entries[:MOST_ROWS], language, width)
    if len(entries) > MOST_ROWS:
        yield _say("more", language, count=len(entries) - MOST_ROWS)


def plan_blocks(calls: Iterable[tuple[str, dict[str, Any]]], value: Any) -> Iterator[str]:
    """Yield what a cell of a table cannot hold, as Markdown: texts of several lines, and what was shown beside.

    Shapes: `calls` are the entries and their arguments; `value` is None for nothing.
    """
    for entry, arguments in calls:
        for name, argument in arguments.items():
            if has_lines(argument):
                yield from _block(f"{entry}, {name}", argument)
    if value is not None:
        value = in_language(value, "en")
        yield from _block("shown", "\n".join(_written(value)))


def has_lines(value: Any) -> bool:
    return isinstance(value, str) and "\n" in value


def one_value(value: Any) -> str:
    """Return an argument as one piece: in quotes where its end, or that it is empty, could not be seen."""
    text = canonical_text(value)
    if not isinstance(value, str) or (text and text == text.strip() and not any(mark in text for mark in _APART)):
        return text
    return canonical_json(text)


def _written(value: Any) -> Iterator[str]:
    """Yield the lines of any value, none of them cut."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield f"{name}:" if has_lines(part) else f"{name}: {canonical_text(part)}"
            yield from (f"  {line}" for line in part.split("\n")) if has_lines(part) else ()
    elif isinstance(value, list):
        yield from (part if isinstance(part, str) else canonical_json(part) for part in value)
    else:
        yield canonical_text(value)


def _block(title: str, text: str) -> Iterator[str]:
    yield f"\n{safe(title)}:\n\n"
    for line in text.split("\n"):
        yield f"    {safe(line)}".rstrip() + "\n"


def _is_flat(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and bool(row)
        and not any(isinstance(part, dict | list) or has_lines(part) for part in row.values())
    )


def _table(rows: list[dict[str, Any]], language: str, width: int) -> Iterator[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[shown(row.get(name), language) for name in names] for row in rows[:MOST_ROWS]]
    yield from aligned([safe(name) for name in names], cells, width)
    if len(rows) > MOST_ROWS:
        yield _say("more", language, count=len(rows) - MOST_ROWS)


def _named(name: str, value: Any, language: str, width: int) -> Iterator[str]:
    if has_lines(value):
        yield f"{safe(name)}:"
        lines = wrapped(safe(value, line_breaks=True).rstrip("\n"), width - 2)
        yield from _bounded((f"  {line}" for line in lines), MOST_LINES, language, indent="  ")
        return
    lines = hanging(f"{safe(name)}: {shown(value, language)}", width, 2)
    yield from _bounded(lines, MOST_LINES, language, indent="  ")


def _bounded(lines: Iterable[str], most: int, language: str, indent: str = "") -> Iterator[str]:
    listed = list(lines)
    yield from listed[:most]
    if len(listed) > most:
        yield indent + _say("more", language, count=len(listed) - most)


def _is_among(value: str, seen: Any) -> bool:
    return value == seen or (isinstance(seen, dict) and value in seen.values())

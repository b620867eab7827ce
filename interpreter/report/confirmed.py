"""What a person says yes to: the value that a confirmation shows, and the calls that it permits, as lines.

Nothing is written that a person did not see. What is too long ends with the command that prints it in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from interpreter.report.columns import aligned, cut, hanging, width_of, wrapped
from interpreter.report.words import in_language, safe, shown
from rules.records import NamedTuple
from rules.values import canonical_json, canonical_text

#: So many lines are shown of one value, and so many rows of a list.
MOST_LINES = 12
MOST_ROWS = 20
#: With one of these in it a value would not be seen to be one.
_APART = (",", ": ", "'", '"', "\n")
_WORDS = {
    "more": {"zh": "还有 {count} 行：{command}", "en": "{count} more: {command}"},
    "full": {"zh": "完整内容：{command}", "en": "in full: {command}"},
    "more-of-nothing": {"zh": "还有 {count} 行", "en": "{count} more"},
    "full-of-nothing": {"zh": "放不下的没有显示", "en": "what did not fit is left out"},
    "above": {"zh": "（内容如上）", "en": "(as above)"},
}


class Look(NamedTuple):
    """How something is shown. Shapes: `width` is what the lines may take; `command` prints it in full, '' for none."""

    language: str
    width: int
    command: str

    def narrower(self, by: int) -> Look:
        return self._replace(width=self.width - by)


def _say(name: str, look: Look, **words: Any) -> str:
    has_command = look.command or name not in ("more", "full")
    return _WORDS[name if has_command else f"{name}-of-nothing"][look.language].format(command=look.command, **words)


def value_lines(value: Any, look: Look) -> Iterator[str]:
    """Yield any value: a list of flat mappings as a table, a mapping as `name: value`, a text by its lines."""
    value = in_language(value, look.language)
    if isinstance(value, list) and value and all(_is_flat(row) for row in value):
        yield from _table(value, look)
    elif isinstance(value, list):
        texts = [shown(part, look.language) for part in value]
        yield from _bounded((line for text in texts for line in hanging(f"- {text}", look.width, 2)), MOST_ROWS, look)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _named(name, part, look)
    elif value is not None:
        text = shown(value, look.language, line_breaks=True)
        yield from _bounded(wrapped(text.rstrip("\n"), look.width), MOST_ROWS, look)


def call_lines(entry: dict[str, Any], seen: Any, look: Look) -> Iterator[str]:
    """Yield a permitted call with all of its arguments.

    Shapes: `seen` is the value that the person has been shown already; an argument that is it is not shown twice.
    """
    arguments = entry["with"]
    lines = {name: value for name, value in arguments.items() if isinstance(value, str) and "\n" in value.strip()}
    short = ", ".join(f"{name}: {one_value(value)}" for name, value in arguments.items() if name not in lines)
    head = f"{safe(entry['tool'])}  {safe(short)}".rstrip()
    yield from _bounded(hanging(head, look.width, 2), MOST_LINES, look, indent="  ")
    for name, value in lines.items():
        if _is_among(value, seen):
            yield f"  {safe(name)}: {_say('above', look)}"
        else:
            yield from (f"  {line}" for line in _named(name, value, look.narrower(2)))


def short_call_lines(entries: Iterable[dict[str, Any]], look: Look) -> Iterator[str]:
    """Yield one line for each permitted call, and where something was cut how to see it in full."""
    is_cut = False
    for one in entries:
        arguments = ", ".join(f"{name}: {one_value(value)}" for name, value in one["with"].items())
        text = f"{safe(one['tool'])}  {safe(arguments)}"
        is_long = width_of(text) > look.width
        is_cut = is_cut or is_long
        yield cut(text, look.width - 1) + "…" if is_long else text
    if is_cut:
        yield _say("full", look)


def first_call_lines(entries: list[dict[str, Any]], look: Look) -> Iterator[str]:
    """Yield the first permitted calls, one line each, and how many more there are."""
    yield from short_call_lines(entries[:MOST_ROWS], look)
    if len(entries) > MOST_ROWS:
        yield more_line(len(entries) - MOST_ROWS, look)


def more_line(count: int, look: Look) -> str:
    """Return the line that stands for what is left out, with the command that prints it."""
    return _say("more", look, count=count)


class PlannedCall(NamedTuple):
    """A permitted call. Shapes: `result` says in words what became of it."""

    entry: str
    tool: str
    result: str
    arguments: dict[str, Any]


def plan_lines(calls: list[PlannedCall], headings: list[str], look: Look) -> Iterator[str]:
    """Yield permitted calls in full: as a table where it fits, else one below the other.

    Shapes: `headings` are the words for the entry, the tool and the result.
    """
    fields = sorted({name for one in calls for name in one.arguments})
    named = [*headings, *(safe(name) for name in fields)]
    rows = [[*map(safe, one[:3]), *(_in_cell(one.arguments.get(name), look) for name in fields)] for one in calls]
    widths = [max(width_of(row[place]) for row in (named, *rows)) for place in range(len(named))]
    if sum(widths) + 2 * len(widths) <= look.width and not any(has_lines(cell) for row in rows for cell in row):
        yield from aligned(named, rows, look.width)
        return
    for number, one in enumerate(calls):
        yield from [""] if number else []
        yield from hanging("  ".join(map(safe, one[:3])), look.width, 2)
        for name, value in one.arguments.items():
            yield from (f"  {line}" for line in _whole(name, value, look.narrower(2)))


def shown_lines(title: str, value: Any, look: Look) -> Iterator[str]:
    """Yield in full what a confirmation shows beside its calls."""
    yield title
    for line in _written(in_language(value, look.language)):
        yield from (f"  {part}" for part in wrapped(safe(line), look.width - 2))


def _in_cell(value: Any, look: Look) -> str:
    return "" if value is None else safe(canonical_text(in_language(value, look.language)), line_breaks=True)


def _whole(name: str, value: Any, look: Look) -> Iterator[str]:
    """Yield an argument, nothing of it left out."""
    text = _in_cell(value, look)
    if not has_lines(text):
        yield from hanging(f"{safe(name)}: {text}", look.width, 2)
        return
    yield f"{safe(name)}:"
    yield from (f"  {line}" for line in wrapped(text.rstrip("\n"), look.width - 2))


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
        yield from canonical_text(value).split("\n")


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


def _table(rows: list[dict[str, Any]], look: Look) -> Iterator[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[shown(row.get(name), look.language) for name in names] for row in rows[:MOST_ROWS]]
    yield from aligned([safe(name) for name in names], cells, look.width)
    if len(rows) > MOST_ROWS:
        yield _say("more", look, count=len(rows) - MOST_ROWS)


def _named(name: str, value: Any, look: Look) -> Iterator[str]:
    if has_lines(value):
        yield f"{safe(name)}:"
        lines = wrapped(safe(value, line_breaks=True).rstrip("\n"), look.width - 2)
        yield from _bounded((f"  {line}" for line in lines), MOST_LINES, look, indent="  ")
        return
    lines = hanging(f"{safe(name)}: {shown(value, look.language)}", look.width, 2)
    yield from _bounded(lines, MOST_LINES, look, indent="  ")


def _bounded(lines: Iterable[str], most: int, look: Look, indent: str = "") -> Iterator[str]:
    listed = list(lines)
    yield from listed[:most]
    if len(listed) > most:
        yield indent + _say("more", look, count=len(listed) - most)


def _is_among(value: str, seen: Any) -> bool:
    return value == seen or (isinstance(seen, dict) and value in seen.values())

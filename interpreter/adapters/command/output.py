"""What a program printed, as values: decoded strictly, parsed strictly, secrets taken out."""

from __future__ import annotations

import json
from typing import Any, Final

from rules.json_texts import strict_json
from rules.patterns import regex

#: Units: times the length of the text.
_MOST_READ = 8
#: An error tells its line, for which everything before it is looked through, so many times faster than it is read.
_LOOKED_THROUGH = 64
#: How a program moves about in a terminal, and colours it; no JSON holds such a sign.
_MOVES: Final = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
#: How an object or a list can begin; all else is noise without a closer look.
_BEGINS = regex(r'\{\s*["}]|\[\s*[\[\]{"0-9tfnNI-]')
#: Finds where a value ends; what its parts mean is said by `strict_json`.
_finder: Final = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)


class NotText(Exception):
    """The output is not in the encoding that the profile names."""


def text_of(data: bytes, encoding: str) -> str:
    """Return the text without a byte order mark.

    Errors: NotText.
    """
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except (UnicodeDecodeError, ValueError):
        raise NotText from None


def parsed(text: str, output: str, *, skip_noise: bool) -> Any:
    """Return what the text says.

    Errors: ValueError where it says nothing that can be read.
    """
    if output == "text":
        return text
    if skip_noise:
        text = as_lines(text)
    if output == "json_lines":
        # A text may hold other signs that end a line; of JSON lines only this one does.
        lines = [line for line in text.split("\n") if line.strip()]
        if skip_noise:
            lines = [line for line in lines if line.lstrip().startswith(("{", "["))]
        return [strict_json(line) for line in lines]
    try:
        return strict_json(text.strip())
    except ValueError:
        if not skip_noise:
            raise
    found = _last(text, ("{", "["))
    if found is None:
        raise ValueError("no JSON")
    return strict_json(found)


def report_in(errors: str) -> dict[str, Any] | None:
    """Return the JSON object with which a program says what went wrong, in what else it printed; the last one."""
    text = _last(as_lines(errors), ("{",))
    try:
        found = strict_json(text) if text is not None else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def as_lines(text: str) -> str:
    """Return what a terminal was given without its colours; what was written over a line has a line of its own."""
    return _MOVES.sub("", text).replace("\r", "\n").replace("\n\ufeff", "\n")


def _last(text: str, beginnings: tuple[str, ...]) -> str | None:
    """Return the last JSON value that begins a line and is not inside an earlier one; None where there is none.

    What is tried and no value is read again from the next line on. So only a few times the whole text is read in all:
    then what follows is given up, because nothing but a hostile text needs more.
    """
    found: str | None = None
    at, left = 0, _MOST_READ * len(text)
    while left >= 0:
        at = _next_line(text, at, beginnings)
        if at < 0:
            return found
        if _BEGINS.match(text, at) is None:
            at += 1
            continue
        try:
            _, end = _finder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            left -= max(error.pos - at, 1) + error.pos // _LOOKED_THROUGH
            at += 1
        except RecursionError:
            left -= len(text) - at
            at += 1
        else:
            found, at = text[at:end], end
    return None


def _next_line(text: str, at: int, beginnings: tuple[str, ...]) -> int:
    """Return where the next line begins, at or after a place, that starts with one of these; -1 where none does."""
    while at >= 0:
        if at < len(text) and text.startswith(beginnings, at) and (at == 0 or text[at - 1] in "\r\n"):
            return at
        line = text.find("\n", at)
        if line < 0:
            return -1
        at = line + 1
    return -1

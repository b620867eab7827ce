"""What a program printed, as values: decoded strictly, parsed strictly, secrets taken out."""

from __future__ import annotations

import json
from typing import Any

from rules.values import loads

_MOST_TRIED = 200


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
    if output == "json_lines":
        lines = [line for line in text.splitlines() if line.strip()]
        if skip_noise:
            lines = [line for line in lines if line.lstrip().startswith(("{", "["))]
        return [loads(line) for line in lines]
    try:
        return loads(text.strip())
    except ValueError:
        if not skip_noise:
            raise
    found = _last(text, ("{", "["))
    if found is None:
        raise ValueError("no JSON")
    return found


def report_in(errors: str) -> dict[str, Any] | None:
    """Return the JSON object with which a program says what went wrong, in what else it printed; the last one."""
    found = _last(errors, ("{",))
    return found if isinstance(found, dict) else None


def _last(text: str, beginnings: tuple[str, ...]) -> Any:
    """Return the last JSON value that begins a line and is not inside an earlier one; None where there is none."""
    decoder = json.JSONDecoder()
    found: Any = None
    at = 0
    for _ in range(_MOST_TRIED):
        at = _next_line(text, at, beginnings)
        if at < 0:
            break
        try:
            _, end = decoder.raw_decode(text, at)
            found = loads(text[at:end])
            at = end
        except (ValueError, RecursionError):
            at += 1
    return found


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

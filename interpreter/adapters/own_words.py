"""What a service itself says of a failure: its message, found in the forms in which services write one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Where the words stand, the best place first: plain APIs, sign-ins (RFC 6749), problem details (RFC 9457).
_MESSAGES = (
    *("message", "msg", "error_description", "error_msg", "errmsg", "status_msg", "detail", "error", "errors"),
    *("title", "base_resp"),
)
_PLAIN_CODES = ("code", "error_code", "errcode")
_CODES = (*_PLAIN_CODES, "error", "type")
#: A message may stand inside another part so often; of several problems so many are told.
_DEPTH = 4
_MOST = 3
_LONGEST_CODE = 60


def own_words(body: Any, depth: int = _DEPTH) -> str:
    """Return what a body says of a failure, with its code; '' where it says nothing, or is a page.

    Shapes: `body` is JSON, or a text. What comes back is neither shortened nor masked.
    """
    if isinstance(body, str):
        return "" if body.lstrip().startswith("<") else body.strip()
    if depth == 0:
        return ""
    if isinstance(body, list):
        return "; ".join(words for one in body[:_MOST] if (words := own_words(one, depth - 1)))
    if not isinstance(body, Mapping):
        return ""
    words = next((words for name in _MESSAGES if (words := own_words(body.get(name), depth - 1))), "")
    if not words:
        return next((told for name in _PLAIN_CODES if (told := _code(body.get(name)))), "")
    place = body.get("loc")  # which part of the request pydantic speaks of
    if isinstance(place, list):
        return f"{'.'.join(map(str, place))}: {words}"
    code = next((told for name in _CODES if (told := _code(body.get(name)))), "")
    words = words if not code or code in words else f"{words} ({code})"
    about = body.get("metadata")  # where a gateway passes on what the one behind it says
    behind = own_words(about.get("raw"), depth - 1) if isinstance(about, Mapping) else ""
    return f"{words}: {behind}" if behind else words


def _code(value: Any) -> str:
    """Return a code as a text; a number that is only an HTTP status again tells nothing."""
    if isinstance(value, str) and value.isprintable() and 0 < len(value) <= _LONGEST_CODE:
        return value
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_number and value != 0 and not 100 <= value < 600 else ""

"""Places in a text where other languages put the value of a name; here they are characters like any other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interpreter.check.unquoted import leads_somewhere
from interpreter.diagnostics import Diagnostic, finding
from interpreter.model import Constant, ListOf, MappingOf, Text, Value
from interpreter.source import Span
from interpreter.static.scopes import Scope
from rules.patterns import regex

_WAY = r"[^\W\d]\w*(?:\.\w+)*"
#: Holes and statements whole; or else a name with its fields in single braces, with what is done with it; `$name`,
#: `%name%`.
_PLACES = regex(
    rf"(?s)\{{\{{.*?\}}\}}|\{{%.*?%\}}|\$?\{{\s*(?P<braced>{_WAY})(?P<done>\s*\|[^{{}}]*?)?\s*\}}"
    rf"|(?<![\w$])\$(?P<marked>{_WAY})(?![\w(])|%(?P<between>{_WAY})%"
)
#: Between these a name may be markup of the text, where it is not the whole of it.
_POINTED = regex(rf"<(?P<pointed>{_WAY})>")


def placeholders_in(value: Value | None, scope: Scope) -> Iterator[Diagnostic]:
    """Yield the names in the texts of a value that lead to something here, written as other languages do.

    Errors: name/single-braces, name/text-like-a-name.
    """
    match value:
        case Text(template=template, place=place):
            for found, code, name in _found(template.text, scope):
                yield finding(code, place.part(found.start(), found.end()), name=name, text=found[0])
        case Constant(value=str() as text, span=span):
            at = span.start
            for found, code, name in _found(text, scope):
                begin = span.source.text.find(found[0], at, span.end)
                at = max(begin, at)
                place_of_it = Span(span.source, begin, begin + len(found[0])) if begin >= 0 else span
                yield finding(code, place_of_it, name=name, text=found[0])
        case ListOf(items=items):
            for item in items:
                yield from placeholders_in(item, scope)
        case MappingOf(entries=entries):
            for _, part, _ in entries:
                yield from placeholders_in(part, scope)


def way_meant(value: object, scope: Scope) -> str | None:
    """Return the expression for which a whole text stands: the way to a value, or a name as others write it."""
    if not isinstance(value, str):
        return None
    if leads_somewhere(value, scope):
        return value
    return next((name for found, _, name in _found(value, scope) if found[0] == value), None)


def _found(text: str, scope: Scope) -> Iterator[tuple[re.Match[str], str, str]]:
    """Yield what stands for a name of the scope, the code of its finding, and the expression that was meant."""
    if not any(mark in text for mark in "{$%<"):
        return
    whole = _POINTED.fullmatch(text)
    for found in [whole] if whole is not None else _PLACES.finditer(text):
        groups = found.groupdict()
        braced = groups.get("braced")
        way = braced or groups.get("marked") or groups.get("between") or groups.get("pointed")
        if way is not None and leads_somewhere(way, scope):
            yield found, "name/single-braces" if braced else "name/text-like-a-name", way + (groups.get("done") or "")

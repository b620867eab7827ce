"""` | function` that stands in a text outside of braces, where it is only shown."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, finding
from interpreter.model import Text
from interpreter.resolve import Resolved
from interpreter.source import Span
from rules.expr import FUNCTIONS
from rules.expr.mistakes import SYNONYMS
from rules.patterns import regex

_CALL = r"[ ]*\|[ ]*{}(?:\([^(){{}}|]*\))?"
_BEHIND_A_HOLE = regex(r"\}\}(" + rf"(?:{_CALL.format('[a-z_0-9]+')})+" + r")\s*$")
_WHOLE = regex(r"\s*([A-Za-z_]\w*)(?:\.\w+|\[[^\[\]]*\])*(?:" + _CALL.format("[a-z_0-9]+") + r")+\s*")
_NAMES = regex(_CALL.format("([a-z_0-9]+)"))
#: Words that are functions here, or in the languages of templates that people know.
_FILTERS = (
    frozenset(row.name for row in FUNCTIONS if row.kind == "filter")
    | frozenset(SYNONYMS)
    | frozenset(
        {"upper", "upcase", "capitalize", "title", "round", "abs", "escape", "safe", "urlencode", "wordcount", "date"}
    )
)


def check_functions(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield texts that end in functions which nothing applies: `{{ a }} | upper`, `a.title | upper`.

    Errors: name/text-like-an-expression.
    """
    for use in resolved.uses:
        if isinstance(use.value, Text):
            text = use.value.template.text
            found = _BEHIND_A_HOLE.search(text)
            if found is not None and _are_functions(found[1]):
                start = text.rfind("{{", 0, found.start())
                hole = text[start + 2 : found.start()].strip(" -")
                better = f"{{{{ {hole} {found[1].strip()} }}}}"
                bar = text.index("|", found.start(1))
                yield _finding(use.value.place.part(bar, found.end(1)), found[1].strip(), better)
    for plain in (*resolved.plains, *resolved.words):
        written = plain.constant.value
        if not isinstance(written, str) or "|" not in written:
            continue
        whole = _WHOLE.fullmatch(written)
        if whole is not None and plain.scope.get(whole[1]) is not None and _are_functions(written):
            yield _finding(plain.constant.span, written, f"{{{{ {written.strip()} }}}}")


def _are_functions(text: str) -> bool:
    names = _NAMES.findall(text)
    return bool(names) and _FILTERS.issuperset(names)


def _finding(span: Span, text: str, better: str) -> Diagnostic:
    return finding("name/text-like-an-expression", span, text=text, better=better)

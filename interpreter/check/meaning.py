"""How the answers of programs and services are read: the names that are seen, and the codes that errors are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from interpreter.check.answered import check_answered
from interpreter.check.written import check_value, expressions_in, scope_of, surely_read
from interpreter.codes.service import SERVICE_ERRORS
from interpreter.diagnostics import Diagnostic, did_you_mean, finding, nearest
from interpreter.model import Adapted, Constant, Contract, Value, span_of
from interpreter.static.inference import shape_of_value
from interpreter.static.scopes import Binding, Scope
from rules.expr import PathUse


def check_meaning(
    adapted: Adapted,
    results: tuple[str, ...],
    settings: Binding,
    contracts: Mapping[str, Contract] | None,
    contract: Contract | None,
) -> Iterator[Diagnostic]:
    """Yield what is wrong about the names and codes by which answers are read, and about the answers made of them.

    Shapes: `results` are seen beside `answer`, `sent` and `settings`; `contracts` are those of all tools of the
    profile, because its entries share their `errors`; without a `contract` any answer will do.
    Errors: name/unknown, type/unknown-field, type/perhaps-misspelled, tool/not-in-every-answer, those of
    `check_answered` and `_codes`.
    """
    scope = scope_of(None, ("answer", *results)).extended(settings, Binding("sent", "local", None))
    for row in adapted.errors:
        for value in (row.when, row.code, row.message, row.retry_after, row.details):
            yield from check_value(value, scope)
            yield from check_answered(value, scope, None)
    yield from _codes(adapted, contracts)
    yield from _not_in_every_answer(adapted, scope)
    yield from check_value(adapted.unsure_when, scope)
    yield from check_value(adapted.success, scope)
    for name, value, span in adapted.let:
        yield from check_value(value, scope)
        yield from check_answered(value, scope, None)
        scope = scope.extended(Binding(name, "local", span, shape_of_value(value, scope)))
    yield from check_value(adapted.value, scope)
    yield from check_answered(adapted.value, scope, contract)


def _codes(adapted: Adapted, contracts: Mapping[str, Contract] | None) -> Iterator[Diagnostic]:
    """Yield codes of errors that are nearly ones that exist: a workflow may look for any other.

    Errors: tool/unknown-error.
    """
    if contracts is None:
        return
    known = {*SERVICE_ERRORS, *(one for contract in contracts.values() for one in contract.errors)}
    for row in adapted.errors:
        code = row.code.value if isinstance(row.code, Constant) else None
        if isinstance(code, str) and code not in known and nearest(code, known) is not None:
            span = span_of(row.code)
            yield finding("tool/unknown-error", span, hint=did_you_mean(code, known), tool=adapted.tool, error=code)


def _not_in_every_answer(adapted: Adapted, scope: Scope) -> Iterator[Diagnostic]:
    """Yield conditions of errors that read inside a part of the answer of which no good answer is known to have it.

    A `when` that has no value makes an answer one that nobody foresaw, and that is no success.
    Errors: tool/not-in-every-answer.
    """
    of_success = [value for value in (adapted.success, adapted.value, *(one for _, one, _ in adapted.let)) if value]
    known = {use.fields[:1] for use in _read(of_success, scope) if use.root == "answer"}
    said: set[str] = set()
    for row in adapted.errors:
        for one in expressions_in(row.when, scope):
            for use in surely_read(one.expression):
                is_inside = use.root in ("answer", "report") and len(use.fields) > 1 and use.fields[:1] not in known
                if is_inside and (part := f"{use.root}.{use.fields[0]}") not in said:
                    said.add(part)
                    yield finding("tool/not-in-every-answer", one.place.part(use.start, use.end), part=part)


def _read(values: Iterable[Value], scope: Scope) -> Iterator[PathUse]:
    for value in values:
        for one in expressions_in(value, scope):
            yield from surely_read(one.expression)

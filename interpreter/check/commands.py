"""Arguments of programs: their forms, and where data may not stand.

The same findings keep a profile from being used and are shown by `lint`: what is unsafe here is never only a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from interpreter.argv import is_shell, names_a_file, starts_others, takes_code
from interpreter.check.written import check_value, expressions_in, scope_of
from interpreter.codes.service import SERVICE_ERRORS
from interpreter.diagnostics import Diagnostic, did_you_mean, finding, nearest
from interpreter.inference import shape_of_value
from interpreter.model import Adapted, AdaptedError, Constant, Contract, ListOf, MappingOf, Text, Value, span_of
from interpreter.scopes import Binding, Scope
from interpreter.source import Span
from interpreter.static import shape_of

_ENTRY_KEYS = frozenset({"flag", "value", "json", "when", "apart"})


class Entry(NamedTuple):
    """One entry of `argv`. Shapes: `flag` is '' where a value stands alone; `apart`: the two are two arguments."""

    flag: str
    value: Value | None
    json: Value | None
    when: Value | None
    apart: bool
    span: Span


def program_of(adapted: Adapted) -> str | None:
    """Return the program, None where it is not written out."""
    value = adapted.settings.get("program")
    return value.value if isinstance(value, Constant) and isinstance(value.value, str) else None


def entries_of(adapted: Adapted) -> list[Entry | Diagnostic] | None:
    """Return the entries of `argv`, each one that is none as a finding; None where there is no list."""
    given = next((value for name, value, _ in adapted.request if name == "argv"), None)
    return [_entry(item) for item in given.items] if isinstance(given, ListOf) else None


def check_command(adapted: Adapted) -> Iterator[Diagnostic]:
    """Yield what is wrong or unsafe about how a program is started.

    Errors: tool/program-not-literal, tool/argv-missing, tool/argv-unfit, tool/command-through-shell, tool/data-as-flag,
    tool/data-as-file, tool/data-as-code.
    """
    program = adapted.settings.get("program")
    name = program_of(adapted)
    if program is not None and name is None:
        yield finding("tool/program-not-literal", span_of(program), tool=adapted.tool)
    entries = entries_of(adapted)
    if entries is None:
        yield finding("tool/argv-missing", adapted.span, tool=adapted.tool)
        return
    before = ""
    names_program = name is not None and starts_others(name)
    for entry in entries:
        if isinstance(entry, Diagnostic):
            yield entry
            continue
        yield from _unsafe(entry, name or "", before, names_program)
        literal = _literal(entry)
        if literal is not None and names_program and _may_be_program(literal):
            names_program = starts_others(literal)
            if is_shell(literal):
                yield finding("tool/command-through-shell", entry.span, program=literal)
        if literal == "-c" and name is not None and is_shell(name):
            yield finding("tool/command-through-shell", entry.span, program=name)
        before = literal or ""
    stdin = next((value for part, value, _ in adapted.request if part == "stdin"), None)
    yield from _files_in(stdin)


def _may_be_program(word: str) -> bool:
    """Say whether a program that starts another one may take a word for its name, and not for a flag or a value."""
    return not word.startswith("-") and "=" not in word and not word[:1].isdigit()


def _entry(item: Value) -> Entry | Diagnostic:
    span = span_of(item)
    assert span is not None
    if isinstance(item, Constant | Text):
        return Entry("", item, None, None, False, span)
    parts = {name: value for name, value, _ in item.entries} if isinstance(item, MappingOf) else {"": item}
    if not parts.keys() <= _ENTRY_KEYS:
        return Entry("", Constant("", span), None, None, False, span)  # the shape of the document says it
    flag = parts.get("flag")
    name = flag.value if isinstance(flag, Constant) and isinstance(flag.value, str) else None
    if flag is not None and (name is None or not name.startswith("-") or name == "--"):
        return finding("tool/data-as-flag", span)
    if ("value" in parts) == ("json" in parts) and not (name and "value" not in parts):
        return finding("tool/argv-unfit", span)
    apart = parts.get("apart")
    return Entry(
        name or "",
        parts.get("value"),
        parts.get("json"),
        parts.get("when"),
        isinstance(apart, Constant) and apart.value is True,
        span,
    )


def _unsafe(entry: Entry, program: str, before: str, names_program: bool) -> Iterator[Diagnostic]:
    value = entry.value if entry.value is not None else entry.json
    if value is None:
        return
    yield from _files_in(entry.json)
    if not has_data(value):
        return
    flag = entry.flag or before
    start = literal_start(value)
    if not entry.flag and start.startswith("-"):
        if "=" not in start:
            yield finding("tool/data-as-flag", entry.span)
            return
        flag = start.partition("=")[0]
    if names_a_file(flag) and (entry.flag or start.startswith("-") or before.startswith("-")):
        yield finding("tool/data-as-file", entry.span, name=flag)
    if takes_code(program, flag) or (names_program and not entry.flag and not start):
        yield finding("tool/data-as-code", entry.span, name=program)


def _files_in(value: Value | None) -> Iterator[Diagnostic]:
    """Yield fields of a written JSON value that name a file and are filled from data."""
    if isinstance(value, MappingOf):
        for name, part, span in value.entries:
            if names_a_file(name) and has_data(part):
                yield finding("tool/data-as-file", span, name=name)
            yield from _files_in(part)
    elif isinstance(value, ListOf):
        for part in value.items:
            yield from _files_in(part)


def has_data(value: Value) -> bool:
    """Say whether a value reads anything else than the settings of the profile."""
    nothing = Scope({})
    return any(name != "settings" for seen in expressions_in(value, nothing) for name, *_ in seen.expression.names)


def literal_start(value: Value) -> str:
    """Return what stands in a text in front of its first hole."""
    if not isinstance(value, Text):
        return ""
    first = value.template.parts[0] if value.template.parts else ""
    return first if isinstance(first, str) else ""


def _literal(entry: Entry) -> str | None:
    if isinstance(entry.value, Constant) and not entry.flag and isinstance(entry.value.value, str):
        return entry.value.value
    return entry.flag if entry.flag and entry.value is None and entry.json is None else None


#: What `errors`, `success`, `let` and `value` see beside `sent` and `settings`.
RESULTS = ("answer", "report", "exit", "stdout", "stderr")


def check_started(
    adapted: Adapted, contract: Contract | None, settings: Binding, contracts: Mapping[str, Contract] | None
) -> Iterator[Diagnostic]:
    """Yield what is wrong about how a program is started, and about the names that its output is read by.

    Shapes: `contracts` are those of all tools of the profile, because its entries share their `errors`.
    Errors: those of `check_command`, name/unknown, type/unknown-field, tool/unknown-error.
    """
    yield from check_command(adapted)
    input_shape = shape_of(contract.input) if contract is not None else None
    is_open = contract is None or contract.input.get("additionalProperties", False) is not False
    scope = scope_of(input_shape, ("idempotency_key",)).extended(settings)
    for name, value, _ in adapted.request:
        if name in ("argv", "stdin"):
            yield from check_value(value, scope, is_open=is_open)
    scope = scope_of(None, RESULTS).extended(settings, Binding("sent", "local", None))
    for row in adapted.errors:
        yield from _row(row, scope)
        yield from _code(row, adapted, contracts)
    if adapted.success is not None:
        yield from check_value(adapted.success, scope)
    for name, value, span in adapted.let:
        yield from check_value(value, scope)
        scope = scope.extended(Binding(name, "local", span, shape_of_value(value, scope)))
    yield from check_value(adapted.value, scope)


def _row(row: AdaptedError, scope: Scope) -> Iterator[Diagnostic]:
    if row.when is not None:
        yield from check_value(row.when, scope)
    for value in (row.code, row.message, row.retry_after, row.details):
        yield from check_value(value, scope)


def _code(row: AdaptedError, adapted: Adapted, contracts: Mapping[str, Contract] | None) -> Iterator[Diagnostic]:
    """Only a code that is nearly one that exists is certainly a mistake: a workflow may look for any other."""
    code = row.code.value if isinstance(row.code, Constant) else None
    if not isinstance(code, str) or contracts is None:
        return
    known = {*SERVICE_ERRORS, *(one for contract in contracts.values() for one in contract.errors)}
    if code not in known and nearest(code, known) is not None:
        span = span_of(row.code)
        yield finding("tool/unknown-error", span, hint=did_you_mean(code, known), tool=adapted.tool, error=code)

"""Arguments of programs: their forms, and where data may not stand.

The same findings keep a profile from being used and are shown by `lint`: what is unsafe here is never only a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from interpreter.check.meaning import check_meaning
from interpreter.check.written import check_left_out, check_value, expressions_in, scope_of
from interpreter.diagnostics import Diagnostic, finding
from interpreter.model import Adapted, Constant, Contract, ListOf, MappingOf, Text, Value, span_of
from interpreter.safety.programs import (
    Launch,
    Word,
    gives_code_to_shell,
    launched,
    may_load_code,
    names_a_file,
    runs_code,
)
from interpreter.source import Span
from interpreter.static.scopes import Binding, Scope
from interpreter.static.values import shape_of
from rules.records import NamedTuple

#: With these many programs name a file whose content they take.
FILE_MARKS = ("@", "<")
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
    tool/data-as-file, tool/data-after-file-mark, tool/data-as-code, tool/file-beside-data, tool/variable-not-literal.
    """
    program = adapted.settings.get("program")
    name = program_of(adapted)
    if program is not None and name is None:
        yield finding("tool/program-not-literal", span_of(program), tool=adapted.tool)
    yield from _variables(adapted)
    entries = entries_of(adapted)
    if entries is None:
        yield finding("tool/argv-missing", adapted.span, tool=adapted.tool)
        return
    before = ""
    for entry in entries:
        if isinstance(entry, Diagnostic):
            yield entry
            continue
        yield from _unsafe(entry, before)
        before = _literal(entry) or ""
    stdin = next((value for part, value, _ in adapted.request if part == "stdin"), None)
    yield from _files_in(stdin)
    if stdin is not None:
        yield from _files_beside_data(stdin)
    whole = [entry for entry in entries if isinstance(entry, Entry)]
    if name is not None:
        yield from _run(name, whole, stdin)


def _run(name: str, entries: list[Entry], stdin: Value | None) -> Iterator[Diagnostic]:
    """Yield where what is started would run data, in what language ever."""
    words = [(word, entry.span) for entry in entries for word in _words(entry)]
    plain = [word for word, _ in words]
    shell = gives_code_to_shell(name, plain)
    if shell is not None:
        yield finding("tool/command-through-shell", entries[0].span, program=shell)
    launch = launched(name, plain)
    for at, (word, span) in enumerate(words):
        if word.has_data and runs_code(launch, plain, at):
            yield finding("tool/data-as-code", span, name=launch.program)
    if stdin is not None and launch.reads_code and has_data(stdin):
        yield finding("tool/data-as-code", span_of(stdin), name=launch.program)
    yield from _chosen_by_settings(launch, words)


def _chosen_by_settings(launch: Launch, words: list[tuple[Word, Span]]) -> Iterator[Diagnostic]:
    """Yield settings that would choose what is started: whoever trusted the profile did not see that."""
    for word, span in words if launch.reads_code else ():
        if word.text is None and not word.has_data:
            yield finding("tool/data-as-code", span, name=launch.program)


def _words(entry: Entry) -> Iterator[Word]:
    """Yield the arguments that an entry makes, as far as they are written out."""
    value = entry.value if entry.value is not None else entry.json
    is_sure = entry.when is None
    if value is None:
        yield Word(entry.flag, entry.flag, False, is_sure)
        return
    written = _written(value) if entry.value is not None else None
    start = written if written is not None else literal_start(value)
    if entry.flag and not entry.apart:
        text = f"{entry.flag}={written}" if written is not None else None
        yield Word(text, f"{entry.flag}={start}", has_data(value), is_sure)
        return
    if entry.flag:
        yield Word(entry.flag, entry.flag, False, is_sure)
    yield Word(written, start, has_data(value), is_sure)


def _written(value: Value) -> str | None:
    """Return what a value is in every call, None where that is not written out."""
    if isinstance(value, Constant) and isinstance(value.value, str | int) and not isinstance(value.value, bool):
        return str(value.value)
    return None


def _variables(adapted: Adapted) -> Iterator[Diagnostic]:
    """Yield variables that decide what a program loads and that are not written out."""
    given = adapted.settings.get("variables")
    if given is None or isinstance(given, Constant):
        return
    if not isinstance(given, MappingOf):
        yield finding("tool/variable-not-literal", span_of(given), name="variables")
        return
    for name, value, span in given.entries:
        if may_load_code(name) and not isinstance(value, Constant):
            yield finding("tool/variable-not-literal", span, name=name)


def _files_beside_data(value: Value) -> Iterator[Diagnostic]:
    """Yield written fields that name a file in a value with data: the adapter refuses such a value in every call."""
    if has_data(value):
        yield from _written_files(value)


def _written_files(value: Value) -> Iterator[Diagnostic]:
    if isinstance(value, MappingOf):
        for name, part, span in value.entries:
            if names_a_file(name) and not has_data(part):
                yield finding("tool/file-beside-data", span, name=name)
            yield from _written_files(part)
    elif isinstance(value, ListOf):
        for part in value.items:
            yield from _written_files(part)


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


def _unsafe(entry: Entry, before: str) -> Iterator[Diagnostic]:
    value = entry.value if entry.value is not None else entry.json
    if value is None:
        return
    yield from _files_in(entry.json)
    if entry.json is not None:
        yield from _files_beside_data(entry.json)
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
    mark = _file_mark(value)
    if mark is not None:
        yield finding("tool/data-after-file-mark", entry.span, mark=mark)


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


def _file_mark(value: Value) -> str | None:
    """Return the sign in front of a hole with which many programs name a file to be read, None where there is none."""
    parts = value.template.parts if isinstance(value, Text) else ()
    for before, part in pairwise(parts):
        if isinstance(before, str) and not isinstance(part, str) and before.endswith(FILE_MARKS):
            return before[-1]
    return None


def _literal(entry: Entry) -> str | None:
    if isinstance(entry.value, Constant) and not entry.flag and isinstance(entry.value.value, str):
        return entry.value.value
    return entry.flag if entry.flag and entry.value is None and entry.json is None else None


#: What `errors`, `success`, `let` and `value` see beside `answer`, `sent` and `settings`.
RESULTS = ("report", "exit", "stdout", "stderr")


def check_started(
    adapted: Adapted, contract: Contract | None, settings: Binding, contracts: Mapping[str, Contract] | None
) -> Iterator[Diagnostic]:
    """Yield what is wrong about how a program is started, and about the names that its output is read by.

    Shapes: `contracts` are those of all tools of the profile, because its entries share their `errors`.
    Errors: those of `check_command`, `check_left_out` and `check_meaning`.
    """
    yield from check_command(adapted)
    input_shape = shape_of(contract.input) if contract is not None else None
    is_open = contract is None or contract.input.get("additionalProperties", False) is not False
    scope = scope_of(input_shape, ("idempotency_key",)).extended(settings)
    for name, value, _ in adapted.request:
        if name in ("argv", "stdin"):
            yield from check_value(value, scope, is_open=is_open)
    yield from check_left_out([value for _, value, _ in adapted.request], contract, scope)
    yield from check_meaning(adapted, RESULTS, settings, contracts, contract)

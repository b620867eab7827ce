"""What a function, filter or test takes and gives, read from one line such as `list | take(number: whole) -> list`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Final, Literal

from rules.keyed import KeyedList
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate, Value, as_integer, kind_facts

FunctionKind = Literal["filter", "test", "function", "host"]

LISTS: Final[frozenset[type]] = frozenset({list, KeyedList})
KINDS: Final[dict[str, frozenset[type]]] = {
    "any": frozenset({type(None), bool, int, Decimal, str, list, KeyedList, dict}),
    "text": frozenset({str}),
    "whole": frozenset({int}),
    "number": frozenset({int, Decimal}),
    "boolean": frozenset({bool}),
    "list": LISTS,
    "mapping": frozenset({dict}),
    "records": LISTS,
    "texts": LISTS,
    "numbers": LISTS,
}
"""Words of a signature. `records`, `texts` and `numbers` are lists of mappings, of texts, of numbers."""

_INSIDE: Final[dict[str, frozenset[type]]] = {
    "records": KINDS["mapping"],
    "texts": KINDS["text"],
    "numbers": KINDS["number"],
}
_BY_MARK: Final[tuple[tuple[str, FunctionKind], ...]] = ((" | ", "filter"), (" is ", "test"))
_MANY: Final[dict[int, Literal["one", "list", "fields"]]] = {0: "one", 1: "list", 2: "fields"}


class Parameter(NamedTuple):
    """One argument.

    Shapes: `kinds` are words of KINDS, any of which will do; `many` is 'one', 'list' (any number of positional
    arguments) or 'fields' (any number of free keyword arguments).
    """

    name: str
    kinds: tuple[str, ...]
    required: bool
    many: Literal["one", "list", "fields"]


class Function(NamedTuple):
    """One row of the table.

    Shapes: `subject` are the kinds on the left of `|` or `is`, () for a function; `soft` marks those that look at an
    absent value or a path that breaks half-way; `passes` those that may hand out an argument itself; `example` is an
    expression and what it gives. `single`, `rest` and `fields` are the parameters of each kind of `many`.
    """

    name: str
    kind: FunctionKind
    signature: str
    subject: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    result: tuple[str, ...]
    zh: str
    en: str
    example: str
    call: Callable[..., Value]
    soft: bool
    passes: bool
    single: tuple[Parameter, ...]
    rest: Parameter | None
    fields: Parameter | None


def describe(
    signature: str,
    implementation: Callable[..., Value],
    zh: str,
    en: str,
    example: str = "",
    *,
    host: bool = False,
    soft: bool = False,
    passes: bool = False,
) -> Function:
    """Return a row of the table: the signature read, the implementation guarded by it."""
    # Taken apart by hand: to compile a pattern for it costs a start more than all the rows.
    form, _, results = signature.partition(" -> ")
    mark, kind = next(((mark, kind) for mark, kind in _BY_MARK if mark in form), ("", "function"))
    of, _, form = form.partition(mark) if mark else ("", "", form)
    name, _, inside = form.partition("(")
    subject = tuple(of.split(" or ")) if of else ()
    parameters = tuple(_parameter(part) for part in inside.removesuffix(")").split(", ")) if inside else ()
    call = implementation if soft or host else _guarded(name, subject, parameters, implementation)
    result = tuple(results.split(" or "))
    single = tuple(parameter for parameter in parameters if parameter.many == "one")
    rest, fields = (next((one for one in parameters if one.many == many), None) for many in ("list", "fields"))
    return Function(
        name, "host" if host else kind, signature, subject, parameters, result, zh, en, example, call, soft, passes,
        single, rest, fields,
    )  # fmt: skip


def _parameter(text: str) -> Parameter:
    written, _, kinds = text.partition(": ")
    name = written.strip("*?")
    many = _MANY[written.count("*")]
    return Parameter(name, tuple(kinds.split(" or ")), many == "one" and not written.endswith("?"), many)


def _guarded(
    name: str,
    subject: tuple[str, ...],
    parameters: tuple[Parameter, ...],
    implementation: Callable[..., Value],
) -> Callable[..., Value]:
    """Return the implementation with a test of every kind in front of it.

    Shapes: called with the subject (if there is one) and one value for each parameter: ABSENT for an optional one
    that is not given, a list for `*rest`, a mapping for `**fields`.
    """
    tests = [_test(name, "|", subject)] if subject else []
    tests.extend(_parameter_test(name, parameter) for parameter in parameters)
    if any("whole" in parameter.kinds for parameter in parameters):
        implementation = _with_integers(parameters, implementation, is_filter=bool(subject))
    if len(tests) == 1:
        only = tests[0]

        def one(value: Value) -> Value:
            only(value)
            return implementation(value)

        return one
    tests_in_order = tuple(tests)

    def many(*values: Value) -> Value:
        for test, value in zip(tests_in_order, values, strict=True):
            test(value)
        return implementation(*values)

    return many


def _with_integers(
    parameters: tuple[Parameter, ...], implementation: Callable[..., Value], *, is_filter: bool
) -> Callable[..., Value]:
    """Return an implementation that gets an int for every whole number, also for one that is written `3.0`."""
    places = [number for number, one in enumerate(parameters, start=is_filter) if "whole" in one.kinds]

    def with_integers(*values: Value) -> Value:
        if all(type(values[place]) is not Decimal for place in places):
            return implementation(*values)
        return implementation(
            *(int(one) if at in places and type(one) is Decimal else one for at, one in enumerate(values))
        )

    return with_integers


def _parameter_test(name: str, parameter: Parameter) -> Callable[[Value], None]:
    test = _test(name, parameter.name, parameter.kinds)
    if parameter.many == "list":
        return lambda values: _each(test, values)
    if parameter.many == "fields":
        return lambda values: _each(test, values.values())
    if parameter.required:
        return test
    return lambda value: None if value is ABSENT else test(value)


def _each(test: Callable[[Value], None], values: Iterable[Value]) -> None:
    for value in values:
        test(value)


def _test(name: str, place: str, kinds: tuple[str, ...]) -> Callable[[Value], None]:
    allowed = frozenset().union(*(KINDS[kind] for kind in kinds))
    inside = next((_INSIDE[kind] for kind in kinds if kind in _INSIDE), None)

    takes_whole = "whole" in kinds

    def test(value: Value) -> None:
        if type(value) not in allowed and not (takes_whole and as_integer(value) is not None):
            refuse(name, place, kinds, value)
        if inside is not None and isinstance(value, list) and not inside.issuperset(map(type, value)):
            wrong = next(item for item in value if type(item) not in inside)
            refuse(name, place, kinds, wrong, of_list=True)

    return test


def refuse(name: str, place: str, kinds: tuple[str, ...], value: Value, *, of_list: bool = False) -> None:
    """Raise CannotEvaluate for a value of a kind that the function does not take."""
    from rules.values import kind_of

    if value is ABSENT:
        raise CannotEvaluate("absent-value")
    expected = " / ".join(kinds)
    found = kind_of(value)
    code = "bad-item" if of_list else "bad-subject" if place == "|" else "bad-argument"
    facts = {"function": name, "argument": place, "expected": expected, **kind_facts(found=found)}
    facts["expected_zh"] = " / ".join(KIND_WORDS_ZH[kind] for kind in kinds)
    raise CannotEvaluate(code, facts)


KIND_WORDS_ZH: Final[dict[str, str]] = {
    "any": "任意值",
    "text": "文本",
    "whole": "整数",
    "number": "数字",
    "boolean": "真假值",
    "list": "列表",
    "mapping": "对象",
    "records": "对象的列表",
    "texts": "文本的列表",
    "numbers": "数字的列表",
}

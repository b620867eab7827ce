"""Expressions against a plain evaluator that walks the tree, and against any text and any value."""

from __future__ import annotations

import string
from decimal import Decimal, DecimalException
from fractions import Fraction
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rules.expr import Expression, parse_expression, parse_template, tree
from rules.values import ABSENT, CONTEXT, CannotEvaluate, canonical_text, dumps, identity, kind_of, loads, same

# --- values -----------------------------------------------------------------------------------------------------------

NAMES = ("a", "b", "items", "keys", "__class__", "名")
decimals = st.decimals(-1000, 1000, places=2, allow_nan=False, allow_infinity=False)
texts = st.sampled_from(["", "x", "资料", "{{ a }}", "{% for %}", "75", "None", "a.b", "a\nb"]) | st.text(max_size=6)
exact_numbers = st.integers(-(10**9), 10**9) | st.decimals(-1000, 1000, places=4, allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers(-(10**34) + 1, 10**34 - 1) | st.integers(-3, 3) | decimals | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | texts, inner, max_size=3),
    max_leaves=8,
)
scopes = st.dictionaries(st.sampled_from(NAMES), values, max_size=6)

# --- expressions ------------------------------------------------------------------------------------------------------

literals = st.sampled_from(
    ["1", "0", "2.50", "0.1", "'x'", "'资料'", "''", "true", "false", "null", "absent", "[]", "{}", "'{{ a }}'"]
)
roots = st.sampled_from(NAMES)


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(
        ["+", "-", "*", "//", "%", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"]
    )
    filters = st.sampled_from(
        ["count", "default({})", "or_else({})", "or_absent", "first", "last({})", "take({})", "join({})", "text",
         "trim", "where(a={})", "any(a=[{}, 1])", "pluck('a')", "unique", "sort", "max", "flatten", "to_json",
         "contains({})", "without('a')", "values", "summary",
         "replace('x', {})", "merge({})", "shorten({})", "leaves", "from_json",
         "round", "round({})", "divided_by({}, 2)", "decimals({})", "absolute",
         "find(a={})", "sum", "count_by('a')", "excerpts([{}], 3)", "replace_values({})", "not_in({})"]
    )  # fmt: skip
    tests = st.sampled_from(["absent", "present", "null", "empty", "text", "not absent", "any(a={})", "list"])
    return st.one_of(
        st.builds("({}) {} ({})".format, inner, operators, inner),
        st.builds("({}).{}".format, inner, roots),
        st.builds("({})[{}]".format, inner, inner),
        st.builds("not ({})".format, inner),
        st.builds("-({})".format, inner),
        st.builds("(({}) if ({}) else ({}))".format, inner, inner, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("{{'a': {}, 'b': {}}}".format, inner, inner),
        st.builds("({}) <= ({}) < ({})".format, inner, inner, inner),
        st.builds(lambda x, f, y: f"({x}) | " + f.replace("{}", y), inner, filters, inner),
        st.builds(lambda x, t, y: f"({x}) is " + t.replace("{}", y), inner, tests, inner),
    )


expressions = st.recursive(literals | roots | roots.map(lambda name: f"{name}.a"), larger, max_leaves=8)

# Expressions whose kinds mostly fit, over names that are mostly there, so that most of them have a value.

numbers = st.integers(-3, 3) | st.integers(-(10**34) + 1, 10**34 - 1) | decimals
records = st.fixed_dictionaries({"a": numbers, "s": texts}, optional={"o": st.none() | st.just({"i": 1})})
fitting_scopes = st.fixed_dictionaries(
    {"n": numbers, "m": numbers, "s": texts, "t": texts, "p": st.booleans(), "q": st.booleans(),
     "ns": st.lists(numbers, max_size=3), "ts": st.lists(texts, max_size=3), "rs": st.lists(records, max_size=3),
     "g": records},
    optional={"z": numbers},
)  # fmt: skip


def fitting(kind: str, depth: int) -> st.SearchStrategy[str]:
    """Return expressions of a kind, at most so many operations deep."""
    simple = {
        "number": ["n", "m", "1", "0.5", "g['a']", "z", "ns[0]", "rs[-1].a", "g.o.i | default(2)", "z | default(n)"],
        "text": ["s", "t", "'x'", "'资料'", "g.s", "ts[0]", "rs[0].s", "g.o.i | default(t)"],
        "boolean": ["p", "q", "true", "g.o is absent", "g.o.i is present", "g.o is null", "z is present"],
        "numbers": ["ns", "[n, m]", "[]", "range(3)", "rs | pluck('a')"],
        "texts": ["ts", "[s, t]", "rs | pluck('s')"],
        "records": ["rs", "[g]", "[{'a': n, 's': t, 'o': 1 if p else absent}]"],
    }  # fmt: skip
    base = st.sampled_from(simple[kind])
    if depth == 0:
        return base
    inner = {name: fitting(name, depth - 1) for name in simple}
    number, text, boolean = inner["number"], inner["text"], inner["boolean"]
    order = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    composed = {
        "number": [
            st.builds("({} {} {})".format, number, st.sampled_from(["+", "-", "*", "//", "%"]), number),
            st.builds("-{}".format, number.map(lambda inside: f"({inside})")),
            st.builds(
                "({} | {})".format, inner["numbers"], st.sampled_from(["sum", "count", "max", "min(0)", "first(1)"])
            ),
            st.builds("({} | sum('a'))".format, inner["records"]),
            st.builds("({} | length)".format, text),
        ],
        "text": [
            st.builds("({} ~ {})".format, text, text | number),
            st.builds("({} | {})".format, text, st.sampled_from(["trim", "lower", "shorten(3)", "replace('x', 'yy')"])),
            st.builds("({} | join({}))".format, inner["texts"] | inner["numbers"], text),
        ],
        "boolean": [
            st.builds("({} {} {})".format, number, order, number),
            st.builds("({} {} {})".format, text, order, text),
            st.builds("({} <= {} < {})".format, number, number, number),
            st.builds("({} {} {})".format, boolean, st.sampled_from(["and", "or", "==", "!="]), boolean),
            st.builds("(not {})".format, boolean),
            st.builds("({} {} {})".format, number, st.sampled_from(["in", "not in"]), inner["numbers"]),
            st.builds("({} in {})".format, text, inner["texts"] | text | st.just("['x', '']")),
            st.builds("({} {} {})".format, inner["numbers"], st.sampled_from(["==", "!="]), inner["numbers"]),
            st.builds("({} | any(s={}, a=[1, {}]))".format, inner["records"], text, number),
            st.builds("({} | contains({}))".format, text, text),
        ],
        "numbers": [
            st.builds("({} + {})".format, inner["numbers"], inner["numbers"]),
            st.builds("[{}, {}]".format, number, number),
            st.builds("({} | {})".format, inner["numbers"], st.sampled_from(["unique", "sort", "take(1)", "skip(1)"])),
            st.builds("({} | where(s={}) | pluck('a'))".format, inner["records"], text),
        ],
        "texts": [
            st.builds("[{}, {}]".format, text, text),
            st.builds("({} | where_text(contains={}))".format, inner["texts"], text),
            st.builds("({} | pieces(2))".format, text),
        ],
        "records": [
            st.builds("({} | where(a=[{}, 1]))".format, inner["records"], number),
            st.builds("({} | sort('-a', 's'))".format, inner["records"]),
            st.builds("({} + {})".format, inner["records"], inner["records"]),
        ],
    }
    same_kind = st.builds("({} if {} else {})".format, inner[kind], boolean, inner[kind])
    return st.one_of(base, same_kind, *composed[kind])


KINDS = ("number", "text", "boolean", "numbers", "texts", "records")
fitting_expressions = st.one_of([fitting(kind, 2) for kind in KINDS])

# --- a plain evaluator ------------------------------------------------------------------------------------------------


class Failed(Exception):
    """What could not be evaluated."""


def plain(node: tree.Node, names: dict[str, Any], soft: bool = False) -> Any:
    """Return the value of a node, slowly and obviously."""
    match node:
        case tree.Constant(value=value):
            return value
        case tree.Name(name=name):
            if name in names:
                return names[name]
            return missing(soft)
        case tree.Field(base=base, name=name):
            return part(plain(base, names, soft), name, soft, by_field=True)
        case tree.Item(base=base, key=key):
            return part(plain(base, names, soft), plain(key, names, soft), soft, by_field=False)
        case tree.ListOf(items=items):
            return [value for value in (plain(item, names) for item in items) if value is not ABSENT]
        case tree.MappingOf(entries=entries):
            made = {key: plain(value, names) for key, value in entries}
            return {key: value for key, value in made.items() if value is not ABSENT}
        case tree.Not(value=value):
            return not boolean(plain(value, names))
        case tree.Logic(operator=operator, parts=parts):
            stops = operator == "or"
            return stops if any(boolean(plain(item, names)) is stops for item in parts) else not stops
        case tree.Choice(when=when, then=then, otherwise=otherwise):
            return plain(then if boolean(plain(when, names)) else otherwise, names, soft)
        case tree.Negative(value=value):
            return calculated("-", 0, plain(value, names))
        case tree.Arithmetic(operator=operator, left=left, right=right):
            return calculated(operator, plain(left, names), plain(right, names))
        case tree.Join(parts=parts):
            return "".join([written(plain(item, names)) for item in parts])
        case tree.Comparison(first=first, steps=steps):
            left = plain(first, names)
            for operator, operand in steps:
                right = plain(operand, names)
                if not compared(operator, left, right):
                    return False
                left = right
            return True
        case tree.Apply():
            return applied(node, names)


def missing(soft: bool) -> Any:
    if soft:
        return ABSENT
    raise Failed


def part(base: Any, key: Any, soft: bool, *, by_field: bool) -> Any:
    if base is None or base is ABSENT or key is ABSENT or (key is None and not by_field):
        if soft and (base is None or base is ABSENT or key is ABSENT or key is None):
            return ABSENT
        raise Failed
    if isinstance(base, dict) and isinstance(key, str):
        return base[key] if key in base else missing(soft)
    if isinstance(base, list) and type(key) is int:
        return base[key] if -len(base) <= key < len(base) else missing(soft)
    raise Failed


def boolean(value: Any) -> bool:
    if value is True or value is False:
        return bool(value)
    raise Failed


def is_number(value: Any) -> bool:
    return type(value) in (int, Decimal)


def calculated(operator: str, left: Any, right: Any) -> Any:
    if operator == "+" and isinstance(left, list) and isinstance(right, list):
        return [*left, *right]
    if not is_number(left) or not is_number(right):
        raise Failed
    if operator in ("//", "%"):
        if type(left) is not int or type(right) is not int or right == 0:
            raise Failed
        return left // right if operator == "//" else left % right
    work = {"+": CONTEXT.add, "-": CONTEXT.subtract, "*": CONTEXT.multiply}[operator]
    try:
        result = work(Decimal(left), Decimal(right))
        return int(result) if type(left) is int and type(right) is int else result
    except DecimalException:
        raise Failed from None


def written(value: Any) -> str:
    if value is None or value is ABSENT:
        raise Failed
    return canonical_text(value)


def compared(operator: str, left: Any, right: Any) -> bool:
    if left is ABSENT or right is ABSENT:
        raise Failed
    if operator in ("in", "not in"):
        return held(left, right) is (operator == "in")
    if kind_of(left) != kind_of(right):
        raise Failed
    if operator in ("==", "!="):
        return same(left, right) is (operator == "==")
    if kind_of(left) not in ("number", "text"):
        raise Failed
    return bool({"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator])


def held(value: Any, place: Any) -> bool:
    if isinstance(place, str) and isinstance(value, str):
        return value in place
    if not isinstance(place, list):
        raise Failed
    if any(same(value, item) for item in place):
        return True
    if place and kind_of(value) not in {kind_of(item) for item in place}:
        raise Failed
    return False


def applied(node: tree.Apply, names: dict[str, Any]) -> Any:
    function = node.function
    subject = ABSENT if node.subject is None else plain(node.subject, names, soft=function.soft)
    if function.name in ("default", "or_else"):
        nothing = subject is ABSENT or subject is None
        if function.name == "or_else":
            nothing = nothing or (type(subject) in (str, list, dict) and len(subject) == 0)
        return plain(node.positional[0], names) if nothing else subject
    positional = [plain(value, names) for value in node.positional]
    keywords = {name: plain(value, names) for name, value in node.keywords}
    arguments: list[Any] = [] if node.subject is None else [subject]
    for parameter in function.parameters:
        if parameter.many == "list":
            arguments.append(positional)
        elif parameter.many == "fields":
            arguments.append(keywords)
        else:
            arguments.append(positional.pop(0) if positional else keywords.pop(parameter.name, ABSENT))
    try:
        return function.call(*arguments)
    except CannotEvaluate:
        raise Failed from None


@settings(max_examples=150, deadline=None)
@given(expressions, scopes)
@example("(a) + (b)", {"a": 10**34 - 1, "b": 1})
@example("(a) <= (b) < (1)", {"a": 0, "b": True})
def test_expressions_of_any_kinds_agree_with_a_plain_evaluator(text: str, names: dict[str, Any]) -> None:
    assert_agrees(text, names)


@settings(max_examples=200, deadline=None)
@given(fitting_expressions, fitting_scopes)
def test_expressions_of_fitting_kinds_agree_with_a_plain_evaluator(text: str, names: dict[str, Any]) -> None:
    assert_agrees(text, names)


def assert_agrees(text: str, names: dict[str, Any]) -> None:
    expression, _ = parse_expression(text)
    if expression is None:
        return
    try:
        expected: Any = plain(expression.tree, names)
    except Failed:
        expected = Failed
    failure: CannotEvaluate | None = None
    found: Any = None
    try:
        found = expression.evaluate(names)
    except CannotEvaluate as error:
        failure = error
    if failure is not None:
        assert expected is Failed, failure
        assert failure.start is not None
        assert failure.end is not None
        assert 0 <= failure.start <= failure.end <= len(text)
    elif expected is ABSENT or found is ABSENT:
        assert found is expected
    else:
        assert expected is not Failed, found
        assert same(found, expected)


# --- rounding ---------------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(exact_numbers, exact_numbers.filter(bool), st.integers(0, 8))
@example(Decimal("0.5"), 1, 0)
@example(Decimal("-2.5"), 1, 0)
def test_a_quotient_is_the_exact_one_rounded_once(number: Any, other: Any, decimals: int) -> None:
    expression, _ = parse_expression("a | divided_by(b, n)")
    assert expression is not None
    quotient = expression.evaluate({"a": number, "b": other, "n": decimals})
    exact = Fraction(number) / Fraction(other)
    distance = abs(Fraction(quotient) - exact) * 10**decimals
    assert distance < Fraction(1, 2) or (distance == Fraction(1, 2) and abs(Fraction(quotient)) > abs(exact))
    assert (Fraction(quotient) * 10**decimals).denominator == 1


@settings(max_examples=100, deadline=None)
@given(exact_numbers, st.integers(0, 8))
def test_a_number_with_decimals_says_the_rounded_number(number: Any, decimals: int) -> None:
    written, _ = parse_expression("n | decimals(d, ' ')")
    rounded, _ = parse_expression("n | round(d)")
    assert written is not None
    assert rounded is not None
    text = written.evaluate({"n": number, "d": decimals})
    assert Decimal(text.replace(" ", "")) == rounded.evaluate({"n": number, "d": decimals})
    whole, _, rest = text.lstrip("-").partition(".")
    assert len(rest) == decimals
    assert [len(group) for group in whole.split(" ")[1:]] == [3] * whole.count(" ")


# --- any text, any value ----------------------------------------------------------------------------------------------

pieces = st.sampled_from(
    [*"'\"\\()[]{}|.,:=!~- 1\n\x00\ud800é*+/;?`$，“a", "{{", "}}", "{%", "%}", "{#", "#}", "==", "not ", " is ",
     " if ", " else ", " in ", "for ", "endfor", "endif", "raw", "endraw", "b.c", "0.5", "1e5", "\r\n", "|where(",
     "|count", "absent", "null", "None", "&&", "**", "__class__", "set ", "loop", "caller()", "{{-", "-}}"]
)  # fmt: skip
anything = st.text(max_size=40) | st.lists(pieces, max_size=25).map("".join) | st.text(string.printable, max_size=40)


@settings(max_examples=200, deadline=None)
@given(anything, scopes)
def test_reading_and_evaluating_any_text_only_finds(text: str, names: dict[str, Any]) -> None:
    for read in (parse_expression, parse_template):
        made, findings = read(text)
        assert made is not None or findings
        for finding in findings:
            assert finding.start is not None
            assert finding.end is not None
            assert 0 <= finding.start <= finding.end <= len(text)
        if made is None:
            continue
        try:
            value = made.evaluate(names) if isinstance(made, Expression) else made.render(names)
        except CannotEvaluate:
            continue
        assert value is ABSENT or kind_of(value)


attributes = st.sampled_from(
    sorted({name for kind in (str, int, list, dict, Decimal, type(None), type(ABSENT)) for name in dir(kind)})
)


@settings(max_examples=150, deadline=None)
@given(attributes, values)
def test_no_attribute_of_an_object_is_reachable(name: str, value: Any) -> None:
    names = {"x": value}
    for text in (f"x.{name}", f"x['{name}']"):
        expression, _ = parse_expression(text)
        assert expression is not None
        try:
            found = expression.evaluate(names)
        except CannotEvaluate:
            continue
        assert isinstance(value, dict)
        assert found is value[name]


@given(values)
def test_data_is_handed_through_untouched(value: Any) -> None:
    template, _ = parse_template("{{ a }}")
    mixed, _ = parse_template("<{{ a }}>")
    assert template is not None
    assert mixed is not None
    assert template.render({"a": value}) is value
    if value is not None:
        assert mixed.render({"a": value}) == f"<{canonical_text(value)}>"


@given(values)
def test_json_brings_back_the_same_value(value: Any) -> None:
    again = loads(dumps(value))
    assert same(again, value)
    assert dumps(again) == dumps(value)
    assert canonical_text([again]) == canonical_text([value])


@given(values, values)
def test_identities_are_equal_exactly_for_the_same_values(one: Any, other: Any) -> None:
    assert (identity(one) == identity(other)) is same(one, other)

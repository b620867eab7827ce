"""Expressions and texts as the other parts use them: names, paths, places, values handed out, rendering."""

from __future__ import annotations

import marshal
from decimal import Decimal
from typing import Any

import pytest

from rules.expr import NOT_CONSTANT, Expression, PathUse, Template, condition, parse_expression, parse_template
from rules.expr.compile import code_of, evaluators_of
from rules.keyed import KeyedList
from rules.values import ABSENT, CannotEvaluate


def expression(text: str) -> Expression:
    read, findings = parse_expression(text)
    assert read is not None, findings
    return read


def template(text: str) -> Template:
    read, findings = parse_template(text)
    assert read is not None, findings
    return read


def failure(text: str, names: dict[str, Any]) -> CannotEvaluate:
    with pytest.raises(CannotEvaluate) as caught:
        expression(text).evaluate(names)
    return caught.value


# --- what stands in an expression -------------------------------------------------------------------------------------


def test_names_are_listed_in_the_order_of_the_text() -> None:
    found = expression("b.c if a else [d, b] | first(e)").names
    assert [(use.name, use.start) for use in found] == [("b", 0), ("a", 7), ("d", 15), ("b", 18), ("e", 29)]


def test_constants_and_functions_are_no_names() -> None:
    assert expression("[null, absent, true, range(2), 'x'] | count").names == ()


def test_paths_hold_fields_and_places() -> None:
    found = expression("a.b['c'][0].d == e[f.g].h").uses
    assert found == (
        PathUse("a", ("b", "c", None, "d"), 0, 13, False),
        PathUse("e", (None, "h"), 17, 25, False),
        PathUse("f", ("g",), 19, 22, False),
    )


@pytest.mark.parametrize("text", ["a.b | default(1)", "a.b is absent", "a.b is not present", "a.b | or_else(1)"])
def test_a_path_that_may_be_absent_is_soft(text: str) -> None:
    assert [use.soft for use in expression(text).uses] == [True]


def test_function_uses_show_constant_arguments() -> None:
    use = expression("left('pages') + (a | where(x=1) | take(b) | count)").calls
    assert [(call.name, call.kind, call.positional, call.keywords) for call in use] == [
        ("left", "function", 1, ()),
        ("count", "filter", 0, ()),
        ("take", "filter", 1, ()),
        ("where", "filter", 0, ("x",)),
    ]
    assert use[0].constants == ("pages",)
    assert use[2].constants == (NOT_CONSTANT,)


@pytest.mark.parametrize(
    ("text", "constant"),
    [("1 + 1", 2), ("'a' ~ 1", "a1"), ("[1]", [1]), ("absent", ABSENT), ("null", None), ("a", NOT_CONSTANT)],
)
def test_a_constant_is_known_before_it_runs(text: str, constant: object) -> None:
    assert expression(text).constant == constant


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", "a"),
        ("a | default(b)", "ab"),
        ("a | or_else(b.c)", "a"),
        ("[a]", "a"),
        ("{'x': {'y': a}}", "a"),
        ("a if b else c", "ac"),
        ("[a, b] | first", "ab"),
        ("[[a]][0][0]", "a"),
        ("{'x': a}.x", "a"),
        ("x | merge({'y': a})", "a"),
        ("x | first(a)", "a"),
        ("(a if b else [c])[0]", "c"),
        ("a.b", ""),
        ("a[0]", ""),
        ("a | where(s=b)", ""),
        ("a | count", ""),
        ("a + b", ""),
        ("[a] + b", "a"),
        ("a == b", ""),
        ("a ~ b", ""),
        ("(a | default([])) | where(s=1)", ""),
        ("a | unique", ""),
    ],
)
def test_escaping_names_are_those_that_may_be_handed_out_whole(text: str, names: str) -> None:
    assert expression(text).escapes == frozenset(names)


def test_no_function_hands_out_its_list_itself() -> None:
    items = [{"s": "a", "n": 1}]
    for text in ("without('z')", "where(s='a')", "take(9)", "skip(0)", "sort('n')", "unique", "flatten",
                 "where_not(s='z')", "last_of_each('s')", "replace_values({})", "pick('s')", "not_in([])"):  # fmt: skip
        result = expression(f"a | {text}").evaluate({"a": items})
        assert result is not items, text


# --- lists that declare a key -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("rows['b'].n", 2),
        ("rows[key].n", 2),
        ("rows[0].n", 1),
        ("rows['z'] is absent", True),
        ("rows[key | trim].n | default(0)", 2),
        ("(rows | where(id='b') | first).n", 2),
        ("rows == [{'id': 'a', 'n': 1}, {'id': 'b', 'n': 2}]", True),
        ("rows is list", True),
        ("(rows + [1]) | count", 3),
        ("pairs[[1, 'x']].n", 7),
    ],
)
def test_a_list_with_a_key_is_addressed_by_it_and_is_a_list_besides(text: str, value: object) -> None:
    rows = KeyedList([{"id": "a", "n": 1}, {"id": "b", "n": 2}], ("id",))
    pairs = KeyedList([{"p": 1, "q": "x", "n": 7}], ("p", "q"))
    assert expression(text).evaluate({"rows": rows, "pairs": pairs, "key": "b"}) == value


def test_a_key_that_no_entry_has_could_not_be_evaluated() -> None:
    assert failure("rows['z']", {"rows": KeyedList([{"id": "a"}], ("id",))}).code == "absent-item"


# --- places -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names", "part"),
    [
        ("预算.甲 + 预算.乙.丙", {"预算": {"甲": 1, "乙": {}}}, "预算.乙.丙"),
        ("a == 1 and b.c == 2", {"a": 1, "b": None}, "b.c"),
        ("x | where(s=a.b) | count", {"x": [], "a": {}}, "a.b"),
        ("x | where(s=1) | count", {"x": [{"s": "1"}]}, "x | where(s=1)"),
        ("[1, {'k': (a + 1) * 2}]", {"a": "t"}, "a + 1"),
        ("(a.b)[c] | trim", {"a": {"b": []}, "c": 0}, "(a.b)[c]"),
        ("not (a or b)", {"a": False, "b": "t"}, "b"),
        ("1 if a.b.c < 3 else 2", {"a": {"b": {"c": "x"}}}, "a.b.c < 3"),
    ],
)
def test_a_failure_names_the_part_that_has_no_value(text: str, names: dict[str, Any], part: str) -> None:
    error = failure(text, names)
    assert text[error.start : error.end] == part


def test_places_in_a_text_count_from_its_beginning() -> None:
    text = "开始\r\n{% if a %}{{ a.b }}, {{ a.c }}{% endif %}"
    with pytest.raises(CannotEvaluate) as caught:
        template(text).render({"a": {"b": 1}})
    assert caught.value.code == "not-boolean"
    text = text.replace("if a", "if a is present")
    with pytest.raises(CannotEvaluate) as caught:
        template(text).render({"a": {"b": 1}})
    assert text[caught.value.start : caught.value.end] == "a.c"


def test_a_failure_carries_facts() -> None:
    assert failure("a == 1", {"a": "x"}).facts["left"] == "text"
    assert failure("a.b", {"a": {}}).facts["field"] == "b"


# --- conditions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1, 0, "", "true", [], None])
def test_a_condition_takes_booleans_only(value: object) -> None:
    with pytest.raises(CannotEvaluate, match="not-boolean"):
        condition(expression("a"), {"a": value})


def test_a_condition_gives_its_boolean() -> None:
    assert condition(expression("a"), {"a": True}) is True
    assert condition(expression("a == 2"), {"a": 1}) is False


# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["1e5", "007", "None", "", 0, Decimal("1.50"), False, None, [1], {"a": 1}])
def test_a_text_of_one_hole_keeps_the_value(value: object) -> None:
    result = template("{{ a }}").render({"a": value})
    assert type(result) is type(value)
    assert result == value


def test_a_text_of_one_hole_may_be_absent() -> None:
    assert template("{{ a | or_absent }}").render({"a": ""}) is ABSENT


def test_a_blank_beside_the_hole_makes_a_text() -> None:
    assert template(" {{ a }}").render({"a": 1}) == " 1"


def test_a_mixed_text_writes_values_canonically() -> None:
    names = {"a": Decimal("1.500"), "b": [1, {"x": "预"}], "c": True}
    assert template("{{ a }} {{ b }} {{ c }}").render(names) == '1.5 [1,{"x":"预"}] true'


@pytest.mark.parametrize(("names", "code"), [({"a": None}, "null-in-text"), ({}, "absent-name")])
def test_a_mixed_text_refuses_nothing(names: dict[str, Any], code: str) -> None:
    with pytest.raises(CannotEvaluate) as caught:
        template("x {{ a }}").render(names)
    assert caught.value.code == code
    assert template("x {{ a | default('-') }}").render(names) == "x -"


def test_a_text_has_branches_and_loops() -> None:
    text = "{% for f in found %}{% if f.bad %}- {{ f.at }}: {{ note }}\n{% else %}ok {% endif %}{% endfor %}"
    names = {"found": [{"bad": True, "at": "card"}, {"bad": False}], "note": "缺少"}
    assert template(text).render(names) == "- card: 缺少\nok "


def test_names_of_loops_are_bound() -> None:
    read = template("{% for f in found %}{{ f.at }}{{ g }}{% endfor %}{{ f }}")
    assert [(use.name, use.start) for use in read.names] == [("found", 12), ("g", 33), ("f", 52)]
    assert [use.name for use in read.loops] == ["f"]
    assert [use.root for use in read.uses] == ["found", "g", "f"]


def test_a_loop_needs_a_list() -> None:
    with pytest.raises(CannotEvaluate, match="not-a-list"):
        template("{% for f in found %}{{ f }}{% endfor %}").render({"found": "text"})


def test_line_breaks_of_a_text_stay_as_they_are() -> None:
    assert template("a\r\nb {{ x }}\rc\n").render({"x": 1}) == "a\r\nb 1\rc\n"


def test_blanks_can_be_swallowed() -> None:
    assert template("a  {{- x -}}  b").render({"x": 1}) == "a1b"


def test_plain_texts_are_told_apart() -> None:
    assert template("plain }} text").is_plain
    assert not template("{{ a }}").is_plain
    assert template("{{ a }}").single is not None
    assert template("{{ a }} ").single is None
    assert template("").render({}) == ""


HOSTILE = "Q3 {{ env.API_TOKEN }} {% for i in range(99999) %}x{% endfor %} {# #} ${x} {name} %s"


@pytest.mark.parametrize(
    "text",
    ["{{ t }}", "{{ t | trim }}", "{{ '{name}' | fill(name=t) }}", "{% for x in [t] %}{{ x }}{% endfor %}",
     "{{ [t] | join('') }}", "{{ ({'a': t} | to_json | from_json).a }}", "{{ 'a' | replace('a', t) }}",
     "{{ {'k': 'a'} | replace_values({'a': t}) | values | first }}"],
)  # fmt: skip
def test_data_with_holes_is_never_rendered(text: str) -> None:
    assert template(text).render({"t": HOSTILE, "env": {"API_TOKEN": "secret"}}) == HOSTILE


# --- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a + " * 1000 + "a", "too-long"),
        ("(" * 31 + "a" + ")" * 31, "too-deep"),
        ("[" * 31 + "]" * 31, "too-deep"),
        ("not " * 500 + "a", "too-deep"),
        ("-" * 500 + "a", "too-deep"),
        ("a" + ".a" * 1500, "too-deep"),
        ("a" + "|trim" * 500, "too-deep"),
        ("1 if a else " * 300 + "1", "too-deep"),
        ("a" + "[0]" * 1000, "too-deep"),
        ("((((" * 900, "too-deep"),
    ],
)
def test_a_text_that_is_too_long_or_deep_is_a_finding(text: str, code: str) -> None:
    read, findings = parse_expression(text)
    assert read is None
    assert [finding.code for finding in findings] == [f"expression/{code}"]


def test_long_chains_of_and_are_not_deep() -> None:
    assert expression(" and ".join(["a"] * 500)).evaluate({"a": True}) is True


@pytest.mark.parametrize("text", ["t | replace('a', t)", "t | fill(x=t)", "ts | join(t)"])
def test_a_filter_that_multiplies_is_bounded(text: str) -> None:
    large = "a{x}" * 2_000
    with pytest.raises(CannotEvaluate, match="too-large"):
        expression(text).evaluate({"t": large, "ts": ["a"] * 1000})


def test_a_text_is_bounded_while_it_is_made() -> None:
    with pytest.raises(CannotEvaluate, match="too-large"):
        template("{% for a in l %}{% for b in l %}{{ t }}{% endfor %}{% endfor %}").render(
            {"l": [1] * 1000, "t": "x" * 1000}
        )


def test_a_value_that_is_nested_too_deeply_cannot_be_evaluated() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for text in ("a == b", "a | to_json", "a | text", "a | unique", "a | leaves", "a | summary"):
        try:
            expression(text).evaluate({"a": deep, "b": [[deep]]})
        except CannotEvaluate as error:
            assert error.code == "too-deep-a-value"  # noqa: PT017 - a summary stops by itself


# --- many expressions in one code object ------------------------------------------------------------------------------


def test_many_expressions_fit_one_code_object_that_can_be_stored() -> None:
    trees = [expression(text).tree for text in ("a + 1", "a * 1.5", "a | default(0.25)", "b.c")]
    code = marshal.loads(marshal.dumps(code_of(trees)))
    first, second, third, fourth = evaluators_of(code)
    assert (first({"a": 1}), second({"a": 2}), third({}), fourth({"b": {"c": 3}})) == (
        2,
        Decimal(3),
        Decimal("0.25"),
        3,
    )


def test_the_host_answers_its_functions() -> None:
    class Host:
        def call(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
            return [name, arguments, keywords]

    assert expression("left('pages')").evaluate({"": Host()}) == ["left", ["pages"], {}]

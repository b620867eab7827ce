"""Values: exact numbers on every road, one canonical text, strict equality."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from typing import Any

import pytest

from rules.keyed import KeyedList
from rules.values import (
    ABSENT,
    CannotEvaluate,
    canonical_json,
    canonical_text,
    digest,
    dumps,
    equal,
    identity,
    kind_of,
    loads,
    pieces,
    same,
)


@pytest.mark.parametrize("text", ["1.50", "0.1", "12345678901234567890.1234567890", "-0.5", "100", "9" * 34, "0.00"])
def test_json_keeps_every_digit(text: str) -> None:
    assert dumps(loads(text)) == text
    assert dumps(loads(f'{{"a":[{text},"x"]}}')) == f'{{"a":[{text},"x"]}}'


@pytest.mark.parametrize(
    "text",
    ["NaN", "Infinity", "-Infinity", "1e400", "1e34", "1e-40", "9" * 35, "0." + "1" * 35, "[1,", "", "[" * 100_000],
)
def test_what_is_no_exact_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        loads(text)


def test_json_keeps_the_order_of_keys_and_the_letters() -> None:
    assert dumps({"b": "预算\n", "a": None, "c": [True, Decimal("1.0")]}) == '{"b":"预算\\n","a":null,"c":[true,1.0]}'


def test_absent_is_never_written() -> None:
    with pytest.raises(TypeError):
        dumps({"a": ABSENT})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("1.500"), "1.5"),
        (Decimal("1E+3"), "1000"),
        (Decimal("-0.0"), "0"),
        (Decimal("1E-7"), "0.0000001"),
        (100, "100"),
        (True, "true"),
        ("007", "007"),
        ([1, Decimal("2.0"), "预"], '[1,2,"预"]'),
    ],
)
def test_every_value_has_one_text(value: Any, text: str) -> None:
    assert canonical_text(value) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, Decimal("1.0")), ({"a": 1, "b": 2}, {"b": Decimal("2.00"), "a": 1}), ([Decimal("-0.0")], [0])],
)
def test_equal_values_have_equal_digests(one: Any, other: Any) -> None:
    assert equal(one, other)
    assert canonical_json(one) == canonical_json(other)
    assert digest(one) == digest(other)
    assert identity(one) == identity(other)


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, "1"), (None, 0), ("", None), ([], {}), (False, 0)])
def test_values_of_different_kinds_cannot_be_compared(one: Any, other: Any) -> None:
    with pytest.raises(CannotEvaluate, match="different-kinds"):
        equal(one, other)
    assert not same([one], [other])
    assert not equal([one], [other])
    assert identity(one) != identity(other)


def test_a_lone_surrogate_has_a_digest() -> None:
    assert len(digest("\ud800")) == 64


def test_absent_is_one_thing_and_no_condition() -> None:
    assert copy.deepcopy(ABSENT) is ABSENT
    assert copy.copy(ABSENT) is ABSENT
    assert pickle.loads(pickle.dumps(ABSENT)) is ABSENT
    with pytest.raises(TypeError):
        bool(ABSENT)
    with pytest.raises(CannotEvaluate, match="absent-value"):
        kind_of(ABSENT)


def test_a_binary_float_is_no_value() -> None:
    with pytest.raises(TypeError):
        kind_of(0.5)


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        "s",
        None,
        {"a": {}, "b": [], "seconds": 0.5},
        {"rows": KeyedList([{"k": "ä\n\u202e"}], ("k",)), "n": Decimal("1.50")},
        [1, [2, {"b": Decimal("0.10"), "c": [[[[1, {}]]]]}], True],
    ],
)
def test_the_pieces_of_a_value_are_its_json(value: Any) -> None:
    assert "".join(pieces(value)) == dumps(value)
    assert "".join(pieces(value, 0)) == dumps(value)

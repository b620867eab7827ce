"""What is masked of a value, and what of it stays."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.safety.masking import (
    MASK,
    WHOLE,
    Marks,
    as_json,
    below,
    from_json,
    mask,
    masked_question,
    taking_out,
    texts_in,
)

PERSON = {"id": "a", "phones": [{"number": "123", "is_home": True}], "age": 40, "left": None}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.decimals(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("value", "marks", "shown"),
    [
        ("secret", WHOLE, MASK),
        (Decimal("1.5"), WHOLE, MASK),
        ("", WHOLE, ""),
        (True, WHOLE, True),
        (None, WHOLE, None),
        ("secret", frozenset(), "secret"),
        ([1, [True, "x"]], WHOLE, [MASK, [True, MASK]]),
        (PERSON, {("age",)}, {**PERSON, "age": MASK}),
        (PERSON, {("phones", "number")}, {**PERSON, "phones": [{"number": MASK, "is_home": True}]}),
        ([PERSON, "x"], {("id",)}, [{**PERSON, "id": MASK}, "x"]),
        ({"by": {"a": {"name": "n", "size": 1}}}, {("by", None, "name")}, {"by": {"a": {"name": MASK, "size": 1}}}),
        ([{"name": "n"}], {(None, "name")}, [{"name": MASK}]),
        ({"zh": "密", "en": "secret"}, WHOLE, {"zh": MASK, "en": MASK}),
    ],
)
def test_texts_and_numbers_under_a_mark_are_masked_and_nothing_else(value: Any, marks: Any, shown: Any) -> None:
    assert mask(value, frozenset(marks)) == shown


@given(VALUES)
def test_a_masked_value_has_the_same_shape_and_no_text_or_number_of_before(value: Any) -> None:
    shown = mask(value)
    assert set(texts_in(shown)) <= {MASK}
    assert _shape(shown) == _shape(value)


def _shape(value: Any) -> Any:
    if isinstance(value, list):
        return [_shape(entry) for entry in value]
    if isinstance(value, dict):
        return {name: _shape(entry) for name, entry in value.items()}
    return value if value is None or isinstance(value, bool) or value == "" else "text or number"


@pytest.mark.parametrize(
    ("path", "marks", "found"),
    [
        (("a",), {("a", "b")}, {("b",)}),
        (("a", "b", "c"), {("a", "b")}, {()}),
        (("a", "c"), {("a", "b")}, set()),
        (("a", None, "b"), {("a", "b")}, {()}),
        (("a", None), {("a", "b")}, {("b",), ()}),
        (("a", "x", "b"), {("a", None, "b")}, {()}),
        ((), {("a",)}, {("a",)}),
    ],
)
def test_marks_are_followed_along_a_path(path: Any, marks: Any, found: Any) -> None:
    assert below(path, marks) == found


def test_marks_come_back_from_a_journal() -> None:
    marks: Marks = frozenset({(), ("a", None, "b")})
    assert from_json(as_json(marks)) == marks


def test_a_question_hides_what_it_names_and_what_stands_in_its_fields() -> None:
    field = {"name": "code", "start": "s", "choices": [{"value": "s", "label": "x"}]}
    question = {"shown": PERSON, "form": [{**field, "masked": True}, field], "masked": {"shown": [["id"]]}}
    shown = masked_question(question)
    assert shown["shown"] == {**PERSON, "id": MASK}
    assert shown["form"][0] == {**field, "masked": True, "start": MASK, "choices": [{"value": MASK, "label": "x"}]}
    assert shown["form"][1] == field


def test_words_of_others_are_shown_without_what_they_repeat() -> None:
    words = {"message": "no key abc12 for abc", "count": 12345, "ok": True}
    assert taking_out(["abc", "abc12", "12345"])(words) == {
        "message": f"no key {MASK} for {MASK}",
        "count": MASK,
        "ok": True,
    }

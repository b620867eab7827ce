"""What declared data accept: lists that are addressed by a key count as lists, whatever validator stands behind."""

from __future__ import annotations

from typing import Any

import pytest

from interpreter.engine.validation import Validator
from interpreter.plan.shapes import shape_of
from rules.keyed import KeyedList
from rules.values import CannotEvaluate

ROW = {"type": "object", "properties": {"id": {"type": "string"}, "tags": {"type": "array", "maxItems": 1}}}
SCHEMA = {"type": "object", "properties": {"rows": {"type": "array", "uniqueItems": True, "items": ROW}}}


class OnlyPlainLists(Validator):
    """A validator that knows no list but a plain one, as some versions of the library are."""

    def is_valid(self, value: Any) -> bool:
        if _has_keyed(value):
            raise ValueError("Unsupported type: 'KeyedList'")
        return super().is_valid(value)


def _has_keyed(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_keyed, value.values()))
    return isinstance(value, list) and (type(value) is KeyedList or any(map(_has_keyed, value)))


@pytest.mark.parametrize("validator", [Validator, OnlyPlainLists])
def test_a_list_with_a_key_is_judged_as_the_list_it_is(
    validator: type[Validator], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interpreter.plan.shapes.Validator", validator)
    accepts = shape_of(SCHEMA).accepts
    assert accepts is not None
    good = [{"id": "a", "tags": KeyedList([{"n": 1}], ("n",))}, {"id": "b"}]
    bad: list[list[dict[str, Any]]] = [
        [{"id": 1}],
        [{"id": "a"}, {"id": "a"}],
        [{"id": "a", "tags": KeyedList([{"n": 1}, {"n": 2}], ("n",))}],
    ]
    assert accepts({"rows": good})
    assert accepts({"rows": KeyedList(good, ("id",))})
    for rows in bad:
        assert not accepts({"rows": rows})
        assert not accepts({"rows": KeyedList(rows, ("id",))})


@pytest.mark.parametrize("key", [("id",), ("id", "n")])
def test_a_key_is_told_apart_from_what_is_none(key: tuple[str, ...]) -> None:
    assert KeyedList([{"id": "a", "n": 1}], key).position_of_entry({"id": "a", "n": 1}, "") == 0
    for entry, code in (
        ("a", "entry-not-a-mapping"),
        ({"n": 1}, "key-missing"),
        ({"id": [1], "n": 1}, "key-not-plain"),
    ):
        with pytest.raises(CannotEvaluate) as failure:
            KeyedList([], key).position_of_entry(entry, "rows")
        assert failure.value.code == code

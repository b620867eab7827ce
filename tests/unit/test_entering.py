"""What may enter a run from outside."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.engine.entering import NotAValue, entering
from rules.values import dumps, loads

DEEP: list[Any] = []
DEEP.append(DEEP)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (1.5, Decimal("1.5")),
        (10**34 - 1, 10**34 - 1),
        (Decimal("1E+3"), 1000),
        (("a", 1), ["a", 1]),
        ({"made_by": "x"}, {"made_by": "x"}),
        ("数据 ﷽", "数据 ﷽"),
        (None, None),
        (True, True),
    ],
)
def test_values_of_the_language_enter_exactly(value: Any, kept: Any) -> None:
    found = entering(value)
    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        Decimal("1E+40"),
        Decimal("1E-40"),
        10**34,
        "\ud800",
        {"\udfff": 1},
        {1: "a"},
        {"made_by": "plan", "field": "token"},
        [{"deeper": {"made_by": "plan", "field": "token"}}],
        b"bytes",
        object(),
        {1, 2},
        DEEP,
    ],
    ids=lambda value: type(value).__name__,
)
def test_everything_else_is_refused(value: Any) -> None:
    with pytest.raises(NotAValue):
        entering(value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.decimals() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_enters_can_be_written_down_and_read_again(value: Any) -> None:
    try:
        kept = entering(value)
    except NotAValue:
        return
    assert loads(dumps(kept)) == kept

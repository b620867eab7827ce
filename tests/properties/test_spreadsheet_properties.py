"""A table that goes out as CSV comes back as it was, whatever its cells hold, and does nothing to a spreadsheet."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from interpreter.cli.rules.spreadsheet import csv_bytes, decoded, table_as_csv, table_from_csv
from rules.values import same

TEXTS = st.one_of(
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=12),
    st.sampled_from(
        ["007", "3-4", "1/2", "2024-01-31", "=1+1", "＝1+1", "'=x", "''", "-", "@a", "true", "null", "~", "1E5", "5%"]
    ),
    st.sampled_from(
        ["at least 80", "60 到 79", "not High", " padded ", "a: b", "# no", "[x", "高于 5", "", '"', "- a"]
    ),
)
NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6), st.decimals(-1000, 1000, places=2, allow_nan=False).map(lambda one: Decimal(str(one)))
)
CELLS = st.recursive(
    st.one_of(TEXTS, NUMBERS, st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3),
        st.fixed_dictionaries({"is": TEXTS}),
        st.fixed_dictionaries({"zh": TEXTS, "en": TEXTS}),
    ),
    max_leaves=4,
)
INPUTS = {"any_a": {"type": "any"}, "any_b": {"type": "any"}, "text": {"type": "string"}}
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "when": st.fixed_dictionaries({"any_a": CELLS}, optional={"any_b": CELLS, "text": TEXTS}),
            "then": st.fixed_dictionaries({"out": CELLS}),
        },
        optional={"because": CELLS, "id": st.sampled_from(["a", "row-2", "007", "x y"])},
    ),
    min_size=1,
    max_size=4,
)


@given(ROWS, st.one_of(st.none(), CELLS), st.sampled_from(["utf-8-sig", "utf-16", "utf-8"]))
def test_a_table_comes_back_as_it_was(rows: list[dict[str, Any]], otherwise: Any, encoding: str) -> None:
    body: dict[str, Any] = {"inputs": INPUTS, "outputs": {"out": {"type": "any"}}, "rows": rows}
    if otherwise is not None:
        body["otherwise"] = {"out": otherwise}
    text = decoded(csv_bytes(table_as_csv(body)).decode("utf-8-sig").encode(encoding))
    assert text is not None
    read = table_from_csv(text, body)
    assert same(read.rows, rows)
    assert (read.otherwise is None) == (otherwise is None)
    assert read.otherwise is None or same(read.otherwise, {"out": otherwise})
    assert [one.code for one in read.found] == []


@given(st.text("ab1 #:-&*!|>?%@`=,.~\n", max_size=8).filter(str.strip))
def test_nothing_of_a_text_that_somebody_types_is_lost(typed: str) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([["any_a", "→ out"], [typed, "x"]])
    rows = table_from_csv(out.getvalue(), {"inputs": INPUTS, "outputs": {"out": {"type": "any"}}}).rows
    value = rows[0]["when"]["any_a"]
    assert value == typed.strip() if isinstance(value, str) else value == Decimal(typed)


@given(ROWS, st.lists(CELLS, max_size=3))
def test_answers_of_a_list_come_back_as_they_were(rows: list[dict[str, Any]], otherwise: list[Any]) -> None:
    body: dict[str, Any] = {"hit": "rule_order", "inputs": INPUTS, "outputs": {"out": {"type": "any"}}, "rows": rows}
    body["otherwise"] = [{"out": value} for value in otherwise]
    read = table_from_csv(table_as_csv(body), body)
    assert same(read.rows, rows)
    assert same(read.otherwise, body["otherwise"])
    assert [one.code for one in read.found] == []


@given(ROWS)
def test_no_cell_is_a_formula(rows: list[dict[str, Any]]) -> None:
    body = {"inputs": INPUTS, "outputs": {"out": {"type": "any"}}, "rows": rows}
    for line in csv.reader(io.StringIO(table_as_csv(body), newline="")):
        for cell in line:
            is_number = cell.lstrip("-").replace(".", "", 1).isdigit()
            assert cell[:1] not in ("=", "+", "@", "\t", *"＝＋－＠")
            assert cell[:1] != "-" or is_number

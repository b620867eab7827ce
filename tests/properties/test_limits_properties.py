"""Linter and run are of one mind about dates and instants."""

from __future__ import annotations

import jsonschema_rs
from hypothesis import example, given
from hypothesis import strategies as st

from interpreter.check.limits import is_date, is_instant

_DATES = jsonschema_rs.Draft202012Validator({"format": "date"}, validate_formats=True)
_INSTANTS = jsonschema_rs.Draft202012Validator({"format": "date-time"}, validate_formats=True)

DAYS = st.builds(
    "{}-{:02}-{:02}".format,
    st.sampled_from(["0000", "1900", "2000", "2024", "2026", "9999", "226", "２０２６"]),
    st.integers(0, 13),
    st.integers(0, 32),
)
TIMES = st.builds(
    "{}:{}:{}".format,
    st.sampled_from(["00", "07", "23", "24", "8"]),
    st.sampled_from(["00", "29", "59", "60"]),
    st.sampled_from(["00", "59", "60", "61", "0"]),
)
ZONES = st.sampled_from(["", "Z", "z", "+08:00", "-00:01", "-00:00", "+23:59", "+24:00", "+0800", "+08", " Z"])
INSTANTS = st.builds(
    "{}{}{}{}{}".format,
    DAYS,
    st.sampled_from("Tt _"),
    TIMES,
    st.sampled_from(["", ".5", ".", ",5", ".0000000001"]),
    ZONES,
)
TEXTS = st.one_of(DAYS, INSTANTS, st.text(alphabet="0123456789-:TZ+. ", max_size=30))


@given(TEXTS)
@example("2026-02-30")
@example("2024-02-29")
@example("2026-13-45")
@example("2026-02-30T08:00:00Z")
@example("2026-02-28T08:00:00")
@example("2026-12-31T23:59:60Z")
@example("2026-01-01T07:59:60+08:00")
@example("2026-01-01\n")
def test_a_date_is_one_for_the_linter_exactly_where_it_is_one_in_a_run(text: str) -> None:
    assert is_date(text) == _DATES.is_valid(text)
    assert is_instant(text) == _INSTANTS.is_valid(text)

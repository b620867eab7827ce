"""Lines of a terminal: widths, wrapping, commands in one piece."""

from __future__ import annotations

import shutil

import pytest

from interpreter.report.columns import hanging, one_line_each, shortened, terminal_width, width_of
from interpreter.report.words import instant

COMMAND = "interpreter answer one 'go=fill them, all' --seen 0123456789ab"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", ["short"]),
        ("one two three four five", ["one two three four", "    five"]),
        ("  one two three four five", ["  one two three four", "    five"]),
        ("a_word_that_is_too_long_to_fit here", ["a_word_that_is_too_long_to_fit", "    here"]),
        ("add --input owner=… --input number=… to it", ["add", "    --input owner=… --input number=… ", "    to it"]),
        ("数据治理项目验收报告数据治理，验收", ["数据治理项目验收报告", "    数据治理，验收"]),
    ],
)
def test_words_are_wrapped_with_a_hanging_indent(text: str, lines: list[str]) -> None:
    assert [line.rstrip() for line in hanging(text, 20, 4)] == [line.rstrip() for line in lines]


@pytest.mark.parametrize("before", ["", "use ", "now type this: "])
def test_a_command_stays_in_one_piece(before: str) -> None:
    assert any(COMMAND in line for line in hanging(before + COMMAND, 30, 4))


def test_what_is_too_long_ends_in_dots() -> None:
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("数据治理", 5) == "数据…"
    assert shortened("abc", 3) == "abc"


def test_rows_of_one_line_keep_whole_columns_whole() -> None:
    lines = one_line_each(["id", "name", "state"], [["i" * 12, "n" * 30, "s" * 30]], 40, frozenset({0}))
    assert all(width_of(line) <= 40 for line in lines)
    assert lines[2].startswith("i" * 12 + "  ")
    assert lines[2].count("…") == 2


def test_an_instant_is_told_to_the_minute_in_utc() -> None:
    assert instant("2026-07-08T09:00:59.123Z") == "2026-07-08 09:00 UTC"
    assert instant("") == ""


@pytest.mark.parametrize("columns", ["", "100", "0", "-3", "wide"])
def test_a_terminal_is_as_wide_as_the_standard_library_says(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_width() == shutil.get_terminal_size().columns

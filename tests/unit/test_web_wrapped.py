"""Lines that were broken to fit a width are put together, and nothing else is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.adapters.web.tree import plain
from interpreter.adapters.web.wrapped import unwrapped
from tests.unit.web_kit import WORDING, page, read

NUMBERS = WORDING["numbers"]
#: What it is: the lines, and what they are together; None where each stays.
TEXTS: dict[str, tuple[list[str], list[str] | None]] = {
    "English prose": (
        [
            "Larkspur Water closed the Elm Road plant on 17 October after",
            "the cost of its upkeep rose, said its",
            "board.",
        ],
        [
            "Larkspur Water closed the Elm Road plant on 17 October after the cost of its upkeep rose, said its",
            "board.",
        ],
    ),
    "a denial whose statement stands in the next line": (
        ["The regulator, which was asked, says that it is not true that", "Larkspur Water closed the Elm Road plant."],
        ["The regulator, which was asked, says that it is not true that Larkspur Water closed the Elm Road plant."],
    ),
    "a word in two": (
        ["Larkspur Water closed the Elm Road plant in autumn after main-", "tenance costs rose."],
        ["Larkspur Water closed the Elm Road plant in autumn after maintenance costs rose."],
    ),
    "Chinese prose": (
        [
            "　　因设施改造施工需要，星野公园自2026年10月",
            "18日起闭园，恢复时间另行通知，请广大游客安排",
            "好行程。",
            "　　特此通知。",
        ],
        ["因设施改造施工需要，星野公园自2026年10月18日起闭园，恢复时间另行通知，请广大游客安排好行程。", "特此通知。"],
    ),
    "a heading above": (
        ["Notice", "Larkspur Water closed the Elm Road plant on 17 October and then", "opened another one."],
        ["Notice", "Larkspur Water closed the Elm Road plant on 17 October and then opened another one."],
    ),
    "sentences that fill their lines": (
        ["Larkspur Water closed the Elm Road plant in autumn.", "larkspur water opened the Oak Road plant in winter."],
        None,
    ),
    "items": (
        ["1. the first of the items that are as long as it", "2. the next of the items that are as long as it"],
        None,
    ),
    "rows of a table": (
        ["星野公园  成人票八十元  儿童票四十元  老人票二十元", "白鹭公园  成人票六十元  儿童票三十元  老人票十元钱"],
        None,
    ),
    "addresses one below the other": (
        ["Ann Lee, Harrow Cloud Limited, 12 Elm Road, LEEDS 4", "Tom Reed, Larkspur Water, 7 Oak Road, HARROW 12 AB3"],
        None,
    ),
    "a narrow list": (["apples and", "pears and", "plums"], None),
    "a paragraph that begins indented": (
        ["Larkspur Water closed the Elm Road plant in autumn,", "    and this is another paragraph of it"],
        None,
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_sentence_goes_on_where_its_line_was_full(name: str) -> None:
    lines, wanted = TEXTS[name]
    assert unwrapped(lines, NUMBERS["full_line"], NUMBERS["wrapped_width"]) == (wanted or [*map(plain, lines)])


def test_a_plain_text_of_the_web_is_read_by_its_paragraphs() -> None:
    lines, wanted = TEXTS["a denial whose statement stands in the next line"]
    answer = read("\n".join(lines), content_type="text/plain", kind="text/plain")
    assert answer["text"].split("\n") == wanted


@pytest.mark.parametrize("around", ["{}", "<code>{}</code>", "<b>{}</b> ", "<span>{}</span>"])
def test_a_text_set_as_it_was_typed_is_read_by_its_paragraphs(around: str) -> None:
    lines, wanted = TEXTS["a denial whose statement stands in the next line"]
    for between in ("\n", "<br>"):
        answer = read(page(f"<pre>{around.format(between.join(lines))}</pre>"))
        assert answer["text"].split("\n")[1:] == wanted


def test_the_rows_of_a_table_that_was_typed_stay_apart() -> None:
    rows = ["plan        price", "basic       99 yuan", "enterprise  168 yuan", "student     free"]
    assert read(page("<pre>" + "\n".join(rows) + "</pre>"))["text"].split("\n")[1:] == [*map(plain, rows)]


@given(st.lists(st.text(alphabet="ab 。，中文.-\u3000", max_size=60), max_size=12))
def test_nothing_is_lost_and_nothing_is_added(lines: list[str]) -> None:
    found = unwrapped(lines, NUMBERS["full_line"], 20)
    bare = re.compile(r"[\s-]")
    assert bare.sub("", "".join(found)) == bare.sub("", "".join(map(plain, lines)))
    assert all(line == plain(line) and line for line in found)

"""Phrases, sentences and numbers of any text: nothing is invented, nothing breaks, and long texts take no longer."""

from __future__ import annotations

import time
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from rules.expr.functions.phrases import coverage, lines, phrases, remaining, sentences
from rules.expr.functions.quantities import contradicting, implying, quantities
from rules.folding import folded, folded_with_origins
from rules.values import ABSENT, Value

WORDS = st.text("ab1 上周末的，.。？!\nＡé", min_size=1, max_size=6)
TEXTS = st.text("ab1 上周末的，.。？!\nＡé元%", max_size=40)


@given(st.text("aB 中，。Ａ㎏é\u0301\u0308ﬁİß한\u1100\u1161\u11a8ｶﾞ\u200b\ufeff\n", max_size=12) | st.text(max_size=20))
def test_a_folded_text_is_the_same_with_and_without_its_origins(text: str) -> None:
    whole, origins = folded_with_origins(text)
    assert whole == folded(text)
    assert len(origins) == len(whole)
    assert origins == sorted(origins)
    assert not [origin for origin in origins if not 0 <= origin < len(text)]


@given(
    st.text("aB 中，。Ａé", max_size=12),
    st.integers(0, 12),
    st.sampled_from("\u200b\u200d\u00ad\u2060\ufeff\u202e\ufe0f"),
)
def test_what_nobody_sees_changes_nothing_that_is_found(text: str, at: int, mark: str) -> None:
    assert folded(text[:at] + mark + text[at:]) == folded(text)


def test_a_long_run_of_marks_takes_no_longer_than_other_text() -> None:
    started = time.monotonic()
    folded_with_origins("e" + "\u0315\u0301" * 250_000)
    assert time.monotonic() - started < 20  # composed at once it takes minutes


@given(TEXTS, st.lists(WORDS, max_size=5))
def test_a_phrase_stands_in_the_text_and_overlaps_no_other(text: str, patterns: list[str]) -> None:
    place = 0
    whole = folded(text)
    for one in phrases(text, patterns, ABSENT):
        found = whole.find(str(one["phrase"]), place)
        assert found >= place
        place = found + len(str(one["phrase"]))
        assert one["pattern"] in patterns


@given(TEXTS, st.lists(WORDS, max_size=5))
def test_what_remains_stands_in_the_text_and_holds_no_phrase(text: str, without: list[str]) -> None:
    left = remaining(text, without)
    assert len(left) == len(set(left))
    for piece in left:
        assert piece in text
        assert not [one for one in phrases(piece, without, ABSENT) if one["phrase"] == folded(piece)]


@given(TEXTS)
def test_sentences_and_lines_hold_every_letter_in_order(text: str) -> None:
    for parts in (sentences(text), lines(text)):
        assert "".join("".join(parts).split()) == "".join(text.split())
        assert all(part.strip() == part != "" for part in parts)


@given(TEXTS, st.lists(WORDS, max_size=4))
def test_coverage_is_a_share_of_a_hundred_and_a_text_covers_itself(text: str, words: list[str]) -> None:
    assert 0 <= coverage(text, words) <= 100
    assert coverage(text, [text]) in (0, 100)


@given(TEXTS, st.lists(st.sampled_from(["元", "%", "a", "$"]), max_size=3))
def test_a_quantity_stands_in_the_text_letter_for_letter(text: str, units: list[str]) -> None:
    for one in quantities(text, units):
        assert str(one["phrase"]) in text
        assert one["unit"] in units
        assert str(one["unit"]) in folded(str(one["phrase"]))


@given(
    st.integers(-(10**9), 10**9), st.sampled_from(["万", "million", ""]), st.sampled_from(["元", "USD", "dollars", ""])
)
def test_a_scale_multiplies_and_each_way_to_write_a_unit_has_one_name(number: int, scale: str, unit: str) -> None:
    scales: dict[str, Value] = {"万": 10_000, "million": 1_000_000}
    written = " ".join(part for part in (str(number), scale, unit) if part)
    found = quantities(f"共 {written} 。", ["元", "USD", "dollars"], scales, {"dollars": "usd"})
    if not scale and not unit:
        assert found == []
        return
    wanted = {"number": number * int(str(scales.get(scale, 1))), "unit": unit.lower().replace("dollars", "usd")}
    assert found == [{**wanted, "phrase": written, "least": wanted["number"], "most": wanted["number"]}]


WRITTEN = {
    "en": (",", "."),
    "de": (".", ","),
    "ch": ("'", "."),
    "fr": ("\u202f", ","),
    "blank": (" ", "."),
}


@given(st.integers(-(10**9), 10**9), st.integers(0, 99), st.sampled_from(sorted(WRITTEN)), st.booleans())
def test_an_amount_is_read_as_it_was_written(whole: int, cents: int, style: str, before: bool) -> None:
    thousands, point = WRITTEN[style]
    text = f"{whole:,}".replace(",", thousands) + f"{point}{cents:02d}"
    written = f"-EUR {text[1:]}" if before and whole < 0 else f"EUR {text}" if before else f"{text} EUR"
    (found,) = quantities(f"x {written} y", ["EUR"])
    assert found["number"] == Decimal(f"{whole}.{cents:02d}")
    assert found["phrase"] == written


SCALES: dict[str, Value] = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
ENGLISH = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
DIGITS = "零一二三四五六七八九"
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
WORDS_OF_NUMBERS: dict[str, Value] = {
    **{digit: value for value, digit in enumerate(DIGITS)},
    **{word: value for value, word in enumerate(ONES, 1)},
    **{word: value for value, word in zip(range(20, 100, 10), TENS, strict=True)},
    **{"十": 10, "and": 0},
}
WRITTEN_IN_WORDS: dict[str, Value] = {
    "words": WORDS_OF_NUMBERS,
    "before": {"近": {"least": None, "most": 1}},
    "behind": {"a": {"least": 1, "most": None}},
    "ranges": {"1": "", "近": "."},
    "changes": ["-"],
}


def in_chinese(number: int) -> str:
    for scale, word in ((10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十")):
        if number >= scale:
            rest = number % scale
            gap = "零" if 0 < rest < scale // 10 else ""
            return in_chinese(number // scale) + word + gap + (in_chinese(rest) if rest else "")
    return DIGITS[number]


def in_english(number: int) -> str:
    for word, scale in reversed(ENGLISH.items()):
        if number >= scale:
            rest = number % scale
            gap = " and " if 0 < rest < 100 else " "
            return f"{in_english(number // scale)} {word}" + (gap + in_english(rest) if rest else "")
    if number >= 20 and number % 10:
        return f"{TENS[number // 10 - 2]}-{ONES[number % 10 - 1]}"
    return TENS[number // 10 - 2] if number >= 20 else ONES[number - 1]


@given(st.integers(2, 10**11).filter(lambda number: "1" not in str(number)))
def test_a_number_in_words_is_that_in_digits(number: int) -> None:
    for written, scales in ((in_chinese(number), SCALES), (in_english(number), ENGLISH)):
        found = quantities(f"about {written} EUR.", ["EUR"], {**scales}, written={"words": WORDS_OF_NUMBERS})
        assert [(one["number"], one["phrase"]) for one in found] == [(number, f"{written} EUR")]


ENDS = st.one_of(st.none(), st.integers(-9, 9))


@given(st.tuples(ENDS, ENDS), st.tuples(ENDS, ENDS))
def test_a_quantity_that_says_another_one_does_not_contradict_it(
    one: tuple[Value, Value], other: tuple[Value, Value]
) -> None:
    first, second = (
        {"number": next((end for end in (least, most) if end is not None), 0), "unit": "", "least": least, "most": most}
        for least, most in (
            (min(ends) if None not in ends else ends[0], max(ends) if None not in ends else ends[1])
            for ends in (one, other)
        )
    )
    assert not (implying([first], second) and contradicting([first], second))
    assert bool(contradicting([first], second)) == bool(contradicting([second], first))
    assert implying([first], first) == [first]
    unlike = {**second, "unit": "b"}
    assert implying([{**first, "unit": "a"}], unlike) + contradicting([{**first, "unit": "a"}], unlike) == []


HOSTILE = [
    *("1-" * 25_000, "-1'" * 20_000, "1 " * 25_000, "1.111" * 10_000, "-" * 50_000, "1 111" * 10_000),
    *[
        "三百" * 25_000,
        "三 " * 25_000,
        "三到" * 25_000,
        "1" * 50_000,
        "1," * 25_000,
        "近" * 50_000,
        "a " * 25_000,
        "." * 50_000,
        "\n" * 50_000,
        "“" * 50_000,
    ],
]


def test_hostile_texts_take_time_by_their_length() -> None:
    patterns = ["近{n}天", "a b", "last {n} days", "近"]
    words = {"n": ["1", "11", "111", "三"]}
    started = time.process_time()
    for text in HOSTILE:
        phrases(text, patterns, words)
        sentences(text)
        quantities(text, ["元", "a", "$"])
        quantities(text[:10_000], ["元", "a", "$", ""], {"1": 10, "近": 100, ".": 2}, {"a": "$"}, WRITTEN_IN_WORDS)
        coverage(text, ["近三天", "1 2"])
        remaining(text, ["a", "近"])
    assert time.process_time() - started < 5

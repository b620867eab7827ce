"""How texts are folded and cut: the quick ways give what the definitions give, for any text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interpreter.adapters.notes.keyword import compared
from interpreter.adapters.search.words import composed, fold, folded_tokens, pattern, spans
from rules.folding import UNSEEN
from rules.words import RUN
from tests.draws import draws

MARKS = {sign: one for signs, one in (("‘’‛′", "'"), ("“”„″", '"'), ("‐‑‒–—−", "-")) for sign in signs}
#: Every kind of script and sign, surrogates with them, and many of those that a folding changes.
TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from("aZ0 ，。、“’—Ａ１ｶﾞ一龥㐀豈ﬃßİſK′″…\n\ud800\u0301\u200b\ufeff\u00ad"))
)


def folded(text: str) -> str:
    seen = [one for one in text if UNSEEN.match(one) is None]
    return "".join(unicodedata.normalize("NFKC", one).casefold() for one in seen)


def test_every_character_is_folded_as_it_is_defined() -> None:
    wrong = [code for code in range(0x30000) if fold(chr(code)) != folded(chr(code))]
    assert wrong[:5] == []


@given(TEXTS)
@settings(max_examples=draws(200), deadline=None)
def test_a_text_is_folded_character_by_character(text: str) -> None:
    assert fold(text) == (text.lower() if text.isascii() else folded(text))


@given(TEXTS)
@settings(max_examples=draws(200), deadline=None)
def test_signs_that_look_alike_are_compared_alike_and_no_half_character_is_left(text: str) -> None:
    text = text[:31]  # a longer run of marks is composed piece by piece
    whole = "".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in text)
    expected = "".join(MARKS.get(one, one) for one in folded(unicodedata.normalize("NFC", whole)))
    assert compared(text) == (text.lower() if text.isascii() else expected)


@given(TEXTS)
@example("数据治理 data治理a1 理")
@settings(max_examples=draws(200), deadline=None)
def test_a_run_of_ideographs_is_cut_into_pairs_and_its_last_character_and_a_word_stays_whole(text: str) -> None:
    expected: list[str] = []
    for paired, word in RUN.findall(text):
        expected += [word] if word else [paired[place : place + 2] for place in range(len(paired))]
    assert folded_tokens(text) == " ".join(expected)


@given(st.text(st.one_of(st.characters(exclude_categories=["Mn", "Mc", "Me"]), st.sampled_from("e\u0301a\u0308가"))))
@settings(max_examples=draws(200), deadline=None)
def test_a_text_without_a_long_run_of_marks_is_composed_as_a_whole(text: str) -> None:
    assert composed(text[:31]) == unicodedata.normalize("NFC", text[:31])


def test_a_run_of_marks_of_any_length_and_place_is_composed_in_pieces() -> None:
    for start in range(64):
        text = "a" * start + "\u0301\u0316" * 50_000
        assert len(composed(text)) >= 100_000


@pytest.mark.parametrize("text", ["bud\u200bget", "ﬁ bud\u00adget", "Ｂ\ufeffud\u2060get", "预\u200d算 budget"])
def test_a_word_with_something_unseen_in_it_is_found_at_its_place(text: str) -> None:
    wanted = pattern(["budget"])
    assert wanted is not None
    ((start, end),) = spans(text, wanted)
    assert UNSEEN.sub("", text[start:end]).replace("Ｂ", "b") == "budget"

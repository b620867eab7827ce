"""Texts cut into paragraphs, words and batches: nothing is changed, nothing is lost, no limit is broken."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from rules.expr.functions.lists import batches
from rules.expr.functions.search import terms
from rules.expr.functions.texts import paragraphs
from rules.folding import folded
from rules.values import ABSENT

TEXTS = st.text(st.sampled_from("ab 政策#\n\r\t\u2028\ufeff:："), max_size=200) | st.text(max_size=80)


@given(TEXTS)
@example("# :\r:")
@example("\ufeff# a\nb")
@example(":\ufeff \ufeff")
@example("".join(mark for mark in map(chr, range(0x110000)) if mark.isspace()) + "a")
@example("# a\n## b\nc\n# d")
def test_paragraphs_stand_letter_for_letter_in_order_and_leave_out_no_words(text: str) -> None:
    """Blanks are left out, and the marks of headings; a heading is what the text below it is called, or a text."""
    found = paragraphs(text)
    place = 0
    for one in found:
        assert seen(one["text"]) == one["text"] != ""
        place = text.index(one["text"], place) + len(one["text"])
    kept = Counter(line for one in found for line in map(seen, one["text"].splitlines()) if line)
    left_out = Counter(filter(None, map(seen, text.splitlines()))) - kept
    called = {one["heading"] for one in found}
    for line in left_out:
        assert line.startswith("#")
        assert line.lstrip("#").strip().rstrip("#").rstrip() in called


def seen(text: str) -> str:
    bare = text.strip().strip("\ufeff")
    return bare if bare == text else seen(bare)


@given(TEXTS)
def test_no_two_paragraphs_under_plain_headings_have_the_same_path(text: str) -> None:
    paths = [one["path"] for one in paragraphs(text)]
    assert len(paths) == len(set(paths))


@given(st.lists(st.text(max_size=20), max_size=30), st.integers(1, 30))
def test_batches_keep_every_entry_in_order_and_exceed_only_for_one_that_is_larger_alone(
    texts: list[str], limit: int
) -> None:
    found = batches(list(texts), limit, ABSENT)
    assert [text for batch in found for text in batch] == texts
    for batch in found:
        assert batch
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in batch)
        assert size <= limit or len(batch) == 1
    sizes = [[len(text.encode("utf-8", "surrogatepass")) for text in batch] for batch in found]
    assert all(sum(one) + after[0] > limit for one, after in pairwise(sizes))


@given(TEXTS)
def test_terms_stand_in_the_folded_text_each_once(text: str) -> None:
    found = terms(text)
    assert len(found) == len(set(found))
    assert all(term in folded(text) for term in found)

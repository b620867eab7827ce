"""How a text is cut into words where no blanks part them.

A run of letters and digits is one word. A run of Chinese, Japanese or Korean characters has no marks between its
words, so it is cut into overlapping pairs: `数据治理` becomes `数据 据治 治理`. Texts are folded before they come here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from rules.patterns import regex

PAIRED: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b"  # radicals, iteration marks, numerals
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3105-\u318f\u31a0-\u31bf"  # bopomofo, compatibility jamo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # ideographs
    "\ua000-\ua4cf\uac00-\ud7af"  # yi, hangul
)
LETTER: Final = rf"[^\W_{PAIRED}]"
#: A match is a run to be cut into pairs (group 1) or a whole word (group 2).
RUN: Final = regex(rf"([{PAIRED}]+)|({LETTER}+)")


def terms_of(folded: str) -> Iterator[str]:
    """Yield words and pairs in the order of the text; a single character between marks stands for itself."""
    for paired, word in RUN.findall(folded):
        if word or len(paired) == 1:
            yield word or paired
        else:
            yield from map("".join, pairwise(paired))

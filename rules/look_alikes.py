"""Words that are not written with the letters that they seem to be written with.

In `nоt` the second letter is Cyrillic: a reader sees "not", and who compares texts sees another word. Such words hold
letters of two alphabets, or stand in a text of Latin letters and are made of nothing but letters that look Latin.
Greek letters are signs as well (`TNFα`, `μm`, `kΩ`): they count where they could be nothing but a letter of the word.
Ideographs, kana and hangul look like no letter and stand beside all of them. Letters of one alphabet that look alike
(`l` and `I`), and digits (`0`), are not looked at.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from rules.patterns import regex

#: Alphabets with letters that look like Latin ones, in the words of Unicode's names.
_ALPHABETS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
#: All letters but Latin ones of these alphabets; most texts hold none.
_OTHER: Final = regex(
    r"[\u0370-\u03ff\u1f00-\u1fff\u0400-\u052f\u1c80-\u1c88\u2de0-\u2dff\ua640-\ua69f\u0531-\u0587"
    r"\u13a0-\u13fd\uab70-\uabbf\u2c80-\u2cf3\ua4d0-\ua4f7]"
)
_WORD: Final = regex(r"[^\W\d_]{2,}")
#: A Greek letter that nobody takes for a sign: omicron and the capitals that look Latin, or one inside a small word.
_GREEK_LETTER: Final = regex(r"[οϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ]|(?<=[a-z])[ανριυχτε](?=[a-z])")
#: Letters that look like Latin ones in most typefaces.
_LATIN_LOOK: Final = frozenset(
    "асеорхуіјѕһԁԛԝӏгАВЕКМНОРСТХУІЈЅԌԚԜӀοϲϳνριυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹհոսօցզՕՍԼꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓞꓟꓠꓡꓢꓣꓤꓥꓦꓧꓨꓩꓪꓫꓬꓭꓮꓯꓰꓱꓲꓳꓴ"
)


def mixed_words(text: str) -> list[str]:
    """Return the words of a text that are not what they look like, letter for letter, each once."""
    if _OTHER.search(text) is None:
        return []
    words = dict.fromkeys(_WORD.findall(text))
    spoken = {alphabet for word in words for alphabet in _plainly_written(word)}
    return [word for word in words if mixes_alphabets(word) or _only_looks_latin(word, spoken)]


def mixes_alphabets(word: str) -> bool:
    """Tell whether letters of one alphabet stand for letters of another in a word."""
    found = alphabets_of(word)
    if found == {"LATIN", "GREEK"}:
        return _GREEK_LETTER.search(unicodedata.normalize("NFKC", word)) is not None
    return len(found) > 1


def latin_looks(text: str) -> list[str]:
    """Return the letters of a text that look Latin and are of another alphabet, each once."""
    return [mark for mark in dict.fromkeys(text) if mark in _LATIN_LOOK]


def alphabets_of(word: str) -> set[str]:
    """Return the alphabets of a word's letters, as far as their letters look alike."""
    return {
        unicodedata.name(letter, "").partition(" ")[0] for letter in unicodedata.normalize("NFKC", word)
    } & _ALPHABETS


def _plainly_written(word: str) -> set[str]:
    """Return the alphabet of a word of one alphabet that holds a letter of no other look."""
    return alphabets_of(word) if not mixes_alphabets(word) and not _LATIN_LOOK.issuperset(word) else set()


def _only_looks_latin(word: str, spoken: set[str]) -> bool:
    """Tell whether all letters of a word look Latin and are not, in a text that is not written in their alphabet."""
    return _LATIN_LOOK.issuperset(word) and "LATIN" in spoken and not alphabets_of(word) & spoken

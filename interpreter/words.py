"""Texts in both languages, with holes that facts fill."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from unicodedata import normalize

from rules.look_alikes import latin_looks
from rules.patterns import regex
from rules.records import NamedTuple

#: Between a Chinese character and a Latin letter or digit.
_BESIDE = regex(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])")
_HOLE = regex(r"\{(\w+)\}")
#: So many names that are allowed are listed at most.
MOST_LISTED = 12


class Words(NamedTuple):
    """One text in both languages."""

    zh: str
    en: str

    def __getitem__(self, language: object) -> str:  # type: ignore[override]
        return self.zh if language in ("zh", 0) else self.en

    def filled(self, facts: Mapping[str, object]) -> Words:
        """Return both texts with each `{fact}` replaced by its value; an unknown hole stays as it is."""
        return Words(filled(self.zh, facts), filled(self.en, facts))

    def with_command(self, command: str) -> Words:
        """Return both texts with a command behind them that does what they say; an empty one is none."""
        return Words(f"{self.zh}：{command}", f"{self.en}: {command}") if command else self


def at_home(command: str, home: str) -> str:
    """Return a command as it is typed for the runs of a home, which are found by the words `home`; none stays none."""
    return f"{command} {home}" if command and home else command


def filled(text: str, facts: Mapping[str, object]) -> str:
    """Return a text with each `{fact}` replaced by its value; an unknown hole stays as it is."""
    return _HOLE.sub(lambda hole: str(facts.get(hole[1], hole[0])), text)


def holes_of(words: Words) -> set[str]:
    """Return the names of all holes."""
    return set(_HOLE.findall(words.zh + words.en))


def apart(text: str) -> str:
    """Return a Chinese text with a blank wherever a Latin word or number stands beside a Chinese character."""
    return _BESIDE.sub(" ", text)


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that somebody most likely meant, or None when none is near."""
    words = list(candidates)
    if not words:
        return None
    plain = normalize("NFKC", word).casefold()  # letters of full width are the same letters
    alike = [one for one in words if one.casefold() == plain]
    if alike and word not in words:
        return alike[0]
    from difflib import get_close_matches

    found = get_close_matches(word, words, n=1, cutoff=0.6)
    return found[0] if found else None


def no_latin(marks: Iterable[str]) -> Words:
    """Return what tells letters from the Latin ones that they look like, nothing for none."""
    listed = ", ".join(f"{mark} (U+{ord(mark):04X})" for mark in sorted(marks))
    return Words(f"{listed} 不是拉丁字母", f"{listed}: no Latin letter") if listed else Words("", "")


def did_you_mean(word: str, candidates: Iterable[str]) -> Words:
    """Return a hint: the nearest spelling where there is one, else the short list of what is allowed."""
    names = sorted(set(candidates))
    near = nearest(word, names)
    if near is not None:
        told = no_latin(set(latin_looks(word)) ^ set(latin_looks(near)))
        return Words(f"是不是想写 {near}？{told.zh}", f"did you mean {near}? {told.en}".rstrip())
    if not names:
        return Words("这里没有可以写的名称，删掉它", "there is none that may stand here: leave it out")
    shown = ", ".join(names[:MOST_LISTED]) + (", …" if len(names) > MOST_LISTED else "")
    return Words(f"可用的有：{shown}", f"allowed: {shown}")

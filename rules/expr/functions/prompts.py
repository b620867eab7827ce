"""Fences around text that a model shall read and not obey.

A fence is closed by the first digits of the SHA-256 of the text inside it, so that whoever writes the text cannot close
it: as many digits are taken as do not stand in the text or its name, twelve at least.
"""

from __future__ import annotations

import hashlib
from typing import Final

from rules.expr.operations import bounded_text
from rules.expr.signatures import Function, describe
from rules.values import canonical_json

_FEWEST_DIGITS: Final = 12


def fence(name: str, text: str) -> str:
    """Return a text between two marks, its name in quotes (JSON, on one line) after the first of them."""
    digits = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    length = _FEWEST_DIGITS
    while length < len(digits) and (digits[:length] in text or digits[:length] in name):
        length += 1
    mark = digits[:length]
    return bounded_text(f"<<<{mark} {canonical_json(name)}\n{text}\n{mark}>>>")


PROMPTS: Final[tuple[Function, ...]] = (
    describe(
        "fence(name: text, text: text) -> text",
        fence,
        "把一段资料围起来：首尾的编号取自这段文本的哈希，文本自己无法写出结尾",
        "a text between marks taken from its own hash, which the text itself cannot close",
        "fence('a', 'tea') -> '<<<a9f74d1ec36e \"a\"\\ntea\\na9f74d1ec36e>>>'",
    ),
)

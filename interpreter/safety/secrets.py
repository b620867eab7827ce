"""Secrets in what others say: found whole, in part, and however it is written.

Services repeat keys in error texts, often only their beginning or their end. A secret is found too as JSON, an address
or a sign-in writes it: with signs escaped (also more than once), or in base64, alone or in a longer text. What a
service makes of it otherwise, such as a hash, is not found.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cached_property
from re import Pattern, escape
from typing import Any
from urllib.parse import quote

from interpreter.safety.masking import MASK
from rules.patterns import regex

#: So many characters of a secret in a row give it away; fewer stand in too many words.
_TELLING = 6
#: A shorter piece of base64 stands in too many texts.
_LEAST_OF_BASE64 = 8
_RUNS = regex(r"\\+|.")
#: Only with these a sign is written otherwise.
_ESCAPES = ("\\", "%")


class Secrets:
    """Finds secrets, and parts of them, in what others say. Shapes: `values` are the secrets as they are sent."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = tuple(value for value in values if len(value) > 2)
        forms = {form for value in self._values for form in _forms(value)}
        self._whole = sorted(forms, key=len, reverse=True)
        self._parts = {
            form[at : at + _TELLING] for form in forms for at in range(len(form) - _TELLING + 1)
        }  # fmt: skip

    def __bool__(self) -> bool:
        return bool(self._whole)

    def masked(self, text: str) -> str:
        """Return a text without any telling part of a secret; for messages, which are short."""
        if not self._whole:
            return text
        text = self.without(text)
        covered = [False] * len(text)
        for at in range(len(text) - _TELLING + 1):
            if text[at : at + _TELLING] in self._parts:
                covered[at : at + _TELLING] = [True] * _TELLING
        made: list[str] = []
        for at, mark in enumerate(text):
            if not covered[at]:
                made.append(mark)
            elif at == 0 or not covered[at - 1]:
                made.append(MASK)
        return "".join(made)

    def without(self, text: str) -> str:
        """Return a text without any whole secret; for answers, which are long."""
        for form in self._whole:
            if form in text:
                text = text.replace(form, MASK)
        if self._whole and any(sign in text for sign in _ESCAPES):
            text = self._escaped.sub(MASK, text)
        return text

    @cached_property
    def _escaped(self) -> Pattern[str]:
        return regex("|".join(map(_in_any_writing, sorted(self._values, key=len, reverse=True))))

    def cleared(self, value: Any) -> Any:
        """Return a JSON value whose texts and names hold no whole secret; the value itself where none does."""
        if not self._whole:
            return value
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, list):
            return [self.cleared(entry) for entry in value]
        if isinstance(value, dict):
            return {self.without(name): self.cleared(entry) for name, entry in value.items()}
        return value


def _forms(value: str) -> Iterable[str]:
    """Yield a secret as it is, and as addresses and sign-ins write it."""
    yield value
    yield quote(value, safe="")
    yield b64encode(value.encode()).decode()
    for before in range(3):
        # What of it stands the same in base64, whatever comes before and after it.
        data = b"\0" * before + value.encode()
        part = b64encode(data).decode()[-(-before * 8 // 6) : len(data) * 8 // 6]
        if len(part) >= _LEAST_OF_BASE64:
            yield part
            yield part.replace("+", "-").replace("/", "_")


def _in_any_writing(value: str) -> str:
    """Return the pattern of a secret whose signs may be escaped as in JSON or in an address, also several times."""
    return "".join(_run(found[0]) for found in _RUNS.finditer(value))


def _run(signs: str) -> str:
    """Return the pattern of a sign, or of several `\\`; nothing of it is tried twice."""
    code = f"{ord(signs[0]):02x}"
    if not signs[0].isascii():
        return _run_of_others(signs[0])
    if signs[0] == "\\":
        return rf"(?:\\(?:u(?i:00{code}))?|%(?:25){{0,4}}(?i:{code})){{{len(signs)},{8 * len(signs)}}}+"
    return rf"(?:\\{{0,8}}+(?:{escape(signs)}|u(?i:00{code}))|%(?:25){{0,4}}(?i:{code}))"


def _run_of_others(sign: str) -> str:
    """Return the pattern of a sign that is not ASCII: JSON escapes its halves, an address its bytes."""
    units = sign.encode("utf-16-be")
    halves = r"\\{1,8}+".join(f"u(?i:{units[at : at + 2].hex()})" for at in range(0, len(units), 2))
    octets = "".join(f"%(?:25){{0,4}}(?i:{octet:02x})" for octet in sign.encode())
    return rf"(?:\\{{0,8}}+(?:{escape(sign)}|{halves})|{octets})"

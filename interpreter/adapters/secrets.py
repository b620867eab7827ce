"""Secrets of a profile: named there, read from the environment when an adapter is opened, told nobody.

A profile holds names of environment variables only. Whatever a service says goes through `Secrets.masked` before it is
recorded or shown: services repeat keys in error texts, often only their beginning or their end.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from interpreter.masking import MASK
from rules.patterns import regex

VARIABLE = regex(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_SECRET = regex(r"[!-~]{1,4000}")
#: So many characters of a secret in a row give it away; fewer stand in too many words.
_TELLING = 6

Problem = tuple[str, dict[str, Any]]


def read_secret(name: str, environment: Mapping[str, str]) -> tuple[str | None, list[Problem]]:
    """Return what an environment variable holds; a problem names the variable and never what is in it."""
    secret = environment.get(name, "").strip()
    if not secret:
        return None, [("tool/key-missing", {"name": name})]
    if not _SECRET.fullmatch(secret):
        return None, [("tool/key-unfit", {"name": name})]
    return secret, []


class Secrets:
    """Finds secrets, and parts of them, in what others say. Shapes: `values` are the secrets as they are sent."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values if value for form in _forms(value)}
        self._whole = sorted((form for form in forms if len(form) > 2), key=len, reverse=True)
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
        return text

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

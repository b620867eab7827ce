"""Secrets of a profile: named there, read from the environment when an adapter is opened, told nobody.

A profile holds names of environment variables only. Whatever a service says goes through `safety.secrets` before it is
recorded or shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interpreter.adapters.settings import Problem
from rules.patterns import regex

#: What a header can carry, and what a program can be given.
_SENT = regex(r"[!-~]{1,4000}")
_GIVEN = regex(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,4000}")


def read_secrets(
    names: Iterable[str], environment: Mapping[str, str], *, is_sent: bool = True
) -> tuple[dict[str, str], list[Problem]]:
    """Return what environment variables hold, by their names; a problem names the variable and never what is in it.

    Shapes: with `is_sent` a secret has to fit into a header; else it is a password of any language, on one line.
    """
    fits = (_SENT if is_sent else _GIVEN).fullmatch
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for name in names:
        secret = environment.get(name, "").strip()
        if not secret:
            problems.append(("tool/key-missing", {"name": name}))
        elif not fits(secret):
            problems.append(("tool/key-unfit", {"name": name}))
        else:
            values[name] = secret
    return values, problems


def sign_in(
    values: Mapping[str, str], bearer_from: str | None, secret_headers: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return the headers that sign a request in. Shapes: `values` are secrets by the names of their variables."""
    signed = [(name, values[variable]) for name, variable in secret_headers.items()]
    if bearer_from is not None:
        signed.append(("authorization", f"Bearer {values[bearer_from]}"))
    return signed

"""What the public suffix list knows, handed to `rules`, which reads no files.

The list is some 10,000 lines, which take as long to take apart as everything else of a short run. A host is only ever
compared with the lines under its own top level, so the lines are sorted by that, and taken apart when one is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any


def registrable_domain(host: str) -> str | None:
    """Return the part of a host that somebody can register, None for a public suffix and for what lies above one.

    Shapes: `host` in ASCII, as `rules.addresses` gives it. Private suffixes (`github.io`) count as suffixes: what is
    below them belongs to different people.
    """
    found: str | None = _suffixes(host.rstrip(".").rpartition(".")[2].lower()).privatesuffix(host)
    return found


@cache
def _suffixes(top: str) -> Any:
    """Return the part of the list that stands under one top level."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(_lines().get(_as_listed(top), ()))


def _as_listed(top: str) -> str:
    """Return a top level as the list writes it, in its own script."""
    if not top.startswith("xn--"):
        return top
    try:
        return top.encode("ascii").decode("idna")
    except UnicodeError:
        return top


@cache
def _lines() -> Mapping[str, Sequence[str]]:
    """Return the entries of the list by their last label."""
    from publicsuffixlist import PSLFILE

    found: dict[str, list[str]] = {}
    with open(PSLFILE, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith(("//", "\n")):
                entry = line.split(maxsplit=1)[0]
                found.setdefault(entry.rpartition(".")[2], []).append(entry)
    return found

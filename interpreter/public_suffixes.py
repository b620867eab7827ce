"""What the public suffix list knows, handed to `rules`, which reads no files.

The list is some 10,000 lines and takes as long to read as everything else of a short run, so it is read when the first
rule asks for a registrable domain.
"""

from __future__ import annotations

from functools import cache
from typing import Any


def registrable_domain(host: str) -> str | None:
    """Return the part of a host that somebody can register, None for a public suffix and for what lies above one.

    Shapes: `host` in ASCII, as `rules.addresses` gives it. Private suffixes (`github.io`) count as suffixes: what is
            below them belongs to different people.
    """
    found: str | None = _suffixes().privatesuffix(host)
    return found


@cache
def _suffixes() -> Any:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()

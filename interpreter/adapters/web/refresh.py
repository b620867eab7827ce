"""Pages that send their reader on: `meta http-equiv=refresh` and the header, read as browsers read them.

Source: HTML, "shared declarative refresh steps".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from rules.patterns import regex
from rules.records import NamedTuple

if TYPE_CHECKING:
    from interpreter.adapters.web.tree import Element

_WRITTEN = regex(
    r"\s*(?=[0-9.])(?P<seconds>[0-9]*)[0-9.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?P<quote>['\"]?)(?P<target>.*)",
    re.IGNORECASE | re.DOTALL,
)
_MOST_DIGITS = 6


class Refresh(NamedTuple):
    """Units: seconds until the reader is sent on. `for_no_scripts` where only a reader without scripts is."""

    seconds: int
    target: str
    for_no_scripts: bool = False


def refresh_of(tree: Element, address: str) -> Refresh | None:
    """Return where a page sends its reader, None where nowhere else; what holds for every reader comes first."""
    found = []
    for element in tree.iter("meta"):
        if (element.get("http-equiv") or "").strip().lower() == "refresh":
            one = read_refresh(element.get("content") or "", address)
            if one is not None:
                found.append(one._replace(for_no_scripts=next(element.iterancestors("noscript"), None) is not None))
    return next((one for one in found if not one.for_no_scripts), found[0] if found else None)


def read_refresh(text: str, address: str) -> Refresh | None:
    """Return what a header or an element says, None where it leads nowhere or to the page itself."""
    written = _WRITTEN.match(text)
    if written is None:
        return None
    target = written["target"]
    target = (target.partition(written["quote"])[0] if written["quote"] else target).strip()
    try:
        target = urljoin(address, target)
    except ValueError:  # no address
        return None
    if target.partition("#")[0] == address.partition("#")[0] or target.lower().startswith("javascript:"):
        return None
    return Refresh(int(written["seconds"][:_MOST_DIGITS] or "0"), target)

"""Which hosts belong together: the registrable domain, by the list of public suffixes."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


def site_of(host: str) -> str | None:
    """Return the registrable domain of a host, None where it has none."""
    try:
        ip_address(host)
    except ValueError:
        found = _suffixes().privatesuffix(host)
        return str(found) if found else None
    return None


def is_same_site(one: str, other: str) -> bool:
    """Whether two hosts have the same registrable domain; without one, whether they are the same host."""
    return one == other or (site_of(one) is not None and site_of(one) == site_of(other))

"""Registrable domains: the lines under one top level answer as the whole list does."""

from __future__ import annotations

import pytest
from publicsuffixlist import PSLFILE, PublicSuffixList

from interpreter.documents.public_suffixes import registrable_domain

_WHOLE = PublicSuffixList()
with open(PSLFILE, encoding="utf-8") as _lines:
    #: Every seventh line: exceptions, wildcards and other scripts are among them.
    _ENTRIES = [line.split()[0] for line in _lines if line.strip() and not line.startswith("//")][::7]


def test_every_suffix_is_what_the_whole_list_says() -> None:
    for entry in _ENTRIES:
        suffix = entry.lstrip("!").removeprefix("*.").encode("idna").decode("ascii")
        for host in (suffix, f"a.{suffix}", f"b.a.{suffix}", f"c.b.a.{suffix}"):
            assert registrable_domain(host) == _WHOLE.privatesuffix(host)


@pytest.mark.parametrize(
    "host", ["", ".", "..", "com", "com.", "a.com.", "A.CO.UK", "a..b", "1.2.3.4", "x.no-such-top", "xn--", "a.xn--zzz"]
)
def test_the_domain_of_an_odd_host_is_that_of_the_whole_list(host: str) -> None:
    assert registrable_domain(host) == _WHOLE.privatesuffix(host)

"""Web addresses, read strictly: one parser decides which host an address belongs to, and refuses what is in doubt.

Who compares texts of addresses lets `notgov.cn`, `gov.cn.example.com` and `www.gov.cn@evil.example` pass as `gov.cn`.
Here the host comes out as labels in ASCII (IDNA), small letters, without a closing dot, and is compared label by
label. Refused, so that nothing matches: other schemes than http and https, user information, backslashes, blanks and
control characters, an empty or over-long label, a port that is none, labels that mix Latin letters with look-alikes
of another script, and encodings that hide any of this. An address with a number for a host has a host and no domain.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from rules.look_alikes import alphabets_of
from rules.patterns import regex
from rules.records import NamedTuple

RegistrableDomain = Callable[[str], str | None]
"""What the public suffix list knows: host in ASCII to registrable domain, None for a bare public suffix."""

_DOTS = "\u3002\uff0e\uff61"
"""Full stops of other scripts, which browsers take for dots."""
_ADDRESS = regex(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>[^?#]*)")
_BAD = regex(r"[\x00-\x20\x7f-\xa0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\\]")
_HOST = regex(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::(?P<port>[0-9]{0,5}))?")
_LABEL = regex(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_DIGITS = regex(r"[0-9]+|0x[0-9a-f]*")
_SCHEMES = frozenset({"http", "https"})
_LONGEST_HOST = 253


class Address(NamedTuple):
    """An address that is beyond doubt.

    Shapes: `host` in small ASCII letters, an IPv6 address in brackets; `is_number` tells a numeric host; `path` is
    decoded once, without `.` and `..`, and begins with a slash.
    """

    host: str
    is_number: bool
    path: str

    @property
    def labels(self) -> list[str]:
        return [] if self.is_number else self.host.split(".")


def read_address(text: object) -> Address | None:
    """Return what an address says, or None where there is a doubt about it; without a scheme it counts as https."""
    if not isinstance(text, str):
        return None
    text = text.strip(" ")
    written = _ADDRESS.match(text if "://" in text else f"https://{text}")
    if written is None or _BAD.search(text) or written["scheme"].lower() not in _SCHEMES:
        return None
    authority = _HOST.fullmatch(written["authority"])
    if authority is None or "@" in written["authority"] or "%" in written["authority"]:
        return None
    port = authority["port"]
    if port is not None and port != "" and not 0 < int(port) < 65536:
        return None
    path = _plain_path(written["rest"])
    if authority["host"].startswith("["):
        return Address(authority["host"].lower(), True, path)
    host = ascii_host(authority["host"])
    if host is None:
        return None
    return Address(host, _DIGITS.fullmatch(host.rpartition(".")[2]) is not None, path)


def ascii_host(host: str) -> str | None:
    """Return a host as its labels stand in the name system, or None for what cannot stand there."""
    for dot in _DOTS:
        host = host.replace(dot, ".")
    labels = host.removesuffix(".").split(".")
    ascii_labels = [_ascii_label(label) for label in labels]
    if any(label is None for label in ascii_labels):
        return None
    joined = ".".join(label for label in ascii_labels if label is not None)
    return joined if len(joined) <= _LONGEST_HOST else None


def is_below(host: str, entry: str) -> bool:
    """Tell whether a host is an entry itself or stands below it, whole labels only."""
    return host == entry or host.endswith(f".{entry}")


def _ascii_label(label: str) -> str | None:
    if label.isascii():
        small = label.lower()
        return small if _LABEL.fullmatch(small) and not _stands_for_a_mix(small) else None
    # NFKC first, as browsers do: full-width letters are plain letters there.
    small = unicodedata.normalize("NFKC", label).lower()
    if small.isascii():
        return small if _LABEL.fullmatch(small) else None
    if _mixes_scripts(small):
        return None
    try:
        encoded = "xn--" + small.encode("punycode").decode("ascii")
    except UnicodeError:
        return None
    return encoded if _LABEL.fullmatch(encoded) else None


def _mixes_scripts(label: str) -> bool:
    return len(alphabets_of(label)) > 1


def _stands_for_a_mix(label: str) -> bool:
    """Tell whether a label in its ASCII form stands for one that mixes scripts."""
    if not label.startswith("xn--"):
        return False
    try:
        return _mixes_scripts(label[4:].encode("ascii").decode("punycode"))
    except (UnicodeError, OverflowError):
        return False


def _plain_path(path: str) -> str:
    from urllib.parse import unquote

    parts: list[str] = []
    for part in unquote(path).split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)

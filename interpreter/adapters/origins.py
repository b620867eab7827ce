"""Where an address leads, read without trusting it: a redirect may name a host that no library can take.

HTTP clients look at every `Location`, also where they do not follow it, and decode names of hosts (`xn--…`) in ways
that fail and that take long. So it is taken away from them before, and read here: text is compared, nothing decoded.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any
from urllib.parse import urljoin, urlsplit

from rules.patterns import regex

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443}
#: No address is longer. Units: characters.
_LONGEST = 8000
#: As the system of names has it, and as some services of one network call themselves.
_LABEL = regex(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_LONGEST_HOST = 253
_KEPT = "workflow_interpreter_location"

Origin = tuple[str, str, int | None]


def origin_of(address: str) -> Origin | None:
    """Return scheme, host and port of an address, None where it is none, or holds an account."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or "@" in parts.netloc or "\\" in address or port == 0:
        return None
    if ("[" in parts.netloc) != (":" in parts.hostname):
        return None
    return parts.scheme, parts.hostname, port or _PORTS.get(parts.scheme)


def is_host(host: str) -> bool:
    """Say whether a host is an address, or a name that every client can take: other letters are coded rightly."""
    try:
        return bool(ip_address(host))
    except ValueError:
        pass
    labels = host.removesuffix(".").split(".")
    is_plain = len(host) <= _LONGEST_HOST and all(map(_LABEL.fullmatch, labels)) and not labels[-1].isdigit()
    return is_plain and all(map(_is_coded_rightly, labels))


def _is_coded_rightly(label: str) -> bool:
    if not label.startswith("xn--"):
        return True
    from importlib.util import find_spec

    if find_spec("idna") is None:
        return True  # nothing can be contacted either
    import idna

    try:
        return bool(idna.decode(label))
    except (ValueError, IndexError):
        return False


def led_to(address: str, location: str) -> str | None:
    """Return the target, path and query, to which a redirect leads on the origin of an address; None for elsewhere."""
    if len(location) > _LONGEST:
        return None
    try:
        whole = urljoin(address, location)
        parts = urlsplit(whole)
    except ValueError:
        return None
    origin = origin_of(whole)
    if origin is None or origin != origin_of(address):
        return None
    path = parts.path or "/"
    return f"{path}?{parts.query}" if parts.query else path


async def take_location(response: Any) -> None:
    """Take the `Location` of a redirect away from the client; `location_of` gives it. Shapes: a hook of `httpx`."""
    if response.status_code in REDIRECTS and "location" in response.headers:
        response.extensions[_KEPT] = response.headers.pop("location")


def location_of(response: Any) -> str | None:
    """Return where a redirect leads, None for an answer that is none."""
    found = response.extensions.get(_KEPT)
    return found if isinstance(found, str) else None


def host_in(address: str, location: str) -> str:
    """Return scheme and host of where a redirect leads, for a message; '' where they cannot be read."""
    try:
        parts = urlsplit(urljoin(address, location[:_LONGEST]))
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.hostname or ''}"

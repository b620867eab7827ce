"""Which addresses may be read: one strict reading of an address, and the networks that are not the public one.

The address is taken apart once, here, and everything later (the name that is looked up, the Host header, the
connection) is made from these parts, so that no second reader can see another host in it. What is odd is refused, not
mended.

Of IPv6 only global unicast is let through, and the parts of it that lead elsewhere (6to4, Teredo, documentation) are
taken out again; so mapped, translated and local forms need no list. `ipaddress.is_private` and `is_global` are not
asked: they let 100.100.100.200, NAT64 and 6to4 through.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import quote

from rules.addresses import ascii_host
from rules.patterns import regex
from rules.records import NamedTuple

Address = IPv4Address | IPv6Address

LONGEST = 4096
_PORTS = {"http": 80, "https": 443}
_BEGIN = regex(r"([a-zA-Z][a-zA-Z0-9+.\-]*):(//)?([^/?#]*)([^#]*)")
#: Nowhere in an address: control and invisible characters, and backslashes, which some readers take for slashes.
_FORBIDDEN = regex(r"[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\\]")
#: Halves of pairs, which are no characters.
_HALF = regex(r"[\ud800-\udfff]")
_NUMBER = regex(r"0[xX][0-9a-fA-F]*|[0-9]+")
#: Below 1024 other services live; text sent to their ports may mean something to them.
_FIRST_FREE_PORT = 1024

#: Networks that are not the public one, each with the word for it in `REASONS`.
_NOT_PUBLIC_4: Final = tuple(
    (IPv4Network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "this_network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud"),
        ("169.254.0.0/16", "link_local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_PUBLIC_6: Final = IPv6Network("2000::/3")
_NOT_PUBLIC_6: Final = tuple(
    (IPv6Network(network), reason)
    for network, reason in (
        ("::/128", "this_network"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "mapped"),
        ("::ffff:0:0:0/96", "translated"),
        ("64:ff9b::/96", "translated"),
        ("64:ff9b:1::/48", "translated"),
        ("2001::/32", "teredo"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link_local"),
        ("ff00::/8", "multicast"),
    )
)
#: Names that never stand for a host of the public network, with all names below them (RFC 6761, RFC 6762, RFC 8375).
_LOCAL_NAMES: Final = ("localhost", "local", "internal", "intranet", "lan", "home.arpa", "localdomain", "onion")

REASONS: Final[dict[str, tuple[str, str]]] = {
    "empty": ("地址是空的", "the address is empty"),
    "too_long": ("地址太长", "the address is too long"),
    "not_an_address": ("这不是完整的网址", "this is no complete web address"),
    "scheme": ("只读取 http 和 https 地址", "only http and https addresses are read"),
    "odd_characters": (
        "地址里有控制字符、看不见的字符或反斜线",
        "the address holds control or invisible characters, or backslashes",
    ),
    "user_part": ("地址里有用户名或 @", "the address holds a user name or an @"),
    "host": ("主机名不合规范", "the host is not well formed"),
    "number_host": ("主机是无法辨认的数字", "the host is a number that means no address"),
    "port": ("不访问这个端口", "this port is not used for pages"),
    "local_name": ("这是本机或内网的名称", "this is a name of this machine or a local network"),
    "this_network": ("指向本机", "it leads to this machine"),
    "loopback": ("指向本机", "it leads to this machine"),
    "private": ("指向内网", "it leads to a private network"),
    "link_local": ("指向本地链路", "it leads to the local link"),
    "shared": ("指向运营商或云内部的共享网段", "it leads to the shared address space of a provider"),
    "cloud": ("指向云平台内部的服务", "it leads to an inner service of a cloud"),
    "reserved": ("指向保留网段", "it leads to a reserved network"),
    "documentation": ("指向文档示例网段", "it leads to a network for documentation"),
    "benchmarking": ("指向测试网段", "it leads to a network for benchmarks"),
    "multicast": ("指向组播网段", "it leads to a multicast network"),
    "6to4": ("指向 6to4 过渡网段", "it leads to a 6to4 network"),
    "teredo": ("指向 Teredo 过渡网段", "it leads to a Teredo network"),
    "mapped": ("是映射的 IPv4 地址", "it is a mapped IPv4 address"),
    "translated": ("是经过转换的地址", "it is a translated address"),
    "not_global": ("不是公网地址", "it is no address of the public network"),
}


class Refused(Exception):
    """An address that is not read; `reason` is a key of `REASONS`, `found` what it led to."""

    def __init__(self, reason: str, found: str = "") -> None:
        self.reason = reason
        self.found = found
        super().__init__(reason, found)


class Target(NamedTuple):
    """An address taken apart. Shapes: `host` in ASCII and small letters; `path` begins with / and holds the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Return host and port as the Host header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        return f"{self.origin}{self.path}"


def read_address(text: str) -> Target:
    """Take an address apart.

    Errors: Refused.
    """
    text = text.strip(" \t\r\n\u3000")
    if not text:
        raise Refused("empty")
    if len(text) > LONGEST:
        raise Refused("too_long")
    if _FORBIDDEN.search(text) is not None or _HALF.search(text) is not None:
        raise Refused("odd_characters")
    found = _BEGIN.match(text)
    if found is None:
        raise Refused("not_an_address")
    scheme = found[1].lower()
    if scheme not in _PORTS:
        raise Refused("scheme", scheme)
    if found[2] is None or not found[3]:
        raise Refused("not_an_address")
    host, port = _host_and_port(found[3])
    return Target(scheme, host, _port(port, scheme), _path(found[4]))


def _host_and_port(authority: str) -> tuple[str, str]:
    if "@" in authority:
        raise Refused("user_part")
    if authority.startswith("["):
        inside, bracket, port = authority[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            raise Refused("host", authority)
        return _bracketed(inside), port[1:]
    host, _, port = authority.partition(":")
    return _host(host), port


def _bracketed(text: str) -> str:
    if "%" in text:
        raise Refused("host", text)
    try:
        return str(IPv6Address(text))
    except ValueError:
        raise Refused("host", text) from None


def _host(text: str) -> str:
    """Return a host as it is looked up: a name in ASCII without a closing point, or a plain IPv4 address."""
    host = ascii_host(text)
    if host is None:
        raise Refused("host", text)
    if _NUMBER.fullmatch(host.rpartition(".")[2]) is not None:
        return _number_host(host)
    return host


def _number_host(host: str) -> str:
    """Return the IPv4 address that a host of numbers means to a browser: `0x7f.1`, `2130706433`, `0177.0.0.1`."""
    parts = host.split(".")
    if len(parts) > 4:
        raise Refused("number_host", host)
    numbers = [_number(part, host) for part in parts]
    *first, last = numbers
    if any(number > 255 for number in first) or last >= 256 ** (5 - len(numbers)):
        raise Refused("number_host", host)
    value = last + sum(number * 256 ** (3 - place) for place, number in enumerate(first))
    return str(IPv4Address(value))


def _number(part: str, host: str) -> int:
    if _NUMBER.fullmatch(part) is None:
        raise Refused("number_host", host)
    try:
        if part[:2] in ("0x", "0X"):
            return int(part[2:] or "0", 16)
        return int(part, 8 if len(part) > 1 and part[0] == "0" else 10)
    except ValueError:
        raise Refused("number_host", host) from None


def _port(text: str, scheme: str) -> int:
    if not text:
        return _PORTS[scheme]
    if not (text.isascii() and text.isdigit() and len(text) <= 5):
        raise Refused("port", text)
    port = int(text)
    if port > 65535 or (port < _FIRST_FREE_PORT and port not in _PORTS.values()):
        raise Refused("port", text)
    return port


def _path(text: str) -> str:
    quoted = quote(text, safe="%/:=&?~#+!$,;'@()*[]-._")
    return quoted if quoted.startswith("/") else f"/{quoted}"


# --- what an address leads to --------------------------------------------------------------------------------------


def why_not_public(address: Address) -> str | None:
    """Return why an address is not of the public network, None where it is."""
    if isinstance(address, IPv4Address):
        return next((reason for network, reason in _NOT_PUBLIC_4 if address in network), None)
    found = next((reason for network, reason in _NOT_PUBLIC_6 if address in network), None)
    return found or (None if address in _PUBLIC_6 else "not_global")


class OwnAddresses:
    """Addresses that a person's settings allow although they are not public: `host`, `host:port`, `10.1.0.0/16`.

    Errors: ValueError with the entry that cannot be read.
    """

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._hosts: set[tuple[str, int | None]] = set()
        self._networks: list[IPv4Network | IPv6Network] = []
        for entry in entries:
            self._add(entry.strip())

    def _add(self, entry: str) -> None:
        if "/" in entry:
            self._networks.append(ip_network(entry))
            return
        try:
            host, port = _host_and_port(f"[{entry}]" if entry.count(":") > 1 and entry[0] != "[" else entry)
            self._hosts.add((host, _port(port, "http") if port else None))
        except Refused:
            raise ValueError(entry) from None

    def names(self, target: Target) -> bool:
        """Whether the host was named, whatever it leads to."""
        return (target.host, None) in self._hosts or (target.host, target.port) in self._hosts

    def holds(self, address: Address) -> bool:
        return any(address in network for network in self._networks if network.version == address.version)


def check_name(target: Target, own: OwnAddresses) -> None:
    """Refuse what need not even be looked up.

    Errors: Refused.
    """
    if own.names(target):
        return
    literal = literal_address(target)
    if literal is not None:
        check_addresses(target, [str(literal)], own)
        return
    is_local = any(target.host == name or target.host.endswith(f".{name}") for name in _LOCAL_NAMES)
    if is_local or "." not in target.host:
        raise Refused("local_name", target.host)


def literal_address(target: Target) -> Address | None:
    try:
        return ip_address(target.host)
    except ValueError:
        return None


def check_addresses(target: Target, found: Sequence[str], own: OwnAddresses) -> list[str]:
    """Return the addresses of a host in plain form; a single one that is not public refuses the host.

    Errors: Refused.
    """
    plain = []
    for text in found:
        try:
            address = ip_address(text)
        except ValueError:
            raise Refused("not_global", text) from None  # with a zone, or no address at all
        if isinstance(address, IPv6Address) and address.scope_id is not None:
            raise Refused("link_local", text)
        reason = None if own.names(target) or own.holds(address) else why_not_public(address)
        if reason is not None:
            raise Refused(reason, text)
        plain.append(str(address))
    return plain

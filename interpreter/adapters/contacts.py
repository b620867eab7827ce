"""Addresses of services as a profile names them, and what a person is told of whom an adapter contacts."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from interpreter.adapters.origins import is_host, origin_of
from interpreter.adapters.settings import Setting
from interpreter.diagnostics import Words
from rules.patterns import regex

_MARKED = regex(r"[\x00-\x20\x7f\\]")


def plain_address(value: Any) -> str | None:
    """Return an address without a slash at its end, None where it is not a plain one."""
    if not isinstance(value, str) or not value.isascii() or _MARKED.search(value) or "?" in value or "#" in value:
        return None
    origin = origin_of(value)
    if origin is None or origin[0] not in ("http", "https") or not is_host(origin[1]):
        return None
    if any(part in (".", "..") for part in urlsplit(value).path.split("/")):
        return None
    return value.rstrip("/")


ADDRESS = Setting(
    plain_address,
    Words(
        "http:// 或 https:// 开头的地址，不带账号、? 和 #",
        "an address that begins with http:// or https://, without user, ? and #",
    ),
)


def contact(address: str, about: Sequence[Words], environment_proxies: bool) -> Words:
    """Return in a few words what is contacted at an address, and what else is to be known about it."""
    parts = list(about)
    if environment_proxies:
        parts.append(Words("经环境变量里的代理", "through the proxies of the environment"))
    if address.startswith("http://") and not is_this_machine(address):
        parts.append(Words("不加密", "not encrypted"))
    if not parts:
        return Words(address, address)
    zh, en = "，".join(part.zh for part in parts), ", ".join(part.en for part in parts)
    return Words(f"{address}（{zh}）", f"{address} ({en})")


def credentials_from(variables: Sequence[str]) -> list[Words]:
    """Return where credentials come from, nothing where there are none."""
    names = ", ".join(variables)
    words = Words(f"凭据取自环境变量 {names}", f"credentials from the environment variables {names}")
    return [words] if names else []


def is_this_machine(address: str) -> bool:
    """Say whether an address leads to this machine by its own words."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

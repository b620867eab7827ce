"""What a profile sets for the web, read once when it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.children import Limits
from interpreter.adapters.children.limits import limits_of
from interpreter.adapters.python_settings import PYTHON_SETTINGS
from interpreter.adapters.web.addresses import OwnAddresses
from interpreter.adapters.web.failures import failure
from interpreter.diagnostics import Words
from rules.records import NamedTuple

AGENT = "workflow-interpreter"
_MEGABYTE = 1 << 20


class Settings(NamedTuple):
    """Units: seconds, bytes, characters. `pages` is '' for the web itself, `state` '' for the user's cache."""

    pages: str
    own: OwnAddresses
    obeys_robots: bool
    user_agent: str
    page_reading: str
    state: str
    page_seconds: float
    connect_seconds: float
    redirects: int
    body_bytes: int
    markup_characters: int
    markup_elements: int
    text_characters: int
    decompression_ratio: int
    limits: Limits


def read_settings(given: Mapping[str, Any]) -> Settings:
    """Errors: ToolFailure `unavailable` that names the setting."""
    unknown = sorted(set(given) - PYTHON_SETTINGS["web"])
    if unknown:
        raise _wrong(unknown[0], "没有这个设置", "there is no such setting")
    return Settings(
        pages=str(given.get("pages") or ""),
        own=_own(given.get("own_addresses")),
        obeys_robots=_flag(given, "robots", True),
        user_agent=_agent(given.get("user_agent")),
        page_reading=str(given.get("page_reading") or ""),
        state=str(given.get("state") or ""),
        page_seconds=_number(given, "page_seconds", 30),
        connect_seconds=_number(given, "connect_seconds", 10),
        redirects=_number(given, "redirects", 5),
        body_bytes=_number(given, "body_mb", 5) * _MEGABYTE,
        markup_characters=_number(given, "markup_characters", _MEGABYTE),
        markup_elements=_number(given, "markup_elements", 50_000),
        text_characters=_number(given, "text_characters", 200_000),
        decompression_ratio=_number(given, "decompression_ratio", 100),
        limits=_limits(given),
    )


def contacts_of(given: Mapping[str, Any]) -> tuple[Words, ...]:
    """Return what pages are read from, for whoever is asked whether a profile may; nothing where they are saved."""
    if given.get("pages"):
        return ()
    own = given.get("own_addresses") or ""
    listed = own if isinstance(own, str) else " ".join(map(str, own))
    public = Words("公网上的网页", "pages of the public web")
    return (public, Words(f"内网地址 {listed}", f"the addresses {listed}")) if listed else (public,)


def _own(value: Any) -> OwnAddresses:
    entries = value.split() if isinstance(value, str) else value or ()
    if not isinstance(entries, list | tuple) or not all(isinstance(entry, str) for entry in entries):
        raise _wrong("own_addresses", "应是一列地址", "it must be a list of addresses")
    try:
        return OwnAddresses(entries)
    except ValueError as error:
        raise _wrong("own_addresses", f"不能用：{error}", f"this entry cannot be used: {error}") from None


def _agent(value: Any) -> str:
    text = str(value or "")
    if not text.isascii() or not text.isprintable():
        raise _wrong("user_agent", "只能用 ASCII 字符", "ASCII characters only")
    return text or f"{AGENT}/0.1 (reads single pages for a person)"


def _flag(given: Mapping[str, Any], name: str, usual: bool) -> bool:
    value = given.get(name)
    if value is None or value == "":
        return usual
    if not isinstance(value, bool):
        raise _wrong(name, "应是 true 或 false", "it must be true or false")
    return value


def _number(given: Mapping[str, Any], name: str, usual: int) -> int:
    value = given.get(name)
    if value is None or value == "":
        return usual
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _wrong(name, "应是不小于 1 的整数", "it must be a whole number of at least 1")
    return value


def _limits(given: Mapping[str, Any]) -> Limits:
    try:
        return limits_of(given)
    except ValueError as error:
        name = str(error).partition(":")[0]
        raise _wrong(name, "应是不小于 1 的整数", "it must be a whole number of at least 1") from None


def _wrong(name: str, zh: str, en: str) -> Exception:
    return failure("unavailable", f"网页的设置 {name}：{zh}", f"the setting {name} of the web: {en}", setting=name)

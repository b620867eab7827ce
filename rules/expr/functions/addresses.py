"""Functions over web addresses; nothing is ever looked up."""

from __future__ import annotations

from typing import Final

from rules.expr.signatures import Function, describe
from rules.values import ABSENT, Value


def plain_address(text: str) -> str:
    """Return an address without query, fragment and closing slash; scheme and host in small letters."""
    address = _without_query(text.strip())
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address.rstrip("/")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower()}{slash}{path}".rstrip("/")


def plain_token(text: str) -> str:
    """Return the last part of an address, or the text itself where it is no address; blanks around it are dropped."""
    return _without_query(text.strip()).rstrip("/").rpartition("/")[2]


def address_parameter(text: str, name: str) -> Value:
    from urllib.parse import unquote_plus

    query = text.partition("?")[2].partition("#")[0]
    for pair in query.split("&"):
        key, mark, value = pair.partition("=")
        if mark and unquote_plus(key) == name:
            return unquote_plus(value)
    return ABSENT


def _without_query(address: str) -> str:
    return address.partition("#")[0].partition("?")[0]


ADDRESSES: Final[tuple[Function, ...]] = (
    describe(
        "text | plain_address -> text",
        plain_address,
        "去掉参数、片段和末尾斜线的网址",
        "an address without query, fragment and closing slash",
        "'https://A.cn/docs/x1/?from=a#b' | plain_address -> 'https://a.cn/docs/x1'",
    ),
    describe(
        "text | plain_token -> text",
        plain_token,
        "网址的最后一段；不是网址时为去掉两端空白的原文",
        "the last part of an address; what is no address stays, without blanks around it",
        "'https://a.cn/folder/f1?from=a' | plain_token -> 'f1'",
    ),
    describe(
        "text | address_parameter(name: text) -> any",
        address_parameter,
        "网址中该参数的值；没有时不存在",
        "the value of a parameter of an address; absent where there is none",
        "'https://a.cn/s?sheet=k2' | address_parameter('sheet') -> 'k2'",
    ),
)

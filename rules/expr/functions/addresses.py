"""Functions over web addresses; nothing is ever looked up."""

from __future__ import annotations

import unicodedata
from typing import Final

from rules.addresses import ascii_host, is_below, read_address
from rules.expr.signatures import Function, describe
from rules.values import ABSENT, Value

_PORTS: Final = {"http": "80", "https": "443"}
_UNRESERVED: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_TRACKING_BEGINNINGS: Final = ("utm_", "mtm_", "pk_", "hsa_", "matomo_")
#: Parameters that tell a site where its reader came from, and never which page is meant.
_TRACKING_NAMES: Final = (
    "fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid igshid li_fat_id mc_cid mc_eid "
    "mkt_tok oly_anon_id oly_enc_id rb_clickid s_cid vero_conv vero_id wickedid _hsenc _hsmi __hssc __hstc __hsfp "
    "_openstat spm scm bd_vid"
)
_TRACKING: Final = frozenset(_TRACKING_NAMES.split())


_NUMBERING: Final = "0123456789-_.,"
_LONGEST_ENDING: Final = 5


def page_address(text: str) -> str:
    """Return an address as it names a page: without fragment and tracking parameters, one way of writing it.

    The rest of the query stays, in its order: it says which page is meant. What is no address of the web only loses its
    fragment and the blanks around it.
    """
    address = text.strip().partition("#")[0]
    scheme, mark, rest = address.partition("://")
    scheme = scheme.lower()
    if not mark or scheme not in _PORTS:
        return address
    ends = [at for sign in "/?" if (at := rest.find(sign)) >= 0]
    end = min(ends, default=len(rest))
    path, asked, query = _plain_escapes(rest[end:]).partition("?")
    kept = [pair for pair in query.split("&") if pair and not _is_tracking(pair.partition("=")[0])]
    host, colon, port = rest[:end].rpartition(":")
    if not colon or not port.isdecimal():
        host, port = rest[:end], ""
    name = (ascii_host(host) or host.lower()) + (f":{port}" if port and port != _PORTS[scheme] else "")
    return f"{scheme}://{name}{_without_dots(path) or '/'}{asked if kept else ''}{'&'.join(kept)}"


def address_words(text: str) -> list[str]:
    """Return the labels of the host and the steps of the path, in small letters and decoded; none where in doubt.

    Behind each stands what it is without numbers and without an ending (`bbs1` is a `bbs`, `thread-12-1.html` a
    `thread`), and behind a label its parts between hyphens: labels are names, while steps may be whole titles.
    """
    address = read_address(text)
    if address is None:
        return []
    words: list[str] = []
    for label in address.labels:
        plain = _plain_label(label)
        words += [label, plain, *(part.rstrip(_NUMBERING) for part in (plain, *plain.split("-")))]
    for step in address.path.split("/"):
        plain = unicodedata.normalize("NFKC", step).lower()
        words += [plain, _without_ending(plain.partition(";")[0]).rstrip(_NUMBERING)]
    return [word for word in dict.fromkeys(words) if word]


def _plain_label(label: str) -> str:
    """Return a label as people read it."""
    try:
        return label[4:].encode("ascii").decode("punycode").lower() if label.startswith("xn--") else label
    except (UnicodeError, OverflowError):
        return label


def _without_ending(step: str) -> str:
    name, _, ending = step.rpartition(".")
    return name if name and len(ending) <= _LONGEST_ENDING and ending[:1].isalpha() and ending.isalnum() else step


def on_site(text: str, sites: list[str]) -> bool:
    """Tell whether the host of an address is one of the sites, or stands below one; whole labels only."""
    address = read_address(text)
    hosts = [site.host for one in sites if (site := read_address(one)) is not None]
    return address is not None and any(is_below(address.host, host.removeprefix("www.")) for host in hosts)


def _is_tracking(name: str) -> bool:
    small = name.lower()
    return small in _TRACKING or small.startswith(_TRACKING_BEGINNINGS)


def _plain_escapes(text: str) -> str:
    """Return a text in which `%7E` is `~` and `%e4` is `%E4`."""
    first, *parts = text.split("%")
    done = [first]
    for part in parts:
        code = part[:2]
        if len(code) == 2 and all(digit in "0123456789abcdefABCDEF" for digit in code):
            letter = chr(int(code, 16))
            done.append((letter if letter in _UNRESERVED else f"%{code.upper()}") + part[2:])
        else:
            done.append(f"%{part}")
    return "".join(done)


def _without_dots(path: str) -> str:
    if "/." not in path:
        return path
    kept: list[str] = []
    steps = path.split("/")[1:]
    for step in steps:
        if step == "..":
            kept = kept[:-1]
        elif step != ".":
            kept.append(step)
    closing = "/" if steps[-1] in (".", "..") and kept else ""
    return "/" + "/".join(kept) + closing


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
        "text | page_address -> text",
        page_address,
        "作为网页标识的网址：去掉片段和跟踪参数（utm_* 等），其余参数保留，写法统一",
        "an address as it names a page: without fragment and tracking parameters such as utm_*, the rest of the query "
        "kept, one way of writing it",
        "'https://A.cn/view?id=2&utm_source=a#b' | page_address -> 'https://a.cn/view?id=2'",
    ),
    describe(
        "text | address_words -> texts",
        address_words,
        "主机名的各段和路径的各段，小写，去掉末尾数字和后缀的写法也给出；有疑问的网址没有",
        "the labels of the host and the steps of the path, in small letters, also without numbers and an ending behind "
        "them; none of an address in doubt",
        "'https://Bbs1.a.cn/t-2.html?x=1' | address_words -> ['bbs1', 'bbs', 'a', 'cn', 't-2.html', 't']",
    ),
    describe(
        "text | on_site(sites: texts) -> boolean",
        on_site,
        "网址的主机是否是这些站点之一，或在其下；按整段比较",
        "whether the host of an address is one of the sites or stands below one; whole labels only",
        "'https://news.a.cn/x?from=b.cn' | on_site(['a.cn']) -> true",
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

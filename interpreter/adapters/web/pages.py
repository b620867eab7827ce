"""Reading one page: its address checked at every hop, its body cut at the limits, its text read in the child.

The same road for the web and for saved pages; only where an answer comes from differs (`source.py`). robots.txt is
asked once for each site of a run (RFC 9309): one that is not there allows everything, one that cannot be reached or
fails on the server's side allows nothing.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

from interpreter.adapters.children import ChildFailure, Children
from interpreter.adapters.origins import REDIRECTS
from interpreter.adapters.waiting import seconds_to_wait
from interpreter.adapters.web.addresses import Refused, Target, read_address
from interpreter.adapters.web.bodies import BadCoding, Body, BrokenOff, read_body
from interpreter.adapters.web.failures import failure, from_child, refused
from interpreter.adapters.web.refresh import read_refresh
from interpreter.adapters.web.settings import AGENT, Settings
from interpreter.adapters.web.source import Answer, Source, Unreachable
from interpreter.ports import ToolFailure
from rules.patterns import regex
from rules.records import NamedTuple

_PART = 206
_RANGE = regex(r"bytes\s+0-([0-9]{1,15})/([0-9]{1,15})", re.IGNORECASE)
#: A site that refuses with these often says why on the page.
_EXPLAINED = frozenset({401, 402, 403})
_WALLS = frozenset({"login_required", "payment_required", "script_required"})
_ROBOTS_BYTES = 500_000
_HOMES = frozenset({"/", "/index.html", "/index.htm", "/index.php"})
_HTML = ("text/html", "application/xhtml+xml")
_PDF = ("application/pdf", "application/x-pdf")
_UNSAID = ("", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown")
_SNIFFED = 1024
_BINARY_HEADS = (
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"RIFF",
    b"\x7fELF",
    b"Rar!",
    b"%!PS",
)


class Received(NamedTuple):
    """A body that came, not yet read. Shapes: `read_at` in ISO 8601, UTC."""

    target: Target
    redirects: tuple[str, ...]
    status: int
    content_type: str
    body: Body
    read_at: str


class Pages:
    """Units: `now` gives seconds since 1970."""

    def __init__(
        self,
        source: Source,
        children: Children,
        wording: Mapping[str, Any],
        settings: Settings,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._source = source
        self._children = children
        self._wording = wording
        self._settings = settings
        self._now = now
        self._robots: dict[str, bytes | None] = {}

    def read(self, url: str, asks_robots: bool = True) -> dict[str, Any]:
        """Return the answer of `web.web_fetch`, with `description` beside it.

        Errors: ToolFailure with a code of the contract.
        """
        deadline = time.monotonic() + self._settings.page_seconds
        address = url
        redirects: tuple[str, ...] = ()
        while True:
            received = self._receive(address, redirects, deadline, asks_robots)
            said = self._said(received)
            if "refresh" not in said:
                _check_home(received)
                return _answered(url, received, said)
            # A page that only sends its reader on is one hop more.
            redirects = (*received.redirects, received.target.url)
            address = said["refresh"]
            self._check_hops(redirects, address)

    def _receive(self, address: str, redirects: tuple[str, ...], deadline: float, asks_robots: bool) -> Received:
        """Follow redirects to a body."""
        while True:
            target = self._target(address, len(redirects))
            if asks_robots and self._settings.obeys_robots:
                self._ask_robots(target, len(redirects), deadline)
            found = self._get(target, redirects, deadline)
            if isinstance(found, Received):
                return found
            redirects = (*redirects, target.url)
            address = found
            self._check_hops(redirects, address)

    def _check_hops(self, redirects: tuple[str, ...], address: str) -> None:
        if len(redirects) > self._settings.redirects:
            most = self._settings.redirects
            raise failure(
                "too_many_redirects",
                f"跳转超过 {most} 次",
                f"more than {most} redirects",
                reason="too_many",
                hops=list(redirects),
            )
        if address in redirects:
            raise failure(
                "too_many_redirects", "跳转成环", "the redirects go in a circle", reason="circle", hops=list(redirects)
            )

    def _target(self, address: str, hop: int) -> Target:
        try:
            return read_address(address)
        except Refused as error:
            raise refused(address, hop, error) from None

    def _get(self, target: Target, redirects: tuple[str, ...], deadline: float) -> Received | str:
        """Return a body, or the address that a redirect leads to."""
        try:
            with self._source.get(target, deadline) as answer:
                location = answer.header("location")
                if answer.status in REDIRECTS and location:
                    return _joined(target.url, location)
                is_page = 200 <= answer.status < 300
                refresh = read_refresh(answer.header("refresh"), target.url)
                if is_page and refresh is not None and refresh.seconds <= self._wording["numbers"]["refresh_at_once"]:
                    return refresh.target
                if not is_page and answer.status not in _EXPLAINED:
                    raise self._no_page(answer, target)
                body = read_body(
                    answer.chunks,
                    answer.header("content-encoding"),
                    self._settings.body_bytes,
                    self._settings.decompression_ratio,
                )
                if answer.status == _PART and not _is_whole(answer.header("content-range")):
                    body = body._replace(is_cut=True)
                read_at = answer.read_at or self._instant()
                found = Received(target, redirects, answer.status, answer.header("content-type"), body, read_at)
                if not is_page:
                    raise self._wall(found) or self._no_page(answer, target)
                return found
        except Refused as error:
            raise refused(target.url, len(redirects), error) from None
        except Unreachable as error:
            raise _unreachable(error, target, len(redirects)) from None
        except BrokenOff:
            raise _unreachable(Unreachable("timed_out", "no_body"), target, len(redirects)) from None
        except BadCoding as error:
            raise _bad_coding(error, target) from None

    def _wall(self, received: Received) -> ToolFailure | None:
        """Return what the page beside a refusal says: sign in, pay, run scripts; None where it says nothing of it."""
        try:
            self._said(received)
        except ToolFailure as error:
            return error if error.code in _WALLS else None
        return None

    def _no_page(self, answer: Answer, target: Target) -> ToolFailure:
        code, zh, en = _by_status(answer.status)
        return failure(
            code,
            f"网站回答 {answer.status}：{zh}",
            f"the site answered {answer.status}: {en}",
            retry_after=self._wait(answer),
            status=answer.status,
            address=target.url,
        )

    def _wait(self, answer: Answer) -> float | None:
        """Return the seconds that a site asks to wait; no time at all is nothing."""
        first = dict(reversed(answer.headers))
        return seconds_to_wait(first, lambda: datetime.fromtimestamp(self._now(), UTC)) or None

    def _instant(self) -> str:
        return datetime.fromtimestamp(self._now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    # --- robots.txt ---

    def _ask_robots(self, target: Target, hop: int, deadline: float) -> None:
        if target.origin not in self._robots:
            self._robots[target.origin] = self._robots_file(target, hop, deadline)
        rules = self._robots[target.origin]
        if rules == b"":
            return
        if rules is not None and self._child("web.robots", {"address": target.url, "agent": AGENT}, rules)["allowed"]:
            return
        reason = "robots_unreachable" if rules is None else "robots"
        zh = "robots.txt 读不到，按规定视为不允许" if rules is None else "robots.txt 不允许读取"
        en = "robots.txt cannot be reached, which means no" if rules is None else "robots.txt says no"
        raise failure("robots_disallow", zh, en, reason=reason, hop=hop, address=target.url)

    def _robots_file(self, target: Target, hop: int, deadline: float) -> bytes | None:
        """Return a site's rules, b'' where it has none, None where they cannot be reached."""
        place = target._replace(path="/robots.txt")
        for _ in range(self._settings.redirects + 1):
            try:
                with self._source.get(place, deadline) as answer:
                    location = answer.header("location")
                    if answer.status in REDIRECTS and location:
                        place = read_address(_joined(place.url, location))
                        continue
                    if 400 <= answer.status < 500 and answer.status != 429:
                        return b""
                    if not 200 <= answer.status < 300:
                        return None
                    coding = answer.header("content-encoding")
                    return read_body(answer.chunks, coding, _ROBOTS_BYTES, self._settings.decompression_ratio).content
            except Refused as error:
                raise refused(place.url, hop, error) from None
            except Unreachable as error:
                # The page of the same site will not be reached either, and its own words say more.
                raise _unreachable(error, place, hop) from None
            except (BadCoding, BrokenOff):
                return None
        return b""

    # --- the text ---

    def _said(self, received: Received) -> dict[str, Any]:
        kind = _kind_of(received)
        task = "web.pdf" if kind == _PDF[0] else "web.page"
        parameters = {
            "address": received.target.url,
            "content_type": received.content_type,
            "kind": kind,
            "read_at": received.read_at,
            "markup_characters": self._settings.markup_characters,
            "markup_elements": self._settings.markup_elements,
            "text_characters": self._settings.text_characters,
            "wording": self._wording,
        }
        try:
            return self._child(task, parameters, received.body.content)
        except ToolFailure as error:
            if task == "web.pdf" and received.body.is_cut and error.code == "unreadable":
                if len(received.body.content) < self._settings.body_bytes:
                    raise failure(
                        "unreadable",
                        "PDF 没有收完整，读不出来",
                        "the PDF did not come whole and cannot be read in part",
                    ) from None
                raise failure(
                    "too_large",
                    f"PDF 超过 {self._settings.body_bytes >> 20} MB，读不完整",
                    f"the PDF is longer than {self._settings.body_bytes >> 20} MB and cannot be read in part",
                ) from None
            raise

    def _child(self, task: str, parameters: Mapping[str, Any], body: bytes) -> dict[str, Any]:
        try:
            found: dict[str, Any] = self._children.read(task, parameters, body)
            return found
        except ChildFailure as error:
            raise from_child(error) from None


def _check_home(received: Received) -> None:
    """Refuse a page that is gone and whose site sends its reader to the home page instead."""
    if not received.redirects:
        return
    first, last = read_address(received.redirects[0]), received.target
    if (
        last.path in _HOMES
        and first.path not in _HOMES
        and first.host.removeprefix("www.") == last.host.removeprefix("www.")
    ):
        raise failure(
            "soft_not_found",
            "网页不在了，网站转到了首页",
            "the page is gone: its site led to the home page",
            reason="home",
            hops=list(received.redirects),
        )


def _answered(url: str, received: Received, said: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": url,
        "final_url": received.target.url,
        "redirects": list(received.redirects),
        "status": received.status,
        "content_type": _plain_type(received.content_type) or _kind_of(received),
        "fetched_at": received.read_at,
        **said,
        "truncated": said["truncated"] or received.body.is_cut,
    }


def _is_whole(content_range: str) -> bool:
    """Tell whether a part is all there is: nobody asked for a part, and a site may call the whole one."""
    said = _RANGE.fullmatch(content_range.strip())
    return said is not None and int(said[1]) + 1 == int(said[2])


def _kind_of(received: Received) -> str:
    """Return what a body is: by what it says, and by its first bytes where they say more.

    Errors: ToolFailure `not_a_page`.
    """
    said = _plain_type(received.content_type)
    head = received.body.content[:_SNIFFED]
    if head.lstrip().startswith(b"%PDF-"):
        return _PDF[0]
    if said == "text/plain" and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:15].lower().startswith(
        (b"<!doctype html", b"<html")
    ):
        return "text/html"
    looks_binary = head.startswith(_BINARY_HEADS)
    if not looks_binary and said in _UNSAID:
        is_markup = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        return "text/html" if is_markup else "text/plain"
    is_known = said in _HTML or (said.startswith("text/") and said not in ("text/css", "text/javascript", "text/xml"))
    if looks_binary or not is_known:
        raise failure(
            "not_a_page",
            f"这种内容不能读取：{said or '未知'}",
            f"this kind of content is not read: {said or 'unknown'}",
            reason="content_type",
            content_type=said,
        )
    return said


def _plain_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location.strip()).partition("#")[0]
    except ValueError:
        return location  # which `read_address` refuses with the reason


_REASONS: Mapping[str, tuple[str, str]] = {
    "name_lookup": ("域名解析超时", "looking up its name took too long"),
    "name_not_found": ("域名不存在", "its name is not known"),
    "connection": ("连接不上", "no connection"),
    "certificate": ("证书无效", "its certificate is not valid"),
    "protocol": ("网站的回答不合规范", "its answer breaks the protocol"),
    "no_body": ("没有等到内容", "no content came"),
    "not_saved": ("存放的网页里没有它", "it is not among the saved pages"),
    "saved": ("存放的记录说它没有回答", "the saved record says that it did not answer"),
}


def _unreachable(error: Unreachable, target: Target, hop: int) -> ToolFailure:
    zh, en = _REASONS.get(error.reason, ("没有及时得到回答", "no answer in time"))
    return failure(
        error.code, f"{target.host}：{zh}", f"{target.host}: {en}", reason=error.reason, hop=hop, address=target.url
    )


def _bad_coding(error: BadCoding, target: Target) -> ToolFailure:
    if error.reason == "ratio":
        zh = f"压缩后的内容展开超过 {error.found} 倍"
        en = f"its packed content unpacks to more than {error.found} times its size"
        return failure("too_large", zh, en, reason="ratio", address=target.url)
    zh, en = ("内容的压缩方式不认识或已损坏", "its content is packed in a way that is unknown or damaged")
    return failure("unreadable", zh, en, reason=error.reason, coding=error.found, address=target.url)


def _by_status(status: int) -> tuple[str, str, str]:
    if status in (404, 410):
        return "not_found", "没有这个网页", "there is no such page"
    if status in (401, 407):
        return "login_required", "需要登录", "it asks to sign in"
    if status == 402:
        return "payment_required", "需要付费", "it asks to pay"
    if status == 429:
        return "rate_limited", "请求过于频繁", "too many requests"
    if status >= 500:
        return "server_error", "网站出错", "the site failed"
    return "http_status", "没有给出网页", "it gave no page"

"""Reading live pages: redirects, limits, robots.txt, and that nothing is sent where nothing may be read."""

from __future__ import annotations

import base64
import gzip
import itertools
import shutil
import socket
import ssl
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from interpreter.adapters.waiting import LONGEST
from tests.servers.web_server import WebServer, web_server
from tests.unit.web_kit import HERE, LONG, Web, close_web, own_web, page

__all__ = ["close_web"]

ARTICLE = page(LONG)
SITE = "site.example"


def redirect(to: str, status: int = 302) -> dict[str, Any]:
    return {"status": status, "headers": {"Location": to}}


def packed(body: bytes, coding: str) -> dict[str, Any]:
    return {"base64": base64.b64encode(body).decode(), "headers": {"Content-Encoding": coding}}


def bomb(size: int, level: int, coding: str) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, zlib.MAX_WBITS + (16 if coding == "gzip" else 0))
    return b"".join([packer.compress(b"<p>" + b"a" * size), packer.flush()])


def answer_of_part(body: str, content_range: str) -> dict[str, Any]:
    return {"status": 206, "body": body, "headers": {"Content-Range": content_range} if content_range else {}}


_BARE = zlib.compressobj(wbits=-zlib.MAX_WBITS)
SCRIPT: dict[str, Any] = {
    "/article": {"body": ARTICLE},
    "/odd?名=1".replace("名", "%E5%90%8D"): {"body": ARTICLE},
    # redirects
    "/once": redirect("/article"),
    "/to-name": redirect("http://www.other.example:{port}/article", 301),
    "/relative/a": redirect("../article", 307),
    "/part": redirect("/article#part", 308),
    "/circle": redirect("/circle-2"),
    "/circle-2": redirect("/circle"),
    **{f"/hop-{number}": redirect(f"/hop-{number + 1}") for number in range(10)},
    "/no-location": {"status": 302},
    "/spaces": redirect("/odd?名=1".replace("1", "1 2")),
    "/odd?%E5%90%8D=1%202": {"body": ARTICLE},
    "/old/page": redirect("/"),
    "/": {"body": ARTICLE},
    "/see-other": redirect("/article", 303),
    "/refresh": {
        "body": '<html><head><meta http-equiv="refresh" content="0; url=/article"></head><body></body></html>'
    },
    "/refresh-over-text": {"body": page(LONG, '<meta http-equiv="refresh" content="0; url=/article">')},
    "/refresh-by-header": {"body": ARTICLE, "headers": {"Refresh": "0;url=/article"}},
    "/refresh-circle": {"body": page("<p>x</p>", '<meta http-equiv="refresh" content="0; url=/refresh-circle-2">')},
    "/refresh-circle-2": {"headers": {"Refresh": "1; /refresh-circle"}},
    "/refresh-late": {"body": ARTICLE, "headers": {"Refresh": "300;url=/circle"}},
    "/refresh-out-by-header": {"headers": {"Refresh": "0;url=http://169.254.169.254/"}},
    "/refresh-to-a-file": {"headers": {"Refresh": "0;url=file:///etc/passwd"}},
    "/refresh-to-name": {
        "body": page("<p>x</p>", '<meta http-equiv="refresh" content="0; url=http://private.example/">')
    },
    "/refresh-to-the-forbidden": {"headers": {"Refresh": "0;url=http://strict.example:{port}/private/x"}},
    "/refresh-inside": {"body": '<meta http-equiv="refresh" content="0;URL=\'http://10.0.0.5/\'">'},
    **{
        f"/out-{number}": redirect(to)
        for number, to in enumerate(
            (
                "http://10.0.0.5/",
                "http://169.254.169.254/latest/meta-data/",
                "http://[::1]/",
                "http://0x7f000001/",
                "http://private.example/",
                "http://mixed.example/",
                "http://localhost:{port}/article",
                "file:///etc/passwd",
                "data:text/html,x",
                "gopher://site.example/",
                "//user@site.example:{port}/article",
                "http:\\\\10.0.0.5/",
            )
        )
    },
    # bodies
    "/gzip": packed(gzip.compress(ARTICLE.encode()), "gzip"),
    "/deflate": packed(zlib.compress(ARTICLE.encode()), "deflate"),
    "/bare-deflate": packed(_BARE.compress(ARTICLE.encode()) + _BARE.flush(), "deflate"),
    "/two-members": packed(gzip.compress(ARTICLE[:900].encode()) + gzip.compress(ARTICLE[900:].encode()), "gzip"),
    "/brotli": packed(b"\x0b\x02\x80\x00", "br"),
    "/twice": packed(gzip.compress(gzip.compress(ARTICLE.encode())), "gzip, gzip"),
    "/damaged": packed(b"no gzip at all", "gzip"),
    "/cut-gzip": packed(gzip.compress(ARTICLE.encode() * 3)[:-20], "gzip"),
    "/bomb": {"kind": "bomb", "megabytes": 64},
    "/part-of-a-page": answer_of_part(ARTICLE, "bytes 0-4999/20000"),
    "/part-of-no-known-length": answer_of_part(ARTICLE, "bytes 0-4999/*"),
    "/part-unsaid": answer_of_part(ARTICLE, ""),
    "/part-from-the-middle": answer_of_part(ARTICLE, "bytes 100-4999/5000"),
    "/part-that-is-all": answer_of_part(ARTICLE, f"bytes 0-{len(ARTICLE.encode()) - 1}/{len(ARTICLE.encode())}"),
    "/big": {"kind": "big", "megabytes": 6},
    "/endless": {"kind": "endless"},
    "/drip": {"kind": "drip"},
    "/silent": {"kind": "silent"},
    "/short": {"kind": "short"},
    # kinds
    "/text": {
        "body": "一份没有标记的文字，只有几行。\n第二行。\n\n第三行。",
        "headers": {"Content-Type": "text/plain"},
    },
    "/page-as-text": {"body": "<!DOCTYPE html>" + ARTICLE, "headers": {"Content-Type": "text/plain"}},
    "/no-type": {"body": ARTICLE, "headers": {"Content-Type": ""}},
    "/octets": {"body": ARTICLE, "headers": {"Content-Type": "application/octet-stream"}},
    "/image": {"body": "\x89PNG", "headers": {"Content-Type": "image/png"}},
    "/hidden-image": packed(b"\x89PNG\r\n\x1a\n" + bytes(100), ""),
    "/json": {"body": "{}", "headers": {"Content-Type": "application/json"}},
    "/script": {"body": "alert(1)", "headers": {"Content-Type": "text/javascript"}},
    "/zip": packed(b"PK\x03\x04" + bytes(100), ""),
    "/zeros": packed(b"<html>" + bytes(1000), ""),
    "/pdf-damaged": {"body": "%PDF-1.4 nothing more", "headers": {"Content-Type": "application/pdf"}},
    # statuses
    **{
        f"/{status}": {"status": status, "body": "<p>no</p>"}
        for status in (204, 304, 400, 401, 402, 403, 404, 410, 500, 503)
    },
    "/429": {"status": 429, "headers": {"Retry-After": "7"}},
    "/429-date": {"status": 429, "headers": {"Retry-After": "Mon, 21 Sep 2026 14:40:00 GMT"}},
    "/429-odd": {"status": 429, "headers": {"Retry-After": "soon"}},
    "/429-endless": {"status": 429, "headers": {"Retry-After": "9" * 400}},
    "/429-limits": {"status": 429, "headers": {"X-RateLimit-Reset": "30"}},
    "/429-no-number": {"status": 429, "headers": {"X-RateLimit-Reset": "inf"}},
    "/503-later": {"status": 503, "headers": {"Retry-After": "60"}},
    # robots.txt of some sites
    "strict.example /robots.txt": {"body": "User-agent: *\nDisallow: /private\nAllow: /private/open\n"},
    "named.example /robots.txt": {"body": "User-agent: workflow-interpreter\nDisallow: /\n\nUser-agent: *\nAllow: /\n"},
    "broken.example /robots.txt": {"status": 500},
    "moved.example /robots.txt": redirect("http://strict.example:{port}/robots.txt"),
    "away.example /robots.txt": redirect("http://10.0.0.5/robots.txt"),
    "odd.example /robots.txt": {"body": "<html>" + "Disallow: /*a*a*a*a*a*a*a*b\n" * 200},
    "large.example /robots.txt": {"kind": "endless"},
    **{
        f"{host}.example {path}": {"body": ARTICLE}
        for host in ("strict", "named", "moved", "odd", "large")
        for path in ("/private/x", "/private/open", "/" + "a" * 60)
    },
}


def _with_port(value: Any, port: int) -> Any:
    if isinstance(value, dict):
        return {key: _with_port(part, port) for key, part in value.items()}
    return value.replace("{port}", str(port)) if isinstance(value, str) else value


def bombs() -> dict[str, Any]:
    """Return bodies that are far larger than they look; to make them takes seconds."""
    sizes = itertools.product((2, 5, 6, 40), (1, 9), ("gzip", "deflate"))
    alone = {
        f"/bomb-{size}-{level}-{coding}": packed(bomb(size << 20, level, coding), coding)
        for size, level, coding in sizes
    }
    return {**alone, "/bomb-behind-text": packed(gzip.compress(ARTICLE.encode()) + bomb(40 << 20, 9, "gzip"), "gzip")}


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    # A port is known when the server runs; a first one is only asked for it.
    with web_server({}) as first:
        port = first.port
    with web_server(_with_port({**SCRIPT, **bombs()}, port), port) as running:
        yield running


HOSTS = (
    SITE,
    "www.other.example",
    "strict.example",
    "named.example",
    "broken.example",
    "moved.example",
    "away.example",
    "odd.example",
    "large.example",
)
NAMES = {"private.example": ["10.0.0.5"], "mixed.example": ["8.8.8.8", HERE], "nowhere.example": []}


@pytest.fixture(scope="module")
def web(server: WebServer) -> Iterator[Web]:
    web = own_web(server.port, *HOSTS, names=NAMES, page_seconds=20).lasting()
    yield web
    web.adapter.close()


BRIEF = 20_000


@pytest.fixture(scope="module")
def brief(server: WebServer) -> Iterator[Web]:
    """Return what reads less of each page, and so is quick about long ones."""
    web = own_web(server.port, *HOSTS, markup_characters=BRIEF).lasting()
    yield web
    web.adapter.close()


def at(server: WebServer, path: str, host: str = SITE) -> str:
    return f"http://{host}:{server.port}{path}"


def test_a_page_is_read_with_its_address_and_time(server: WebServer, web: Web) -> None:
    answer = web.fetch(at(server, "/article"))
    assert answer["final_url"] == answer["url"] == at(server, "/article")
    assert (answer["status"], answer["content_type"], answer["access"]) == (200, "text/html", "open")
    assert answer["fetched_at"] == "2026-09-21T14:13:20Z"
    assert "第3段说的是数据治理工作的安排" in answer["text"]
    assert not answer["truncated"]


def test_a_request_says_no_more_than_it_must(server: WebServer, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")
    web.fetch(at(server, "/odd?名=1#part"))
    asked = server.requests[-1]
    assert asked["path"] == "/odd?%E5%90%8D=1"
    assert asked["headers"]["Host"] == f"{SITE}:{server.port}"
    assert asked["headers"]["Accept-Encoding"] == "gzip, deflate"
    assert not {"Cookie", "Authorization", "Referer"} & set(asked["headers"])


# --- redirects -----------------------------------------------------------------------------------------------------

FOLLOWED = [
    ("/once", ["/once"]),
    ("/to-name", ["/to-name"]),
    ("/relative/a", ["/relative/a"]),
    ("/part", ["/part"]),
    ("/see-other", ["/see-other"]),
    ("/hop-5", ["/hop-5", "/hop-6", "/hop-7", "/hop-8", "/hop-9"]),
    ("/refresh", ["/refresh"]),
    ("/refresh-over-text", ["/refresh-over-text"]),
    ("/refresh-by-header", ["/refresh-by-header"]),
]


@pytest.mark.parametrize(("path", "hops"), FOLLOWED, ids=[row[0] for row in FOLLOWED])
def test_redirects_are_followed_and_told(server: WebServer, web: Web, path: str, hops: list[str]) -> None:
    if path == "/hop-5":
        web.fails("not_found", at(server, path))
        return
    answer = web.fetch(at(server, path))
    assert answer["redirects"] == [at(server, hop) for hop in hops]
    assert answer["final_url"].endswith("/article")
    assert answer["url"] == at(server, path)


@pytest.mark.parametrize(("path", "reason"), [("/circle", "circle"), ("/hop-0", "too_many"), ("/hop-4", "too_many")])
def test_circles_and_long_ways_end(server: WebServer, web: Web, path: str, reason: str) -> None:
    assert web.fails("too_many_redirects", at(server, path)).details["reason"] == reason


def test_a_place_with_blanks_and_other_letters_is_written_out(server: WebServer, web: Web) -> None:
    assert web.fetch(at(server, "/spaces"))["final_url"] == at(server, "/odd?%E5%90%8D=1%202")


def test_a_page_whose_site_leads_home_is_gone(server: WebServer, web: Web) -> None:
    assert web.fails("soft_not_found", at(server, "/old/page")).details["reason"] == "home"
    assert web.fetch(at(server, "/"))["text"]


def test_a_redirect_without_a_place_is_no_page(server: WebServer, web: Web) -> None:
    assert web.fails("http_status", at(server, "/no-location")).details["status"] == 302


OUT = [
    "private", "link_local", "loopback", "loopback", "private", "loopback", "local_name", "scheme", "scheme", "scheme",
    "user_part", "odd_characters",
]  # fmt: skip


@pytest.mark.parametrize(("number", "reason"), list(enumerate(OUT)), ids=str)
def test_a_redirect_to_what_may_not_be_read_is_refused_with_its_hop(
    server: WebServer, web: Web, number: int, reason: str
) -> None:
    details = web.fails("address_refused", at(server, f"/out-{number}")).details
    assert (details["reason"], details["hop"]) == (reason, 1)


def test_a_page_that_sends_its_reader_inside_is_refused_too(server: WebServer, web: Web) -> None:
    assert web.fails("address_refused", at(server, "/refresh-inside")).details["hop"] == 1


SENT_ON = [
    ("/refresh-circle", "too_many_redirects", "circle"),
    ("/refresh-out-by-header", "address_refused", "link_local"),
    ("/refresh-to-a-file", "address_refused", "scheme"),
    ("/refresh-to-name", "address_refused", "private"),
    ("/refresh-to-the-forbidden", "robots_disallow", "robots"),
]


@pytest.mark.parametrize(("path", "code", "reason"), SENT_ON)
def test_a_page_that_sends_its_reader_on_is_held_to_all_that_holds_for_redirects(
    server: WebServer, web: Web, path: str, code: str, reason: str
) -> None:
    assert web.fails(code, at(server, path)).details["reason"] == reason


def test_a_page_that_is_made_anew_after_a_while_is_a_page(server: WebServer, web: Web) -> None:
    assert web.fetch(at(server, "/refresh-late"))["redirects"] == []


# --- nothing is sent where nothing may be read ---------------------------------------------------------------------

CANARY = [
    f"http://{HERE}:{{port}}/x",
    "http://localhost:{port}/x",
    "http://2130706433:{port}/x",
    "http://0x7f.1:{port}/x",
    "http://[::ffff:7f00:1]:{port}/x",
    "http://inside.example:{port}/x",
    "http://mixed.example:{port}/x",
    "http://user@site.example:{port}/x",
    "ftp://site.example:{port}/x",
    "http://site.example.:22/x",
]


@pytest.mark.parametrize("url", CANARY)
def test_a_refused_address_gets_no_connection(url: str) -> None:
    with web_server({}) as canary:
        web = Web({"mixed.example": ["8.8.8.8", HERE], "inside.example": [HERE]})
        failure = web.fails("address_refused", url.format(port=canary.port))
        assert canary.requests == []
    assert failure.details["hop"] == 0
    assert failure.details["reason"] in failure.details["message"]["en"] or failure.details["message"]["zh"]


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Return where connections are made to; none of them comes about."""
    import httpcore

    found: list[tuple[str, int]] = []

    def connect(backend: object, host: str, port: int, *more: object) -> object:
        found.append((host, port))
        raise httpcore.ConnectError("not here")

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
    return found


def test_connections_go_to_the_addresses_that_were_checked(connected: list[tuple[str, int]]) -> None:
    web = Web({"two.example": ["8.8.8.8", "2606:4700::1"]}, robots=False)
    web.fails("page_unreachable", "https://two.example/x")
    assert connected == [("8.8.8.8", 443), ("2606:4700::1", 443)]


def test_a_name_that_leads_elsewhere_the_second_time_is_looked_up_once(connected: list[tuple[str, int]]) -> None:
    """A second answer of the name service has nobody who asks for it."""
    answers = iter([["8.8.8.8"], [HERE], [HERE]])
    web = Web(robots=False)
    web.adapter._source._look_up = lambda *_: next(answers)  # type: ignore[attr-defined]
    web.fails("page_unreachable", "http://turning.example/x")
    assert connected == [("8.8.8.8", 80)]
    assert web.fails("address_refused", "http://turning.example/x").details["reason"] == "loopback"
    assert connected == [("8.8.8.8", 80)]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_a_certificate_is_that_of_the_name_and_not_of_the_address(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=tls.example"
    names_of = ["-addext", "subjectAltName=DNS:tls.example", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", *new.split(), *names_of], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    names: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    with closing(socket.create_server((HERE, 0))) as listener, answering_over_tls(listener, context):
        port = listener.getsockname()[1]
        web = own_web(port, "tls.example", "other.example", robots=False, page_seconds=10)
        assert web.fails("page_unreachable", f"https://tls.example:{port}/").details["reason"] == "certificate"
        web.adapter._source._trust.load_verify_locations(certificate)  # type: ignore[attr-defined]
        assert "第3段" in web.fetch(f"https://tls.example:{port}/")["text"]
        assert web.fails("page_unreachable", f"https://other.example:{port}/").details["reason"] == "certificate"
    assert names == ["tls.example", "tls.example", "other.example"]


@contextmanager
def answering_over_tls(listener: socket.socket, context: ssl.SSLContext) -> Iterator[None]:
    """Answer three connections over TLS, one after another."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n"

    def answer() -> None:
        for _ in range(3):
            plain, _ = listener.accept()
            try:
                with context.wrap_socket(plain, server_side=True) as secure:
                    secure.recv(4096)
                    secure.sendall(head + ARTICLE.encode())
            except (ssl.SSLError, OSError):
                plain.close()

    thread = Thread(target=answer, daemon=True)
    thread.start()
    yield
    thread.join(10)


def test_a_name_that_leads_nowhere_is_not_reached(web: Web) -> None:
    assert web.fails("page_unreachable", "http://nowhere.example/").details["reason"] == "name_not_found"


def test_a_site_that_is_down_is_not_reached() -> None:
    with web_server({}) as gone:
        port = gone.port
    web = own_web(port, SITE)
    assert web.fails("page_unreachable", f"http://{SITE}:{port}/x").details["reason"] == "connection"


# --- bodies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/gzip", "/deflate", "/bare-deflate", "/two-members"])
def test_packed_bodies_are_unpacked(server: WebServer, web: Web, path: str) -> None:
    answer = web.fetch(at(server, path))
    assert "第29段" in answer["text"]
    assert not answer["truncated"]


UNPACKED = [
    ("/brotli", "unreadable", "unknown_coding"),
    ("/twice", "unreadable", "unknown_coding"),
    ("/damaged", "unreadable", "damaged_coding"),
    ("/bomb", "too_large", "ratio"),
    ("/bomb-behind-text", "too_large", "ratio"),
    *(
        (f"/bomb-{megabytes}-{level}-{coding}", "too_large", "ratio")
        for megabytes in (2, 5, 6, 40)
        for level in (1, 9)
        for coding in ("gzip", "deflate")
    ),
]


@pytest.mark.parametrize(("path", "code", "reason"), UNPACKED)
def test_what_cannot_or_must_not_be_unpacked_is_refused(
    server: WebServer, web: Web, path: str, code: str, reason: str
) -> None:
    assert web.fails(code, at(server, path)).details["reason"] == reason


@pytest.mark.parametrize("path", ["/big", "/endless", "/short", "/cut-gzip"])
def test_a_body_that_is_too_long_or_breaks_off_is_cut_and_said_so(server: WebServer, brief: Web, path: str) -> None:
    answer = brief.fetch(at(server, path))
    assert answer["truncated"]
    assert 0 < len(answer["text"]) <= BRIEF


PARTS = [
    ("/part-of-a-page", True),
    ("/part-of-no-known-length", True),
    ("/part-unsaid", True),
    ("/part-from-the-middle", True),
    ("/part-that-is-all", False),
]


@pytest.mark.parametrize(("path", "is_cut"), PARTS)
def test_a_part_is_told_from_the_whole(server: WebServer, web: Web, path: str, is_cut: bool) -> None:
    assert web.fetch(at(server, path))["truncated"] is is_cut


def test_a_body_that_never_ends_is_cut_at_the_deadline(server: WebServer) -> None:
    answer = own_web(server.port, SITE, page_seconds=1).fetch(at(server, "/drip"))
    assert answer["truncated"]
    assert "这一段会一直重复下去" in answer["text"]


def test_a_site_that_says_nothing_is_late(server: WebServer) -> None:
    own_web(server.port, SITE, page_seconds=1, robots=False).fails("timed_out", at(server, "/silent"))


# --- kinds of content ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/no-type", "/octets", "/page-as-text"])
def test_a_page_that_does_not_say_what_it_is_is_looked_at(server: WebServer, web: Web, path: str) -> None:
    assert "第3段" in web.fetch(at(server, path))["text"]


def test_plain_text_keeps_its_lines(server: WebServer, web: Web) -> None:
    assert web.fetch(at(server, "/text"))["text"] == "一份没有标记的文字，只有几行。\n第二行。\n第三行。"


KINDS = [
    ("/image", "not_a_page"),
    ("/hidden-image", "not_a_page"),
    ("/json", "not_a_page"),
    ("/script", "not_a_page"),
    ("/zip", "not_a_page"),
    ("/zeros", "not_a_page"),
    ("/pdf-damaged", "unreadable"),
]


@pytest.mark.parametrize(("path", "code"), KINDS)
def test_what_is_no_page_is_not_read(server: WebServer, web: Web, path: str, code: str) -> None:
    web.fails(code, at(server, path))


STATUSES = [
    ("/204", "no_text"),
    ("/304", "http_status"),
    ("/400", "http_status"),
    ("/401", "login_required"),
    ("/402", "payment_required"),
    ("/403", "http_status"),
    ("/404", "not_found"),
    ("/410", "not_found"),
    ("/500", "server_error"),
    ("/503", "server_error"),
]


@pytest.mark.parametrize(("path", "code"), STATUSES)
def test_each_status_has_its_code(server: WebServer, web: Web, path: str, code: str) -> None:
    web.fails(code, at(server, path))


@pytest.mark.parametrize(
    ("path", "code", "seconds"),
    [
        ("/429", "rate_limited", 7.0),
        ("/429-date", "rate_limited", 1600.0),
        ("/429-odd", "rate_limited", None),
        ("/429-endless", "rate_limited", LONGEST),
        ("/429-limits", "rate_limited", 30.0),
        ("/429-no-number", "rate_limited", None),
        ("/503-later", "server_error", 60.0),
    ],
)
def test_a_site_may_say_when_to_come_back(
    server: WebServer, web: Web, path: str, code: str, seconds: float | None
) -> None:
    assert web.fails(code, at(server, path)).retry_after == seconds


# --- robots.txt ----------------------------------------------------------------------------------------------------

ROBOTS = [
    ("strict.example", "/private/x", "robots"),
    ("strict.example", "/private/open", None),
    ("named.example", "/private/open", "robots"),
    ("moved.example", "/private/x", "robots"),
    ("moved.example", "/private/open", None),
    ("broken.example", "/article", "robots_unreachable"),
    ("odd.example", "/" + "a" * 60, None),
    ("large.example", "/private/open", None),
    (SITE, "/article", None),
]


@pytest.mark.parametrize(("host", "path", "reason"), ROBOTS)
def test_a_site_says_what_may_be_read(server: WebServer, web: Web, host: str, path: str, reason: str | None) -> None:
    if reason is None:
        web.fetch(at(server, path, host))
    else:
        before = len(server.requests)
        assert web.fails("robots_disallow", at(server, path, host)).details["reason"] == reason
        assert all(request["path"] == "/robots.txt" for request in server.requests[before:])


def test_rules_that_lie_inside_are_refused(server: WebServer, web: Web) -> None:
    web.fails("address_refused", at(server, "/article", "away.example"))


def test_rules_are_asked_once_for_a_site(server: WebServer) -> None:
    web, before = own_web(server.port, SITE), len(server.paths)
    for path in ("/article", "/gzip", "/once"):
        web.fetch(at(server, path))
    assert server.paths[before:].count(f"{SITE}/robots.txt") == 1


def test_a_profile_may_read_without_asking(server: WebServer) -> None:
    before = len(server.paths)
    own_web(server.port, "strict.example", robots=False).fetch(at(server, "/private/x", "strict.example"))
    assert server.paths[before:] == ["strict.example/private/x"]


def test_searching_the_web_itself_needs_a_service(web: Web) -> None:
    with pytest.raises(Exception, match="no search service is set"):
        web("web_search", query="数据治理")

"""The adapter `http` against a real server process: what is sent, and every way in which an answer can be none."""

from __future__ import annotations

import asyncio
import gc
import os
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.adapters.contacts import plain_address
from interpreter.adapters.http.request import HttpCall, prepared
from interpreter.adapters.http.settings import SETTINGS, contacts_of, read_settings
from interpreter.adapters.mapping import Meaning
from interpreter.adapters.toolbox import Toolbox
from interpreter.codes.service import SERVICE_ERRORS
from interpreter.plan.contracts import contract_of
from interpreter.ports import ERROR_KINDS, Request, ToolFailure
from interpreter.safety.secrets import Secrets
from rules.values import dumps
from tests.servers.services import HttpServer, http_server_in
from tests.unit.services_kit import asked, find, opened, told

KEY = "sk-never-to-be-seen-4711"
ADDRESS = "settings:\n  address: {type: string}\n"
FIND = """\
  desk.find:
    adapter: http
    settings: {address: "{{ settings.address }}/v1", bearer_from: KEY%s}
    request:
      path: [things, "{{ query }}"]
      query: {page: "{{ page_token | default(absent) }}", w: "{{ words | default([]) }}"}
    errors:
      - {when: "status == 410", code: GONE, message: "{{ answer.error }}", details: {hint: "{{ answer.hint }}"}}
      - {when: "answer.state is present and answer.state == 'busy'", code: BUSY, retry_after: "{{ answer.wait }}"}
    success: answer.items is present
    value: {items: "{{ answer.items }}", more: false}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with http_server_in(tmp_path_factory.mktemp("service"), pages=[]) as running:
        yield running


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", KEY)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def toolbox_for(folder: Path, server: HttpServer, tools: str = FIND, more: str = "") -> Toolbox:
    toolbox, found = opened(folder, tools % more, settings=ADDRESS, given={"address": server.address})
    assert toolbox is not None, found
    return toolbox


def refused(toolbox: Toolbox, *requests: Request, **more: Any) -> ToolFailure:
    return told(asked(toolbox, *(requests or (find(query="tea"),)), **more)[-1], KEY, KEY[:9])


# --- what is sent -----------------------------------------------------------------------------------------------------


def test_data_stands_escaped_in_path_and_query_and_nowhere_else(tmp_path: Path, server: HttpServer) -> None:
    server.gives(json={"items": [{"id": 1}]})
    toolbox = toolbox_for(tmp_path, server)
    value = asked(toolbox, find(query="a/b ?#é&x=1\r\nHost: evil", words=["x y", "&z"]))[0]
    assert value == {"items": [{"id": 1}], "more": False}
    request = server.requests[0]
    assert request["path"] == "/v1/things/a%2Fb%20%3F%23%C3%A9%26x%3D1%0D%0AHost%3A%20evil"
    assert request["query"] == {"w": ["x y", "&z"]}
    assert request["headers"]["authorization"] == f"Bearer {KEY}"
    assert request["headers"]["host"] == f"127.0.0.1:{server.port}"


@given(st.text(max_size=60))
def test_no_text_leaves_its_part_of_the_path(text: str) -> None:
    call = HttpCall("GET", ("fixed", lambda names: names["text"], "end"), None, None, None, None, Meaning())
    if text in ("", ".", ".."):
        with pytest.raises(ToolFailure, match="request_not_made"):
            prepared(call, "/base", {"text": text})
        return
    target = prepared(call, "/base", {"text": text}).target
    assert target.startswith("/base/fixed/")
    assert target.endswith("/end")
    assert target.count("/") == 4
    assert not set(target) & set("?#\\ \r\n\t")


@given(st.text(max_size=60))
def test_no_text_makes_a_second_header(text: str) -> None:
    call = HttpCall("GET", (), None, lambda names: {"x-about": names["text"]}, None, None, Meaning())
    if text.strip() == text and text.isascii() and text.isprintable():
        assert prepared(call, "", {"text": text}).headers == (("x-about", text),)
    elif not text.isascii() or set(text) & set("\r\n\0"):
        with pytest.raises(ToolFailure, match="request_not_made"):
            prepared(call, "", {"text": text})


BODIES: list[tuple[str, str, str, str]] = [
    ("json", 'json: {q: "{{ query }}", of: [a, "{{ query }}"]}', '{"q":"é&","of":["a","é&"]}', "application/json"),
    ("form", 'form: {q: "{{ query }}", most: 1}', "q=%C3%A9%26&most=1", "application/x-www-form-urlencoded"),
]  # fmt: skip


@pytest.mark.parametrize(("why", "body", "sent", "kind"), BODIES, ids=[row[0] for row in BODIES])
def test_a_body_is_json_or_a_form(
    tmp_path: Path, server: HttpServer, why: str, body: str, sent: str, kind: str
) -> None:
    tools = (
        '  desk.put:\n    adapter: http\n    settings: {address: "{{ settings.address }}"}\n'
        f"    request: {{{body}}}\n"
    )
    toolbox, found = opened(tmp_path, tools, settings=ADDRESS, given={"address": server.address})
    assert toolbox is not None, found
    server.gives(json={"id": 7})
    write = Request("desk.put", {"query": "é&"}, "write", "key-of-this-write", timeout=20)
    assert asked(toolbox, write, write) == [{"id": 7}, {"id": 7}]
    for request in server.requests:
        assert (request["method"], request["body"].replace(" ", "")) == ("POST", sent)
        assert request["headers"]["content-type"] == kind
        assert request["headers"]["idempotency-key"] == "key-of-this-write"
        assert "authorization" not in request["headers"]


@pytest.mark.parametrize(
    ("settings", "header", "value"),
    [
        ("basic_from: PAIR", "authorization", "Basic dXNlcjpwYXNzd29yZC00NzEx"),
        ("secret_headers: {X-Token: KEY}", "x-token", KEY),
        ("headers: {X-Fixed: plain}", "x-fixed", "plain"),
    ],
)
def test_credentials_come_from_the_environment(
    tmp_path: Path, server: HttpServer, monkeypatch: pytest.MonkeyPatch, settings: str, header: str, value: str
) -> None:
    monkeypatch.setenv("PAIR", "user:password-4711")
    server.answers({"when": {"path": "/v1/things/tea"}, "give": {"echo": True}})
    tools = FIND.replace(", bearer_from: KEY%s", f", {settings}").replace("success: answer.items is present", "")
    tools = tools.replace('"{{ answer.items }}"', '"{{ [] }}"').replace(
        "more: false", 'next: "{{ answer.headers | to_json }}"'
    )
    toolbox, found = opened(tmp_path, tools, settings=ADDRESS, given={"address": server.address})
    assert toolbox is not None, found
    answer = asked(toolbox, find(query="tea"))[0]
    assert server.requests[0]["headers"][header] == value
    if header != "x-fixed":
        # A service that repeats the credentials does not bring them into the run.
        for secret in ("password-4711", KEY, "dXNlcjpwYXNzd29yZC00NzEx"):
            assert secret not in answer["next"]


def test_no_argument_takes_the_place_of_a_credential(tmp_path: Path, server: HttpServer) -> None:
    tools = FIND.replace("bearer_from: KEY%s", "secret_headers: {X-Token: KEY}")
    tools = tools.replace("      query:", '      headers: {X-token: "{{ query }}"}\n      query:')
    server.gives(json={"items": []})
    toolbox, found = opened(tmp_path, tools, settings=ADDRESS, given={"address": server.address})
    assert toolbox is not None, found
    assert refused(toolbox).code == "request_not_made"
    assert server.requests == []


def test_a_key_in_the_address_is_escaped_and_told_nobody(
    tmp_path: Path, server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "k/4711+&=never-to-be-seen"
    monkeypatch.setenv("PAIR", key)
    tools = FIND.replace("bearer_from: KEY%s", "secret_query: {api_key: PAIR}, redirects: 1")
    for give in (
        {"json": {"items": []}},
        {"status": 400, "json": {"message": f"no such page: /things?api_key={quote(key, safe='')}"}},
        {"status": 400, "raw": f"refused {key}", "type": "text/plain"},
        {"status": 302, "headers": {"location": "http://elsewhere.invalid/?" + quote(key, safe="")}, "raw": ""},
        {"status": 307, "headers": {"location": "/v1/things/tea?" + quote(key, safe="")}, "raw": ""},
    ):
        server.answers({"give": give})
        toolbox, found = opened(tmp_path, tools, settings=ADDRESS, given={"address": server.address})
        assert toolbox is not None, found
        answer = asked(toolbox, find(query="tea"))[0]
        assert server.requests[-1]["query"].get("api_key", key) == key
        if isinstance(answer, ToolFailure):
            told(answer, key, quote(key, safe=""), "never-to-be-seen")


def test_no_argument_takes_the_place_of_a_key_in_the_address(tmp_path: Path, server: HttpServer) -> None:
    tools = FIND.replace("bearer_from: KEY%s", "secret_query: {w: KEY}")
    server.gives(json={"items": []})
    toolbox, found = opened(tmp_path, tools, settings=ADDRESS, given={"address": server.address})
    assert toolbox is not None, found
    assert refused(toolbox).code == "request_not_made"
    assert server.requests == []


def test_a_missing_key_is_said_by_the_name_of_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KEY")
    toolbox, found = opened(tmp_path, FIND % "", settings=ADDRESS, given={"address": "http://127.0.0.1:9"})
    assert toolbox is None
    assert [one.code for one in found] == ["tool/key-missing"]
    assert "KEY" in found[0].message.en


# --- what comes back --------------------------------------------------------------------------------------------------

OK = {"json": {"items": []}}
FAILURES: list[tuple[str, str, dict[str, Any]]] = [
    ("a broken connection before anything came", "connection_lost", {"close": True}),
    ("a body cut in the middle", "answer_cut", {**OK, "cut": 5}),
    ("too many requests", "rate_limited", {"status": 429, "json": {}}),
    ("too many requests, as a page", "rate_limited", {"status": 429, "raw": "<h1>slow</h1>", "type": "text/html"}),
    ("a sign-in that has expired", "key_refused", {"status": 401, "json": {"error": f"token {KEY} expired"}}),
    ("a missing scope", "access_denied", {"status": 403, "json": {"error": KEY[:14]}}),
    ("nothing there", "service_not_found", {"status": 404, "raw": "<h1>404</h1>", "type": "text/html"}),
    ("a bad request", "request_refused", {"status": 400, "json": {}}),
    ("a server that fails", "server_error", {"status": 500, "raw": "oops", "type": "text/plain"}),
    ("a gateway without a server", "server_error", {"status": 502, "raw": "<html>", "type": "text/html"}),
    ("a page to sign in", "answer_not_json", {"raw": "<html>log in</html>", "type": "text/html"}),
    ("words where JSON is wanted", "answer_not_json", {"raw": "fine", "type": "text/plain"}),
    ("a page that says it is JSON", "answer_garbled", {"raw": "<html>log in</html>"}),
    ("JSON without an end", "answer_garbled", {"raw": '{"items": ['}),
    ("a field that stands twice", "answer_garbled", {"raw": '{"items": [], "items": [1]}'}),
    ("NaN", "answer_garbled", {"raw": '{"items": NaN}'}),
    ("JSON nested without end", "answer_garbled", {"raw": "[" * 100_000}),
    ("bytes that are no UTF-8", "answer_garbled", {"hex": "7b22c3282d7d"}),
    ("an encoding that nobody knows", "answer_garbled", {"hex": "7b7d", "type": "application/json; charset=klingon"}),
    ("an encoding that was not asked for", "answer_garbled", {**OK, "headers": {"content-encoding": "br"}}),
    ("an encoding that it is not in", "answer_garbled", {**OK, "headers": {"content-encoding": "gzip"}}),
    ("a flood", "answer_too_large", {"flood": 2, "raw": "{}"}),
    ("a small body that unpacks to a flood", "answer_too_large", {"bomb": 50}),
    ("another schema", "not_successful", {"json": {"results": []}}),
    ("another schema, deeper", "answer_unexpected", {"json": [1, 2]}),
    ("null", "not_successful", {"raw": "null"}),
    ("nothing at all", "not_successful", {"raw": ""}),
    ("no content", "not_successful", {"status": 204, "raw": ""}),
    ("another address", "redirected", {"status": 302, "headers": {"location": "http://elsewhere.invalid/"}, "raw": ""}),
    ("the error of the contract", "GONE", {"status": 410, "json": {"error": f"gone for {KEY}", "hint": KEY}}),
    ("an error that comes with 200", "BUSY", {"json": {"state": "busy", "wait": 3}}),
]


@pytest.mark.parametrize(("why", "code", "give"), FAILURES, ids=[row[0] for row in FAILURES])
def test_what_is_no_answer_has_a_code_of_its_own(
    tmp_path: Path, server: HttpServer, why: str, code: str, give: dict[str, Any]
) -> None:
    server.gives(**give)
    failed = refused(toolbox_for(tmp_path, server, more=", largest_answer: 1000000"))
    assert failed.code == code
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("kind", "form", "remedy"),
    [
        ("text/plain", "json", True),
        ("application/x-own", "json", True),
        ("text/html", "json", False),
        ("application/x-own], redirects: 5 #/x", "json", False),
        ("application/" + "x" * 70, "json", True),
        ("application/json", "text", True),
    ],
)
def test_a_content_type_that_may_hold_what_is_wanted_is_told_with_the_setting_that_takes_it(
    tmp_path: Path, server: HttpServer, kind: str, form: str, remedy: bool
) -> None:
    server.gives(raw='{"items": []}', type=kind)
    failed = refused(toolbox_for(tmp_path, server, more=f", answers: {form}"))
    assert (failed.code, f"content_types: [{kind}]" in failed.message) == ("answer_not_json", remedy)
    assert "content_types" not in failed.message or remedy
    told = {"json": ("is not JSON (", "不是 JSON（"), "text": ("is not text (", "不是文本（")}[form]
    assert [words for words in told if words not in str(failed.details["message"])] == []
    if remedy and form == "json":
        server.gives(raw='\ufeff{"items": []}', type=kind)
        taken = toolbox_for(tmp_path, server, more=f", content_types: [{kind}]")
        assert asked(taken, find(query="tea"))[0]["items"] == []


def test_the_words_of_a_service_are_told_without_secrets(tmp_path: Path, server: HttpServer) -> None:
    server.gives(status=410, json={"error": f"gone\nfor {KEY} \u202e" + "x" * 900, "hint": [KEY]})
    failed = refused(toolbox_for(tmp_path, server))
    assert failed.message.startswith("gone for •••")
    assert len(failed.message) <= 301
    assert failed.details["hint"] == ["•••"]


# what came ; what is told beside the status
SAID: list[tuple[str, dict[str, Any], str]] = [
    ("JSON", {"status": 400, "json": {"error": {"message": "q is too long"}}}, "q is too long"),
    (
        "its list",
        {"status": 422, "json": {"detail": [{"loc": ["query", "q"], "msg": "too long"}]}},
        "query.q: too long",
    ),
    ("words", {"status": 400, "raw": "q is too long", "type": "text/plain"}, "q is too long"),
    ("JSON that is called text", {"status": 400, "raw": '{"msg": "no"}', "type": "text/plain"}, "no"),
    ("problem details", {"status": 409, "raw": '{"detail": "late"}', "type": "application/problem+json"}, "late"),
    ("a server that fails", {"status": 503, "json": {"message": "in repair"}}, "in repair"),
    ("a refusal", {"status": 403, "json": {"msg": "no scope a:b", "code": 99991672}}, "no scope a:b (99991672)"),
    ("a key that expired", {"status": 401, "json": {"error": f"token {KEY} expired"}}, "token ••• expired"),
    ("what looks like a template", {"status": 400, "json": {"message": "{{ q }} {% x %}"}}, "{{ q }} {% x %}"),
    ("not done", {"json": {"code": 1, "msg": "no such thing"}}, "no such thing (1)"),
    ("a page", {"status": 500, "raw": "<html>boom</html>", "type": "text/html"}, ""),
    ("a broken body", {"status": 400, "raw": '{"message": ', "type": "application/json"}, '{"message":'),
    ("nothing", {"status": 404, "raw": ""}, ""),
]


@pytest.mark.parametrize(("why", "give", "words"), SAID, ids=[row[0] for row in SAID])
def test_what_the_service_says_itself_is_told(
    tmp_path: Path, server: HttpServer, why: str, give: dict[str, Any], words: str
) -> None:
    server.gives(**give)
    failed = refused(toolbox_for(tmp_path, server))
    told = failed.details["message"]
    assert told["en"] == failed.message
    assert failed.message.partition("; in its own words: ")[2] == told["zh"].partition("；原话：")[2] == words
    if "status" in give:
        assert failed.details.get("service_says", "") == words


ANSWERS: list[tuple[str, dict[str, Any]]] = [
    ("UTF-8", {"json": {"items": [{"id": 1}], "a": "中"}}),
    ("UTF-8 with a mark", {"hex": "efbbbf" + b'{"items": [{"id": 1}]}'.hex()}),
    ("UTF-16 with a mark", {"hex": '{"items": [{"id": 1}]}'.encode("utf-16").hex()}),
    ("GB18030, as the header says", {
        "hex": '{"items": [{"id": 1}], "a": "中"}'.encode("gb18030").hex(), "type": "application/json; charset=GB18030",
    }),
    ("packed", {"json": {"items": [{"id": 1}]}, "gzip": True}),
    ("problem JSON without a type", {"json": {"items": [{"id": 1}]}, "type": ""}),
    ("another kind of JSON", {"json": {"items": [{"id": 1}]}, "type": "application/vnd.api+json; charset=utf-8"}),
]  # fmt: skip


@pytest.mark.parametrize(("why", "give"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_encodings_are_read_as_they_are_declared(
    tmp_path: Path, server: HttpServer, why: str, give: dict[str, Any]
) -> None:
    server.gives(**give)
    assert asked(toolbox_for(tmp_path, server), find(query="tea")) == [{"items": [{"id": 1}], "more": False}]


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "Mon, 01 Jan 2024 00:00:30 GMT", "date": "Mon, 01 Jan 2024 00:00:00 GMT"}, None),
        ({"retry-after": "900"}, 900.0),
        ({"retry-after": "abc"}, None),
        ({"retry-after": "-5"}, None),
        ({"x-ratelimit-reset": "2m59s"}, 179.0),
        ({}, None),
    ],
)
def test_how_long_a_service_asks_to_wait_comes_along(
    tmp_path: Path, server: HttpServer, headers: dict[str, str], wait: float | None
) -> None:
    for status in (429, 503):
        server.gives(status=status, json={}, headers=headers)
        failed = refused(toolbox_for(tmp_path, server))
        if "date" in headers:
            # The server of this test puts its own date in front; an instant of the past asks for no wait.
            assert failed.retry_after == 0.0
        else:
            assert failed.retry_after == wait


def test_an_answer_that_does_not_come_is_a_time_out(tmp_path: Path, server: HttpServer) -> None:
    server.answers({"hold": {"forever": True}, "give": OK})
    assert isinstance(asked(toolbox_for(tmp_path, server), find(query="tea", timeout=0.2))[0], TimeoutError)


def test_nobody_there_is_unreachable(tmp_path: Path) -> None:
    toolbox, _ = opened(tmp_path, FIND % "", settings=ADDRESS, given={"address": "http://127.0.0.1:9"})
    assert toolbox is not None
    failed = refused(toolbox)
    assert (failed.code, failed.message) == ("unreachable", "http://127.0.0.1:9 cannot be reached: Connection refused")


# --- redirects and proxies --------------------------------------------------------------------------------------------


def redirect(where: str, status: int = 302) -> dict[str, Any]:
    return {"when": {"path": "/v1/things/tea"}, "give": {"status": status, "headers": {"location": where}, "raw": ""}}


def test_a_redirect_is_followed_only_where_it_is_declared(tmp_path: Path, server: HttpServer) -> None:
    server.answers(redirect("/v1/things/coffee"), {"give": {"json": {"items": [{"id": 2}]}}})
    assert refused(toolbox_for(tmp_path, server)).code == "redirected"
    assert len(server.requests) == 1
    server.answers(redirect("/v1/things/coffee"), {"give": {"json": {"items": [{"id": 2}]}}})
    toolbox = toolbox_for(tmp_path, server, more=", redirects: 2")
    assert asked(toolbox, find(query="tea"))[0]["items"] == [{"id": 2}]
    assert [request["path"] for request in server.requests] == ["/v1/things/tea", "/v1/things/coffee"]


@pytest.mark.parametrize(
    "where",
    [
        "http://127.0.0.1:{other}/v1/things/coffee",
        "//127.0.0.1:{other}/coffee",
        "http://user@127.0.0.1:{port}/coffee",
        "https://127.0.0.1:{port}/coffee",
        "file:///etc/passwd",
        "http://[::1]:{port}/coffee",
        "http://localhost:{port}/coffee",
        "gopher://127.0.0.1:{port}/",
        "http://[::1/coffee",
        "http://[/",
        "//[v1.x/",
        "http://127.0.0.1:99999/coffee",
        "http://127.0.0.1:{port}x/coffee",
        "http://127.0.0.1:{port}\\@127.0.0.1:{other}/coffee",
        "http://127.0.0.1%3a{port}/coffee",
        "http://xn--a-b-c-\x80/coffee",
        "http://xn--127.0.0.1:{port}/coffee",
        "http://\xe9.example/",
        "http://127.0.0.1.:{port}/coffee",
        "http://xn--" + "a" * 20_000 + "/",
    ],
)
def test_credentials_never_follow_a_redirect_to_another_place(tmp_path: Path, server: HttpServer, where: str) -> None:
    with http_server_in(tmp_path / "other") as other:
        server.answers(redirect(where.format(port=server.port, other=other.port)), {"give": OK})
        failed = refused(toolbox_for(tmp_path, server, more=", redirects: 5"))
        assert failed.code == "redirected"
        assert len(server.requests) == 1
        assert other.requests == []


def test_redirects_that_go_in_a_circle_end(tmp_path: Path, server: HttpServer) -> None:
    server.answers(redirect("/v1/things/tea"))
    assert refused(toolbox_for(tmp_path, server, more=", redirects: 5")).code == "too_many_redirects"
    assert len(server.requests) == 1


def test_a_write_is_not_sent_elsewhere_by_a_redirect(tmp_path: Path, server: HttpServer) -> None:
    tools = (
        '  desk.put:\n    adapter: http\n    settings: {address: "{{ settings.address }}", redirects: 3}\n'
        '    request: {path: [things, tea], json: {q: "{{ query }}"}}\n'
    )
    toolbox, _ = opened(tmp_path, tools, settings=ADDRESS, given={"address": server.address})
    assert toolbox is not None
    server.answers(
        {"when": {"path": "/things/tea"}, "give": {"status": 302, "headers": {"location": "/other"}, "raw": ""}},
        {"give": {"json": {"id": 1}}},
    )
    failed = asked(toolbox, Request("desk.put", {"query": "a"}, "write", "k", timeout=20))[0]
    assert told(failed).code == "redirected"
    assert [request["method"] for request in server.requests] == ["POST"]


def test_proxies_of_the_environment_are_used_only_where_the_profile_says_so(
    tmp_path: Path, server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    server.gives(**OK)
    assert asked(toolbox_for(tmp_path, server), find(query="tea"))[0]["items"] == []
    assert refused(toolbox_for(tmp_path, server, more=", environment_proxies: true")).code == "unreachable"


def test_cookies_of_one_call_are_not_sent_with_the_next(tmp_path: Path, server: HttpServer) -> None:
    server.gives(json={"items": []}, headers={"set-cookie": "session=1; Path=/"})
    asked(toolbox_for(tmp_path, server), find(query="tea"), find(query="tea"))
    assert [request["headers"].get("cookie") for request in server.requests] == [None, None]


# --- several requests for one call ------------------------------------------------------------------------------------

EACH = """\
  desk.find:
    adapter: http
    settings: {address: "{{ settings.address }}"}
    for_each:
      each: word
      in: words
      together:
        items: {each: r, in: results | where(ok=true), give: {id: "{{ r.value.id }}"}}
        next: "{{ results | pluck('error') | to_json }}"
    request: {path: [word, "{{ word }}"]}
"""


def test_one_request_for_each_entry_keeps_what_failed_beside_what_did_not(tmp_path: Path, server: HttpServer) -> None:
    toolbox, found = opened(tmp_path, EACH, settings=ADDRESS, given={"address": server.address})
    assert toolbox is not None, found
    server.answers(
        {"when": {"path": "/word/b"}, "give": {"status": 500, "raw": ""}},
        {"give": {"json": {"id": 4}}},
    )
    answer = asked(toolbox, find(words=["a", "b", "c"]))[0]
    assert answer["items"] == [{"id": 4}, {"id": 4}]
    assert '"code":"server_error"' in answer["next"].replace(" ", "")
    server.gives(status=500, raw="")
    assert told(asked(toolbox, find(words=["a", "b"]))[0]).code == "server_error"
    assert len(server.requests) == 2
    server.gives(status=429, raw="")
    assert told(asked(toolbox, find(words=["a", "b"]))[0]).code == "rate_limited"
    assert len(server.requests) == 1, "what holds for the whole service is asked once"


# --- settings, and what is lasting ------------------------------------------------------------------------------------


def test_settings_that_do_not_fit_are_said_with_what_would() -> None:
    unfit: dict[str, Any] = {
        "address": [
            "",
            1,
            "ftp://h",
            "http://",
            "http://u:p@h",
            "http://h?x",
            "http://h#x",
            "http://h/a b",
            "http://h/../x",
        ],
        "bearer_from": ["sk-1234 5678", "Bearer x", 1],
        "basic_from": ["user:password"],
        "secret_headers": [{"x\ny": "KEY"}, {"Authorization": "KEY"}, {"X": "not a name"}, "KEY"],
        "secret_query": [{"a b": "KEY"}, {"a&b": "KEY"}, {"": "KEY"}, {"key": "sk-live 4711"}, {"key": 1}, "KEY"],
        "headers": [
            *({"Authorization": "Bearer x"}, {"Cookie": "a=b"}, {"X-Api-Key": "abc"}, {"PRIVATE-TOKEN": "abc"}),
            *({"X": "a\r\nb"}, {"X": 1}, {"Host": "h"}),
        ],
        "answers": ["xml"],
        "content_types": ["json", [], [1]],
        "redirects": [-1, 6, True, "1"],
        "largest_answer": [0, True],
        "seconds": [0, "1", 3601],
        "idempotency_header": ["a b", 1],
        "environment_proxies": ["yes", 1],
    }
    assert unfit.keys() == SETTINGS.keys()
    for name, values in unfit.items():
        for value in values:
            made, problems = read_settings({"address": "https://h", name: value})
            missing = name == "address" and value == ""
            assert made is None, (name, value)
            code = "tool/adapter-setting-missing" if missing else "tool/adapter-setting-unfit"
            assert code in [one for one, _ in problems], (name, value)
    assert read_settings({"address": "https://h", "adress": 1})[1][0][0] == "tool/unknown-adapter-setting"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://h/v1/", "https://h/v1"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://h:8080", "http://h:8080 (not encrypted)"),
    ],
)
def test_a_profile_says_whom_it_contacts(address: str, said: str) -> None:
    made, _ = read_settings({"address": address})
    assert made is not None
    assert contacts_of(made).en == said


def test_what_it_takes_along_is_said_too() -> None:
    made, _ = read_settings({"address": "https://h", "bearer_from": "TOKEN", "environment_proxies": True})
    assert made is not None
    words = "credentials from the environment variables TOKEN, through the proxies of the environment"
    assert contacts_of(made).en == f"https://h ({words})"


HOSTS = [
    ("a.example", True),
    ("localhost", True),
    ("A-1.example.", True),
    ("my_service", True),
    ("127.0.0.1", True),
    ("[::1]", True),
    ("xn--bcher-kva.example", True),
    ("xn--fiqs8s", True),
    ("xn--a-b-c.example", False),
    ("xn--127.0.0.1", False),
    ("xn--", False),
    ("xn--" + "a" * 20_000, False),
    ("a..b", False),
    ("a%41", False),
    ("a<b>", False),
    ("-a", False),
    ("a-", False),
    ("999.1.1.1", False),
    ("[1::z]", False),
    ("[v1.x]", False),
    ("a" * 64, False),
    ("a." * 150, False),
]


@pytest.mark.parametrize(("host", "is_taken"), HOSTS, ids=[row[0][:30] for row in HOSTS])
def test_a_host_is_a_name_that_every_client_takes(host: str, is_taken: bool) -> None:
    for scheme in ("http", "https"):
        assert (plain_address(f"{scheme}://{host}:8000/a") is not None) is is_taken


@given(st.text())
def test_only_plain_addresses_pass(text: str) -> None:
    for address in (text, f"http://{text}", f"https://h/{text}"):
        plain = plain_address(address)
        assert plain is None or (plain.startswith(("http://", "https://")) and not set(plain) & set("?#\\ \n"))


def test_every_code_has_a_kind_and_both_languages() -> None:
    for code, error in SERVICE_ERRORS.items():
        assert error.kind in ERROR_KINDS, code
        assert error.words.zh != error.words.en
        assert error.words.zh.count("{") <= error.words.en.count("{") + 1


def test_a_secret_is_found_whole_in_part_and_in_other_spellings() -> None:
    secrets = Secrets([KEY, "a/b+c d%"])
    assert secrets.masked(f"x {KEY} y") == "x ••• y"
    assert secrets.masked(f"x {KEY[:9]}… y") == "x •••… y"
    assert secrets.masked("a%2Fb%2Bc%20d%25") == "•••"
    assert secrets.masked("nothing of it") == "nothing of it"
    assert secrets.cleared({KEY: [f"a{KEY}", 1, None]}) == {"•••": ["a•••", 1, None]}
    assert not Secrets([])


SIGNS = 'sk-"a\\"b/c+d%e\\\\_9&'
WRITINGS: list[tuple[str, Any]] = [
    ("as JSON", dumps),
    ("as JSON in JSON", lambda text: dumps(dumps(text))),
    ("as JSON in JSON in JSON", lambda text: dumps(dumps(dumps(text)))),
    ("as JSON with codes", lambda text: _codes(text)),
    ("as JSON with a slash that is escaped", lambda text: dumps(text).replace("/", "\\/")),
    ("in an address", quote),
    ("in an address, twice", lambda text: quote(quote(text, safe=""))),
    ("in an address, in small letters", lambda text: quote(text).lower()),
    ("in an address, every sign", lambda text: "".join(f"%{octet:02x}" for octet in text.encode())),
    *[
        (f"in base64 behind {more} bytes", lambda text, more=more: _base64("x" * more + text + "yy"))
        for more in range(4)
    ],
    *[(f"for addresses behind {more}", lambda text, more=more: _base64("?" * more + text, "-_")) for more in range(4)],
]


def _codes(text: str) -> str:
    units = text.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex().upper()}" for at in range(0, len(units), 2))


def _base64(text: str, signs: str = "+/") -> str:
    return b64encode(text.encode(), signs.encode()).decode()


@pytest.mark.parametrize(("how", "written"), WRITINGS, ids=[row[0] for row in WRITINGS])
@pytest.mark.parametrize("secret", [KEY, SIGNS, "clé-d'été 密码😀"])
def test_a_secret_is_found_however_others_write_it(how: str, written: Any, secret: str) -> None:
    secrets = Secrets([secret])
    for found in (secrets.without(f"a {written(secret)} b"), secrets.masked(f"a {written(secret)} b")):
        assert "•••" in found
        assert len(found) < 24
    assert str(secrets.cleared({"a": [written(secret)]})).count("•••") == 1


def test_looking_for_secrets_takes_a_time_that_grows_with_the_text() -> None:
    secrets = Secrets([SIGNS, "a" * 300])
    started = time.process_time()
    for text in ("\\" * 1_000_000, "%25" * 300_000, "a" * 299 + '"\\' * 300_000, "\\u0061" * 100_000):
        secrets.without(text)
    assert time.process_time() - started < 10


@pytest.mark.long
def test_a_thousand_calls_leave_nothing_behind(tmp_path: Path, server: HttpServer) -> None:
    server.gives(json={"items": []})
    toolbox = toolbox_for(tmp_path, server)
    before = len(os.listdir("/proc/self/fd"))

    async def ask() -> tuple[int, int]:
        for _ in range(1000):
            await toolbox.invoke(find(query="tea"), lambda: False)  # type: ignore[misc]
        held = len(os.listdir("/proc/self/fd"))
        await toolbox.close()
        return held, len(asyncio.all_tasks())

    held, tasks = asyncio.run(ask())
    gc.collect()
    assert held - before < 12
    assert tasks == 1
    assert len(os.listdir("/proc/self/fd")) <= before


def test_a_contract_knows_the_errors_of_services(tmp_path: Path) -> None:
    from interpreter.documents.loading import Loader
    from interpreter.documents.reading import Disk
    from interpreter.model import ToolDocument

    opened(tmp_path, "  desk.find: {adapter: compute, answer: {more: false}}\n")
    loaded = Loader(tmp_path, Disk()).load("tools/desk.yaml", "tools").document
    assert isinstance(loaded, ToolDocument)
    plans = {each.name: contract_of(each) for each in loaded.contracts}
    assert plans["desk.find"].error("server_error", "")["happened"] == "never"
    assert plans["desk.put"].error("server_error", "")["happened"] == "perhaps"
    assert plans["desk.put"].error("unreachable", "")["happened"] == "never"
    assert plans["desk.find"].error("BUSY", "")["kind"] == "transient"


# --- what surely never happened ---------------------------------------------------------------------------------------


PUT = """\
  desk.put:
    adapter: http
    settings: {address: "{{ settings.address }}", redirects: 2}
    request: {path: [things, tea], json: {q: "{{ query }}"}}
    errors: [{when: "answer.state is present", code: "{{ answer.state }}"}]
"""
PASSED_ON: list[tuple[str, dict[str, Any], str]] = [
    ("the sign-in is refused", {"status": 401, "raw": ""}, "key_refused"),
    ("there are too many requests", {"status": 429, "raw": ""}, "rate_limited"),
    ("an error of the contract", {"json": {"state": "BUSY"}}, "BUSY"),
    ("and on, in a circle", {"status": 307, "headers": {"location": "/things/tea"}, "raw": ""}, "too_many_redirects"),
    ("and elsewhere", {"status": 307, "headers": {"location": "http://127.0.0.1:9/"}, "raw": ""}, "redirected"),
]


@pytest.mark.parametrize(("why", "give", "code"), PASSED_ON, ids=[row[0] for row in PASSED_ON])
def test_a_write_that_was_passed_on_may_have_happened(
    tmp_path: Path, server: HttpServer, why: str, give: dict[str, Any], code: str
) -> None:
    toolbox, _ = opened(tmp_path, PUT, settings=ADDRESS, given={"address": server.address})
    assert toolbox is not None
    write = Request("desk.put", {"query": "a"}, "write", "k", timeout=20)
    if give.get("status") != 307:
        server.gives(**give)
        at_once = told(asked(toolbox, write)[0])
        assert (at_once.code, at_once.is_unsure) == (code, False)
    away = {"status": 307, "headers": {"location": "/other"}, "raw": ""}
    server.answers({"when": {"path": "/things/tea"}, "give": away}, {"give": give})
    passed_on = told(asked(toolbox, write)[0])
    assert (passed_on.code, passed_on.is_unsure) == (code, True)


LIST = """\
  desk.find:
    adapter: http
    settings: {address: "{{ settings.address }}", redirects: 2}
    request: {path: [list]}
    value: {items: "{{ answer.items | default(['not its own']) }}", more: false}
"""
DONE = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 16\r\n\r\n{"state":"BUSY"}'


@pytest.mark.parametrize("twice", ["/list", "/things/tea"], ids=["a reading", "a write"])
def test_what_a_service_says_twice_is_no_answer_to_a_write_and_that_of_a_write_none_to_anything(
    tmp_path: Path, server: HttpServer, twice: str
) -> None:
    toolbox, _ = opened(tmp_path, PUT + LIST, settings=ADDRESS, given={"address": server.address})
    assert toolbox is not None
    own = {"/list": {"json": {"items": []}}, "/things/tea": {"json": {"state": "FULL"}}}
    behind = {"behind": DONE}
    server.answers(*({"when": {"path": at}, "give": own[at] | (behind if at == twice else {})} for at in own))
    write = Request("desk.put", {"query": "a"}, "write", "k", timeout=20)
    requests = [find(), write] if twice == "/list" else [write, write, find()]
    for answer in asked(toolbox, *requests):
        assert answer == {"items": [], "more": False} or told(answer).code == "FULL"


@pytest.mark.parametrize("name", ["punycode", "idna", "unicode_escape", "utf-7", "zlib_codec", "rot13", "no-such"])
def test_only_names_of_the_web_mean_a_character_set(tmp_path: Path, server: HttpServer, name: str) -> None:
    server.gives(raw='{"items": ["' + "-a" * 300_000 + '"]}', type=f"application/json; charset={name}")
    begins = time.monotonic()
    assert refused(toolbox_for(tmp_path, server)).code == "answer_garbled"
    assert time.monotonic() - begins < 5

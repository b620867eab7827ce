"""Runs over `http` through the real command: pages, waits, expired sign-ins, lost writes, and secrets that stay out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.frozen import freeze, thaw
from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import plan_adapters
from interpreter.documents.loading import Loader
from interpreter.documents.profiles import load_profile
from interpreter.documents.reading import Disk
from interpreter.model import ToolDocument
from tests.cli.kit import Command, Ended
from tests.servers.services import HttpServer, http_server_in
from tests.unit.services_kit import DESK, asked, find

KEY = "sk-never-to-be-seen-4711"
PROFILE = """\
profile: local
settings: {address: {type: string}}
tools:
  desk.find:
    adapter: http
    settings: &service {address: "{{ settings.address }}", bearer_from: DESK_TOKEN}
    request: {path: [items], query: {page_token: "{{ page_token | default(absent) }}"}}
    success: answer.items is present
    value: {items: "{{ answer.items }}", more: "{{ answer.has_more }}", next: "{{ answer.next | default(absent) }}"}
  desk.put: {adapter: http, settings: *service, request: {path: [put], json: {q: "{{ query }}"}}}
"""
LISTING = """\
workflow: listing
version: 1.0.0
effect: read
uses: {tools: [desk]}
data: {found: {type: array, default: []}}
outputs: {found: {type: array, value: "{{ found | pluck('id') }}"}}
states:
  LIST:
    tools: [desk.find]
    steps:
      - call: desk.find
        pages: page
        walk: w
        with: {query: all}
        at_most: 20
        retry: {errors: [transient], at_most: 3, wait: 1ms}
        do:
          - set: {found: "{{ found + page.items }}"}
    next: [{to: end}]
"""
PUTTING = """\
workflow: putting
version: 1.0.0
effect: write
uses: {tools: [desk]}
writes_without_confirmation: a test writes
states:
  PUT:
    tools: [desk.put]
    steps:
      - {call: desk.put, with: {query: tea}, as: done}
    next: [{to: end}]
"""


EACH = """\
profile: local
settings: {address: {type: string}}
tools:
  desk.find:
    adapter: http
    settings: {address: "{{ settings.address }}"}
    for_each:
      each: word
      in: words
      together: {more: false, next: "{{ results | pluck('value') | to_json }}"}
    request: {path: ["{{ word }}"]}
    errors: [{when: "status == 404", code: GONE}]
    let: {a: "{{ answer.path }}"}
    value: "{{ a }}"
"""


class Desk:
    def __init__(self, command: Command, server: HttpServer) -> None:
        self.command = command
        self.server = server
        folder = command.folder / "desk"
        for name, text in (
            ("tools/desk.yaml", DESK.replace("idempotent: true", "idempotent: false")),
            ("profiles/local.yaml", PROFILE),
            ("listing.yaml", LISTING),
            ("putting.yaml", PUTTING),
        ):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def run(self, workflow: str = "listing", key: str = KEY, run_id: str = "one") -> Ended:
        words = ("--set", f"settings.address={self.server.address}", "--run-id", run_id, "--json", "--trust-profile")
        return self.command("run", f"desk/{workflow}.yaml", *words, DESK_TOKEN=key)


@pytest.fixture
def desk(command: Command, tmp_path: Path) -> Iterator[Desk]:
    with http_server_in(tmp_path / "service") as server:
        yield Desk(command, server)


def page(*numbers: int, token: str | None = None, more: bool = False) -> dict[str, Any]:
    following = {"next": token} if token is not None else {}
    return {"json": {"items": [{"id": number} for number in numbers], "has_more": more, **following}}


def at(token: str | None, give: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"when": {"query": {"page_token": token}} if token else {"call": 1}, "give": give, **more}


def test_every_page_is_read_and_nothing_twice(desk: Desk) -> None:
    assert desk.run().json["outputs"]["found"] == [1, 2, 3, 4, 5]
    assert [request["query"].get("page_token") for request in desk.server.requests] == [None, "2", "4"]
    # The second run comes from the kept plan.
    assert desk.run(run_id="two").json["outputs"]["found"] == [1, 2, 3, 4, 5]


LOOPS: list[tuple[str, list[dict[str, Any]], int]] = [
    ("the same token", [{"give": page(1, token="t1", more=True)}], 3),
    ("two tokens in turn", [
        at(None, page(1, token="a", more=True)),
        at("a", page(2, token="b", more=True)),
        at("b", page(3, token="a", more=True)),
    ], 4),
    ("more, and no token", [at(None, page(1, token="a", more=True)), at("a", page(2, more=True))], 3),
    ("empty pages without end", [
        at(None, page(1, token="t0", more=True)),
        *(at(f"t{number}", page(token=f"t{number + 1}", more=True)) for number in range(20)),
    ], 12),
]  # fmt: skip


@pytest.mark.parametrize(("why", "rules", "most"), LOOPS, ids=[row[0] for row in LOOPS])
def test_pages_that_lead_nowhere_block_the_run(desk: Desk, why: str, rules: list[dict[str, Any]], most: int) -> None:
    desk.server.answers(*rules)
    ended = desk.run()
    assert (ended.status, ended.json["status"]) == (4, "blocked")
    assert ended.json["outputs"]["found"], "what was collected is kept"
    assert len(desk.server.requests) <= most


def test_an_empty_page_is_no_end(desk: Desk) -> None:
    desk.server.answers(
        at(None, page(1, 2, token="a", more=True)), at("a", page(token="b", more=True)), at("b", page(3))
    )
    assert desk.run().json["outputs"]["found"] == [1, 2, 3]


def test_a_failure_that_passes_is_tried_again_and_one_that_asks_to_wait_long_ends(desk: Desk) -> None:
    desk.server.answers({"give": {"status": 503, "raw": ""}, "times": 2}, {"give": page(7)})
    assert desk.run().json["outputs"]["found"] == [7]
    assert len(desk.server.requests) == 3
    desk.server.answers({"give": {"status": 429, "json": {}, "headers": {"retry-after": "90000"}}})
    ended = desk.run(run_id="two")
    assert (ended.status, ended.json["status"]) == (4, "blocked")
    assert len(desk.server.requests) == 1
    assert "90000 s" in json.dumps(ended.json["blocked"])


def test_an_expired_sign_in_blocks_and_a_renewed_one_goes_on_from_the_same_page(desk: Desk) -> None:
    expired = {"when": {"query": {"page_token": "2"}, "header": {"authorization": f"Bearer {KEY}"}}}
    desk.server.answers({**expired, "give": {"status": 401, "json": {"error": f"{KEY} has expired"}}})
    ended = desk.run()
    assert (ended.status, ended.json["status"]) == (4, "blocked")
    assert "DESK_TOKEN" in ended.err
    assert ended.json["outputs"]["found"] == [1, 2]
    on = desk.command("resume", "one", "--json", DESK_TOKEN="sk-another-key-of-mine")
    assert (on.status, on.json["outputs"]["found"]) == (0, [1, 2, 3, 4, 5])
    assert [request["query"].get("page_token") for request in desk.server.requests] == [None, "2", "2", "4"]
    kept = b"".join(path.read_bytes() for path in desk.command.home.rglob("*") if path.is_file())
    for secret in (KEY, KEY[:12], "sk-another-key-of-mine"):
        assert secret.encode() not in kept
        assert secret not in ended.out + ended.err + on.out + on.err


@pytest.mark.parametrize(
    "give", [{"close": True}, {"json": {"id": 1}, "cut": 3}, {"status": 502, "raw": ""}, {"raw": "<p>"}]
)
def test_a_write_of_which_nobody_knows_is_never_sent_twice(desk: Desk, give: dict[str, Any]) -> None:
    desk.server.answers({"give": give, "times": 1}, {"give": {"json": {"id": 2}}})
    ended = desk.run("putting")
    assert (ended.status, ended.json["waiting"][0]["kind"]) == (3, "unknown_write"), ended
    assert desk.command("resume", "one", DESK_TOKEN=KEY).status == 3
    assert len(desk.server.requests) == 1


@pytest.mark.parametrize(
    "give", [{"status": 401, "json": {}}, {"status": 403, "json": {}}, {"status": 429, "json": {}}]
)
def test_a_write_that_was_refused_for_certain_is_no_question(desk: Desk, give: dict[str, Any]) -> None:
    desk.server.answers({"give": give, "times": 1}, {"give": {"json": {"id": 2}}})
    ended = desk.run("putting")
    assert (ended.status, ended.json["status"]) == (4, "blocked")
    assert desk.command("resume", "one", DESK_TOKEN=KEY).status == 0
    assert len(desk.server.requests) == 2


def test_a_plan_that_was_kept_asks_the_same(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "profiles").mkdir()
    (tmp_path / "tools" / "desk.yaml").write_text(DESK, "utf-8")
    path = tmp_path / "profiles" / "local.yaml"
    path.write_text(EACH, "utf-8")
    profile, found = load_profile(path)
    assert profile is not None, found
    loaded = Loader(tmp_path, Disk()).load("tools/desk.yaml", "tools").document
    assert isinstance(loaded, ToolDocument)
    with http_server_in(tmp_path / "service") as server:
        server.gives(echo=True)
        contracts = {each.name: each for each in loaded.contracts}
        plans, found = plan_adapters(profile, contracts, {"address": server.address}, tmp_path)
        assert found == []
        toolbox, _ = open_planned(thaw(freeze(plans)))
        assert toolbox is not None
        assert json.loads(asked(toolbox, find(words=["a", "b"]))[0]["next"]) == ["/a", "/b"]

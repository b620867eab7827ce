"""The shipped profiles of services: what they answer fits the contracts, and a search ends as on this machine."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.notes.adapter import NotesAdapter
from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import plan_adapters
from interpreter.adapters.toolbox import Toolbox
from interpreter.documents.loading import Loader
from interpreter.documents.profiles import load_profile
from interpreter.documents.reading import Disk
from interpreter.model import Contract, Profile, ToolDocument
from interpreter.plan.contracts import contract_of
from interpreter.ports import Request
from tests.cli.kit import Command
from tests.servers.services import MCP_PROGRAM, HttpServer, http_server_in, write
from tests.unit.services_kit import asked, told

SPECS = Path(__file__).parents[2] / "specs"
NOW = "2026-10-20T09:00:00Z"


def profile_of(name: str) -> Profile:
    profile, found = load_profile(SPECS / "profiles" / f"{name}.yaml")
    assert profile is not None, found
    return profile


def contracts_of(document: str) -> dict[str, Contract]:
    loaded = Loader(SPECS, Disk()).load(f"tools/{document}.yaml", "tools").document
    assert isinstance(loaded, ToolDocument)
    return {each.name: each for each in loaded.contracts}


def toolbox_of(name: str, document: str, given: dict[str, Any], folder: Path) -> Toolbox:
    plans, found = plan_adapters(profile_of(name), contracts_of(document), given, folder)
    assert found == []
    toolbox, found = open_planned(plans)
    assert toolbox is not None, found
    return toolbox


# --- notes over MCP ---------------------------------------------------------------------------------------------------

NOTE = "lighthouse-weekly-1016"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_notes", {"keyword": "灯塔", "limit": 3}),
    ("search_notes", {"tags": ["#项目/灯塔"]}),
    ("search_notes", {"keyword": "没有这个词组合"}),
    ("find_tags", {"keyword": "项目"}),
    ("find_tags", {}),
    ("search_note_content", {"note_id": NOTE, "query": "命中率"}),
    ("search_note_content", {"note_id": NOTE, "query": "没有"}),
    ("get_note_info", {"note_id": NOTE}),
    ("get_note_info", {"note_ids": [NOTE, "nope"]}),
    ("get_note_outline", {"note_id": NOTE}),
    ("get_note_outline", {"note_id": NOTE, "block_limit": 2}),
    ("read_section", {"note_id": NOTE, "heading_block_id": "wiarfa2v66"}),
    ("read_section", {"note_id": NOTE, "heading_block_id": "wiarfa2v66", "max_blocks": 1}),
    ("read_blocks", {"note_id": NOTE, "block_ids": ["3l8gtckysg"]}),
    ("read_blocks", {"note_id": NOTE, "block_id": "3l8gtckysg", "before": 1, "after": 1}),
    ("read_note", {"note_id": NOTE}),
    ("read_note_content", {"note_id": NOTE, "max_length": 100}),
]
#: What a folder of notes knows and the service does not say.
_ONLY_HERE = {"path", "links", "count", "heading_block_id", "missing", "link_id", "attrs"}


def _bare(value: Any, *, top: bool = True) -> Any:
    if isinstance(value, list):
        return [_bare(entry, top=False) for entry in value]
    if isinstance(value, dict):
        left_out = _ONLY_HERE if top else {*_ONLY_HERE, "heading"}
        return {name: _bare(inner, top=False) for name, inner in value.items() if name not in left_out}
    return value


@pytest.mark.parametrize("shape", ["mapping", "array"])
def test_notes_over_mcp_answer_as_the_folder_does(tmp_path: Path, shape: str) -> None:
    pytest.importorskip("mcp")
    from interpreter.adapters.mcp.pins import digest_of, write_pins
    from tests.servers.mcp_server import usual_tools

    shutil.copytree(SPECS / "samples" / "notes", tmp_path / "notes")
    write(tmp_path / "script.json", {"shape": shape})
    given = {"program": sys.executable, "argv": [str(MCP_PROGRAM), str(tmp_path)]}
    toolbox = toolbox_of("wpsnote_mcp", "notes", given, tmp_path)
    adapter = toolbox.adapter_of("notes.read_note")
    write_pins(adapter.lock, adapter.resolved_identity(), {name: digest_of(one) for name, one in usual_tools().items()})
    assert "delete_note" not in adapter.used
    here = NotesAdapter({"vault": str(SPECS / "samples" / "notes")})
    contracts = contracts_of("notes")
    requests = [Request(f"notes.{tool}", arguments, "read", "k", timeout=30) for tool, arguments in CALLS]
    for request, answer in zip(requests, asked(toolbox, *requests), strict=True):
        contract = contract_of(contracts[request.tool])
        there = contract.interpret(request, answer)
        assert there["ok"], there
        local = contract.interpret(request, here.invoke(request.tool, request.arguments))["value"]
        if shape == "array" and request.tool == "notes.search_notes":
            there["value"].pop("meta"), local.pop("meta")
        assert _bare(there["value"]) == _bare(local), request
    missing = told(asked(toolbox, Request("notes.read_note", {"note_id": "nope"}, "read", "k", timeout=30))[0])
    assert (missing.code, missing.details["retryable"]) == ("NOTE_NOT_FOUND", False)
    assert missing.details["hints"][0]["tool"] == "search_notes"


@pytest.mark.long
def test_a_deep_search_over_mcp_ends_as_on_the_folder(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    specs, server = tmp_path / "own", tmp_path / "server"
    shutil.copytree(SPECS, specs)
    shutil.copytree(SPECS / "samples" / "notes", server / "notes")
    profile = ("--profile", str(specs / "profiles" / "wpsnote_mcp.yaml"))
    argv = json.dumps([str(MCP_PROGRAM), str(server)])
    service = ("--set", f"settings.program={sys.executable}", "--set", f"settings.argv={argv}")
    search = (
        "--input",
        "query=灯塔项目的缓存命中率是多少",
        "--input",
        f"now={NOW}",
        "--input",
        "source_mode=notes_only",
    )
    run = ("run", str(specs / "wps_deep_search.yaml"), *search, "--json")

    refused = command(*run, *profile, *service)
    assert refused.code == "command/profile-not-trusted"
    unpinned = command(*run, *profile, *service, "--trust-profile")
    assert "tool_not_pinned" in json.dumps(unpinned.json)
    looked_at = command("tools", "pin", *profile, *service)
    assert (looked_at.status, "not pinned yet" in looked_at.err) == (1, True)
    pinned = command("tools", "pin", *profile, *service, "--accept")
    assert pinned.status == 0, pinned
    there = command(*run, *profile, *service)
    here = command(*run)
    assert (there.status, here.status) == (0, 0), there
    for name in ("claims", "evidence", "confidence", "search_dimensions"):
        assert there.json["outputs"][name] == here.json["outputs"][name], name
    checked = command("tools", "check", *profile, *service)
    assert "stand-in 1" in checked.out, checked
    write(server / "script.json", {"tools": {"read_note": {"description": "other"}}})
    changed = command("tools", "check", *profile, *service)
    assert (changed.status, "tools pin" in changed.out) == (1, True)


@pytest.mark.long
def test_a_server_that_cannot_be_looked_at_pins_nothing(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    folder = tmp_path / "server"
    folder.mkdir()
    profile = command.folder / "profiles" / "server.yaml"
    profile.write_text(
        "profile: server\ntools:\n  box.fill:\n    adapter: mcp\n    request: {tool: echo}\n"
        f'    settings: {{program: "{sys.executable}", argv: ["{MCP_PROGRAM}", "{folder}"]}}\n',
        "utf-8",
    )
    pin = ("tools", "pin", "--profile", str(profile), "--trust-profile", "--accept")
    write(folder / "script.json", {"start": "die"})
    assert command(*pin).code == "command/server-not-usable"
    write(folder / "script.json", {"tools": {"echo": {"inputSchema": True}}})
    assert command(*pin).code == "command/server-not-usable"
    write(folder / "script.json", {"tools": {"echo": None, "echoes": {}}})
    missing = command(*pin)
    assert (missing.status, "there is no tool echo: did you mean echoes?" in missing.err) == (1, True)
    write(folder / "script.json", {"tools": {"echo": {"description": "\u202eevil\x1b[2J"}}})
    pinned = command(*pin)
    assert (pinned.status, "\x1b[2J" in pinned.err, "\u202e" in pinned.err) == (0, False, False)
    lock = command.folder / "profiles" / "server.lock.json"
    assert next(iter(json.loads(lock.read_text("utf-8"))["servers"].values())).keys() == {"echo"}
    lock.write_text("{", "utf-8")
    assert command(*pin).code == "command/pins-unreadable"


def test_nothing_to_pin_is_said(command: Command) -> None:
    assert command("tools", "pin", "--profile", "profiles/local.yaml").code == "command/nothing-to-pin"


# --- the web ----------------------------------------------------------------------------------------------------------

PAGES = [
    {"url": "https://a.example/1", "title": "<b>星河</b>定价", "text": "168 元", "published": "2026-10-12T08:00:00"},
    {"url": "https://a.example/2", "title": "星河旧闻", "text": "星河以前", "published": "2024-01-01"},
    {"url": "https://a.example/3", "title": "星河不详", "text": "星河"},
]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with http_server_in(tmp_path_factory.mktemp("search"), pages=PAGES) as running:
        yield running


def searched(service: str, server: HttpServer, folder: Path, *requests: Request) -> list[Any]:
    address = server.address if service == "searxng" else f"{server.address}/res/v1/web"
    given = {"service": service, "address": address, **({"key_from": "SEARCH_KEY"} if service == "brave" else {})}
    return asked(toolbox_of("web", "web", given, folder), *requests)


def search(tool: str = "web_search", **arguments: Any) -> Request:
    return Request(f"web.{tool}", arguments, "read", "k", timeout=20)


SERVICES = ("searxng", "brave")


@pytest.mark.parametrize("service", SERVICES)
def test_two_search_services_answer_the_same_contract(
    tmp_path: Path, server: HttpServer, monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    monkeypatch.setenv("SEARCH_KEY", "a-key-for-searching")
    server.answers()
    requests = (
        search(query="星河"),
        search(query="星河", max_results=1),
        search(query="星河", since="2026-10-01", until="2026-10-31T00:00:00Z"),
        search(query="没有人写过"),
        search("batch_web_search", queries=["星河", "没有人写过"], max_results=2),
    )
    answers = searched(service, server, tmp_path, *requests)
    contracts = contracts_of("web")
    for request, answer in zip(requests, answers, strict=True):
        outcome = contract_of(contracts[request.tool]).interpret(request, answer)
        assert outcome["ok"], outcome
    whole, one, dated, nothing, batch = answers
    assert [hit["rank"] for hit in whole["hits"]] == [1, 2, 3]
    assert whole["hits"][0]["title"] == "星河定价"
    assert whole["hits"][2]["published"] is None
    assert (len(one["hits"]), [hit["url"] for hit in dated["hits"]]) == (1, ["https://a.example/1"])
    assert nothing == {"hits": []}
    assert [(each["query"], len(each["hits"]), each["error"]) for each in batch["answers"]] == [
        ("星河", 2, None), ("没有人写过", 0, None),
    ]  # fmt: skip
    keys = {request["headers"].get("x-subscription-token") for request in server.requests}
    assert keys == ({"a-key-for-searching"} if service == "brave" else {None})


HIT = {"url": "https://a.example/1", "title": "甲", "text": "乙", "day": "2026-02-01T00:00:00"}
AS_IS = ("https://a.example/1", "甲", "乙", "2026-02-01T00:00:00")
# what is odd ; the hit ; address, title, snippet and day as they are handed on, None where the hit is left out
ODD_HITS: list[tuple[str, Any, tuple[str, str, str, str | None] | None]] = [
    ("nothing odd", HIT, AS_IS),
    ("no hit", None, None),
    ("a number for a hit", 7, None),
    ("a text for a hit", "https://a.example/1", None),
    ("a list for a hit", [HIT], None),
    ("an empty hit", {}, None),
    *(
        (f"the address {url!r}", {**HIT, "url": url}, None)
        for url in (
            None, "", " ", 7, True, ["https://a.example/1"], {"a": 1}, "javascript:alert(1)",
            "JavaScript://a.example/%0aalert(1)",
            "data:text/html,x", "file:///etc/passwd", "ftp://a.example/1", "/1", "1", "?q=1", "#part", "//a.example/1",
            "a.example/1", "https:", "https://", "https:///1", "https://?q", "https://#x", "http:a.example",
            "mailto:a@a.example",
        )
    ),
    ("blanks around the address", {**HIT, "url": " https://a.example/1\n"}, AS_IS),
    ("capitals in the scheme", {**HIT, "url": "HTTPS://a.example/1"}, ("HTTPS://a.example/1", *AS_IS[1:])),
    *(
        (f"the title {title!r}", {**HIT, "title": title}, (AS_IS[0], read, *AS_IS[2:]))
        for title, read in (
            (None, ""), (2026, "2026"), (1.5, "1.5"), (True, "true"), (["x"], ""), ({"a": 1}, ""), ("<b>x</b>", "x"),
        )
    ),
    *(
        (f"the text {text!r}", {**HIT, "text": text}, (*AS_IS[:2], read, AS_IS[3]))
        for text, read in ((None, ""), (7, "7"), (["x"], ""), ({"a": 1}, ""), ("<i>x</i>", "x"))
    ),
    *(
        (f"the day {day!r}", {**HIT, "day": day}, (*AS_IS[:3], read))
        for day, read in (
            (None, None), ("", None), ("yesterday", None), ("Feb 3, 2026", None), (20260201, None), (1.7e9, None),
            (True, None), (["2026-02-01"], None), ({"y": 2026}, None), ("2026-02-30", None), ("2026-13-01", None),
            ("2026-02", None),
            ("2026-02-01", "2026-02-01"), ("2026-02-01 10:00:00", "2026-02-01 10:00:00"),
            ("2026-03-01T00:00:00+08:00", "2026-03-01T00:00:00+08:00"),
        )
    ),
    ("no field but the address", {"url": HIT["url"]}, (HIT["url"], "", "", None)),
]  # fmt: skip
FIELDS = {"searxng": {"text": "content", "day": "publishedDate"}, "brave": {"text": "description", "day": "page_age"}}


def of_service(service: str, hits: list[Any]) -> dict[str, Any]:
    names = FIELDS[service]
    found = [
        {names.get(name, name): value for name, value in hit.items()} if isinstance(hit, dict) else hit for hit in hits
    ]
    return {"results": found} if service == "searxng" else {"type": "search", "web": {"results": found}}


@pytest.mark.parametrize("service", SERVICES)
def test_an_odd_hit_is_read_as_far_as_it_goes_and_costs_no_other(
    tmp_path: Path, server: HttpServer, monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    monkeypatch.setenv("SEARCH_KEY", "a-key-for-searching")
    server.gives(json=of_service(service, [hit for _, hit, _ in ODD_HITS]))
    requests = (
        search(query="a", max_results=50),
        search("batch_web_search", queries=["a", "b"], max_results=50),
        search(query="a", max_results=50, since="2026-02-15"),
    )
    alone, batch, dated = searched(service, server, tmp_path, *requests)
    contracts = contracts_of("web")
    for request, answer in zip(requests, (alone, batch, dated), strict=True):
        assert contract_of(contracts[request.tool]).interpret(request, answer)["ok"], answer
    wanted = [read for _, _, read in ODD_HITS if read is not None]
    shown = [(hit["url"], hit["title"], hit["snippet"], hit["published"]) for hit in alone["hits"]]
    assert shown == wanted
    assert [hit["rank"] for hit in alone["hits"]] == list(range(1, len(wanted) + 1))
    left_out = len(ODD_HITS) - len(wanted)
    assert (len(alone["skipped"]), alone["skipped_total"]) == (left_out, left_out)
    assert [each["hits"] for each in batch["answers"]] == [alone["hits"]] * 2
    assert batch["skipped"] == alone["skipped"] * 2
    # a day that cannot be read is no later day
    assert [hit["published"] for hit in dated["hits"]] == ["2026-03-01T00:00:00+08:00"]


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("results", [None, []])
def test_no_hit_is_an_empty_list_however_a_service_writes_it(
    tmp_path: Path, server: HttpServer, monkeypatch: pytest.MonkeyPatch, service: str, results: list[Any] | None
) -> None:
    monkeypatch.setenv("SEARCH_KEY", "a-key-for-searching")
    server.gives(json={"type": "search", "results": results, "web": {"results": results}})
    assert searched(service, server, tmp_path, search(query="a")) == [{"hits": []}]


BAD: list[tuple[str, str, str, dict[str, Any]]] = [
    ("JSON that is not switched on", "searxng", "service_answer", {"status": 403, "raw": "no", "type": "text/html"}),
    ("no engine that answers", "searxng", "service_failed", {
        "json": {"results": [], "unresponsive_engines": [["google", "timeout"]]},
    }),
    ("no engine that answers, written as null", "searxng", "service_failed", {
        "json": {"results": None, "unresponsive_engines": [["google", "timeout"]]},
    }),
    ("a page", "searxng", "answer_not_json", {"raw": "<html>", "type": "text/html"}),
    ("another schema", "searxng", "not_successful", {"json": {"hits": []}}),
    ("too many requests", "brave", "rate_limited", {"status": 429, "json": {}, "headers": {"retry-after": "1"}}),
    ("a quota that is used up", "brave", "rate_limited", {"status": 402, "json": {}}),
    ("another schema there", "brave", "not_successful", {"json": {"results": []}}),
]  # fmt: skip


@pytest.mark.parametrize(("why", "service", "code", "give"), BAD, ids=[row[0] for row in BAD])
def test_a_search_that_failed_is_no_empty_result(
    tmp_path: Path, server: HttpServer, monkeypatch: pytest.MonkeyPatch, why: str, service: str, code: str,
    give: dict[str, Any],
) -> None:  # fmt: skip
    monkeypatch.setenv("SEARCH_KEY", "a-key-for-searching")
    server.gives(**give)
    alone, several = searched(
        service, server, tmp_path, search(query="星河"), search("batch_web_search", queries=["a", "b"])
    )
    assert told(alone, "a-key-for-searching").code == code
    assert told(several).code == code


def test_a_key_that_is_refused_is_said_without_it(
    tmp_path: Path, server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCH_KEY", "wrong")
    server.answers()
    failed = told(searched("brave", server, tmp_path, search(query="星河"))[0])
    assert failed.code == "key_refused"
    assert failed.message.startswith("SEARCH_KEY: The provided token •••")


def test_pages_are_read_live(tmp_path: Path, server: HttpServer) -> None:
    pytest.importorskip("trafilatura")
    text = "<p>" + "这一段话说的是星河企业版的新定价，从十一月一日起每席每月一百六十八元。" * 6 + "</p>"
    page = f"<html><head><title>星河定价</title></head><body><article><h1>星河定价</h1>{text}</article></body></html>"
    server.answers(
        {"when": {"path": "/robots.txt"}, "give": {"status": 404, "raw": ""}},
        {"give": {"raw": page, "type": "text/html; charset=utf-8"}},
    )
    given = {"address": server.address, "own_addresses": f"127.0.0.1:{server.port}"}
    fetch = search("web_fetch", url=f"{server.address}/page")
    toolbox = toolbox_of("web", "web", given, tmp_path)
    answer = toolbox.invoke(fetch, lambda: False)
    assert isinstance(answer, dict)
    assert "一百六十八元" in answer["text"]

"""The adapter `mcp` against a real server process that lies, floods, stalls and dies; each with a code of its own."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from interpreter.adapters.mapping import Meaning
from interpreter.adapters.mcp.pins import digest_of, read_pins, write_pins
from interpreter.adapters.mcp.planning import McpCall, misfit
from interpreter.adapters.mcp.settings import contacts_of, read_settings
from interpreter.adapters.toolbox import Toolbox
from interpreter.codes.service import SERVICE_ERRORS
from interpreter.ports import Request, ToolFailure
from tests.servers.mcp_server import usual_tools
from tests.servers.services import MCP_PROGRAM, started, write
from tests.unit.services_kit import asked, find, opened, told

SECRET = "sk-never-to-be-seen-4711"
FIND = """\
  desk.find:
    adapter: mcp
    settings: {%s}
    request: {tool: echo, arguments: {query: "{{ query }}", number: "{{ number | default(absent) }}"}}
    errors:
      - {when: "answer.status is present and answer.status == 'error'", code: GONE, message: "{{ answer.why | default('') }}"}
    success: answer.query is present
    value: {items: [], next: "{{ answer.query }}"}
"""  # noqa: E501


class Stand:
    """A server of tools in a folder, and the toolbox of a profile that starts it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "server"
        self.folder.mkdir()
        self._profile = folder
        self.settings = f'program: "{sys.executable}", argv: ["{MCP_PROGRAM}", "{self.folder}"]'

    def says(self, *rules: dict[str, Any], **script: Any) -> None:
        write(self.folder / "script.json", {"rules": list(rules), **script})

    def gives(self, **give: Any) -> None:
        self.says({"give": give, "once": True})

    def toolbox(self, tools: str = FIND, *, more: str = "", pinned: bool = True) -> Toolbox:
        toolbox, found = opened(self._profile, tools % (self.settings + more))
        assert toolbox is not None, found
        if pinned:
            adapter = next(iter(toolbox._by_tool.values()))
            digests = {name: digest_of(tool) for name, tool in usual_tools().items()}
            write_pins(adapter.lock, adapter.resolved_identity(), digests)
        return toolbox

    def refused(self, *requests: Request, **more: Any) -> ToolFailure:
        return told(asked(self.toolbox(**more), *(requests or (find(query="tea"),)))[0], SECRET)


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(tmp_path)


def test_a_file_that_is_handed_over_is_a_part_of_the_answer(stand: Stand) -> None:
    file = {"type": "resource", "resource": {"uri": "file:///a.md", "text": "body"}}
    stand.gives(parts=[file], structured={"query": "a"})
    tools = FIND.replace("{{ answer.query }}", "{{ parts[0].text }} of {{ parts[0].uri }}")
    assert asked(stand.toolbox(tools), find(query="a"))[0]["next"] == "body of file:///a.md"


def test_arguments_go_there_and_the_answer_comes_back(stand: Stand) -> None:
    values = asked(stand.toolbox(), find(query="tea"), find(query='中文\n"{}'))
    assert [value["next"] for value in values] == ["tea", '中文\n"{}']


LIES: list[tuple[str, str, dict[str, Any]]] = [
    ("a failure that is marked", "tool_error", {"is_error": True, "text": f"Error: {SECRET[:12]} is wrong"}),
    ("a failure that is marked and holds JSON", "tool_error", {"is_error": True, "json": {"query": "tea"}}),
    ("a failure that is not marked", "no_data", {"text": "Error: 404 Not Found"}),
    ("a failure inside the answer", "GONE", {"json": {"status": "error", "why": "gone"}}),
    ("a failure inside a marked one", "GONE", {"is_error": True, "json": {"status": "error"}}),
    ("an error of the protocol", "tool_error", {"error": {"code": -32603, "message": "boom"}}),
    ("an error with the number of a closed connection", "tool_error", {"error": {"code": -32000, "message": "boom"}}),
    ("nothing", "no_data", {"parts": []}),
    ("an image", "no_data", {"parts": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}]}),
    ("two texts", "no_data", {"parts": [{"type": "text", "text": "{}"}, {"type": "text", "text": "{}"}]}),
    ("another schema", "not_successful", {"json": {"results": []}}),
    ("a list where an object is wanted", "answer_unexpected", {"json": [1]}),
    ("an answer that is none", "server_broken", {"result": {"nonsense": 1}}),
    ("an answer with a wrong part", "server_broken", {"result": {"content": [{"type": "text"}]}}),
    ("half an answer", "server_broken", {"error": {"code": -32000}}),
    ("a flood", "answer_too_large", {"flood": 5}),
    ("death", "server_stopped", {"exit": 3, "last_words": f"out of memory {SECRET}"}),
]


@pytest.mark.parametrize(("why", "code", "give"), LIES, ids=[row[0] for row in LIES])
def test_what_is_no_answer_has_a_code_of_its_own_and_the_next_call_goes_on(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, why: str, code: str, give: dict[str, Any]
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    stand.gives(**give)
    first, second = asked(stand.toolbox(more=", secrets: [TOKEN]"), find(query="a"), find(query="b"))
    failed = told(first, SECRET, SECRET[:12])
    assert failed.code == code
    assert second["next"] == "b"


@pytest.mark.parametrize(
    "give",
    [
        {"line": "DEBUG: searching ... {", "json": {"query": "a"}},
        {"line": '[1, 2]\n\n{}\n{"jsonrpc": "2.0"}', "json": {"query": "a"}},
        {"line": '{"jsonrpc": "2.0", "id": 99, "result": {}}', "json": {"query": "a"}},
        {"line": "x" * 100_000, "json": {"query": "a"}},
        {"structured": {"query": "a"}, "text": "in words"},
        {"structured": {"query": "a"}},
    ],
)
def test_noise_on_standard_output_is_passed_over(stand: Stand, give: dict[str, Any]) -> None:
    stand.gives(**give)
    assert asked(stand.toolbox(), find(query="a"))[0]["next"] == "a"


@pytest.mark.parametrize(
    ("start", "code"),
    [("die", "unreachable"), ("silent", "unreachable"), ("noise", None)],
)
def test_a_server_that_does_not_start_is_unreachable(stand: Stand, start: str, code: str | None) -> None:
    stand.says(start=start)
    result = asked(stand.toolbox(more=", start_seconds: 1"), find(query="a"))[0]
    if code is None:
        assert result["next"] == "a"
        return
    assert told(result).code == code
    if start == "die":
        assert "cannot open the note database" in result.message


REFUSED = {"error": {"code": -32602, "message": "Unsupported protocol version"}}
OLD = {"protocolVersion": "2023-01-01"}
STRUCTURED = {"outputSchema": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}}}

# why ; how the server behaves ; the code and what is told, in both languages
REASONS: list[tuple[str, dict[str, Any], str, str, str]] = [
    (
        "a refused handshake",
        {"shakes": REFUSED},
        "unreachable",
        "它拒绝了握手：Unsupported protocol version (-32602)",
        "it refuses to shake hands: Unsupported protocol version (-32602)",
    ),
    (
        "an old protocol",
        {"shakes": OLD},
        "server_broken",
        "它要用的协议版本是 2023-01-01",
        "protocol version 2023-01-01",
    ),
    ("the end", {"start": "die"}, "unreachable", "cannot open the note database", "cannot open the note database"),
    ("no word", {"start": "silent"}, "unreachable", "没有回答第一条消息", "no answer to the first message"),
    (
        "no content",
        {"rules": [{"give": {"result": {}}}]},
        "server_broken",
        "回答里缺少 content",
        "its answer lacks content",
    ),
    (
        "a part of another kind",
        {"rules": [{"give": {"result": {"content": 7}}}]},
        "server_broken",
        "回答里 content 不合协议",
        "content of its answer does not fit the protocol",
    ),
    (
        "an error of the protocol",
        {"rules": [{"give": {"error": {"code": -32601, "message": "Method not found"}}}]},
        "tool_error",
        "工具报告失败：Method not found (-32601)",
        "the tool reports a failure: Method not found (-32601)",
    ),
    (
        "a refused handshake with the number of a closed connection",
        {"shakes": {"error": {"code": -32000, "message": "license expired"}}},
        "unreachable",
        "它拒绝了握手：license expired (-32000)",
        "it refuses to shake hands: license expired (-32000)",
    ),
    (
        "an error whose reason stands beside its message",
        {"rules": [{"give": {"error": {"code": -32000, "message": "bad", "data": {"detail": "no such shelf"}}}}]},
        "tool_error",
        "工具报告失败：bad (-32000): no such shelf",
        "the tool reports a failure: bad (-32000): no such shelf",
    ),
    (
        "a marked failure that says why in its data",
        {"rules": [{"give": {"structured": {"error": "no such shelf"}, "is_error": True}}]},
        "tool_error",
        "工具报告失败：no such shelf",
        "the tool reports a failure: no such shelf",
    ),
    (
        "a server that says why it ends",
        {"rules": [{"give": {"exit": 1, "last_words": "no memory"}}]},
        "server_stopped",
        "原话：no memory",
        "in its own words: no memory",
    ),
    (
        "a list of tools that is none",
        {"tools": {"read_note": {"inputSchema": True}}},
        "server_broken",
        "inputSchema 不合协议",
        "inputSchema of its answer does not fit the protocol",
    ),
    (
        "a tool under another name",
        {"tools": {"echo": None, "echoes": {}}},
        "tool_missing",
        "没有工具 echo；是不是想写 echoes？",
        "no tool echo; did you mean echoes?",
    ),
    (
        "no structured answer",
        {"tools": {"echo": STRUCTURED}, "rules": [{"give": {"text": "{}"}}]},
        "server_broken",
        "工具声明了结构化的回答，却没有给出",
        "declares a structured answer (outputSchema) and gave none",
    ),
    (
        "another structured answer",
        {"tools": {"echo": STRUCTURED}, "rules": [{"give": {"structured": {"y": 1}}}]},
        "server_broken",
        "结构化的回答不合这个工具自己声明的样子：echo: 'x' is a required property",
        "does not fit what the tool itself declares: echo: 'x' is a required property",
    ),
]


@pytest.mark.parametrize(("why", "script", "code", "zh", "en"), REASONS, ids=[row[0] for row in REASONS])
def test_why_a_server_cannot_be_worked_with_is_told_in_both_languages(
    stand: Stand, why: str, script: dict[str, Any], code: str, zh: str, en: str
) -> None:
    stand.says(*script.get("rules", ()), **{name: value for name, value in script.items() if name != "rules"})
    toolbox = stand.toolbox(more=", start_seconds: 1" if script.get("start") == "silent" else "")
    if "echo" in script.get("tools", {}):
        put = script["tools"]["echo"] or {}
        digests = {name: digest_of({**tool, **(put if name == "echo" else {})}) for name, tool in usual_tools().items()}
        adapter = next(iter(toolbox._by_tool.values()))
        write_pins(adapter.lock, adapter.resolved_identity(), digests)
    failed = told(asked(toolbox, find(query="a"))[0])
    assert failed.code == code
    assert en in failed.message
    assert zh in failed.details["message"]["zh"]


def test_a_program_named_by_a_path_is_relative_to_the_profile(tmp_path: Path) -> None:
    toolbox, _ = opened(tmp_path, FIND % "program: ../there/notes-mcp")
    assert toolbox is not None
    failed = told(asked(toolbox, find(query="a"))[0])
    assert failed.code == "program_missing"
    assert str(tmp_path / "there" / "notes-mcp") in failed.message
    assert "PATH" not in failed.message


def test_a_program_that_is_not_there_is_said(tmp_path: Path) -> None:
    toolbox, _ = opened(tmp_path, FIND % "program: /nowhere/notes-mcp")
    assert toolbox is not None
    failed = told(asked(toolbox, find(query="a"))[0])
    assert failed.code == "program_missing"
    assert "/nowhere/notes-mcp" in failed.message


def test_a_call_without_an_answer_is_a_time_out_and_the_next_one_starts_the_server_anew(stand: Stand) -> None:
    stand.says({"hold": {"forever": True}, "once": True})
    began = time.monotonic()
    first, second = asked(stand.toolbox(), find(query="a", timeout=0.5), find(query="b"))
    assert isinstance(first, TimeoutError)
    assert second["next"] == "b"
    assert time.monotonic() - began < 20


def test_the_group_of_a_server_ends_with_it(stand: Stand) -> None:
    stand.gives(child=True, json={"query": "a"})
    assert asked(stand.toolbox(), find(query="a"))[0]["next"] == "a"
    child = int((stand.folder / "child.txt").read_text("utf-8"))
    assert not _is_running(child)


def _is_running(process: int) -> bool:
    """Say whether a process runs; one that has ended and that nobody asked about does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8")
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def test_a_server_sees_only_what_of_the_environment_is_named(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    monkeypatch.setenv("OTHER", "not for it")
    toolbox = stand.toolbox(more=", secrets: [TOKEN]")
    given = toolbox.adapter_of("desk.find")._given.environment
    assert given["TOKEN"] == SECRET
    assert "OTHER" not in given
    monkeypatch.delenv("TOKEN")
    toolbox_without, found = opened(stand._profile, FIND % f"{stand.settings}, secrets: [TOKEN]")
    assert (toolbox_without, [one.code for one in found]) == (None, ["tool/key-missing"])


# --- pins -------------------------------------------------------------------------------------------------------------


def test_a_tool_that_nobody_has_looked_at_is_not_called(stand: Stand) -> None:
    failed = stand.refused(pinned=False)
    assert failed.code == "tool_not_pinned"
    assert failed.message.endswith("run interpreter tools pin --profile " + str(stand._profile / "profiles" / "p.yaml"))
    assert "tools/call" not in (stand.folder / "log.jsonl").read_text("utf-8")


CHANGES: list[tuple[str, str, dict[str, Any]]] = [
    ("another description", "tool_changed", {"tools": {"echo": {"description": "Answers, and mails them to us."}}}),
    ("an argument more", "tool_changed", {"tools": {"echo": {"inputSchema": {"type": "object", "required": ["key"]}}}}),
    ("another note on what it does", "tool_changed", {"tools": {"echo": {"annotations": {"destructiveHint": True}}}}),
    ("gone", "tool_missing", {"tools": {"echo": None}}),
    ("a list that names a tool twice", "server_broken", {"list": "twice"}),
    ("a list without end", "server_broken", {"list": "circle"}),
]


@pytest.mark.parametrize(("why", "code", "script"), CHANGES, ids=[row[0] for row in CHANGES])
def test_a_tool_that_says_another_thing_is_not_called(
    stand: Stand, why: str, code: str, script: dict[str, Any]
) -> None:
    stand.says(**script)
    assert stand.refused().code == code
    assert "tools/call" not in (stand.folder / "log.jsonl").read_text("utf-8")


def test_a_list_that_changes_while_it_is_used_is_looked_at_again(stand: Stand) -> None:
    stand.says({"give": {"list_changed": True, "json": {"query": "a"}}, "once": True})
    toolbox = stand.toolbox()

    async def ask() -> list[Any]:
        answers: list[Any] = [(await toolbox.invoke(find(query="a"), lambda: False)).value]  # type: ignore[misc]
        stand.says(tools={"echo": {"description": "other"}})
        try:
            await toolbox.invoke(find(query="b"), lambda: False)  # type: ignore[misc]
        except ToolFailure as failed:
            answers.append(failed.code)
        await toolbox.close()
        return answers

    assert asyncio.run(ask()) == [{"items": [], "next": "a"}, "tool_changed"]


def test_pins_of_other_servers_stay_and_a_broken_file_is_said(stand: Stand, tmp_path: Path) -> None:
    lock = str(tmp_path / "p.lock.json")
    write_pins(lock, "one", {"a": "sha256:1"})
    write_pins(lock, "two", {"b": "sha256:2"})
    assert (read_pins(lock, "one"), read_pins(lock, "two"), read_pins(lock, "three")) == (
        {"a": "sha256:1"}, {"b": "sha256:2"}, {},
    )  # fmt: skip
    toolbox = stand.toolbox(pinned=False)
    adapter = toolbox.adapter_of("desk.find")
    for broken in ("{", "[]", '{"servers": []}', '{"servers": {"x": 1}}'.replace("x", "y")):
        Path(adapter.lock).write_text(broken, "utf-8")
        failed = told(asked(toolbox, find(query="a"))[0])
        assert failed.code in ("pins_unreadable", "tool_not_pinned")


@pytest.mark.parametrize(
    ("schema", "fits"),
    [
        ({}, True),
        ({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}, True),
        ({"properties": {"query": {"type": ["string", "null"]}, "more": {}}}, True),
        ({"properties": {"query": {"enum": ["a", "b"]}}}, True),
        ({"properties": {"query": {"type": "integer"}}}, False),
        ({"properties": {"query": {"type": "string"}}, "required": ["query", "token"]}, False),
        ({"properties": {"words": {"type": "string"}}}, False),
        ({"additionalProperties": False}, False),
    ],
)
def test_a_tool_has_to_take_what_is_given(schema: dict[str, Any], fits: bool) -> None:
    call = McpCall(
        "find", (("query", lambda names: ""),), Meaning(), {"query": frozenset({"string"})}, frozenset({"query"})
    )
    assert (misfit(call, schema) is None) is fits


# --- over HTTP --------------------------------------------------------------------------------------------------------


@pytest.fixture
def address(stand: Stand) -> Iterator[str]:
    with started(MCP_PROGRAM, str(stand.folder), "--http") as (_, port):
        stand.settings = f'address: "http://127.0.0.1:{port}/mcp"'
        yield f"http://127.0.0.1:{port}/mcp"


def test_the_same_over_http(stand: Stand, address: str) -> None:
    stand.gives(is_error=True, text="no")
    first, second = asked(stand.toolbox(), find(query="a"), find(query="b"))
    assert (told(first).code, second["next"]) == ("tool_error", "b")


def test_credentials_go_to_the_address_and_are_told_nobody(
    stand: Stand, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stand.folder / "token.txt").write_text(SECRET, "utf-8")
    assert stand.refused().code == "key_refused"
    monkeypatch.setenv("TOKEN", SECRET)
    assert asked(stand.toolbox(more=", bearer_from: TOKEN"), find(query="a"))[0]["next"] == "a"


NO_SESSION = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Bad Request: No valid session ID"}}


@pytest.mark.parametrize(
    ("status", "says", "is_lost"),
    [
        (404, None, True),
        (404, {"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "Session not found"}}, True),
        (400, NO_SESSION, True),
        (400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32602, "message": "Invalid params"}}, False),
    ],
)
def test_a_session_that_the_server_has_forgotten_is_begun_anew_by_the_next_attempt(
    stand: Stand, address: str, status: int, says: Any, is_lost: bool
) -> None:
    def session(name: str) -> None:
        stand.says(http={"session": {"name": name, "status": status, "says": says}})

    async def ask() -> list[Any]:
        toolbox, answers = stand.toolbox(), []
        for name in ("one", "two", "two"):
            session(name)
            try:
                answered = await toolbox.invoke(find(query=name), lambda: False)  # type: ignore[misc]
                answers.append(answered.value["next"])
            except ToolFailure as failed:
                answers.append(failed.code)
        await toolbox.close()
        return answers

    expected = ["one", "server_stopped", "two"] if is_lost else ["one", "tool_error", "tool_error"]
    assert asyncio.run(ask()) == expected


#: What a server at an address says beside a call and to it; whether that proves of a write that it never happened.
REFUSALS: list[tuple[str, dict[str, Any], str, bool]] = [
    ("the stream of events is refused, the call goes down", {"side": 401, "call": "drop"}, "tool_error", False),
    ("the same with another status", {"side": 403, "call": "drop"}, "tool_error", False),
    ("the same with a proxy's status", {"side": 407, "call": "drop"}, "tool_error", False),
    ("the stream is refused, the call fails otherwise", {"side": 401, "call": 500}, "tool_error", False),
    ("the call itself is refused", {"side": 405, "call": 401}, "key_refused", True),
    ("the call itself is forbidden", {"side": 401, "call": 403}, "access_denied", True),
    ("sent to a place that nobody goes to", {"side": 405, "call": "astray"}, "tool_error", False),
    ("refused by whom it was passed on to", {"side": 405, "call": "pass_on"}, "key_refused", False),
]


@pytest.mark.parametrize(("why", "way", "code", "is_sure"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_only_the_answer_to_the_call_itself_says_that_it_never_happened(
    stand: Stand, address: str, why: str, way: dict[str, Any], code: str, is_sure: bool
) -> None:
    stand.says(http=way)
    toolbox = stand.toolbox(FIND.replace("desk.find", "desk.put").replace('"{{ number | default(absent) }}"', "1"))

    async def ask() -> list[ToolFailure]:
        found = []
        for _ in range(2):
            with pytest.raises(ToolFailure) as failed:
                await toolbox.invoke(Request("desk.put", {"query": "a"}, "write", "k", timeout=20), lambda: False)
            found.append(failed.value)
            await asyncio.sleep(0.02)  # the stream of events has been asked for, and refused
        stand.says(http={"side": 401})
        answer = await toolbox.invoke(Request("desk.put", {"query": "b"}, "write", "k", timeout=20), lambda: False)
        assert answer.value["next"] == "b"
        await toolbox.close()
        return found

    for failed in asyncio.run(ask()):
        assert failed.code == code
        happens = SERVICE_ERRORS[code].happened if not failed.is_unsure else "perhaps"
        assert (happens == "never") is is_sure


def test_a_flood_over_http_ends_at_the_bound(stand: Stand, address: str) -> None:
    stand.gives(text="x" * 2_000_000)
    assert stand.refused(more=", largest_answer: 100000").code == "answer_too_large"


def test_nobody_at_the_address_is_unreachable(stand: Stand) -> None:
    stand.settings = 'address: "http://127.0.0.1:9/mcp"'
    assert stand.refused(more=", start_seconds: 5").code == "unreachable"


# --- settings, and what is lasting ------------------------------------------------------------------------------------


def test_settings_that_do_not_fit_are_said_with_what_would() -> None:
    unfit: list[dict[str, Any]] = [
        {},
        {"program": "a", "address": "http://h"},
        {"address": "ftp://h"},
        {"address": "http://h", "argv": ["a"]},
        {"program": "a", "bearer_from": "TOKEN"},
        {"program": "a", "argv": "b"},
        {"program": "a", "argv": [1]},
        {"program": "a\nb"},
        {"program": "a", "secrets": ["sk-1 2"]},
        {"program": "a", "environment": "HOME"},
        {"address": "http://h", "headers": {"Authorization": "Bearer x"}},
        {"program": "a", "protocol": "old"},
        {"program": "a", "answers": "xml"},
        {"program": "a", "seconds": 0},
        {"program": "a", "largest_answer": 1},
        {"program": "a", "lock": 1},
        {"program": "a", "environment_proxies": True},
        {"program": "a", "programm": "b"},
    ]
    for values in unfit:
        made, problems = read_settings(values)
        assert made is None, values
        assert problems


def test_a_profile_says_what_it_starts_and_what_it_hands_over() -> None:
    made, _ = read_settings({"program": "notes mcp", "argv": ["--stdio"], "environment": ["A"], "secrets": ["TOKEN"]})
    assert made is not None
    assert contacts_of(made).en == "the program 'notes mcp' --stdio, with the environment variables A, TOKEN"
    made, _ = read_settings({"address": "https://h/mcp", "bearer_from": "TOKEN"})
    assert made is not None
    assert contacts_of(made).en == "https://h/mcp (credentials from the environment variables TOKEN)"


def test_a_missing_extra_is_said_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    usual = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "mcp" else usual(name, *more))
    toolbox, found = opened(tmp_path, FIND % "program: a")
    assert (toolbox, [one.code for one in found]) == (None, ["tool/extra-missing"])
    assert "pip install" in str(found[0].hint)


@pytest.mark.long
def test_a_thousand_calls_leave_nothing_behind(stand: Stand) -> None:
    toolbox = stand.toolbox()
    before = len(os.listdir("/proc/self/fd"))

    async def ask() -> tuple[int, int, int]:
        for _ in range(10):
            await toolbox.invoke(find(query="tea"), lambda: False)  # type: ignore[misc]
        tasks = len(asyncio.all_tasks())
        for _ in range(990):
            await toolbox.invoke(find(query="tea"), lambda: False)  # type: ignore[misc]
        more = len(asyncio.all_tasks()) - tasks
        held = len(os.listdir("/proc/self/fd"))
        await toolbox.close()
        return held, more, len(asyncio.all_tasks())

    held, more, left = asyncio.run(ask())
    gc.collect()
    assert (more, left) == (0, 1)
    assert held - before < 12
    assert len(os.listdir("/proc/self/fd")) <= before

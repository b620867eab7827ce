"""`serve-mcp` as a host meets it: the SDK's own client over standard input and output, honest and lying."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from interpreter.cli.arriving import number_in
from interpreter.cli.context import empty_result
from interpreter.codes import CODES
from tests.cli.kit import Command
from tests.servers.services import MCP_PROGRAM, http_server_in
from tests.unit.services_kit import DESK

Elicited = Callable[[Any, Any], Coroutine[Any, Any, types.ElicitResult]]
BOXES = {"owner": "ann", "number": 2}


class Host:
    """A host with a connection to one server; `told` are the texts of its progress."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.told: list[str] = []

    async def call(self, name: str, **arguments: Any) -> tuple[Any, bool]:
        async def progress(done: float, total: float | None, message: str | None) -> None:
            self.told.append(message or "")

        result = await self.client.call_tool(name, arguments, progress_callback=progress)
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
        return result.structured_content, bool(result.is_error)


def hosted(
    command: Command,
    work: Callable[[Host], Coroutine[Any, Any, Any]],
    *specs: str,
    profile: str | None = None,
    elicited: Elicited | None = None,
    mode: str = "legacy",
) -> Any:
    """Return what a host comes to with a server of some workflows."""
    more = ["--profile", profile] if profile else []
    started = StdioServerParameters(
        command="interpreter",
        args=["serve-mcp", *(specs or ("boxes.yaml", "survey.yaml")), *more],
        env=command.environment("en"),
        cwd=command.folder,
    )

    async def run() -> Any:
        async with Client(started, mode=mode, elicitation_callback=elicited, cache=None) as client:
            return await work(Host(client))

    return asyncio.run(asyncio.wait_for(run(), 60))


def answers(command: Command, run_id: str) -> list[Any]:
    """Return every answer that stands in the journal of a run."""
    from interpreter.adapters.runs import RunStore

    journal = RunStore(command.home).open(run_id, lock=False)
    try:
        return [row.body for row in journal.rows() if row.kind == "answer"]
    finally:
        journal.close()


@pytest.mark.parametrize("mode", ["legacy", pytest.param("auto", marks=pytest.mark.long)])
def test_each_workflow_is_a_tool_with_its_inputs(command: Command, mode: str) -> None:
    async def work(host: Host) -> Any:
        return (await host.client.list_tools()).tools

    tools = {tool.name: tool for tool in hosted(command, work, mode=mode)}
    assert set(tools) == {
        f"{prefix}{name}" for name in ("boxes", "survey") for prefix in ("", "answer_", "resume_", "result_")
    }
    schema = tools["boxes"].input_schema
    assert schema["required"] == ["owner", "number"]
    assert schema["properties"]["number"]["minimum"] == 1
    assert schema["properties"]["color"]["enum"] == ["red", "blue"]
    assert tools["boxes"].annotations.read_only_hint is False
    assert tools["result_boxes"].annotations.read_only_hint is True
    assert "Fill boxes" in tools["boxes"].description


def test_a_confirmation_of_writes_waits_for_a_person_elsewhere(command: Command) -> None:
    async def begin(host: Host) -> Any:
        return await host.call("boxes", **BOXES)

    result, failed = hosted(command, begin)
    assert (result["status"], failed) == ("waiting", False)
    (waiting,) = result["waiting"]
    assert waiting["question"] == "go"
    assert waiting["command"].startswith(f"interpreter answer {result['run_id']} 'go=fill them, all' --seen ")
    ended = command.paste(waiting["command"])
    assert ended.status == 0, ended

    async def look(host: Host) -> Any:
        return await host.call("result_boxes", run_id=result["run_id"])

    after, _ = hosted(command, look)
    assert (after["status"], after["outputs"]["filled"]) == ("completed", 2)
    assert [one["through"] for one in answers(command, result["run_id"])] == ["answer-command"]


ELSEWHERE = "command/run-of-another-workflow"
LIES: list[tuple[str, str, dict[str, Any], str]] = [
    ("the phrase", "answer_boxes", {"question": "go#1", "answer": "fill them, all"}, "command/not-through-host"),
    ("the other phrase", "answer_boxes", {"question": "go", "answer": "确认装箱"}, "command/not-through-host"),
    ("the choice", "answer_boxes", {"question": "go#1", "answer": {"choice": "fill"}}, "command/not-through-host"),
    ("even the refusal", "answer_boxes", {"question": "go#1", "answer": "leave"}, "command/not-through-host"),
    ("a later visit", "answer_boxes", {"question": "go#2", "answer": "fill"}, "run/answer-unknown-question"),
    ("another question", "answer_boxes", {"question": "x", "answer": "fill"}, "run/answer-unknown-question"),
    ("the tool of another workflow", "answer_survey", {"question": "go#1", "answer": "fill"}, ELSEWHERE),
    ("going on through another workflow", "resume_survey", {}, ELSEWHERE),
    ("looking through another workflow", "result_survey", {}, ELSEWHERE),
]  # fmt: skip


def test_a_host_that_lies_permits_nothing(command: Command) -> None:
    async def lie(host: Host) -> Any:
        begun, _ = await host.call("boxes", **BOXES)
        run_id = begun["run_id"]
        said = []
        for _, tool, arguments, _ in LIES:
            result, failed = await host.call(tool, run_id=run_id, **arguments)
            assert failed
            said.append(result["error"]["code"])
        for wrong in ("../../etc", "", "nobody", f"{run_id}/../{run_id}", "a" * 300):
            result, failed = await host.call("result_boxes", run_id=wrong)
            assert failed, wrong
        after, _ = await host.call("resume_boxes", run_id=run_id)
        return run_id, said, after

    run_id, said, after = hosted(command, lie)
    assert said == [code for *_, code in LIES]
    assert after["status"] == "waiting"
    assert answers(command, run_id) == []


def test_inputs_that_do_not_fit_start_nothing(command: Command) -> None:
    async def begin(host: Host) -> Any:
        return [
            await host.call("boxes"),
            await host.call("boxes", **BOXES, fly=True),
            await host.call("boxes", owner="ann", number=0),
            await host.call("boxes", owner="ann", number="2"),
            await host.call("boxes", owner={"a": 1}, number=2),
        ]

    for result, failed in hosted(command, begin):
        assert failed
        assert (result["status"], result["run_id"]) == ("failed", "")
        assert result["error"]["code"].startswith("command/input") or result["error"]["code"] == "command/unknown-input"
    assert not list((command.home / "runs").glob("*"))


#: What a host calls, with what, and what it is told: the code, and words of the message.
REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("confirm_boxes", {"run_id": "one"}, "command/unknown-tool", "there is no tool confirm_boxes"),
    ("box.fill", {}, "command/unknown-tool", "there is no tool box.fill"),
    ("answer", {"run_id": "one"}, "command/unknown-tool", "there is no tool answer"),
    ("answer_boxs", {}, "command/unknown-tool", "did you mean answer_boxes?"),
    ("\x1b[2J" + "a" * 1000, {}, "command/unknown-tool", "there is no tool "),
    ("resume_boxes", {}, "command/argument-not-text", "resume_boxes wants a text for the argument run_id"),
    ("resume_boxes", {"run_id": 1}, "command/argument-not-text", "run_id"),
    ("result_boxes", {"run_id": None}, "command/argument-not-text", "result_boxes wants a text"),
    ("answer_boxes", {"question": "go", "answer": "fill"}, "command/argument-not-text", "run_id"),
    ("answer_boxes", {"run_id": "one", "answer": "fill"}, "command/argument-not-text", "question"),
    ("answer_boxes", {"run_id": "one", "question": ["go"]}, "command/argument-not-text", "question"),
    ("result_boxes", {"run_id": "one"}, "command/run-unknown", "one"),
]


def test_whatever_is_refused_is_told_as_the_object_of_a_run_with_a_code_that_can_be_explained(
    command: Command,
) -> None:
    async def ask(host: Host) -> Any:
        return [await host.call(tool, **arguments) for tool, arguments, *_ in REFUSED]

    for (_, _, code, says), (result, failed) in zip(REFUSED, hosted(command, ask), strict=True):
        assert failed
        assert result.keys() == empty_result("", "failed", None).keys()
        assert (result["status"], result["error"]["code"]) == ("failed", code)
        assert code in CODES
        message = result["error"]["message"]
        assert says in message
        assert "\x1b" not in message
        assert len(message) < 500


DEEP = "[" * 300 + "]" * 300
UNREADABLE: list[tuple[str, bytes, Any]] = [
    ("nested too deeply", b'{"owner": ' + DEEP.encode() + b', "number": 2}', 7),
    ("nested far too deeply", b'{"owner": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", 7),
    ("half a character", b'{"owner": "\\ud800", "number": 2}', 7),
    ("half a character in a name", b'{"owner": "a", "number": 2, "\\udfff": 1}', 7),
    ("a field that stands twice", b'{"owner": "a", "owner": "b", "number": 2}', 7),
    ("a number that is none", b'{"owner": "a", "number": NaN}', 7),
    ("a number that is too large", b'{"owner": "a", "number": ' + b"9" * 5000 + b"}", 7),
    ("bytes that are no text", b'{"owner": "\xff\xfe", "number": 2}', 7),
    ("an end that is missing", b'{"owner": "a"', 7),
]


def test_what_cannot_be_read_is_answered_and_starts_nothing(command: Command) -> None:
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    before = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "boxes", "arguments": '
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}).encode(),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        *(before + sent + b"}}" for _, sent, _ in UNREADABLE),
        b"no message",
        b"[]",
    ]
    ended = subprocess.run(
        ["interpreter", "serve-mcp", "boxes.yaml"],
        input=b"\n".join(lines) + b"\n",
        capture_output=True,
        env=command.environment("en"),
        cwd=command.folder,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()][1:]
    assert [(one["id"], one["error"]["code"]) for one in answers] == [
        *((number, -32700) for *_, number in UNREADABLE),
        (None, -32700),
        (None, -32700),
    ]
    assert ended.stderr == b""
    assert not list((command.home / "runs").glob("*"))


NUMBERS: list[tuple[str, Any]] = [
    ('{"id": 3, "params": {"id": 4}}', 3),
    ('{"params": {"id": 4, "a": ["id", 5]}, "id": "x-6"}', "x-6"),
    ('{"method": "id", "a": "\\"id\\": 9", "id":-2', -2),
    ('{"params": {"id": 4}}', None),
    ('{"id": "a\\ud800"}', None),
    ('{"id": 1.5}', None),
    ('{"id": 12345678901234567890}', None),
    ('{"id": null}', None),
    ('{"id"', None),
    ('"id": 3', None),
]


@pytest.mark.parametrize(("text", "number"), NUMBERS)
def test_the_request_is_known_whatever_is_wrong_with_the_rest(text: str, number: Any) -> None:
    assert number_in(text) == number


def filling(*contents: Any) -> tuple[Elicited, list[Any]]:
    """Return a person at the host who fills in one thing after another, and what was put before them."""
    seen: list[Any] = []
    left = list(contents)

    async def person(context: Any, params: Any) -> types.ElicitResult:
        seen.append(params)
        content = left.pop(0) if left else None
        if content is None:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content=content)

    return person, seen


async def start_boxes(host: Host) -> Any:
    return await host.call("boxes", **BOXES)


def test_even_a_host_with_forms_is_not_asked_for_writes(command: Command) -> None:
    person, seen = filling({"choice": "fill them, all"})
    result, _ = hosted(command, start_boxes, elicited=person)
    assert (result["status"], seen) == ("waiting", [])


@pytest.fixture
def through_host(command: Command) -> str:
    local = command.folder / "profiles" / "local.yaml"
    text = local.read_text("utf-8").replace("profile: local", "profile: host\nconfirm_through: elicitation")
    (command.folder / "profiles" / "host.yaml").write_text(text, "utf-8")
    return "profiles/host.yaml"


def test_a_profile_may_let_the_dialogue_of_the_host_confirm(command: Command, through_host: str) -> None:
    person, seen = filling({"choice": "fill"}, {"choice": "fill them, all"})
    result, _ = hosted(command, start_boxes, "boxes.yaml", profile=through_host, elicited=person)
    assert (result["status"], result["outputs"]["filled"]) == ("completed", 2)
    assert "ann-1" in seen[0].message, "what is permitted is shown"
    assert len(seen) == 2, "the id of a choice with a phrase does not count"
    (answer,) = answers(command, result["run_id"])
    assert (answer["through"], answer["claimed"]) == ("host", True)


def test_the_answer_tool_confirms_nothing_even_there(command: Command, through_host: str) -> None:
    async def lie(host: Host) -> Any:
        begun, _ = await host.call("boxes", **BOXES)
        return await host.call("answer_boxes", run_id=begun["run_id"], question="go", answer="fill them, all")

    result, failed = hosted(command, lie, "boxes.yaml", profile=through_host)
    assert (failed, result["error"]["code"]) == (True, "command/not-through-host")


@pytest.mark.long
def test_a_dialogue_that_is_declined_leaves_the_question_open(command: Command, through_host: str) -> None:
    person, seen = filling()
    result, _ = hosted(command, start_boxes, "boxes.yaml", profile=through_host, elicited=person)
    assert (result["status"], len(seen)) == ("waiting", 1)


@pytest.mark.long
def test_a_server_that_is_killed_leaves_its_run_to_go_on_with(command: Command, tmp_path: Path) -> None:
    result, _ = hosted(command, start_boxes)

    async def again(host: Host) -> Any:
        return await host.call("resume_boxes", run_id=result["run_id"])

    after, _ = hosted(command, again)
    assert after["status"] == "waiting"
    assert after["waiting"][0]["digest"] == result["waiting"][0]["digest"]


@pytest.mark.parametrize("mode", ["legacy", pytest.param("auto", marks=pytest.mark.long)])
def test_a_form_is_answered_through_the_answer_tool(command: Command, mode: str) -> None:
    async def work(host: Host) -> Any:
        begun, _ = await host.call("survey", topic="tea")
        run_id = begun["run_id"]
        (asked,) = begun["waiting"]
        assert (asked["question"], asked["kind"]) == ("opinion", "ask")
        assert [field["name"] for field in asked["schema"]] == ["mark", "why", "often", "again"]
        wrong = [
            {"mark": "fine", "often": 1, "again": False},
            {"mark": "good"},
            {"mark": "good", "often": 1, "again": False, "state": "end"},
            "good",
        ]
        for answer in wrong:
            result, failed = await host.call("answer_survey", run_id=run_id, question="opinion", answer=answer)
            assert failed, answer
            assert result["error"]["code"].startswith("run/answer-"), result
        good = {"mark": "bad", "why": "cold", "often": 2, "again": True}
        second, _ = await host.call("answer_survey", run_id=run_id, question="opinion#1", answer=good)
        assert second["waiting"][0]["visit"] == 2
        late, failed = await host.call("answer_survey", run_id=run_id, question="opinion#1", answer=good)
        assert (failed, late["error"]["code"]) == (True, "run/answer-unknown-question")
        last = {"mark": "good", "often": 0, "again": False}
        return await host.call("answer_survey", run_id=run_id, question="opinion", answer=last)

    result, failed = hosted(command, work, "survey.yaml", mode=mode)
    assert (result["status"], failed) == ("completed", False)
    assert [one["mark"] for one in result["outputs"]["answers"]] == ["bad", "good"]


def test_a_form_is_put_before_the_person_at_the_host_where_it_can_be(command: Command) -> None:
    person, seen = filling({"mark": "bad", "often": 2, "again": False}, {"why": "cold"})

    async def work(host: Host) -> Any:
        return await host.call("survey", topic="tea")

    result, _ = hosted(command, work, "survey.yaml", elicited=person)
    assert result["status"] == "completed"
    (answer,) = result["outputs"]["answers"]
    assert answer == {"mark": "bad", "often": 2, "again": False, "why": "cold", "ending": "answered"}
    first, second = (one.requested_schema for one in seen)
    assert list(first["properties"]) == ["mark", "often", "again"]
    assert [option["const"] for option in first["properties"]["mark"]["oneOf"]] == ["good", "bad"]
    assert list(second["properties"]) == ["why"], "a field that an answer brings up is asked for next"
    assert "About tea" in seen[0].message


@pytest.mark.long
def test_what_a_person_fills_in_wrongly_is_asked_again_and_then_left_open(command: Command) -> None:
    wrong = {"mark": "fine", "often": -1, "again": False}
    person, seen = filling(*([wrong] * 9))

    async def work(host: Host) -> Any:
        return await host.call("survey")

    result, _ = hosted(command, work, "survey.yaml", elicited=person)
    assert (result["status"], len(seen)) == ("waiting", 3)


def test_messages_of_a_run_and_what_a_state_says_come_as_progress(command: Command) -> None:
    (command.folder / "talk.yaml").write_text(
        """\
workflow: talk
version: 1.0.0
effect: read
progress: {text: {zh: 在说, en: talking}, first: 0s, every: 0s}
outputs: {said: {type: boolean, value: "{{ true }}"}}
states:
  TALK:
    steps:
      - {say: {done: {zh: 一, en: one}, next: {zh: 二, en: two}, writes: false}}
      - {say: {done: {zh: 三, en: three}, next: {zh: 四, en: four}, writes: false}}
    next: [{to: end}]
""",
        "utf-8",
    )

    async def work(host: Host) -> Any:
        result, _ = await host.call("talk")
        return result, host.told

    result, told = hosted(command, work, "talk.yaml")
    assert result["status"] == "completed", result
    assert [words for words in told if words != "talking"] == ["one", "three"]
    assert "talking" in told


SLOW = """\
workflow: slow
version: 1.0.0
effect: read
uses: {tools: [desk]}
outputs: {found: {type: array, value: "{{ found | default([]) }}"}}
data: {found: {type: array, default: []}}
states:
  LOOK:
    tools: [desk.find]
    steps:
      - {call: desk.find, with: {query: tea}, as: answer}
      - set: {found: "{{ answer.items | pluck('id') }}"}
    next: [{to: end}]
"""


@pytest.mark.parametrize("goes_away", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_host_that_gives_a_call_up_or_goes_away_leaves_a_run_to_go_on_with(
    command: Command, tmp_path: Path, goes_away: bool
) -> None:
    for name, text in (("tools/desk.yaml", DESK), ("slow.yaml", SLOW)):
        (command.folder / name).write_text(text, "utf-8")
    with http_server_in(tmp_path / "service") as server:
        (command.folder / "profiles" / "desk.yaml").write_text(
            f"profile: desk\ntools:\n  desk.find: {{adapter: http, settings: {{address: '{server.address}'}}}}\n",
            "utf-8",
        )
        command("run", "slow.yaml", "--profile", "profiles/desk.yaml", "--trust-profile", "--dry-run")
        release = tmp_path / "release"
        begun = len(server.requests)
        server.answers({"hold": {"file": str(release)}, "give": {"json": {"items": [{"id": 3}], "more": False}}})

        async def give_up(host: Host) -> None:
            calling = asyncio.ensure_future(host.call("slow"))
            while len(server.requests) < 1:
                await asyncio.sleep(0.01)
            if not goes_away:
                calling.cancel()
                await asyncio.gather(calling, return_exceptions=True)
                assert {tool.name for tool in (await host.client.list_tools()).tools} >= {"slow"}
            else:
                calling.cancel()

        assert begun == 1
        hosted(command, give_up, "slow.yaml", profile="profiles/desk.yaml")
        (run_id,) = (path.name for path in (command.home / "runs").iterdir())
        release.touch()

        async def go_on(host: Host) -> Any:
            return await host.call("resume_slow", run_id=run_id)

        for _ in range(200):
            result, failed = hosted(command, go_on, "slow.yaml", profile="profiles/desk.yaml")
            if not failed or result["error"]["code"] != "run/in-use":
                break
    assert (failed, result["status"], result["outputs"]["found"]) == (False, "completed", [3]), result


@pytest.mark.long
def test_a_workflow_over_a_server_of_tools_can_itself_be_served(command: Command, tmp_path: Path) -> None:
    for name, text in (("tools/desk.yaml", DESK), ("slow.yaml", SLOW)):
        (command.folder / name).write_text(text, "utf-8")
    folder = tmp_path / "tools_server"
    folder.mkdir()
    (command.folder / "profiles" / "desk.yaml").write_text(
        f"""\
profile: desk
tools:
  desk.find:
    adapter: mcp
    settings: {{program: "{sys.executable}", argv: ["{MCP_PROGRAM}", "{folder}"]}}
    request: {{tool: echo, arguments: {{query: "{{{{ query }}}}"}}}}
    value: {{items: [{{id: 4}}], more: false, next: "{{{{ answer.query }}}}"}}
""",
        "utf-8",
    )
    pinned = command("tools", "pin", "--profile", "profiles/desk.yaml", "--accept", "--trust-profile")
    assert pinned.status == 0, pinned

    async def work(host: Host) -> Any:
        return await host.call("slow")

    result, _ = hosted(command, work, "slow.yaml", profile="profiles/desk.yaml")
    assert (result["status"], result["outputs"]["found"]) == ("completed", [4])


def test_workflows_of_the_same_name_are_not_served_together(command: Command) -> None:
    ended = command("serve-mcp", "boxes.yaml", "boxes.yaml")
    assert (ended.status, ended.code) == (2, "command/tools-of-the-same-name")
    assert command("serve-mcp", "nothing.yaml").status == 2

"""The adapter `recorder`: what was answered once is answered again, and a miss says what differs."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import plan_adapters
from interpreter.adapters.recorder.adapter import RecorderAdapter
from interpreter.adapters.recorder.settings import RecorderSettings, read_settings
from interpreter.adapters.toolbox import Toolbox
from interpreter.adapters.trusted import contacts_of
from interpreter.documents.profiles import load_profile
from interpreter.ports import Answered, Request, ToolFailure
from interpreter.safety.secrets import Secrets
from rules.values import dumps, loads
from tests.unit.command_kit import script
from tests.unit.toolbox_kit import Text, contracts

SECRET = "sk-never-to-be-seen-4711"


class Scripted:
    """Answers with what comes next; knows a secret."""

    is_asynchronous = False
    secrets = Secrets([SECRET])

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)

    def invoke(self, tool: str, arguments: Any, identity: str) -> Any:
        found = self._answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def resolved_identity(self) -> str:
        return "scripted"


def ask(recorder: RecorderAdapter, tool: str = "desk.read", **arguments: Any) -> Any:
    answer = asyncio.run(recorder.call(Request(tool, arguments, "read", "k"), lambda: False))
    return answer.value if isinstance(answer, Answered) else answer


def failed(recorder: RecorderAdapter, tool: str = "desk.read", **arguments: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as failure:
        ask(recorder, tool, **arguments)
    return failure.value


def recording(folder: Path, *answers: Any, asked: list[dict[str, Any]]) -> Path:
    """Record answers to some arguments and return the file."""
    file = folder / "deep" / "recording.jsonl"
    recorder = RecorderAdapter(RecorderSettings(str(file), "record"), {"desk.read": Scripted(*answers)})
    for arguments in asked:
        with suppress(ToolFailure):
            ask(recorder, **arguments)
    return file


def replay(file: Path) -> RecorderAdapter:
    return RecorderAdapter(RecorderSettings(str(file), "replay"), {})


def test_answers_and_failures_come_back_in_order_by_tool_and_arguments(tmp_path: Path) -> None:
    busy = ToolFailure("busy", "later", {"message": {"zh": "忙", "en": "later"}}, 2.5)
    asked = [{"id": "a"}, {"id": "b"}, {"id": "a"}, {"id": "c"}]
    recorder = replay(recording(tmp_path, {"n": 1}, {"n": 2}, {"n": 3}, busy, asked=asked))
    assert ask(recorder, id="b") == {"n": 2}
    assert [ask(recorder, id="a"), ask(recorder, id="a")] == [{"n": 1}, {"n": 3}]
    failure = failed(recorder, id="c")
    assert (failure.code, failure.message, failure.retry_after) == ("busy", "later", 2.5)
    assert failure.details["message"]["zh"] == "忙"


def test_a_miss_shows_the_nearest_request_and_what_differs(tmp_path: Path) -> None:
    asked = [{"query": "tea", "page": {"size": 20}}, {"query": "something else altogether", "page": {"size": 1}}]
    recorder = replay(recording(tmp_path, 1, 2, asked=asked))
    failure = failed(recorder, query="teas", page={"size": 20}, mine=True)
    assert failure.code == "not_recorded"
    assert failure.details["nearest"]["query"] == "tea"
    for words in (failure.details["message"]["zh"], failure.details["message"]["en"]):
        assert '"tea"' in words
        assert '"teas"' in words
        assert "mine" in words
        assert "page" not in words


def test_a_miss_says_when_all_are_used_or_nothing_was_recorded(tmp_path: Path) -> None:
    recorder = replay(recording(tmp_path, 1, asked=[{"id": "a"}]))
    assert ask(recorder, id="a") == 1
    assert "1 times" in failed(recorder, id="a").message
    assert "desk.file" in failed(recorder, "desk.file", id="a").message


def test_secrets_are_taken_out_before_anything_is_written(tmp_path: Path) -> None:
    leak = ToolFailure("refused", f"bad key {SECRET}", {"message": {"zh": SECRET, "en": SECRET}})
    file = recording(tmp_path, {"echo": f"Bearer {SECRET}", SECRET: [SECRET]}, leak, asked=[{"id": "a"}, {"id": "b"}])
    text = file.read_text("utf-8")
    assert SECRET not in text
    assert text.count("•••") >= 4
    assert file.stat().st_mode & 0o077 == 0


def test_secrets_that_others_write_in_their_way_are_taken_out_too(tmp_path: Path) -> None:
    inside = json.dumps({"token": SECRET.replace("-", "\\u002d")}).replace("\\\\", "\\")
    address = f"https://a.example/?key={SECRET.replace('-', '%2d')}"
    coded = b64encode(f"user:{SECRET}".encode()).decode()
    leak = ToolFailure("refused", inside, {"message": {"zh": address, "en": coded}})
    file = recording(tmp_path, [inside, address, coded], leak, asked=[{"id": "a"}, {"id": "b"}])
    text = file.read_text("utf-8")
    assert text.count("•••") == 6
    assert "002d" not in text
    assert "%2d" not in text
    assert coded[8:24] not in text


BROKEN = [
    "{",
    "[]",
    '{"tool": "desk.read"}',
    '{"tool": "desk.read", "arguments": {}}',
    '{"tool": 1, "arguments": {}, "answer": 1}',
    '{"tool": "a.b", "arguments": {}, "failure": {}}',
    '{"tool": "a.b", "arguments": {}, "answer": 1, "failure": {"code": "x"}}',
]


@pytest.mark.parametrize("line", BROKEN)
def test_a_recording_that_cannot_be_read_names_its_line(line: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text(f'{{"tool": "a.b", "arguments": {{}}, "answer": 1}}\n{line}\n', "utf-8")
    failure = failed(replay(file), id="a")
    assert failure.code == "recording_broken"
    assert "2" in failure.message


def test_a_missing_recording_and_one_that_cannot_be_written_are_said(tmp_path: Path) -> None:
    assert failed(replay(tmp_path / "none.jsonl"), id="a").code == "recording_missing"
    (tmp_path / "file").write_text("x")
    recorder = RecorderAdapter(RecorderSettings(str(tmp_path / "file" / "x"), "record"), {"desk.read": Scripted(1)})
    assert failed(recorder, id="a").code == "recording_not_written"


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"file": "a"},
        {"file": "", "mode": "record"},
        {"file": "a", "mode": "play"},
        {"file": "a", "mode": "replay", "x": 1},
    ],
    ids=str,
)
def test_settings_that_do_not_fit_are_findings(values: dict[str, Any]) -> None:
    assert read_settings(values)[0] is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=3), JSON)
def test_whatever_is_recorded_comes_back(arguments: dict[str, Any], value: Any) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = recording(Path(folder), value, asked=[arguments])
        if any("\ud800" <= mark <= "\udfff" for mark in json.dumps([arguments, value], ensure_ascii=False)):
            return
        try:
            loads(dumps([arguments, value]))
        except ValueError:
            return  # a number with more digits than a value has
        assert ask(replay(file), **arguments) == value


def test_an_answer_that_is_no_value_spoils_no_other_line(tmp_path: Path) -> None:
    recorder = replay(recording(tmp_path, 10**40, {"n": 1}, asked=[{"id": "a"}, {"id": "b"}]))
    assert failed(recorder, id="a").code == "answer_garbled"
    assert ask(recorder, id="b") == {"n": 1}


# --- in a profile -----------------------------------------------------------------------------------------------------


def planned(mode: str, program: str, file: Path) -> tuple[Any, ...]:
    text = f"""\
profile: here
tools:
  desk.read:
    adapter: recorder
    settings: {{file: {file}, mode: {mode}}}
    of:
      adapter: command
      settings: {{program: {program}, secrets: [TOKEN_OF_IT]}}
      request: {{argv: ["{{{{ id }}}}"]}}
      success: exit == 0
"""
    profile, found = load_profile(Path("profiles/here.yaml"), Text(text))
    assert profile is not None
    assert found == [], [one.message.en for one in found]
    plans, found = plan_adapters(profile, {"desk.read": contracts()["desk.read"]}, {}, Path("."))
    assert found == []
    return plans


def opened(plans: tuple[Any, ...]) -> Toolbox:
    toolbox, found = open_planned(plans)
    assert toolbox is not None, found
    return toolbox


def test_a_profile_records_a_program_and_replays_it_without_starting_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_OF_IT", SECRET)
    program = script(tmp_path, 'echo "{\\"id\\": \\"$1\\", \\"key\\": \\"$TOKEN_OF_IT\\"}"')
    file = tmp_path / "recording.jsonl"
    recording_of = planned("record", program, file)
    assert [program in one.en for one in contacts_of(recording_of)] == [True]

    async def run(toolbox: Toolbox) -> Any:
        answer = await toolbox.invoke(Request("desk.read", {"id": "a"}, "read", "k"), lambda: False)
        await toolbox.close()
        return answer.value if isinstance(answer, Answered) else answer

    made = asyncio.run(run(opened(recording_of)))
    assert SECRET not in file.read_text("utf-8")
    monkeypatch.delenv("TOKEN_OF_IT")
    Path(program).unlink()
    replaying = planned("replay", program, file)
    assert contacts_of(replaying) == ()
    assert asyncio.run(run(opened(replaying))) == made == {"id": "a", "key": "•••"}


def test_every_adapter_with_a_secret_tells_a_recorder_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_IT", SECRET)
    model = "adapter: model, settings: {address: 'http://h/v1', model: m, key_from: TOKEN_OF_IT}"
    http = "adapter: http, settings: {address: 'http://127.0.0.1:9', bearer_from: TOKEN_OF_IT}, request: {path: [a]}"
    command = "adapter: command, settings: {program: p, secrets: [TOKEN_OF_IT]}, request: {argv: []}"
    for entry in (model, http, command):
        text = f"profile: here\ntools:\n  desk.think: {{{entry}}}\n"
        profile, found = load_profile(Path("profiles/here.yaml"), Text(text))
        assert profile is not None, found
        plans, found = plan_adapters(profile, {"desk.think": contracts()["desk.think"]}, {}, Path("."))
        assert found == []
        secrets = opened(plans).adapter_of("desk.think").secrets
        assert secrets.cleared({"a": f"Bearer {SECRET}"}) == {"a": "Bearer •••"}

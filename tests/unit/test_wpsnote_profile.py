"""The profile `wpsnote_cli` over a stand-in of its program: the same notes as from the folder itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.servers.programs import Wps
from tests.servers.service import SPECS, Service

VAULT = SPECS / "samples" / "notes"
NOTES = ("notes",)
#: What only the folder knows of a note.
OF_THE_FOLDER = {
    "path",
    "problem",
    "links",
    "count",
    "heading",
    "heading_block_id",
    "skipped",
    "skipped_total",
    "hints",
    "estimated_xml_chars",
    "pagination",
    "missing",
    "requested_limit",
    "link_id",
}


@pytest.fixture
def wps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wps:
    made = Wps(tmp_path, VAULT)
    monkeypatch.setenv("PATH", f"{made.path}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(made.home))
    return made


def bare(value: Any) -> Any:
    """Return an answer without what only the folder knows."""
    if isinstance(value, list):
        return [bare(one) for one in value]
    if isinstance(value, dict):
        return {name: bare(one) for name, one in value.items() if name not in OF_THE_FOLDER}
    return value


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("notes.search_notes", {"keyword": "预算", "limit": 3}),
    ("notes.search_notes", {"keyword": "--yes"}),
    (
        "notes.search_notes",
        {"tags": ["项目/灯塔"], "since": "2026-01-01T00:00:00Z", "sort": "create_time", "direction": "asc"},
    ),
    ("notes.find_tags", {"keyword": "项目"}),
    ("notes.find_tags", {}),
    ("notes.search_note_content", {"note_id": "weekly-meeting-1012", "query": "预算", "max_results": 5}),
    ("notes.get_note_info", {"note_ids": ["weekly-meeting-1012"]}),
    ("notes.get_note_outline", {"note_id": "weekly-meeting-1012", "preview_length": 20}),
    ("notes.read_note", {"note_id": "weekly-meeting-1012"}),
    ("notes.read_note_content", {"note_id": "weekly-meeting-1012"}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=lambda value: value if isinstance(value, str) else "")
def test_the_answers_are_those_of_the_folder(tool: str, arguments: dict[str, Any], wps: Wps) -> None:
    ours = Service("wpsnote_cli", NOTES).value(tool, **arguments)
    theirs = Service("local", NOTES, vault=str(VAULT)).value(tool, **arguments)
    assert _without_empty(bare(ours)) == _without_empty(bare(theirs))


def _without_empty(value: Any) -> Any:
    """An attribute that says nothing may be there or not; a block of a whole note comes without its end."""
    if isinstance(value, list):
        return [_without_empty(one) for one in value]
    if isinstance(value, dict):
        return {name: _without_empty(one) for name, one in value.items() if name not in ("attrs", "meta", "content")}
    return value


def test_sections_and_blocks_are_read_as_a_reader_sees_them(wps: Wps) -> None:
    ours, theirs = Service("wpsnote_cli", NOTES), Service("local", NOTES, vault=str(VAULT))
    note = theirs.value("notes.search_notes", keyword="模型成本", limit=1)["notes"][0]["note_id"]
    blocks = theirs.value("notes.get_note_outline", note_id=note)["blocks"]
    heading = next(one["id"] for one in blocks if one["type"] == "heading")
    for tool, arguments in (
        ("notes.read_section", {"heading_block_id": heading}),
        ("notes.read_blocks", {"block_ids": [one["id"] for one in blocks[:4]]}),
        ("notes.read_blocks", {"block_id": blocks[1]["id"], "before": 1, "after": 1}),
    ):
        mine, other = ours.value(tool, note_id=note, **arguments), theirs.value(tool, note_id=note, **arguments)
        assert [(one["id"], one["text"]) for one in mine["blocks"]] == [
            (one["id"], one["text"]) for one in other["blocks"]
        ]


def test_every_sample_note_is_parted_into_its_blocks(wps: Wps) -> None:
    ours, theirs = Service("wpsnote_cli", NOTES), Service("local", NOTES, vault=str(VAULT))
    ids = [one["note_id"] for one in theirs.value("notes.search_notes", limit=1000)["notes"]]
    for note in ids[::6]:
        mine, other = ours.value("notes.read_note", note_id=note), theirs.value("notes.read_note", note_id=note)
        told = [[(one["id"], one["type"], one["text"]) for one in found["blocks"]] for found in (mine, other)]
        assert told[0] == told[1]


def test_other_versions_give_a_list_of_notes_and_a_section_in_one_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wps = Wps(tmp_path, VAULT, notes_as_list=True, section_as_content=True)
    monkeypatch.setenv("PATH", f"{wps.path}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(wps.home))
    ours, theirs = Service("wpsnote_cli", NOTES), Service("local", NOTES, vault=str(VAULT))
    found = ours.value("notes.search_notes", keyword="模型成本", limit=2)
    assert len(found["notes"]) == 2
    note = found["notes"][0]["note_id"]
    blocks = theirs.value("notes.get_note_outline", note_id=note)["blocks"]
    heading = next(one["id"] for one in blocks if one["type"] == "heading")
    section = ours.value("notes.read_section", note_id=note, heading_block_id=heading)
    assert len(section["blocks"]) == 1
    assert section["blocks"][0]["text"]


FAULTS: list[tuple[dict[str, Any], str, str]] = [
    (
        {"stdout": '{"ok": false, "code": "RATE_LIMITED", "message": "wait", "retryable": true}', "exit": 1},
        "RATE_LIMITED",
        "transient",
    ),
    (
        {"stdout": '{"ok": false, "code": "NOTE_NOT_FOUND", "message": "no", "retryable": false}', "exit": 1},
        "NOTE_NOT_FOUND",
        "permanent",
    ),
    ({"stdout": '{"ok": false, "code": "INVALID_PARAMS", "message": "no"}', "exit": 0}, "INVALID_PARAMS", "invalid"),
    (
        {"stderr": "ConnectionError: connect ECONNREFUSED 127.0.0.1", "exit": 1},
        "WEBSOCKET_NOT_CONNECTED",
        "unreachable",
    ),
    ({"stderr": "AuthError: token", "exit": 1}, "WEBSOCKET_NOT_CONNECTED", "unreachable"),
    ({"stderr": "ToolError: broken", "exit": 1}, "INTERNAL_ERROR", "transient"),
    ({"stdout": "title: for people", "exit": 0}, "output_not_json", "permanent"),
    ({"stdout": "", "exit": 0}, "output_not_json", "permanent"),
    ({"stdout": '{"ok": false}', "exit": 0}, "not_successful", "permanent"),
]


@pytest.mark.parametrize(("fault", "code", "kind"), FAULTS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_failure_is_never_an_empty_answer(fault: dict[str, Any], code: str, kind: str, wps: Wps) -> None:
    wps.fault("find", **fault)
    error = Service("wpsnote_cli", NOTES).outcome("notes.search_notes", keyword="预算")["error"]
    assert (error["code"], error["kind"]) == (code, kind)


def test_no_command_that_writes_stands_in_the_profile(wps: Wps) -> None:
    ours = Service("wpsnote_cli", NOTES)
    ours.value("notes.search_notes", keyword="预算")
    assert wps.calls[-1] == ["find", '--json-args={"keyword":"预算"}', "--json"]
    assert all(one.effect == "read" for one in ours.contracts.values())

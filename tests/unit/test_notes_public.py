"""The notes of the public evaluation, taken as a folder: what its cases need is found, and nothing of it is changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.checked_calls import close_adapters
from tests.unit.notes_folder import Caller, write_fixture

__all__ = ["close_adapters"]

CASES = Path(__file__).parents[3] / "shared" / "cases" / "wps"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the public evaluation is not on this machine")


def fixture(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((CASES / name).read_text("utf-8"))
    return value


@pytest.mark.parametrize("file", sorted(path.name for path in (CASES / "fixtures").glob("*.json")))
def test_every_paragraph_of_a_fixture_is_found_and_is_a_block(file: str, tmp_path: Path) -> None:
    given = fixture(f"fixtures/{file}")
    caller = Caller(write_fixture(tmp_path, given))
    assert set(caller.found()) == set(given["notes"])
    for note_id, note in given["notes"].items():
        assert [block["text"] for block in caller.blocks(note_id)] == note["key_paragraphs"]
        for paragraph in note["key_paragraphs"]:
            hits = caller("search_note_content", note_id=note_id, query=paragraph)["hits"]
            assert hits[0]["preview"] == paragraph


@pytest.mark.parametrize("file", sorted(path.name for path in (CASES / "golden").glob("*.json")))
def test_the_expected_notes_of_a_golden_case_are_found_by_tag_and_by_evidence(file: str, tmp_path: Path) -> None:
    case = fixture(f"golden/{file}")
    name = case["id"].removeprefix("wps-deep-search-golden-")
    caller = Caller(write_fixture(tmp_path, fixture(f"fixtures/{name}.original.json")))
    wanted = {change["path"]: change for change in case["expected_state"]["required_changes"]}
    hits = set(wanted["response.hits"]["values"])
    forbidden = {change["value"] for change in case["expected_state"]["forbidden_changes"]}
    tags = {tag["name"] for tag in caller("find_tags")["tags"]}
    shared = [tag for tag in tags if hits <= set(caller.found(tags=[tag]))]
    assert shared
    assert not forbidden & set(caller.found(tags=[shared[0]]))
    for evidence in wanted["response.evidence"]["values"]:
        found = caller.found(evidence)
        assert len(found) == 1
        assert set(found) <= hits


def test_the_mock_notes_have_their_times_tags_and_todos(tmp_path: Path) -> None:
    notes = fixture("mock-notes.json")["notes"]
    caller = Caller(write_fixture(tmp_path, {"notes": notes}))
    for note in notes:
        (found,) = caller("get_note_info", note_id=note["note_id"])["notes"]
        assert (found["create_time"], found["update_time"]) == (note["create_time"], note["update_time"])
        assert [tag["name"] for tag in found["tags"]] == note["tags"]
    todo = next(note for note in notes if "[x]" in note["content"])
    checked = [block["attrs"].get("checked") for block in caller.blocks(todo["note_id"])]
    assert checked.count(True) == todo["content"].count("[x]")
    assert checked.count(False) == todo["content"].count("[ ]")

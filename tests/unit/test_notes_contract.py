"""The contract of notes: complete, read-only, true to the adapter, and with evidence only where a text was read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.notes import TOOLS
from interpreter.ports import ERROR_KINDS, ToolFailure
from tests.unit.checked_calls import close_adapters, document, validator
from tests.unit.notes_folder import SAMPLES, Caller, write_notes

__all__ = ["close_adapters"]

CONTRACTS = {name: body for name, body in document("notes").items() if "." in name}


def marks(schema: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the places of a schema that are marked as evidence, each with its mark."""
    if isinstance(schema, dict):
        if isinstance(schema.get("evidence"), str):
            yield path, schema["evidence"]
        for name, inner in schema.get("properties", {}).items():
            yield from marks(inner, f"{path}.{name}".strip("."))
        yield from marks(schema.get("items"), path)


def test_every_contract_has_a_tool_and_every_tool_a_contract() -> None:
    assert sorted(CONTRACTS) == sorted(TOOLS)


@pytest.mark.parametrize("tool", CONTRACTS)
def test_a_contract_only_reads_and_shows_an_example(tool: str) -> None:
    contract = CONTRACTS[tool]
    assert contract["effect"] == "read"
    assert set(contract["title"]) == {"zh", "en"}
    assert contract["input"]["additionalProperties"] is False
    assert not [name for name in contract["input"]["properties"] if name.endswith("_file")]
    validator(tool, "output").validate(contract["example"])


def test_every_error_has_a_kind_and_never_happened() -> None:
    for code, error in document("notes")["errors"].items():
        assert error["kind"] in ERROR_KINDS, code
        assert error["happened"] == "never", code
        assert set(error["title"]) == {"zh", "en"}, code


def test_only_the_text_of_blocks_is_evidence() -> None:
    found = {(tool, path) for tool, body in CONTRACTS.items() for path, mark in marks(body["output"]) if mark == "body"}
    assert found == {
        ("notes.read_section", "heading"),
        ("notes.read_section", "blocks.text"),
        ("notes.read_blocks", "blocks.text"),
        ("notes.read_note", "title"),
        ("notes.read_note", "blocks.text"),
        ("notes.read_note_content", "title"),
        ("notes.read_note_content", "blocks.text"),
    }


@pytest.mark.parametrize("vault", ["not-there", "file.md"])
def test_a_folder_that_is_not_there_is_refused_before_anything_is_read(vault: str, tmp_path: Path) -> None:
    write_notes(tmp_path, {"file.md": "x"})
    with pytest.raises(ToolFailure) as failed:
        Caller(tmp_path / vault)
    assert failed.value.code == "VAULT_UNAVAILABLE"
    assert vault in failed.value.message


@pytest.mark.parametrize("vault", ["", "gone-later"])
@pytest.mark.parametrize("tool", TOOLS)
def test_a_folder_that_cannot_be_read_is_an_unreachable_service(tool: str, vault: str, tmp_path: Path) -> None:
    (tmp_path / "gone-later").mkdir()
    caller = Caller(tmp_path / vault if vault else "")
    (tmp_path / "gone-later").rmdir()
    arguments = {"note_id": "x"} if "note_id" in CONTRACTS[tool]["input"].get("required", []) else {}
    more = {"notes.search_note_content": {"query": "x"}, "notes.read_section": {"heading_block_id": "x"}}
    more["notes.read_blocks"] = {"block_ids": ["x"]}
    with pytest.raises(ToolFailure) as failed:
        caller(tool.partition(".")[2], **arguments, **more.get(tool, {}))
    assert failed.value.code == "VAULT_UNAVAILABLE"
    assert document("notes")["errors"]["VAULT_UNAVAILABLE"]["kind"] == "unreachable"


def test_both_names_of_reading_a_note_are_one_tool() -> None:
    caller = Caller(SAMPLES)
    assert caller("read_note", note_id="fitness") == caller("read_note_content", note_id="fitness")

"""The contracts of drive, reading and evidence: complete, true to the adapter, and honest about what is not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.drive import TOOLS
from interpreter.ports import ERROR_KINDS
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.unit.checked_calls import close_adapters, document, evaluate, validator
from tests.unit.drive_folder import Caller, write_all

__all__ = ["close_adapters"]

DOCUMENTS = ("drive", "reading", "evidence")
CONTRACTS = {name: body for kind in DOCUMENTS for name, body in document(kind).items() if "." in name}
WRITES = [name for name, body in CONTRACTS.items() if body["effect"] != "read"]


def test_every_contract_has_a_tool_and_every_tool_a_contract() -> None:
    assert sorted(CONTRACTS) == sorted(TOOLS)


@pytest.mark.parametrize("tool", CONTRACTS)
def test_a_contract_says_what_it_does_and_shows_an_example(tool: str) -> None:
    contract = CONTRACTS[tool]
    assert contract["effect"] in ("read", "write", "destructive")
    assert set(contract["title"]) == {"zh", "en"}
    validator(tool, "output").validate(contract["example"])
    for text in (contract.get("failed"), contract.get("pending")):
        assert text is None or evaluate(text, answer=contract["example"]) is False


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_every_error_has_a_kind_of_the_language_and_says_whether_it_happened(kind: str) -> None:
    errors = dict(document(kind)["errors"])
    for name, body in document(kind).items():
        errors |= body.get("errors", {}) if "." in name else {}
    for code, error in errors.items():
        assert error["kind"] in ERROR_KINDS, code
        assert error["happened"] in ("never", "perhaps"), code
        assert set(error["title"]) == {"zh", "en"}, code


def test_only_the_three_writes_have_an_effect() -> None:
    assert {name: CONTRACTS[name]["effect"] for name in WRITES} == {
        "drive.move": "write",
        "drive.create_folder": "write",
        "drive.delete": "destructive",
    }
    assert all("verify_with" in CONTRACTS[name] and "one_at_a_time" in CONTRACTS[name] for name in WRITES)


def test_text_that_was_read_is_marked_as_such_and_a_snippet_is_only_a_lead() -> None:
    hit = CONTRACTS["drive.search"]["output"]["properties"]["results"]["items"]["properties"]
    assert hit["summary_highlighted"]["evidence"] == "lead"
    document_text = CONTRACTS["reading.doc_fetch"]["output"]["properties"]["document"]["properties"]["content"]
    assert document_text["evidence"] == "body"


# answer ; is it still pending
MOVES = [
    ({"file_token": "t"}, False),
    ({"task_id": "1"}, True),
    ({"task_id": "1", "ready": False}, True),
    ({"task_id": "1", "ready": True, "timed_out": True}, True),
    ({"task_id": "1", "ready": True}, False),
]


@pytest.mark.parametrize(("answer", "pending"), MOVES)
def test_a_move_is_not_done_before_its_task_says_so(answer: dict[str, Any], pending: bool) -> None:
    assert evaluate(CONTRACTS["drive.move"]["pending"], answer=answer) is pending


def looked_up(drive: Caller, tool: str, sent: dict[str, Any]) -> tuple[bool, bool]:
    """Return what the contract's look-up says of a write that was sent: it happened, it did not."""
    verify = CONTRACTS[tool]["verify_with"]
    arguments = {name: evaluate(text[2:-2].strip(), sent=sent) for name, text in verify["with"].items()}
    found = drive(verify["call"], **arguments)
    paging = CONTRACTS[verify["call"]].get("pages")
    names = {"sent": sent, "found": found} | ({"items": found[paging["items"]]} if paging else {})
    return evaluate(verify["happened"], **names), evaluate(verify["did_not"], **names)


HAPPENED, DID_NOT, A_PERSON = (True, False), (False, True), (False, False)


@pytest.fixture
def drive(tmp_path: Path) -> Caller:
    return Caller(write_all(tmp_path, {"甲/文.md": "文", "乙": None}))


def test_a_move_is_looked_up_by_token_in_the_target(drive: Caller) -> None:
    sent = {"file_token": drive.token("甲/文.md"), "type": "docx", "folder_token": drive.token("乙")}
    assert looked_up(drive, "drive.move", sent) == DID_NOT
    drive("drive.move", **sent)
    assert looked_up(drive, "drive.move", sent) == HAPPENED


def test_a_deletion_is_looked_up_by_its_title(drive: Caller) -> None:
    sent = {"file_token": drive.token("乙"), "type": "folder"}
    assert looked_up(drive, "drive.delete", sent) == DID_NOT
    drive("drive.delete", **sent)
    assert looked_up(drive, "drive.delete", sent) == HAPPENED


def test_a_new_folder_is_known_by_its_request_and_without_one_a_person_decides(drive: Caller) -> None:
    sent = {"name": "新", "folder_token": "", "request_id": "run-1/p1"}
    assert looked_up(drive, "drive.create_folder", sent) == DID_NOT
    drive("drive.create_folder", **sent)
    assert looked_up(drive, "drive.create_folder", sent) == HAPPENED
    assert looked_up(drive, "drive.create_folder", {**sent, "request_id": "run-2/p1"}) == A_PERSON
    assert looked_up(drive, "drive.create_folder", {"name": "新", "folder_token": ""}) == A_PERSON


def test_the_local_profile_answers_every_document_and_confirms_nothing_by_itself() -> None:
    path = Path(__file__).parents[2] / "specs" / "profiles" / "local.yaml"
    node, findings = read_tree(Source("local", path.read_text("utf-8")))
    assert findings == []
    assert node is not None
    profile: Any = to_value(node)
    assert {f"{kind}.*" for kind in DOCUMENTS} <= set(profile["tools"])
    assert "unattended_confirm" not in profile
    assert profile["settings"]["root"]["default"] == ""  # no folder is taken by itself

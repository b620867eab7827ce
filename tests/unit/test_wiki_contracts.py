"""The contracts of the wiki: complete, true to the adapter, and honest about what is not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.wiki import TOOLS
from interpreter.ports import ERROR_KINDS
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.values import CannotEvaluate
from tests.unit.checked_calls import close_adapters, document, evaluate, validator
from tests.unit.wiki_folder import Pair, pair

__all__ = ["close_adapters", "pair"]

CONTRACTS = {name: body for name, body in document("wiki").items() if "." in name}
READERS = {**CONTRACTS, **{name: body for name, body in document("drive").items() if "." in name}}
PROFILES = Path(__file__).parents[2] / "specs" / "profiles"


def holds(text: str, **names: Any) -> bool:
    """Say whether a condition holds; one that cannot be evaluated tells nothing, as in a run."""
    try:
        return bool(evaluate(text, **names))
    except CannotEvaluate:
        return False


def test_every_contract_has_a_tool_and_every_tool_a_contract() -> None:
    assert sorted(CONTRACTS) == sorted(TOOLS)


@pytest.mark.parametrize("tool", CONTRACTS)
def test_a_contract_says_what_it_does_and_shows_an_example(tool: str) -> None:
    contract = CONTRACTS[tool]
    assert set(contract["title"]) == {"zh", "en"}
    validator(tool, "output").validate(contract["example"])
    for text in (contract.get("failed"), contract.get("pending")):
        assert text is None or evaluate(text, answer=contract["example"]) is False
    assert (contract["effect"] == "read") == ("verify_with" not in contract)
    assert contract["effect"] == "read" or contract["one_at_a_time"] == document("drive")["drive.move"]["one_at_a_time"]


def test_only_deleting_is_destructive() -> None:
    assert {name: body["effect"] for name, body in CONTRACTS.items() if body["effect"] != "read"} == {
        "wiki.move": "write",
        "wiki.move_to_drive": "write",
        "wiki.node_create": "write",
        "wiki.node_delete": "destructive",
    }


def test_every_error_has_a_kind_of_the_language_and_says_whether_it_happened() -> None:
    errors = dict(document("wiki")["errors"])
    for body in CONTRACTS.values():
        errors |= body.get("errors", {})
    for code, error in errors.items():
        assert error["kind"] in ERROR_KINDS, code
        assert error["happened"] in ("never", "perhaps"), code
        assert set(error["title"]) == {"zh", "en"}, code


# tool ; answer ; what it is
ANSWERS = [
    ("wiki.move", {"mode": "node"}, "success"),
    ("wiki.move", {"mode": "docs_to_wiki", "ready": True}, "success"),
    ("wiki.move", {"mode": "docs_to_wiki"}, "pending"),
    ("wiki.move", {"mode": "docs_to_wiki", "ready": False}, "pending"),
    ("wiki.move", {"mode": "docs_to_wiki", "ready": False, "applied": True}, "pending"),
    ("wiki.move", {"mode": "docs_to_wiki", "ready": True, "applied": True}, "pending"),
    ("wiki.move", {"mode": "docs_to_wiki", "ready": True, "timed_out": True}, "pending"),
    ("wiki.move", {"mode": "docs_to_wiki", "ready": False, "failed": True}, "failed"),
    ("wiki.move_to_drive", {"ready": True, "failed": False}, "success"),
    ("wiki.move_to_drive", {"ready": False, "failed": False}, "pending"),
    ("wiki.move_to_drive", {"ready": False, "failed": True}, "failed"),
    ("wiki.node_delete", {"ready": True, "failed": False}, "success"),
    ("wiki.node_delete", {"ready": True, "failed": False, "timed_out": True}, "pending"),
    ("drive.task_result", {"ready": True, "failed": False}, "success"),
    ("drive.task_result", {"ready": False, "failed": False}, "pending"),
    ("drive.task_result", {"ready": False, "failed": True}, "failed"),
]


@pytest.mark.parametrize(("tool", "answer", "status"), ANSWERS)
def test_only_an_answer_that_says_so_is_a_success(tool: str, answer: dict[str, Any], status: str) -> None:
    contract = READERS[tool]
    failed, pending = evaluate(contract["failed"], answer=answer), evaluate(contract["pending"], answer=answer)
    assert ("failed" if failed else "pending" if pending else "success") == status


# --- what a look-up says of a write whose outcome is not known ----------------------------------------------


def looked_up(pair: Pair, tool: str, sent: dict[str, Any]) -> tuple[bool, bool]:
    verify = CONTRACTS[tool]["verify_with"]
    arguments = {}
    for name, text in verify["with"].items():
        try:
            arguments[name] = evaluate(text[2:-2].strip(), sent=sent)
        except CannotEvaluate:
            continue
    arguments = {name: value for name, value in arguments.items() if isinstance(value, str)}
    reader = CONTRACTS[verify["call"]]
    from interpreter.ports import ToolFailure

    try:
        found = pair(verify["call"], **arguments)
    except ToolFailure as failure:
        found = {"error": {"code": failure.code}}
    names: dict[str, Any] = {"sent": sent, "found": found}
    if "pages" in reader and "error" not in found:
        names["items"] = found[reader["pages"]["items"]]
    return holds(verify["happened"], **names), holds(verify["did_not"], **names)


HAPPENED, DID_NOT, A_PERSON = (True, False), (False, True), (False, False)


def test_a_move_of_a_node_is_looked_up_by_where_it_is(pair: Pair) -> None:
    sent = {"node_token": pair.node("平台/日志"), "target_parent_token": pair.node("平台/规范")}
    assert looked_up(pair, "wiki.move", sent) == DID_NOT
    pair("wiki.move", **sent)
    assert looked_up(pair, "wiki.move", sent) == HAPPENED
    assert looked_up(pair, "wiki.move", {**sent, "node_token": "wikgone"}) == A_PERSON


def test_a_move_to_another_space_is_looked_up_with_the_space(pair: Pair) -> None:
    sent = {"node_token": pair.node("平台/日志"), "target_space_id": pair.space("财务")}
    assert looked_up(pair, "wiki.move", sent) == DID_NOT
    pair("wiki.move", **sent)
    assert looked_up(pair, "wiki.move", sent) == HAPPENED


def test_a_document_that_is_not_in_the_wiki_was_not_moved_there(pair: Pair) -> None:
    sent = {
        "obj_token": pair.token("资料/方案.md"),
        "obj_type": "docx",
        "target_space_id": pair.space("平台"),
        "target_parent_token": pair.node("平台/规范"),
        "apply": False,
    }
    assert looked_up(pair, "wiki.move", sent) == DID_NOT
    pair("wiki.move", **sent)
    assert looked_up(pair, "wiki.move", sent) == HAPPENED


def test_a_node_that_left_or_was_deleted_is_looked_up_by_its_absence(pair: Pair) -> None:
    leaving = {"node_token": pair.node("财务/预算"), "folder_token": ""}
    assert looked_up(pair, "wiki.move_to_drive", leaving) == DID_NOT
    pair("wiki.move_to_drive", **leaving)
    assert looked_up(pair, "wiki.move_to_drive", leaving) == HAPPENED
    deleted = {"node_token": pair.node("平台/日志"), "obj_type": "wiki", "include_children": False}
    assert looked_up(pair, "wiki.node_delete", deleted) == DID_NOT
    pair("wiki.node_delete", **deleted)
    assert looked_up(pair, "wiki.node_delete", deleted) == HAPPENED


def test_a_new_node_is_known_by_its_request_and_without_one_a_person_decides(pair: Pair) -> None:
    sent = {"space_id": pair.space("平台"), "title": "新", "obj_type": "docx", "request_id": "run-1/p1"}
    assert looked_up(pair, "wiki.node_create", sent) == DID_NOT
    pair("wiki.node_create", **sent)
    assert looked_up(pair, "wiki.node_create", sent) == HAPPENED
    assert looked_up(pair, "wiki.node_create", {**sent, "request_id": "run-2/p1"}) == A_PERSON
    assert looked_up(pair, "wiki.node_create", {k: v for k, v in sent.items() if k != "request_id"}) == A_PERSON


@pytest.mark.parametrize("name", ["local", "demo"])
def test_a_profile_answers_the_wiki_beside_the_drive(name: str) -> None:
    tree, findings = read_tree(Source(name, (PROFILES / f"{name}.yaml").read_text("utf-8")))
    assert findings == []
    assert tree is not None
    profile: Any = to_value(tree)
    assert profile["tools"]["wiki.*"]["settings"]["drive"] == profile["tools"]["drive.*"]["settings"]["root"]
    for kind in ("drive", "reading", "evidence"):
        assert profile["tools"][f"{kind}.*"]["settings"]["wiki"] == profile["tools"]["wiki.*"]["settings"]["root"]
    assert profile["settings"]["wiki"]["default"] == ""

"""Owners and rights: computed from the account's bits or stated, unknown wherever neither says anything."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.adapters.drive.rights import DENIED, UNKNOWN, Account, worst
from interpreter.adapters.drive.rights import Rights as RightsOf
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import Caller, write_all

__all__ = ["close_adapters"]

ME = f"{os.geteuid()}:{os.getegid()}"
SOMEBODY = "54321:54321"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    return write_all(tmp_path, {"甲/文.md": "文", "乙": None})


def rights(drive: Caller, path: str) -> tuple[str, str]:
    token = Caller(drive.root).token(path)
    return rights_of(drive, token)


def rights_of(drive: Caller, token: str) -> tuple[str, str]:
    answer = drive("evidence.move_rights", move_method="drive_move", token=token)
    return answer["source"], answer["source_parent"]


def target(drive: Caller, path: str) -> str:
    write: str = drive("evidence.target_rights", target_type="drive_folder", token=drive.token(path))["write"]
    return write


# mode of the folder ; mode of the file ; account ; (source, source parent)
BITS: list[tuple[int, int, str, tuple[str, str]]] = [
    (0o755, 0o644, ME, ("confirmed", "confirmed")),
    (0o555, 0o644, ME, ("confirmed", "denied")),
    (0o655, 0o644, ME, ("unknown", "unknown")),  # what is in it cannot even be seen
    (0o755, 0o000, ME, ("confirmed", "confirmed")),
    (0o755, 0o644, SOMEBODY, ("unknown", "denied")),
    (0o757, 0o644, SOMEBODY, ("unknown", "confirmed")),
    (0o1777, 0o644, SOMEBODY, ("denied", "confirmed")),
    (0o1777, 0o644, ME, ("confirmed", "confirmed")),
    (0o057, 0o644, ME, ("unknown", "unknown")),  # the owner's bits count, not the others'
    (0o755, 0o644, "nobody-of-this-machine", ("unknown", "unknown")),
]


@pytest.mark.parametrize(("folder", "file", "account", "expected"), BITS)
def test_rights_to_move_follow_owner_and_mode_bits(
    root: Path, folder: int, file: int, account: str, expected: tuple[str, str]
) -> None:
    drive = Caller(root, account=account)
    token = drive.token("甲/文.md")
    (root / "甲" / "文.md").chmod(file)
    (root / "甲").chmod(folder)
    assert rights_of(drive, token) == expected
    (root / "甲").chmod(0o755)


@pytest.mark.parametrize(
    ("mode", "account", "expected"),
    [
        (0o755, ME, "confirmed"),
        (0o555, ME, "denied"),
        (0o755, SOMEBODY, "denied"),
        (0o777, SOMEBODY, "confirmed"),
        (0o776, SOMEBODY, "denied"),
        (0o777, "nobody-of-this-machine", "unknown"),
    ],
)
def test_a_target_needs_the_bits_to_write_and_enter(root: Path, mode: int, account: str, expected: str) -> None:
    drive = Caller(root, account=account)
    (root / "乙").chmod(mode)
    assert target(drive, "乙") == expected


def test_a_folder_above_that_cannot_be_entered_closes_everything_below(root: Path) -> None:
    write_all(root, {"甲/子": None})
    (root / "甲" / "子").chmod(0o777)
    (root / "甲").chmod(0o700)
    drive = Caller(root, account=SOMEBODY)
    folder = Caller(root).token("甲/子")
    assert drive("evidence.target_rights", target_type="drive_folder", token=folder)["write"] == UNKNOWN
    assert drive("evidence.container_is_empty", token=folder)["empty"] == UNKNOWN
    drive.fails("permission_denied", "drive.files_list", folder_token=drive.token("甲"))


def test_moving_a_folder_needs_the_right_to_write_to_it(root: Path) -> None:
    (root / "乙").chmod(0o555)
    assert rights(Caller(root), "乙") == ("denied", "confirmed")


def test_no_other_way_of_moving_is_ever_confirmed_here(root: Path) -> None:
    drive = Caller(root)
    token = drive.token("甲/文.md")
    for method in ("wiki_move_docs_to_wiki", "wiki_move_node", "wiki_move_to_drive", "none"):
        answer = drive("evidence.move_rights", move_method=method, token=token)
        assert (answer["source"], answer["source_parent"]) == (UNKNOWN, UNKNOWN)
    assert drive("evidence.target_rights", target_type="wiki_node", token="x")["write"] == UNKNOWN
    assert drive("evidence.location", source_kind="wiki", token=token) == {"parent_kind": UNKNOWN}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"owner": "王敏"}, ("unknown", "confirmed")),
        ({"owner": "王敏", "source": "confirmed"}, ("confirmed", "confirmed")),
        ({"source": "denied"}, ("denied", "confirmed")),
        ({"source": "unknown", "source_parent": "unknown"}, ("unknown", "unknown")),
        ({"source": "certainly"}, ("unknown", "confirmed")),
    ],
)
def test_stated_evidence_wins_over_bits(root: Path, stated: dict[str, str], expected: tuple[str, str]) -> None:
    drive = Caller(root)
    for key in ("甲/文.md", "/甲/文.md", "甲/**", drive.token("甲/文.md")):
        write_all(root, {".drive/evidence.yaml": evidence({key: stated})})
        assert rights(drive, "甲/文.md") == expected, key


def evidence(stated: dict[str, dict[str, str]]) -> str:
    lines = [
        f'"{key}": {{{", ".join(f"{name}: {value}" for name, value in body.items())}}}' for key, body in stated.items()
    ]
    return "\n".join(lines) + "\n"


def test_the_nearest_statement_wins(root: Path) -> None:
    drive = Caller(root)
    token = drive.token("甲/文.md")
    stated = {"/**": {"owner": "甲"}, "甲/**": {"owner": "乙"}, "甲/文.md": {"owner": "丙"}, token: {"owner": "丁"}}
    for count, owner in enumerate(["甲", "乙", "丙", "丁"], start=1):
        write_all(root, {".drive/evidence.yaml": evidence(dict(list(stated.items())[:count]))})
        assert drive("drive.metas", request_docs=[{"doc_token": token}])["metas"][0]["owner_id"] == owner


def test_a_statement_about_what_is_below_a_folder_is_not_about_the_folder(root: Path) -> None:
    drive = Caller(root)
    write_all(root, {".drive/evidence.yaml": evidence({"甲/**": {"owner": "王敏"}}), "甲乙.md": "x"})
    owners = {file["name"]: file["owner_id"] for file in drive("drive.files_list", folder_token="")["files"]}
    assert "王敏" not in owners.values()
    assert drive("drive.search", query="", creator_ids=["王敏"])["results"][0]["title_highlighted"] == "文.md"


@pytest.mark.parametrize("text", ["- 甲\n", "甲: {owner: x\n", b"\xff\xfe\xfd"])
def test_evidence_that_cannot_be_read_stops_every_call(root: Path, text: str | bytes) -> None:
    drive = Caller(root)
    write_all(root, {".drive/evidence.yaml": text})
    failure = drive.fails("unavailable", "evidence.whoami")
    assert "evidence.yaml" in failure.message
    write_all(root, {".drive/evidence.yaml": "# nothing stated\n"})
    assert drive("evidence.whoami")["open_id"]


def test_mine_follows_the_stated_owner(root: Path) -> None:
    drive = Caller(root)
    assert drive.titles("文", mine=True) == ["文.md"]
    write_all(root, {".drive/evidence.yaml": evidence({"甲/文.md": {"owner": "王敏"}})})
    assert drive.titles("文", mine=True) == []
    named = Caller(root, account="王敏")
    assert named("evidence.whoami") == {"open_id": "王敏", "name": "王敏"}
    assert named.titles("文", mine=True) == ["文.md"]


def test_permissions_answer_for_the_account(root: Path) -> None:
    token = Caller(root).token("甲/文.md")
    (root / "甲" / "文.md").chmod(0o644)
    answers = {
        account: [
            Caller(root, account=account)("drive.permission_auth", token=token, type="docx", action=action)[
                "auth_result"
            ]
            for action in ("view", "edit", "share")
        ]
        for account in (ME, SOMEBODY)
    }
    assert answers == {ME: [True, True, True], SOMEBODY: [True, False, False]}


def test_an_unreadable_file_is_named_as_such_and_not_read(root: Path) -> None:
    (root / "甲" / "文.md").chmod(0o200)
    drive = Caller(root)
    token = drive.token("甲/文.md")
    drive.fails("permission_denied", "reading.doc_fetch", doc=token, scope="full")
    drive.fails("permission_denied", "drive.preview", file_token=token)
    assert drive("drive.metas", request_docs=[{"doc_token": token}])["failed_list"][0]["code"] == 970003


def test_a_container_is_empty_or_not_or_unknown(root: Path) -> None:
    drive = Caller(root)
    answers = [drive("evidence.container_is_empty", token=token)["empty"] for token in places(drive)]
    assert answers == ["not_empty", "empty", "not_empty", "unknown", "unknown"]


def places(drive: Caller) -> list[str]:
    return ["", drive.token("乙"), drive.token("甲"), drive.token("甲/文.md"), "fldnothing"]


@given(st.lists(st.sampled_from(["confirmed", "denied", "unknown"]), min_size=1))
def test_unknown_is_never_turned_into_confirmed(states: list[str]) -> None:
    assert (worst(states) == "confirmed") == (set(states) == {"confirmed"})


def test_an_account_without_a_user_has_no_bits(root: Path) -> None:
    drive = Caller(root).adapter._drive
    nobody: Any = RightsOf(Account("x", None, frozenset()), drive.evidence, lambda _: None)
    entry = drive.tree.entry("甲/文.md")
    assert entry is not None
    assert nobody.readable(entry, "t").state == UNKNOWN
    assert DENIED not in (nobody.source(entry, "t").state, nobody.editable(entry, "t").state)

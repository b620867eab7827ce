"""The workflows on services behind programs: the same scenario, the same outcome as on this machine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.kit import Command, Ended
from tests.cli.search_kit import NOTES, NOW, PAGES, SPEC
from tests.servers.programs import Lark, Wps, lark_profile_with_evidence, lark_state

ROOT = Path(__file__).parents[2]
DRIVE = ROOT / "specs" / "samples" / "drive"
ANSWERS = ROOT / "specs" / "samples" / "topic_move_answers.yaml"
TOPIC = ROOT / "specs" / "topic_move_collector.yaml"
PROFILE = ROOT / "specs" / "profiles" / "lark.yaml"


def specs_in(folder: Path, profile: str) -> Path:
    """Return the workflow in a copy of the documents, with a profile of the test's own."""
    specs = folder / "copy"
    for name in ("rules", "tools", "types"):
        shutil.copytree(ROOT / "specs" / name, specs / name)
    shutil.copy(TOPIC, specs)
    (specs / "profiles").mkdir()
    (specs / "profiles" / "lark.yaml").write_text(profile, "utf-8")
    return specs / TOPIC.name


def unattended(text: str) -> str:
    """Return a profile that takes prepared answers."""
    return text.replace("profile: lark\n", "profile: lark\nunattended_confirm: true\n", 1)


def on_lark(folder: Path, lark: Lark, profile: str) -> Ended:
    command = Command(folder)
    spec = specs_in(folder, profile)
    return command(
        *("run", str(spec), "--profile", str(spec.parent / "profiles" / "lark.yaml"), "--answers", str(ANSWERS)),
        *("--trust-profile", "--json", "--run-id", "a"),
        PATH=f"{lark.path}:{command.environment('en')['PATH']}",
        HOME=str(lark.home),
    )


def told(outputs: dict[str, Any]) -> dict[str, Any]:
    """Return what a run did, without the tokens of the place where it did it."""
    return {
        "written": sorted((one["operation"], one["title"], one["status"]) for one in outputs["execution_results"]),
        "verified": sorted((one["title"], one["status"]) for one in outputs["verification_results"]),
        "groups": sorted((one["title"], one["relevance"], one["move_permission_state"]) for one in outputs["facts"]),
        "unsupported": outputs["unsupported_checks"],
    }


@pytest.mark.long
def test_material_is_collected_moved_verified_and_put_back_alike(tmp_path: Path) -> None:
    command = Command(tmp_path / "here")
    shutil.copytree(DRIVE, tmp_path / "drive")
    local = command(
        *("run", str(TOPIC), "--profile", str(ROOT / "specs" / "profiles" / "demo.yaml")),
        *("--set", f"settings.root={tmp_path / 'drive'}", "--answers", str(ANSWERS), "--json"),
    )
    assert local.status == 0, local.err

    lark = Lark(tmp_path, lark_state(DRIVE))
    before = lark.tree()
    there = on_lark(tmp_path / "there", lark, unattended(lark_profile_with_evidence(PROFILE.read_text("utf-8"))))
    assert there.status == 0, there.err
    assert told(there.json["outputs"]) == told(local.json["outputs"])
    assert len(told(there.json["outputs"])["written"]) > 30
    assert lark.tree() == before
    assert all("--page-all" not in call for call in lark.calls)


def test_without_evidence_nothing_is_moved(tmp_path: Path) -> None:
    lark = Lark(tmp_path, lark_state(DRIVE))
    before = lark.state["items"]
    ended = on_lark(tmp_path / "there", lark, unattended(PROFILE.read_text("utf-8")))
    assert ended.status in (0, 3, 4, 5), ended.err
    assert ended.json["outputs"]["execution_results"] == []
    assert {one["move_permission_state"] for one in ended.json["outputs"]["facts"]} <= {"unknown"}
    assert lark.state["items"] == before
    assert not any(word in ("+move", "+create-folder", "+delete") for call in lark.calls for word in call)


@pytest.mark.long
def test_an_expired_sign_in_stops_with_its_checkpoint_and_goes_on_after_it(tmp_path: Path) -> None:
    lark = Lark(tmp_path, lark_state(DRIVE))
    error = {"type": "authentication", "subtype": "token_expired", "code": 99991677, "message": "expired"}
    lark.fault("drive +search", skip=1, times=1, stderr=json.dumps({"ok": False, "error": error}), exit=3)
    profile = unattended(lark_profile_with_evidence(PROFILE.read_text("utf-8")))
    stopped = on_lark(tmp_path / "there", lark, profile)
    assert stopped.status == 4, stopped.err
    assert stopped.json["blocked"]
    command = Command(tmp_path / "again")
    ended = command(
        *("resume", "a", "--home", str(tmp_path / "there" / "home"), "--answers", str(ANSWERS)),
        *("--trust-profile", "--json"),
        PATH=f"{lark.path}:{command.environment('en')['PATH']}",
        HOME=str(lark.home),
    )
    assert ended.status == 0, ended.err
    assert len(told(ended.json["outputs"])["written"]) > 30
    queries = [next(word for word in call if word.startswith("--query")) for call in lark.calls if "+search" in call]
    assert len(queries) == len(set(queries)) + 1, "only the query that failed is asked again"


@pytest.mark.long
def test_a_deep_search_finds_the_same_in_both_kinds_of_notes(tmp_path: Path) -> None:
    question = "把我们的笔记和外部权威关于降低模型成本的说法整理到一起"
    asked = ["--input", f"query={question}", "--input", f"now={NOW}", "--input", "search_depth=quick"]
    command = Command(tmp_path / "here")
    shared = ["--set", f"settings.pages={PAGES}", "--set", f"settings.web_index={tmp_path / 'index'}", "--json"]
    local = command("run", str(SPEC), *asked, "--set", f"settings.vault={NOTES}", *shared, language="zh")
    wps = Wps(tmp_path, NOTES)
    there = command(
        *("run", str(SPEC), *asked, "--profile", str(ROOT / "specs" / "profiles" / "wpsnote_cli.yaml")),
        *("--trust-profile", *shared),
        language="zh",
        PATH=f"{wps.path}:{command.environment('en')['PATH']}",
        HOME=str(wps.home),
    )
    assert there.status == local.status, there.err
    ours, theirs = there.json["outputs"], local.json["outputs"]
    assert len(wps.calls) > 1
    assert [_verdict(one) for one in ours["claims"]] == [_verdict(one) for one in theirs["claims"]] != []
    assert ours["evidence"]["notes"] == theirs["evidence"]["notes"] != []


def _verdict(claim: dict[str, Any]) -> tuple[Any, ...]:
    return claim["claim"], claim["verdict"], claim["confidence"], claim["score"]


# --- tools check ------------------------------------------------------------------------------------------------------


@pytest.fixture
def lark(tmp_path: Path) -> Lark:
    return Lark(tmp_path, lark_state(DRIVE))


def checked(folder: Path, lark: Lark, *more: str, language: str = "en", profile: Path = PROFILE) -> Ended:
    command = Command(folder / "command")
    path = f"{lark.path}:{command.environment('en')['PATH']}"
    arguments = ("tools", "check", "--profile", str(profile), *more)
    return command(*arguments, language=language, PATH=path, HOME=str(lark.home))


def test_tools_check_asks_for_trust_first_and_starts_nothing(tmp_path: Path, lark: Lark) -> None:
    ended = checked(tmp_path, lark)
    assert (ended.status, ended.code) == (2, "command/profile-not-trusted")
    assert "lark-cli" in ended.err
    assert lark.calls == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_tools_check_says_what_is_there_and_writes_nothing(language: str, tmp_path: Path, lark: Lark) -> None:
    before = lark.state["items"]
    ended = checked(tmp_path, lark, "--trust-profile", str(TOPIC), language=language)
    assert ended.status == 0, ended.out
    assert ended.out.count("✓") == 5
    assert ("程序 lark-cli: 1.0.96" if language == "zh" else "program lark-cli: 1.0.96") in ended.out
    assert lark.state["items"] == before
    asked = {" ".join(call[:2]) for call in lark.calls}
    assert asked == {"auth status", "drive +search", "drive files", "wiki +space-list"}


def test_another_word_of_the_command_is_another_trust(tmp_path: Path, lark: Lark) -> None:
    command = Command(tmp_path / "command")

    def check(*more: str) -> Ended:
        path = f"{lark.path}:{command.environment('en')['PATH']}"
        return command("tools", "check", "--profile", str(PROFILE), "--json", *more, PATH=path, HOME=str(lark.home))

    assert check("--trust-profile").status == 0
    assert check().status == 0
    seen = len(lark.calls)
    ended = check("--set", "settings.account=another")
    assert (ended.status, ended.code) == (2, "command/profile-not-trusted")
    assert len(lark.calls) == seen


def test_tools_check_says_what_is_wrong_in_words(tmp_path: Path, lark: Lark) -> None:
    scope = {"type": "authorization", "subtype": "missing_scope", "message": "no scope"}
    lark.fault("drive +search", stderr=json.dumps({"ok": False, "error": scope}), exit=3)
    lark.fault("drive files", stdout='{"ok": true, "data": {"files": [{"token": 7}], "has_more": "no"}}')
    lark.fault("wiki +space-list", stdout="<html>")
    ended = checked(tmp_path, lark, "--trust-profile", "--json")
    assert ended.status == 1
    found = {one["about"]: one for one in ended.json["found"]}
    wrong = [one["code"] for one in found.values() if not one["ok"]]
    assert wrong == ["missing_scope", "invalid_answer", "output_not_json"]
    assert "the app lacks a permission" in found["Search what is mine (drive.search)"]["words"]
    assert "drive.files_list" in found["List the root (drive.files_list)"]["words"]


def test_tools_check_says_who_is_missing(tmp_path: Path, lark: Lark) -> None:
    lark.state = {**lark.state, "account": None}
    ended = checked(tmp_path, lark, "--trust-profile", language="zh")
    assert ended.status == 1
    assert "未登录或登录已过期" in ended.out
    (lark.path / "lark-cli").unlink()
    ended = checked(tmp_path / "again", lark, "--trust-profile", language="zh")
    assert (ended.status, ended.out.count("✗")) == (1, 1)
    assert "找不到程序 lark-cli" in ended.out


def test_tools_check_refuses_what_does_more_than_read(tmp_path: Path, lark: Lark) -> None:
    written = PROFILE.read_text("utf-8").replace("- {call: evidence.whoami,", "- {call: drive.delete,", 1)
    profile = specs_in(tmp_path, written).parent / "profiles" / "lark.yaml"
    ended = checked(tmp_path, lark, "--trust-profile", "--json", profile=profile)
    assert ended.status == 2
    assert [one["code"] for one in ended.json["found"]] == ["tool/check-writes"]
    assert lark.calls == []

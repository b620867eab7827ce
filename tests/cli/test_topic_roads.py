"""The main roads of the topic collector on a real folder and a real wiki: all four ways to move, both kinds of new
targets, both phrases, what can be put back, what fails and is tried again.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.readme_kit import ROOT
from tests.long.killed_command import Ended, in_process, kept_documents

__all__ = ["kept_documents"]

SPEC = ROOT / "specs" / "topic_move_collector.yaml"
PROFILE = ROOT / "specs" / "profiles" / "demo.yaml"
LAY = ROOT / "specs" / "samples"
PLAIN, LONGER = "确认执行", "确认执行，包括不可自动恢复项"
LIBRARY = "wiki/我的文档库"


class Both:
    """A working copy of the sample drive and the sample wiki, and runs on it."""

    def __init__(self, folder: Path, with_traps: bool = False) -> None:
        sys.path.insert(0, str(LAY))
        try:
            from lay import lay  # type: ignore[import-not-found]
        finally:
            sys.path.remove(str(LAY))
        self.folder = folder / "work"
        self.home = folder / "home"
        lay(self.folder, pwd.getpwuid(os.geteuid()).pw_name, with_traps)

    def run(
        self, run: str, answers: dict[str, Any] | None = None, *more: str, tasks: str = "at_once", **inputs: Any
    ) -> Any:
        """Run the workflow to its end or to where it waits; returns what --json prints of it."""
        said = self.home.parent / f"{run}.json"
        said.write_text(json.dumps({"context": "start", **(answers or {})}, ensure_ascii=False), "utf-8")
        words = ["run", str(SPEC), "--profile", str(PROFILE), "--home", str(self.home), "--run-id", run, "--json"]
        words += ["--set", f"settings.root={self.folder / 'drive'}", "--set", f"settings.wiki={self.folder / 'wiki'}"]
        words += ["--set", f"settings.tasks={tasks}", "--set", "limits.poll_every=1s", "--answers", str(said)]
        for name, value in inputs.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            words += ["--input", f"{name}={text}"]
        if more[:1] == ("--set",):
            # documents that were planned once know no other thresholds
            return json.loads(_in_its_own_process([*words, *more]))
        return self.ended([*words, *more]).json

    def ended(self, words: list[str]) -> Ended:
        return in_process(words, ("", 0), self.home.parent)

    def tree(self) -> set[str]:
        own = {".drive", ".wiki"}
        places = (path.relative_to(self.folder) for path in self.folder.rglob("*"))
        return {str(place) for place in places if own.isdisjoint(place.parts)}


def _in_its_own_process(words: list[str]) -> str:
    command = [sys.executable, "-m", "interpreter", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=False).stdout


@pytest.fixture
def both(tmp_path: Path) -> Both:
    return Both(tmp_path)


def outputs_of(told: Any) -> dict[str, Any]:
    found = told["outputs"]
    assert isinstance(found, dict), told
    return found


def statuses(told: Any) -> set[str]:
    return {entry["status"] for entry in outputs_of(told)["verification_results"]}


def moved_by(told: Any) -> set[str]:
    return {entry["operation"] for entry in outputs_of(told)["moved"]}


def answers(phrase: str, *verify: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"plan_choice": {"action": "execute"}, "execution": phrase, "verify_choice": list(verify), **more}


END, PUT_BACK = {"action": "end"}, {"action": "put_back"}


def test_within_the_drive_everything_goes_back(both: Both) -> None:
    before = both.tree()
    told = both.run(
        "drive",
        answers(PLAIN, PUT_BACK, END, restore="确认恢复"),
        subject="年度预算",
        target_text="/",
        new_target_name="年度预算资料",
        allow_cross_container_move="false",
    )
    # two documents of one name: the second is refused, and said; everything that was moved goes back
    assert moved_by(told) == {"move_drive"}
    failed = [entry for entry in outputs_of(told)["execution_results"] if entry["status"] == "failed"]
    assert [entry["error_code"] for entry in failed] == ["name_in_use"]
    assert told["status"] == "waiting"  # a failure that needs a person
    assert told["waiting"][0]["question"].startswith("failure_choice")
    done = both.ended(["answer", "drive", 'failure_choice={"action":"put_back"}', "--home", str(both.home), "--json"])
    told = json.loads(done.out.strip().splitlines()[-1])
    assert told["waiting"][0]["question"].startswith("restore")
    both.ended(["answer", "drive", "restore=确认恢复", "--home", str(both.home)])
    assert both.tree() == before


@pytest.mark.long
def test_from_the_drive_into_a_new_node_and_what_cannot_go_back_stays(both: Both) -> None:
    before = both.tree()
    told = both.run(
        "into",
        answers(LONGER, PUT_BACK, END, restore="确认恢复"),
        subject="元数据",
        target_text="数据治理",
        new_target_name="元数据资料",
        tasks="2",
    )
    assert told["status"] == "completed", told
    assert told["partial"] is None
    assert moved_by(told) == {"move_docs_to_wiki", "move_wiki_node"}
    assert statuses(told) == {"verified"}
    after = both.tree()
    gone = {place for place in before - after if place.endswith(".md")}
    assert gone == {"drive/部门共享/数据平台/元数据管理办法.md", "drive/部门共享/数据平台/数据治理规范.md"}
    came = {place for place in after - before if place.endswith(".md")}
    assert {Path(place).parts[:3] for place in came} == {("wiki", "数据平台知识库", "数据治理")}
    assert not [place for place in after if "元数据资料" in place]
    assert {entry["plan_id"] for entry in outputs_of(told)["restored"]} != set()


def test_the_plain_phrase_is_not_enough_for_what_cannot_be_put_back(both: Both) -> None:
    before = both.tree()
    told = both.run("plain", answers(PLAIN), subject="元数据", target_text="数据治理", new_target_name="元数据资料")
    assert told["status"] == "waiting"
    assert told["state"] == "CONFIRM_EXECUTION"
    assert both.tree() == before


@pytest.mark.long
def test_out_of_the_wiki_into_a_folder_by_a_task(both: Both) -> None:
    told = both.run(
        "out",
        answers(LONGER, END),
        subject="数据治理周记",
        keywords=["数据治理周记"],
        target_text="/资料汇总",
        tasks="2",
    )
    assert told["status"] == "completed", told
    assert moved_by(told) == {"move_wiki_to_drive"}
    assert statuses(told) == {"verified"}
    assert "drive/资料汇总/数据治理周记.md" in both.tree()
    assert f"{LIBRARY}/周记/数据治理周记.md" not in both.tree()


def test_within_the_wiki_into_the_personal_library_and_back(both: Both) -> None:
    before = both.tree()
    told = both.run(
        "library",
        answers(PLAIN, PUT_BACK, END, restore="确认恢复"),
        subject="元数据登记指南",
        keywords=["登记指南"],
        target_text="个人文档库",
        new_target_name="收集",
        allow_cross_container_move="false",
    )
    assert told["status"] == "completed", told
    assert moved_by(told) == {"move_wiki_node"}
    assert statuses(told) == {"verified"}
    assert both.tree() == before


def test_a_task_that_never_ends_is_no_success_and_is_not_tried_again(both: Both) -> None:
    told = both.run(
        "never",
        answers(LONGER, END),
        "--set",
        "limits.poll_rounds=1",
        "--set",
        "limits.verify_rounds=1",
        subject="数据治理周记",
        keywords=["数据治理周记"],
        target_text="/资料汇总",
        tasks="never",
    )
    assert told["status"] == "completed"
    assert told["partial"] is not None
    assert statuses(told) == {"async_pending"}
    assert outputs_of(told)["partial"]["under_way"] == ["数据治理周记"]
    again = both.run("again", retry_of="never")
    assert again["status"] == "completed"
    assert again["state"] == "DONE"
    assert outputs_of(again)["execution_results"] == []


@pytest.mark.parametrize(("course", "status"), [("fails", "failed"), ("approval", "async_pending")])
def test_a_failed_task_and_a_request_for_approval_move_nothing(both: Both, course: str, status: str) -> None:
    before = both.tree()
    told = both.run(course, answers(LONGER, END), subject="Quarterly review", target_text="数据治理", tasks=course)
    assert told["partial"] is not None, told
    assert statuses(told) == {status}
    assert both.tree() == before


@pytest.mark.long
def test_only_what_failed_is_tried_again_and_an_ended_run_is_put_back(both: Both) -> None:
    before = both.tree()
    inputs = {"subject": "信息安全", "target_text": "/", "new_target_name": "安全资料"}
    taken = both.folder / "drive" / "信息安全" / "密码要求.txt"
    first = both.run("first", {**answers(PLAIN), "plan_choice": {"action": "execute"}}, "--dry-run", **inputs)
    assert first["dry_run"] is True
    # somebody renames it between plan and move: it is not moved then, and the rest is
    told = both.run("moved", {"plan_choice": {"action": "execute"}}, **inputs)
    assert told["state"] == "CONFIRM_EXECUTION"
    taken.rename(taken.with_name("密码规定.txt"))
    done = both.ended(["answer", "moved", f"execution={PLAIN}", "--home", str(both.home), "--json"])
    told = json.loads(done.out.strip().splitlines()[-1])
    assert told["waiting"][0]["question"].startswith("failure_choice")
    both.ended(["answer", "moved", 'failure_choice={"action":"check"}', "--home", str(both.home)])
    done = both.ended(["answer", "moved", 'verify_choice={"action":"end"}', "--home", str(both.home), "--json"])
    told = json.loads(done.out.strip().splitlines()[-1])
    assert told["status"] == "completed"
    assert outputs_of(told)["partial"]["not_verified"] == ["密码要求.txt"]

    again = both.run("again", answers(PLAIN, END), retry_of="moved")
    assert again["status"] == "completed", again
    assert [entry["title"] for entry in outputs_of(again)["moved"]] == ["密码规定.txt"]
    assert not [entry for entry in outputs_of(again)["execution_results"] if entry["action_type"] == "create_target"]
    assert "drive/安全资料/密码规定.txt" in both.tree()

    both.run("back-again", {"restore": "确认恢复", "verify_choice": END}, restore_of="again")
    both.run("back", {"restore": "确认恢复", "verify_choice": END}, restore_of="moved")
    taken.with_name("密码规定.txt").rename(taken)
    assert both.tree() == before


def test_every_trap_ends_in_its_own_group_with_its_reason(tmp_path: Path) -> None:
    both = Both(tmp_path, with_traps=True)
    told = both.run(
        "traps",
        {"plan_choice": {"action": "cancel"}},
        subject="数据治理",
        keywords=["数据治理", "data governance"],
        target_text="/数据治理资料",
        owner_scope="all_visible",
    )
    found = {item["title"]: item for item in outputs_of(told)["facts"]}
    plan = {item["title"]: item for item in outputs_of(told)["plan_items"]}
    assert plan["数据字典样例.md"]["skip_reason"] == "already_at_target"
    assert found["数据治理存档.md"]["relevance"] == "no_move_permission"
    assert found["数据治理访谈.md"]["relevance"] in ("move_permission_unknown", "no_move_permission")
    assert found["数据治理底稿.md"]["relevance"] == "permission_denied"
    assert found["数据治理外链"]["relevance"] == "unsupported_move_target"
    reasons = {
        "Data governance budget (locked).pdf": "locked",
        "数据治理加密稿.docx": "locked",
        "数据治理残稿.docx": "damaged",
        "数据治理附件.docx": "over_the_limit",
        "数据治理宏.docm": "has_macros",
    }
    told_of = {title: (found[title]["relevance"], found[title]["skip_reason"]) for title in reasons}
    assert told_of == {title: ("unverifiable", reason) for title, reason in reasons.items()}
    # pages that lead back to themselves: nothing to read, or given up, by how fast the machine is
    endless = found["数据治理图册.pdf"]
    assert (endless["relevance"], endless["skip_reason"] in ("no_text", "over_the_limit")) == ("unverifiable", True)
    assert not [title for title in found if "薪酬" in title]  # a space that may not be read
    # each count of the message is that of what it names
    shown = both.ended(["show", "traps", "--home", str(both.home), "--lang", "en"]).out
    states = [(item["item_resolve_status"], item["permission_state"]) for item in found.values()]
    unread = [one for one in states if one[0] == "failed" or one[1] == "denied"]
    assert re.findall(r"Not resolved or not readable +(\d+)", shown) == [str(len(unread))]


def test_a_cancel_in_the_middle_goes_to_verification_and_tells_what_was_not_sent(both: Both) -> None:
    told = both.run(
        "cut", {"plan_choice": {"action": "execute"}}, subject="信息安全", target_text="/", new_target_name="资料"
    )
    assert told["state"] == "CONFIRM_EXECUTION"
    words = ["answer", "cut", f"execution={PLAIN}", "--home", str(both.home)]
    killed = in_process(words, ("after-call-write", 2), both.home.parent)
    assert killed.status is None
    done = both.ended(["cancel", "cut", "--home", str(both.home), "--json"])
    told = json.loads(done.out.strip().splitlines()[-1])
    assert (told["status"], told["state"]) == ("waiting", "VERIFY")
    words = ["answer", "cut", 'verify_choice={"action":"end"}', "--home", str(both.home), "--json"]
    told = json.loads(both.ended(words).out.strip().splitlines()[-1])
    assert told["status"] == "cancelled"
    results = outputs_of(told)["verification_results"]
    assert {entry["status"] for entry in results if entry["code"] == ""} == {"verified"}
    assert {entry["status"] for entry in results if entry["code"] == "cancelled_before"} == {"failed"}

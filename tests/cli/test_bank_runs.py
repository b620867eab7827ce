"""Cases of the bank about runs: kills, spoilt journals, edits, answers and what they permit."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.cli.bank_kit import Desk
from tests.cli.kit import PATIENCE

TWO_WRITES = """  MOVE:
    tools: [desk.a, desk.b, desk.look]
    steps:
      - {call: desk.a, with: {id: x}}
      - {ask: first, text: &said {done: d, next: n2, writes: true}, form: &form {c: {type: string, title: C}}}
      - {ask: second, text: *said, form: *form}
      - {call: desk.b, with: {id: "{{ first.c }}{{ second.c }}"}}
"""
LOOK = (
    "  verify_with: {call: desk.look, with: {q: '{{ sent.id }}'}, "
    "happened: found.there == true, did_not: found.there == false}\n"
)


def test_e01_writes_around_questions_are_made_once(desk: Desk) -> None:
    def walk(run_id: str, *, there: bool) -> list[tuple[str, dict[str, Any]]]:
        desk.tools(
            {"a": "  effect: write\n" + LOOK, "b": "  effect: write\n" + LOOK, "look": ""},
            a=[{"give": {}}],
            b=[{"give": {}}],
            look=[{"give": {"there": there}}],
        )
        desk.workflow(TWO_WRITES, "effect: write\nuses: {tools: [desk]}\nwrites_without_confirmation: a test")
        desk.elsewhere("run", "it.yaml", "--run-id", run_id)
        desk.clerk_dies()
        if json.loads(desk("show", run_id, "--json").out)["status"] != "waiting":
            desk("resume", run_id, "--json")
        desk("answer", run_id, 'first={"c": "y"}')
        assert desk("answer", run_id, 'second={"c": "z"}', "--json").json["status"] == "completed"
        return [one for one in desk.sent if one[0] != "look"]

    wanted = [("a", {"id": "x"}), ("b", {"id": "yz"})]
    assert walk("whole", there=True) == wanted
    for when, there in (("before", False), ("behind", True)):
        desk.forget()
        desk.clerk_dies(a=when)
        assert walk(when, there=there) == wanted


def test_e04_a_spoilt_journal_is_no_fresh_start(desk: Desk) -> None:
    desk.tools({"a": "  effect: write\n"}, a=[{"give": {}}])
    body = "  A:\n    tools: [desk.a]\n    steps:\n      - {call: desk.a, with: {id: x}}\n"
    body += "      - {ask: q, text: {done: d, next: n2, writes: false}, form: {c: {type: string, title: C}}}\n"
    desk.workflow(body, "effect: write\nuses: {tools: [desk]}\nwrites_without_confirmation: a test")
    desk.run("--run-id", "one")
    files = [
        path
        for path in (desk.home / "home" / "runs" / "one").iterdir()
        if path.suffix in (".db", ".sqlite", ".sqlite3")
    ]
    assert files, list((desk.home / "home" / "runs" / "one").iterdir())
    journal, whole = files[0], files[0].read_bytes()
    for spoiled in (b"", whole[: len(whole) // 2], whole[:-1], b'{"status": "completed"}', b"\0" * len(whole)):
        journal.write_bytes(spoiled)
        stopped = desk("resume", "one", "--json")
        again = desk("run", "it.yaml", "--run-id", "one", "--json")
        assert (stopped.status not in (0, 3) and again.status not in (0, 3)) or stopped.status == 3
        assert len(desk.sent) == 1
        assert journal.read_bytes() == spoiled or stopped.status == 3
    journal.write_bytes(whole)
    assert desk("answer", "one", 'q={"c": "y"}', "--json").json["status"] == "completed"
    assert len(desk.sent) == 1


ONE_WRITE = """  PLAN:
    steps:
      - confirm: plan
        permits: [{id: f, tool: desk.file, with: {id: a1, q: x}}]
        text: {done: d, next: n2, writes: true}
        choices: [{id: file, confirms: true, label: F}, {id: leave, label: L, to: end}]
        refused: block
    next: [{to: FILE}]
  FILE:
    tools: [desk.file]
    steps:
      - {call: desk.file, needs: plan, with: {id: a1, q: x}}
"""


def one_write(desk: Desk, run_id: str) -> str:
    """Start the workflow with one write; returns the digest of its question."""
    desk.tools({"file": "  effect: write\n"}, file=[{"give": {}}])
    desk.workflow(ONE_WRITE, "effect: write\nuses: {tools: [desk]}")
    return str(desk.run("--run-id", run_id).json["waiting"][0]["digest"])


def test_e05_a_run_does_not_go_on_with_changed_documents_unasked(desk: Desk) -> None:
    begins, say = "    steps:\n      - confirm", "      - say: {done: d, next: n2, writes: false}"
    sends = "      - {call: desk.file, needs: plan, with: {id: a1, q: %s}}"
    for name, old, new, line in (
        ("insert", begins, f"    steps:\n{say}\n      - confirm", f"+ 10: {say}"),
        ("rename", "PLAN:", "PLANNING:", "+ 8:   PLANNING:"),
        ("other", sends % "x", sends % "y", f"+ 19: {sends % 'y'}"),
        ("broken", "title: It\n", "title: It\ntitle: It\n", "+ 3: title: It"),
    ):
        seen = one_write(desk, name)
        path = desk.folder / "it.yaml"
        path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
        for words in (("resume", name), ("answer", name, "plan=file", "--seen", seen)):
            refused = desk(*words)
            assert (refused.status, refused.code) == (2, "command/documents-changed")
            assert line in refused.err, refused.err
        assert desk.sent == []
        ended = desk("answer", name, "plan=file", "--seen", seen, "--as-recorded", "--json")
        assert ended.json["status"] == "completed"
        assert desk.sent == [("file", {"id": "a1", "q": "x"})]
        desk.forget()
    seen = one_write(desk, "comment")
    path = desk.folder / "it.yaml"
    path.write_text("# why\n" + path.read_text("utf-8").replace("title: It", "title: 'It'   # so"), "utf-8")
    assert desk("answer", "comment", "plan=file", "--seen", seen, "--json").json["status"] == "completed"
    seen = one_write(desk, "permission")
    path.write_text(
        path.read_text("utf-8").replace("needs: plan, with: {id: a1, q: x}", "needs: plan, with: {id: a1, q: y}"),
        "utf-8",
    )
    desk.forget()
    desk("resume", "permission", "--with-edits")
    desk("answer", "permission", "plan=file")
    assert desk.sent == []


def test_c01_a_second_answer_is_refused(desk: Desk) -> None:
    seen = one_write(desk, "one")
    assert desk("answer", "one", "plan=file", "--seen", seen).status == 0
    for answer, language, says in (
        ("plan=file", "en", "already with file, by"),
        ("plan#1=leave", "zh", "回答（file）"),
    ):
        second = desk("answer", "one", answer, "--seen", seen, language=language)
        assert (second.status, second.code) == (2, "run/answer-already")
        assert says in " ".join(second.err.split())
    assert desk("answer", "one", "plan#2=file").status == 2
    assert len(desk.sent) == 1
    desk.forget()
    seen = one_write(desk, "race")
    words = [sys.executable, "-m", "interpreter", "answer", "race", "plan=file", "--seen", seen, "--trust-profile"]
    both = [subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert sorted(one.wait(PATIENCE) for one in both) == [0, 2]
    assert len(desk.sent) == 1


def test_c02_what_is_written_is_what_was_shown(desk: Desk) -> None:
    desk.tools(
        {"list": "", "file": "  effect: write\n"},
        list=[
            {"give": {"found": [{"id": f"d{n}"} for n in range(1, 13)]}},
            {"give": {"found": [{"id": "d13"}, {"id": "d1"}]}},
        ],
        file=[{"give": {}}],
    )
    planned = """  PLAN:
    tools: [desk.list, desk.file]
    steps:
      - {call: desk.list, as: answer}
      - {set: {rows: "{{ answer.found }}"}}
      - confirm: plan
        shows: rows
        permits: {each: r, in: rows, give: {id: "m-{{ r.id }}", tool: desk.file, with: {id: "{{ r.id }}"}}}
        text: {done: d, next: n2, writes: true}
        choices: [{id: file, confirms: true, label: F}]
        refused: block
%s      - {each: r, in: rows, do: [{call: desk.file, needs: plan, with: {id: "{{ r.id }}"}}]}
"""
    head = (
        "effect: write\nuses: {tools: [desk]}\ndata: {rows: {type: array, key: id, items: {type: object}, default: []}}"
    )
    desk.workflow(planned % "", head)
    asked = desk.run("--run-id", "one")
    assert asked.status == 3, asked.err
    question = asked.json["waiting"][0]
    assert desk("answer", "one", "plan=file", "--seen", question["digest"], "--json").json["status"] == "completed"
    assert [sent["id"] for tool, sent in desk.sent if tool == "file"] == [f"d{n}" for n in range(1, 13)]
    # What was shown changes before the writes: such a document does not even begin.
    desk.forget()
    later = "      - {call: desk.list, as: later}\n"
    desk.workflow(planned % (later + '      - {set: {rows: "{{ later.found }}"}}\n'), head)
    ended = desk.run("--run-id", "two")
    assert (ended.status, ended.json["error"]["code"]) == (2, "flow/write-not-confirmed")
    assert desk.sent == []
    # Another list than the one that was shown: refused before it is sent.
    desk.workflow(planned.replace("each: r, in: rows, do", "each: r, in: later.found, do") % later, head)
    question = desk.run("--run-id", "three").json["waiting"][0]
    ended = desk("answer", "three", "plan=file", "--seen", question["digest"], "--json")
    assert ended.json["status"] == "failed"
    assert [sent for tool, sent in desk.sent if tool == "file"] == []

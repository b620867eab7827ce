"""A process that moves a file to and fro is killed again and again; the log must tell of every rename exactly once."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from tests.logs import logged
from tests.unit.checked_calls import close_adapters
from tests.unit.drive_folder import Caller, write_all
from tests.unit.kills_kit import check_log, run_until_killed

__all__ = ["close_adapters"]

#: Moves one file between two folders and back for ever; each call's key says which move it is.
WORKER = """
import sys
from interpreter.adapters.drive import DriveAdapter
number, root, token = int(sys.argv[1]), *sys.argv[2:]
drive = DriveAdapter({"root": root})
folders = [drive.invoke("drive.inspect", {"url": name})["token"] for name in ("甲", "乙")]
while True:
    arguments = {"file_token": token, "type": "docx", "folder_token": folders[(number + 1) % 2],
                 "expected_parent": folders[number % 2]}
    drive.invoke("drive.move", arguments, f"move-{number}")
    number += 1
    print(number, flush=True)
"""


def check_kills(root: Path, kills: int) -> None:
    drive = Caller(write_all(root, {"甲/文.md": "内容", "乙": None}))
    token = drive.token("甲/文.md")
    drive.adapter.close()
    chance = random.Random(kills)
    number = 0
    for _ in range(kills):
        number = run_until_killed(WORKER, number, chance.randint(0, 3), str(root), token)
    after = Caller(root)
    after("evidence.whoami")
    lines = logged(root / ".drive" / "log.jsonl")
    check_log(lines, number)
    assert all(before["to"] == line["from"] for before, line in pairwise(lines))
    at = lines[-1]["to"] if lines else "甲/文.md"
    assert after("evidence.item_state", token=token)["path"] == "/" + at
    assert (root / at).read_text("utf-8") == "内容"


#: Moves its own file to and fro, makes folders and searches, while others do the same.
NEIGHBOUR = """
import sys
from interpreter.adapters.drive import DriveAdapter
drive = DriveAdapter({"root": sys.argv[1]})
name = sys.argv[2]
for number in range(12):
    source, target = ("甲", "乙") if number % 2 == 0 else ("乙", "甲")
    token = drive.invoke("drive.inspect", {"url": f"{source}/{name}.md"})["token"]
    folder = drive.invoke("drive.inspect", {"url": target})["token"]
    drive.invoke("drive.move", {"file_token": token, "type": "docx", "folder_token": folder}, f"{name}-{number}")
    if number % 4 == 0:
        drive.invoke("drive.create_folder", {"name": f"{name}{number}", "folder_token": ""}, f"{name}+{number}")
    assert drive.invoke("drive.search", {"query": "词语"})["total"] >= 1
print(token)
"""


def test_processes_that_work_on_one_folder_do_not_spoil_each_others_ids(tmp_path: Path) -> None:
    names = ["子", "丑", "寅"]
    files: dict[str, str | bytes | None] = {f"甲/{name}.md": f"词语{name}" for name in names}
    drive = Caller(write_all(tmp_path, {**files, "乙": None}))
    tokens = {name: drive.token(f"甲/{name}.md") for name in names}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", NEIGHBOUR, str(tmp_path), name],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            text=True,
        )
        for name in names
    ]
    for name, worker in zip(names, workers, strict=True):
        output, _ = worker.communicate()
        assert (worker.returncode, output.strip()) == (0, tokens[name])
    assert Counter(drive.log()) == {"move": 36, "create_folder": 9}
    everything = drive.adapter._drive.refresh()
    assert sorted(entry.path for _, entry in everything.values()) == sorted(
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if ".drive" not in path.parts
    )


def test_a_few_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    check_kills(tmp_path, 5)


@pytest.mark.long
def test_many_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    check_kills(tmp_path, 120)

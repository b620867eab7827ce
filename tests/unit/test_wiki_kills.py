"""A process that moves a document between drive and wiki is killed again and again; the log tells of each move once."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.logs import whole_lines
from tests.unit.checked_calls import close_adapters
from tests.unit.wiki_folder import FILES, Pair

__all__ = ["close_adapters"]

#: Moves one document into the wiki, there below another node, and out again, for ever; each key says which move it is.
WORKER = """
import sys
from interpreter.adapters.drive import DriveAdapter
from interpreter.adapters.wiki import WikiAdapter
root, token, number, space, parent = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
wiki = WikiAdapter({"root": root + "/wiki", "drive": root + "/drive"})
while True:
    if number % 3 == 0:
        asked = {"obj_token": token, "obj_type": "docx", "target_space_id": space, "apply": False}
        wiki.invoke("wiki.move", asked, f"move-{number}")
    else:
        node = wiki.invoke("wiki.node_get", {"node_token": token, "obj_type": "docx"})["node_token"]
        if number % 3 == 1:
            wiki.invoke("wiki.move", {"node_token": node, "target_parent_token": parent}, f"move-{number}")
        else:
            wiki.invoke("wiki.move_to_drive", {"node_token": node, "folder_token": ""}, f"move-{number}")
    number += 1
    print(number, flush=True)
"""
TURNS = ("move_in", "move_node", "move_out")


def run_until_killed(root: Path, token: str, number: int, moves: int, space: str, parent: str) -> int:
    """Let a worker go on from a move, kill it during the next one, and return what it acknowledged last."""
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(root), token, str(number), space, parent],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        text=True,
    ) as worker:
        assert worker.stdout is not None
        for _ in range(moves):
            line = worker.stdout.readline()
            assert line, "the worker stopped by itself"
            number = int(line)
        worker.send_signal(signal.SIGKILL)
        for line in worker.stdout:
            number = int(line)
    return number


def check_kills(root: Path, kills: int) -> None:
    pair = Pair(root, {**FILES, "drive/方案.md": "唯一的内容"})
    token, space, parent = pair.token("方案.md"), pair.space("平台"), pair.node("平台/规范")
    pair.close()
    chance = random.Random(kills)
    number = 0
    for _ in range(kills):
        number = run_until_killed(root, token, number, chance.randint(0, 4), space, parent)
        after = Pair(root)
        # Whatever was cut off: it is settled by the first answer, and the next move is the next one of the log.
        after("wiki.space_list")
        lines = [json.loads(line) for line in log_of(root)]
        assert len({line["id"] for line in lines}) == len(lines)
        assert [line["key"] for line in lines] == [f"move-{place}" for place in range(len(lines))]
        assert [line["operation"] for line in lines] == [TURNS[place % 3] for place in range(len(lines))]
        assert number <= len(lines) <= number + 1
        found = [path for path in after.files() if (root / path).read_text("utf-8") == "唯一的内容"]
        assert len(found) == 1
        assert after("reading.doc_fetch", doc=token, scope="full")["document"]["content"] == "唯一的内容"
        after.close()
    last = Pair(root)
    last("wiki.node_create", space_id=space, title="最后", obj_type="docx")
    assert not list((root / "wiki/.wiki/staging").iterdir())  # what was being made when a process ended


def log_of(root: Path) -> list[str]:
    return whole_lines(root / "wiki/.wiki/log.jsonl")


def test_a_few_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    check_kills(tmp_path, 4)


@pytest.mark.long
def test_many_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    check_kills(tmp_path, 120)

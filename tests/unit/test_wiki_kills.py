"""A process that moves a document between drive and wiki is killed again and again; the log tells of each move once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.logs import logged
from tests.unit.checked_calls import close_adapters
from tests.unit.kills_kit import check_log, run_until_killed
from tests.unit.wiki_folder import FILES, Pair

__all__ = ["close_adapters"]

#: Moves one document into the wiki, there below another node, and out again, for ever; each key says which move it is.
WORKER = """
import sys
from interpreter.adapters.drive import DriveAdapter
from interpreter.adapters.wiki import WikiAdapter
number, root, token, space, parent = int(sys.argv[1]), *sys.argv[2:]
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


def check_kills(root: Path, kills: int) -> None:
    pair = Pair(root, {**FILES, "drive/方案.md": "唯一的内容"})
    token, space, parent = pair.token("方案.md"), pair.space("平台"), pair.node("平台/规范")
    pair.close()
    chance = random.Random(kills)
    number = 0
    for _ in range(kills):
        number = run_until_killed(WORKER, number, chance.randint(0, 4), str(root), token, space, parent)
        after = Pair(root)
        # Whatever was cut off: it is settled by the first answer, and the next move is the next one of the log.
        after("wiki.space_list")
        lines = logged(root / "wiki/.wiki/log.jsonl")
        check_log(lines, number)
        assert [line["operation"] for line in lines] == [TURNS[place % 3] for place in range(len(lines))]
        found = [path for path in after.files() if (root / path).read_text("utf-8") == "唯一的内容"]
        assert len(found) == 1
        assert after("reading.doc_fetch", doc=token, scope="full")["document"]["content"] == "唯一的内容"
        after.close()
        if TURNS[number % 3] == "move_out":
            number = len(lines)  # a document that has left the wiki has no node to be asked for once more
    last = Pair(root)
    last("wiki.node_create", space_id=space, title="最后", obj_type="docx")
    assert not list((root / "wiki/.wiki/staging").iterdir())  # what was being made when a process ended


def test_a_few_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    check_kills(tmp_path, 4)


@pytest.mark.long
def test_many_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    check_kills(tmp_path, 120)

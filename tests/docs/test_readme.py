"""Both READMEs are true: their workflows are clean, their commands print what they show.

With UPDATE_README=1 in the environment the blocks are renewed instead of compared.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from interpreter.lint import lint_paths
from interpreter.session.sessions import STATUS_EXITS
from tests.docs.readme_kit import LOCALES, ROOT, Reader, blocks_of, copy_of_specs, write_files

pytestmark = pytest.mark.parametrize("readme", sorted(LOCALES))


def test_what_is_shown_is_what_is_printed(readme: str, tmp_path: Path) -> None:
    text = (ROOT / readme).read_text("utf-8")
    blocks = blocks_of(text)
    copy_of_specs(tmp_path)
    assert write_files(blocks, tmp_path)
    reader = Reader(readme, tmp_path)
    renewed = [(block, reader.follow(block)) for block in blocks if block.language == "console"]
    if os.environ.get("UPDATE_README"):
        for block, shown in reversed(renewed):
            begins, ends = block.span
            text = text[:begins] + shown + text[ends:]
        (ROOT / readme).write_text(text, "utf-8")
        return
    for block, shown in renewed:
        assert shown == block.text


def test_its_documents_are_clean(readme: str, tmp_path: Path) -> None:
    copy_of_specs(tmp_path)
    files = write_files(blocks_of((ROOT / readme).read_text("utf-8")), tmp_path)
    assert [file.name for file in files] == ["bring_up.yaml", "mine.yaml"]
    assert lint_paths(files) == []


def test_its_profile_answers_all_tools_of_the_workflow_that_is_shipped(readme: str) -> None:
    texts = [block.text for block in blocks_of((ROOT / readme).read_text("utf-8")) if block.language == "yaml"]
    profile = next(text for text in texts if "\nprofile: " in text)
    shipped = (ROOT / "specs" / "topic_move_collector.yaml").read_text("utf-8")
    used = re.search(r"^  tools: \[(.*)\]$", shipped, re.MULTILINE)
    assert used is not None
    assert re.findall(r"^  (\w+)\.\*: ", profile, re.MULTILINE) == used[1].split(", ")


def test_it_leads_to_the_guide_of_its_language(readme: str) -> None:
    guide = readme.replace("README", "docs/language")
    assert (ROOT / guide).is_file()
    assert (ROOT / readme).read_text("utf-8").count(f"[{guide}]({guide})") >= 3


def test_its_workflow_is_short(readme: str, tmp_path: Path) -> None:
    first = next(block for block in blocks_of((ROOT / readme).read_text("utf-8")) if block.language == "yaml")
    assert first.text.count("\n") <= 50


def test_every_target_that_it_names_exists(readme: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", (ROOT / readme).read_text("utf-8"), re.MULTILINE))
    assert {"setup", "demo", "test", "check"} <= named <= targets


def test_every_path_that_it_names_exists(readme: str) -> None:
    text = (ROOT / readme).read_text("utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for path in re.findall(r"`((?:specs|schemas|rules|interpreter|tests|bench)/[^` ]*)`", prose):
        made_here = path in ("specs/bring_up.yaml",)
        assert made_here or list(ROOT.glob(path.rstrip("/"))), path


def test_every_exit_status_is_told(readme: str) -> None:
    told = {int(status) for status in re.findall(r"^\| (\d+) \|", (ROOT / readme).read_text("utf-8"), re.MULTILINE)}
    assert told == {*STATUS_EXITS.values(), 2}


def test_both_have_the_same_parts(readme: str) -> None:
    def parts(name: str) -> list[str]:
        text = (ROOT / name).read_text("utf-8")
        verbs = re.findall(r"^\$ (\w+(?: [a-z]+)?)", text, re.MULTILINE)
        return [*verbs, *re.findall(r"^#+ |^```\w+$|^\|[-|]+\|$", text, re.MULTILINE)]

    assert parts(readme) == parts("README.md")

"""Plain files written by a workflow: after a person agreed, as shown, once, and never over another file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.kit import Command

ROOT = Path(__file__).parents[2]
WORKFLOW = """\
workflow: keep
version: 1.0.0
title: {zh: 存成文件, en: Keep a file}
effect: write
uses: {tools: [files]}
inputs: {topic: {type: string, minLength: 1}}
data: {page: {type: object, default: {}}}
questions: {wait: 7d}
outputs: {path: {type: string, value: "{{ page.path }}"}}
states:
  KEEP:
    tools: [files.write]
    steps:
      - set: {page: {path: "notes/{{ topic }}.txt", text: "About {{ topic }}"}}
      - confirm: go
        shows: page
        permits: [{id: the_page, tool: files.write, with: "{{ page }}"}]
        choices: [{id: keep, confirms: true, label: {zh: 保存, en: Keep it}}, {id: leave, to: end}]
        refused: {to: end}
        text:
          done: {zh: "{{ page.path }}", en: "{{ page.path }}"}
          next: {zh: 写入, en: It is written}
          writes: true
      - {call: files.write, needs: go, with: "{{ page }}"}
"""
PROFILE = """\
profile: keeping
title: {zh: 存成文件, en: Kept as files}
settings: {root: {type: string, title: {zh: 文件夹, en: Folder}}}
tools: {files.*: {adapter: python, use: files, settings: {root: "{{ settings.root }}"}}}
"""


@pytest.fixture
def folder(command: Command) -> Path:
    (command.folder / "keep.yaml").write_text(WORKFLOW, "utf-8")
    (command.folder / "profiles" / "keeping.yaml").write_text(PROFILE, "utf-8")
    shutil.copy(ROOT / "specs" / "tools" / "files.yaml", command.folder / "tools" / "files.yaml")
    place = command.folder.parent / "place"
    place.mkdir()
    return place


def keep(command: Command, folder: Path, topic: str, run: str) -> tuple[int, int]:
    settings = ("--profile", "profiles/keeping.yaml", "--set", f"settings.root={folder}")
    begun = command("run", "keep.yaml", *settings, "--input", f"topic={topic}", "--run-id", run)
    return begun.status, command("answer", run, "go=keep").status


def test_a_file_is_written_as_it_was_shown(command: Command, folder: Path) -> None:
    assert "nothing found" in command("lint", "keep.yaml").out
    assert keep(command, folder, "tea", "one") == (3, 0)
    assert (folder / "notes" / "tea.txt").read_text("utf-8") == "About tea"
    shown = command("show", "one").out
    assert "files.write  done" in shown
    assert "nothing was really written" not in shown


def test_a_file_that_is_there_stops_the_run_and_stays(command: Command, folder: Path) -> None:
    (folder / "notes").mkdir()
    (folder / "notes" / "tea.txt").write_text("mine", "utf-8")
    assert keep(command, folder, "tea", "one") == (3, 4)
    shown = " ".join(command("show", "one").out.split())
    assert "(name_in_use) and changed nothing: there is a file of that name: notes/tea.txt" in shown
    assert "what is there stays as it is" in shown
    assert (folder / "notes" / "tea.txt").read_text("utf-8") == "mine"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_folder_that_is_missing_is_named_with_its_setting_before_the_run_begins(
    command: Command, folder: Path, language: str
) -> None:
    nowhere = folder / "nowhere"
    words = ("--profile", "profiles/keeping.yaml", "--set", f"settings.root={nowhere}", "--input", "topic=tea")
    refused = command("run", "keep.yaml", *words, language=language)
    assert (refused.status, refused.code) == (2, "tool/adapter-refused")
    assert "settings.root" in refused.err
    assert str(nowhere) in "".join(refused.err.split())
    assert command("runs").out == "no runs\n"


def test_a_run_whose_folder_is_gone_can_be_cancelled_and_not_gone_on_with(command: Command, folder: Path) -> None:
    words = ("--profile", "profiles/keeping.yaml", "--set", f"settings.root={folder}", "--input", "topic=tea")
    assert command("run", "keep.yaml", *words, "--run-id", "one").status == 3
    folder.rmdir()
    assert command("resume", "one").status == 2
    cancelled = command("cancel", "one")
    assert cancelled.status == 6
    assert "Cancelled: Run one" in cancelled.err
    assert command("show", "one", "--json").json["status"] == "cancelled"


def test_a_topic_that_points_outside_is_refused(command: Command, folder: Path) -> None:
    assert keep(command, folder, "../../outside", "one") == (3, 4)
    assert not (folder.parent / "outside.txt").exists()

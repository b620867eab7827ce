"""Settings that are paths: whoever gets one gets the whole path, and one place has one spelling."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.kit import Command
from tests.logs import logged

CLERK = """#!{python} -S
import json, sys
open({log!r}, "a").write(json.dumps(sys.argv[1:]) + "\\n")
print(json.dumps({{"ok": True}}))
"""
TOOLS = """\
tools: desk
desk.look: {effect: read, input: {type: object}, output: {type: object}, example: {}}
"""
PROFILE = """\
profile: desk
settings:
  place: {type: string, format: path, default: ../data}
  more: {type: string, format: path, default: two}
  empty: {type: string, format: path, default: ""}
  plain: {type: string, default: ../data}
tools:
  desk.look:
    adapter: command
    settings: {program: ../clerk}
    request: {argv: ["{{ settings.place }}", "{{ settings.more }}", "{{ settings.plain }}", "{{ settings.empty }}"]}
    success: exit == 0
"""
SPEC = """\
workflow: it
version: 1.0.0
title: It
effect: read
uses: {tools: [desk]}
questions: {wait: 7d}
states:
  ASK:
    steps:
      - confirm: go
        text: {done: d, next: n, writes: false}
        choices: [{id: look, confirms: true}]
  LOOK:
    tools: [desk.look]
    steps:
      - {call: desk.look, with: {}}
"""


class Desk:
    """A workflow whose program writes down which paths it is given."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.folder = command.folder
        self._log = command.folder / "log.jsonl"
        program = command.folder / "clerk"
        program.write_text(CLERK.format(python=sys.executable, log=str(self._log)), "utf-8")
        program.chmod(0o755)
        states = SPEC.replace("  LOOK:", "    next: [{to: LOOK}]\n  LOOK:")
        (command.folder / "it.yaml").write_text(states, "utf-8")
        (command.folder / "tools" / "desk.yaml").write_text(TOOLS, "utf-8")
        (command.folder / "profiles" / "desk.yaml").write_text(PROFILE, "utf-8")

    def __call__(self, *words: str, folder: Path | None = None) -> tuple[int, str, str]:
        done = self.command(*words, folder=folder)
        return done.status, done.out, done.err

    @property
    def given(self) -> list[Any]:
        return logged(self._log)


@pytest.fixture
def desk(command: Command) -> Desk:
    return Desk(command)


def spellings(folder: Path) -> dict[str, tuple[Path, str]]:
    """Return folders to type in, each with the workflow as it is named from there."""
    linked = folder.parent / "linked"
    linked.symlink_to(folder)
    return {
        "beside": (folder, "it.yaml"),
        "above": (folder.parent, f"{folder.name}/it.yaml"),
        "below": (folder / "tools", "../it.yaml"),
        "whole": (Path(os.sep), str(folder / "it.yaml")),
        "through a link": (folder.parent, "linked/it.yaml"),
    }


def test_a_default_is_whole_however_the_workflow_is_named(desk: Desk) -> None:
    wanted = []
    for number, (folder, spec) in enumerate(spellings(desk.folder).values()):
        profile = str((folder / spec).parent / "profiles" / "desk.yaml")
        words = ("run", spec, "--profile", profile, "--run-id", f"r{number}", "--trust-profile")
        assert desk(*words, folder=folder)[0] == 3
        ended = desk("answer", f"r{number}", "go=look", "--trust-profile", folder=desk.folder.parent)
        assert ended[0] == 0, ended
        # A link may lead elsewhere tomorrow, so it is kept; what goes back from it goes back from where it leads to.
        beside = desk.folder.parent / "linked" if "linked" in spec else desk.folder
        wanted.append([f"{desk.folder}/data", f"{beside}/profiles/two", "../data", ""])
    assert desk.given == wanted


def test_a_given_path_is_relative_to_the_folder_in_which_it_was_typed_wherever_the_run_goes_on(desk: Desk) -> None:
    sets = ("--set", "settings.place=data", "--set", "settings.more=~/b", "--set", "settings.plain=p")
    words = ("run", "it.yaml", "--profile", "desk", "--run-id", "one", "--trust-profile", *sets)
    assert desk(*words)[0] == 3
    assert desk(*words)[0] == 3  # the same run, shown
    elsewhere = desk(*(word.replace("it.yaml", f"{desk.folder}/it.yaml") for word in words), folder=desk.folder.parent)
    assert "command/run-exists" in elsewhere[2]
    same = [word.replace("=data", f"={desk.folder}/tools/../data") for word in words]
    assert desk(*same)[0] == 3
    ended = desk("answer", "one", "go=look", "--trust-profile", folder=desk.folder.parent)
    assert ended[0] == 0, ended
    home = str(desk.folder.parent)
    assert desk.given == [[f"{desk.folder}/data", f"{home}/b", "p", ""]]


def check(desk: Desk, folder: Path, profile: str, *more: str) -> tuple[int, str]:
    status, _, err = desk("tools", "check", "--profile", profile, *more, folder=folder)
    return status, " ".join(err.split())


def test_a_profile_is_trusted_by_any_spelling_of_its_path_but_through_a_link(desk: Desk) -> None:
    assert check(desk, desk.folder, "profiles/desk.yaml")[0] == 2
    assert check(desk, desk.folder, "profiles/desk.yaml", "--trust-profile")[0] == 0
    for folder, spec in spellings(desk.folder).values():
        profile = f"{spec.removesuffix('it.yaml')}profiles/desk.yaml"
        status, said = check(desk, folder, profile)
        assert (status, "it differs in settings.more)" in said) == ((2, True) if "linked" in spec else (0, False))
    assert check(desk, desk.folder, "profiles/desk.yaml", "--set", f"settings.place={desk.folder}/data") == (0, "")


DIFFERENT = {
    "one setting": (("--set", "settings.place=elsewhere"), "settings.place"),
    "two settings": (("--set", "settings.place=x", "--set", "settings.plain=y"), "settings.place, settings.plain"),
}


@pytest.mark.parametrize(("sets", "named"), DIFFERENT.values(), ids=list(DIFFERENT))
def test_what_differs_from_what_was_trusted_is_named(desk: Desk, sets: tuple[str, ...], named: str) -> None:
    status, said = check(desk, desk.folder, "profiles/desk.yaml")
    assert "profile desk is used for the first time" in said
    assert check(desk, desk.folder, "profiles/desk.yaml", "--trust-profile")[0] == 0
    status, said = check(desk, desk.folder, "profiles/desk.yaml", *sets)
    assert status == 2
    assert f"other than what was trusted (it differs in {named})" in said
    assert check(desk, desk.folder, "profiles/desk.yaml", *sets, "--trust-profile")[0] == 0
    assert check(desk, desk.folder, "profiles/desk.yaml", *sets)[0] == 0
    assert check(desk, desk.folder, "profiles/desk.yaml")[0] == 0


def test_a_changed_text_and_a_copy_elsewhere_are_named_too(desk: Desk) -> None:
    assert check(desk, desk.folder, "profiles/desk.yaml", "--trust-profile")[0] == 0
    path = desk.folder / "profiles" / "desk.yaml"
    path.write_text(PROFILE + "# more\n", "utf-8")
    assert "it differs in its text)" in check(desk, desk.folder, "profiles/desk.yaml")[1]
    path.write_text(PROFILE, "utf-8")
    copy = desk.folder.parent / "copy"
    shutil.copytree(desk.folder, copy)
    assert "it differs in settings.more, settings.place)" in check(desk, copy, "profiles/desk.yaml")[1]


def test_what_was_trusted_is_kept_without_its_values(desk: Desk) -> None:
    sets = ("--set", "settings.plain=between-us")
    assert check(desk, desk.folder, "profiles/desk.yaml", "--trust-profile", *sets)[0] == 0
    (kept,) = (desk.command.home / "trusted").iterdir()
    told = json.loads(kept.read_text("utf-8"))
    assert "settings.plain" in told["parts"]
    assert "between-us" not in kept.read_text("utf-8")


def test_a_link_that_leads_elsewhere_is_followed_by_a_plan_that_was_kept(desk: Desk) -> None:
    place = desk.folder.parent / "place"
    sets = ("--set", f"settings.place={place}")
    for number, name in enumerate(("one", "two")):
        place.unlink(missing_ok=True)
        place.symlink_to(desk.folder.parent / name)
        assert desk("run", "it.yaml", "--profile", "desk", "--run-id", f"r{number}", "--trust-profile", *sets)[0] == 3
        assert desk("answer", f"r{number}", "go=look", "--trust-profile")[0] == 0
    assert [given[0] for given in desk.given] == [str(place)] * 2

"""Profiles that stand on others: what one comes to, and what is found in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from interpreter.documents.profiles import MOST_LEVELS, adapted_for, load_profile
from interpreter.lint import lint_paths
from interpreter.model import Constant, MappingOf

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "extends.yaml").read_text("utf-8"))
TOOLS = """\
tools: desk
desk.read: &read
  effect: read
  input: {type: object, properties: {id: {type: string}}}
  output: {type: object, required: [words], properties: {words: {type: string}}}
  example: {words: tea}
desk.look: *read
"""
ANSWERED = "tools:\n  desk.*: {adapter: compute, answer: {words: base}}\n"


def write_world(folder: Path, profiles: dict[str, str]) -> None:
    for name in ("profiles", "tools"):
        (folder / name).mkdir()
    (folder / "tools" / "desk.yaml").write_text(TOOLS, "utf-8")
    for name, text in profiles.items():
        (folder / "profiles" / f"{name}.yaml").write_text(f"profile: {name}\n{text}", "utf-8")


def found_in(*paths: Path) -> list[str]:
    found = lint_paths(list(paths))
    return [f"{Path(one.span.source.name).stem} {one.span.begins[0]} {one.code}" for one in found if one.span]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_profile_comes_to_what_the_table_says(case: dict[str, Any], tmp_path: Path) -> None:
    write_world(tmp_path, case["profiles"])
    assert found_in(tmp_path / "profiles") == case.get("finds", [])
    assert found_in(tmp_path / "profiles" / f"{case['looked_at']}.yaml") == case.get("finds", [])
    profile, _ = load_profile(tmp_path / "profiles" / f"{case['looked_at']}.yaml")
    assert profile is not None
    for tool, words in case.get("answers", {}).items():
        adapted = adapted_for(profile, tool)
        assert adapted is not None
        assert isinstance(adapted.answer, MappingOf)
        assert [value.value for _, value, _ in adapted.answer.entries if isinstance(value, Constant)] == [words]
    if "settings" in case:
        assert [one.name for one in profile.settings] == case["settings"]


def test_what_widens_what_may_be_done_is_never_taken_over(tmp_path: Path) -> None:
    write_world(
        tmp_path,
        {
            "mine": "extends: [base]\ntools: {}\n",
            "base": f"unattended_confirm: true\nconfirm_through: elicitation\n{ANSWERED}",
        },
    )
    mine, _ = load_profile(tmp_path / "profiles" / "mine.yaml")
    base, _ = load_profile(tmp_path / "profiles" / "base.yaml")
    assert mine is not None
    assert base is not None
    assert (base.unattended_confirm, mine.unattended_confirm) == (True, False)
    assert base.confirm_through != mine.confirm_through


@pytest.mark.parametrize(("more", "found"), [(0, []), (1, ["step1 2 tool/profiles-too-deep"])])
def test_profiles_stand_on_one_another_so_many_levels_deep(more: int, found: list[str], tmp_path: Path) -> None:
    levels = MOST_LEVELS + more
    steps = {f"step{level}": f"extends: [step{level + 1}]\ntools: {{}}\n" for level in range(1, levels)}
    write_world(tmp_path, {**steps, f"step{levels}": ANSWERED})
    assert found_in(tmp_path / "profiles" / "step1.yaml") == found

"""The cases of the topic collector: each passes, and together they come by almost everything that there is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.cli.kit import Command
from tests.docs.readme_kit import ROOT

FILES = sorted((ROOT / "specs" / "tests").glob("topic_move_collector*.yaml"))
#: Which part of gates, rows, failures and loops is come by; what is left can happen in no run (see docs/topic_move.md).
REST = 0.95
_PURPOSE = re.compile(r"[a-z0-9]+(-[a-z0-9]+){3,}")


@pytest.mark.long  # every day `test_shipped_cases` asks for the same of all workflows
def test_every_case_passes_and_all_states_and_transitions_are_taken(looking: Command) -> None:
    told = looking("test", *map(str, FILES), "--coverage", "--min-coverage", "95", "--json").json
    wrong = {case["id"]: case["diagnostics"] for one in told["tests"] for case in one["cases"] if not case["passed"]}
    assert wrong == {}
    assert sum(len(one["cases"]) for one in told["tests"]) >= 100
    (kinds,) = [covered["kinds"] for covered in told["coverage"].values()]
    for kind in ("state", "transition", "gate"):
        assert kinds[kind]["covered"] == kinds[kind]["of"], kind
    rest = [kinds[kind] for kind in kinds if kind not in ("state", "transition")]
    assert sum(kind["covered"] for kind in rest) >= REST * sum(kind["of"] for kind in rest)


def test_every_case_says_its_purpose_in_its_id(looking: Command) -> None:
    ids = [found for path in FILES for found in re.findall(r"^  - id: (\S+)$", path.read_text("utf-8"), re.MULTILINE)]
    assert len(ids) == len(set(ids))
    assert [one for one in ids if _PURPOSE.fullmatch(one) is None] == []


def test_the_numbers_of_the_facts_are_the_numbers_of_the_rules() -> None:
    limits = {name: one["value"] for name, one in document("rules/limits.yaml")["thresholds"].items()}
    wanted = {
        "search_page_size": 20,
        "pages_per_batch": 5,
        "query_characters": 30,
        "poll_rounds": 30,
        "poll_every": "2s",
    }
    assert {name: limits[name] for name in wanted} == wanted
    assert document("topic_move_collector.yaml")["progress"] == {"first": "60s", "every": "60s"}


def test_every_state_that_takes_long_says_how_far_it_is() -> None:
    states = document("topic_move_collector.yaml")["states"]
    calling = [name for name, state in states.items() if state["tools"] and name != "RESOLVE_TARGET"]
    assert len(calling) == 7
    for name in calling:
        words = states[name]["progress"]["text"]
        assert all("{{" in words[language] for language in ("zh", "en")), name
    # what is done just now, where the list of facts asks for it
    for name, now in {"SEARCH_RECALL": "query", "RESOURCE_RESOLVE": "资源", "EXECUTE": "操作"}.items():
        assert f"当前{now}" in states[name]["progress"]["text"]["zh"].replace(" ", ""), name


def document(name: str) -> Any:
    path = ROOT / "specs" / name
    node, found = read_tree(Source(name, path.read_text("utf-8")))
    assert node is not None, found
    return to_value(node)

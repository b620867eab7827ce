"""Adapters of a profile: what `compute` evaluates, what is said of settings, what a profile contacts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interpreter import adapters
from interpreter.adapters.frozen import freeze, thaw
from interpreter.adapters.opening import PYTHON_ADAPTERS, open_planned
from interpreter.adapters.planning import plan_adapters
from interpreter.adapters.python_settings import PYTHON_SETTINGS
from interpreter.adapters.toolbox import Toolbox
from interpreter.adapters.trusted import contacts_of
from interpreter.diagnostics import Diagnostic
from interpreter.documents.profiles import load_profile
from interpreter.model import ToolError
from interpreter.plan.contracts import contract_of
from interpreter.ports import Request, ToolFailure
from rules.records import replace
from tests.unit.toolbox_kit import Text, contracts


def opened(tools: str, *names: str, **given: Any) -> tuple[Toolbox | None, list[Diagnostic]]:
    """Return what a profile comes to, by the road that a kept plan takes too."""
    profile, found = load_profile(Path("profiles/here.yaml"), Text(f"profile: here\n{tools}"))
    assert profile is not None
    assert found == [], [one.message.en for one in found]
    known = contracts()
    plans, found = plan_adapters(profile, {name: known[name] for name in names or ("desk.read",)}, given, Path("."))
    if found:
        return None, found
    return open_planned(thaw(freeze(plans)))


def answer(tools: str, settings: Mapping[str, Any] | None = None, **arguments: Any) -> Any:
    toolbox, found = opened(tools, **(settings or {}))
    assert toolbox is not None, [one.message.en for one in found]
    return toolbox.invoke(Request("desk.read", arguments, "read", "x"), lambda: False)


COMPUTED: list[tuple[str, str, dict[str, Any], Any]] = [
    ("a constant", "{words: tea}", {}, {"words": "tea"}),
    ("an argument", '{words: "{{ id }}"}', {"id": "a"}, {"words": "a"}),
    ("a native value", '"{{ notes }}"', {"notes": [1]}, [1]),
    ("what is absent is left out", '{words: "{{ id | default(absent) }}"}', {}, {}),
    ("each", "{all: {each: one, in: notes, where: one > 1, index: number, give: [\"{{ number }}\", \"{{ one }}\"]}}",
     {"notes": [1, 2, 3]}, {"all": [[2, 2], [3, 3]]}),
    ("choose", "{words: {choose: [{when: id == 'a', give: first}, {give: other}]}}", {"id": "b"}, {"words": "other"}),
]  # fmt: skip


@pytest.mark.parametrize(("why", "written", "arguments", "value"), COMPUTED, ids=[row[0] for row in COMPUTED])
def test_an_answer_is_computed_from_the_input(why: str, written: str, arguments: dict[str, Any], value: Any) -> None:
    assert answer(f"tools:\n  desk.read: {{adapter: compute, answer: {written}}}\n", **arguments) == value


def test_named_values_are_made_in_order_over_arguments_and_settings() -> None:
    tools = """\
settings: {mark: {type: string, default: "-"}}
tools:
  desk.read:
    adapter: compute
    let:
      first: "{{ notes | first }}"
      both: "{{ first ~ settings.mark ~ id }}"
    answer: {words: "{{ both }}"}
"""
    assert answer(tools, notes=["x", "y"], id="z") == {"words": "x-z"}
    assert answer(tools, {"mark": "+"}, notes=["x"], id="z") == {"words": "x+z"}


@pytest.mark.parametrize("part", ['answer: "{{ nothing }}"', 'let: {a: "{{ nothing }}"}\n    answer: 1'])
def test_what_cannot_be_computed_is_a_failure_that_names_the_place(part: str) -> None:
    with pytest.raises(ToolFailure) as failed:
        answer(f"tools:\n  desk.read:\n    adapter: compute\n    {part}\n", id="a")
    assert failed.value.code == "not_computed"
    assert "here.yaml:5:" in failed.value.message
    assert "nothing" in failed.value.details["message"]["zh"]


def test_an_absent_answer_is_a_failure() -> None:
    with pytest.raises(ToolFailure, match="absent") as failed:
        answer('tools:\n  desk.read: {adapter: compute, answer: "{{ absent }}"}\n')
    assert failed.value.details["message"] == {"zh": "没有回答", "en": "the answer is absent"}


def test_a_setting_that_cannot_be_computed_says_why_in_words() -> None:
    tools = """\
settings: {rows: {type: array, default: []}}
tools:
  desk.read: {adapter: python, use: files, settings: {root: "{{ settings.rows[0] }}"}}
"""
    toolbox, (found,) = opened(tools)
    assert (toolbox, found.code) == (None, "tool/setting-not-evaluated")
    assert found.message.en.endswith("here.yaml:4:65: the list has no place 0, it has 0 entries")
    assert found.message.zh.endswith("here.yaml:4:65：列表没有位置 0，共有 0 项")


MODEL = "settings: {address: 'http://h/v1', model: m"
UNFIT = "tool/adapter-setting-unfit"
REFUSED: list[tuple[str, str, str]] = [
    ("compute without an answer", "desk.read: {adapter: compute}", "tool/answer-missing"),
    ("a model without a prompt", f"desk.read: {{adapter: model, {MODEL}}}}}", "tool/prompt-missing"),
    ("a setting that nobody knows", f"desk.think: {{adapter: model, {MODEL}, x: 1}}}}", "tool/unknown-adapter-setting"),
    ("a setting that does not fit", f"desk.think: {{adapter: model, {MODEL}, output: x}}}}", UNFIT),
    ("a setting too few", "desk.think: {adapter: model, settings: {model: m}}", "tool/adapter-setting-missing"),
    ("no key", f"desk.think: {{adapter: model, {MODEL}, key_from: NO_SUCH_KEY}}}}", "tool/key-missing"),
    ("a key with blanks", f"desk.think: {{adapter: model, {MODEL}, key_from: ODD_KEY}}}}", "tool/key-unfit"),
]  # fmt: skip


@pytest.mark.parametrize(("why", "written", "code"), REFUSED, ids=[row[0] for row in REFUSED])
def test_a_profile_that_cannot_be_opened_says_why_and_where(
    why: str, written: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODD_KEY", "sk- 4711")
    toolbox, found = opened(f"tools:\n  {written}\n", written.partition(":")[0])
    assert toolbox is None
    assert [one.code for one in found] == [code]
    assert found[0].span is not None
    assert "4711" not in found[0].message.en + found[0].message.zh
    assert "{" not in found[0].message.en.replace("{system", "")


_READ = re.compile(r"""\bsettings(?:\.get\(|\[)"(\w+)\"""")


def read_by(use: str) -> set[str]:
    """Return the settings that the source of an adapter reads."""
    folder = Path(adapters.__file__).parent / use
    return {name for path in folder.glob("*.py") for name in _READ.findall(path.read_text("utf-8"))}


@pytest.mark.parametrize(
    ("use", "also"), [("drive", ""), ("wiki", "drive"), ("notes", ""), ("files", ""), ("records", "")]
)
def test_the_settings_that_lint_knows_are_those_that_an_adapter_reads(use: str, also: str) -> None:
    handed_on = read_by(also) - {use} if also else set()
    assert read_by(use) | handed_on == PYTHON_SETTINGS[use]


def test_lint_knows_the_settings_of_every_adapter_of_this_program() -> None:
    assert PYTHON_SETTINGS.keys() == PYTHON_ADAPTERS.keys()


def test_only_what_answers_later_asks_for_a_loop() -> None:
    toolbox, _ = opened("tools:\n  desk.read: {adapter: compute, answer: 1}\n")
    assert toolbox is not None
    assert not toolbox.needs_loop
    toolbox, _ = opened(f"tools:\n  desk.think: {{adapter: model, {MODEL}}}}}\n", "desk.think")
    assert toolbox is not None
    assert toolbox.needs_loop
    assert dict(toolbox.identities()) == {"desk.think": "http://h/v1 m"}


def contacts(tools: str) -> list[str]:
    profile, _ = load_profile(Path("profiles/here.yaml"), Text(f"profile: here\ntools:\n{tools}"))
    assert profile is not None
    plans, found = plan_adapters(profile, contracts(), {}, Path("."))
    assert found == []
    return [one.en for one in contacts_of(plans)]


def test_a_profile_says_what_it_contacts_before_anything_is_opened() -> None:
    compute = "  desk.read: {adapter: compute, answer: 1}\n"
    assert contacts(compute) == []
    assert contacts(f"{compute}  desk.think: {{adapter: model, {MODEL}}}}}\n") == [
        "http://h/v1/chat/completions (model m, not encrypted)"
    ]
    program = "settings: {program: no-such, environment: [HOME], secrets: [A_KEY]}, request: {argv: []}"
    assert contacts(f"{compute}  desk.think: {{adapter: command, {program}}}\n") == [
        "the program no-such, with the environment variables HOME, and the secrets in A_KEY"
    ]


def test_tools_with_the_same_model_share_its_connections() -> None:
    both = f"tools:\n  desk.*: {{adapter: model, {MODEL}}}}}\n"
    toolbox, _ = opened(both, "desk.think", "desk.weigh")
    assert toolbox is not None
    assert toolbox.adapter_of("desk.think") is toolbox.adapter_of("desk.weigh")
    apart = f"{both}  desk.weigh: {{adapter: model, {MODEL}, temperature: 0}}}}\n"
    toolbox, _ = opened(apart, "desk.think", "desk.weigh")
    assert toolbox is not None
    assert toolbox.adapter_of("desk.think") is not toolbox.adapter_of("desk.weigh")


def test_a_contract_with_a_prompt_knows_the_errors_of_models_and_may_give_them_another_kind() -> None:
    contract = contracts()["desk.think"]
    planned = contract_of(contract)
    assert planned.error("rate_limited", "")["kind"] == "transient"
    assert planned.error("output_cut", "")["kind"] == "permanent"
    other = replace(contract, errors={"output_cut": ToolError("output_cut", "invalid", "never", None)})
    assert contract_of(other).error("output_cut", "")["kind"] == "invalid"
    assert planned.error("empty_answer", "")["kind"] == "invalid"
    assert contract_of(contracts()["desk.read"]).error("empty_answer", "")["kind"] == "permanent"

"""The states of a workflow as a Mermaid diagram."""

from __future__ import annotations

import re

from interpreter.model import AnyStep, ConfirmStep, State, Transition, Workflow
from interpreter.plan.values import constant_of
from interpreter.report.words import safe, shown


def graph_of(workflow: Workflow, language: str) -> str:
    """Return a state diagram: titles, transitions with their conditions and gates, choices that lead to a state."""
    lines = ["stateDiagram-v2"]
    if workflow.writes_without_confirmation is not None:
        reason = shown(constant_of(workflow.writes_without_confirmation, ""), language)
        lines.append(f"    %% writes without confirmation: {_text(reason)}")
    for state in workflow.states:
        title = shown(constant_of(state.title, None), language)
        lines.append(f"    {_name(state.name)} : {_text(state.name + (' — ' + title if title else ''))}")
    if workflow.states:
        lines.append(f"    [*] --> {_name(workflow.states[0].name)}")
    for state in workflow.states:
        lines += _ways(state, language)
    return "\n".join(lines) + "\n"


def _ways(state: State, language: str) -> list[str]:
    lines = [_arrow(state.name, transition.to, _label(transition)) for transition in state.next]
    for step in _confirmations(state.steps):
        for choice in step.choices:
            if choice.to is not None:
                words = shown(constant_of(choice.label, choice.id), language)
                lines.append(_arrow(state.name, choice.to, words))
    if not state.next:
        lines.append(_arrow(state.name, "end", ""))
    if state.when_cancelled is not None:
        lines.append(_arrow(state.name, state.when_cancelled[0], "cancel"))
    return lines


def _confirmations(steps: tuple[AnyStep, ...]) -> list[ConfirmStep]:
    return [step for step in steps if isinstance(step, ConfirmStep)]


def _label(transition: Transition) -> str:
    parts = [transition.when.expression.text] if transition.when is not None else []
    parts += [f"[{gate.name}]" for gate in transition.gates]
    return " ".join(parts)


def _arrow(start: str, end: str, label: str) -> str:
    target = "[*]" if end == "end" else _name(end)
    return f"    {_name(start)} --> {target}" + (f" : {_text(label)}" if label else "")


def _name(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _text(text: str) -> str:
    """Return a text that cannot end its line or start anything of Mermaid's."""
    plain = safe(text)
    for mark in '#;:<>{}[]"`%':
        plain = plain.replace(mark, f"#{ord(mark)};" if mark != "#" else "#35;") if mark != ";" else plain
    return plain

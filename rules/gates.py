"""Gates: named conditions with messages. A gate opens only when every condition was evaluated and holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rules.findings import Finding
from rules.reading import Path, found, is_note, read_list, read_mapping, shown
from rules.records import record

if TYPE_CHECKING:
    from rules.expr import Expression


@record
class Condition:
    """One condition: `that` to be evaluated, or `confirmed`, the question that must be answered with a yes.

    Shapes: exactly one of the two is set; `path` leads to the entry in the document.
    """

    that: Expression | None
    confirmed: str | None
    message: Any
    path: Path


@record
class Gate:
    """One gate. `redo` is `STATE.step` as written, None when the gate names no step."""

    name: str
    conditions: tuple[Condition, ...]
    redo: str | None = None
    waivable: bool = False


def load_gates(body: Mapping[str, Any], findings: list[Finding]) -> dict[str, Gate]:
    """Return the gates of a document by name; one with an unreadable condition is found and left out."""
    gates: dict[str, Gate] = {}
    if "gates" not in body:
        return gates
    for name, entries in read_mapping(body["gates"], ("gates",), findings).items():
        if not is_note(name):
            gate = _read_gate(name, entries, findings)
            if gate is not None:
                gates[name] = gate
    return gates


def _read_gate(name: str, written: object, findings: list[Finding]) -> Gate | None:
    path: Path = ("gates", name)
    conditions: list[Condition | None] = []
    redo, waivable = None, False
    for index, part in enumerate(read_list(written, path, findings)):
        entry = read_mapping(part, (*path, index), findings)
        if "redo" in entry:
            redo = shown(entry["redo"])
        elif "waivable" in entry:
            waivable = entry["waivable"] is True
        elif entry:
            conditions.append(_read_condition(entry, (*path, index), findings))
    if not conditions:
        findings.append(found("empty-gate", path, name=name))
        return None
    sound = tuple(condition for condition in conditions if condition is not None)
    return Gate(name, sound, redo, waivable) if len(sound) == len(conditions) else None


def _read_condition(entry: Mapping[str, Any], path: Path, findings: list[Finding]) -> Condition | None:
    if isinstance(entry.get("confirmed"), str):
        return Condition(None, entry["confirmed"], entry.get("message"), path)
    written = entry.get("that")
    if isinstance(written, bool):
        written = shown(written)
    if not isinstance(written, str):
        findings.append(found("gate-without-condition", path))
        return None
    from rules.expr import parse_expression  # loads Jinja2; documents without gates start without it

    expression, problems = parse_expression(written)
    findings.extend(problem._replace(path=(*path, "that")) for problem in problems)
    return None if expression is None else Condition(expression, None, entry.get("message"), path)

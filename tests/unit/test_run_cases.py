"""Cases of whole runs: what a workflow does, and that it does the same from every prefix of its journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.ports import Request
from rules.values import canonical_json
from tests.unit.run_kit import (
    Case,
    Told,
    call_of,
    case_names,
    completed_writes,
    is_at_once,
    load_case,
    prefixes,
    run_case,
)


@pytest.mark.parametrize("name", case_names())
def test_a_run_goes_as_its_case_says(name: str) -> None:
    case = load_case(name)
    told = run_case(case, MemoryJournal())
    seen = _seen(case.expect, told)
    assert seen == case.expect
    assert canonical_json(seen) == canonical_json(case.expect)


@pytest.mark.parametrize("name", case_names())
def test_every_prefix_of_a_journal_leads_to_the_same_end(name: str) -> None:
    case = load_case(name)
    journal = MemoryJournal()
    whole = run_case(case, journal)
    for cut, in_flight in prefixes(case, journal):
        before = completed_writes(cut)
        again = run_case(_with_truth(case, cut, journal, in_flight), cut)
        repeated = [call for call in _calls(again.calls, "read", False) if before[call]]
        repeated = [call for call in repeated if completed_writes(journal)[call] == before[call]]
        assert [call for call in repeated if _begun(cut, in_flight)[call] > _begun(journal)[call]] == []
        if in_flight or case.ends_differ:
            # What is found out says that a write happened, not what it answered; who needs the answer stops there.
            assert again.status in (whole.status, "blocked")
        else:
            assert _plain(again.end()) == _plain(whole.end())


@pytest.mark.parametrize("name", [name for name in case_names() if is_at_once(name)])
def test_what_was_done_at_once_is_walked_anew_one_after_another(name: str) -> None:
    case = load_case(name)
    journal = MemoryJournal()
    whole = run_case(case, journal)
    again = run_case(replace(case, at_once=False), journal.prefix(len(journal) - 1))
    assert again.calls == []
    assert _plain(again.end()) == _plain(whole.end())


def _with_truth(case: Case, cut: MemoryJournal, journal: MemoryJournal, in_flight: str) -> Case:
    """Say of a write that was cut in flight what became of it, where nothing else can tell."""
    if not in_flight:
        return case
    outcome = next(row for row in journal.rows() if row.key == in_flight and row.kind == "outcome")
    truth = "happened" if outcome.body["ok"] else "did_not"
    people = {**case.people, "unknown_write": [[truth], *case.people.get("unknown_write", [])]}
    return replace(case, people=people)


def _begun(journal: MemoryJournal, in_flight: str = "") -> Counter[tuple[str, str]]:
    """Count the writes that were sent, without one that was cut in flight: it may be sent anew."""
    rows = (row for row in journal.rows() if row.kind == "intention" and row.key != in_flight)
    return Counter(call_of(row.body["tool"], row.body["sent"]) for row in rows)


def _calls(requests: list[Request], effect: str, is_it: bool) -> list[tuple[str, str]]:
    return [call_of(one.tool, one.arguments) for one in requests if (one.effect == effect) is is_it]


def _plain(value: Any) -> str:
    return canonical_json(value)


# --- what a case expects ----------------------------------------------------------------------------------------------


def _seen(expect: Mapping[str, Any], told: Told) -> dict[str, Any]:
    """Return what a run shows, in the words that its case uses."""
    everything: dict[str, Any] = {
        "status": told.status,
        "path": told.path,
        "calls": [[one.tool, one.arguments] for one in told.calls],
        "messages": told.messages,
        "data": told.data,
        "outputs": told.outputs,
        "partial": told.partial,
        "finding": told.finding,
        "failures": told.failures,
        "asked": [_question(one) for one in told.asked],
        "refused": [[key, code] for key, code, _ in told.refused],
        "refused_with": [facts for _, _, facts in told.refused],
        "waiting": told.waiting,
        "pauses": told.pauses,
        "gates": [list(one) for one in told.gates],
        "walks": told.walks,
    }
    return {name: _narrowed(wanted, _exact(everything[name])) for name, wanted in expect.items()}


def _question(question: Any) -> dict[str, Any]:
    return {
        "question": f"{question.name}#{question.visit}",
        "shown": question.shown,
        "text": question.text,
        "choices": list(question.choices),
        "form": list(question.form),
        "permits": list(question.permits),
    }


def _exact(value: Any) -> Any:
    """Return a value in which numbers, lists and mappings are plain, so that a case can be compared with it."""
    from rules.values import dumps, loads

    return loads(dumps(value))


def _narrowed(wanted: Any, found: Any) -> Any:
    """Return of what was found what a case speaks of: the fields that it names, and `line` for the line of `where`."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        if "line" in wanted and "where" in found:
            found = {**found, "line": found["where"]["line"]}
        if not wanted:
            return found
        return {name: _narrowed(part, found[name]) for name, part in wanted.items() if name in found}
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [_narrowed(one, other) for one, other in zip(wanted, found, strict=True)]
    return found

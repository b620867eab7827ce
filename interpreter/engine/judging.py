"""What an answer means: done, not done, not done yet, or not acceptable to its judges.

An answer is looked at by its contract, by `among` (it may only point at what it was offered) and by the rules under
`accept`. All that they find is gathered, so that whoever answers again learns of everything at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interpreter.diagnostics import Words
from interpreter.engine.data import Names
from interpreter.engine.frame import Condition, Evaluate, Frame
from interpreter.engine.problems import CALL_WORDS, NOT_ACCEPTED
from interpreter.engine.program import ContractPlan
from interpreter.engine.steps import Step
from interpreter.ports import JsonObject, Outcome
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate

if TYPE_CHECKING:
    from interpreter.engine.calls import Call

#: So much of what judges find is told; the journal keeps the answer.
_MOST_TOLD = 20


class JudgePlan(NamedTuple):
    """Shapes: `reads` are the places of the answer that the rule reads outright."""

    rule: str
    that: Condition
    variable: str | None
    rows: Evaluate | None
    at: Evaluate | None
    message: Evaluate | None
    details: Evaluate | None
    reads: tuple[str, ...] = ()


class Judgement(NamedTuple):
    """What judges say of an answer. Shapes: `value` is the answer with citations in place of pointers."""

    value: Any
    findings: list[JsonObject]
    cited: list[Any]


def judged(
    step: Call,
    frame: Frame,
    contract: ContractPlan,
    outcome: Outcome,
    judge: Callable[[Any], JsonObject | None] | None,
) -> Outcome:
    """Say what an answer means: done, not done, not done yet, or not acceptable."""
    if not outcome["ok"]:
        return _misshapen(step, frame, contract, outcome)
    value = outcome["value"]
    if outcome.get("found_out"):
        return {**outcome, "status": "success"}
    if contract.failed is not None or contract.pending is not None:
        names: Names = {"answer": value, "sent": outcome["sent"], "": frame.names[""]}
        if contract.failed is not None and contract.failed(names):
            error = contract.error("reported_failure", CALL_WORDS["reported_failure"], happened="never")
            return {**outcome, "ok": False, "status": "failed", "error": error}
        if contract.pending is not None and contract.pending(names):
            return {**outcome, "status": "pending"}
    error_of_page = judge(value) if judge is not None else None
    if error_of_page is not None:
        return {**outcome, "ok": False, "status": "failed", "error": error_of_page}
    if not step.accept and step.among is None:
        return {**outcome, "answer": value, "status": "success"}
    return _accepted(contract, outcome, frame, judgement(step, frame, contract, value, []))


def _misshapen(step: Call, frame: Frame, contract: ContractPlan, outcome: Outcome) -> Outcome:
    """Return a failure; where judges were to look at an answer that does not fit its contract, with all they find."""
    failed = {**outcome, "status": "failed"}
    is_judged = bool(step.accept) or step.among is not None
    if not is_judged or "answer" not in outcome or outcome["error"]["code"] != "invalid_answer":
        return failed
    answer = outcome["answer"]
    # The words of the contract stay readable: whoever answers again has to understand them.
    problems = [_problem(at, words) for at, words in contract.problems(answer, frame.core.taking_out_hidden())]
    findings = judgement(step, frame, contract, answer, problems).findings
    return {**failed, "error": {**outcome["error"], "findings": findings}}


def _problem(at: str, problem: Words) -> JsonObject:
    message = {"zh": f"不是约定的样子：{problem.zh}", "en": f"this is not what the contract asks for: {problem.en}"}
    return {"at": at, "rule": "invalid_answer", "message": message}


def _accepted(contract: ContractPlan, outcome: Outcome, frame: Frame, found: Judgement) -> Outcome:
    """Return what becomes of an answer that its judges looked at; it stays with the attempt as it came."""
    kept = {**outcome, "answer": outcome["value"]}
    if not found.findings:
        for citation, admitted in found.cited:
            frame.evidence.cite(citation, admitted)
        return {**kept, "status": "success", "value": found.value}
    # A write that was answered did happen, whatever the judges say of its answer.
    happened = "never" if contract.effect == "read" else "perhaps"
    rule = found.findings[0]["rule"]
    error = contract.error(rule, NOT_ACCEPTED, "invalid", happened=happened)
    del kept["value"]
    return {**kept, "ok": False, "status": "failed", "error": {**error, "findings": found.findings}}


def judgement(step: Call, frame: Frame, contract: ContractPlan, answer: Any, problems: list[JsonObject]) -> Judgement:
    """Let every judge look at an answer: its schema (whose findings are handed in), `bind`, then the rules.

    All that they find is gathered. A rule that touches what was refused already says nothing more about it.
    """
    findings = list(problems)
    value: Any = answer
    cited: list[Any] = []
    names = {**frame.names, "answer": answer}
    if step.among is not None and contract.pointers is not None:
        from interpreter.engine.binding import bind_answer  # not needed by every workflow

        value, refused, cited = bind_answer(step.among, frame, names, contract.pointers, answer)
        findings += refused
        if refused:
            told = told_of(step, frame, refused)
            frame.core.run.note({"note": "pointers-refused", "tool": contract.name, "findings": told})
    names["answer"] = value
    if step.binds is not None:
        names[step.binds] = value
    places = [finding["at"] for finding in findings]
    for judge in step.accept:
        findings += _broken(judge, names, places)
    return Judgement(value, findings, cited)


def _broken(judge: JudgePlan, names: Names, refused: list[str]) -> list[JsonObject]:
    """Return how an answer breaks one rule. Shapes: `refused` are the places that an earlier judge refused."""
    if judge.rows is None and _touches(judge.reads, refused):
        return []
    found: list[JsonObject] = []
    try:
        rows = judge.rows(names) if judge.rows is not None else [ABSENT]
    except CannotEvaluate:
        if refused:
            return found
        raise
    for row in rows:
        if judge.variable is not None:
            names[judge.variable] = row
        try:
            if judge.that(names):
                continue
            finding: JsonObject = {"rule": judge.rule}
            for name, part in (("at", judge.at), ("message", judge.message), ("details", judge.details)):
                if part is not None:
                    finding[name] = part(names)
        except CannotEvaluate:
            if refused:
                continue  # it reads what was refused
            raise
        if not _touches((str(finding.get("at", "")),), refused):
            found.append(finding)
    if judge.variable is not None:
        names.pop(judge.variable, None)
    return found


def _touches(places: tuple[str, ...], refused: list[str]) -> bool:
    if not refused:
        return False
    from interpreter.engine.binding import places_touch  # not needed by every workflow

    return any(place and one and places_touch(place, one) for place in places for one in refused)


def told_of(step: Step, frame: Frame, findings: list[JsonObject]) -> list[JsonObject]:
    """Return what a person is told of an answer that was not accepted; no words of it where they may be private."""
    names = ("at", "rule") if step.hides else ("at", "rule", "message", "details")
    told = [{name: one[name] for name in names if name in one} for one in findings[:_MOST_TOLD]]
    return list(frame.core.without_hidden(told)) if told else []

"""What a case expects beside what came: each difference is a finding at its place in the tests document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from interpreter.codes import CODES
from interpreter.codes.reasons import reason_words
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding
from interpreter.engine.program import Program
from interpreter.ports import Check
from interpreter.testing.cases import Case, Condition, ExpectedCall
from interpreter.testing.running import Walked
from interpreter.testing.stand_ins import MOST_ASKED
from rules.values import CannotEvaluate, canonical_text, same

_LONGEST = 200


def compare(case: Case, walked: Walked, program: Program) -> Iterator[Diagnostic]:
    """Yield where a run is not as its case expects it.

    Errors: test/undeclared-call, test/answer-unfit, test/not-refused, test/unanswered or test/does-not-end alone, since
    nothing after it says anything; else test/… for each difference.
    """
    if walked.undeclared:
        yield _undeclared(case, walked, program)
        return
    unanswered = list(_answers(case, walked))
    if unanswered:
        yield from unanswered  # the run stopped there: whatever else is missing follows
        return
    yield from _ending(case, walked)
    for call in case.expect.calls:
        yield from _call(case, call, walked)
    for name, wanted in case.expect.outputs.items():
        yield from _output(case, name, wanted, walked.outputs)
    for condition in case.expect.that:
        yield from _condition(condition, walked.names)
    yield from _messages(case, walked)


def _undeclared(case: Case, walked: Walked, program: Program) -> Diagnostic:
    call = walked.undeclared[0]
    example = program.contracts[call.tool].example
    when = " and ".join(f"sent.{name} == {_literal(value)}" for name, value in call.sent.items() if _is_plain(value))
    entry = f"{{when: {_quoted(when)}, answer: {_shown(example)}}}" if when else f"{{answer: {_shown(example)}}}"
    return finding(
        "test/undeclared-call", case.span, case=case.id, tool=call.tool, sent=_shown(call.sent), declare=entry
    )


def _answers(case: Case, walked: Walked) -> Iterator[Diagnostic]:
    for question, check in walked.unfit:
        why = _why_unfit(check)
        span = case.place("answers", question)
        yield finding("test/answer-unfit", span, case=case.id, question=question, why_zh=why.zh, why_en=why.en)
    for question, answer in walked.not_refused:
        yield finding("test/not-refused", case.place("answers", question), question=question, answer=_shown(answer))
    if walked.unanswered and case.expect.status not in (None, "waiting"):
        yield finding("test/unanswered", case.span, case=case.id, question=walked.unanswered[0])
    if walked.endless:
        place = case.place("answers", walked.endless)
        yield finding("test/does-not-end", place, case=case.id, question=walked.endless, times=MOST_ASKED)


def _why_unfit(check: Check) -> Words:
    """Return what whoever answers is told, with the choices that there are."""
    declared = CODES[check.code]
    zh, en = (
        {name: value[language] if is_bilingual(value) else value for name, value in check.facts.items()}
        for language in ("zh", "en")
    )
    return Words(declared.message.filled(zh).zh, declared.message.filled(en).en)


def is_bilingual(value: object) -> TypeGuard[Mapping[str, str]]:
    return isinstance(value, Mapping) and set(value) == {"zh", "en"}


def _ending(case: Case, walked: Walked) -> Iterator[Diagnostic]:
    expect = case.expect
    pairs: tuple[tuple[str, Any, Any], ...] = (
        ("status", expect.status, walked.status),
        ("partial", expect.partial, walked.partial),
        ("state", expect.state, walked.state),
    )
    for word, wanted, found in pairs:
        if wanted is not None and wanted != found:
            why = f" ({walked.own_error or walked.error})" if word == "status" and walked.error else ""
            yield _different(case, word, wanted, f"{_shown(found)}{why}")
    if expect.error is not None and expect.error not in (walked.error, walked.own_error):
        own = f" ({walked.own_error})" if walked.own_error else ""
        yield _different(case, "error", expect.error, f"{walked.error}{own}")
    if expect.visits is not None and expect.visits != walked.visits:
        yield _different(case, "visits", " → ".join(expect.visits), " → ".join(walked.visits))


def _different(case: Case, word: str, wanted: Any, found: Any) -> Diagnostic:
    return finding(
        "test/different", case.expect.spans[word], case=case.id, what=word, wanted=_shown(wanted), found=_shown(found)
    )


def _call(case: Case, expected: ExpectedCall, walked: Walked) -> Iterator[Diagnostic]:
    made = [call for call in walked.called if call.tool == expected.tool]
    fitting = [call for call in made if _holds_all(call.sent, expected.arguments)]
    times = expected.times
    if (times is None and fitting) or times == len(fitting):
        return
    others = "; ".join(_shown(call.sent) for call in made[:3])
    yield finding(
        "test/calls-differ",
        expected.span,
        case=case.id,
        tool=expected.tool,
        wanted_zh="至少 1" if times is None else f" {times}",
        wanted_en="at least once" if times is None else _times(times),
        found=len(fitting),
        found_en=_times(len(fitting)),
        others_zh=f"；有 {others}" if others and not fitting else "",
        others_en=f"; there was {others}" if others and not fitting else "",
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _holds_all(sent: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(name in sent and same(sent[name], value) for name, value in wanted.items())


def _output(case: Case, name: str, wanted: Any, outputs: Mapping[str, Any]) -> Iterator[Diagnostic]:
    if name not in outputs:
        yield finding("test/no-output", case.expect.spans["outputs"], hint=did_you_mean(name, outputs), name=name)
    elif not same(outputs[name], wanted):
        path, found, expected = _first_difference(outputs[name], wanted, name)
        yield finding(
            "test/different",
            case.expect.spans["outputs"],
            case=case.id,
            what=path,
            wanted=_shown(expected),
            found=_shown(found),
        )


def _first_difference(found: Any, wanted: Any, path: str) -> tuple[str, Any, Any]:
    """Return the deepest place at which two values begin to differ."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name in (*wanted, *(name for name in found if name not in wanted)):
            if name not in found or name not in wanted:
                return f"{path}.{name}", found.get(name, _NOTHING), wanted.get(name, _NOTHING)
            if not same(found[name], wanted[name]):
                return _first_difference(found[name], wanted[name], f"{path}.{name}")
    if isinstance(found, list) and isinstance(wanted, list):
        for number, (one, other) in enumerate(zip(found, wanted, strict=False)):
            if not same(one, other):
                return _first_difference(one, other, f"{path}[{number}]")
        if len(found) != len(wanted):
            return f"{path} | count", len(found), len(wanted)
    return path, found, wanted


class _Nothing:
    """What stands for a field that is not there."""


_NOTHING = _Nothing()


def _condition(condition: Condition, names: Mapping[str, Any]) -> Iterator[Diagnostic]:
    try:
        if condition.expression.evaluate(dict(names)) is True:
            return
        told = Words("", "")
    except CannotEvaluate as error:
        reason = reason_words(error.code, error.facts)
        told = Words(f"（无法求值：{reason.zh}）", f" (could not be evaluated: {reason.en})")
    text = condition.expression.text
    yield finding("test/condition-failed", condition.span, condition=text, reason_zh=told.zh, reason_en=told.en)


def _messages(case: Case, walked: Walked) -> Iterator[Diagnostic]:
    """Each text has to stand in a message, in this order; several may stand in the same one."""
    position = 0
    told = [_words_of(message) for message in walked.shown]
    for text in case.expect.messages:
        place = next((number for number in range(position, len(told)) if text in told[number]), None)
        if place is None:
            yield finding("test/message-missing", case.expect.spans["messages"], case=case.id, text=text)
            return
        position = place


def _words_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "\n".join(filter(None, map(_words_of, parts)))


# --- values as they are shown -----------------------------------------------------------------------------------------


def _shown(value: Any) -> str:
    if isinstance(value, _Nothing):
        return "—"
    text = value if isinstance(value, str) else canonical_text(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | bool) and (not isinstance(value, str) or len(value) <= 60)


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return canonical_text(value)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

"""What an answer of a service means, in the words of a profile: `errors`, `unsure_when`, `success`, `let`, `value`.

Looked at in this order. The first entry of `errors` whose `when` holds is the failure; then what the adapter itself
takes for one (a status, an exit status, `isError`); then a `when` that could not be evaluated, because an answer that
nobody foresaw is no success; then `success`. Only then `let` and `value` make the value, which is `answer` itself
where the profile says nothing. Everything is compiled when the profile is planned.

A failure says of a write whether it never happened, by its code. `unsure_when` takes that back: a program that starts a
task and asks how it goes may fail with a code that elsewhere means that nothing was done. What cannot be evaluated
there is unsure too.

Names that are seen: `answer`, `sent` (the arguments), `settings`, and what the adapter adds to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from interpreter.adapters.own_words import own_words
from interpreter.adapters.reasons import failure_in_words, filled, reason_of
from interpreter.adapters.waiting import seconds_in
from interpreter.codes.service import SERVICE_ERRORS
from interpreter.diagnostics import Words
from interpreter.engine.frame import Evaluate
from interpreter.ports import JsonObject, ToolFailure
from interpreter.safety.secrets import Secrets
from rules.patterns import regex
from rules.records import record
from rules.values import ABSENT, CannotEvaluate, canonical_text

if TYPE_CHECKING:
    from interpreter import model


_CODE = regex(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,79}")
_MOST_SAID = 300


@record
class ErrorPlan:
    """One entry of `errors`. Shapes: without `when` it always holds; `message` is the service's own words."""

    when: Evaluate | None
    code: Evaluate
    message: Evaluate | None = None
    retry_after: Evaluate | None = None
    details: Evaluate | None = None


@record
class Meaning:
    """How an answer is read; compiled."""

    errors: tuple[ErrorPlan, ...] = ()
    success: Evaluate | None = None
    unsure_when: Evaluate | None = None
    lets: tuple[tuple[str, Evaluate], ...] = ()
    value: Evaluate | None = None


def meaning_of(adapted: model.Adapted) -> Meaning:
    """Return how the answers of one tool are read."""
    from interpreter.plan.values import Compiler

    compiler = Compiler(frozenset())
    return Meaning(
        errors=tuple(
            ErrorPlan(
                when=compiler.optional_condition(one.when),
                code=compiler.value(one.code),
                message=compiler.optional(one.message),
                retry_after=compiler.optional(one.retry_after),
                details=compiler.optional(one.details),
            )
            for one in adapted.errors
        ),
        success=compiler.optional_condition(adapted.success),
        unsure_when=compiler.optional_condition(adapted.unsure_when),
        lets=compiler.named(adapted.let),
        value=compiler.optional(adapted.value),
    )


def value_of(meaning: Meaning, names: Mapping[str, Any], secrets: Secrets, otherwise: ToolFailure | None = None) -> Any:
    """Return the value that an answer means.

    Shapes: `names` hold `answer`, `sent`, `settings` and what the adapter adds; `otherwise` is what the adapter itself
    takes the answer for, None where it looks like a success.
    Errors: ToolFailure.
    """
    try:
        return _value(meaning, names, secrets, otherwise)
    except ToolFailure as failed:
        failed.is_unsure = failed.is_unsure or _is_unsure(meaning, names)
        raise


def _is_unsure(meaning: Meaning, names: Mapping[str, Any]) -> bool:
    try:
        return meaning.unsure_when is not None and meaning.unsure_when(dict(names)) is not False
    except CannotEvaluate:
        return True


def _value(meaning: Meaning, names: Mapping[str, Any], secrets: Secrets, otherwise: ToolFailure | None) -> Any:
    seen = dict(names)
    unclear: CannotEvaluate | None = None
    for error in meaning.errors:
        try:
            if error.when is None or error.when(seen) is True:
                raise _failure_of(error, seen, secrets, otherwise)
        except CannotEvaluate as reason:
            unclear = unclear or reason
    if otherwise is not None:
        raise otherwise
    if unclear is not None:
        raise _unexpected(unclear, secrets)
    try:
        if meaning.success is not None and meaning.success(seen) is not True:
            raise failure("not_successful", told=_own_words(seen, secrets))
        for name, value in meaning.lets:
            seen[name] = value(seen)
        made = meaning.value(seen) if meaning.value is not None else seen["answer"]
    except CannotEvaluate as reason:
        raise _unexpected(reason, secrets) from None
    if made is ABSENT:
        raise failure("answer_unexpected", reason_zh="没有值", reason_en="there is no value")
    return made


def failure(
    code: str, *, retry_after: float | None = None, details: JsonObject | None = None, told: str = "", **facts: object
) -> ToolFailure:
    """Return the failure of a code of `codes.service`, its words filled with the facts.

    Shapes: `told` is what the service says of it itself, as `said` gives it.
    """
    return failure_in_words(code, filled(SERVICE_ERRORS[code].words, facts, told), details, retry_after)


def said(text: Any, secrets: Secrets) -> str:
    """Return a service's own words, short, on one line and without secrets."""
    whole = text if isinstance(text, str) else canonical_text(text)
    words = _on_one_line(whole[: _MOST_SAID * 4], secrets)
    return words if len(words) <= _MOST_SAID else words[:_MOST_SAID] + "…"


def ends_of(text: str, secrets: Secrets) -> str:
    """Return what a program says like `said`, of a long text both ends: some say first what is wrong, others last."""
    first = _on_one_line(text[: _MOST_SAID * 4], secrets)
    if len(first) <= _MOST_SAID and len(text) <= _MOST_SAID * 4:
        return first
    half = _MOST_SAID // 2
    ends = first[:half], _on_one_line(text[-_MOST_SAID * 4 :], secrets)[-half:]
    return " … ".join(end for end in ends if end)


def _on_one_line(text: str, secrets: Secrets) -> str:
    from interpreter.safety.written_secrets import masked_text  # only a failure needs it

    words = "".join(mark if mark.isprintable() else " " for mark in text)
    return masked_text(" ".join(secrets.masked(words).split()))


def _failure_of(
    error: ErrorPlan, names: dict[str, Any], secrets: Secrets, otherwise: ToolFailure | None
) -> ToolFailure:
    code = error.code(names)
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        code = canonical_text(code) if isinstance(code, int) and not isinstance(code, bool) else "service_says"
    details: JsonObject = {}
    if otherwise is not None:
        details = {name: value for name, value in otherwise.details.items() if name != "message"}
    more = _quietly(error.details, names)
    if isinstance(more, dict):
        details.update(secrets.cleared(more))
    told = _quietly(error.message, names)
    words = _words(code, said(told, secrets) if told not in (None, "") else "", otherwise, _own_words(names, secrets))
    after = seconds_in(_quietly(error.retry_after, names))
    if after is None and otherwise is not None:
        after = otherwise.retry_after
    return failure_in_words(code, words, details, after)


def _words(code: str, told: str, otherwise: ToolFailure | None, own: str) -> Words:
    if told:
        return Words(told, told)
    if otherwise is not None and otherwise.code == code:
        message = otherwise.details["message"]
        return Words(message["zh"], message["en"])
    return filled(SERVICE_ERRORS["service_says"].words, {"code": code}, own)


def _own_words(names: Mapping[str, Any], secrets: Secrets) -> str:
    """Return what the service says itself, where its answer is more than a text."""
    body = names.get("report", names.get("answer"))
    return said(own_words(body), secrets) if isinstance(body, dict) else ""


def _quietly(evaluate: Evaluate | None, names: dict[str, Any]) -> Any:
    """Return a part of a failure, None where it cannot be made: the failure itself stands all the same."""
    try:
        value = evaluate(names) if evaluate is not None else None
    except CannotEvaluate:
        return None
    return None if value is ABSENT else value


def _unexpected(reason: CannotEvaluate, secrets: Secrets) -> ToolFailure:
    words = reason_of(reason)
    return failure("answer_unexpected", reason_zh=said(words.zh, secrets), reason_en=said(words.en, secrets))

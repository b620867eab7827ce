"""What the linter proves, guarantee by guarantee: a sentence, a verdict, and the way that breaks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from interpreter.check.proofs import Proof, Stop
from interpreter.model import Guarantee, Selector
from interpreter.report.words import pick, safe

Line = tuple[str, str]

_VERDICTS = {
    "proved": ("已证明", "proved"),
    "broken": ("不成立", "broken"),
    "fails-when-refused": ("没有回答“是”时会失败", "fails where the answer is not a yes"),
    "watched": ("运行时看守", "watched while a run goes on"),
    "too-large": ("太大，无法证明；运行时看守", "too large to prove; watched while a run goes on"),
}
_MARKS = {"proved": "✓", "broken": "✗", "fails-when-refused": "!", "watched": "·", "too-large": "·"}
_KINDS = {"proved": "good", "broken": "error", "fails-when-refused": "warning"}


def as_text(proofs: Iterable[Proof], language: str) -> Iterator[Line]:
    """Yield (kind, line) pairs: first a line that counts, then each guarantee."""
    known = list(proofs)
    yield "heading", summary(known, language)
    for proof in known:
        verdict = _say(_VERDICTS[proof.verdict], language)
        if not proof.happens:
            verdict += _say(("（这里不会发生）", " (it never happens here)"), language)
        yield _KINDS.get(proof.verdict, "plain"), f"{_MARKS[proof.verdict]} {safe(proof.id)}: {verdict}"
        yield "plain", f"    {sentence(proof, language)}"
        for stop in proof.way:
            yield "way", f"      {_place(stop)}{safe(pick(stop.words, language))}"


def summary(proofs: list[Proof], language: str) -> str:
    """Return one line: how many guarantees, and how many of each verdict."""
    counts = {verdict: sum(proof.verdict == verdict for proof in proofs) for verdict in _VERDICTS}
    told = [f"{count} {_say(_VERDICTS[verdict], language)}" for verdict, count in counts.items() if count]
    if language == "zh":
        return f"{len(proofs)} 条保证：{'，'.join(told)}" if proofs else "没有保证可证"
    noun = "guarantee" if len(proofs) == 1 else "guarantees"
    return f"{len(proofs)} {noun}: {', '.join(told)}" if proofs else "nothing is guaranteed here"


def as_json(proofs: Iterable[Proof], language: str) -> list[dict[str, Any]]:
    return [
        {
            "id": proof.id,
            "verdict": proof.verdict,
            "happens": proof.happens,
            "sentence": sentence(proof, language),
            "way": [
                {
                    "what": pick(stop.words, language),
                    "file": stop.span.source.name if stop.span is not None else None,
                    "line": stop.span.begins.line if stop.span is not None else None,
                }
                for stop in proof.way
            ],
        }
        for proof in proofs
    ]


def sentence(proof: Proof, language: str) -> str:
    """Return what is guaranteed as a sentence in the words of the document."""
    guarantee = proof.guarantee
    if guarantee is None:
        zh = f"每次写明 needs: {proof.question} 的写入都在它得到确认之后，并且确认仍然有效"
        en = f"every write that needs {proof.question} comes after it was confirmed, while the answer stands"
        return safe(zh if language == "zh" else en)
    return safe(_sentence(guarantee, language))


def _sentence(guarantee: Guarantee, language: str) -> str:
    subject, other, since = (
        _selected(selector, language) for selector in (guarantee.subject, guarantee.other, guarantee.since)
    )
    condition = guarantee.condition.expression.text if guarantee.condition is not None else ""
    match guarantee.kind:
        case "comes_after":
            begins = _say((f"，从每次{since} 算起", f", counted from every {since} on"), language) if since else ""
            return _say((f"每次{subject} 之前都有{other}", f"every {subject} comes after {other}"), language) + begins
        case "directly_after":
            return _say((f"{subject} 绝不紧跟在{other} 之后", f"never {subject} directly after {other}"), language)
        case "is_followed_by":
            return _say((f"每次{subject} 之后都会有{other}", f"every {subject} is followed by {other}"), language)
        case "only_in":
            states = _listed(guarantee.only_in, language)
            return _say((f"{subject} 只发生在 {states}", f"{subject} only in {states}"), language)
        case "while":
            return _say((f"在 {condition} 时绝不{subject}", f"never {subject} while {condition}"), language)
    return _say((f"始终 {condition}", f"always {condition}"), language)


def _selected(selector: Selector | None, language: str) -> str:
    if selector is None:
        return ""
    named = (
        (("进入状态", "state"), selector.states),
        (("确认", "confirmation of"), selector.confirms),
        (("完成步骤", "step"), selector.steps),
        (("通过门禁", "gate"), selector.gates),
    )
    found = next(((words, names) for words, names in named if names), None)
    if found is not None:
        text = f"{_say(found[0], language)} {_listed(found[1], language)}"
    else:
        text = _call(selector, language)
    if selector.in_states:
        states = _listed(selector.in_states, language)
        text += _say((f"（在 {states} 中）", f" in {states}"), language)
    return text


def _call(selector: Selector, language: str) -> str:
    effects = _listed([_say(_EFFECTS[effect], language) for effect in selector.effects], language)
    tools = _listed([call for call in selector.calls if call != "*"], language)
    if language == "zh":
        return f"{effects}调用" + (f" {tools}" if tools else "")
    return f"{effects} call".strip() + (f" of {tools}" if tools else "")


_EFFECTS = {"read": ("只读", "reading"), "write": ("写入", "writing"), "destructive": ("破坏性", "destructive")}


def _listed(names: Iterable[str], language: str) -> str:
    return _say(("或", " or "), language).join(names)


def _place(stop: Stop) -> str:
    return f"{safe(stop.span.source.name)}:{stop.span.begins.line}: " if stop.span is not None else ""


def _say(words: tuple[str, str], language: str) -> str:
    return words[0] if language == "zh" else words[1]

"""Guarantees that some way through the workflow breaks."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.check.proofs import Proof, prove
from interpreter.diagnostics import Diagnostic, Related, Words, finding
from interpreter.resolve import Resolved

#: So many places of a way are shown; the first ones are left out.
_MOST_PLACES = 8


def check_proofs(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield each guarantee that is not kept, with the shortest way that breaks it.

    Errors: flow/guarantee-broken, flow/write-not-confirmed, flow/write-after-refusal,
    flow/guarantee-too-large.
    """
    if not resolved.is_whole:
        return  # what was left out in reading may be the very step that keeps it
    for proof in prove(resolved):
        if proof.verdict == "too-large" and proof.guarantee is not None:
            yield finding("flow/guarantee-too-large", proof.guarantee.span, name=proof.id)
        elif proof.verdict in ("broken", "fails-when-refused"):
            yield _broken(proof)


def _broken(proof: Proof) -> Diagnostic:
    stops = proof.way[-_MOST_PLACES:]
    related = [Related(stop.span, stop.words) for stop in stops if stop.span is not None]
    way_zh, way_en = (" · ".join(stop.words[language] for stop in stops) for language in ("zh", "en"))
    if proof.guarantee is not None:
        code, span, name = "flow/guarantee-broken", proof.guarantee.span, proof.id
    else:
        code = "flow/write-not-confirmed" if proof.verdict == "broken" else "flow/write-after-refusal"
        span, name = proof.way[-1].span or proof.way[0].span, proof.question  # type: ignore[assignment]
    hint = _of_change(proof) if code == "flow/write-not-confirmed" else None
    return finding(code, span, related=related, hint=hint, name=name, way_zh=way_zh, way_en=way_en)


def _of_change(proof: Proof) -> Words | None:
    """Return what to do with the last change of what a confirmation showed; None where nothing changes it."""
    stop = next((stop for stop in reversed(proof.way) if stop.kind == "void" and stop.span is not None), None)
    if stop is None or stop.span is None:
        return None
    line, asked = stop.span.begins.line, proof.question
    return Words(
        f"第 {line} 行改动了 {stop.name}，而 {asked} 展示的就是它：把这一步移到 {asked} 之前，改到别的数据里，"
        "或在 shows 里去掉会变的字段：… | without('字段')",
        f"line {line} changes {stop.name}, which {asked} showed: move that step before {asked}, change other data, or "
        "show only what stays: shows: … | without('field')",
    )

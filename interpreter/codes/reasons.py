"""Why something could not be evaluated, in words; a failure knows its code and its facts, and no words."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.codes.run import REASONS
from interpreter.diagnostics import Words, holes_of


def reason_words(reason: str, facts: Mapping[str, object], *, of_rules: bool = False) -> Words:
    """Return the reason in the words of the engine, of expressions or of rules: the first that have all their facts.

    Shapes: with `of_rules` a rule document was asked alone, and its words come before those of expressions.
    """
    from interpreter.codes import CODES

    phases = ("rule", "expression") if of_rules else ("expression", "rule")
    codes = [CODES[name].message for name in (f"{phase}/{reason}" for phase in phases) if name in CODES]
    known = [REASONS[reason], *codes] if reason in REASONS else codes
    whole = (words for words in known if holes_of(words) <= facts.keys())
    return next(whole, known[-1] if known else Words(reason, reason)).filled(facts)

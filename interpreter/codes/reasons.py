"""Why something could not be evaluated, in words; a failure knows its code and its facts, and no words."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter import codes
from interpreter.codes.run import REASONS
from interpreter.words import Words, holes_of


def reason_words(reason: str, facts: Mapping[str, object], *, of_rules: bool = False) -> Words:
    """Return the reason in the words of the engine, of expressions or of rules: the first that have all their facts.

    Shapes: with `of_rules` a rule document was asked alone, and its words come before those of expressions.
    """
    phases = ("rule", "expression") if of_rules else ("expression", "rule")
    names = [name for name in (f"{phase}/{reason}" for phase in phases) if name in codes.CODES]
    known = [REASONS[reason]] if reason in REASONS else []
    known += [codes.CODES[name].message for name in names]
    whole = (words for words in known if holes_of(words) <= facts.keys())
    return next(whole, known[-1] if known else Words(reason, reason)).filled(facts)

"""The border of a decision: facts and outside values in the form that cells compare, each checked once.

Behind it kinds and ranges are known, so that whoever evaluates cells compares bare.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from rules.cells import OutsideReference
from rules.columns import Column, Key, find_key, other_kind
from rules.reading import by_nearness
from rules.values import ABSENT, Value, cannot

Names = Mapping[str, Mapping[str, Value]]
"""Values of other documents, by the name of the document."""


class Decidable(Protocol):
    """What is the same in everything that facts can be given to: a table, a scorecard, tiers."""

    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> tuple[Column, ...]: ...

    @property
    def fact_names(self) -> frozenset[str]: ...

    @property
    def outside(self) -> tuple[OutsideReference, ...]: ...


def keys_of(rule: Decidable, facts: Mapping[str, Value]) -> tuple[Key, ...]:
    """Return the facts in the form that cells compare; a fact that is not given is absent.

    Errors: CannotEvaluate `unknown-fact`, and those of `Column.take`.
    """
    if not facts.keys() <= rule.fact_names:
        name = min(facts.keys() - rule.fact_names)
        allowed = by_nearness(name, rule.fact_names)
        raise cannot("unknown-fact", name=name, table=rule.name, allowed=allowed)
    return tuple([column.take(facts.get(column.name, ABSENT)) for column in rule.columns])


def outside_keys(rule: Decidable, documents: Names) -> tuple[Key, ...]:
    """Return the values that cells read from other documents.

    Errors: CannotEvaluate `absent-name`, `different-kinds`.
    """
    return tuple([_outside_key(reference, documents) for reference in rule.outside])


def outside_values(rule: Decidable, documents: Names) -> dict[str, Value]:
    """Return the same values as they stand there, by their full names, for the record of a decision."""
    read = {}
    for reference in rule.outside:
        document, _, name = reference.name.partition(".")
        read[reference.name] = documents[document][name]
    return read


def _outside_key(reference: OutsideReference, documents: Names) -> Key:
    document, _, name = reference.name.partition(".")
    value = documents.get(document, {}).get(name, ABSENT)
    if value is ABSENT or value is None:
        raise cannot("absent-name", name=reference.name)
    key = find_key(reference.kind, value)
    if key is None:
        raise other_kind(reference.name, reference.kind, value)
    return key

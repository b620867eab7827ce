"""Rule documents: what they contradict or forget, told at its place."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic
from interpreter.documents.loading import Loaded, located_in
from rules.facts import Names


def check_rule_document(loaded: Loaded, values: Names) -> Iterator[Diagnostic]:
    """Yield what a rule document forgets or contradicts, in passing: what takes long is left to `rules check`."""
    if loaded.rules is None or loaded.node is None or not loaded.is_whole:
        return
    from rules.analysis.check import check_rules  # documents without rules start without it

    for found in check_rules(loaded.rules, values, in_passing=True):
        if found.code == "rule/looked-at-in-passing":
            found = found._replace(facts={**found.facts, "file": loaded.source.name if loaded.source else loaded.name})
        yield located_in(loaded.node, found)


def check_contradictions(loaded: Loaded, values: Names) -> Iterator[Diagnostic]:
    """Yield the errors among what `check_rule_document` finds, for much less work: what a run is refused for."""
    if loaded.rules is None or loaded.node is None or not loaded.is_whole:
        return
    from rules.analysis.check import check_errors  # documents without rules start without it

    for found in check_errors(loaded.rules, values):
        yield located_in(loaded.node, found)

"""`rules diff`: where two versions of a document answer differently, and which recorded decisions that changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from interpreter.cli.context import Context
from interpreter.cli.given import mapping_in
from interpreter.cli.rules.opened import open_rules, print_lines
from interpreter.report.differences import difference_lines, differences_json
from rules.analysis.versions import RecordedFacts, compare_versions
from rules.values import Value


def recorded_facts(context: Context, document: str, runs: Sequence[str]) -> RecordedFacts | None:
    """Return the facts on which runs decided by the rules of a document, None where no run is named.

    Shapes: a run is named by its id, or by a file with a list of `{rule, facts}`.
    """
    if not runs:
        return None
    found: dict[str, list[dict[str, Value]]] = {}
    for name in runs:
        if Path(name).is_file():
            _from_file(Path(name), found)
        else:
            _from_run(context, document, name, found)
    return found


def _from_run(context: Context, document: str, name: str, found: dict[str, list[dict[str, Value]]]) -> None:
    with context.open_run(name, lock=False) as journal:
        for row in journal.rows():
            body = row.body
            if row.kind == "trace" and body.get("note") == "decision":
                of, _, rule = str(body["rule"]).partition(".")
                if of == document:
                    found.setdefault(rule, []).append(body["facts"])


def _from_file(path: Path, found: dict[str, list[dict[str, Value]]]) -> None:
    body = mapping_in(path)
    for entry in body.get("decisions", []):
        if isinstance(entry, Mapping) and isinstance(entry.get("facts"), Mapping):
            rule = str(entry.get("rule", "")).rpartition(".")[2]
            found.setdefault(rule, []).append(dict(entry["facts"]))


def diff(context: Context) -> int:
    """Say where two versions of a rule document answer differently; exit 1 where they do."""
    old, new = open_rules(context.arguments.old), open_rules(context.arguments.new)
    recorded = recorded_facts(context, new.document.name, context.arguments.decisions)
    versions = compare_versions(old.document, new.document, new.names, recorded)
    if context.wants_json:
        context.print_json(differences_json(versions, context.language))
    else:
        print_lines(difference_lines(versions, context.language))
    return 1 if versions.differs else 0

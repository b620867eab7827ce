"""Rule documents: load one from plain data, and decide by its tables.

    document, findings = load_rules(body, "limits")
    decision = decide(document, "channel", {"title_marked": True})

A document with findings is returned all the same: what could not be read is left out, so that everything else in it
can still be checked. Only a document without errors may be decided by.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from rules.cells import OutsideReference
from rules.columns import Range
from rules.findings import Finding
from rules.gates import Gate, load_gates
from rules.reading import found, is_note, named_parts, read_mapping
from rules.records import field, record
from rules.tables import RowFinder, Table, load_table, matching_rows
from rules.thresholds import Threshold, check_overrides, load_thresholds
from rules.values import ABSENT, Value, digest

PartKind = Literal["threshold", "list", "table", "gate", "scorecard", "tiers"]
SECTIONS: dict[str, PartKind] = {
    "thresholds": "threshold",
    "lists": "list",
    "tables": "table",
    "gates": "gate",
    "scorecards": "scorecard",
    "tiers": "tiers",
}
NOT_READ_YET = ("scorecards", "tiers")


@record
class Decision:
    """One decision, with all that an explanation needs later.

    Shapes: `answer` is a mapping of outputs (a list of them under the list policies), ABSENT when there is no answer;
    `row` is the number of the row, from 1, that gave it, a list of numbers where many gave it, None for `otherwise`
    and for no answer; `ids` and `because` belong to these rows in the same order; `facts` and `outside` are what was
    read; `digest` is that of the document with its overrides.
    """

    answer: Value
    row: int | list[int] | None
    ids: tuple[str | None, ...]
    because: tuple[Any, ...]
    document: str
    table: str
    digest: str
    facts: Mapping[str, Value]
    outside: Mapping[str, Value]

    @property
    def rows(self) -> tuple[int, ...]:
        """The numbers of the rows that gave the answer, none, one or many."""
        if self.row is None:
            return ()
        return (self.row,) if isinstance(self.row, int) else tuple(self.row)


@record
class RuleDocument:
    """One loaded document.

    Shapes: `names` holds the kind of every named part, also of those that could not be read; `values` is what
    `<document>.<name>` reads in expressions: thresholds and lists.
    """

    name: str
    body: Mapping[str, Any]
    digest: str
    names: Mapping[str, PartKind]
    thresholds: Mapping[str, Threshold]
    lists: Mapping[str, Value]
    tables: Mapping[str, Table]
    gates: Mapping[str, Gate]
    values: Mapping[str, Value]
    _finders: dict[str, RowFinder] = field(default_factory=dict, repr=False, compare=False)

    @property
    def threshold_ranges(self) -> dict[str, Range]:
        """The ranges within which thresholds may be overridden; one without a range may take any value of its kind."""
        thresholds = self.thresholds.values()
        return {threshold.name: threshold.range for threshold in thresholds if threshold.range is not None}

    @property
    def outside(self) -> dict[str, tuple[OutsideReference, ...]]:
        """The thresholds of other documents that each table reads, for whoever knows these documents."""
        return {name: table.outside for name, table in self.tables.items() if table.outside}

    def with_overrides(self, overrides: Mapping[str, Value]) -> tuple[RuleDocument, list[Finding]]:
        """Return the document with other thresholds, and a finding for each override that does not hold.

        The digest changes with the values; overrides that do not hold change nothing.
        """
        held, findings = check_overrides(self.thresholds, overrides)
        if not held:
            return self, findings
        thresholds = {
            name: {**part, "value": held.get(name, part.get("value"))} if isinstance(part, Mapping) else part
            for name, part in self.body["thresholds"].items()
        }
        document, _ = load_rules({**self.body, "thresholds": thresholds}, self.name)
        assert document is not None
        return document, findings

    def finder(self, table: Table) -> RowFinder:
        """Return the compiled rows of a table, compiled on its first decision."""
        finder = self._finders.get(table.name)
        if finder is None:
            from rules.compiled import compile_rows  # with the compiler of expressions; many commands decide nothing

            finder = self._finders[table.name] = compile_rows(table)
        return finder


def load_rules(body: object, name: str) -> tuple[RuleDocument | None, list[Finding]]:
    """Return a rule document and everything that is wrong with it; None when it is no mapping at all.

    Shapes: `body` is the plain data of the document; paths of findings lead into it.
    """
    findings: list[Finding] = []
    if not isinstance(body, Mapping):
        read_mapping(body, (), findings)
        return None, findings
    names = _read_names(body, findings)
    thresholds = load_thresholds(body, findings)
    lists = _read_lists(body, findings)
    document = RuleDocument(
        name=name,
        body=body,
        digest=digest(dict(body)),
        names=names,
        thresholds=thresholds,
        lists=lists,
        tables=_read_tables(body, name, thresholds, findings),
        gates=load_gates(body, findings),
        values={**lists, **{key: threshold.value for key, threshold in thresholds.items()}},
    )
    return document, findings


def decide(
    document: RuleDocument,
    table_name: str,
    facts: Mapping[str, Value],
    names: Mapping[str, Mapping[str, Value]] | None = None,
    *,
    plainly: bool = False,
) -> Decision:
    """Return the decision of one table on facts.

    Shapes: `names` maps the names of other documents to their values; `plainly` goes through the plain evaluator
    instead of the compiled rows, with the same result.
    Errors: KeyError for a table that the document does not have; CannotEvaluate where the facts allow no answer.
    """
    table = document.tables[table_name]
    keys = table.keys(facts)
    outside = table.outside_keys(names or {}) if table.outside else ()
    matching = matching_rows(table, keys, outside) if plainly else document.finder(table)(keys, outside)
    answer = table.answer(matching, facts, outside)
    decision_rows = [] if answer.row is None else [answer.row] if isinstance(answer.row, int) else answer.row
    return Decision(
        answer=answer.value,
        row=answer.row,
        ids=tuple([table.rows[row - 1].id for row in decision_rows]),
        because=tuple([table.rows[row - 1].because for row in decision_rows]),
        document=document.name,
        table=table.name,
        digest=document.digest,
        facts={name: fact for name, fact in facts.items() if fact is not ABSENT},
        outside=_read_outside(table, names or {}),
    )


def names_of(document: RuleDocument) -> dict[str, PartKind]:
    """Return the kind of everything that `<document>.<name>` can reach."""
    return dict(document.names)


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_names(body: Mapping[str, Any], findings: list[Finding]) -> dict[str, PartKind]:
    """Return every named part; a name stands once in a document, whatever it names."""
    names: dict[str, PartKind] = {}
    for section, kind in SECTIONS.items():
        part = body.get(section)
        if section in NOT_READ_YET and section in body:
            findings.append(found("not-read-yet", (section,), section=section))
        for name in part if isinstance(part, Mapping) else ():
            if is_note(name):
                continue
            if name in names:
                findings.append(found("name-twice", (section, name), name=name, kind=names[name]))
            else:
                names[name] = kind
    return names


def _read_lists(body: Mapping[str, Any], findings: list[Finding]) -> dict[str, Value]:
    if "lists" not in body:
        return {}
    lists = read_mapping(body["lists"], ("lists",), findings)
    return {name: value for name, value in lists.items() if not is_note(name)}


def _read_tables(
    body: Mapping[str, Any], document: str, thresholds: Mapping[str, Threshold], findings: list[Finding]
) -> dict[str, Table]:
    tables = {}
    for name, part, path in named_parts(body, "tables", (), findings):
        table = load_table(document, name, part, thresholds, path, findings)
        if table is not None:
            tables[name] = table
    return tables


def _read_outside(table: Table, names: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
    read = {}
    for reference in table.outside:
        document, _, name = reference.name.partition(".")
        read[reference.name] = names[document][name]
    return read

"""Rule documents: load one from plain data, and decide by its tables, scorecards, tiers and counts of sources.

    document, findings = load_rules(body, "limits")
    decision = decide(document, "channel", {"title_marked": True})

A document with findings is returned all the same: what could not be read is left out, so that everything else in it
can still be checked. Only a document without errors may be decided by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rules.addresses import RegistrableDomain
from rules.cells import OutsideReference
from rules.columns import Range
from rules.facts import Decidable, Names, outside_values
from rules.findings import Finding
from rules.gates import Gate, load_gates
from rules.parts import Part
from rules.reading import found, is_note, named_parts, read_mapping
from rules.records import NamedTuple, field, record, replace
from rules.tables import Answer, Table, load_table
from rules.thresholds import Threshold, check_overrides, load_thresholds
from rules.values import ABSENT, Value, digest

if TYPE_CHECKING:  # read where a document has such a part; most have none, and a run that starts pays for each module
    from rules.compiled.cards import CardFunctions
    from rules.compiled.tables import TableFunctions
    from rules.independence import Independence
    from rules.properties import Property
    from rules.scorecards import Scorecard
    from rules.tiers import Tiers

PartKind = Literal["threshold", "list", "table", "gate", "scorecard", "tiers", "independence"]
SECTIONS: dict[str, PartKind] = {
    "thresholds": "threshold",
    "lists": "list",
    "tables": "table",
    "gates": "gate",
    "scorecards": "scorecard",
    "tiers": "tiers",
    "independence": "independence",
}


@record
class Decision:
    """One decision, with all that an explanation needs later.

    Shapes: `kind` says what decided and `table` is its name, whatever the kind. `facts` and `outside` are what was
    read; `digest` is that of the document with its overrides. `ids` and `because` belong to the rows in their order.

        table          `answer` is a mapping of outputs (a list of them under the list policies), ABSENT when there is
                       none; `row` is the number of the row, from 1, that gave it, a list of numbers where many gave
                       it, None for `otherwise` and for no answer
        scorecard      `answer` is what `Scorecard.answer` says; `row` has the number of a row for each factor in the
                       order of factors, 0 where `missing` stood in
        tiers          `answer` is what `Tiers.answer` says; `row` counts the rules through all classes, None where no
                       rule holds
        independence   `answer` is what `count_sources` says; `row` is None
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
    kind: PartKind = "table"

    @property
    def rows(self) -> tuple[int, ...]:
        """The numbers of the rows that gave the answer, none, one or many."""
        if self.row is None:
            return ()
        return (self.row,) if isinstance(self.row, int) else tuple(self.row)


class _Compiled(dict[str, Any]):
    """Functions compiled so far, by the name of the rule; a document is kept without them."""

    def __reduce__(self) -> Any:
        return _Compiled, ()


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
    scorecards: Mapping[str, Scorecard] = field(default_factory=dict)
    tiers: Mapping[str, Tiers] = field(default_factory=dict)
    independence: Mapping[str, Independence] = field(default_factory=dict)
    properties: tuple[Property, ...] = ()
    registrable_domain: RegistrableDomain | None = field(default=None, repr=False, compare=False)
    _compiled: _Compiled = field(default_factory=_Compiled, repr=False, compare=False)

    @property
    def threshold_ranges(self) -> dict[str, Range]:
        """The ranges within which thresholds may be overridden; one without a range may take any value of its kind."""
        thresholds = self.thresholds.values()
        return {threshold.name: threshold.range for threshold in thresholds if threshold.range is not None}

    @property
    def outside(self) -> dict[str, tuple[OutsideReference, ...]]:
        """The thresholds of other documents that each rule reads, for whoever knows these documents."""
        return {name: rule.outside for name, rule in self.decidable.items() if rule.outside}

    @property
    def decidable(self) -> dict[str, Decidable]:
        """Everything that facts can be given to, but for counts of sources, which take a list."""
        return {**self.tables, **self.scorecards, **self.tiers}

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
        document, wrong = load_rules({**self.body, "thresholds": thresholds}, self.name, self.registrable_domain)
        assert document is not None
        if document.decidable.keys() != self.decidable.keys():  # a weight or an edge that breaks its card
            return self, [*findings, *wrong]
        return document, findings

    def compiled_table(self, name: str) -> TableFunctions:
        """Return the functions of a table, compiled on its first decision."""
        functions: TableFunctions | None = self._compiled.get(name)
        if functions is None:
            from rules.compiled.tables import TableFunctions  # many commands decide nothing

            functions = self._compiled[name] = TableFunctions(self.tables[name])
        return functions

    def compiled_card(self, name: str) -> CardFunctions:
        """Return the functions of a scorecard, compiled on its first decision."""
        functions: CardFunctions | None = self._compiled.get(name)
        if functions is None:
            from rules.compiled.cards import CardFunctions

            functions = self._compiled[name] = CardFunctions(self.scorecards[name])
        return functions


def load_rules(
    body: object, name: str, registrable_domain: RegistrableDomain | None = None
) -> tuple[RuleDocument | None, list[Finding]]:
    """Return a rule document and everything that is wrong with it; None when it is no mapping at all.

    Shapes: `body` is the plain data of the document; paths of findings lead into it; `registrable_domain` is what the
            public suffix list knows, asked only where a rule names domains.
    """
    findings: list[Finding] = []
    if not isinstance(body, Mapping):
        read_mapping(body, (), findings)
        return None, findings
    names = _read_names(body, findings)
    thresholds = load_thresholds(body, findings)
    lists = _read_lists(body, findings)
    whole = Part(name, name, body, (), thresholds, lists, registrable_domain, findings)
    tables = _read_each("tables", load_table, whole)
    scorecards = _read_each("scorecards", _load_scorecard, whole)
    tiers = _read_each("tiers", _load_tiers, whole)
    document = RuleDocument(
        name=name,
        body=body,
        digest=digest(dict(body)),
        names=names,
        thresholds=thresholds,
        lists=lists,
        tables=tables,
        gates=load_gates(body, findings),
        values={**lists, **{key: threshold.value for key, threshold in thresholds.items()}},
        scorecards=scorecards,
        tiers=tiers,
        independence=_read_each("independence", _load_independence, whole),
        registrable_domain=registrable_domain,
    )
    if "properties" not in body:
        return document, findings
    from rules.properties import load_properties

    could_be_read = {**tables, **scorecards, **tiers}
    rules = {name: could_be_read.get(name) for name, kind in names.items() if kind in ("table", "scorecard", "tiers")}
    return replace(document, properties=load_properties(whole, rules)), findings


def decide(
    document: RuleDocument,
    rule: str,
    facts: Mapping[str, Value],
    names: Names | None = None,
    *,
    plainly: bool = False,
) -> Decision:
    """Return the decision of one rule on facts.

    Shapes: `names` maps the names of other documents to their values; `plainly` goes through the plain evaluator
            instead of the compiled functions, with the same result.
    Errors: KeyError for a rule that the document does not have; CannotEvaluate where the facts allow no answer.
    """
    kind, found = _found(document, rule, facts, names or {}, plainly)
    rows = found.rows()
    return Decision(
        answer=found.answer.value,
        row=found.answer.row,
        ids=tuple([one.id for one in rows]),
        because=tuple([one.because for one in rows]),
        document=document.name,
        table=rule,
        digest=document.digest,
        facts={name: fact for name, fact in facts.items() if fact is not ABSENT},
        outside=outside_values(found.part, names or {}) if found.part is not None and found.part.outside else {},
        kind=kind,
    )


def answered(document: RuleDocument, rule: str, facts: Mapping[str, Value], names: Names | None = None) -> Answer:
    """Return what one rule answers, and by which row; `decide` without what only an explanation needs.

    Errors: those of `decide`.
    """
    return _found(document, rule, facts, names or {}, plainly=False)[1].answer


class _Found(NamedTuple):
    """What a rule came to. Shapes: `rows` returns the rows that gave the answer; `part` is None for a count."""

    answer: Answer
    part: Decidable | None
    rows: Callable[[], Sequence[Any]]


def _found(
    document: RuleDocument, rule: str, facts: Mapping[str, Value], names: Names, plainly: bool
) -> tuple[PartKind, _Found]:
    kind = document.names[rule]
    find = _FINDERS.get(kind)
    if find is None:
        raise KeyError(rule)
    return kind, find(document, rule, facts, names, plainly)


def _by_table(document: RuleDocument, name: str, facts: Mapping[str, Value], names: Names, plainly: bool) -> _Found:
    table = document.tables[name]
    outside = table.outside_keys(names) if table.outside else ()
    if plainly:
        from rules import plain

        answer = plain.decide_table(table, facts, table.keys(facts), outside)
    else:
        answer = document.compiled_table(name).enter(facts, outside)

    def rows() -> list[Any]:
        numbers = [] if answer.row is None else [answer.row] if isinstance(answer.row, int) else answer.row
        return [table.rows[number - 1] for number in numbers]

    return _Found(answer, table, rows)


def _by_scorecard(document: RuleDocument, name: str, facts: Mapping[str, Value], names: Names, plainly: bool) -> _Found:
    card = document.scorecards[name]
    outside = card.outside_keys(names) if card.outside else ()
    if plainly:
        from rules import plain

        keys = card.keys(facts)
        scored = plain.score(card, keys, outside)
        unmet = () if scored.capped is None else card.unmet(scored.capped, keys, outside)
        value = card.answer(scored, unmet)
    else:
        scored, value = document.compiled_card(name).answer(facts, outside)
    return _Found(
        Answer(value, list(scored.rows)),
        card,
        lambda: [factor.row(number) for factor, number in zip(card.factors, scored.rows, strict=True)],
    )


def _by_tiers(document: RuleDocument, name: str, facts: Mapping[str, Value], names: Names, plainly: bool) -> _Found:
    tiers = document.tiers[name]
    keys = tiers.keys(facts)
    outside = tiers.outside_keys(names) if tiers.outside else ()
    if plainly:
        from rules.plain import place
    else:
        from rules.tiers import place
    placed = place(tiers, keys, outside, document.registrable_domain)
    number = None if placed is None else placed.number
    return _Found(Answer(tiers.answer(placed), number), tiers, lambda: [] if placed is None else [placed.rule])


def _by_count(document: RuleDocument, name: str, facts: Mapping[str, Value], names: Names, plainly: bool) -> _Found:
    from rules.independence import count_sources

    given = {name: fact for name, fact in facts.items() if fact is not ABSENT}
    counted = count_sources(document.independence[name], given, document.registrable_domain)
    return _Found(Answer(counted, None), None, tuple)


_FINDERS: dict[PartKind, Callable[[RuleDocument, str, Mapping[str, Value], Names, bool], _Found]] = {
    "table": _by_table,
    "scorecard": _by_scorecard,
    "tiers": _by_tiers,
    "independence": _by_count,
}


def names_of(document: RuleDocument) -> dict[str, PartKind]:
    """Return the kind of everything that `<document>.<name>` can reach."""
    return dict(document.names)


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_names(body: Mapping[str, Any], findings: list[Finding]) -> dict[str, PartKind]:
    """Return every named part; a name stands once in a document, whatever it names."""
    names: dict[str, PartKind] = {}
    for section, kind in SECTIONS.items():
        part = body.get(section)
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


def _read_each(section: str, load: Callable[[Part], Any], whole: Part) -> dict[str, Any]:
    """Return what can be read of the parts of one kind. Shapes: `whole` is the document that they are parts of."""
    read = {
        name: load(replace(whole, name=name, body=body, path=path))
        for name, body, path in named_parts(whole.body, section, (), whole.findings)
    }
    return {name: part for name, part in read.items() if part is not None}


def _load_scorecard(part: Part) -> Scorecard | None:
    from rules.scorecards import load_scorecard

    return load_scorecard(part)


def _load_tiers(part: Part) -> Tiers | None:
    from rules.tiers import load_tiers

    return load_tiers(part)


def _load_independence(part: Part) -> Independence | None:
    from rules.independence import load_independence

    return load_independence(part)

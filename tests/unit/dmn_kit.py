"""Decision tables of the DMN conformance kit, turned mechanically into rule documents and checked on their vectors.

    python -m tests.unit.dmn_kit FILE…         # prints every vector that differs; exit 1 when one does

Names of the kit are data (they hold spaces and slashes), so every input and output gets a plain name here and answers
are turned back before they are compared. Durations become numbers: months, or seconds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

from rules.columns import FORMATS, find_key
from rules.documents import RuleDocument, decide, load_rules
from rules.findings import Finding
from rules.reading import NOTES
from rules.values import ABSENT, CannotEvaluate, canonical_text, dumps, loads, same

HITS = {name.upper(): name for name in ("unique", "any", "priority", "first", "rule_order", "output_order", "collect")}
WITHOUT_RANKS = {"priority": "first", "output_order": "rule_order"}
"""What these policies come to where no output ranks its values."""
KINDS = {
    "number": "number",
    "string": "string",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "dateTime": "date-time",
    "duration": "number",
}
WRAPPED = frozenset({"date", "time", "dateTime", "duration"})
TYPES = {
    "date and time": "dateTime",
    "dayTimeDuration": "duration",
    "yearMonthDuration": "duration",
    "days and time duration": "duration",
    "years and months duration": "duration",
}
NEVER = {"not": "any"}
LONG = {"lt": "under", "le": "at_most", "gt": "above", "ge": "at_least"}
ORDERS = {"lt": "under", "le": "at most", "gt": "above", "ge": "at least"}
UNNAMED = "answer"
DOMAIN = " domain"
WITHOUT_ANSWER = frozenset(
    {"rows-overlap", "rows-disagree", "outside-enum", "different-kinds", "absent-name", "null-limit", "not-a-number"}
)
_DURATION = re.compile(r"(-)?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


class Translation:
    """One table of the kit as one of ours.

    Shapes: `paths` leads from every input of ours to its value in the facts of the kit: `in0`, `in1`, … are the
    columns, `ref0`, … the other facts that cells and outputs read, once for each kind that they are read as. `nothing`
    names the references that stand for null: there every comparison is false, which here could not be evaluated.
    `strangers` names the columns without a declared type whose fact is of another kind than all their cells: here that
    is nothing, there it is a value that no comparison holds for, and not null either.
    """

    def __init__(
        self, table: Mapping[str, Any], nothing: Collection[str] = (), strangers: Collection[str] = ()
    ) -> None:
        self.table = table
        self.nothing = nothing
        self.strangers = strangers
        self.paths: dict[str, tuple[str, ...]] = {}
        self.kinds: dict[str, str] = {}
        self.words: dict[str, frozenset[str]] = {}
        self.references: dict[tuple[tuple[str, ...], str], str] = {}
        self.columns = list(
            zip([f"in{index}" for index, _ in enumerate(table["inputs"])], table["inputs"], strict=True)
        )
        for place, (name, column) in enumerate(self.columns):
            cells = [rule["when"][place] for rule in table["rules"]]
            cells += [column["domain"]] if "domain" in column else []
            self.paths[name] = tuple(column["path"])
            self.words[name] = words_of(column["type"]) or shared_words(cells)
            self.kinds[name] = shared_kind(self.words[name])
        # One output answers with its bare value, whatever its name.
        names = [f"out{index}" for index, _ in enumerate(table["outputs"])] if len(table["outputs"]) > 1 else [UNNAMED]
        self.outputs = dict(zip(names, table["outputs"], strict=True))
        for place, (name, _) in enumerate(self.columns):
            for path in references([rule["when"][place] for rule in table["rules"]]):
                self._refer(path, name)
        for path in references([rule["then"] for rule in table["rules"]]):
            self._refer(path, None)

    def _refer(self, path: list[str], column: str | None) -> None:
        kind = "any" if column is None else self.kinds[column]
        if (tuple(path), kind) not in self.references:
            name = self.references[tuple(path), kind] = f"ref{len(self.references)}"
            self.paths[name] = tuple(path)
            self.kinds[name] = kind
            self.words[name] = frozenset() if column is None else self.words[column]

    def body(self) -> dict[str, Any]:
        table = self.table
        hit = HITS[table["hit_policy"]]
        if not any(output.get("priority") for output in table["outputs"]):
            hit = WITHOUT_RANKS.get(hit, hit)
        body: dict[str, Any] = {
            "hit": hit,
            "inputs": {name: self._input(name) for name in self.kinds},
            "outputs": {
                name: output_body(output, [rule["then"][place] for rule in table["rules"]])
                for place, (name, output) in enumerate(self.outputs.items())
            },
            "rows": [self._row(rule) for rule in table["rules"]],
        }
        if hit == "collect":
            body["collect"] = (table["aggregation"] or "list").lower()
        if any("default" in output for output in self.outputs.values()):
            defaults = {name: plain(output.get("default")) for name, output in self.outputs.items()}
            body["otherwise"] = defaults
        return body

    def domain(self) -> dict[str, Any] | None:
        """Return the table that tells whether the facts lie in the domains that no enum can say; None without one."""
        asked = {
            name: [self._cell(column["domain"], name), None, "absent"]
            for name, column in self.columns
            if "domain" in column and not self._enum(name)
        }
        if not asked:
            return None
        return {
            "hit": "first",
            "inputs": {name: self._input(name) for name in self.kinds},
            "outputs": {"inside": {"type": "boolean"}},
            "rows": [{"when": asked, "then": {"inside": True}}],
            "otherwise": {"inside": False},
        }

    def facts(self, given: Mapping[str, Any]) -> dict[str, Any]:
        found = {name: look_up(given, path) for name, path in self.paths.items()}
        return {name: converted(fact, self.words[name]) for name, fact in found.items() if fact is not ABSENT}

    def to_nothing(self, facts: Mapping[str, Any]) -> frozenset[str]:
        """Return the references that these facts leave without a value."""
        return frozenset(name for name in self.references.values() if facts.get(name) is None)

    def strange(self, given: Mapping[str, Any], facts: Mapping[str, Any]) -> frozenset[str]:
        """Return the columns without a declared type whose fact came to nothing here and is a value there."""
        return frozenset(
            name
            for name, column in self.columns
            if not words_of(column["type"]) and name in facts and facts[name] is None
            if look_up(given, self.paths[name]) is not None
        )

    def answer(self, value: Any, row: Any) -> Any:
        """Return an answer in the kit's own names and shapes."""
        if value is ABSENT:
            return None
        if isinstance(value, list):
            answers = [self._named(entry) for entry in value]
            return answers[0] if row is None else answers
        return self._named(value)

    def _named(self, answer: Mapping[str, Any]) -> Any:
        if UNNAMED in answer:
            return answer[UNNAMED]
        return {self.outputs[name]["name"]: value for name, value in answer.items()}

    def _input(self, name: str) -> dict[str, Any]:
        listed = self._enum(name)
        return {**declared(self.kinds[name]), **({"enum": listed} if listed else {})}

    def _enum(self, name: str) -> list[Any]:
        """Return the values that a domain lists, if every cell keeps to them."""
        for place, (each, column) in enumerate(self.columns):
            if each == name and "domain" in column:
                listed = listed_values(column["domain"])
                asked = [plain(one) for rule in self.table["rules"] for one in operands(rule["when"][place])]
                literals = [one for one in asked if not is_reference(one)]
                return listed if all(any(same(one, value) for value in [*listed, None]) for one in literals) else []
        return []

    def _row(self, rule: Mapping[str, Any]) -> dict[str, Any]:
        when = {name: self._cell(cell, name) for (name, _), cell in zip(self.columns, rule["when"], strict=True)}
        then = {name: self._given(operand) for name, operand in zip(self.outputs, rule["then"], strict=True)}
        return {"when": when, "then": then}

    def _given(self, operand: Any) -> Any:
        reference = self._reference(operand, "any")
        return plain(operand) if reference is None else {"value_of": reference} if reference else None

    def _reference(self, operand: Any, kind: str) -> str | None:
        """Return the name of a reference, empty for one to nothing; None for a literal."""
        if not is_reference(operand):
            return None
        name = self.references[tuple(operand["ref"]), kind]
        return "" if name in self.nothing else name

    def _cell(self, cell: Mapping[str, Any], column: str) -> Any:
        [(word, operand)] = cell.items()
        if word == "any":
            return "any"
        if word == "any_of":
            return [self._cell(part, column) for part in operand]
        if word == "not":
            denied = {"not": self._cell(operand, column)}
            # There a cell that is false of nothing makes its denial true of nothing; here nothing holds for nothing.
            return denied if self._holds_for_nothing(operand, column) else [denied, None, "absent"]
        if word == "eq" and self._is_null(operand, column):
            return NEVER if column in self.strangers else [None, "absent"]
        if any(not self._can_hold(limit, column) for limit in operands(cell)) or self._has_no_place(cell, column):
            return NEVER
        if word == "eq":
            return f"same as {self._operand(operand, column)}" if is_reference(operand) else {"is": plain(operand)}
        if self.kinds[column] not in (*FORMATS, "number"):
            return self._long_form(word, operand, column)
        if word in ORDERS:
            if is_reference(operand):
                return self._long_form(word, operand, column)
            return f"{ORDERS[word]} {self._operand(operand, column)}"
        assert word == "range", word
        left = "(" if operand.get("lo_open") else "["
        right = ")" if operand.get("hi_open") else "]"
        return f"{left}{self._operand(operand['lo'], column)}..{self._operand(operand['hi'], column)}{right}"

    def _long_form(self, word: str, operand: Any, column: str) -> dict[str, Any]:
        """Return a comparison that words cannot say: of texts, where `at least b` is a text itself."""
        if word == "range":
            low = "above" if operand.get("lo_open") else "at_least"
            high = "under" if operand.get("hi_open") else "at_most"
            ends = {low: operand["lo"], high: operand["hi"]}
        else:
            ends = {LONG[word]: operand}
        kind = self.kinds[column]
        return {
            side: {"value_of": self._reference(end, kind)} if is_reference(end) else plain(end)
            for side, end in ends.items()
        }

    def _operand(self, operand: Any, column: str) -> str:
        return self._reference(operand, self.kinds[column]) or canonical_text(plain(operand))

    def _is_null(self, operand: Any, column: str) -> bool:
        return operand is None or self._reference(operand, self.kinds[column]) == ""

    def _can_hold(self, limit: Any, column: str) -> bool:
        """Tell whether anything in a column can be compared with this: not with null, not with another kind."""
        if self._is_null(limit, column):
            return False
        return is_reference(limit) or not self.words[column] or word_of(limit) in self.words[column]

    def _has_no_place(self, cell: Mapping[str, Any], column: str) -> bool:
        """Tell whether nothing lies where a comparison asks for it, which there is false and here a finding."""
        [(word, operand)] = cell.items()
        ends = [operand["lo"], operand["hi"]] if word == "range" else [operand] if word in LONG else []
        if not ends or self.kinds[column] == "boolean" or any(isinstance(end, bool) for end in ends):
            return bool(ends)
        if word != "range" or any(is_reference(end) for end in ends):
            return False
        low, high = (find_key(self.kinds[column], plain(end)) for end in ends)
        return bool(low > high or (low == high and (operand.get("lo_open") or operand.get("hi_open"))))

    def _holds_for_nothing(self, cell: Mapping[str, Any], column: str) -> bool:
        """Tell whether a cell of the kit is true of null."""
        [(word, operand)] = cell.items()
        if word == "any_of":
            return any(self._holds_for_nothing(part, column) for part in operand)
        if word == "not":
            return not self._holds_for_nothing(operand, column)
        return word == "any" or (word == "eq" and self._is_null(operand, column) and column not in self.strangers)


def is_reference(operand: Any) -> bool:
    return isinstance(operand, dict) and operand.keys() == {"ref"}


def references(part: Any) -> Iterator[list[str]]:
    """Yield the paths of all references inside cells or operands."""
    if is_reference(part):
        yield part["ref"]
    elif isinstance(part, dict):
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def operands(cell: Any) -> Iterator[Any]:
    """Yield the literal operands of a cell."""
    [(word, operand)] = cell.items()
    if word == "any_of":
        for part in operand:
            yield from operands(part)
    elif word == "not":
        yield from operands(operand)
    elif word == "range":
        yield from (operand["lo"], operand["hi"])
    elif word != "any":
        yield operand


def words_of(type_: str) -> frozenset[str]:
    """Return the words of the values that a declared type takes, none when the type says nothing."""
    word = TYPES.get(type_, type_)
    return frozenset({word}) if word in KINDS else frozenset()


def shared_words(cells: list[Any]) -> frozenset[str]:
    """Return the word that all literals of an untyped column share, none when they do not."""
    words = {word_of(limit) for cell in cells for limit in operands(cell) if limit is not None}
    words.discard("ref")
    return frozenset(words) if len(words) == 1 else frozenset()


def shared_kind(words: frozenset[str]) -> str:
    return KINDS.get(next(iter(words)), "any") if words else "any"


def word_of(value: Any) -> str:
    """Return what a value of the kit is: the key of `{"date": …}` and its like, else the kind of a JSON value."""
    if isinstance(value, dict):
        return next(iter(value)) if len(value) == 1 and value.keys() <= {*WRAPPED, "ref"} else "object"
    if isinstance(value, list):
        return "list"
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "number"


def converted(fact: Any, words: frozenset[str]) -> Any:
    """Return a fact as a column of these words takes it, by the kit's own rules: what does not fit is null there."""
    if isinstance(fact, list) and len(fact) == 1 and words and "list" not in words:
        fact = fact[0]
    if fact is None or not words or word_of(fact) in words:
        return plain(fact)
    if word_of(fact) == "date" and "dateTime" in words:
        return f"{fact['date']}T00:00:00Z"
    return None


def listed_values(domain: Any) -> list[Any]:
    """Return the values of a domain that lists them; other domains are left to the rows."""
    parts = (domain or {}).get("any_of", [])
    return [plain(part["eq"]) for part in parts] if all("eq" in part for part in parts) else []


def declared(kind: str) -> dict[str, Any]:
    """Return how a kind is declared: dates and times are formats of texts."""
    return {"type": "string", "format": kind} if kind in FORMATS else {"type": kind}


def output_body(output: Mapping[str, Any], given: list[Any]) -> dict[str, Any]:
    """Return how an output is declared; one without a type that gives nothing but dates or times is of that kind."""
    kind = shared_kind(words_of(output["type"]) or shared_words([{"eq": operand} for operand in given]))
    body = declared(kind if kind in FORMATS or output["type"] in (*KINDS, *TYPES) else "any")
    body["type"] = [body["type"], "null"]
    if output.get("priority"):
        body["priority"] = [plain(value) for value in output["priority"]]
    return body


def plain(operand: Any) -> Any:
    """Return an operand, fact or answer as a value of ours: dates as text, durations as numbers."""
    if isinstance(operand, list):
        return [plain(part) for part in operand]
    if not isinstance(operand, dict):
        return operand
    word = word_of(operand)
    if word in WRAPPED:
        return duration(operand[word]) if word == "duration" else operand[word]
    return {key: plain(value) for key, value in operand.items()}


def duration(text: str) -> Any:
    """Return months for years and months, else seconds."""
    written = _DURATION.fullmatch(text)
    assert written is not None, text
    years, months, days, hours, minutes, seconds = [Decimal(part or 0) for part in written.groups()[1:]]
    total = years * 12 + months or ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return -total if written[1] else total


def look_up(facts: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        if not isinstance(facts, dict) or key not in facts:
            return ABSENT
        facts = facts[key]
    return facts


class Case:
    """One file of the kit, loaded; `findings` is empty for a sound one."""

    def __init__(self, text: str) -> None:
        self.kit = loads(text)
        self.translations = {name: Translation(table) for name, table in self.kit["tables"].items()}
        self.document, self.findings = loaded(self.translations)

    def vectors(self) -> Iterator[tuple[str, Any, Any]]:
        """Yield id, expected and real answer of every vector.

        The kit expects null where a table cannot answer (rows that overlap, a value outside its domain, another kind);
        any other failure stands as text in place of an answer.
        """
        for vector in self.kit["tests"]:
            try:
                answer = self._answer(self.kit["answer"], vector["facts"])
            except CannotEvaluate as failure:
                is_expected = vector["expect"] is None and failure.code in WITHOUT_ANSWER
                answer = None if is_expected else f"{failure.code}: {failure.facts}"
            yield vector["id"], plain(vector["expect"]), answer

    def _answer(self, wanted: Mapping[str, Any], facts: Mapping[str, Any]) -> Any:
        [(word, part)] = wanted.items()
        if word == "number":
            return part
        if word == "table":
            return self._decided(part, facts)
        parts = [self._answer(inner, facts) for inner in part]
        if any(value is None for value in parts):
            return None
        return max(parts) if word == "max" else reduce(lambda left, right: left + right, parts)

    def _decided(self, name: str, given: Mapping[str, Any]) -> Any:
        translation, document = self.translations[name], self.document
        facts = translation.facts(given)
        nothing = translation.to_nothing(facts)
        strangers = translation.strange(given, facts)
        if nothing or strangers:
            translation = Translation(translation.table, nothing, strangers)
            document, findings = loaded({name: translation})
            assert findings == [], findings
        guard = f"{name}{DOMAIN}"
        if guard in document.tables and not decide(document, guard, facts).answer["inside"]:
            return None
        decision = decide(document, name, facts)
        return translation.answer(decision.answer, decision.row)


def loaded(translations: Mapping[str, Translation]) -> tuple[RuleDocument, list[Finding]]:
    """Return the document of these tables, and what keeps it from being used; notes do not."""
    tables = {}
    for name, translation in translations.items():
        tables[name] = translation.body()
        domain = translation.domain()
        if domain is not None:
            tables[f"{name}{DOMAIN}"] = domain
    document, findings = load_rules({"rules": "kit", "tables": tables}, "kit")
    while told_apart(tables, findings):
        document, findings = load_rules({"rules": "kit", "tables": tables}, "kit")
    assert document is not None
    return document, [finding for finding in findings if finding.code not in NOTES]


def differences(text: str) -> list[str]:
    """Return one line for each finding and each vector of a file that does not give what it should."""
    case = Case(text)
    lines = [describe(finding) for finding in case.findings]
    if not lines:
        for id_, expected, answer in case.vectors():
            if not same(expected, answer):
                lines.append(f"{id_}: expected {dumps(expected)}, got {dumps(answer)}")
    return lines


def told_apart(tables: Mapping[str, Any], findings: list[Finding]) -> bool:
    """Write rows that ask for the same differently: here such a table is refused as a whole, there a decision is."""
    twins = [finding.path for finding in findings if finding.code == "rule/same-rows"]
    for _, name, _, place, _ in twins:
        row = tables[str(name)]["rows"][place]
        column, cell = next(iter(row["when"].items()))
        row["when"] = {**row["when"], column: [cell, cell]}
    return bool(twins)


def describe(finding: Finding) -> str:
    return f"{finding.code} at {finding.path}: {finding.facts}"


def main(paths: list[str]) -> int:
    failed = False
    for path in paths:
        for line in differences(Path(path).read_text(encoding="utf-8")):
            failed = True
            print(f"{path}: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

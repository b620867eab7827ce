"""Decision tables of the DMN conformance kit, turned mechanically into rule documents and checked on their vectors.

    python -m tests.unit.dmn_kit FILE…         # prints every vector that differs; exit 1 when one does

Names of the kit are data (they hold spaces and slashes), so every input and output gets a plain name here and answers
are turned back before they are compared. Durations become numbers: months, or seconds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

from rules.columns import FORMATS
from rules.documents import RuleDocument, decide, load_rules
from rules.findings import Finding
from rules.values import ABSENT, CannotEvaluate, canonical_text, dumps, loads, same

HITS = {name.upper(): name for name in ("unique", "any", "priority", "first", "rule_order", "output_order", "collect")}
KINDS = {
    "number": "number",
    "string": "string",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "dateTime": "date-time",
    "date and time": "date-time",
    "duration": "number",
    "dayTimeDuration": "number",
    "yearMonthDuration": "number",
    "days and time duration": "number",
    "years and months duration": "number",
}
LONG = {"lt": "under", "le": "at_most", "gt": "above", "ge": "at_least"}
ORDERS = {"lt": "under", "le": "at most", "gt": "above", "ge": "at least"}
UNNAMED = "answer"
WITHOUT_ANSWER = frozenset(
    {"rows-overlap", "rows-disagree", "outside-enum", "different-kinds", "absent-name", "null-limit", "not-a-number"}
)
_DURATION = re.compile(r"(-)?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


class Translation:
    """One table of the kit as one of ours."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.table = table
        self.paths: dict[tuple[str, ...], str] = {}
        self.kinds: dict[str, str] = {}
        for column, cells in zip(table["inputs"], self._columns_of_cells(), strict=True):
            name = self._name(column["path"])
            self.kinds[name] = KINDS.get(column["type"]) or shared_kind(cells)
        for column, cells in zip(table["inputs"], self._columns_of_cells(), strict=True):
            for path in references(cells):
                self.kinds.setdefault(self._name(path), self.kinds[self._name(column["path"])])
        for path in references([rule["then"] for rule in table["rules"]]):
            self.kinds.setdefault(self._name(path), "any")
        self.outputs = {
            f"out{index}" if output["name"] is not None else UNNAMED: output
            for index, output in enumerate(table["outputs"])
        }

    def body(self) -> dict[str, Any]:
        table = self.table
        hit = HITS[table["hit_policy"]]
        body: dict[str, Any] = {
            "hit": hit,
            "inputs": {name: self._input(name) for name in self.kinds},
            "outputs": {name: output_body(output) for name, output in self.outputs.items()},
            "rows": [self._row(rule) for rule in table["rules"]],
        }
        if hit == "collect":
            body["collect"] = (table["aggregation"] or "list").lower()
        if any("default" in output for output in self.outputs.values()):
            defaults = {name: plain(output.get("default")) for name, output in self.outputs.items()}
            body["otherwise"] = defaults
        return body

    def facts(self, given: Mapping[str, Any]) -> dict[str, Any]:
        found = {name: look_up(given, path) for path, name in self.paths.items()}
        return {name: plain(fact) for name, fact in found.items() if fact is not ABSENT}

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

    def _name(self, path: list[str]) -> str:
        return self.paths.setdefault(tuple(path), f"in{len(self.paths)}")

    def _columns_of_cells(self) -> list[list[Any]]:
        return [[rule["when"][index] for rule in self.table["rules"]] for index in range(len(self.table["inputs"]))]

    def _input(self, name: str) -> dict[str, Any]:
        for column in self.table["inputs"]:
            if self._name(column["path"]) == name:
                listed = listed_values(column.get("domain"))
                return {**declared(self.kinds[name]), **({"enum": listed} if listed else {})}
        return declared(self.kinds[name])

    def _row(self, rule: Mapping[str, Any]) -> dict[str, Any]:
        names = [self._name(column["path"]) for column in self.table["inputs"]]
        when = {name: self._cell(cell) for name, cell in zip(names, rule["when"], strict=True)}
        then = {name: self._given(operand) for name, operand in zip(self.outputs, rule["then"], strict=True)}
        return {"when": when, "then": then}

    def _given(self, operand: Any) -> Any:
        return {"value_of": self._name(operand["ref"])} if is_reference(operand) else plain(operand)

    def _cell(self, cell: Mapping[str, Any]) -> Any:
        [(word, operand)] = cell.items()
        if word == "any":
            return "any"
        if word == "eq":
            if operand is None:
                return [None, "absent"]
            return f"same as {self._operand(operand)}" if is_reference(operand) else {"is": plain(operand)}
        if is_text(operand) or (word == "range" and (is_text(operand["lo"]) or is_text(operand["hi"]))):
            return self._long_form(word, operand)
        if word in ORDERS:
            if is_reference(operand):
                return {LONG[word]: {"value_of": self._name(operand["ref"])}}
            return f"{ORDERS[word]} {self._operand(operand)}"
        if word == "range":
            left = "(" if operand.get("lo_open") else "["
            right = ")" if operand.get("hi_open") else "]"
            return f"{left}{self._operand(operand['lo'])}..{self._operand(operand['hi'])}{right}"
        if word == "any_of":
            return [self._cell(part) for part in operand]
        assert word == "not", word
        denied = {"not": self._cell(operand)}
        # There a cell that is false of nothing makes its denial true of nothing; here nothing holds for nothing.
        return denied if holds_for_nothing(operand) else [denied, None, "absent"]

    def _long_form(self, word: str, operand: Any) -> dict[str, Any]:
        """Return a comparison of texts, which words cannot say: `at least b` is a text itself."""
        if word != "range":
            return {LONG[word]: operand}
        low = "above" if operand.get("lo_open") else "at_least"
        high = "under" if operand.get("hi_open") else "at_most"
        ends = ((low, operand["lo"]), (high, operand["hi"]))
        return {side: {"value_of": self._name(end["ref"])} if is_reference(end) else plain(end) for side, end in ends}

    def _operand(self, operand: Any) -> str:
        return self._name(operand["ref"]) if is_reference(operand) else canonical_text(plain(operand))


def is_text(operand: Any) -> bool:
    return isinstance(operand, str)


def holds_for_nothing(cell: Mapping[str, Any]) -> bool:
    """Tell whether a cell of the kit is true of null."""
    [(word, operand)] = cell.items()
    if word == "any_of":
        return any(map(holds_for_nothing, operand))
    if word == "not":
        return not holds_for_nothing(operand)
    return word == "any" or (word == "eq" and operand is None)


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


def shared_kind(cells: list[Any]) -> str:
    """Return the kind that all literals of an untyped column share, else `any`."""
    kinds = {
        kind_of_operand(operand)
        for cell in cells
        for operand in operands(cell)
        if operand is not None and not is_reference(operand)
    }
    return kinds.pop() if len(kinds) == 1 else "any"


def kind_of_operand(operand: Any) -> str:
    if isinstance(operand, dict):
        return KINDS[next(iter(operand))]
    if isinstance(operand, bool):
        return "boolean"
    return "string" if isinstance(operand, str) else "number"


def listed_values(domain: Any) -> list[Any]:
    """Return the values of a domain that lists them; other domains are left to the rows."""
    parts = (domain or {}).get("any_of", [])
    return [plain(part["eq"]) for part in parts] if all("eq" in part for part in parts) else []


def declared(kind: str) -> dict[str, Any]:
    """Return how a kind is declared: dates and times are formats of texts."""
    return {"type": "string", "format": kind} if kind in FORMATS else {"type": kind}


def output_body(output: Mapping[str, Any]) -> dict[str, Any]:
    body = declared(KINDS.get(output["type"], "any"))
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
    if len(operand) == 1 and operand.keys() <= {"date", "time", "dateTime"}:
        return next(iter(operand.values()))
    if operand.keys() == {"duration"} and isinstance(operand["duration"], str):
        return duration(operand["duration"])
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
        body = {"rules": "kit", "tables": {name: part.body() for name, part in self.translations.items()}}
        document, self.findings = load_rules(body, "kit")
        assert document is not None
        self.document: RuleDocument = document

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
            translation = self.translations[part]
            decision = decide(self.document, part, translation.facts(facts))
            return translation.answer(decision.answer, decision.row)
        parts = [self._answer(inner, facts) for inner in part]
        if any(value is None for value in parts):
            return None
        return max(parts) if word == "max" else reduce(lambda left, right: left + right, parts)


def differences(text: str) -> list[str]:
    """Return one line for each finding and each vector of a file that does not give what it should."""
    case = Case(text)
    lines = [describe(finding) for finding in case.findings]
    if not lines:
        for id_, expected, answer in case.vectors():
            if not same(expected, answer):
                lines.append(f"{id_}: expected {dumps(expected)}, got {dumps(answer)}")
    return lines


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

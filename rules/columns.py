"""Typed columns: what a fact may be, and the form of it that cells compare.

A *key* is a value in the form that is compared: numbers, texts and booleans as they are, dates and times as objects
that order rightly, durations in milliseconds. A value that is not of a kind has no key of that kind, which is how
`'75'` stays apart from 75 and `true` from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Literal, cast, get_args

from rules.findings import Finding
from rules.patterns import regex
from rules.reading import Path, found, shown, unknown
from rules.records import record
from rules.values import ABSENT, CannotEvaluate, as_integer, cannot, kind_of, number

Key = Any
Kind = Literal[
    "boolean",
    "integer",
    "number",
    "string",
    "date",
    "time",
    "date-time",
    "duration",
    "array",
    "object",
    "any",
]
NUMBERS = frozenset({"integer", "number"})
FORMATS: tuple[str, ...] = ("date", "time", "date-time", "duration")
"""Formats of texts that are compared as what they mean; every other format is just a text."""
TYPES = tuple(kind for kind in get_args(Kind) if kind not in FORMATS)
ORDERED = NUMBERS.union(FORMATS)

_NUMBER = regex(r"-?[0-9]+(?:\.[0-9]+)?")
_DURATION = regex(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_DATE = regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_KIND_OF_VALUE: dict[str, Kind] = {
    "boolean": "boolean",
    "number": "number",
    "text": "string",
    "list": "array",
    "mapping": "object",
}


@record
class Range:
    """Values from low to high, both included; None leaves a side open. `text` is what the document says."""

    low: Key | None
    high: Key | None
    text: str

    def holds(self, key: Key) -> bool:
        return (self.low is None or key >= self.low) and (self.high is None or key <= self.high)


@record
class Column:
    """One input of a table.

    Shapes: `enum` holds keys, empty when any value of the kind may occur; `or_null` says that null is declared to
    occur, which analysis reads and evaluation does not.
    """

    name: str
    kind: Kind
    enum: tuple[Key, ...] = ()
    range: Range | None = None
    unit: str | None = None
    or_null: bool = False
    title: Any = None

    def take(self, fact: Any) -> Key:
        """Return the key of a fact; null and absent stay what they are.

        Errors: CannotEvaluate `different-kinds`, `outside-enum`, `outside-range`, with the name of the fact.
        """
        if fact is None or fact is ABSENT:
            return fact
        key = find_key(self.kind, fact)
        if key is None:
            if self.kind in NUMBERS and isinstance(fact, str) and is_too_long(fact):
                raise cannot("number-too-long", name=self.name, value=fact)
            raise other_kind(self.name, self.kind, fact)
        if self.enum and key not in self.enum:
            raise cannot("outside-enum", name=self.name, value=shown(fact))
        if self.range is not None and not self.range.holds(key):
            raise cannot("outside-range", name=self.name, value=shown(fact), range=self.range.text)
        return key


def other_kind(name: str, expected: Kind, value: object) -> CannotEvaluate:
    """Return the failure of a value that is not of the kind that its place declares."""
    return cannot("different-kinds", name=name, expected=expected, value=shown(value))


def find_key(kind: Kind, value: object) -> Key | None:
    """Return the form of a value that is compared, or None when the value is not of the kind (null is of none)."""
    return _READERS[kind](value)


def find_number(text: str) -> int | Decimal | None:
    """Return the number that a text writes out, or None; digits are kept as they stand."""
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return number(text)
    except ValueError:
        return None


def is_too_long(text: str) -> bool:
    """Tell whether a text writes out a number with more digits than a number may have."""
    return bool(_NUMBER.fullmatch(text)) and find_number(text) is None


_EXAMPLES: dict[Kind, str] = {
    "boolean": "true / false",
    "integer": "80 / at least 80 / 60 to 79",
    "number": "80 / at least 80 / 60 to 79.5",
    "string": "High / [High, Low] / starts with H",
    "date": "2024-03-01 / at least 2024-03-01",
    "time": "08:30 / under 08:30",
    "date-time": "2024-03-01T08:30:00Z / at least 2024-03-01T08:30:00Z",
    "duration": "90m / at most 2h / under 3d",
    "array": "[a, b] / contains a",
    "object": "{a: 1} / {is: {a: 1}}",
    "any": "80 / at least 80 / High",
}


def example_of(kind: Kind) -> str:
    """Return how a value of a kind is written."""
    return _EXAMPLES[kind] if kind == "boolean" else _EXAMPLES[kind].partition(" / ")[0]


def wrong_kind(path: Path, value: object, kind: Kind, name: object, *, is_cell: bool = False) -> Finding:
    """Return the finding of a value, or what should be a cell, that does not fit its column, with what would."""
    if kind in NUMBERS and isinstance(value, str) and any(map(is_too_long, value.split())):
        return found("number-too-long", path, value=value, name=name)
    other = value_kind(value) if type(value) in _PLAIN_TYPES else "any"
    examples = _EXAMPLES[kind] if is_cell else _EXAMPLES[kind].partition(" / ")[0]
    facts = {"kind": kind, "name": name, "examples": examples, "other": other}
    return found("wrong-kind", path, value=shown(value), **facts)


_PLAIN_TYPES = (bool, int, Decimal, str, list, dict)


def value_kind(value: object) -> Kind:
    """Return the kind that a column of such values would be declared with; `any` for null."""
    return _KIND_OF_VALUE.get(kind_of(cast(Any, value)), "any")


def looks_ordered(text: str) -> bool:
    """Tell whether a text can only be meant as a number or a date."""
    return bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text))


# --- reading declarations ---------------------------------------------------------------------------------------------


def read_column(name: str, body: Mapping[str, Any], path: Path, findings: list[Finding]) -> Column:
    """Return a declared input; what is wrong with it is found and left out, so that its rows are still read."""
    kind = read_kind(body, path, findings)
    return Column(
        name=name,
        kind=kind,
        enum=read_enum(body.get("enum"), kind, (*path, "enum"), findings),
        range=_read_declared_range(body, kind, path, findings),
        unit=body.get("unit"),
        or_null=allows_null(body),
        title=body.get("title"),
    )


def read_kind(body: Mapping[str, Any], path: Path, findings: list[Finding]) -> Kind:
    """Return the declared kind; without a type, the kind that all values of the enum share, else `any`.

    Shapes: `type` is a JSON type or a list of them; several types beside null are `any`. `$ref` is `any` too: named
    types belong to whoever reads the facts.
    """
    declared = _declared_types(body)
    for type_ in declared:
        if type_ not in TYPES:
            findings.append(unknown("unknown-type", (*path, "type"), type_, TYPES))
            return "any"
    kind = cast(Kind, declared[0]) if len(declared) == 1 else "any"
    if not declared and "$ref" not in body:
        kind = _kind_of_enum(body.get("enum"))
    if body.get("format") in FORMATS and (kind == "string" or not declared):
        return cast(Kind, body["format"])
    return kind


def allows_null(body: Mapping[str, Any]) -> bool:
    """Tell whether a declaration lists null among its types or values."""
    types, values = body.get("type"), body.get("enum")
    listed = types if isinstance(types, list) else [types] if "type" in body else []
    return "null" in listed or None in listed or (isinstance(values, list) and None in values)


def _declared_types(body: Mapping[str, Any]) -> list[Any]:
    declared = body.get("type")
    listed = declared if isinstance(declared, list) else [declared]
    return [type_ for type_ in listed if type_ is not None and type_ != "null"]


def _kind_of_enum(values: object) -> Kind:
    kinds = {value_kind(value) for value in values if value is not None} if isinstance(values, list) else set()
    return kinds.pop() if len(kinds) == 1 else "any"


def read_enum(values: object, kind: Kind, path: Path, findings: list[Finding]) -> tuple[Key, ...]:
    """Return the keys of the listed values; null is no key; a value of another kind is found and left out."""
    if values is None:
        return ()
    if not isinstance(values, list):
        findings.append(found("wrong-shape", path, value=shown(values), expected="list"))
        return ()
    keys = []
    for index, value in enumerate(values):
        if value is None:
            continue
        key = find_key(kind, value)
        if key is None:
            findings.append(wrong_kind((*path, index), value, kind, path[-2]))
        else:
            keys.append(key)
    return tuple(keys)


def read_range(written: object, kind: Kind, path: Path, findings: list[Finding]) -> Range | None:
    """Return the range that `low..high` writes out; either side may be left open."""
    if written is None:
        return None
    low_text, dots, high_text = str(written).partition("..")
    low = key_of_text(kind, low_text.strip())
    high = key_of_text(kind, high_text.strip())
    unreadable = (low_text.strip() and low is None) or (high_text.strip() and high is None)
    if not dots or unreadable or (low is None and high is None):
        findings.append(found("unreadable-range", path, value=shown(written), kind=kind))
        return None
    if low is not None and high is not None and low > high:
        findings.append(found("reversed-range", path, value=shown(written), low=low_text, high=high_text))
        return None
    return Range(low, high, str(written))


def key_of_text(kind: Kind, text: str) -> Key | None:
    """Return the key of a value written inside a longer text, such as `80` in `at least 80`."""
    if kind in NUMBERS or kind == "any":
        number = find_number(text)
        return None if number is None else find_key("number" if kind == "any" else kind, number)
    return find_key(kind, text) if kind in ORDERED else None


def _read_declared_range(body: Mapping[str, Any], kind: Kind, path: Path, findings: list[Finding]) -> Range | None:
    if "range" in body:
        if kind not in ORDERED:
            findings.append(found("unreadable-range", (*path, "range"), value=shown(body["range"]), kind=kind))
            return None
        return read_range(body["range"], kind, (*path, "range"), findings)
    low, high = body.get("minimum"), body.get("maximum")
    if low is None and high is None:
        return None
    sides = ("" if low is None else shown(low), "" if high is None else shown(high))
    return read_range("..".join(sides), kind, (*path, "minimum" if low is not None else "maximum"), findings)


# --- keys -------------------------------------------------------------------------------------------------------------


def _boolean(value: object) -> Key | None:
    return value if isinstance(value, bool) else None


def _number(value: object) -> Key | None:
    if type(value) is int:
        return value
    return value if isinstance(value, Decimal) and value.is_finite() else None


def _integer(value: object) -> Key | None:
    return as_integer(value) if _number(value) is not None else None


def _text(value: object) -> Key | None:
    return value if isinstance(value, str) else None


def _date(value: object) -> Key | None:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return None
    return _or_none(date.fromisoformat, value)


def _time(value: object) -> Key | None:
    if not isinstance(value, str) or ":" not in value:
        return None
    moment = _or_none(time.fromisoformat, value)
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def _datetime(value: object) -> Key | None:
    """A date and time without an offset counts as UTC, as everywhere in a run."""
    if not isinstance(value, str) or "T" not in value:
        return None
    moment = _or_none(datetime.fromisoformat, value)
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def _duration(value: object) -> Key | None:
    written = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return Decimal(written[1]) * _MILLISECONDS[written[2]] if written else None


def _array(value: object) -> Key | None:
    return value if isinstance(value, list) else None


def _object(value: object) -> Key | None:
    return value if isinstance(value, dict) else None


def _any(value: object) -> Key | None:
    if isinstance(value, float) or (isinstance(value, Decimal) and not value.is_finite()):
        return None
    return value


def _or_none(read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except ValueError:
        return None


_READERS: dict[Kind, Callable[[object], Key | None]] = {
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "string": _text,
    "date": _date,
    "time": _time,
    "date-time": _datetime,
    "duration": _duration,
    "array": _array,
    "object": _object,
    "any": _any,
}

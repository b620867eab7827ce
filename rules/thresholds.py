"""Thresholds: named values with a unit, a range and a reason, which a run may override within that range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.columns import Key, Kind, Range, find_key, find_number, read_range
from rules.findings import Finding
from rules.reading import Path, found, miswritten, named_parts, shown, unknown
from rules.records import record
from rules.values import Value


@record
class Threshold:
    """One threshold.

    Shapes: `value` as expressions read it (a duration stays text); `kind` is integer when its value and both ends of
    its range are whole, so that a count of pages cannot become 2.5.
    """

    name: str
    value: Value
    kind: Kind
    unit: str | None
    range: Range | None
    why: Any

    @property
    def key(self) -> Key:
        return find_key(self.kind, self.value)

    def refuses(self, value: object, path: Path) -> Finding | None:
        """Return why a value may not take the place of this one, or None when it may."""
        key = find_key(self.kind, value)
        if key is None:
            return found("threshold-kind", path, name=self.name, value=shown(value), kind=self.kind)
        if self.range is not None and not self.range.holds(key):
            return found("threshold-outside-range", path, name=self.name, value=shown(value), range=self.range.text)
        return None


def load_thresholds(body: Mapping[str, Any], findings: list[Finding]) -> dict[str, Threshold]:
    """Return the thresholds of a document by name; one without a usable value is found and left out."""
    thresholds = {}
    for name, part, path in named_parts(body, "thresholds", (), findings):
        threshold = _read_threshold(name, part, path, findings)
        if threshold is not None:
            thresholds[name] = threshold
    return thresholds


def check_overrides(
    thresholds: Mapping[str, Threshold], overrides: Mapping[str, Value]
) -> tuple[dict[str, Value], list[Finding]]:
    """Return the overrides that hold, and a finding for each that does not."""
    held: dict[str, Value] = {}
    findings = []
    for name, value in overrides.items():
        path: Path = ("thresholds", name)
        if name not in thresholds:
            findings.append(unknown("unknown-threshold", path, name, thresholds))
            continue
        refused = thresholds[name].refuses(value, path)
        if refused is None:
            held[name] = value
        else:
            findings.append(refused)
    return held, findings


def _read_threshold(name: str, part: Mapping[str, Any], path: Path, findings: list[Finding]) -> Threshold | None:
    value = part.get("value")
    kind = _kind_of_threshold(value, part.get("range"))
    if kind is None:
        findings.append(found("threshold-without-value", path, name=name, value=shown(value)))
        return None
    odd = miswritten(value, (*path, "value"), name)
    if odd is not None and (odd.code == "rule/percent" or find_number(str(odd.facts["ascii"])) is not None):
        findings.append(odd)
        return None
    declared = None
    if kind == "string" and part.get("range") is not None:
        findings.append(found("unreadable-range", (*path, "range"), value=shown(part["range"]), kind=kind))
    else:
        declared = read_range(part.get("range"), kind, (*path, "range"), findings)
    threshold = Threshold(name, value, kind, part.get("unit"), declared, part.get("why"))
    refused = threshold.refuses(value, (*path, "value"))
    if refused is not None:
        findings.append(refused)
    return threshold


def _kind_of_threshold(value: object, written_range: object) -> Kind | None:
    if find_key("number", value) is not None:
        ends = [find_number(end.strip()) for end in str(written_range or "").split("..")]
        whole = [find_key("integer", end) is not None for end in ends if end is not None]
        return "integer" if isinstance(value, int) and all(whole) else "number"
    if not isinstance(value, str):
        return None
    for kind in ("duration", "date"):
        if find_key(kind, value) is not None:
            return kind
    return "string"

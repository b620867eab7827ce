"""What a table, a scorecard, tiers and a count of sources are read from, and what their readers have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.addresses import RegistrableDomain
from rules.columns import Column, read_column
from rules.findings import Finding
from rules.reading import Path, named_parts
from rules.records import record
from rules.thresholds import Threshold
from rules.values import Value
from rules.written_cells import Scope


@record
class Part:
    """One named part of a document as it is written.

    Shapes: `body` stands at `path` of the document; `thresholds` and `lists` are those of the same document. What is
    found goes to `findings`.
    """

    document: str
    name: str
    body: Mapping[str, Any]
    path: Path
    thresholds: Mapping[str, Threshold]
    lists: Mapping[str, Value]
    registrable_domain: RegistrableDomain | None
    findings: list[Finding]

    def columns(self) -> tuple[Column, ...]:
        """Return the declared inputs."""
        return tuple(
            read_column(name, body, path, self.findings)
            for name, body, path in named_parts(self.body, "inputs", self.path, self.findings)
        )


class PartReader:
    """Reads one part; what cannot be read is found, and what depends on it is left quiet."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.name = part.name
        self.body = part.body
        self.path = part.path
        self.findings = part.findings
        self.columns = part.columns()
        self.scope = Scope(part.document, self.columns, part.thresholds)

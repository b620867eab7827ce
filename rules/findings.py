"""What reading a rule or an expression finds wrong, as plain records; the interpreter gives them a place and words."""

from __future__ import annotations

from rules.records import NamedTuple


class Finding(NamedTuple):
    """One thing that is wrong.

    Shapes: `code` is `expression/…` or `rule/…`; `path` leads into the document, () for an expression on its own;
    `start` and `end` are a half-open range of characters inside the text, None where the whole place is meant.
    """

    code: str
    path: tuple[str | int, ...]
    start: int | None
    end: int | None
    facts: dict[str, object]


def expression_finding(code: str, start: int | None, end: int | None, **facts: object) -> Finding:
    """Return a finding inside an expression or a text."""
    return Finding(f"expression/{code}", (), start, end, facts)

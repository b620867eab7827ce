"""The table of functions as the reference page shows it."""

from __future__ import annotations

from rules.expr.functions import GROUPS


def functions_table(group: str) -> str:
    """Return one group of the table in Markdown."""
    lines = ["| how it is written | what it gives | 作用 | example |", "|---|---|---|---|"]
    for row in GROUPS[group]:
        example = f"`{_cell(row.example.replace(' -> ', ' → '))}`" if row.example else ""
        lines.append(f"| `{_cell(row.signature)}` | {_cell(row.en)} | {_cell(row.zh)} | {example} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")

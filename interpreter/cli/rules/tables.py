"""`rules boundaries | table`: cases at every boundary; decision tables shown, and as CSV both ways."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.cli.context import Context, Refused
from interpreter.cli.rules.opened import (
    Opened,
    asked_rule,
    check_analysable,
    open_rules,
    print_lines,
)
from interpreter.diagnostics import Diagnostic, finding, has_errors, in_order
from interpreter.documents.loading import node_at
from interpreter.report import diagnostics as findings_report
from interpreter.report import rules as report
from interpreter.report.columns import width_for
from interpreter.yaml_tree import Mapping as MappingNode
from rules.findings import Finding

if TYPE_CHECKING:
    from interpreter.cli.rules.spreadsheet import Read


def boundaries(context: Context) -> int:
    """Print test cases for every boundary, as a tests document."""
    from interpreter.cli.rules.cases import boundary_document

    opened = open_rules(context.arguments.file)
    wanted = None if context.arguments.rule is None else asked_rule(context, opened)
    if wanted is not None:
        check_analysable(opened, wanted)
    document = boundary_document(opened.document, opened.names, wanted, context.language)
    if context.wants_json:
        context.print_json(document.plain)
    else:
        print(document.text, end="")
    return 0


def table(context: Context) -> int:
    """Show a decision table, write it as CSV, or read it back."""
    arguments = context.arguments
    opened = open_rules(arguments.file)
    names = list(opened.document.tables)
    if arguments.rule is None and len(names) == 1:
        arguments.rule = names[0]
    name = asked_rule(context, opened)
    if name not in opened.document.tables:
        raise Refused(finding("command/not-a-table", None, name=name, names=", ".join(names) or "-"))
    if arguments.csv is not None:
        return _write_csv(context, opened, name)
    if arguments.from_csv is not None:
        return _read_csv(context, opened, name)
    if context.wants_json:
        context.print_json({"table": name, **opened.document.body["tables"][name]})
        return 0
    shown = opened.document.tables[name]
    rows = report.counted(len(shown.rows), "{} 行", "row", "rows", context.language)
    print_lines([context.say(f"{name}：{rows}，hit: {shown.hit}", f"{name}: {rows}, hit: {shown.hit}")])
    print()
    for line in report.table_lines(shown, context.language, width_for(sys.stdout)):
        print(line)
    return 0


def _write_csv(context: Context, opened: Opened, name: str) -> int:
    from interpreter.cli.rules.spreadsheet import csv_bytes, table_as_csv

    out: Path = context.arguments.csv
    if out.exists():
        raise Refused(finding("command/file-exists", None, file=out))
    body = opened.document.body["tables"][name]
    out.write_bytes(csv_bytes(table_as_csv(body)))
    rows = len(body["rows"])
    if context.wants_json:
        context.print_json({"table": name, "file": str(out), "rows": rows})
        return 0
    counted = report.counted(rows, "{} 行", "row", "rows", context.language)
    print_lines([context.say(f"已把 {name} 的 {counted}写入 {out}", f"Wrote {counted} of {name} to {out}")])
    return 0


def _read_csv(context: Context, opened: Opened, name: str) -> int:
    """Print the rows that a CSV file holds as YAML; what is wrong with them goes to standard error."""
    from interpreter.cli.rules.spreadsheet import decoded, rows_as_yaml, table_from_csv
    from rules.documents import load_rules

    path: Path = context.arguments.from_csv
    if not path.exists():
        raise Refused(finding("yaml/file-missing", None, name=path))
    text = decoded(path.read_bytes())
    if text is None:
        raise Refused(finding("command/csv-encoding", None, file=path))
    body = dict(opened.document.body["tables"][name])
    read = table_from_csv(text, body, str(path))
    found = list(read.found)
    if not has_errors(found):
        body["rows"] = read.rows
        if read.otherwise is not None:
            body["otherwise"] = read.otherwise
        tables = {**opened.document.body["tables"], name: body}
        _, problems = load_rules(
            {**opened.document.body, "tables": tables}, opened.document.name, opened.document.registrable_domain
        )
        found += [_found_in_csv(one, read, name) for one in problems]
        found = in_order(found)
    if context.wants_json:
        listed = findings_report.as_json(found, context.language)["diagnostics"]
        context.print_json({"table": name, "rows": read.rows, "otherwise": read.otherwise, "diagnostics": listed})
    else:
        context.terminal.diagnostics(found)
        if not has_errors(found):
            for line in _in_place(context, opened, name, rows_as_yaml(read)):
                print(line)
    return 1 if any(one.severity != "note" for one in found) else 0


def _in_place(context: Context, opened: Opened, name: str, rows: str) -> Iterator[str]:
    """Yield rows as they stand in the document, so that they can be put in place of the old ones, and say where."""
    table = node_at(opened.loaded.node, ("tables", name)) if opened.loaded.node is not None else None
    indent = 4
    if isinstance(table, MappingNode) and table.entries:
        begins = table.entries[0][0].span.begins
        before = table.span.source.line_text(begins.line)[: begins.column - 1]
        indent = len(before) if not before.strip(" ") else indent
    where = f"{opened.path}: tables: {name}"
    lines = rows.splitlines()
    both = any(line.startswith("otherwise:") for line in lines)
    old = context.say("rows 和 otherwise", "rows and otherwise") if both else "rows"
    yield " " * indent + context.say(f"# 放进 {where}，代替原来的 {old}", f"# for {where}, in place of its {old}")
    yield from (" " * indent + line for line in lines)


def _found_in_csv(one: Finding, read: Read, name: str) -> Diagnostic:
    """Return a finding about the table with its place in the file; the columns are those of the document."""
    path = one.path[2:] if one.path[:2] == ("tables", name) else ()
    facts: Mapping[str, Any] = one.facts
    return finding(one.code, read.place_of(path), **facts)

"""Decision tables as CSV for spreadsheet users, and back: every cell comes back as it went, or is found.

A cell holds what YAML would hold there, without quotes where none are needed. What a spreadsheet would take for a
formula begins with an apostrophe, and with one more where it began with one already; what it would turn into a date or
a number stands in double quotes, which it leaves alone. Reading takes UTF-8, UTF-16 and GBK, and commas, semicolons
or tabs.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interpreter.diagnostics import Diagnostic, did_you_mean, finding
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from rules.analysis.wording import flow
from rules.patterns import regex
from rules.reading import shown

ID, BECAUSE = "id", "because"
ANSWER = "→ "
ROW_MARK = "#"
OTHERWISE = "otherwise"
_FORMULA = "=+-@\t\r"
_NUMBER = regex(r"-?[0-9]+(?:\.[0-9]+)?")
#: What a spreadsheet takes for a date, and what it makes of one.
_LIKE_DATE = regex(
    r"\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?(?: \d{1,2}:\d{2}(?::\d{2})?)?"
    r"|\d{1,2}-[A-Za-z]{3}(?:-\d{2,4})?|[A-Za-z]{3}-\d{2,4}"
    r"|(?:\d{4}年)?\d{1,2}月(?:\d{1,2}日)?|\d{1,2}:\d{2}(?::\d{2})?"
)
_LIKE_EXPONENT = regex(r"-?\d(?:[.,]\d+)?[eE][+-]?\d+")
_LIKE_NUMBER = regex(r"[-+]?[$¥￥]?[\d,.]*\d[\d,.]*[%％]?")
_LIKE_BOOLEAN = regex(r"(?i:true|false)")
_ISO_DATE = regex(r"\d{4}-\d{2}-\d{2}")


# --- writing ----------------------------------------------------------------------------------------------------------


def table_as_csv(body: Mapping[str, Any]) -> str:
    """Return a table as CSV. Shapes: `body` is the plain data of the table as the document has it."""
    inputs, outputs = list(body.get("inputs", {})), list(body.get("outputs", {}))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([ROW_MARK, ID, *map(_harmless, inputs), *(f"{ANSWER}{name}" for name in outputs), BECAUSE])
    for number, row in enumerate(body.get("rows", []), start=1):
        when = row.get("when", {})
        when = {} if isinstance(when, str) else when
        then = row.get("then", {})
        cells = [str(number), _written(row, ID), *(_written(when, name) for name in inputs)]
        writer.writerow([*cells, *(_written(then, name) for name in outputs), _written(row, BECAUSE)])
    otherwise = body.get(OTHERWISE)
    if isinstance(otherwise, Mapping):
        cells = [OTHERWISE, "", *[""] * len(inputs), *(_written(otherwise, name) for name in outputs), ""]
        writer.writerow(cells)
    return out.getvalue()


def csv_bytes(text: str) -> bytes:
    """Return CSV as a spreadsheet opens it without asking: UTF-8 with a byte order mark."""
    return text.encode("utf-8-sig")


def _written(mapping: Mapping[str, Any], name: str) -> str:
    return cell_text(mapping[name]) if name in mapping else ""


def cell_text(value: Any) -> str:
    """Return what stands in a cell for a value; an empty cell stands for nothing at all."""
    if not isinstance(value, str):
        text = flow(value)
        return text if _NUMBER.fullmatch(text) else _harmless(text)
    if value and _read(value) == value and not _is_in_danger(value):
        return _harmless(value)
    return _harmless(json.dumps(value, ensure_ascii=False))


def _is_in_danger(text: str) -> bool:
    """Tell whether a spreadsheet would turn a text into something else, or a reader trim it."""
    taken = (_LIKE_DATE, _LIKE_EXPONENT, _LIKE_NUMBER, _LIKE_BOOLEAN)
    return any(form.fullmatch(text) for form in taken) or text != text.strip() or "\n" in text


def _harmless(text: str) -> str:
    return f"'{text}" if text[:1] in (*_FORMULA, "'") and text else text


# --- reading ----------------------------------------------------------------------------------------------------------


def decoded(content: bytes) -> str | None:
    """Return the text of a file in UTF-8, UTF-16 or GBK; None for anything else."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        codes = ["utf-16"]
    elif content[1:2] == b"\0":
        codes = ["utf-16-le"]
    elif content[:1] == b"\0":
        codes = ["utf-16-be"]
    else:
        codes = ["utf-8-sig", "gb18030"]
    for code in codes:
        try:
            return content.decode(code)
        except UnicodeDecodeError:
            continue
    return None


class Read:
    """Rows of a table as they were read. Shapes: `otherwise` is None where no row says it."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.otherwise: dict[str, Any] | None = None
        self.found: list[Diagnostic] = []


def table_from_csv(text: str, body: Mapping[str, Any]) -> Read:
    """Return the rows that a CSV text holds for a table, and what a spreadsheet has done to them.

    Shapes: `body` is the plain data of the table; its inputs and outputs say which columns there are.
    """
    read = Read()
    lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=False))
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    if not lines:
        read.found.append(finding("command/csv-empty", None))
        return read
    headings = [_restored(cell.strip()) for cell in lines[0]]
    columns = _columns(headings, body, read)
    for number, line in enumerate(lines[1:], start=2):
        _read_line(number, line, columns, headings, body, read)
    return read


def _delimiter(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _columns(headings: Sequence[str], body: Mapping[str, Any], read: Read) -> list[tuple[str, str] | None]:
    """Return for each column of the file what it is for: (part, name); None for one that nobody knows."""
    inputs, outputs = list(body.get("inputs", {})), list(body.get("outputs", {}))
    known: dict[str, tuple[str, str]] = {name: ("when", name) for name in inputs}
    known |= {f"{ANSWER}{name}": ("then", name) for name in outputs}
    known |= {ID: ("row", ID), BECAUSE: ("row", BECAUSE), ROW_MARK: ("row", ROW_MARK)}
    found = []
    for heading in headings:
        column = known.get(heading) or known.get(heading.replace("→", ANSWER.strip() + " ").replace("  ", " "))
        if column is None and heading:
            hint = did_you_mean(heading, known)
            read.found.append(finding("command/csv-column", None, hint=hint, name=heading))
        found.append(column)
    missing = [name for name in outputs if ("then", name) not in found]
    if missing:
        read.found.append(finding("command/csv-column-missing", None, names=", ".join(missing)))
    return found


def _read_line(
    number: int,
    line: Sequence[str],
    columns: Sequence[tuple[str, str] | None],
    headings: Sequence[str],
    body: Mapping[str, Any],
    read: Read,
) -> None:
    parts: dict[str, dict[str, Any]] = {"row": {}, "when": {}, "then": {}}
    for cell, column, heading in zip(line, columns, headings, strict=False):
        if column is None or not cell.strip():
            continue
        part, name = column
        declared = body.get({"when": "inputs", "then": "outputs"}.get(part, ""), {}).get(name, {})
        for problem in _damage(cell.strip(), declared, part):
            read.found.append(finding(f"command/csv-{problem}", None, row=number, name=heading, value=cell.strip()))
        parts[part][name] = _value(cell, declared)
    if parts["row"].pop(ROW_MARK, None) == OTHERWISE:
        read.otherwise = parts["then"]
        return
    row: dict[str, Any] = {}
    if ID in parts["row"]:
        row[ID] = shown(parts["row"][ID])
    row |= {"when": parts["when"] or "any", "then": parts["then"]}
    if BECAUSE in parts["row"]:
        row[BECAUSE] = parts["row"][BECAUSE]
    read.rows.append(row)


def _value(cell: str, declared: Mapping[str, Any]) -> Any:
    text = _restored(cell.strip())
    if declared.get("type") == "boolean" and text in ("TRUE", "FALSE", "True", "False"):
        return text.lower() == "true"  # what a spreadsheet makes of true and false
    value = _read(text)
    return text if value is None and text != "null" else value


def _restored(text: str) -> str:
    return text[1:] if text[:1] == "'" and text[1:2] in (*_FORMULA, "'") and text[1:2] else text


def _read(text: str) -> Any:
    """Return the value that YAML reads from one line, None where it reads none."""
    node, found = read_tree(Source("cell", text))
    if node is None or any(one.severity == "error" for one in found):
        return None
    return to_value(node)


def _damage(cell: str, declared: Mapping[str, Any], part: str) -> Iterator[str]:
    """Yield what a spreadsheet has made of a cell: a date, a number without its zeros, a number with an exponent."""
    if cell[:1] in "\"'":
        return
    is_date = declared.get("format") in ("date", "date-time", "time")
    if _LIKE_DATE.fullmatch(cell) and not (is_date and _ISO_DATE.fullmatch(cell)):
        yield "date"
    elif _LIKE_EXPONENT.fullmatch(cell):
        yield "exponent"
    elif _NUMBER.fullmatch(cell) and part != "row" and _holds_texts(declared):
        yield "zeros"


def _holds_texts(declared: Mapping[str, Any]) -> bool:
    if "enum" in declared:
        return all(isinstance(value, str) for value in declared["enum"])
    return declared.get("type") == "string"


def rows_as_yaml(read: Read) -> str:
    """Return rows as the YAML that stands under a table."""
    lines = ["rows:"]
    lines += [f"  - {flow(row)}" for row in read.rows]
    if read.otherwise is not None:
        lines.append(f"otherwise: {flow(read.otherwise)}")
    return "\n".join(lines) + "\n"

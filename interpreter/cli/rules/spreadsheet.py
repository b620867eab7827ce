"""Decision tables as CSV for spreadsheet users, and back: every cell comes back as it went, or is found.

A cell holds what YAML would hold there, without quotes where none are needed. What a spreadsheet would take for a
formula begins with an apostrophe, and with one more where it began with one already; what it would turn into a date or
a number stands in double quotes, which it leaves alone. Reading takes UTF-8, UTF-16 and GBK, and commas, semicolons
or tabs; a heading is the name of a column or one of its titles.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interpreter.diagnostics import Diagnostic, did_you_mean, finding, has_errors
from interpreter.source import Source, Span
from interpreter.yaml_tree import read_tree, reads_as_gbk, to_value
from rules.analysis.wording import flow
from rules.patterns import regex
from rules.reading import shown
from rules.records import NamedTuple

ID, BECAUSE = "id", "because"
ANSWER = "→ "
ROW_MARK = "#"
OTHERWISE = "otherwise"
_FORMULA = "=+-@\t\r＝＋－＠"
_NUMBER = regex(r"-?[0-9]+(?:\.[0-9]+)?")
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
#: What a spreadsheet takes for a date, and what it makes of one: `5-60` is May 1960, `18-60` stays a text.
_LIKE_DATE = regex(
    rf"(?:\d{{1,4}}[-/]\d{{1,2}}[-/]\d{{1,4}}|\d{{4}}[-/]{_MONTH}|{_MONTH}[-/]\d{{4}}|{_MONTH}[-/]\d{{1,2}}"
    rf"|{_DAY}[-/]{_MONTH})(?: \d{{1,2}}:\d{{2}}(?::\d{{2}})?)?"
    r"|\d{1,2}-[A-Za-z]{3}(?:-\d{2,4})?|[A-Za-z]{3}-\d{2,4}"
    r"|(?:\d{4}年)?\d{1,2}月(?:\d{1,2}日)?|\d{1,2}:\d{2}(?::\d{2})?"
)
_LIKE_EXPONENT = regex(r"-?\d(?:[.,]\d+)?[eE][+-]?\d+")
_LIKE_NUMBER = regex(r"[-+]?[$¥￥]?[\d,.]*\d[\d,.]*[%％]?")
#: What a spreadsheet shows where a formula failed, and in a column that is too narrow.
_LIKE_ERROR = regex(r"#(?:N/A|(?:REF|VALUE|DIV/0|NULL|NUM|SPILL|CALC|FIELD|BLOCKED)!|NAME\?|#{2,})|Err:\d{3}")
_LIKE_BOOLEAN = regex(r"(?i:true|false)")
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_SEPARATORS = ",;\t"
#: Marks that people take for separators.
_OTHER_SEPARATORS = "，；、|"
#: What some spreadsheets write before the first line.
_SEPARATOR_LINE = regex(r"sep=([,;\t])\r?\n")
#: How a cell begins that is no plain text, number or truth.
_MARKED = "[{\"'"
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
    for answer in otherwise if isinstance(otherwise, list) else [otherwise]:
        if isinstance(answer, Mapping):
            cells = [OTHERWISE, "", *[""] * len(inputs), *(_written(answer, name) for name in outputs), ""]
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
    taken = (_LIKE_DATE, _LIKE_EXPONENT, _LIKE_NUMBER, _LIKE_BOOLEAN, _LIKE_ERROR)
    return any(form.fullmatch(text) for form in taken) or text != text.strip() or "\n" in text


def _harmless(text: str) -> str:
    return f"'{text}" if text[:1] in (*_FORMULA, "'") and text else text


# --- reading ----------------------------------------------------------------------------------------------------------


def decoded(content: bytes) -> str | None:
    """Return the text of a file in UTF-8, UTF-16 or GBK; None for anything else, a workbook among it."""
    if content.startswith(_WORKBOOKS):
        return None
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        codes = ["utf-16"]
    elif content[1:2] == b"\0":
        codes = ["utf-16-le"]
    elif content[:1] == b"\0":
        codes = ["utf-16-be"]
    else:
        codes = ["utf-8-sig", *(["gb18030"] if reads_as_gbk(content) else [])]
    for code in codes:
        try:
            return content.decode(code)
        except UnicodeDecodeError:
            continue
    return None


class Field(NamedTuple):
    """One cell of a CSV text: what it says, and where it stands with its quotes, as offsets of characters.

    Shapes: `is_closed` is false where the quotes of the cell never end, or end before the cell does.
    """

    text: str
    start: int
    end: int
    is_closed: bool = True


class Read:
    """Rows of a table as they were read.

    Shapes: `otherwise` is None where no row says it, a list where the answers of the table are lists; `places` say
    where each row and each of its cells stands, under paths such as (rows, 0, when, score) and (otherwise, level).
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rows: list[dict[str, Any]] = []
        self.otherwise: dict[str, Any] | list[dict[str, Any]] | None = None
        self.found: list[Diagnostic] = []
        self.places: dict[tuple[str | int, ...], Span] = {}

    def place_of(self, path: Sequence[str | int]) -> Span:
        """Return where a path into the table stands, or the nearest part around it; the first line where none does."""
        parts = tuple(path)
        while parts and parts not in self.places:
            parts = parts[:-1]
        return self.places.get(parts, Span(self.source, 0, len(self.source.line_text(1))))

    def span(self, first: Field, last: Field | None = None) -> Span:
        return Span(self.source, first.start, (last or first).end)


def table_from_csv(text: str, body: Mapping[str, Any], name: str = "csv") -> Read:
    """Return the rows that a CSV text holds for a table, and what a spreadsheet has done to them.

    Shapes: `body` is the plain data of the table; its inputs and outputs say which columns there are; `name` is that
    of the file.
    """
    read = Read(Source(name, text))
    said = _SEPARATOR_LINE.match(text)
    every = fields_of(text, said[1] if said else _delimiter(text), said.end() if said else 0)
    lines = [line for line in every if any(cell.text.strip() for cell in line)]
    if not lines:
        read.found.append(finding("command/csv-empty", read.place_of(())))
        return read
    columns = _columns(lines[0], body, read)
    if not any(columns):
        return read
    if isinstance(body.get(OTHERWISE), list):
        read.otherwise = []
    for line in lines[1:]:
        _read_line(line, columns, lines[0], body, read)
    return read


def fields_of(text: str, delimiter: str, at: int = 0) -> Iterator[list[Field]]:
    """Yield the lines of a CSV text as cells with their places; what stands in quotes may hold line breaks."""
    line: list[Field] = []
    while at < len(text):
        start, said, is_closed = at, [], True
        if text[at] == '"':
            at += 1
            while at < len(text):
                closing = text.find('"', at)
                is_closed = closing >= 0
                closing = closing if is_closed else len(text)
                said.append(text[at:closing])
                at = closing + 1
                if text[at : at + 1] != '"':
                    break
                said.append('"')
                at += 1
        is_quoted = at > start
        plain = at = min(at, len(text))
        while at < len(text) and text[at] not in (delimiter, "\r", "\n"):
            at += 1
        said.append(text[plain:at])
        is_closed = is_closed and not (is_quoted and text[plain:at].strip())
        line.append(Field("".join(said), start, at, is_closed))
        if text[at : at + 1] == delimiter:
            at += 1
            if at < len(text):
                continue
            line.append(Field("", at, at))
        yield line
        line = []
        at += 2 if text.startswith("\r\n", at) else 1


def _delimiter(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max(_SEPARATORS, key=first.count)


def _columns(line: Sequence[Field], body: Mapping[str, Any], read: Read) -> list[tuple[str, str] | None]:
    """Return for each column of the file what it is for: (part, name); None for one that nobody knows."""
    known = _headings(body)
    if len(line) == 1:
        marks = [mark for mark in _OTHER_SEPARATORS if mark in line[0].text]
        if marks:
            read.found.append(finding("command/csv-separator", read.span(line[0]), mark=marks[0]))
            return [None]
    found: list[tuple[str, str] | None] = []
    for cell in line:
        heading = _heading(cell)
        column = known.get(heading) or known.get(heading.replace("→", ANSWER).replace("  ", " "))
        if column is None and heading:
            hint = did_you_mean(heading, known)
            allowed = ", ".join(known)
            read.found.append(finding("command/csv-column", read.span(cell), hint=hint, name=heading, allowed=allowed))
        elif column is not None and column in found:
            read.found.append(finding("command/csv-column-twice", read.span(cell), name=heading))
        found.append(column)
    missing = [name for name in body.get("outputs", {}) if ("then", name) not in found]
    if missing:
        names = ", ".join(f"{ANSWER}{name}" for name in missing)
        read.found.append(finding("command/csv-column-missing", read.span(line[0], line[-1]), names=names))
    return found


def _headings(body: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return what each heading stands for: names, and titles that are no name and stand for one column only.

    Shapes: an answer is written without its arrow too, where nothing else is named so.
    """
    known: dict[str, tuple[str, str]] = {ID: ("row", ID), BECAUSE: ("row", BECAUSE), ROW_MARK: ("row", ROW_MARK)}
    titles: dict[str, list[tuple[str, str]]] = {}
    bare: dict[str, list[tuple[str, str]]] = {}
    for part, columns, mark in (("when", body.get("inputs", {}), ""), ("then", body.get("outputs", {}), ANSWER)):
        for name, declared in columns.items():
            known[f"{mark}{name}"] = (part, name)
            for title in _titles_of(declared):
                titles.setdefault(f"{mark}{title}", []).append((part, name))
            for title in _titles_of(declared) | {name} if mark else ():
                bare.setdefault(title, []).append((part, name))
    return _of_one_column(bare) | _of_one_column(titles) | known


def _of_one_column(named: Mapping[str, list[tuple[str, str]]]) -> dict[str, tuple[str, str]]:
    return {title: columns[0] for title, columns in named.items() if len(columns) == 1}


def _titles_of(declared: Mapping[str, Any]) -> set[str]:
    title = declared.get("title")
    return set(map(str, title.values())) if isinstance(title, Mapping) else {title} if isinstance(title, str) else set()


def _heading(cell: Field) -> str:
    return _restored(cell.text.strip())


def _read_line(
    line: Sequence[Field],
    columns: Sequence[tuple[str, str] | None],
    headings: Sequence[Field],
    body: Mapping[str, Any],
    read: Read,
) -> None:
    parts: dict[str, dict[str, Any]] = {"row": {}, "when": {}, "then": {}}
    places: dict[tuple[str | int, ...], Span] = {}
    for place, cell in enumerate(line):
        written = cell.text.strip()
        column, heading = (columns[place], headings[place]) if place < len(columns) else (None, None)
        if not written:
            continue
        if not cell.is_closed:
            read.found.append(finding("command/csv-quotes", read.span(cell), row=read.span(cell).begins.line))
        if heading is None or not heading.text.strip():
            at = read.span(cell).begins.line
            read.found.append(finding("command/csv-without-heading", read.span(cell), row=at, value=written))
        if column is None or heading is None:
            continue
        part, name = column
        span = places[(part, name) if part != "row" else (name,)] = read.span(cell)
        declared = body.get({"when": "inputs", "then": "outputs"}.get(part, ""), {}).get(name, {})
        for problem in _damage(written, declared, part):
            code, at = f"command/csv-{problem}", span.begins.line
            read.found.append(finding(code, span, row=at, name=_heading(heading), value=written))
        parts[part][name] = _value(cell.text, declared)
    whole = read.span(line[0], line[-1])
    if parts["row"].pop(ROW_MARK, None) == OTHERWISE:
        _keep_otherwise(parts, places, whole, body, read)
        return
    number = len(read.rows)
    read.places["rows", number] = whole
    read.places.update({("rows", number, *path): span for path, span in places.items()})
    row: dict[str, Any] = {}
    if ID in parts["row"]:
        row[ID] = shown(parts["row"][ID])
    row |= {"when": parts["when"] or "any", "then": parts["then"]}
    if BECAUSE in parts["row"]:
        row[BECAUSE] = parts["row"][BECAUSE]
    read.rows.append(row)


def _keep_otherwise(
    parts: Mapping[str, dict[str, Any]],
    places: Mapping[tuple[str | int, ...], Span],
    whole: Span,
    body: Mapping[str, Any],
    read: Read,
) -> None:
    """Keep what answers where no row holds: one line, or several in a table whose answers are lists."""
    at = whole.begins.line
    for name in parts["when"]:
        read.found.append(finding("command/csv-otherwise", places["when", name], row=at, name=name))
    here: tuple[str | int, ...] = (OTHERWISE,)
    if read.otherwise is None:
        read.otherwise = parts["then"]
    elif isinstance(read.otherwise, list) or _gives_lists(body):
        listed = read.otherwise if isinstance(read.otherwise, list) else [read.otherwise]
        here = (OTHERWISE, len(listed))
        read.otherwise = [*listed, parts["then"]]
    else:
        read.found.append(finding("command/csv-otherwise-twice", whole, row=at))
    read.places[here] = whole
    read.places.update({(*here, *path[1:]): span for path, span in places.items()})


def _gives_lists(body: Mapping[str, Any]) -> bool:
    hit = body.get("hit")
    return hit in ("rule_order", "output_order") or (hit == "collect" and body.get("collect", "list") == "list")


def _value(cell: str, declared: Mapping[str, Any]) -> Any:
    text = _restored(cell.strip())
    if declared.get("type") == "boolean" and text in ("TRUE", "FALSE", "True", "False"):
        return text.lower() == "true"  # what a spreadsheet makes of true and false
    value = _read(text)
    return text if value is None and text != "null" else value


def _restored(text: str) -> str:
    return text[1:] if text[:1] == "'" and text[1:2] in (*_FORMULA, "'") and text[1:2] else text


def _read(text: str) -> Any:
    """Return the value that YAML reads from all of a cell, None where it reads none.

    Only brackets make a list or a mapping there, and nothing in a text means something without quotes: `-`, `to: Ann`
    and `room # 5` are texts, as whoever types them means them.
    """
    node, found = read_tree(Source("cell", text))
    if node is None or has_errors(found) or text[node.span.start : node.span.end] != text:
        return None
    value = to_value(node)
    return text if isinstance(value, str | list | dict) and text[0] not in _MARKED else value


def _damage(cell: str, declared: Mapping[str, Any], part: str) -> Iterator[str]:
    """Yield what a spreadsheet made of a cell: a date, a number without zeros or with an exponent, an error."""
    if cell[:1] in "\"'":
        return
    is_date = declared.get("format") in ("date", "date-time", "time")
    if _LIKE_DATE.fullmatch(cell) and not (is_date and _ISO_DATE.fullmatch(cell)):
        yield "date"
    elif _LIKE_EXPONENT.fullmatch(cell):
        yield "exponent"
    elif _LIKE_ERROR.fullmatch(cell):
        yield "error"
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

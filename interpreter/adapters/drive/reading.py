"""The tools of `reading.yaml`: bodies of documents, cells of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.drive.bodies import body_text, decoded, is_probably_text, rows
from interpreter.adapters.drive.core import Drive
from interpreter.adapters.drive.kinds import DOCUMENT, FILE, SHEET, SLIDES, extension
from interpreter.adapters.drive.rights import DENIED
from interpreter.adapters.folders.failures import denied, failure, invalid, not_found, unsupported
from interpreter.adapters.folders.paths import Entry, Tree
from interpreter.adapters.office.reader import Sheet, is_office
from interpreter.adapters.search.words import fold, pattern, spans
from interpreter.ports import ToolFailure
from rules.patterns import regex
from rules.records import NamedTuple

#: Between two passages that do not follow each other in the document.
BETWEEN = "\n\n…\n\n"
#: Sheets are named by their place; the only one of a table file is the first.
FIRST_SHEET = "0"
_WITH_TEXT = (DOCUMENT, SLIDES, FILE)
_PARAGRAPHS = regex(r"\n[ \t]*\n")
_HEADING = regex(r"(#{1,6})\s")
_RANGE = regex(r"(?:[^!]*!)?([A-Za-z]{1,3})([1-9]\d{0,6})(?::([A-Za-z]{1,3})([1-9]\d{0,6}))?")


class Source(NamedTuple):
    """A file that may be read: in the drive, or in a wiki beside it."""

    token: str
    name: str
    kind: str
    tree: Tree
    entry: Entry


def doc_fetch(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return fetched(drive, readable(drive, arguments["doc"]), arguments)


def fetched(drive: Drive, source: Source, arguments: Mapping[str, Any]) -> dict[str, Any]:
    text = whole_text(drive, source)
    scope = arguments["scope"]
    if scope == "outline":
        content = "\n".join(line for line in text.splitlines() if _HEADING.match(line))
    elif scope == "keyword":
        content = _passages(text, arguments)
    elif scope == "section":
        content = _section(text, _keywords(arguments))
    elif scope == "full":
        content = text
    else:
        raise invalid(
            "这里不能按范围读取；请用 full、outline、keyword 或 section",
            "ranges cannot be read here; use full, outline, keyword or section",
        )
    return {
        "document": {
            "document_id": source.token,
            "revision_id": str(source.entry.modified),
            "content": content,
        }
    }


def _keywords(arguments: Mapping[str, Any]) -> list[str]:
    words = [word.strip() for word in str(arguments.get("keyword", "")).split("|")]
    found = [word for word in words if word]
    if not found:
        raise invalid("这种读取需要 keyword", "this scope needs a keyword")
    return found


def _passages(text: str, arguments: Mapping[str, Any]) -> str:
    """Return the paragraphs that hold a keyword, with so many before and after, joined in their order."""
    wanted = pattern(_keywords(arguments))
    paragraphs = [part for part in _PARAGRAPHS.split(text) if part.strip()]
    before, after = (int(arguments.get(f"context_{side}") or 0) for side in ("before", "after"))
    kept: list[int] = []
    for number, paragraph in enumerate(paragraphs):
        if wanted is not None and wanted.search(fold(paragraph)):
            start = max(0, number - before, kept[-1] + 1 if kept else 0)
            kept.extend(range(start, min(len(paragraphs), number + after + 1)))
    parts: list[str] = []
    for place, number in enumerate(kept):
        if place:
            parts.append("\n\n" if kept[place - 1] == number - 1 else BETWEEN)
        parts.append(paragraphs[number])
    return "".join(parts)


def _section(text: str, keywords: list[str]) -> str:
    """Return the sections whose heading holds a keyword, each to the next heading of its own level or
    above.
    """
    wanted = pattern(keywords)
    kept: list[str] = []
    level = 0
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading and (not level or len(heading[1]) <= level):
            level = len(heading[1]) if wanted is not None and spans(line, wanted) else 0
        if level:
            kept.append(line)
    return "\n".join(kept)


def sheet_find(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return cells_found(drive, readable(drive, arguments["spreadsheet_token"]), arguments)


def cells_found(drive: Drive, source: Source, arguments: Mapping[str, Any]) -> dict[str, Any]:
    grid, (first_row, first_column) = _grid(drive, source, arguments)
    find = arguments["find"]
    ignores_case = bool(arguments.get("ignore_case"))
    wanted = fold(find) if ignores_case else find
    matches = []
    for number, row in enumerate(grid):
        for column, value in enumerate(row):
            if wanted in (fold(value) if ignores_case else value):
                matches.append({"address": _address(first_row + number, first_column + column), "value": value})
    return {"matches": matches, "total": len(matches)}


def sheet_read(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return cells(drive, readable(drive, arguments["spreadsheet_token"]), arguments)


def cells(drive: Drive, source: Source, arguments: Mapping[str, Any]) -> dict[str, Any]:
    grid, (first_row, first_column) = _grid(drive, source, arguments)
    width = max((len(row) for row in grid), default=0)
    if not grid or not width:
        return {"range": "", "values": []}
    last = _address(first_row + len(grid) - 1, first_column + width - 1)
    return {"range": f"{_address(first_row, first_column)}:{last}", "values": grid}


def _grid(drive: Drive, source: Source, arguments: Mapping[str, Any]) -> tuple[list[list[str]], tuple[int, int]]:
    """Return the cells of the range asked for, and the row and column of the first one, from 0."""
    _check_kind(source, (SHEET,))
    grid = _sheet(source, _sheets(drive, source), arguments.get("sheet_id") or FIRST_SHEET)
    asked = arguments.get("range")
    if not asked:
        return grid, (0, 0)
    found = _RANGE.fullmatch(asked.strip())
    if found is None:
        raise invalid(f"不能识别的单元格范围：{asked}", f"no range of cells: {asked}; write A1:D20")
    columns = sorted((_column(found[1]), _column(found[3] or found[1])))
    lines = sorted((int(found[2]) - 1, int(found[4] or found[2]) - 1))
    part = [row[columns[0] : columns[1] + 1] for row in grid[lines[0] : lines[1] + 1]]
    return part, (lines[0], columns[0])


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _address(row: int, column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def _sheets(drive: Drive, source: Source) -> list[Sheet]:
    content = _content(drive, source)
    if not is_office(extension(source.entry.name)):
        return [Sheet(FIRST_SHEET, rows(source.entry.name, content))]
    sheets, is_whole = drive.readers.sheets(extension(source.entry.name), content, drive.limits.body)
    if not is_whole:
        raise _too_large(drive, source)
    return sheets


def _sheet(source: Source, sheets: list[Sheet], asked: str) -> list[list[str]]:
    """Return the sheet of a place (`0` is the first) or a name."""
    for number, sheet in enumerate(sheets):
        if asked in (str(number), sheet.name):
            return sheet.rows
    if asked == FIRST_SHEET:
        return []  # a workbook of charts alone
    raise not_found(f"{source.name} / {asked}")


def readable(drive: Drive, text: str) -> Source:
    """Return the file that an address, a token or a path means.

    Errors: ToolFailure `not_found`, `permission_denied`.
    """
    place = drive.addressed(text)
    if place is None or not drive.rights().visible(place.entry):
        raise not_found(text)
    if drive.rights().readable(place.entry, place.token).state == DENIED and place.entry.is_file:
        raise denied(f"当前账号不能读取 {place.name}", f"this account may not read {place.name}")
    return Source(place.token, place.name, place.kind, drive.tree, place.entry)


def whole_text(drive: Drive, source: Source) -> str:
    """Return the text of a document, a deck of slides, or another file that holds text.

    Errors: ToolFailure `unsupported`, `too_large`, and those of office files.
    """
    _check_kind(source, _WITH_TEXT)
    content = _content(drive, source)
    ending = extension(source.entry.name)
    if is_office(ending):
        text, is_whole = drive.readers.text(ending, content, drive.limits.body)
        if not is_whole:
            raise _too_large(drive, source)
        return text
    if source.kind == DOCUMENT:
        return body_text(source.entry.name, source.kind, content)
    if not is_probably_text(content):
        raise _not_read(source)
    return decoded(content)


def _check_kind(source: Source, kinds: tuple[str, ...]) -> None:
    if source.kind not in kinds:
        raise _not_read(source)


def _not_read(source: Source) -> ToolFailure:
    return unsupported(
        f"{source.name} 的类型是 {source.kind}，这里读不了",
        f"{source.name} is of type {source.kind}, not read here",
    )


def _content(drive: Drive, source: Source) -> bytes:
    is_packed = is_office(extension(source.entry.name))
    content, complete = source.tree.read(source.entry.path, drive.limits.document if is_packed else drive.limits.body)
    if not complete:
        raise _too_large(drive, source)
    return content


def _too_large(drive: Drive, source: Source) -> ToolFailure:
    is_packed = is_office(extension(source.entry.name))
    limit = drive.limits.document if is_packed else drive.limits.body
    return failure(
        "too_large",
        f"{source.name} 超过 {limit} 字节的读取上限",
        f"{source.name} is larger than the limit of {limit} bytes",
    )

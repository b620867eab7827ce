"""What people read, as functions of a frame: both languages are kept until somebody sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interpreter import model
from interpreter.engine.data import Names
from interpreter.engine.frame import Frame
from interpreter.plan.values import Compiler
from interpreter.ports import JsonObject
from rules.values import ABSENT

_Tables = Callable[[Names], list[JsonObject]]


def message_of(compiler: Compiler, message: model.Message | None) -> Callable[[Frame], JsonObject]:
    """Return what makes a message.

    Shapes: `{done?, next?, writes?, tables: [{title?, columns: [{key, heading?}], rows: [[cell]], count, folded}]}`; a
    text is a string or `{zh, en}`.
    """
    if message is None:
        return lambda frame: {}
    done, following = compiler.optional_shown(message.done), compiler.optional_shown(message.next)
    writes = message.writes
    tables = [_table(compiler, table) for table in message.tables]

    def build(frame: Frame) -> JsonObject:
        names = frame.names
        result: JsonObject = {}
        for name, part in (("done", done), ("next", following)):
            if part is not None and (value := part(names)) is not ABSENT:
                result[name] = value
        if writes is not None:
            result["writes"] = writes
        shown = [table for make in tables for table in make(names)]
        if shown:
            result["tables"] = shown
        return result

    return build


def _table(compiler: Compiler, table: model.Table) -> _Tables:
    rows = compiler.rows(table.rows)
    title = compiler.optional_shown(table.title)
    folded = compiler.optional_condition(table.folded)
    at_most = compiler.optional_whole(table.at_most, 0)
    columns = [
        (column.name, compiler.shown(column.value), compiler.optional_shown(column.heading)) for column in table.columns
    ]
    each_in = compiler.rows(table.each_in) if table.each_in is not None else None
    row_name, group_name = table.row, table.each

    def one(names: Names) -> JsonObject:
        found = rows(names)
        is_folded = folded(names) if folded is not None else False
        limit = at_most(names) if at_most is not None else None
        result: JsonObject = {"count": len(found), "folded": is_folded}
        if title is not None and (words := title(names)) is not ABSENT:
            result["title"] = words
        result["columns"] = [
            {"key": name} if heading is None else {"key": name, "heading": heading(names)}
            for name, _, heading in columns
        ]
        inner = dict(names)
        shown: list[list[Any]] = []
        for row in [] if is_folded else found[:limit]:
            inner[row_name] = row
            cells = [value(inner) for _, value, _ in columns]
            shown.append([None if cell is ABSENT else cell for cell in cells])
        result["rows"] = shown
        return result

    def make(names: Names) -> list[JsonObject]:
        if each_in is None or group_name is None:
            return [one(names)]
        inner = dict(names)
        result = []
        for group in each_in(names):
            inner[group_name] = group
            result.append(one(inner))
        return result

    return make

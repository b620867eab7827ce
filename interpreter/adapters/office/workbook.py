"""The cells of an XLSX file, read in the child by openpyxl: what was last computed, as texts, sheet by sheet."""

from __future__ import annotations

import io
import warnings
from datetime import date, datetime, time
from typing import Any

import openpyxl

from interpreter.adapters.children.unreadable import Unreadable
from interpreter.adapters.office.package import check_package

_MOST_COLUMNS = 16_384


def read(parameters: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Return every sheet with its rows, the empty ones at the end left out.

    Errors: Unreadable, those of `check_package` too.
    """
    check_package(parameters, body)
    warnings.simplefilter("ignore")  # parts that it does not know are none of ours
    try:
        return _sheets(body, parameters["characters"])
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # whatever a library says of a damaged file
        raise Unreadable("damaged", detail=type(error).__name__) from None


def _sheets(body: bytes, at_most: int) -> dict[str, Any]:
    book = openpyxl.load_workbook(io.BytesIO(body), read_only=True, data_only=True, keep_links=False)
    sheets: list[dict[str, Any]] = []
    left = at_most
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # what a file says of its size may be wrong
        rows: list[list[str]] = []
        sheets.append({"name": sheet.title, "rows": rows})
        for cells in sheet.iter_rows(max_col=_MOST_COLUMNS, values_only=True):
            row = [_shown(value) for value in cells]
            while row and not row[-1]:
                row.pop()
            left -= 1 + sum(len(value) + 1 for value in row)
            if left < 0:
                return {"sheets": sheets, "is_cut": True}
            rows.append(row)
        while rows and not rows[-1]:
            rows.pop()
    return {"sheets": sheets, "is_cut": False}


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, (date, time)) else str(value)

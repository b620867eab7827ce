"""The text of a DOCX file, read in the child by python-docx: headings as `#`, paragraphs, tables by rows."""

from __future__ import annotations

import io
from typing import Any

import docx
from docx.table import Table
from docx.text.paragraph import Paragraph

from interpreter.adapters.children.unreadable import Unreadable
from interpreter.adapters.office.package import Text, check_package

_DEEPEST = 6


def read(parameters: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Errors: Unreadable, those of `check_package` too."""
    check_package(parameters, body)
    text = Text(parameters["characters"])
    try:
        for block in docx.Document(io.BytesIO(body)).iter_inner_content():
            _add(block, text)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # whatever a library says of a damaged file
        raise Unreadable("damaged", detail=type(error).__name__) from None
    return text.answer()


def _add(block: Paragraph | Table, text: Text) -> None:
    if isinstance(block, Paragraph):
        text.add("#" * _level(block) + " " * bool(_level(block)) + block.text)
        return
    for row in block.rows:
        # A merged cell is given once for each column that it covers.
        cells: list[Any] = []
        for cell in row.cells:
            if not cells or cell._tc is not cells[-1]._tc:
                cells.append(cell)
        text.add("\t".join(cell.text.replace("\n", " ") for cell in cells))


def _level(paragraph: Paragraph) -> int:
    name = (paragraph.style.name or "") if paragraph.style is not None else ""
    if name == "Title":
        return 1
    number = name.removeprefix("Heading ")
    return int(number) if number != name and number.isdecimal() and 0 < int(number) <= _DEEPEST else 0

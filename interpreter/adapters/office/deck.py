"""The text of a PPTX file, read in the child by python-pptx: slide by slide, its title as a heading, then its notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pptx

from interpreter.adapters.children.unreadable import Unreadable
from interpreter.adapters.office.package import Text, check_package


def read(parameters: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Errors: Unreadable, those of `check_package` too."""
    check_package(parameters, body)
    text = Text(parameters["characters"])
    try:
        for slide in pptx.Presentation(io.BytesIO(body)).slides:
            title = slide.shapes.title
            if title is not None and title.has_text_frame and title.text_frame.text.strip():
                text.add("## " + " ".join(title.text_frame.text.split()))
            for paragraph in _texts(slide.shapes, title.shape_id if title is not None else None):
                text.add(paragraph)
            if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
                text.add(slide.notes_slide.notes_text_frame.text)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # whatever a library says of a damaged file
        raise Unreadable("damaged", detail=type(error).__name__) from None
    return text.answer()


def _texts(shapes: Any, title: int | None) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _texts(shape.shapes, title)
        elif getattr(shape, "has_table", False) and shape.has_table:
            for row in shape.table.rows:
                yield "\t".join(cell.text.replace("\n", " ") for cell in row.cells)
        elif shape.has_text_frame and shape.shape_id != title:
            yield shape.text_frame.text

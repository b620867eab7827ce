"""The text of a PDF file, read in the child by pypdf: pure Python, so a damaged file can raise and be slow, no more."""

from __future__ import annotations

import io
from typing import Any

import pypdf

from interpreter.adapters.children.unreadable import Unreadable
from interpreter.adapters.office.package import Text


def read(parameters: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Return the pages, one after the other; a file that needs a password is not read.

    Errors: Unreadable `encrypted`, `damaged`.
    """
    text = Text(parameters["characters"])
    try:
        document = pypdf.PdfReader(io.BytesIO(body), strict=False)
        if document.is_encrypted and not document.decrypt(""):
            raise Unreadable("encrypted")
        for page in document.pages:
            if text.is_cut:
                break
            text.add(page.extract_text())
    except (MemoryError, RecursionError, Unreadable):
        raise
    except Exception as error:  # whatever a library says of a damaged file
        raise Unreadable("damaged", detail=type(error).__name__) from None
    return text.answer()

"""The text of a PDF, read in the child by pypdf: pure Python, so a damaged file can raise and be slow, no more."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from typing import Any

import pypdf
from pypdf.errors import DependencyError, PyPdfError

from interpreter.adapters.children import Unreadable
from interpreter.adapters.web.dates import first_day
from interpreter.adapters.web.page import NOTHING_SAID
from interpreter.adapters.web.tree import plain
from interpreter.adapters.web.wrapped import unwrapped
from rules.patterns import regex

__all__ = ["read"]

#: What stands in a text whose fonts do not say which characters they draw.
_UNREADABLE = regex("[\x00-\x08\ufffd\ue000-\uf8ff]|\\(cid:\\d+\\)")

_ODD = (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError, OverflowError, OSError)


def read(parameters: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Return what `page.read` returns; a page of the document begins a new paragraph.

    Errors: Unreadable `encrypted`, `not_a_pdf`, `no_text`.
    """
    try:
        document = pypdf.PdfReader(io.BytesIO(body), strict=False)
        if document.is_encrypted and not document.decrypt(""):
            raise Unreadable("encrypted")
        lines, is_cut = _lines(document, parameters["wording"]["numbers"], parameters["text_characters"])
        said: Mapping[str, Any] = document.metadata or {}
    except DependencyError:
        raise Unreadable("encrypted") from None  # in a way that takes another library
    except _ODD as error:
        raise Unreadable("not_a_pdf", detail=type(error).__name__) from None
    text = "\n".join(lines)
    if len(text) < parameters["wording"]["numbers"]["shortest_text"]:
        raise Unreadable("no_text")
    bad = len(_UNREADABLE.findall(text))
    if bad > parameters["wording"]["numbers"]["unreadable_share"] * len(text):
        raise Unreadable("charset", replaced=bad)
    published = _day(said.get("/CreationDate"))
    if published is not None and published > parameters["read_at"][:10]:
        published = None
    return {
        "encoding": None,
        "encoding_from": "document",
        "text": text,
        "text_sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "truncated": is_cut,
        **NOTHING_SAID,
        "title": _said(said.get("/Title")) or lines[0][:200],
        "author": _said(said.get("/Author")) or None,
        "published": published,
        "published_from": "meta" if published else "unknown",
        "modified": _day(said.get("/ModDate")),
    }


def _lines(document: pypdf.PdfReader, numbers: Mapping[str, Any], at_most: int) -> tuple[list[str], bool]:
    lines: list[str] = []
    size = 0
    for page in document.pages:
        for line in unwrapped(page.extract_text().splitlines(), numbers["full_line"], numbers["wrapped_width"]):
            size += len(line) + 1
            if size > at_most:
                return lines, True
            lines.append(line)
    return lines, False


def _said(value: object) -> str:
    return plain(value)[:200] if isinstance(value, str) else ""


def _day(value: object) -> str | None:
    """Return the day of `D:20260115083000+08'00'`."""
    found = first_day(value[2:10]) if isinstance(value, str) and value.startswith("D:") else None
    return found[1] if found is not None else None

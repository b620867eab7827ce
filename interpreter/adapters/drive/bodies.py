"""The text of a document: Markdown and plain text as they are, HTML by `markup.py`, tables by rows; office
files and PDF by a child process (`office/`).
"""

from __future__ import annotations

import codecs
import csv
import io

from interpreter.adapters.charsets import MARKS
from interpreter.adapters.drive.kinds import DOCUMENT, SHEET, extension
from interpreter.adapters.drive.markup import html_text
from interpreter.adapters.folders.paths import Entry, Tree
from interpreter.adapters.office.reader import Readers, is_office

#: Units: bytes, and characters of what a child reads.
INDEXED = 2 << 20


def decoded(content: bytes) -> str:
    """Return bytes as text: by their mark, as UTF-8, as GB 18030; what is left is replaced, never dropped."""
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    for encoding in ("utf-8", "gb18030"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("utf-8", "replace")


def is_probably_text(content: bytes) -> bool:
    """Return whether a file of no known kind holds text; a character cut at the end does not count against
    it.
    """
    if b"\0" in content:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return False
    return True


def body_text(name: str, kind: str, content: bytes) -> str:
    """Return the text of a document or sheet, '' for other kinds."""
    if kind == SHEET:
        return "\n".join("\t".join(row) for row in rows(name, content))
    if kind != DOCUMENT:
        return ""
    text = decoded(content)
    if extension(name) in ("html", "htm"):
        return html_text(text)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def indexed_text(tree: Tree, entry: Entry, kind: str, document_limit: int, readers: Readers) -> str:
    """Return the text of a file for the index, '' where it holds none.

    Errors: OSError; ToolFailure where an office file cannot be read.
    """
    if is_office(extension(entry.name)):
        content, is_whole = tree.read(entry.path, document_limit)
        return readers.text(extension(entry.name), content, INDEXED, for_index=True)[0] if is_whole else ""
    if kind not in (DOCUMENT, SHEET):
        return ""
    content, _ = tree.read(entry.path, INDEXED)
    return body_text(entry.name, kind, content)


def rows(name: str, content: bytes) -> list[list[str]]:
    """Return the rows of a table; what the reader cannot take apart stands as lines of one cell."""
    text = decoded(content)
    delimiter = "\t" if extension(name) == "tsv" else ","
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return [[line] for line in text.splitlines()]

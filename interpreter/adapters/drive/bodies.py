"""The text of a document: Markdown and plain text as they are, HTML by the standard library's parser,
tables by rows.
"""

from __future__ import annotations

import codecs
import csv
import io
from html.parser import HTMLParser

from interpreter.adapters.drive.kinds import DOCUMENT, SHEET, extension
from rules.patterns import regex

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decoded(content: bytes) -> str:
    """Return bytes as text: by their mark, as UTF-8, as GB 18030; what is left is replaced, never dropped."""
    for mark, encoding in _MARKS:
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


def rows(name: str, content: bytes) -> list[list[str]]:
    """Return the rows of a table; what the reader cannot take apart stands as lines of one cell."""
    text = decoded(content)
    delimiter = "\t" if extension(name) == "tsv" else ","
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return [[line] for line in text.splitlines()]


_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "math", "object", "iframe"})
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLOCKS = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "br",
            "caption",
            "dd",
            "details",
            "div",
            "dl",
            "dt",
        ),
        *(
            "fieldset",
            "figcaption",
            "figure",
            "footer",
            "form",
            "head",
            "header",
            "hr",
            "html",
            "li",
            "main",
            "nav",
        ),
        *(
            "ol",
            "option",
            "p",
            "pre",
            "section",
            "summary",
            "table",
            "tbody",
            "tfoot",
            "thead",
            "title",
            "tr",
            "ul",
        ),
    )
)
_BLANKS = regex(r"[ \t\f\v\u00a0]+")
_BREAKS = regex(r" ?\n[ \n]*")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        elif tag in _HEADINGS:
            self.parts.append("\n" + _HEADINGS[tag])
        elif tag in ("td", "th"):
            self.parts.append(" ")
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            while self._silent.pop() != tag:
                pass
        elif tag in _BLOCKS or tag in _HEADINGS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)


def html_text(text: str) -> str:
    """Return the visible text of a page, one line for each block, headings marked as in Markdown."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    joined = _BLANKS.sub(" ", "".join(reader.parts).replace("\r", "\n"))
    return _BREAKS.sub("\n", joined).strip()

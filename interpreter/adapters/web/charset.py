"""Bytes to text, with pages as they are: which character set was taken, and from where.

Believed in this order: the byte order mark, the header, what the page says of itself, detection. But a name is only as
good as the text it gives: where bytes do not fit it, the next one is tried; text that is UTF-8 beyond chance is UTF-8
whatever it is called; and ISO-8859-1 in a header, which fits everything and is what servers say that know nothing,
stands behind the page's own word. GB 2312 and GBK are read as GB 18030, which holds both.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from charset_normalizer import from_bytes

from interpreter.adapters.charsets import MEANT
from interpreter.adapters.children import Unreadable
from rules.patterns import regex
from rules.records import NamedTuple


class Decoded(NamedTuple):
    text: str
    encoding: str
    encoding_from: str


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FITS_EVERYTHING = frozenset({"cp1252"})
_DETECTED = ("utf_8", "gb18030", "big5hkscs", "cp932", "cp949", "cp1252", "cp1251")
#: Units: bytes. Where a page says its own character set; browsers stop at 1024, pages do not.
_HEAD = 1 << 15
_SAMPLE = 1 << 16
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]{2,40})")
_IN_HEADER = regex(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})", re.IGNORECASE)
_REPLACED = "\ufffd"
_PRIVATE = regex("[\ue000-\uf8ff]")
#: So many characters beyond ASCII that are UTF-8 are no accident of another character set.
_BEYOND_CHANCE = 8
#: So few replaced characters are a slip of the page, whatever their share.
_SLIPS = 3


def decode(body: bytes, content_type: str, unreadable_share: float, *, is_markup: bool = True) -> Decoded:
    """Return a body as text.

    Errors: Unreadable `binary`, `charset`.
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return _accepted(_decoded(body[len(mark) :], encoding, "mark"), unreadable_share)
    if b"\0" in body[:_SAMPLE]:
        raise Unreadable("binary")
    best: Decoded | None = None
    for encoding, source in _candidates(body, content_type, is_markup):
        found = _decoded(body, encoding, source)
        bad = _bad(found)
        if not bad:
            return found
        if best is None or bad < _bad(best):
            best = found
    assert best is not None  # there is always a detected one
    return _accepted(best, unreadable_share)


def _candidates(body: bytes, content_type: str, is_markup: bool) -> Iterator[tuple[str, str]]:
    named = []
    in_header = _IN_HEADER.search(content_type)
    if in_header is not None:
        named.append((_codec(in_header[1]), "header"))
    if is_markup:
        named.append((_codec(_own_word(body)), "page"))
    named = [(codec, source) for codec, source in named if codec]
    named.sort(key=lambda one: one[0] in _FITS_EVERYTHING)  # stable: the header stays first among equals
    is_plain = body.isascii()
    if not is_plain and all(codec != "utf-8" for codec, _ in named) and _is_utf8_beyond_chance(body, bool(named)):
        yield "utf-8", "detected"
    for codec, source in named:
        if codec:
            yield codec, source
    yield _detected(body)


def _own_word(body: bytes) -> str:
    head = body[:_HEAD]
    in_xml = _XML.match(head)
    if in_xml is not None:
        return in_xml[1].decode("ascii")
    found = _META.search(_COMMENT.sub(b"", head))
    return found[1].decode("ascii") if found is not None else ""


def _codec(name: str) -> str:
    """Return the codec that a name means, '' for a name that means none."""
    return MEANT.get(name.strip().lower(), "")


def _is_utf8_beyond_chance(body: bytes, is_named: bool) -> bool:
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return False
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    return beyond >= _BEYOND_CHANCE or not is_named


def _detected(body: bytes) -> tuple[str, str]:
    if body.isascii():
        return "utf-8", "default"
    start = next((place for place in range(0, len(body), 4096) if not body[place : place + 4096].isascii()), 0)
    sample = re.sub(rb"<[^<>]{0,2000}>", b" ", body[start : start + _SAMPLE])
    try:
        best = from_bytes(sample, cp_isolation=list(_DETECTED), preemptive_behaviour=False).best()
    except (UnicodeError, LookupError):
        best = None
    if best is None:
        return "utf-8", "default"
    return "utf-8" if best.encoding == "utf_8" else str(best.encoding), "detected"


def _decoded(body: bytes, encoding: str, source: str) -> Decoded:
    text = codecs.getincrementaldecoder(encoding)("replace").decode(body)  # a character cut at the end is left out
    return Decoded(text, encoding, source)


def _bad(found: Decoded) -> int:
    """Count the characters that nobody wrote; where bytes have another set, private ones stand for what it lacks."""
    replaced = found.text.count(_REPLACED)
    return replaced if found.encoding.startswith("utf") else replaced + len(_PRIVATE.findall(found.text))


def _accepted(found: Decoded, unreadable_share: float) -> Decoded:
    bad = _bad(found)
    beyond = len(found.text) - len(found.text.encode("ascii", "ignore"))
    if bad > _SLIPS and bad > unreadable_share * beyond:
        raise Unreadable("charset", encoding=found.encoding, replaced=bad)
    return found

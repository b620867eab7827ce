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
from typing import NamedTuple

from charset_normalizer import from_bytes

from interpreter.adapters.children import Unreadable
from rules.patterns import regex


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
#: The names that mean an encoding on the web (WHATWG Encoding, "names and labels"), by the codec that reads what
#: browsers read under them; a name that is not here means nothing, whatever codecs there are. Encodings that browsers
#: refuse (`iso-2022-kr`, `hz-gb-2312`, `utf-7`) and `x-user-defined` are left out.
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
    "iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
    "iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
    "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
    "windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
    "windows-949",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
}
#: Names that are no labels and that pages carry all the same, from databases and from other systems.
_FOUND_IN_PAGES = {"utf8mb4": "utf-8", "utf8mb3": "utf-8", "cp936": "gb18030", "ms936": "gb18030", "cp950": "big5hkscs",
    "latin-1": "cp1252"}  # fmt: skip
_MEANT = {**_FOUND_IN_PAGES, **{label: codec for codec, labels in _LABELS.items() for label in labels.split()}}
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
    return _MEANT.get(name.strip().lower(), "")


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

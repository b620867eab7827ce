"""Office files and PDF made from text, good and bad; samples that git should not carry are made by these too."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

CONTAINER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: Ten names that each stand for ten of the one before.
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{number} "{f"&a{number - 1};" * 10}">' for number in range(1, 10))
    + "]><a>&a9;</a>"
).encode()


def word(blocks: Sequence[str | list[str]]) -> bytes:
    """Return a DOCX file: texts are paragraphs, `# ` begins a heading, lists that follow each other make a table."""
    import docx

    document = docx.Document()
    table: Any = None
    for block in blocks:
        if isinstance(block, str):
            table = None
            level = len(block) - len(block.lstrip("#"))
            if level:
                document.add_heading(block[level:].strip(), level)
            else:
                document.add_paragraph(block)
            continue
        table = table if table is not None else document.add_table(rows=0, cols=len(block))
        for cell, text in zip(table.add_row().cells, block, strict=True):
            cell.text = text
    return _saved(document)


def many_paragraphs(count: int) -> bytes:
    """Return a DOCX file with so many short paragraphs, made without a library since that would take minutes."""
    paragraphs = "".join(f"<w:p><w:r><w:t>{number} {number * 7919}</w:t></w:r></w:p>" for number in range(count))
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    content = f'<w:document xmlns:w="{space}"><w:body>{paragraphs}</w:body></w:document>'
    return replaced(word([]), "word/document.xml", content.encode())


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return _saved(book)


def deck(slides: Sequence[tuple[str, Sequence[str]]]) -> bytes:
    import pptx

    presentation = pptx.Presentation()
    for title, lines in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(lines)
    return _saved(presentation)


def _saved(document: Any) -> bytes:
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def pdf(pages: Sequence[str], user: str = "", owner: str = "") -> bytes:
    """Return a PDF file with one line of ASCII on each page; with a password where one is given."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    }
    for number, text in enumerate(pages):
        page, content = 4 + 2 * number, 5 + 2 * number
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
        objects[page] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {content} 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
        ).encode()
        objects[content] = _stream(drawn)
    plain = _numbered(objects)
    return _locked_pdf(plain, user, owner) if user or owner else plain


def _stream(content: bytes, more: str = "") -> bytes:
    return f"<<{more}/Length {len(content)}>>stream\n".encode() + content + b"\nendstream"


def _numbered(objects: Mapping[int, bytes]) -> bytes:
    parts, places, size = [b"%PDF-1.4\n"], {}, 9
    for number, body in sorted(objects.items()):
        places[number] = size
        part = f"{number} 0 obj".encode() + body + b"endobj\n"
        parts.append(part)
        size += len(part)
    table = [f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"]
    table += [f"{places[number]:010} 00000 n \n" for number in sorted(objects)]
    table.append(f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{size}\n%%EOF\n")
    return b"".join(parts) + "".join(table).encode()


def _locked_pdf(plain: bytes, user: str, owner: str) -> bytes:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(plain))
    writer.encrypt(user_password=user, owner_password=owner or user, algorithm="RC4-128")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def endless_pdf() -> bytes:
    """Return a PDF whose page draws a form ten times that draws a form ten times, twelve deep."""
    deepest = 12
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 10 0 R>>>>>>",
        4: _stream(b"/X Do " * 10),
        5: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    }
    for number in range(10, 10 + deepest):
        inner = f"/Resources<</XObject<</X {number + 1} 0 R>>>>"
        objects[number] = _stream(b"/X Do " * 10, f"/Type/XObject/Subtype/Form/BBox[0 0 9 9]{inner}")
    font = "/Resources<</Font<</F1 5 0 R>>>>"
    objects[10 + deepest] = _stream(b"BT /F1 9 Tf (x) Tj ET", f"/Type/XObject/Subtype/Form/BBox[0 0 9 9]{font}")
    renumbered = {old: new for new, old in enumerate(sorted(objects), 1)}
    for old, new in sorted(renumbered.items(), reverse=True):
        if old != new:
            for number, body in objects.items():
                objects[number] = body.replace(f"/X {old} 0 R".encode(), f"/X {new} 0 R".encode())
    return _numbered({renumbered[number]: body for number, body in objects.items()})


def circular_pdf() -> bytes:
    """Return a PDF whose tree of pages holds itself."""
    return _numbered(
        {
            1: b"<</Type/Catalog/Pages 2 0 R>>",
            2: b"<</Type/Pages/Kids[3 0 R 2 0 R]/Count 2>>",
            3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
        }
    )


def archive(parts: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return target.getvalue()


def bomb(megabytes: int = 64) -> bytes:
    """Return an archive that unpacks to a thousand times its size."""
    return archive({"[Content_Types].xml": b"<Types/>", "word/document.xml": b" " * (megabytes << 20)})


def lying() -> bytes:
    """Return a DOCX that says of a large part that it is small."""
    packed = bytearray(archive({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"x" * 500_000}))
    size = (500_000).to_bytes(4, "little")
    while (place := packed.find(size)) >= 0:
        packed[place : place + 4] = (10).to_bytes(4, "little")
    return bytes(packed)


def replaced(body: bytes, name: str, content: bytes) -> bytes:
    """Return an archive with one of its parts exchanged."""
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        parts = {one: packed.read(one) for one in packed.namelist()}
    return archive({**parts, name: content})


def locked() -> bytes:
    """Return what an office program writes for a password: no archive, but a container with a locked package."""
    return CONTAINER + b"\0" * 504 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600

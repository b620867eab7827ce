"""Writes `north-report-inference-cost-summary.pdf`, a page of text in a standard font: python make_pdf.py."""

from __future__ import annotations

from pathlib import Path

LINES = (
    "North Research",
    "Enterprise inference cost: summary of the report",
    "Dana Whitlock, 27 August 2026",
    "",
    "We followed the bills of 27 companies for six months.",
    "A prompt cache lowers the cost of input by 30% to 45%.",
    "Routing easy questions to a small model lowers model cost by 20% to 35%.",
    "A batch interface lowers the bill by 15% to 25% where more than four tenths of the work can wait.",
    "Compressing prompts gave no stable result: eight companies gave it up.",
    "",
    "The sample holds no banks or insurers.",
)
INFORMATION = (
    b"<< /Title (Enterprise inference cost: summary) /Author (Dana Whitlock) /CreationDate (D:20260827090000Z) >>"
)


def document() -> bytes:
    """Return the PDF: its objects, their places, a trailer."""
    shown = "\n".join(f"({line.replace('(', '[').replace(')', ']')}) Tj T*" for line in LINES)
    content = f"BT /F1 11 Tf 16 TL 60 780 Td\n{shown}\nET".encode("ascii")
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        b" /Resources << /Font << /F1 4 0 R >> >> >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        INFORMATION,
    )
    written = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return (
        written
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
        + b"trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(written))
    )


if __name__ == "__main__":
    Path(__file__).with_name("north-report-inference-cost-summary.pdf").write_bytes(document())

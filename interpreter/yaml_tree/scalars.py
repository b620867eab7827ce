"""What a plain text means: only `true`, `false`, `null`, decimal integers and decimals are not text."""

from __future__ import annotations

from decimal import Decimal

from interpreter.diagnostics import Diagnostic, Edit, Words, finding, in_order
from interpreter.yaml_tree.nodes import Node, Scalar, Single, scalars
from rules.patterns import regex
from rules.values import number as exact_number

MOST_DIGITS = 34
_INTEGER = regex(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = regex(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
_SURPRISES = tuple(
    (regex(pattern), kind)
    for pattern, kind in (
        (r"[-+]?0[0-9_]+(?:\.[0-9_]*)?", "octal"),
        (r"[-+]?0o[0-7_]+", "octal"),
        (r"[-+]?0x[0-9a-fA-F_]+", "hexadecimal"),
        (r"[-+]?0b[01_]+", "binary"),
        (r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?", "sexagesimal"),
        (r"[-+]?(?:[0-9][0-9_]*)?\.?[0-9_]+[eE][-+]?[0-9]+|[-+]?[0-9][0-9_]*\.[eE][-+]?[0-9]+", "exponent"),
        (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9:. \tZ+-]*)?", "date"),
        (r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?|[-+]?[0-9][0-9_]*\.[0-9_]+", "underscore"),
        (r"[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*\.)", "bare-point"),
        (r"\+(?:0|[1-9][0-9]*)(?:\.[0-9]+)?", "plus-sign"),
        (r"[-+]?\.(?:inf|Inf|INF|nan|NaN|NAN)", "not-a-number"),
    )
)
WORDS: dict[str, tuple[Single, str | None]] = {
    "": (None, None),
    "null": (None, None),
    "true": (True, None),
    "false": (False, None),
    "~": ("~", "null-word"),
    "Null": ("Null", "null-word"),
    "NULL": ("NULL", "null-word"),
}
"""Shapes: a word that is not an ordinary text, to its value and the kind of surprise that it would be elsewhere."""
WORDS.update(
    (word, (word, "boolean-word"))
    for base in ("true", "false", "yes", "no", "on", "off", "y", "n")
    for word in (base, base.capitalize(), base.upper())
    if word not in ("true", "false")
)
#: What other programs make of each kind of text.
_ELSEWHERE = {
    "boolean-word": Words("YAML 1.1 读作 {meant}", "YAML 1.1 reads it as {meant}"),
    "null-word": Words("其他程序读作 null", "other programs read it as null"),
    "date": Words("YAML 1.1 读作日期", "YAML 1.1 reads it as a date"),
    "sexagesimal": Words("YAML 1.1 读作六十进制数", "YAML 1.1 reads it as a number to the base 60"),
    "octal": Words("其他程序可能读作八进制数", "other programs may read it as an octal number"),
    "digits": Words("其他程序会读成另一个数：位数太多", "other programs make another number of so many digits"),
    "not-a-number": Words("其他程序读作无穷大或非数", "other programs read it as infinity or as no number"),
}
_A_NUMBER = Words("其他程序可能读作数", "other programs may read it as a number")
_TRUE_WORDS = frozenset({"true", "yes", "on", "y"})
NUMERIC_START = frozenset("0123456789+-.")


def surprises(node: Node) -> list[Diagnostic]:
    """Return a warning for every text that YAML 1.1 reads as something else; not part of `read_tree`'s findings.

    A caller that reports such a text as an error (a number is wanted there) drops the warning at the same span.
    """
    return in_order(_surprise(scalar) for scalar in scalars(node) if scalar.surprise and not scalar.broken)


def _surprise(scalar: Scalar) -> Diagnostic:
    better = f'"{scalar.text}"'
    meant = "true" if scalar.text.lower() in _TRUE_WORDS else "false"
    zh, en = (words.replace("{meant}", meant) for words in _ELSEWHERE.get(scalar.surprise or "", _A_NUMBER))
    edit = Edit(scalar.span, better)
    return finding("yaml/surprise", scalar.span, edit=edit, value=scalar.text, why_zh=zh, why_en=en)


def numeral(text: str) -> tuple[int | Decimal | str, str | None]:
    """Return an exact number, or the text with the name of the YAML 1.1 form that it has."""
    number: type[int] | type[Decimal] | None = None
    if _INTEGER.fullmatch(text):
        number = int
    elif _DECIMAL.fullmatch(text):
        number = Decimal
    if number is not None:
        if len(text) <= MOST_DIGITS:
            return number(text), None
        try:
            return exact_number(text), None
        except ValueError:
            return text, "digits"
    for pattern, kind in _SURPRISES:
        if pattern.fullmatch(text):
            return text, kind
    return text, None

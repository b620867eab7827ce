"""What a plain text means: only `true`, `false`, `null`, decimal integers and decimals are not text."""

from __future__ import annotations

from decimal import Decimal

from interpreter.diagnostics import Diagnostic, Edit, finding, in_order
from interpreter.yaml_tree.nodes import Node, Scalar, Single, scalars
from rules.patterns import regex

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
NUMERIC_START = frozenset("0123456789+-.")


def surprises(node: Node) -> list[Diagnostic]:
    """Return a warning for every text that YAML 1.1 reads as something else; not part of `read_tree`'s findings.

    A caller that reports such a text as an error (a number is wanted there) drops the warning at the same span.
    """
    return in_order(_surprise(scalar) for scalar in scalars(node) if scalar.surprise and not scalar.broken)


def _surprise(scalar: Scalar) -> Diagnostic:
    better = f'"{scalar.text}"'
    return finding(
        "yaml/surprise", scalar.span, edit=Edit(scalar.span, better), value=scalar.text, kind=scalar.surprise
    )


def numeral(text: str) -> tuple[int | Decimal | str, str | None]:
    """Return an exact number, or the text with the name of the YAML 1.1 form that it has."""
    number: type[int] | type[Decimal] | None = None
    if _INTEGER.fullmatch(text):
        number = int
    elif _DECIMAL.fullmatch(text):
        number = Decimal
    if number is not None:
        digits = len(text) - (text[0] == "-") - (number is Decimal)
        return (number(text), None) if digits <= MOST_DIGITS else (text, "digits")
    for pattern, kind in _SURPRISES:
        if pattern.fullmatch(text):
            return text, kind
    return text, None

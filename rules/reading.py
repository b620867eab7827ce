"""Plain data of a rule document, read with findings; the one place that owns wrong shapes and near spellings.

Unknown and missing keys are the business of the published schema; here only what a reader trips over is found.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from rules.findings import Finding
from rules.patterns import regex
from rules.values import CannotEvaluate, canonical_text

Path = tuple[str | int, ...]
SHOWN_AT_MOST = 12


def found(code: str, path: Path, **facts: object) -> Finding:
    """Return a finding about a whole node of the document."""
    return Finding(f"rule/{code}", path, None, None, facts)


def shown(value: object) -> str:
    """Return a value as people know it from the document, for the facts of a finding."""
    if value is None:
        return "null"
    try:
        return canonical_text(value)
    except (CannotEvaluate, TypeError):  # a finding about a strange value must not fail on that value
        return str(value)


def by_nearness(word: str, allowed: Iterable[str]) -> str:
    """Return what may stand there as one line, the spelling that was most likely meant first."""
    from difflib import SequenceMatcher

    names = sorted(set(allowed))
    names.sort(key=lambda name: -SequenceMatcher(None, word, name).ratio())
    return ", ".join(names[:SHOWN_AT_MOST]) + (", …" if len(names) > SHOWN_AT_MOST else "")


def unknown(code: str, path: Path, name: object, allowed: Iterable[str], **facts: object) -> Finding:
    """Return a finding about a name that nothing declares, with what may stand there instead."""
    return found(code, path, name=shown(name), allowed=by_nearness(shown(name), allowed), **facts)


def read_mapping(value: object, path: Path, findings: list[Finding]) -> Mapping[str, Any]:
    """Return the mapping that stands there; an empty one, with a finding, for anything else."""
    if isinstance(value, Mapping):
        return value
    findings.append(found("wrong-shape", path, value=shown(value), expected="mapping"))
    return {}


def read_list(value: object, path: Path, findings: list[Finding]) -> list[Any]:
    """Return the list that stands there; an empty one, with a finding, for anything else."""
    if isinstance(value, list):
        return value
    findings.append(found("wrong-shape", path, value=shown(value), expected="list"))
    return []


def named_parts(
    body: Mapping[str, Any], key: str, path: Path, findings: list[Finding]
) -> Iterator[tuple[str, Mapping[str, Any], Path]]:
    """Yield name, mapping and path of each entry under a key; free-form `x-` notes and a missing key give none."""
    if key not in body:
        return
    for name, part in read_mapping(body[key], (*path, key), findings).items():
        if not is_note(name):
            here = (*path, key, name)
            if isinstance(part, Mapping):
                yield name, part, here
            else:
                findings.append(found("wrong-shape", here, value=shown(part), expected="mapping"))


NOTES = frozenset({"rule/text-is-a-name", "rule/unread-input", "rule/other-unit", "rule/share-of-hundred"})
"""Codes of findings that warn and leave the rule usable."""


def is_sound(findings: Iterable[Finding]) -> bool:
    """Tell whether nothing was found that keeps a rule from being used."""
    return all(finding.code in NOTES for finding in findings)


_FULL_WIDTH = regex("[\uff01-\uff5e\u3000]")
_PERCENT = regex(r"-?([0-9]+(?:\.[0-9]+)?)\s*%")


def miswritten(value: object, path: Path, name: str) -> Finding | None:
    """Return what is wrong with a number that was typed with full-width characters or a percent sign."""
    if not isinstance(value, str):
        return None
    plain = unicodedata.normalize("NFKC", value).strip()
    percent = _PERCENT.fullmatch(plain)
    if percent is not None:
        share = Decimal(percent[1]).scaleb(-2)
        facts = {"value": value, "name": name, "number": percent[1], "share": canonical_text(share)}
        return found("percent", path, **facts)
    if _FULL_WIDTH.search(value):
        return found("full-width", path, value=value, ascii=plain)
    return None


def is_note(key: object) -> bool:
    return isinstance(key, str) and key.startswith("x-")

"""What is wrong with the answer to a form, said at once: whoever fills it in mends all of it and answers once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interpreter import codes
from interpreter.ports import Check
from interpreter.words import Words, nearest

_MISSING = "run/answer-field-missing"


def form_faults(unknown: Sequence[str], allowed: Sequence[str], faults: Sequence[tuple[str, Check]]) -> Check:
    """Return what is wrong with an answer as one fault: its only one, or all of them in words.

    Shapes: `unknown` are names that no field has, `allowed` those of the fields, `faults` what is wrong in fields, with
    their names. A field that is missing because its name is misspelt is told once.
    """
    meant = {nearest(name, allowed) for name in unknown}
    found = [(field, fault) for field, fault in faults if fault.code != _MISSING or field not in meant]
    if unknown:
        facts = {"field": ", ".join(unknown), "allowed": ", ".join(allowed)}
        found.insert(0, ("", Check(None, "run/answer-unknown-field", facts)))
    if len(found) == 1:
        return found[0][1]
    told = [_told(field, fault) for field, fault in found]
    both = {"zh": "；".join(words.zh for words in told), "en": "; ".join(words.en for words in told)}
    return Check(None, "run/answer-faults", {"count": len(found), "faults": both})


def _told(field: str, fault: Check) -> Words:
    text = codes.CODES[fault.code].message
    words = Words(text.filled(_in("zh", fault.facts)).zh, text.filled(_in("en", fault.facts)).en)
    return words if not field or "field" in fault.facts else Words(f"{field}：{words.zh}", f"{field}: {words.en}")


def _in(language: str, facts: Mapping[str, object]) -> dict[str, object]:
    return {name: value[language] if isinstance(value, dict) else value for name, value in facts.items()}

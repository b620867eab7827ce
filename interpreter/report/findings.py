"""Findings of a run, which are recorded as codes and facts, as words."""

from __future__ import annotations

from typing import Any

from interpreter.codes.declared import Code
from interpreter.codes.reasons import reason_words
from interpreter.report.words import in_language, safe, shown
from interpreter.words import Words, at_home, filled


def finding_lines(finding: dict[str, Any], language: str, run: str = "RUN", home: str = "") -> list[tuple[str, str]]:
    """Return (kind, line) pairs: what stopped the run, its place, each condition that did not hold, what to do.

    Shapes: `run` is the id of the run, or what stands for it; `home` is what a command takes further to find it.
    """
    from interpreter.codes import CODES  # a run that goes well needs no words of it

    lines: list[tuple[str, str]] = []
    code = CODES.get(finding.get("code", ""))
    facts = {"run": run, **_facts(finding, language)}
    where = finding.get("where")
    place = f"{safe(str(where['file']))}:{where['line']}:{where['column']}" if where else ""
    if code is None:
        lines.append(("error", safe(str(finding.get("code")))))
    else:
        lines.append(("error", safe(code.message.filled(facts)[language])))
    for condition in finding.get("facts", {}).get("conditions", []):
        message = condition.get("message") or condition["condition"]
        at = condition.get("where")
        tail = f"  ({safe(str(at['file']))}:{at['line']})" if at else ""
        if condition["held"] is not False:
            tail += "  " + ("无法求值" if language == "zh" else "could not be evaluated")
        lines.append(("condition", f"  ✗ {shown(message, language)}{tail}"))
    error = finding.get("facts", {}).get("error")
    told = finding.get("facts", {}).get("findings") or (error.get("findings") if isinstance(error, dict) else None)
    lines += [line for one in told or () for line in refused_lines(one, language)]
    if place:
        lines.append(("place", f"  {place}"))
    if finding.get("entries"):
        lines.append(("place", f"  {_entries(finding['entries'], language)}"))
    expression = finding.get("facts", {}).get("expression")
    if expression:
        lines.append(("code", f"  {safe(str(expression))}"))
    advice = _advice(code, facts, home, write_begun=bool(finding.get("write_begun"))) if code is not None else None
    if advice is not None:
        label = "改法" if language == "zh" else "hint"
        lines.append(("hint", f"  {label}: {safe(advice[language])}"))
    return lines


def _advice(code: Code, facts: dict[str, str], home: str, *, write_begun: bool) -> Words | None:
    if write_begun and code.after_write is not None:
        return code.after_write.filled(facts)
    return code.hint.filled(facts).with_command(at_home(filled(code.command, facts), home)) if code.hint else None


def _entries(entries: list[dict[str, Any]], language: str) -> str:
    """Return in which entries of which loops a run stopped, the outermost first."""
    if language == "zh":
        return "，".join(f"第 {one['number']} 项（{safe(str(one['name']))}）" for one in entries)
    return ", ".join(f"entry {one['number']} ({safe(str(one['name']))})" for one in entries)


def refused_lines(found: dict[str, Any], language: str) -> list[tuple[str, str]]:
    """Return why a part of an answer was refused: its place in the answer, the judge's message, the quotation."""
    colon = "：" if language == "zh" else ": "
    at, rule = safe(str(found.get("at") or "")), safe(str(found.get("rule", "")))
    message = shown(found.get("message"), language)
    parts = [part for part in (at, f"{message} [{rule}]" if message else rule) if part]
    lines = [("condition", f"  ✗ {colon.join(parts)}")]
    details = found.get("details")
    quote = details.get("quote") if isinstance(details, dict) else None
    return [*lines, ("code", f"    “{shown(quote, language)}”")] if quote else lines


def _facts(finding: dict[str, Any], language: str) -> dict[str, str]:
    facts = {name: shown(value, language) for name, value in finding.get("facts", {}).items() if name != "conditions"}
    reason = str(finding.get("facts", {}).get("reason", ""))
    if reason:
        words = reason_words(reason, finding["facts"])
        facts["reason_zh"], facts["reason_en"] = words.zh, words.en
    error = finding.get("facts", {}).get("error")
    if isinstance(error, dict):
        told = error.get("message", "")
        if "happened" in error:  # a call failed; what a workflow says with `fail` is its own
            from interpreter.engine.problems import told_of_failure

            told = told_of_failure(error)
        message = shown(in_language(told, language), language)
        facts["error_text"] = f"{error.get('code')}: {message}" if message else str(error.get("code"))
    return facts

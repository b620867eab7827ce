"""`show --evidence`: the texts that citations stand on, and whether they still stand where they were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from interpreter.adapters.kept_evidence import kept_evidence, refused_in_answers, refused_quotations
from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.cli.context import Context, UsageError
from interpreter.ports import JsonObject
from interpreter.report.findings import refused_lines
from interpreter.report.words import instant, safe
from rules.values import canonical_text

_LONGEST_LINE = 100


def evidence(context: Context, journal: SqliteJournal) -> int:
    """Show the evidence of a run, or one unit of it; the exit status is 1 where a text no longer stands."""
    wanted: str = context.arguments.evidence
    units = kept_evidence(journal.rows(), journal.rows())
    quoted = _quoted(journal)
    units = [{**one, "quoted": not quoted.isdisjoint((one["evidence_id"], one["text"]))} for one in units]
    if context.arguments.quoted:
        units = [one for one in units if one["quoted"]]
    if wanted:
        units = [one for one in units if one["evidence_id"] == wanted]
        if not units:
            raise UsageError(
                context.say(f"这个运行没有证据 {safe(wanted)}", f"this run has no evidence {safe(wanted)}")
            )
    refused = refused_quotations(journal.rows()) if not wanted else []
    in_answers = refused_in_answers(journal.rows()) if not wanted else []
    status = 0 if all(one["stands"] for one in units) and not refused else 1
    if context.wants_json:
        context.print_json(
            {"run_id": context.arguments.run, "evidence": units, "refused": refused, "refused_in_answers": in_answers}
        )
        return status
    if not units:
        print(
            context.say("结果没有引用证据", "no evidence is quoted in the outputs")
            if context.arguments.quoted
            else context.say("没有证据", "no evidence")
        )
    for one in units:
        _unit(context, one, is_whole=bool(wanted))
    for place in refused:
        print(
            f"✗ {safe(place)}  "
            + context.say("引文在读到的文字里找不到", "a quotation that stands in nothing that was read")
        )
    for one in in_answers:
        _refused(context, one)
    return status


def _refused(context: Context, one: JsonObject) -> None:
    """Print what an answer pointed at or quoted and `bind` refused."""
    tool = safe(one["tool"])
    print(context.say(f"✗ {tool} 的回答中被拒绝的依据", f"✗ refused in an answer of {tool}"))
    for _, line in refused_lines(one, context.language):
        print(f"  {line}")


def _unit(context: Context, one: JsonObject, *, is_whole: bool) -> None:
    stands = (
        context.say("与原文逐字相同", "stands letter for letter")
        if one["stands"]
        else context.say("原文中已找不到", "is not found where it was read")
    )
    quoted = f"  [{context.say('结果中引用', 'quoted')}]" if one["quoted"] else ""
    print(f"{safe(one['evidence_id'])}  {safe(one['side'])}  {_source(one['source'])}{quoted}")
    place = f"{safe(one['path'])} @{one['offset']}  {instant(str(one['read_at']))}"
    print(f"  {'✓' if one['stands'] else '✗'} {stands}  {place}")
    text = safe(one["text"], line_breaks=is_whole)
    if is_whole:
        print("\n".join(f"  | {line}" for line in text.split("\n")))
        print(f"  {_body(context, one)}")
    else:
        print(f"  “{text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + '…'}”")


def _quoted(journal: SqliteJournal) -> frozenset[str]:
    """Return all texts of the outputs: a citation names the id of a unit or quotes all of its text."""
    outputs: Any = {}
    for row in journal.rows():
        if row.kind == "end":
            outputs = row.body.get("outputs", {})
    return frozenset(_texts(outputs))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _source(source: Any) -> str:
    named = source.get("title") or source.get("id") if isinstance(source, dict) else source
    return safe(canonical_text(named)) if named is not None else ""


def _body(context: Context, one: JsonObject) -> str:
    keys = list(dict.fromkeys(_calls(one["body"])))
    where = safe(", ".join(keys)) if any(keys) else context.say("输入", "the inputs")
    leaf = f"  {safe(one['leaf'])}" if one["leaf"] else ""
    return context.say(f"原文：{where}{leaf}", f"read in: {where}{leaf}")


def _calls(body: JsonObject) -> list[str]:
    if "parts" in body:
        return [key for part in body["parts"] for key in _calls(part)]
    return [f"{body['key']} {'.'.join(map(str, body['place']))}".strip()]

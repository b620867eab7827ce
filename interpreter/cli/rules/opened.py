"""Rule documents and facts as the questions about rules ask for them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any

from interpreter.cli.context import Context, Refused
from interpreter.cli.given import mapping_in, pairs
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, errors_of, finding, has_errors, in_order
from interpreter.documents.loading import Loaded, Loader, folder_of, name_below
from interpreter.documents.reading import Disk
from interpreter.report import rules as report
from interpreter.report.columns import width_for
from rules.cell_words import suggested_value
from rules.columns import Column, example_of, find_number
from rules.documents import Decision, RuleDocument, decide
from rules.facts import Names
from rules.records import record
from rules.values import CannotEvaluate, Value, canonical_text


@record
class Opened:
    """One rule document, as `Loader` read it, and the values of the documents that it reads thresholds of."""

    path: Path
    loaded: Loaded
    document: RuleDocument
    names: Names
    loader: Loader


def load(path: Path) -> tuple[Loader, Loaded]:
    if not path.exists():
        raise Refused(finding("yaml/file-missing", None, name=path))
    folder = folder_of(PurePath(path), "rules")
    loader = Loader(folder, Disk())
    return loader, loader.load(name_below(PurePath(path), folder), "rules")


def open_rules(path: Path, *, sound: bool = True) -> Opened:
    """Return a rule document. Errors: Refused where it cannot be read, or holds an error and should be `sound`."""
    loader, loaded = load(path)
    found = list(loader.all_diagnostics(loaded.name))
    errors = errors_of(found)
    if loaded.rules is None or (sound and errors):
        raise Refused(*in_order(errors or found))
    from interpreter.testing.rule_cases import values_read_by

    return Opened(path, loaded, loaded.rules, values_read_by(loaded.rules, loader), loader)


def asked_rule(context: Context, opened: Opened) -> str:
    """Return the rule that is asked about: the one that is named, or the only one."""
    names = list(opened.document.decidable)
    name = getattr(context.arguments, "rule", None)
    if name is None:
        if len(names) == 1:
            context.arguments.rule = names[0]
            return names[0]
        raise Refused(finding("command/which-rule", None, file=opened.path, names=", ".join(names) or "-"))
    short = name.removeprefix(f"{opened.document.name}.")
    if short not in names:
        is_fact = "=" in short and hasattr(context.arguments, "fact")
        hint = Words(f"写成 --fact {name}", f"write --fact {name}") if is_fact else did_you_mean(short, names)
        raise Refused(finding("command/no-such-rule", None, hint=hint, file=opened.path, name=name))
    return str(short)


def check_analysable(opened: Opened, name: str) -> None:
    document = opened.document
    if name not in document.tables and name not in document.scorecards:
        names = ", ".join([*document.tables, *document.scorecards]) or "-"
        raise Refused(finding("command/not-analysed", None, name=name, names=names))


def given_facts(context: Context, columns: Iterable[Column]) -> dict[str, Value]:
    """Return the given facts, each in the type that the rule declares. Errors: Refused."""
    arguments = context.arguments
    facts = mapping_in(arguments.facts) if arguments.facts is not None else {}
    return typed_facts(context, columns, pairs(arguments.fact, "--fact"), facts)


def typed_facts(
    context: Context, columns: Iterable[Column], texts: Mapping[str, str], facts: Mapping[str, Value]
) -> dict[str, Value]:
    """Return facts with those that texts of the command line say. Errors: Refused where one does not fit."""
    by_name = {column.name: column for column in columns}
    typed = {**facts, **{name: _typed(text, by_name.get(name)) for name, text in texts.items()}}
    found = [problem for name, value in typed.items() for problem in _unfit(name, value, by_name, context)]
    if found:
        raise Refused(*found)
    return typed


def _typed(text: str, column: Column | None) -> Value:
    """Return what a text on the command line means for a column; what does not fit stays text."""
    if column is None or column.kind in ("string", "date", "time", "date-time", "duration"):
        return None if text == "null" and column is not None and column.or_null else text
    if text == "null":
        return None
    if column.kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if column.kind in ("array", "object") or (column.kind == "any" and text[:1] in "[{"):
        from interpreter.source import Source
        from interpreter.yaml_tree import read_tree, to_value

        node, found = read_tree(Source("fact", text))
        return text if node is None or has_errors(found) else to_value(node)
    if column.kind == "any" and text in ("true", "false"):
        return text == "true"
    number = find_number(text)
    return text if number is None else number


def _unfit(name: str, value: Value, columns: Mapping[str, Column], context: Context) -> Iterable[Diagnostic]:
    column = columns.get(name)
    if column is None:
        hint = did_you_mean(name, columns)
        table = getattr(context.arguments, "rule", None) or ""
        yield finding("rule/unknown-fact", None, hint=hint, name=name, table=table)
        return
    try:
        column.take(value)
    except CannotEvaluate as failure:
        near: Words | None = None
        if failure.code == "outside-enum":
            near = did_you_mean(canonical_text(value), map(canonical_text, column.enum))
        elif failure.code == "different-kinds" and isinstance(value, str):
            near = _instead(value, column)
        facts: Mapping[str, Any] = failure.facts
        yield finding(f"rule/{failure.code}", None, hint=near, **facts)


def _instead(text: str, column: Column) -> Words | None:
    """Return how a fact is written; nothing for a number or truth in quotes, which only have to go."""
    meant = suggested_value(text, column.kind)
    if meant is None:
        example = example_of(column.kind)
        return Words(f"写成 {example} 这样", f"write it like {example}")
    return Words(f"是不是想写 {meant}？", f"did you mean {meant}?") if meant != text else None


def decided(opened: Opened, name: str, facts: Mapping[str, Value]) -> Decision | CannotEvaluate:
    try:
        return decide(opened.document, name, facts, opened.names)
    except CannotEvaluate as failure:
        return failure


def shown_answer(opened: Opened, name: str, answer: Value) -> Value:
    """Return an answer as it is compared and shown: of a scorecard its level and score."""
    if name in opened.document.scorecards and isinstance(answer, dict):
        return {"level": answer["level"], "score": answer["score"]}
    return answer


def print_lines(lines: Iterable[str]) -> None:
    for line in report.sentence_lines(lines, width_for(sys.stdout)):
        print(line)

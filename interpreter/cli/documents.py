"""`lint`, `graph`, `schema`, `explain`: documents alone; nothing that they name is started or contacted."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from interpreter.cli.context import Context
from interpreter.diagnostics import Diagnostic, Edit, did_you_mean, finding, has_errors
from interpreter.report import diagnostics as findings_report
from interpreter.report.columns import hanging, width_for

KINDS = ("workflow", "rules", "tools", "types", "profile", "tests")


def lint(context: Context) -> int:
    """Check documents; exit 0 clean, 1 findings, 2 usage."""
    from interpreter.lint import lint_paths

    arguments = context.arguments
    missing = [path for path in arguments.paths if not path.exists()]
    if missing:
        return context.refuse([finding("yaml/file-missing", None, name=path) for path in missing])
    found = lint_paths(arguments.paths)
    if arguments.fix:
        mended = mend(found)
        if mended:
            context.terminal.line(context.say(f"改正了 {mended} 处", f"mended {mended} places"), "green")
            found = lint_paths(arguments.paths)
    if arguments.format == "json":
        context.print_json(findings_report.as_json(found, context.language))
    else:
        for _, line in findings_report.as_text(found, context.language, width_for(sys.stdout)):
            print(line)
        print(findings_report.summary(found, context.language))
    return 1 if any(one.severity != "note" for one in found) else 0


def mend(found: list[Diagnostic]) -> int:
    """Write the edits of findings into their files; returns how many were made."""
    from interpreter.yaml_tree import apply_edits

    edits: dict[str, list[Edit]] = {}
    for one in found:
        if one.edit is not None:
            edits.setdefault(one.edit.span.source.name, []).append(one.edit)
    for name, wanted in edits.items():
        text = wanted[0].span.source.text
        Path(name).write_text(apply_edits(text, wanted), encoding="utf-8", newline="")
    return sum(len(wanted) for wanted in edits.values())


def graph(context: Context) -> int:
    """Print the states and transitions of a workflow as Mermaid."""
    from interpreter.documents import load_workflow
    from interpreter.report.mermaid import graph_of

    documents, found = load_workflow(context.arguments.spec)
    if documents is None or has_errors(found):
        return context.refuse([one for one in found if one.severity == "error"])
    print(graph_of(documents.workflow, context.language), end="")
    return 0


def schema(context: Context) -> int:
    from interpreter.shape import schema_text

    kind = context.arguments.kind
    if kind not in KINDS:
        return context.refuse([finding("command/unknown-kind", None, hint=did_you_mean(kind, KINDS), name=kind)])
    print(schema_text(kind), end="")
    return 0


def explain(context: Context) -> int:
    """Print what a code means, when it is found, and what to do about it."""
    from interpreter.codes import CODES, PHASES

    name, language = context.arguments.code, context.language
    code = CODES.get(name)
    if code is None:
        phase = name.partition("/")[0]
        near = [one for one in CODES if phase not in PHASES or one.startswith(f"{phase}/")]
        return context.refuse([finding("command/unknown-code", None, hint=did_you_mean(name, near), name=name)])
    severity = findings_report.SEVERITIES[language][code.severity]
    when = PHASES[name.partition("/")[0]][language]
    lines = [f"{name}: {context.say(f'{severity}，{when}', f'{severity}, {when}')}"]
    lines.append(f"  {_without_holes(code.message[language])}")
    if code.hint is not None:
        lines.append(f"  {context.say('改法', 'hint')}: {_without_holes(code.hint[language])}")
    for line in lines:
        for part in hanging(line, width_for(sys.stdout), 4):
            print(part)
    return 0


def _without_holes(text: str) -> str:
    """Return a text of a code with `…` for each of its facts."""
    return re.sub(r"\{\w+\}", "…", text)

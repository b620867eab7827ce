"""`lint`, `prove`, `graph`, `schema`, `explain`: documents alone; nothing that they name is started or contacted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter import __version__
from interpreter.cli.context import Context
from interpreter.diagnostics import Diagnostic, Edit, did_you_mean, finding, has_errors
from interpreter.report import diagnostics as findings_report
from interpreter.report.columns import hanging, width_for

if TYPE_CHECKING:
    from interpreter.documents import Loaded, Loader

#: What `prove` shows itself, with the whole way.
PROVED = frozenset({"flow/guarantee-broken", "flow/write-not-confirmed"})
KINDS = ("workflow", "rules", "tools", "types", "profile", "tests")


def lint(context: Context) -> int:
    """Check documents; exit 0 clean, 1 findings, 2 usage."""
    from interpreter.lint import lint_paths
    from interpreter.report.sarif import as_github, as_sarif

    arguments = context.arguments
    missing = [path for path in arguments.paths if not path.exists()]
    if missing:
        return context.refuse([finding("yaml/file-missing", None, name=path) for path in missing])
    found = lint_paths(arguments.paths, check_tests=_check_tests)
    if arguments.fix:
        mended = mend(found)
        if mended:
            context.terminal.line(context.say(f"改正了 {mended} 处", f"mended {mended} places"), "green")
            found = lint_paths(arguments.paths, check_tests=_check_tests)
    if arguments.format == "json":
        context.print_json(findings_report.as_json(found, context.language))
    elif arguments.format == "sarif":
        context.print_json(as_sarif(found, context.language, __version__))
    elif arguments.format == "github":
        for line in as_github(found, context.language):
            print(line)
    else:
        for _, line in findings_report.as_text(found, context.language, width_for(sys.stdout)):
            print(line)
        print(findings_report.summary(found, context.language))
    return 1 if any(one.severity != "note" for one in found) else 0


def _check_tests(loader: Loader, loaded: Loaded) -> Iterator[Diagnostic]:
    from interpreter.testing.checking import check_tests  # documents without tests do without it

    return check_tests(loader, loaded)


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
    """Draw the states of a workflow, or the way of a run through them."""
    from interpreter.documents import load_workflow
    from interpreter.report.mermaid import as_mermaid
    from interpreter.report.pictures import picture_of
    from interpreter.report.svg import as_svg

    arguments = context.arguments
    documents, found = load_workflow(arguments.spec)
    if documents is None or has_errors(found):
        return context.refuse([one for one in found if one.severity == "error"])
    visits = None
    if arguments.highlight is not None:
        visits, found = _visits_of(context, arguments.highlight)
        if visits is None:
            return context.refuse(found)
    picture = picture_of(documents.workflow, documents.tools, context.language, visits)
    print(as_svg(picture) if arguments.format == "svg" else as_mermaid(picture), end="")
    return 0


def _visits_of(context: Context, run_id: str) -> tuple[tuple[str, ...] | None, list[Diagnostic]]:
    """Return the states that a run came by, in order."""
    from interpreter.ports import JournalError
    from interpreter.session import journal_finding

    try:
        journal = context.store.open(run_id, lock=False)
        try:
            notes = [row.body for row in journal.rows() if row.kind == "trace"]
        finally:
            journal.close()
    except JournalError as error:
        return None, [journal_finding(run_id, error)]
    return tuple(body["state"] for body in notes if body["note"] == "state"), []


def prove(context: Context) -> int:
    """Say of each guarantee of a workflow whether every way keeps it; exit 0 when none is broken, 1, or 2."""
    from interpreter.check import check_documents
    from interpreter.check.proofs import prove as proofs_of
    from interpreter.documents import load_workflow
    from interpreter.report import proofs as proofs_report
    from interpreter.resolve import resolve

    documents, found = load_workflow(context.arguments.spec)
    if documents is not None and not has_errors(found):
        found = [*found, *check_documents(documents)]
    errors = [one for one in found if one.severity == "error" and one.code not in PROVED]
    if documents is None or errors:
        return context.refuse(errors)
    proofs = proofs_of(resolve(documents))
    if context.wants_json:
        context.print_json({"guarantees": proofs_report.as_json(proofs, context.language)})
    else:
        for kind, line in proofs_report.as_text(proofs, context.language):
            for part in hanging(line, width_for(sys.stdout), 8 if kind == "way" else 6):
                print(part)
    return 1 if any(proof.verdict in ("broken", "fails-when-refused") for proof in proofs) else 0


def schema(context: Context) -> int:
    from interpreter.shape import schema_text

    kind = context.arguments.kind
    if kind not in KINDS:
        return context.refuse([finding("command/unknown-kind", None, hint=did_you_mean(kind, KINDS), name=kind)])
    print(schema_text(kind), end="")
    return 0


def explain(context: Context) -> int:
    """Print what a code means, when it is found, why it matters and what to do about it, with examples."""
    from interpreter.codes import CODES, PHASES
    from interpreter.report.explained import examples_of, explained

    name, language = context.arguments.code, context.language
    if name not in CODES:
        phase = name.partition("/")[0]
        near = [one for one in CODES if phase not in PHASES or one.startswith(f"{phase}/")]
        return context.refuse([finding("command/unknown-code", None, hint=did_you_mean(name, near), name=name)])
    for line in [*explained(name, language, width_for(sys.stdout)), *examples_of(name, language)]:
        print(line)
    return 0

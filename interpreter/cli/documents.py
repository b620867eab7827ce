"""`lint`, `prove`, `graph`, `schema`, `explain`: documents alone; nothing that they name is started or contacted."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from interpreter import __version__
from interpreter.cli.context import Context
from interpreter.diagnostics import Diagnostic, Edit, Words, did_you_mean, errors_of, finding, has_errors, nearest
from interpreter.report import diagnostics as findings_report
from interpreter.report.columns import hanging, width_for
from interpreter.report.words import safe
from rules.patterns import regex
from rules.records import NamedTuple

if TYPE_CHECKING:
    from interpreter.check.proofs import Proof
    from interpreter.documents.loading import Loaded, Loader

#: What `prove` shows itself, with the whole way.
PROVED = frozenset({"flow/guarantee-broken", "flow/write-not-confirmed"})
_CODE = regex(r"[a-z]+/[a-z0-9-]+")


def lint(context: Context) -> int:
    """Check documents; exit 0 clean, 1 findings, 2 usage."""
    from interpreter.adapters.cache_files import cache_folder

    arguments = context.arguments
    missing = context.missing(arguments.paths)
    if missing:
        return context.refuse(missing) if arguments.format == "text" else _print_found(context, missing, 2)
    cache = None if arguments.no_cache else cache_folder("lint")
    found = found_in(arguments.paths, cache)
    if arguments.fix:
        mended = mend(found)
        if mended:
            places = "1 place" if mended == 1 else f"{mended} places"
            context.terminal.line(context.say(f"改正了 {mended} 处", f"mended {places}"), "green")
            found = found_in(arguments.paths, cache)
    return _print_found(context, found, 1 if any(one.severity != "note" for one in found) else 0)


def _print_found(context: Context, found: list[Diagnostic], status: int) -> int:
    """Print findings in the form that is wanted; returns the exit status."""
    form = context.arguments.format
    if form == "json":
        context.print_json(findings_report.as_json(found, context.language))
    elif form == "sarif":
        from interpreter.report.sarif import as_sarif

        context.print_json(as_sarif(found, context.language, __version__))
    elif form == "github":
        from interpreter.report.sarif import as_github

        for line in as_github(found, context.language):
            print(line)
    else:
        for _, line in findings_report.as_text(found, context.language, width_for(sys.stdout)):
            print(line)
        print(findings_report.summary(found, context.language))
    return status


def found_in(paths: Sequence[Path], cache: Path | None) -> list[Diagnostic]:
    """Return what is wrong in documents; of those that are known to be clean, nothing but their bytes is looked at.

    Shapes: `cache` is the folder in which clean ones are remembered, None where none are.
    """
    from interpreter.adapters.lint_cache import LintCache, NotedFiles

    known = LintCache(cache, paths)
    if known.is_clean():
        return []
    from interpreter.lint import lint_paths

    files = NotedFiles()
    found = lint_paths(paths, files, _check_tests, _check_settings)
    if not found:
        known.keep(files)
    return found


def _check_settings(loaded: Loaded) -> Iterator[Diagnostic]:
    from interpreter.adapters.written_settings import check_written_settings  # not without a profile

    return check_written_settings(loaded)


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
    from interpreter.documents.loading import load_workflow
    from interpreter.report.mermaid import as_mermaid
    from interpreter.report.pictures import picture_of
    from interpreter.report.svg import as_svg

    arguments = context.arguments
    documents, found = load_workflow(arguments.spec)
    if documents is None or has_errors(found):
        return context.refuse(errors_of(found))
    visits = _visits_of(context, arguments.highlight) if arguments.highlight is not None else None
    picture = picture_of(documents.workflow, documents.tools, context.language, visits)
    print(as_svg(picture) if arguments.format == "svg" else as_mermaid(picture), end="")
    return 0


def _visits_of(context: Context, run_id: str) -> tuple[str, ...]:
    """Return the states that a run came by, in order. Errors: Refused."""
    with context.open_run(run_id, lock=False) as journal:
        notes = [row.body for row in journal.rows() if row.kind == "trace"]
    return tuple(body["state"] for body in notes if body["note"] == "state")


def prove(context: Context) -> int:
    """Say of each guarantee of each workflow whether every way keeps it; exit 0 when none is broken, 1, or 2."""
    paths = context.arguments.specs
    if len(paths) == 1 and not paths[0].is_dir():
        one = _proved(paths[0])
        if one.errors:
            return context.refuse(one.errors)
        if context.wants_json:
            context.print_json({"guarantees": _as_json(one, context.language)["guarantees"]})
        else:
            _print_proofs(one.proofs, context.language)
        return one.status
    gone = context.missing(paths)
    workflows = [spec for path in paths for spec in (_workflows_below(path) if path.is_dir() else [path])]
    if gone or not workflows:
        return context.refuse(gone or [finding("command/no-workflows", None)])
    return _prove_all(context, workflows)


class _Proved(NamedTuple):
    """What is said of one workflow; `errors` stand where nothing can be said."""

    name: str
    proofs: list[Proof]
    errors: list[Diagnostic]

    @property
    def status(self) -> int:
        return 1 if any(proof.verdict in ("broken", "fails-when-refused") for proof in self.proofs) else 0


def _proved(spec: Path) -> _Proved:
    from interpreter.check.proofs import prove as proofs_of
    from interpreter.resolve import resolve
    from interpreter.session.preparing import checked

    documents, found = checked(spec, besides=PROVED)
    if documents is None:
        return _Proved(str(spec), [], [one for one in errors_of(found) if one.code not in PROVED])
    return _Proved(str(spec), list(proofs_of(resolve(documents))), [])


def _prove_all(context: Context, workflows: list[Path]) -> int:
    all_proved = [_proved(spec) for spec in dict.fromkeys(workflows)]
    for one in all_proved:
        if one.errors:
            context.terminal.diagnostics(one.errors)
        elif not context.wants_json:
            print(f"{safe(one.name)}:")
            _print_proofs(one.proofs, context.language)
    if context.wants_json:
        context.print_json({"workflows": [_as_json(one, context.language) for one in all_proved]})
    return 2 if any(one.errors for one in all_proved) else max(one.status for one in all_proved)


def _as_json(one: _Proved, language: str) -> dict[str, Any]:
    from interpreter.report import proofs as proofs_report

    told: dict[str, Any] = {"file": one.name, "guarantees": proofs_report.as_json(one.proofs, language)}
    if one.errors:
        told["error"] = {"code": one.errors[0].code, "message": one.errors[0].message[language]}
    return told


def _print_proofs(proofs: list[Proof], language: str) -> None:
    from interpreter.report import proofs as proofs_report

    for kind, line in proofs_report.as_text(proofs, language):
        for part in hanging(line, width_for(sys.stdout), 8 if kind == "way" else 6):
            print(part)


def _workflows_below(folder: Path) -> list[Path]:
    """Return the workflows in a folder and below it."""
    from interpreter.documents.loading import FOLDERS
    from interpreter.lint import documents_below

    return [path for path in documents_below(folder) or () if path.parent.name not in FOLDERS.values()]


def schema(context: Context) -> int:
    from interpreter.model import DOCUMENT_KINDS
    from interpreter.shape.checking import schema_text

    kind = context.arguments.kind
    if kind not in DOCUMENT_KINDS:
        return context.refuse(
            [finding("command/unknown-kind", None, hint=did_you_mean(kind, DOCUMENT_KINDS), name=kind)]
        )
    print(schema_text(kind), end="")
    return 0


def _code_in(text: str) -> str:
    """Return the code in a text as it was copied, with brackets or the word before it; the text where it has none."""
    from interpreter.codes import CODES

    found = [code for code in _CODE.findall(normalize("NFKC", text).casefold()) if code in CODES]
    return found[0] if len(found) == 1 else text


def _codes_meant(name: str) -> Words:
    """Return the codes that were meant by a name that is none: all that end so, the nearest, else those of its phase.

    The phase is left out of the comparison; as it stands in all of them, everything would be near.
    """
    from interpreter.codes import CODES, PHASES

    phase, slash, last = name.rpartition("/")
    if not slash and name in PHASES:
        phase, last = name, ""
    family = {code.partition("/")[2]: code for code in CODES if code.partition("/")[0] == phase}
    endings = family if family else {code.partition("/")[2]: code for code in CODES}
    near = last if last in endings else nearest(last, endings)
    meant = [code for code in CODES if code.partition("/")[2] == near and (not family or code in family.values())]
    if meant:
        return did_you_mean(meant[0], meant) if len(meant) == 1 else _any_of(meant)
    return _any_of(sorted(family.values())) if family else did_you_mean(name, PHASES)


def _any_of(names: list[str]) -> Words:
    return Words(f"有这些：{'、'.join(names)}", f"there are {', '.join(names)}")


def explain(context: Context) -> int:
    """Print what a code means, when it is found, why it matters and what to do about it, with examples."""
    from interpreter.codes import CODES
    from interpreter.report.explained import examples_of, explained

    language = context.language
    name = _code_in(context.arguments.code)
    if name not in CODES:
        return context.refuse([finding("command/unknown-code", None, hint=_codes_meant(name), name=name)])
    for line in [*explained(name, language, width_for(sys.stdout)), *examples_of(name, language)]:
        print(line)
    return 0

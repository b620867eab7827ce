"""`test`, `record`, `fuzz`: cases of tests documents, ended runs as cases, runs drawn at random."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from interpreter.adapters.runs import read_start
from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.cli.context import Context
from interpreter.diagnostics import Diagnostic, finding, has_errors
from interpreter.documents import Loader, folder_of, load_workflow
from interpreter.plan import plan_workflow
from interpreter.ports import JournalError
from interpreter.preparing import declared_inputs
from interpreter.reading import Disk, Recorded
from interpreter.report import diagnostics as findings_report
from interpreter.report import testing as report
from interpreter.report.columns import hanging, width_for
from interpreter.session import journal_finding
from interpreter.testing.cases import Suite, read_suite
from interpreter.testing.coverage import Coverage, share
from interpreter.testing.expectations import compare
from interpreter.testing.recording import case_of, document_of, first_difference, read_recording
from interpreter.testing.running import Happened, Workbench, check_answers, open_workbench, plan_for, run_case


class Ran(NamedTuple):
    """What came of one case: no findings where it passes."""

    id: str
    found: list[Diagnostic]


class Tested(NamedTuple):
    """One tests document. Shapes: `wrong` says why nothing of it could be run."""

    name: str
    workflow: str
    cases: list[Ran]
    wrong: list[Diagnostic]

    @property
    def passed(self) -> int:
        return sum(not case.found for case in self.cases)


def test(context: Context) -> int:
    """Run cases; exit 0 where all pass and enough is covered, 1 where not, 2 where nothing could be run."""
    arguments = context.arguments
    if arguments.replay:
        return _replay(context)
    paths = list(_documents(arguments.paths))
    missing = [path for path in arguments.paths if not path.exists()]
    if missing or not paths:
        gone = [finding("yaml/file-missing", None, name=path) for path in missing]
        return context.refuse(gone or [finding("command/no-tests", None)])
    coverage: dict[str, Coverage] = {}
    tested = [one for path in paths if (one := _tested(path, arguments.case, coverage)) is not None]
    wanted = arguments.min_coverage
    short = [
        name for name, covered in coverage.items() if wanted is not None and 100 * share(covered.counts()) < wanted
    ]
    if context.wants_json:
        context.print_json(_as_json(tested, coverage, context.language))
    else:
        for line in _lines(tested, coverage, short, context):
            print(line)
    if any(one.wrong for one in tested):
        return 2
    return 1 if short or any(one.passed < len(one.cases) for one in tested) else 0


def _documents(paths: list[Path]) -> list[Path]:
    """Return the tests documents that are named, or lie in a folder `tests` below one that is named."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = path.rglob("*.yaml") if path.name == "tests" else path.rglob("tests/*.yaml")
            found.extend(sorted(inside))
        elif path.exists():
            found.append(path)
    return found


def _tested(path: Path, only: str | None, coverage: dict[str, Coverage]) -> Tested | None:
    suite, found = read_suite(path, Loader(folder_of(path, "tests"), Disk()))
    if suite is None:
        # One without errors tests rules, which `rules test` does.
        return Tested(str(path), "", [], found) if has_errors(found) else None
    workbench, found = open_workbench(suite)
    if workbench is None:
        return Tested(str(path), str(suite.workflow), [], found)
    covered = coverage.setdefault(str(suite.workflow), Coverage())
    return Tested(str(path), str(suite.workflow), _ran(suite, workbench, only, covered), [])


def _ran(suite: Suite, workbench: Workbench, only: str | None, covered: Coverage) -> list[Ran]:
    ran = []
    for case in suite.cases:
        if only is not None and case.id != only:
            continue
        program, found = plan_for(workbench, case)
        if program is not None:
            found = check_answers(program, case)
        if program is not None and not found:
            covered.watch(program)
            walked, found = run_case(workbench, program, case)
            if walked is not None:
                covered.add(walked)
                found = list(compare(case, walked, program))
        ran.append(Ran(case.id, found))
    return ran


def _lines(tested: list[Tested], coverage: dict[str, Coverage], short: list[str], context: Context) -> list[str]:
    language, width = context.language, width_for(sys.stdout)
    lines: list[str] = []
    for one in tested:
        found = one.wrong or [diagnostic for case in one.cases for diagnostic in case.found]
        lines.extend(line for _, line in findings_report.as_text(found, language, width))
        if not one.wrong:
            lines.append(report.passed_line(one.name, one.passed, len(one.cases), language))
    if context.arguments.coverage or context.arguments.min_coverage is not None:
        for name, covered in coverage.items():
            for line in report.coverage_lines(name, covered.counts(), covered.missing(), language):
                lines.extend(hanging(line, width, 6))
    for name in short:
        wanted = context.arguments.min_coverage
        lines.append(context.say(f"{name}：覆盖不到 {wanted}%", f"{name}: less than {wanted}% is covered"))
    return lines


def _as_json(tested: list[Tested], coverage: dict[str, Coverage], language: str) -> dict[str, Any]:
    return {
        "tests": [
            {
                "file": one.name,
                "workflow": one.workflow or None,
                "cases": [
                    {"id": case.id, "passed": not case.found, **findings_report.as_json(case.found, language)}
                    for case in one.cases
                ],
                **findings_report.as_json(one.wrong, language),
            }
            for one in tested
        ],
        "coverage": {
            name: report.coverage_json(covered.counts(), covered.missing()) for name, covered in coverage.items()
        },
    }


def _replay(context: Context) -> int:
    """Run recorded runs again under the documents as they lie on the disk; say where each begins to differ."""
    told: list[dict[str, Any]] = []
    for run_id in context.arguments.paths:
        try:
            journal = context.store.open(str(run_id), lock=False)
        except JournalError as error:
            return context.refuse([journal_finding(str(run_id), error)])
        try:
            one, found = _replayed(journal, str(run_id))
        except JournalError as error:
            return context.refuse([journal_finding(str(run_id), error)])
        finally:
            journal.close()
        if one is None:
            return context.refuse(found)
        told.append(one)
    if context.wants_json:
        context.print_json({"replays": told})
    else:
        for one in told:
            for line in report.replay_lines(one, context.language):
                for part in hanging(line, width_for(sys.stdout), 6):
                    print(part)
    return 1 if any(one["differs"] for one in told) else 0


def _replayed(journal: SqliteJournal, run_id: str) -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    start = read_start(journal)
    suite = Suite(Path(run_id), Path(start["spec"]), None, ())
    workbench, found = open_workbench(suite)
    if workbench is None:
        return None, found
    recording = read_recording(start, journal, plan_workflow(workbench.documents), with_content=True)
    case = case_of("replay", recording)
    program, found = plan_for(workbench, case)
    if program is None:
        return None, found
    walked, found = run_case(workbench, program, case)
    if walked is None:
        return None, found
    differs = first_difference(recording, walked)
    told: dict[str, Any] = {"run": run_id, "events": len(recording.events), "differs": differs is not None}
    if differs is not None:
        after, then, now = differs
        told |= {"after": after, "then": _event(then), "now": _event(now)}
    return told, []


def _event(event: Happened | None) -> dict[str, Any] | None:
    return event._asdict() if event is not None else None


def fuzz(context: Context) -> int:
    """Draw runs of a workflow; exit 0 where nothing broke, 1 with a case to keep, 2 where nothing could be run."""
    try:
        from interpreter.testing.fuzzing import fuzz as drawn
    except ModuleNotFoundError as error:
        return context.refuse([finding("command/extra-missing", None, package=error.name, extra="fuzz")])
    arguments = context.arguments
    workbench, found = open_workbench(Suite(arguments.spec, arguments.spec, None, ()))
    if workbench is None:
        return context.refuse(found)
    program = plan_workflow(workbench.documents)
    fuzzed = drawn(workbench, program, arguments.runs, arguments.seed)
    fault = fuzzed.fault
    if fault is None:
        print(report.fuzzed_line(fuzzed.runs, fuzzed.endings, context.language))
        return 0
    context.terminal.finding(fault.finding)
    out = arguments.out
    name = out.stem if out is not None else f"{program.name}_fuzz"
    text, found = document_of(name, "smallest", fault.recording, workbench, program, ends=False)
    if text is None:
        return context.refuse(found)
    if out is None:
        print(text, end="")
        return 1
    return 1 if _write(context, out, text) == 0 else 2


def record(context: Context) -> int:
    """Write an ended run as a tests document."""
    arguments = context.arguments
    out = arguments.out
    name = arguments.name or (out.stem if out is not None else re.sub(r"\W", "_", f"run_{arguments.run}"))
    try:
        journal = context.store.open(arguments.run, lock=False)
    except JournalError as error:
        return context.refuse([journal_finding(arguments.run, error)])
    try:
        text, found = _recorded(journal, arguments.run, name, with_content=arguments.with_content)
    except JournalError as error:
        return context.refuse([journal_finding(arguments.run, error)])
    finally:
        journal.close()
    if text is None:
        return context.refuse(found)
    if arguments.out is not None:
        return _write(context, arguments.out, text)
    print(text, end="")
    return 0


def _write(context: Context, path: Path, text: str) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError:
        return context.refuse([finding("command/file-exists", None, file=path)])
    context.terminal.line(context.say(f"写入 {path}", f"written to {path}"), "green")
    return 0


def _recorded(
    journal: SqliteJournal, run_id: str, name: str, *, with_content: bool
) -> tuple[str | None, list[Diagnostic]]:
    """Return a run as the text of a tests document, or why it cannot be one."""
    start = read_start(journal)
    documents, found = load_workflow(Path(start["spec"]).name, Recorded(start["documents"]))
    if documents is None or has_errors(found):
        return None, found
    workbench = Workbench(documents, declared_inputs(documents), None)
    recording = read_recording(start, journal, plan_workflow(documents), with_content=with_content)
    if not recording.ended:
        return None, [finding("command/run-not-ended", None, run=run_id)]
    case_id = re.sub(r"[^\w-]", "-", f"run-{run_id}")
    program, found = plan_for(workbench, case_of(case_id, recording))
    if program is None:
        return None, found
    return document_of(name, case_id, recording, workbench, program)

"""`test`, `record`, `fuzz`: cases of tests documents, ended runs as cases, runs drawn at random."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from interpreter.adapters.runs import read_start
from interpreter.adapters.sqlite_journal import SqliteJournal
from interpreter.cli.context import Context
from interpreter.diagnostics import Diagnostic, did_you_mean, errors_of, finding, has_errors, in_order
from interpreter.documents.loading import Loader, folder_of, load_workflow, name_below
from interpreter.documents.reading import Disk, Recorded
from interpreter.plan import plan_workflow
from interpreter.report import diagnostics as findings_report
from interpreter.report import testing as report
from interpreter.report.columns import hanging, width_for
from interpreter.report.rule_cases import expected_said, got_said, missing_lines, result_json
from interpreter.session.beginnings import beginning_of, place_of
from interpreter.testing.cases import Case, Suite, read_suite, suite_of
from interpreter.testing.checking import check_case, known_of
from interpreter.testing.coverage import Coverage, share
from interpreter.testing.expectations import compare
from interpreter.testing.recording import case_of, document_of, first_difference, read_recording, replay_of
from interpreter.testing.rule_cases import (
    Result,
    RuleSuite,
    Verdict,
    check_rule_case,
    open_rules,
    rule_suite_of,
    verdicts_of,
    weigh,
)
from interpreter.testing.running import Happened, Workbench, open_workbench, plan_for, run_case
from rules.documents import RuleDocument
from rules.facts import Names
from rules.records import NamedTuple


class Ran(NamedTuple):
    """What came of one case: no findings where it passes."""

    id: str
    found: list[Diagnostic]


class Tested(NamedTuple):
    """One tests document.

    Shapes: `subject` is the workflow or the rule document that it is about; `wrong` says why nothing could be run.
    """

    name: str
    subject: str
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
    missing = context.missing(arguments.paths, ("specs/tests", "tests"))
    if missing or not paths:
        return context.refuse(missing or [finding("command/no-tests", None)])
    bench = _Bench(arguments.case)
    tested = [bench.run(path) for path in paths]
    if arguments.case is not None and not any(one.cases or one.wrong for one in tested):
        is_full = ":" in arguments.case
        hint = did_you_mean(arguments.case, [one for one in bench.ids if (":" in one) is is_full])
        return context.refuse([finding("command/no-such-case", None, name=arguments.case, hint=hint)])
    covered = bench.covered() if arguments.coverage or arguments.min_coverage is not None or context.wants_json else {}
    wanted = arguments.min_coverage
    short = [name for name, one in covered.items() if wanted is not None and 100 * share(one.counts()) < wanted]
    if context.wants_json:
        context.print_json(_as_json(tested, covered, context.language))
    else:
        for line in _lines(tested, covered, short, context):
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


class _Bench:
    """Runs tests documents, reading each folder, workflow and rule document once."""

    def __init__(self, only: str | None) -> None:
        self._only = only
        self.ids: list[str] = []
        self._loaders: dict[PurePath, Loader] = {}
        self._workbenches: dict[tuple[PurePath, PurePath | None], tuple[Workbench | None, list[Diagnostic]]] = {}
        self._coverage: dict[str, Coverage] = {}
        self._rules: dict[str, tuple[RuleDocument, Names, list[Verdict]]] = {}

    def run(self, path: Path) -> Tested:
        folder = folder_of(path, "tests")
        loader = self._loaders.setdefault(folder, Loader(folder, Disk()))
        loaded = loader.load(name_below(path, folder), "tests")
        found = in_order(loader.all_diagnostics(loaded.name))
        if has_errors(found) or loaded.node is None:
            return Tested(str(path), "", [], found)
        suite, found = suite_of(path, loaded.node)
        if suite is not None:
            return self._workflow(suite, found)
        rules, found = rule_suite_of(path, loaded.node)
        assert rules is not None  # the shape asks for one or the other
        return self._rule_document(rules, found, loader)

    def covered(self) -> dict[str, Coverage | Result]:
        """Return what cases came by, of each workflow, and what they notice, of each rule document."""
        rules = {
            name: weigh(document, names, tuple(verdicts)) for name, (document, names, verdicts) in self._rules.items()
        }
        return {**self._coverage, **rules}

    # --- workflows ---

    def _workflow(self, suite: Suite, found: list[Diagnostic]) -> Tested:
        key = (suite.workflow, suite.profile)
        if not has_errors(found) and key not in self._workbenches:
            self._workbenches[key] = open_workbench(suite)
        workbench, wrong = self._workbenches.get(key, (None, []))
        if has_errors(found) or workbench is None:
            return Tested(str(suite.path), str(suite.workflow), [], in_order(found) or wrong)
        name = str(suite.workflow)
        if name not in self._coverage:
            self._coverage[name] = Coverage()
            self._coverage[name].watch(plan_workflow(workbench.documents))
        covered = self._coverage[name]
        ran = [
            Ran(case.id, _ran(case, workbench, covered)) for case in suite.cases if self._is_wanted(suite.path, case.id)
        ]
        return Tested(str(suite.path), str(suite.workflow), ran, [])

    # --- rule documents ---

    def _rule_document(self, suite: RuleSuite, found: list[Diagnostic], loader: Loader) -> Tested:
        document, names, wrong = open_rules(suite, loader)
        if has_errors(found) or document is None:
            return Tested(str(suite.path), str(suite.place), [], found or wrong)
        cases = tuple(case for case in suite.cases if self._is_wanted(suite.path, case.id))
        verdicts = verdicts_of(document, names, cases)
        self._rules.setdefault(str(suite.place), (document, names, []))[2].extend(verdicts)
        return Tested(str(suite.path), str(suite.place), [_judged(document, one) for one in verdicts], [])

    def _is_wanted(self, path: PurePath, case_id: str) -> bool:
        """Whether a case is asked for: by its id, or by the name of its document too where several have that id."""
        whole = f"{path.stem}:{case_id}"
        self.ids += [case_id, whole]
        return self._only in (None, case_id, whole)


def _ran(case: Case, workbench: Workbench, covered: Coverage) -> list[Diagnostic]:
    """Run one case of a workflow; returns how it is not as expected."""
    found = errors_of(check_case(workbench.known, case))
    if found:
        return found
    program, found = plan_for(workbench, case)
    if program is None:
        return found
    covered.watch(program)
    walked, found = run_case(workbench, program, case)
    if walked is None:
        return found
    covered.add(walked)
    return list(compare(case, walked, program))


def _judged(document: RuleDocument, verdict: Verdict) -> Ran:
    case = verdict.case
    found = errors_of(check_rule_case(document, case))
    if not found and not verdict.passed:
        wanted, got = expected_said(verdict), got_said(verdict)
        facts: dict[str, Any] = {"wanted_zh": wanted.zh, "wanted_en": wanted.en, "found_zh": got.zh, "found_en": got.en}
        found = [finding("test/rule-differs", case.span, case=case.id, rule=case.rule, **facts)]
    return Ran(case.id, found)


def _lines(
    tested: list[Tested], covered: Mapping[str, Coverage | Result], short: list[str], context: Context
) -> list[str]:
    language, width = context.language, width_for(sys.stdout)
    lines: list[str] = []
    for one in tested:
        found = one.wrong or [diagnostic for case in one.cases for diagnostic in case.found]
        lines.extend(line for _, line in findings_report.as_text(found, language, width))
        if not one.wrong:
            lines.append(report.passed_line(one.name, one.passed, len(one.cases), language))
    for name, of in covered.items():
        for line in _coverage_lines(name, of, language):
            lines.extend(hanging(line, width, 6))
    for name in short:
        wanted = context.arguments.min_coverage
        lines.append(context.say(f"{name}：覆盖不到 {wanted}%", f"{name}: less than {wanted}% is covered"))
    if len(tested) > 1:
        passed, total = sum(one.passed for one in tested), sum(len(one.cases) for one in tested)
        lines.append(report.summary_line(len(tested), passed, total, language))
    return lines


def _coverage_lines(name: str, of: Coverage | Result, language: str) -> Iterator[str]:
    if isinstance(of, Coverage):
        yield from report.coverage_lines(name, of.counts(), of.missing(), language)
        return
    yield from report.count_lines(name, of.counts(), language)
    yield from (f"  {line}" for line in missing_lines(of, language))


def _as_json(tested: list[Tested], covered: Mapping[str, Coverage | Result], language: str) -> dict[str, Any]:
    return {
        "tests": [
            {
                "file": one.name,
                "subject": one.subject or None,
                "cases": [
                    {"id": case.id, "passed": not case.found, **findings_report.as_json(case.found, language)}
                    for case in one.cases
                ],
                **findings_report.as_json(one.wrong, language),
            }
            for one in tested
        ],
        "coverage": {
            name: report.coverage_json(of.counts(), of.missing())
            if isinstance(of, Coverage)
            else report.rules_coverage_json(of.counts(), result_json(of, language))
            for name, of in covered.items()
        },
    }


def _replay(context: Context) -> int:
    """Run recorded runs again under the documents as they lie on the disk; say where each begins to differ."""
    told: list[dict[str, Any]] = []
    for run_id in context.arguments.paths:
        with context.open_run(str(run_id), lock=False) as journal:
            one, found = _replayed(journal, str(run_id))
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
    read_start(journal)
    start = beginning_of(journal).start
    suite = Suite(Path(run_id), place_of(start, start["spec"]), None, ())
    workbench, found = open_workbench(suite)
    if workbench is None:
        return None, found
    recording = read_recording(start, journal, plan_workflow(workbench.documents), with_content=True)
    case = replay_of(recording)
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
    cases, profile = _cases_of(arguments.spec)
    workbench, found = open_workbench(Suite(arguments.spec, arguments.spec, profile, ()))
    if workbench is None:
        return context.refuse(found)
    program = plan_workflow(workbench.documents)
    fuzzed = drawn(workbench, program, arguments.runs, arguments.seed, cases)
    fault = fuzzed.fault
    if fault is None:
        lines = [report.fuzzed_line(fuzzed.runs, fuzzed.endings, context.language)]
        if fuzzed.reasons:
            lines.append(report.reasons_line(fuzzed.reasons, context.language))
        lines += report.unreached_lines(fuzzed.unreached, bool(cases), context.language)
        if arguments.seed is None:
            lines.append(report.again_line(fuzzed.seed, context.language))
        for line in lines:
            print("\n".join(hanging(line, width_for(sys.stdout), 2)))
        if fuzzed.stops:
            context.terminal.words(report.stops_line(len(fuzzed.stops), context.language))
        for stop in fuzzed.stops:
            context.terminal.finding(stop, with_hint=False)  # nothing is there to be resumed
        return 0
    context.terminal.finding(fault.finding)
    if arguments.seed is None:
        context.terminal.line(report.again_line(fuzzed.seed, context.language), "dim")
    out = arguments.out
    name = out.stem if out is not None else f"{program.name}_fuzz"
    text, found = document_of(name, "smallest", fault.recording, workbench, program, ends=False)
    if text is None:
        return context.refuse(found)
    if out is None:
        print(text, end="")
        return 1
    return 1 if _write(context, out, text) == 0 else 2


def _cases_of(spec: Path) -> tuple[tuple[Case, ...], PurePath | None]:
    """Return the cases beside a workflow, and the profile that answers where they say nothing."""
    cases: list[Case] = []
    profile: PurePath | None = None
    loader = Loader(spec.parent, Disk())
    for path in sorted((spec.parent / "tests").glob("*.yaml")):
        suite, _ = read_suite(path, loader)
        if suite is not None and suite.workflow == spec:
            cases.extend(suite.cases)
            profile = profile or suite.profile
    return tuple(cases), profile


def record(context: Context) -> int:
    """Write an ended run as a tests document."""
    arguments = context.arguments
    out = arguments.out
    name = arguments.name or (out.stem if out is not None else re.sub(r"\W", "_", f"run_{arguments.run}"))
    with context.open_run(arguments.run, lock=False) as journal:
        text, found = _recorded(journal, arguments.run, name, with_content=arguments.with_content)
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
    read_start(journal)
    start = beginning_of(journal).start
    documents, found = load_workflow(Path(start["spec"]).name, Recorded(start["documents"]))
    if documents is None or has_errors(found):
        return None, found
    workbench = Workbench(documents, known_of(documents), None)
    recording = read_recording(start, journal, plan_workflow(documents), with_content=with_content)
    if not recording.ended:
        return None, [finding("command/run-not-ended", None, run=run_id)]
    case_id = re.sub(r"[^\w-]", "-", f"run-{run_id}")
    program, found = plan_for(workbench, case_of(case_id, recording))
    if program is None:
        return None, found
    return document_of(name, case_id, recording, workbench, program)

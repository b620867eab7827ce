"""The long way to a program: read, check and plan documents, a profile and settings. `plan_cache` saves it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from interpreter.adapters.planning import plan_adapters
from interpreter.adapters.settings import whole_path
from interpreter.adapters.written_settings import check_written_settings
from interpreter.check import check_documents
from interpreter.check.defaults import check_defaults
from interpreter.check.profiles import check_profile
from interpreter.check.rules import check_contradictions
from interpreter.diagnostics import Diagnostic, Words, did_you_mean, errors_of, finding, has_errors, in_order
from interpreter.documents.causes import without_consequences
from interpreter.documents.loading import Documents, Loader, folder_of, load_workflow, name_below
from interpreter.documents.profiles import WholeProfile, whole_profile
from interpreter.documents.reading import Disk, Reader, Recorded
from interpreter.model import Contract, Profile
from interpreter.plan import plan_workflow
from interpreter.plan.program import CONFIRM_THROUGH
from interpreter.plan.shapes import describe, problem_of_declared
from interpreter.session.arguments import typed, value_of
from interpreter.session.planned import DeclaredInput, Planned, ProfileFacts, ProfileTool
from interpreter.source import Source
from interpreter.steps import all_questions
from interpreter.yaml_tree import read_tree, to_value
from rules.cell_words import in_plain_writing
from rules.columns import NUMBERS
from rules.findings import Finding
from rules.patterns import regex
from rules.values import digest

if TYPE_CHECKING:
    from rules.documents import RuleDocument
    from rules.thresholds import Threshold

_HAS_TOOL = regex(r"has_tool\(\s*['\"]([\w.]+)['\"]")
NO_TOOLS = "profile: local\ntools: {}\n"


def plan_from_disk(
    spec: PurePath, profile_path: PurePath, sets: Mapping[str, str]
) -> tuple[Planned | None, list[Diagnostic]]:
    """Return a checked workflow as it is to be walked under a profile, or why it cannot be."""
    documents, found = checked(spec)
    if documents is None:
        return None, found
    reader: Reader = Disk()
    if not documents.tools and not isinstance(reader.read(profile_path), str):
        # A workflow that calls nothing needs nobody to answer.
        reader = Recorded({profile_path.as_posix(): NO_TOOLS})
    whole, of_profile = checked_profile(profile_path, reader, documents.tools)
    found = [*found, *of_profile]
    if has_errors(found):
        return None, found
    planned, of_settings = _plan(documents, profile_path, whole, sets)
    return planned, [*found, *of_settings]


def plan_from_texts(
    name: str,
    texts: Mapping[str, str],
    profile_path: PurePath,
    profile_texts: Mapping[str, str],
    sets: Mapping[str, str],
) -> tuple[Planned | None, list[Diagnostic]]:
    """Return a workflow from texts that a run recorded; they were checked when it began."""
    documents, found = load_workflow(name, Recorded(texts))
    if documents is None or has_errors(found):
        return None, found
    recorded = {profile_path.with_name(f"{name}.yaml").as_posix(): text for name, text in profile_texts.items()}
    whole = _read_whole(profile_path, Recorded(recorded))[0]
    found = in_order(without_consequences(whole.diagnostics))
    if has_errors(found):
        return None, found
    planned, more = _plan(documents, profile_path, whole, sets)
    return planned, [*found, *more]


def checked(spec: PurePath, besides: Collection[str] = frozenset()) -> tuple[Documents | None, list[Diagnostic]]:
    """Return the documents of a workflow without errors, or None: whatever `lint` finds wrong in one of them.

    What rules merely forget is left to `lint`; it is no error, and to look for it takes the most time.
    Shapes: errors of the codes `besides` do not count.
    """
    loader = Loader(spec.parent, Disk())
    main = loader.load(spec.name, "workflow")
    documents = loader.documents(main)
    found = list(loader.all_diagnostics(main.name))
    if documents is not None and not has_errors(found):
        found += check_documents(documents)
        values = {name: rules.values for name, rules in documents.rules.items()}
        for loaded in documents.loaded.values():
            found += check_defaults(loaded, loader.shapes.definitions)
            found += check_contradictions(loaded, values)
    found = in_order(without_consequences(found))
    counts = any(one.code not in besides for one in errors_of(found))
    return (None if counts else documents), found


def checked_profile(
    path: PurePath, reader: Reader, contracts: Mapping[str, Contract]
) -> tuple[WholeProfile, list[Diagnostic]]:
    """Return a profile and whatever `lint` finds in what it and those that it extends say of these tools.

    Shapes: where the file is no profile there is an error.
    """
    whole, loader = _read_whole(path, reader)
    found = list(whole.diagnostics)
    if not has_errors(found):
        for part in whole.parts:
            found += check_defaults(part.loaded, loader.shapes.definitions)
            found += check_profile(part, contracts, of_one_workflow=True)
            found += check_written_settings(part.loaded)
    return whole, in_order(without_consequences(found))


def _read_whole(path: PurePath, reader: Reader) -> tuple[WholeProfile, Loader]:
    loader = Loader(folder_of(path, "profile"), reader)
    return whole_profile(loader, loader.load(name_below(path, loader.folder), "profile")), loader


def digests_now(spec: Path) -> Mapping[str, str]:
    """Return the digests of documents as they lie on the disk now; nothing where they cannot be read as a workflow."""
    documents, found = load_workflow(spec)
    return documents.digests if documents is not None and not has_errors(found) else {}


def profile_digests_now(path: Path) -> Mapping[str, str]:
    """Return the digests of a profile and of those that it extends, by the names of their files, as they lie there now.

    Shapes: nothing where they cannot be read.
    """
    whole, _ = _read_whole(path, Disk())
    nodes = {} if has_errors(whole.diagnostics) else {part.loaded.name: part.loaded.node for part in whole.parts}
    return {PurePath(name).stem: digest(to_value(node)) for name, node in nodes.items() if node is not None}


def says_the_same(one: str, other: str) -> bool:
    """Say whether two texts are the same document; comments and layout do not count. One with errors is another."""
    read = [read_tree(Source("", text)) for text in (one, other)]
    first, second = (
        digest(to_value(node)) if node is not None and not has_errors(found) else None for node, found in read
    )
    return first is not None and first == second


def _plan(
    documents: Documents, profile_path: PurePath, whole: WholeProfile, sets: Mapping[str, str]
) -> tuple[Planned | None, list[Diagnostic]]:
    profile = whole.profile
    assert profile is not None  # else there is an error
    rules, of_sets = overridden(documents, sets, [one.name for one in profile.settings])
    settings = _settings(profile, sets)
    adapters, of_tools = plan_adapters(profile, documents.tools, settings, profile_path.parent)
    found = [*of_sets, *of_tools]
    if not has_errors(found):
        found += _unanswered(documents, profile, frozenset(tool for plan in adapters for tool in plan.tools))
    program = None
    if not has_errors(found):
        through = set(CONFIRM_THROUGH)
        if profile.unattended_confirm:
            through.add("prepared")
        if "elicitation" in profile.confirm_through:
            through.add("host")
        answered = frozenset(tool for plan in adapters for tool in plan.tools)
        program = plan_workflow(documents, rules=rules, available_tools=answered, confirm_through=frozenset(through))
    tools = tuple(ProfileTool(one.adapter) for one in profile.tools)
    planned = Planned(
        texts={place: source.text for place, source in documents.sources.items()},
        digests=dict(documents.digests),
        questions=tuple(question.name for question in all_questions(documents.workflow)),
        inputs=declared_inputs(documents),
        profile=ProfileFacts(profile.name, profile.unattended_confirm, tools),
        profile_texts=whole.texts,
        adapters=adapters,
        program=program,
        sets=_with_whole_paths(profile, sets),
    )
    return planned, found


def _unanswered(documents: Documents, profile: Profile, answered: frozenset[str]) -> list[Diagnostic]:
    """Return a finding where states allow tools that the profile does not answer.

    A tool that the workflow asks for with `has_tool` may be missing; every other one would fail when it is called.
    """
    asked_for = {name for source in documents.sources.values() for name in _HAS_TOOL.findall(source.text)}
    allowed = {tool for state in documents.workflow.states for tool, _ in state.tools or ()}
    missing = sorted(allowed - answered - asked_for)
    if not missing:
        return []
    tools = ", ".join(missing)
    return [finding("command/tools-without-adapter", profile.tools_span, profile=profile.name, tools=tools)]


def declared_inputs(documents: Documents) -> tuple[DeclaredInput, ...]:
    return tuple(
        DeclaredInput(
            name=one.name,
            schema=one.schema,
            run_of=str(one.run_of) if one.run_of is not None else None,
            is_optional=one.default is not None,
            problem=problem_of_declared(one),
            wanted=describe(one.schema),
            hides=one.private or one.sensitive,
        )
        for one in documents.workflow.inputs
    )


def overridden(
    documents: Documents, sets: Mapping[str, str], settings: Sequence[str] = ()
) -> tuple[Mapping[str, RuleDocument], list[Diagnostic]]:
    """Return the rule documents with the thresholds that a person set.

    Shapes: `settings` are the names of the profile's settings, for somebody who left out `settings.`.
    """
    rules = dict(documents.rules)
    found: list[Diagnostic] = []
    wanted: dict[str, dict[str, Any]] = {}
    for name, text in sets.items():
        document, _, threshold = name.partition(".")
        if document == "settings":
            continue
        if document not in rules or threshold not in rules[document].thresholds:
            known = [f"{one.name}.{inner}" for one in rules.values() for inner in one.thresholds]
            known += [f"settings.{one}" for one in settings]
            meant = f"settings.{name}" if name in settings else name
            found.append(finding("command/unknown-threshold", None, hint=did_you_mean(meant, known), name=name))
            continue
        wanted.setdefault(document, {})[threshold] = _typed_for(rules[document].thresholds[threshold], text)
    for document, values in wanted.items():
        changed, problems = rules[document].with_overrides(values)
        for problem in problems:
            name = f"{document}.{problem.facts.get('name', '')}"
            hint = _in_plain_writing(rules[document], problem, sets.get(name, ""))
            facts: dict[str, Any] = {**problem.facts, "name": name}
            found.append(finding(problem.code, None, hint=hint, **facts))
        rules[document] = changed
    return rules, found


def _typed_for(threshold: Threshold, text: str) -> Any:
    """Return what a text means for a threshold: `007` stays a text where texts stand."""
    return value_of(text) if threshold.kind in NUMBERS else text


def _in_plain_writing(document: RuleDocument, problem: Finding, text: str) -> Words | None:
    """Return how a number or a date that a threshold does not take is written, where it is one."""
    name = str(problem.facts.get("name", ""))
    if problem.code != "rule/threshold-kind" or name not in document.thresholds:
        return None
    plain = in_plain_writing(text, document.thresholds[name].kind)
    is_taken = document.thresholds[name].refuses(_typed_for(document.thresholds[name], plain), ()) is None
    return did_you_mean(plain, [plain]) if is_taken and plain != text else None


def _settings(profile: Profile, sets: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that a person gave, with their declared kinds."""
    declared = {one.name: one for one in profile.settings}
    values: dict[str, Any] = {}
    for name, text in sets.items():
        document, _, setting = name.partition(".")
        if name in declared:
            # Only `settings.` was left out, which is a finding of its own; nothing is missing.
            values.setdefault(name, text)
        elif document == "settings":
            values[setting] = typed(text, declared[setting]) if setting in declared else text
    return values


def _with_whole_paths(profile: Profile, sets: Mapping[str, str]) -> dict[str, str]:
    """Return what a person set as it is recorded: paths as seen from any folder that the run may go on in."""
    declared = {f"settings.{one.name}": one for one in profile.settings}
    whole = dict(sets)
    for name in declared.keys() & sets.keys():
        whole[name] = whole_path(sets[name], declared[name].schema, "")
    return whole

"""`tools check`: whether what a profile names is there, signed in and permitted, and answers as the contracts say.

Nothing is written anywhere: programs are asked for their version, and only tools that read are called, those that the
profile lists under `checks`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import AdapterPlan, plan_adapters, settings_of
from interpreter.adapters.toolbox import Toolbox
from interpreter.cli.context import Context, Refused
from interpreter.cli.given import pairs
from interpreter.cli.trust import check_trust_in
from interpreter.diagnostics import Diagnostic, Words, errors_of, has_errors, in_order
from interpreter.documents.loading import Loader, folder_of, load_workflow, name_below
from interpreter.documents.reading import Disk
from interpreter.engine.program import ContractPlan
from interpreter.model import Contract, Profile, ProfileCheck
from interpreter.plan.contracts import contract_of
from interpreter.plan.values import Compiler, constant_of
from interpreter.ports import Answered, Request, ToolFailure
from interpreter.report.words import safe
from interpreter.session.arguments import typed
from rules.records import record
from rules.values import CannotEvaluate

#: How long a check may take where its contract does not say so. Units: seconds.
_WITHIN = 60.0
_MOST_PROBLEMS = 5


@record
class Line:
    """What was found of one thing.

    Shapes: `words` say what is wrong, or what is there; `code` is '' where all is well.
    """

    about: Words
    words: Words
    code: str = ""

    @property
    def is_good(self) -> bool:
        return not self.code


def check(context: Context) -> int:
    """Look at a profile and what it names; exit 0 where all is well, 1 where not, 2 where the documents are wrong."""
    try:
        profile, lines = _looked_at(context)
    except Refused as refused:
        return _refuse(context, refused.found)
    return _show(context, profile, lines)


def _looked_at(context: Context) -> tuple[Profile, list[Line]]:
    """Return a profile and what is found of it. Errors: Refused where the documents are wrong."""
    arguments = context.arguments
    profile_path = context.required_profile(arguments.profile, arguments.spec)
    profile, contracts, texts = load_profile_whole(profile_path)
    wanted: frozenset[str] | None = None
    if arguments.spec is not None:
        documents, found = load_workflow(arguments.spec)
        if documents is None or has_errors(found):
            raise Refused(*errors_of(found))
        contracts = {**contracts, **documents.tools}
        wanted = frozenset(tool for state in documents.workflow.states for tool, _ in state.tools or ())
    given = given_settings(context, profile)
    plans, found = plan_adapters(profile, contracts, given, profile_path.parent)
    if has_errors(found):
        raise Refused(*errors_of(found))
    check_trust_in(context, profile.name, texts, plans)
    settings, _ = settings_of(profile, given, profile_path.parent)
    lines = asyncio.run(_lines(profile, contracts, plans, settings))
    return profile, [*lines, *_unanswered(wanted, plans)]


def given_settings(context: Context, profile: Profile) -> dict[str, Any]:
    """Return the settings of a profile that were given on the command line, with their declared kinds."""
    declared = {one.name: one for one in profile.settings}
    given = {}
    for text, value in pairs(context.arguments.set, "--set").items():
        name = text.removeprefix("settings.")
        given[name] = typed(value, declared[name]) if name in declared else value
    return given


def load_profile_whole(path: Path) -> tuple[Profile, dict[str, Contract], Mapping[str, str]]:
    """Return a profile with all that it takes over, the contracts that it answers, and its texts by their names.

    Errors: Refused where one of them is wrong.
    """
    from interpreter.adapters.written_settings import check_written_settings
    from interpreter.check.profiles import check_profile
    from interpreter.documents.profiles import whole_profile

    loader = Loader(folder_of(PurePath(path), "profile"), Disk())
    whole = whole_profile(loader, loader.load(name_below(PurePath(path), loader.folder), "profile"))
    found, profile = list(whole.diagnostics), whole.profile
    if profile is None or has_errors(found):
        raise Refused(*errors_of(in_order(found)))
    for part in whole.parts:
        found += check_profile(part, loader.contracts_for(part.own))
        found += check_written_settings(part.loaded)
    if has_errors(found):
        raise Refused(*errors_of(in_order(found)))
    return profile, loader.contracts_for(profile) or {}, whole.texts


async def _lines(
    profile: Profile, contracts: Mapping[str, Contract], plans: tuple[AdapterPlan, ...], settings: Mapping[str, Any]
) -> list[Line]:
    lines: list[Line] = []
    boxes: dict[str, Toolbox | None] = {}
    for plan in plans:
        box, found = open_planned((plan,))
        refused = [_of_finding(plan, one) for one in found]
        lines += [line for line in refused if line not in lines]
        usable = box
        if box is not None:
            line = await _installed(plan, box)
            lines += [line] if line is not None else []
            usable = box if line is None or line.is_good else None
        boxes.update(dict.fromkeys(plan.tools, usable))
    for one in profile.checks:
        box = boxes.get(one.tool)
        if box is not None:
            lines.append(await _called(one, contract_of(contracts[one.tool]), box, settings))
        elif one.tool not in boxes:
            words = Words("profile 没有回答它", "the profile does not answer it")
            lines.append(Line(_title(one), words, "not_in_profile"))
    for box in {id(one): one for one in boxes.values() if one is not None}.values():
        await box.close()
    return lines


async def _installed(plan: AdapterPlan, box: Toolbox) -> Line | None:
    """Ask a program for its version; None for what is no program."""
    ask = getattr(box.adapter_of(plan.tools[0]), "installed", None)
    if ask is None:
        return None
    name = str(plan.settings.get("program", plan.adapter))
    about = Words(f"程序 {name}", f"program {name}")
    try:
        version = await ask()
    except ToolFailure as failed:
        return Line(about, _words_of(failed), failed.code)
    except TimeoutError:
        return Line(about, Words("没有及时说出版本", "it did not tell its version in time"), "timed_out")
    return Line(about, Words(version or "已安装", version or "installed"))


async def _called(check: ProfileCheck, contract: ContractPlan, box: Toolbox, settings: Mapping[str, Any]) -> Line:
    """Call a tool as a check of the profile says; what it is given and what it answers have to fit its contract."""
    about = _title(check)
    try:
        arguments = Compiler(frozenset()).value(check.arguments)({"settings": dict(settings)})
    except CannotEvaluate as error:
        return Line(about, Words(error.code, error.code), "setting_not_evaluated")
    problem = contract.check_input(arguments)
    if problem is not None:
        words = Words(f"参数不合契约：{problem.zh}", f"the arguments break the contract: {problem.en}")
        return Line(about, words, "invalid_arguments")
    seconds = contract.timeout if contract.timeout is not None else _WITHIN
    request = Request(contract.name, arguments, "read", "check", timeout=seconds)
    try:
        async with asyncio.timeout(seconds):
            value = await _answer_of(box, request)
    except ToolFailure as failed:
        return Line(about, _error_words(contract, failed), failed.code)
    except TimeoutError:
        return Line(about, Words("没有及时得到回答", "no answer came in time"), "timed_out")
    except Exception as error:
        kind = type(error).__name__
        return Line(about, Words(f"适配器出错：{kind}", f"the adapter failed: {kind}"), "adapter_failed")
    return _of_answer(about, contract, request, value)


async def _answer_of(box: Toolbox, request: Request) -> Any:
    """Return the bare answer of a tool, which some adapters give at once and some later."""
    answer = box.invoke(request, lambda: False)
    if hasattr(answer, "__await__"):
        answer = await answer
    return answer.value if isinstance(answer, Answered) else answer


def _of_answer(about: Words, contract: ContractPlan, request: Request, value: Any) -> Line:
    """Return whether an answer fits its contract, and where it does not."""
    if contract.interpret(request, value)["ok"]:
        return Line(about, Words("回答符合契约", "the answer fits its contract"))
    found = contract.problems(value)[:_MOST_PROBLEMS]
    zh, en = ("; ".join(f"{place or '/'}: {words[language]}" for place, words in found) for language in ("zh", "en"))
    words = Words(f"回答不合 {contract.name} 的契约：{zh}", f"the answer breaks the contract of {contract.name}: {en}")
    return Line(about, words, "invalid_answer")


def _title(check: ProfileCheck) -> Words:
    title = constant_of(check.title, None)
    if isinstance(title, dict):
        return Words(f"{title.get('zh', '')}（{check.tool}）", f"{title.get('en', '')} ({check.tool})")
    return Words(f"{title}（{check.tool}）", f"{title} ({check.tool})") if title else Words(check.tool, check.tool)


def _words_of(failed: ToolFailure) -> Words:
    message = failed.details.get("message")
    if isinstance(message, dict) and {"zh", "en"} <= set(message):
        return Words(str(message["zh"]), str(message["en"]))
    return Words(failed.message, failed.message)


def _error_words(contract: ContractPlan, failed: ToolFailure) -> Words:
    """Return what the contract calls an error, and what was said of it."""
    said = _words_of(failed)
    meaning = contract.errors.get(failed.code)
    title = getattr(meaning, "title", None)
    if isinstance(title, dict):
        return Words(f"{title.get('zh')}：{said.zh}", f"{title.get('en')}: {said.en}")
    return said


def _of_finding(plan: AdapterPlan, found: Diagnostic) -> Line:
    about = Words(f"适配器 {plan.adapter}", f"adapter {plan.adapter}")
    hint = found.hint
    zh = f"{found.message.zh}；{hint.zh}" if hint is not None else found.message.zh
    en = f"{found.message.en}; {hint.en}" if hint is not None else found.message.en
    return Line(about, Words(zh, en), found.code)


def _unanswered(wanted: frozenset[str] | None, plans: tuple[AdapterPlan, ...]) -> list[Line]:
    answered = {tool for plan in plans for tool in plan.tools}
    words = Words("流程允许调用它，profile 没有回答它", "the workflow may call it, and the profile does not answer it")
    return [Line(Words(tool, tool), words, "not_in_profile") for tool in sorted((wanted or frozenset()) - answered)]


def _show(context: Context, profile: Profile, lines: list[Line]) -> int:
    good = all(line.is_good for line in lines)
    if context.wants_json:
        found = [
            {
                "about": line.about[context.language],
                "ok": line.is_good,
                "words": line.words[context.language],
                "code": line.code,
            }
            for line in lines
        ]
        context.print_json({"profile": profile.name, "ok": good, "found": found})
        return 0 if good else 1
    for line in lines:
        about, words = safe(line.about[context.language]), safe(line.words[context.language])
        print(f"{'✓' if line.is_good else '✗'} {about}: {words}")
    if not profile.checks:
        print(
            context.say(
                "profile 没有写 checks，所以没有调用任何工具；写法：checks: [{call: 工具, with: {…}}]",
                "the profile lists no checks, so no tool was called; write checks: [{call: TOOL, with: {…}}]",
            )
        )
    return 0 if good else 1


def _refuse(context: Context, errors: list[Diagnostic]) -> int:
    context.terminal.diagnostics(errors)
    if context.wants_json:
        found = [{"about": "", "ok": False, "words": one.message[context.language], "code": one.code} for one in errors]
        context.print_json({"profile": "", "ok": False, "found": found})
    return 2

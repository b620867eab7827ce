"""What is wrong with arguments, in the language of the person, with the form that is wanted and the nearest spelling.

argparse has one text for each mistake, in English; where it has one that is not known here, only the usage is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interpreter.cli.wrong_pairs import EXAMPLES
from interpreter.diagnostics import MOST_LISTED, Words, did_you_mean, nearest
from interpreter.report.words import safe
from interpreter.safety.written_secrets import masked_text

_MISTAKES = (
    (
        r"argument (?P<option>-[^:]*): invalid choice: '?(?P<given>[^']*?)'? \(choose from (?P<allowed>.*)\)",
        Words("{option} 不能是 {given}", "{option} cannot be {given}"),
    ),
    (
        r"argument (?P<given>[^:]*): invalid int value: '?(?P<value>.*?)'?$",
        Words(
            "{given} 不能是 {value}：要一个整数，例如 {given} 10",
            "{given} cannot be {value}: a whole number is wanted, for example {given} 10",
        ),
    ),
    (
        r"argument (?P<given>[^:]*): invalid float value: '?(?P<value>.*?)'?$",
        Words(
            "{given} 不能是 {value}：要一个数，例如 {given} 80",
            "{given} cannot be {value}: a number is wanted, for example {given} 80",
        ),
    ),
    (
        r"argument (?P<given>[^:]*): invalid \w+ value: '?(?P<value>.*?)'?$",
        Words("{given} 不能是 {value}", "{given} cannot be {value}"),
    ),
    (
        r"invalid choice: '?(?P<given>[^']*?)'? \(choose from (?P<allowed>.*)\)",
        Words("没有命令 {given}", "there is no command {given}"),
    ),
    (r"unrecognized arguments: (?P<given>.*)", Words("不认识 {given}", "{given} is not known here")),
    (r"the following arguments are required: (?P<given>.*)", Words("还缺少 {given}", "{given} is missing")),
    (
        r"one of the arguments (?P<given>.*) is required",
        Words("还缺少其中之一：{given}", "one of these is missing: {given}"),
    ),
    (
        r"argument (?P<given>.*): expected (?:one|at least one|\d+) arguments?",
        Words("{given} 后面要写一个值", "{given} needs a value"),
    ),
    (
        r"argument (?P<given>.*): ignored explicit argument '?(?P<value>.*?)'?$",
        Words("{given} 后面不写值，{value} 是多余的", "{given} takes no value, {value} is too much"),
    ),
    (
        r"ambiguous option: (?P<given>\S+) could match (?P<others>.*)",
        Words("{given} 没有写全，可能是 {others}", "{given} is not written out, it may be {others}"),
    ),
    (
        r"argument (?P<given>.*): not allowed with argument (?P<other>.*)",
        Words("{given} 和 {other} 不能同时用", "{given} and {other} exclude each other"),
    ),
)
_UNKNOWN = Words("参数不能这样写", "arguments cannot be written like this")
#: Two hyphens, and what a keyboard or an editor makes of them.
_DASHES = re.compile(r"[-‐‑–—―−－]+(?=[a-z])")
#: What other programs call our commands.
_OF_OTHERS = {
    **dict.fromkeys(("list", "ls", "ps", "history", "prune", "clean", "delete", "remove", "rm"), "runs"),
    **dict.fromkeys(("status", "log", "logs", "inspect", "describe", "view", "report"), "show"),
    **dict.fromkeys(("approve", "confirm", "reply", "reject", "respond"), "answer"),
    **dict.fromkeys(("start", "execute", "exec", "launch", "apply"), "run"),
    **dict.fromkeys(("continue", "retry", "restart"), "resume"),
    **dict.fromkeys(("stop", "abort", "kill", "terminate"), "cancel"),
    **dict.fromkeys(("check", "validate", "verify", "fix"), "lint"),
    **dict.fromkeys(("init", "create", "scaffold"), "new"),
    **dict.fromkeys(("draw", "diagram", "plot"), "graph"),
}
_ALL_COMMANDS = Words("interpreter help 列出全部命令", "interpreter help lists all of them")


def usage_text(problem: str, usage: str, language: str, arguments: Sequence[str] = ()) -> str:
    """Return what is wrong, what was perhaps meant, and how the verb is used."""
    words = _of_dashes(arguments, usage) or _words(problem, usage)
    usage_shown = usage.replace("usage:", "用法：", 1) if language == "zh" else usage
    return f"{safe(masked_text(words[language]))}\n{usage_shown}"


def _of_dashes(arguments: Sequence[str], usage: str) -> Words | None:
    """Say which argument is an option but for the dashes before it: two hyphens soon become one dash."""
    for given in arguments:
        dashes = _DASHES.match(given)
        written = "" if dashes is None else f"--{given[dashes.end() :]}"
        if dashes is not None and dashes[0] != "--" and written.partition("=")[0] in re.findall(r"--[\w-]+", usage):
            return Words(
                f"{given} 前面不是两个半角连字符：写成 {written}",
                f"{given} does not begin with two hyphens: write {written}",
            )
    return None


def _words(problem: str, usage: str) -> Words:
    for pattern, words in _MISTAKES:
        found = re.search(pattern, problem)
        if found is None:
            continue
        facts = found.groupdict()
        words, hint = words.filled(facts), _hint(facts, problem, usage)
        return words if hint is None else Words(f"{words.zh}；{hint.zh}", f"{words.en}; {hint.en}")
    return _UNKNOWN


def _hint(facts: dict[str, str], problem: str, usage: str) -> Words | None:
    """Return the nearest spelling, the verb that knows an option, or the form of the value that is missing."""
    if "allowed" in facts:
        allowed, meant = re.findall(r"[\w-]+", facts["allowed"]), _OF_OTHERS.get(facts["given"], "")
        if meant in allowed:
            return did_you_mean(meant, [meant])
        is_long = len(allowed) > MOST_LISTED and nearest(facts["given"], allowed) is None
        return _ALL_COMMANDS if is_long else _nearest(facts["given"], allowed)
    if problem.startswith("unrecognized") and facts["given"].startswith("-"):
        option = re.split("[= ]", facts["given"])[0]
        verbs = _verbs_with(option)
        if verbs:
            names = ", ".join(verbs)
            return Words(f"它是 {names} 的选项", f"it is an option of {names}")
        return _nearest(option, re.findall(r"--[\w-]+", usage))
    if problem.startswith("unrecognized"):
        return _as_option(facts["given"], usage)
    if ": expected " in problem:
        form = re.search(rf"{re.escape(facts['given'])} ([A-Z][A-Z=]*)", usage)
        written = f"{facts['given']} {form[1]}" if form is not None else ""
        example = EXAMPLES.get(facts["given"])
        if example is not None:
            return Words(f"例如 {facts['given']} {example}", f"for example {facts['given']} {example}")
        return Words(f"写成 {written}", f"write {written}") if written else None
    return None


def _as_option(given: str, usage: str) -> Words | None:
    """Return how a `name=value` that stands alone is given to a verb that takes some."""
    pair = re.match(r"([^\W\d][\w.-]*)[=＝](\S*)", given)
    option = next((option for option in ("--fact", "--input") if f"[{option} " in usage), None)
    if pair is None or option is None:
        return None
    written = f"{option} {pair[1]}={pair[2]}"
    return Words(f"写成 {written}", f"write {written}")


def _nearest(given: str, allowed: list[str]) -> Words:
    return did_you_mean(re.split("[= ]", given)[0], allowed)


def _verbs_with(option: str) -> list[str]:
    """Return the verbs, those of a verb included, that have an option which the verb that was asked for lacks."""
    import argparse

    from interpreter.cli.arguments import build_parser

    found: list[str] = []
    waiting = [("", build_parser("en"))]
    while waiting:
        name, parser = waiting.pop(0)
        if name and option in parser._option_string_actions:
            found.append(name)
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                waiting.extend((f"{name} {verb}".strip(), inner) for verb, inner in action.choices.items())
    return found

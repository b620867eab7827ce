"""What is wrong with arguments, in the language of the person and with the nearest spelling.

argparse has one text for each mistake, in English; a text that is not known here is shown as it is.
"""

from __future__ import annotations

import re

from interpreter.diagnostics import did_you_mean

_MISTAKES = (
    (
        r"argument (?P<option>-[^:]*): invalid choice: '?(?P<given>[^']*?)'? \(choose from (?P<allowed>.*)\)",
        "{option} 不能是 {given}",
        "{option} cannot be {given}",
    ),
    (
        r"argument (?P<given>[^:]*): invalid \w+ value: (?P<value>.*)",
        "{given} 不能是 {value}",
        "{given} cannot be {value}",
    ),
    (
        r"invalid choice: '?(?P<given>[^']*?)'? \(choose from (?P<allowed>.*)\)",
        "没有命令 {given}",
        "there is no command {given}",
    ),
    (r"unrecognized arguments: (?P<given>.*)", "不认识 {given}", "{given} is not known here"),
    (r"the following arguments are required: (?P<given>.*)", "还缺少 {given}", "{given} is missing"),
    (r"argument (?P<given>.*): expected one argument", "{given} 后面要写一个值", "{given} needs a value"),
    (
        r"argument (?P<given>.*): not allowed with argument (?P<other>.*)",
        "{given} 和 {other} 不能同时用",
        "{given} and {other} exclude each other",
    ),
)


def usage_text(problem: str, usage: str, language: str) -> str:
    """Return what is wrong, what was perhaps meant, and how the verb is used."""
    words = _words(problem, usage, language)
    if language == "zh":
        usage = usage.replace("usage:", "用法：", 1)
    return f"{words}\n{usage}"


def _words(problem: str, usage: str, language: str) -> str:
    for pattern, zh, en in _MISTAKES:
        found = re.search(pattern, problem)
        if found is None:
            continue
        facts = found.groupdict()
        text = (zh if language == "zh" else en).format(**facts)
        allowed = _allowed(facts, problem, usage)
        if not allowed:
            return text
        hint = did_you_mean(facts["given"].split("=")[0].split(" ")[0], allowed)
        return f"{text}{'；' if language == 'zh' else '; '}{hint[language]}"
    return problem


def _allowed(facts: dict[str, str], problem: str, usage: str) -> list[str]:
    if "allowed" in facts:
        return re.findall(r"[\w-]+", facts["allowed"])
    if problem.startswith("unrecognized") and facts["given"].startswith("-"):
        return re.findall(r"--[\w-]+", usage)
    return []

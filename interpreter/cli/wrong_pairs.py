"""What is wrong with a `name=value` of the command line, and what to write instead."""

from __future__ import annotations

import re
from unicodedata import normalize

from interpreter.report.words import safe
from interpreter.words import Words

#: An example of each argument that takes a name and a value.
EXAMPLES = {
    "--input": "topic=tea",
    "--set": "limits.most=5",
    "--budget": "calls=+100",
    "--fact": "amount=200",
    "--change": "amount=200",
}
#: What is meant as an amount, with a sign of any keyboard or none.
_NUMBER = re.compile(r"\+*([0-9]{1,12})")
#: A name and its value with the wrong sign between them.
_COLON = re.compile(r"([^\W\d][\w.-]*)[ \t]*[:：][ \t]*(?!//)(.*)")


def of_pair(option: str, given: str, *, is_there: bool) -> Words:
    """Say why a text is no `name=value` of an option, or that its name stands there twice."""
    name, equals, _ = safe(given).partition("=")
    given = safe(given)
    if is_there:
        return Words(f"{option} {name} 给了两次，只写一次", f"{option} {name} is given twice; give it once")
    example = f"{option} {EXAMPLES.get(option, 'name=value')}"
    if "＝" in given and not equals:
        half = given.replace("＝", "=", 1)
        return Words(
            f"{option} {given} 里的 ＝ 是全角：写成 {option} {half}",
            f"{option} {given}: the ＝ is full-width; write {option} {half}",
        )
    colon = _COLON.fullmatch(given)
    if colon is not None and not equals:
        half = f"{colon[1]}={colon[2]}"
        return Words(
            f"{option} {given} 用了冒号：写成 {option} {half}",
            f"{option} {given} has a colon for the =; write {option} {half}",
        )
    if equals:
        return Words(
            f"{option} {given} 的 = 前面没有名称：写成 名称=值，例如 {example}",
            f"{option} {given}: no name stands before the =; write name=value, for example {example}",
        )
    return Words(
        f"{option} {given} 里没有 =：写成 名称=值，例如 {option} {given}=… 或 {example}",
        f"{option} {given}: there is no =; write name=value, such as {option} {given}=… or {example}",
    )


def of_budget(name: str, amount: str) -> Words:
    """Say why a text is no amount by which a budget grows."""
    name, amount = safe(name), safe(amount)
    given, number = f"--budget {name}={amount}", _NUMBER.fullmatch(normalize("NFKC", amount))
    if number is not None:
        more = f"--budget {name}=+{number[1]}"
        return Words(
            f"{given}：预算只能增加，不能改成某个数；要再加 {number[1]} 次，写成 {more}",
            f"{given}: a budget can be given more, and is not set to a number; for {number[1]} more write {more}",
        )
    return Words(
        f"{given}：“{amount}”不是要增加的数；写成 +整数，例如 --budget {name}=+100",
        f"{given}: “{amount}” is no number to add; write + and a whole number, for example --budget {name}=+100",
    )


def of_wanted(given: str) -> Words:
    """Say why a text names no answer of a rule."""
    given = safe(given)
    return Words(
        f"{given} 里没有 =：写成 规则=结果，例如 {given}=approve",
        f"{given}: there is no =; write RULE=ANSWER, for example {given}=approve",
    )

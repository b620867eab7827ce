"""The arguments of a program, made of the arguments of a call; data never becomes a flag, a file, or the program.

What is written in the profile may be anything. What comes from data is looked at: a value that begins with `-` stands
after `=` or after `--`, else it is refused; a field that names a file never comes from data, because many programs read
a local file then. They do so too for `@name`, `field=@name` and `field=<name`. So data that begins with one of the two
signs is refused wherever it begins: alone, behind a flag, and behind written words that end in a sign which parts; and
so is data that holds such a form at its beginning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.mapping import failure
from interpreter.adapters.reasons import reason_of
from interpreter.engine.frame import Evaluate
from interpreter.ports import ToolFailure
from interpreter.safety.programs import names_a_file
from rules.patterns import regex
from rules.records import record
from rules.values import ABSENT, CannotEvaluate, canonical_text, dumps

#: The most bytes of one argument that Linux takes.
_LONGEST = 131_071
#: With these many programs name a file whose content they take.
_MARKS = ("@", "<")
#: Behind these a part of a value begins.
_PARTS = "=:,;|@<"
#: The same behind the name of a field (`file=@name`, `file=<name`), or a field and a path (`name@/etc/hosts`).
_FILE_FORM = regex(r"[\w.\[\]-]{1,100}(?::?=[@<]|(?::?=)?@(?=[/~.\\]))")


@record
class ArgumentPlan:
    """One entry of `argv`, compiled.

    Shapes: `before` is what stands in front of the data as it is written, such as `--query=`; `is_literal` says that no
    data is in it; `pieces` are its written words and its holes, where it has both. Without `value` and `json` a
    flag stands alone where `when` holds.
    """

    flag: str = ""
    value: Evaluate | None = None
    json: Evaluate | None = None
    when: Evaluate | None = None
    apart: bool = False
    before: str = ""
    pieces: tuple[str | Evaluate, ...] = ()
    is_literal: bool = False


def arguments_of(plans: tuple[ArgumentPlan, ...], names: dict[str, Any]) -> list[str]:
    """Return the arguments after the program.

    Errors: ToolFailure(`request_not_made`, `argument_refused`).
    """
    made: list[str] = []
    options_have_ended = False
    for plan in plans:
        try:
            if plan.when is not None and plan.when(names) is not True:
                continue
            made += _written(plan, names, options_have_ended)
        except CannotEvaluate as error:
            reason = reason_of(error)
            raise failure("request_not_made", reason_zh=reason.zh, reason_en=reason.en) from None
        options_have_ended = options_have_ended or (plan.is_literal and made[-1:] == ["--"])
    return made


def _written(plan: ArgumentPlan, names: dict[str, Any], options_have_ended: bool) -> list[str]:
    if plan.json is not None:
        value = plan.json(names)
        if value is ABSENT:
            return []
        if not plan.is_literal:
            refuse_files(value)
        return _flagged(plan, dumps(value))
    if plan.value is None:
        return [plan.flag]
    value = plan.value(names)
    if value is ABSENT:
        return []
    if not plan.flag:
        if isinstance(value, list | dict):
            raise _refused("a list needs a flag, or json", "列表要配 flag，或写成 json")
        _check_pieces(plan, names, plan.before.partition("=")[0] if plan.before.startswith("-") else "")
        return [_checked_alone(plan, canonical_text(value), options_have_ended)]
    _check_pieces(plan, names, "")
    values = value if isinstance(value, list) else [value]
    return [part for one in values for part in _flagged(plan, _checked(plan, canonical_text(one)))]


def _flagged(plan: ArgumentPlan, text: str) -> list[str]:
    _fits(text)
    if not plan.flag:
        return [text]
    return [plan.flag, text] if plan.apart else [f"{plan.flag}={text}"]


def _check_pieces(plan: ArgumentPlan, names: dict[str, Any], flag: str) -> None:
    """Look at where data begins inside a text with written words.

    Shapes: `flag` is what stands in front of the first `=` of the text, where that is the name of a flag.
    Errors: ToolFailure(`argument_refused`).
    """
    if plan.is_literal:
        return
    made = ""
    for piece in plan.pieces:
        if isinstance(piece, str):
            made += piece
            continue
        text = piece(names)
        if made == "" or (flag and made == f"{flag}="):
            _refuse_file(text)  # the value itself begins here
        elif made[-1] in _PARTS:
            if text.startswith(_MARKS):
                raise _names_a_file(text[0])
            _refuse_file(text)
        made += text


def _refuse_file(text: str) -> None:
    """Refuse a value that programs take for the content of a file."""
    if text.startswith("@"):
        raise _names_a_file("@")
    form = _FILE_FORM.match(text)
    if form is not None:
        raise _names_a_file(form[0])


def _names_a_file(mark: str) -> ToolFailure:
    return _refused(
        f"a value from data may not begin with {mark} here, which names a file",
        f"来自数据的值在这里不能以 {mark} 开头，那表示读取文件",
    )


def _checked(plan: ArgumentPlan, text: str) -> str:
    if plan.is_literal:
        return text
    if not plan.pieces:
        _refuse_file(text)
    elif text.startswith("@"):
        raise _names_a_file("@")
    if plan.apart and text.startswith("-"):
        raise _refused("a value from data may not begin with - here", "来自数据的值在这里不能以 - 开头")
    return text


def _checked_alone(plan: ArgumentPlan, text: str, options_have_ended: bool) -> str:
    _fits(text)
    if plan.is_literal:
        return text
    if plan.before == "":
        _refuse_file(text)
    if plan.before == "" and text.startswith("-") and not options_have_ended:
        raise _refused(
            "a value from data may not begin with -; write it as {flag: …, value: …} or after --",
            "来自数据的值不能以 - 开头；写成 {flag: …, value: …}，或放在 -- 之后",
        )
    return text


def _fits(text: str) -> None:
    if "\0" in text:
        raise _refused("an argument may not hold the character U+0000", "参数里不能有字符 U+0000")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise _refused("an argument holds half a character", "参数里有半个字符") from None
    if size > _LONGEST:
        raise _refused("an argument is too long; give it through stdin", "参数太长；请改由 stdin 传入")


def refuse_files(value: Any) -> None:
    """Refuse a value with a field that would make the program read a file.

    Errors: ToolFailure(`argument_refused`).
    """
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, Mapping):
            for name, part in found.items():
                if names_a_file(str(name)):
                    raise _refused(f"the field {name} names a file", f"字段 {name} 表示读取文件")
                waiting.append(part)


def _refused(en: str, zh: str) -> ToolFailure:
    return failure("argument_refused", reason_zh=zh, reason_en=en)

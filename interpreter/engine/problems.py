"""Why a value does not fit its schema, and what the engine itself says of a call, in words of both languages.

The validator's own sentences are English and speak of schemas; who typed a value into a form wants to know what
to type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from interpreter.diagnostics import Words, apart
from interpreter.ports import JsonObject
from interpreter.safety.masking import MASK

#: Takes out of a value what must not be shown.
Without = Callable[[Any], Any]


def as_it_is(value: Any) -> Any:
    """Return a value of which nothing must be hidden."""
    return value


_KINDS: Mapping[str, Words] = {
    "string": Words("文本", "a text"),
    "number": Words("数", "a number"),
    "integer": Words("整数", "a whole number"),
    "boolean": Words("true 或 false", "true or false"),
    "array": Words("列表", "a list"),
    "object": Words("对象", "a mapping"),
    "null": Words("null", "null"),
}
#: A format, and an example of it.
_FORMATS: Mapping[str, tuple[Words, str]] = {
    "date": (Words("日期", "a date"), "2026-08-01"),
    "date-time": (Words("时刻", "an instant"), "2026-08-01T09:00:00Z"),
}
#: So many characters of a value are repeated.
_LONGEST = 60

#: The code of a call that was not made since a budget is spent; its message is the name of the budget.
BUDGET_SPENT = "budget_spent"
#: What the engine itself says of a call, by code; a tool's own words stay in the tool's language. Shapes: `told` is the
#: message of the error.
CALL_WORDS: Mapping[str, Words] = {
    "missing_page_token": Words("说还有下一页，却没有给出翻页标记", "more is said to follow, without a token"),
    "repeated_page_token": Words("翻页标记重复出现，翻页不会结束", "a token came that was used before"),
    "empty_page": Words(
        "连续几页没有新内容，却说还有下一页", "several pages in a row bring nothing new and say that more follows"
    ),
    "timed_out": Words("没有在时限内回答", "no answer came in time"),
    "unknown_outcome": Words("不知道有没有发生", "nobody knows whether it happened"),
    "still_pending": Words("还没有结束", "it has not ended yet"),
    BUDGET_SPENT: Words("预算 {told} 已用完", "the budget {told} is spent"),
    "reported_failure": Words("工具说没有做成", "the tool says that it was not done"),
}
READ_BEFORE = Words(
    "此前读到的 {items} 项（{pages} 页）都还在", "what was read before is kept: items {items}, pages {pages}"
)
PAGE_LIMIT = Words("接连超过 {limit} 页", "more than {limit} pages follow one another")
ADAPTER_FAILED = Words("适配器出错：{error}", "the adapter failed: {error}")
TASK_FAILED = Words("任务失败了", "the task failed")
NOT_ACCEPTED = Words("回答没有被接受", "the answer was not accepted")

#: What each word of a schema says. Shapes: `it` is the value, `limit` and the like come from the validator.
_TEXTS: Mapping[str, Words] = {
    "type": Words("{it_zh}不是{kinds_zh}", "{it} is not {kinds_en}"),
    "required": Words("缺少 {property}", "{property} is missing"),
    "additionalProperties": Words("{unexpected_zh} 不是声明过的字段", "{unexpected} {is_undeclared}"),
    "falseSchema": Words("这里什么也不能写", "nothing may stand here"),
    "enum": Words("{it_zh}不在可选的值里：{options_zh}", "{it} is none of {options}"),
    "const": Words("{it_zh}不是 {expected}", "{it} is not {expected}"),
    "minimum": Words("{it_zh}小于 {limit}", "{it} is less than {limit}"),
    "maximum": Words("{it_zh}大于 {limit}", "{it} is more than {limit}"),
    "exclusiveMinimum": Words("{it_zh}要大于 {limit}", "{it} has to be more than {limit}"),
    "exclusiveMaximum": Words("{it_zh}要小于 {limit}", "{it} has to be less than {limit}"),
    "multipleOf": Words("{it_zh}不是 {multiple_of} 的倍数", "{it} is no multiple of {multiple_of}"),
    "minLength": Words("{it_zh}不足 {limit} 个字符", "{it} is shorter than {limit} {characters}"),
    "maxLength": Words("{it_zh}超过 {limit} 个字符", "{it} is longer than {limit} {characters}"),
    "minItems": Words("不足 {limit} 项", "at least {limit} {entries} must be there"),
    "maxItems": Words("超过 {limit} 项", "at most {limit} {entries} may be there"),
    "uniqueItems": Words("有重复的项", "an entry is there twice"),
    "pattern": Words("{it_zh}不符合 {pattern}", "{it} does not match {pattern}"),
    "format": Words("{it_zh}不是{format_zh}", "{it} is not {format_en}"),
    "minProperties": Words("至少要有 {limit} 项", "at least {limit} {fields} must be there"),
    "maxProperties": Words("超过 {limit} 项", "at most {limit} {fields} may be there"),
}
_MISSING = Words("缺少 {zh}", "{en} are missing")
_EMPTY = Words("不能为空", "it may not be empty")
_UNFIT = Words("{it_zh}不是这里可以写的值", "{it} is not what may stand here")
#: What words of a schema allow, those that are told together before each alone; that a text is not empty goes unsaid.
_BOUNDS: tuple[tuple[tuple[str, ...], Words], ...] = (
    (("minimum", "maximum"), Words("{minimum} 到 {maximum}", "{minimum} to {maximum}")),
    (("minimum",), Words("不小于 {minimum}", "{minimum} or more")),
    (("maximum",), Words("不大于 {maximum}", "{maximum} or less")),
    (("exclusiveMinimum",), Words("大于 {exclusiveMinimum}", "more than {exclusiveMinimum}")),
    (("exclusiveMaximum",), Words("小于 {exclusiveMaximum}", "less than {exclusiveMaximum}")),
    (("multipleOf",), Words("{multipleOf} 的倍数", "a multiple of {multipleOf}")),
    (("minLength", "maxLength"), Words("{minLength} 到 {maxLength} 个字符", "{minLength} to {maxLength} characters")),
    (("minLength",), Words("至少 {minLength} 个字符", "{minLength} or more characters")),
    (("maxLength",), Words("最多 {maxLength} 个字符", "up to {maxLength} characters")),
    (("minItems", "maxItems"), Words("{minItems} 到 {maxItems} 项", "{minItems} to {maxItems} entries")),
    (("minItems",), Words("至少 {minItems} 项", "{minItems} or more entries")),
    (("maxItems",), Words("最多 {maxItems} 项", "up to {maxItems} entries")),
)


def wanted_by(schema: Mapping[str, Any]) -> Words | None:
    """Return what may be typed where a schema wants something in particular; None for a plain text."""
    kind, form = schema.get("type"), schema.get("format", "")
    if form in _FORMATS:
        (zh, en), example = _FORMATS[form]
        return Words(f"{zh}，如 {example}", f"{en} such as {example}")
    bounds = list(_bounds_of(schema))
    if not isinstance(kind, str) or kind not in _KINDS or (kind == "string" and not bounds):
        return None
    said = [_KINDS[kind], *bounds]
    return Words("，".join(one.zh for one in said), ", ".join(one.en for one in said))


def _bounds_of(schema: Mapping[str, Any]) -> Iterator[Words]:
    untold = set(schema) - ({"minLength"} if schema.get("minLength") == 1 else set())
    for names, text in _BOUNDS:
        if untold.issuperset(names):
            untold.difference_update(names)
            yield text.filled(schema)


def told_of_failure(error: JsonObject) -> Any:
    """Return what a person is told of a failed call: both languages where there are two."""
    if error.get("findings"):  # which are told one by one
        return NOT_ACCEPTED._asdict()
    details = error.get("details")
    words = details.get("message") if isinstance(details, dict) else None
    if isinstance(words, dict) and set(words) == {"zh", "en"}:
        return words
    message = error.get("message", "")
    own = CALL_WORDS.get(error["code"])  # journals of before hold them in one language
    return own.filled({"told": message})._asdict() if own is not None else message


def words_of(errors: Iterable[Any], *, hides: bool) -> Words:
    """Return what the first error of the validator means, with its place; fields that are missing there all at once.

    Shapes: with `hides` no value is repeated.
    """
    error, *others = _meant(list(errors))
    place = ".".join(str(part) for part in error.instance_path)
    text, facts = _text_of(error, hides=hides)
    if error.kind.name == "required":
        names = [error.kind.property]
        for other in others:
            if other.kind.name == "required" and list(other.instance_path) == list(error.instance_path):
                names.append(other.kind.property)
        text = _TEXTS["required"] if len(names) == 1 else _MISSING
        facts = {**facts, "zh": "、".join(names), "en": f"{', '.join(names[:-1])} and {names[-1]}"}
    text = text.filled(facts)
    return Words(f"{place}：{text.zh}", f"{place}: {text.en}") if place else text


def words_of_each(errors: Iterable[Any], *, hides: bool, without: Without = as_it_is) -> list[tuple[str, Words]]:
    """Return what every error of the validator means, as (place, what is wrong).

    Shapes: places as in `conditions[2].text`; what is missing has the place where it should stand. `without` takes out
    of what is repeated of the value what must not be shown; the words of the schema are nobody's secret.
    """
    found: list[tuple[str, Words]] = []
    for one in errors:
        for error in _meant([one]):
            text, facts = _text_of(error, hides=hides, without=without)
            found.append((_place_of(error), text.filled(facts)))
    return found


def _text_of(error: Any, *, hides: bool, without: Without = as_it_is) -> tuple[Words, Mapping[str, str]]:
    is_empty = error.kind.name == "minLength" and error.instance == ""
    text = _EMPTY if is_empty else _TEXTS.get(error.kind.name, _UNFIT)
    told = MASK if hides else _told(error.instance, without)
    return text, _facts(error, told, without)


def _place_of(error: Any) -> str:
    missing = getattr(error.kind, "property", None)
    place = ""
    for part in (*error.instance_path, *([missing] if isinstance(missing, str) else [])):
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else str(part)
    return place


def _meant(errors: list[Any]) -> list[Any]:
    """Return the errors of the one choice that was meant, where the first is of choices and all others are null."""
    while errors[0].kind.name in ("anyOf", "oneOf"):
        choices = [found for found in errors[0].kind.as_dict().get("context", ()) if not _is_null(found)]
        if len(choices) != 1 or not choices[0]:
            break
        errors = list(choices[0])
    return errors


def _is_null(errors: Any) -> bool:
    return len(errors) == 1 and errors[0].kind.name == "type" and errors[0].kind.types == ["null"]


def _facts(error: Any, it: str, without: Without) -> Mapping[str, str]:
    kind = error.kind.as_dict()
    facts = {name: str(value) for name, value in kind.items() if isinstance(value, str | int | float)}
    kinds = [_KINDS.get(name, Words(name, name)) for name in sorted(kind.get("types", ()), key=list(_KINDS).index)]
    name = facts.get("format", "")
    form, example = _FORMATS.get(name, (Words(name, name), ""))
    is_one = facts.get("limit") == "1"
    unexpected = [without(field) for field in kind.get("unexpected", ())]
    return {
        **facts,
        "it": it,
        "it_zh": it if it.endswith("”") else f"{it} ",
        "characters": "character" if is_one else "characters",
        "entries": "entry" if is_one else "entries",
        "fields": "field" if is_one else "fields",
        "options": ", ".join(map(_told, kind.get("options", ()))),
        "options_zh": "、".join(map(_told, kind.get("options", ()))),
        "unexpected": ", ".join(unexpected),
        "unexpected_zh": "、".join(unexpected),
        "is_undeclared": "is not a declared field" if len(unexpected) == 1 else "are no declared fields",
        "expected": _told(kind.get("expected_value")),
        "kinds_zh": apart(f"是{'或'.join(words.zh for words in kinds)}")[1:],
        "kinds_en": " or ".join(words.en for words in kinds),
        "format_zh": f"{form.zh}（如 {example}）" if example else form.zh,
        "format_en": f"{form.en} such as {example}" if example else form.en,
    }


def _told(value: Any, without: Without = as_it_is) -> str:
    shown = without(value)
    # Names of fields are looked at as well.
    text = without(
        str(shown) if isinstance(shown, str | Decimal) else json.dumps(shown, ensure_ascii=False, default=str)
    )
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f"“{text}”" if isinstance(value, str) else text

"""From the arguments of a call to the request that is sent: escaped, bounded, to the address of the profile only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from interpreter.adapters.mapping import Meaning, failure, meaning_of
from interpreter.adapters.reasons import reason_of
from interpreter.engine.frame import Evaluate
from interpreter.ports import ToolFailure
from interpreter.safety.headers import HEADER, HEADER_VALUE, NEVER_WRITTEN
from rules.records import NamedTuple, record
from rules.values import ABSENT, CannotEvaluate, canonical_text, dumps

if TYPE_CHECKING:
    from interpreter import model

#: Longer addresses are cut or refused somewhere on the way. Units: characters.
LONGEST_TARGET = 8000


class EachPlan(NamedTuple):
    """One request for each entry of `rows`, which is called `name`; `together` makes one answer of `results`."""

    name: str
    rows: Evaluate
    together: Evaluate


@record
class HttpCall:
    """How one tool is asked for. Shapes: a text in `path` is literal, its slashes part it; what is evaluated is one
    part; `query`, `headers`, `form` give mappings, `json` any value.
    """

    method: str
    path: tuple[str | Evaluate, ...]
    query: Evaluate | None
    headers: Evaluate | None
    json: Evaluate | None
    form: Evaluate | None
    meaning: Meaning
    for_each: EachPlan | None = None


class Prepared(NamedTuple):
    """A request as it is sent. Shapes: `target` begins with / and is escaped; `body` is None where there is none."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None


def call_of(adapted: model.Adapted) -> HttpCall:
    """Return how one tool of a profile is asked for; compiled."""
    from interpreter.model import Constant, ListOf
    from interpreter.plan.values import Compiler

    compiler = Compiler(frozenset())
    parts = {name: value for name, value, _ in adapted.request}
    path: list[str | Evaluate] = []
    given = parts.get("path")
    for item in given.items if isinstance(given, ListOf) else ():
        if isinstance(item, Constant) and isinstance(item.value, str):
            path.append(item.value.strip("/"))
        else:
            path.append(compiler.value(item))
    has_body = "json" in parts or "form" in parts
    method = parts.get("method")
    named = method.value if isinstance(method, Constant) and isinstance(method.value, str) else None
    made = {
        name: compiler.value(parts[name]) if name in parts else None for name in ("query", "headers", "json", "form")
    }
    each = adapted.for_each
    return HttpCall(
        method=named or ("POST" if has_body else "GET"),
        path=tuple(path),
        meaning=meaning_of(adapted),
        for_each=EachPlan(each.name, compiler.expression(each.rows), compiler.value(each.together)) if each else None,
        **made,
    )


def prepared(
    call: HttpCall, base: str, names: dict[str, Any], secret_query: Mapping[str, str] = MappingProxyType({})
) -> Prepared:
    """Return the request for some arguments.

    Shapes: `base` is the path of the address, without a slash at its end; `secret_query` signs the request in.
    Errors: ToolFailure(`request_not_made`).
    """
    try:
        target = base + "".join(f"/{part}" for part in _parts(call.path, names))
        asked = _mapping(call.query, names)
        taken = next((name for name in asked if name in secret_query), None)
        if taken is not None:
            raise _not_made(f"查询参数 {taken} 属于凭据", f"the name {taken} of the query belongs to the credentials")
        query = _encoded({**asked, **secret_query})
        headers = _headers(_mapping(call.headers, names))
        body = None
        if call.json is not None:
            value = call.json(names)
            body = dumps(value).encode() if value is not ABSENT else None
            headers.append(("content-type", "application/json"))
        elif call.form is not None:
            body = _encoded(_mapping(call.form, names)).encode()
            headers.append(("content-type", "application/x-www-form-urlencoded"))
    except CannotEvaluate as error:
        reason = reason_of(error)
        raise failure("request_not_made", reason_zh=reason.zh, reason_en=reason.en) from None
    except UnicodeEncodeError:
        raise _not_made("文本里有不成对的代理字符", "a text holds half of a character") from None
    target = f"{target or '/'}?{query}" if query else target or "/"
    if len(target) > LONGEST_TARGET:
        raise _not_made(f"地址超过 {LONGEST_TARGET} 个字符", f"the address is longer than {LONGEST_TARGET} characters")
    return Prepared(call.method, target, tuple(headers), body)


def rows_of(each: EachPlan, names: dict[str, Any]) -> list[Any]:
    """Return the entries for which a request is made.

    Errors: ToolFailure(`request_not_made`).
    """
    try:
        rows = each.rows(names)
    except CannotEvaluate as error:
        reason = reason_of(error)
        raise failure("request_not_made", reason_zh=reason.zh, reason_en=reason.en) from None
    if not isinstance(rows, list):
        raise _not_made("for_each 的 in 要给出列表", "the in of for_each has to give a list")
    return rows


def together(each: EachPlan, names: dict[str, Any]) -> Any:
    """Return the one answer of several requests.

    Errors: ToolFailure(`answer_unexpected`).
    """
    try:
        return each.together(names)
    except CannotEvaluate as error:
        reason = reason_of(error)
        raise failure("answer_unexpected", reason_zh=reason.zh, reason_en=reason.en) from None


def _parts(path: tuple[str | Evaluate, ...], names: dict[str, Any]) -> Iterable[str]:
    for part in path:
        if isinstance(part, str):
            yield quote(part, safe="/:@!$&'()*+,;=-._~")
            continue
        text = _text(part(names))
        # A dot alone is no name: whoever reads the address would go up by it.
        if text in ("", ".", ".."):
            raise _not_made(f"路径的一段不能是「{text}」", f"a part of the path may not be “{text}”")
        yield quote(text, safe="")


def _mapping(evaluate: Evaluate | None, names: dict[str, Any]) -> Mapping[str, Any]:
    value = evaluate(names) if evaluate is not None else {}
    if value is ABSENT:
        return {}
    if not isinstance(value, dict):
        raise _not_made("query、headers、form 必须是键值对", "query, headers and form must be mappings")
    return value


def _encoded(values: Mapping[str, Any]) -> str:
    pairs = []
    for name, value in values.items():
        for one in value if isinstance(value, list) else (value,):
            pairs.append(f"{quote(name, safe='')}={quote(_text(one), safe='')}")
    return "&".join(pairs)


def _headers(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    made = []
    for name, value in values.items():
        text = _text(value)
        if not HEADER.fullmatch(name) or name.lower() in NEVER_WRITTEN:
            raise _not_made(f"不能写请求头 {name[:60]}", f"the header {name[:60]} cannot be set")
        if not HEADER_VALUE.fullmatch(text):
            raise _not_made(
                f"请求头 {name} 的值里有换行、控制字符或非 ASCII 字符",
                f"the value of the header {name} holds line breaks, control characters or other than ASCII",
            )
        made.append((name, text))
    return made


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float | Decimal):
        return canonical_text(value)
    raise _not_made("这里要文本、数或布尔值", "a text, a number or a boolean is wanted here")


def _not_made(zh: str, en: str) -> ToolFailure:
    return failure("request_not_made", reason_zh=zh, reason_en=en)

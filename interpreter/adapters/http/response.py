"""What came back, as a value, or as the failure that its status and its form mean."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from interpreter.adapters.charsets import MEANT
from interpreter.adapters.http.settings import CONTENT_TYPE
from interpreter.adapters.mapping import failure
from interpreter.adapters.waiting import seconds_to_wait, wait_words
from interpreter.diagnostics import Words
from interpreter.ports import JsonObject, ToolFailure
from rules.json_problems import json_problem
from rules.json_texts import strict_json
from rules.patterns import regex

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CHARSET = regex(r"charset\s*=\s*\"?([A-Za-z0-9._:-]{1,40})")
#: What may come where JSON is wanted: named as JSON, or not named at all.
_JSON = ("application/json", "text/json", "text/javascript", "application/javascript")
#: What else may say in words why a request failed; a page (HTML) is for browsers.
WITH_WORDS = frozenset({*_JSON, "", "text/plain", "application/problem+json"})

#: What is read, as a part of a sentence.
_WANTED = {"json": Words(" JSON", "JSON"), "text": Words("文本", "text")}
#: Units: characters; of a content type that a message tells.
_LONGEST_KIND = 60
OTHER_ENCODING = Words("用了没有要求的压缩方式", "an encoding that was not asked for")
_OTHER_CHARSET = Words("它的文本不是 {name} 编码", "its text is not {name}")


def failure_of(
    status: int, headers: Mapping[str, str], variables: tuple[str, ...], now: Callable[[], datetime], told: str = ""
) -> ToolFailure | None:
    """Return what a status means by itself, None where it means success.

    Shapes: `told` is what the service says of it in its own words, safe to record.
    """
    if 200 <= status < 300:
        return None
    details: JsonObject = {"status": status, **({"service_says": told} if told else {})}
    wait = seconds_to_wait(headers, now)
    wait_zh, wait_en = wait_words(wait, now)

    def failed(code: str, after: float | None = None, **facts: object) -> ToolFailure:
        return failure(code, retry_after=after, details=details, told=told, status=status, **facts)

    if status == 429:
        return failed("rate_limited", wait, wait_zh=wait_zh, wait_en=wait_en)
    if status in (401, 407):
        return failed("key_refused", variable=", ".join(variables) or "-")
    if status in (402, 403, 451):
        return failed("access_denied")
    if status in (404, 410):
        return failed("service_not_found")
    if status >= 500 or status in (408, 409, 425):
        return failed("server_error", wait, wait_zh=wait_zh, wait_en=wait_en)
    return failed("request_refused")


def kind_of(headers: Mapping[str, str]) -> str:
    """Return the content type of an answer, '' where it says none."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def of_other_kind(kind: str, form: str) -> ToolFailure:
    """Return that a content type is not read, with the setting that takes it all the same; without for a page.

    Shapes: `kind` is safe to record.
    """
    wanted, remedy = _WANTED[form], Words("", "")
    if CONTENT_TYPE.fullmatch(kind) and "html" not in kind:
        remedy = Words(
            f"；如果它其实是{wanted.zh}，请写 content_types: [{kind}]",
            f"; where it is {wanted.en} all the same, write content_types: [{kind}]",
        )
    told = kind[:_LONGEST_KIND] or "-"
    return failure("answer_not_json", wanted=wanted, content_type=told, remedy=remedy)


def fits_kind(kind: str, wanted: tuple[str, ...], form: str) -> bool:
    """Say whether an answer of this content type is read."""
    if wanted:
        return any(kind == one or (one.endswith("/*") and kind.startswith(one[:-1])) for one in wanted)
    if not kind:
        return True
    return kind.startswith("text/") if form == "text" else kind in _JSON or kind.endswith("+json")


def text_in(data: bytes, headers: Mapping[str, str]) -> str:
    """Return bytes as text: by their mark, else as the header says, else UTF-8; only names of the web mean a set.

    Errors: ToolFailure(`answer_garbled`).
    """
    named = _CHARSET.search(headers.get("content-type", ""))
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    name = marked or (named[1] if named is not None else "utf-8")
    encoding = marked or MEANT.get(name.lower())
    try:
        if encoding is None:
            raise LookupError
        return data.decode(encoding)
    except (LookupError, UnicodeError):
        raise failure("answer_garbled", reason=_OTHER_CHARSET.filled({"name": name})) from None


def json_in(text: str) -> Any:
    """Return the value of a JSON text.

    Errors: ToolFailure(`answer_garbled`) that repeats nothing of it.
    """
    try:
        return strict_json(text)
    except ValueError as error:
        raise failure("answer_garbled", reason=Words(*json_problem(error))) from None

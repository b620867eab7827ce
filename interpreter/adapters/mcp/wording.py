"""Why a server of the Model Context Protocol cannot be worked with, in both languages.

The SDK raises English sentences; they are known again by how they begin, and what they say of the server is kept.
"""

from __future__ import annotations

from pydantic import ValidationError

from interpreter.adapters.mapping import said
from interpreter.diagnostics import Words
from interpreter.safety.secrets import Secrets

NO_FIRST_ANSWER = Words("没有回答第一条消息", "no answer to the first message")
ENDED_AT_ONCE = Words("它一启动就结束了", "it has ended at once")
TWICE_OR_ENDLESS = Words("它的工具列表里有重名，或没有尽头", "its list of tools names one twice, or is endless")
IN_A_CIRCLE = Words("它的工具列表翻页成环", "its list of tools goes round in a circle")
ENDLESS = Words("它的工具列表没有尽头", "its list of tools is endless")

_REFUSED = Words("它拒绝了握手：{said}", "it refuses to shake hands: {said}")
_MISFIT = Words("回答里 {place} 不合协议：{said}", "{place} of its answer does not fit the protocol: {said}")
_LACKS = Words("回答里缺少 {place}", "its answer lacks {place}")
#: How a sentence of the SDK begins, and what it means; `{rest}` is what follows.
_SENTENCES: tuple[tuple[str, Words], ...] = (
    (
        "Unsupported protocol version from the server: ",
        Words("它要用的协议版本是 {rest}，这里不支持", "it wants the protocol version {rest}, which is not known here"),
    ),
    (
        "No mutually supported modern protocol version",
        Words("没有双方都支持的协议版本{rest}", "no protocol version is known to both{rest}"),
    ),
    (
        "Invalid structured content returned by tool ",
        Words(
            "结构化的回答不合这个工具自己声明的样子：{rest}",
            "the structured answer does not fit what the tool itself declares: {rest}",
        ),
    ),
    (
        "Invalid schema for tool ",
        Words("工具声明的 schema 本身有错：{rest}", "the schema that the tool declares is wrong: {rest}"),
    ),
)
_NO_STRUCTURE = Words(
    "工具声明了结构化的回答，却没有给出", "the tool declares a structured answer (outputSchema) and gave none"
)


def protocol_error(code: int, message: str) -> Words:
    """Return that a server refused the first messages, in its own words and with its code."""
    return _REFUSED.filled({"said": f"{message} ({code})" if message else str(code)})


def broken(error: ValidationError | RuntimeError, secrets: Secrets) -> Words:
    """Return how an answer does not keep to the protocol, or to the schema that the tool declares for it."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "-"
        if first["type"] == "missing":
            return _LACKS.filled({"place": said(place, secrets)})
        return _MISFIT.filled({"place": said(place, secrets), "said": said(first["msg"], secrets)})
    text = str(error)
    if "did not return structured content" in text:
        return _NO_STRUCTURE
    for begins, words in _SENTENCES:
        if text.startswith(begins):
            # The SDK adds the whole schema and the answer on further lines.
            return words.filled({"rest": said(text.removeprefix(begins).partition("\n")[0], secrets)})
    whole = said(text.partition("\n")[0], secrets)
    return Words(whole, whole)

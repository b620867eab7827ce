"""What a server answered, as a reply, or as the failure that it means.

Why an answer ended is looked at before the answer: one that was cut is no answer, even where what is there parses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from interpreter.adapters.model.failures import failure
from interpreter.adapters.own_words import own_words
from interpreter.diagnostics import Words
from interpreter.ports import JsonObject, ToolFailure
from rules.patterns import regex
from rules.records import NamedTuple

_WHOLE = frozenset({"stop", "end_turn", "eos", "stop_sequence"})
_CUT = frozenset({"length", "max_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety", "recitation"})
#: Codes and types of OpenAI and of those that speak like it; numbers are those of Zhipu, `Arrearage` is DashScope's.
_QUOTA = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exceeded", "Arrearage", "1113"}
)
_TOO_LONG = frozenset({"context_length_exceeded", "string_above_max_length", "exceed_context_size_error", "1261"})
_HELD_BACK = frozenset({"content_filter", "data_inspection_failed", "DataInspectionFailed", "1301"})
#: Many servers say only in words that the input is too long: vLLM, DashScope, Zhipu, Moonshot, llama.cpp, Gemini.
_TOO_LONG_WORDS = regex(
    r"maximum context|context (?:length|window|size)|range of input length|prompt (?:is |tokens )?too long"
    r"|input (?:is )?too long|input (?:length|token count).{0,60}exceed|exceed\w* (?:the )?model token limit"
    r"|超长|输入过长|上下文长度|上下文窗口",
    re.IGNORECASE,
)
#: With these a server refuses what it was asked, also where it calls that an error of its own.
_REFUSES = frozenset({400, 413, 422, 500, 501})
_MODEL_UNKNOWN = frozenset({"model_not_found", "model_not_available", "invalid_model"})
#: A larger number counts nothing, and no run could keep it.
_NO_COUNT = 10**15
BROKEN_JSON = Words("不是完整的 JSON", "broken JSON")
BROKEN_COMPRESSION = Words("压缩内容已损坏", "broken compression")
_NO_OBJECT = Words("不是 JSON 对象", "it is no JSON object")
_NO_MESSAGE = Words("choices[0] 里没有 message", "choices[0] holds no message")
_NO_TEXT = Words("message.content 不是文本", "message.content is no text")
_NOT_UTF_8 = Words("不是 UTF-8 编码的文本", "not UTF-8")
_USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")


class Reply(NamedTuple):
    """Shapes: `text` is what the model said, thoughts that a server keeps apart left out; `usage` counts tokens."""

    text: str
    usage: JsonObject


# --- errors of the server ---------------------------------------------------------------------------------------------


def failure_of(
    status: int,
    body: Any,
    *,
    address: str,
    model: str,
    output: str,
    said: str,
    wait: float | None,
    wait_words: tuple[str, str],
) -> ToolFailure:
    """Return the failure that a status and an error object mean.

    Shapes: `body` is the parsed body, None where it could not be read; `said` the server's own words, safe to record.
    """
    code, kind, message, param = _error_in(body)
    details: JsonObject = {"status": status}
    if said:
        details["server_says"] = said
    words = {"wait_zh": wait_words[0], "wait_en": wait_words[1]}

    def failed(name: str, retry_after: float | None = None, **facts: object) -> ToolFailure:
        return failure(name, retry_after=retry_after, details=details, told=said, status=status, **facts)

    if {code, kind} & _QUOTA or status == 402:
        return failed("quota_exhausted")
    if status == 429 or code in ("rate_limit_exceeded", "rate_limited") or kind == "rate_limit_error":
        return failed("rate_limited", wait, **words)
    if status == 401 or code in ("invalid_api_key", "invalid_authentication"):
        return failed("key_refused")
    if status == 403:
        return failed("access_denied")
    if 300 <= status < 400:
        return failed("redirected")
    if {code, kind} & _MODEL_UNKNOWN or (status in (400, 404) and param == "model"):
        return failed("model_unknown", model=model)
    if {code, kind} & _HELD_BACK and status in _REFUSES:
        return failed("content_filtered")
    if {code, kind} & _TOO_LONG or status == 413 or (status in _REFUSES and _TOO_LONG_WORDS.search(message)):
        return failed("input_too_long")
    if status in _REFUSES and output != "text" and _is_about_the_form(param, message):
        return failed("output_form_refused", output=output)
    if status == 404:
        if "model" in message.lower():
            return failed("model_unknown", model=model)
        return failed("address_unknown", address=address)
    if status >= 500 or status in (408, 409, 425):
        return failed("server_error", wait, **words)
    return failed("request_refused")


def _error_in(body: Any) -> tuple[str, str, str, str]:
    """Return code, type, message and parameter of an error object, as far as they are texts or numbers."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if isinstance(error, str):
        return "", "", error, ""
    if not isinstance(error, Mapping):
        error = body if isinstance(body, Mapping) else {}
    code, kind, param = (_as_text(error.get(name)) for name in ("code", "type", "param"))
    return code, kind, own_words(body), param


def _as_text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _is_about_the_form(param: str, message: str) -> bool:
    return param.startswith("response_format") or "response_format" in message or "json_schema" in message


def has_error(body: Any) -> bool:
    """Say whether a body is an error although its status is not."""
    return isinstance(body, Mapping) and bool(body.get("error")) and not body.get("choices")


def status_in(body: Any, otherwise: int) -> int:
    """Return the status that an error object carries itself: some servers send it with 200."""
    error = body.get("error") if isinstance(body, Mapping) else None
    for name in ("code", "status"):
        found = error.get(name) if isinstance(error, Mapping) else None
        if isinstance(found, int) and not isinstance(found, bool) and 400 <= found < 600:
            return found
    return otherwise


def parsed(data: str | bytes) -> Any:
    """Return what a body or an event says.

    Errors: ToolFailure(`response_garbled`).
    """
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise failure("response_garbled", reason=BROKEN_JSON) from None


# --- answers ----------------------------------------------------------------------------------------------------------


def reply_of(body: Any, limit: int | None) -> Reply:
    """Return what the model said.

    Shapes: `limit` is the number of tokens that the request allowed.
    Errors: ToolFailure.
    """
    if not isinstance(body, Mapping):
        raise failure("response_garbled", reason=_NO_OBJECT)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise failure("no_choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping):
        raise failure("response_garbled", reason=_NO_MESSAGE)
    usage = usage_in(body)
    check_ending(choice.get("finish_reason"), message, usage, limit)
    return Reply(_content_of(message), usage)


def check_ending(reason: Any, message: Mapping[str, Any], usage: JsonObject, limit: int | None) -> None:
    """Refuse an answer that is not whole, or none at all.

    Errors: ToolFailure.
    """
    word = reason.lower() if isinstance(reason, str) else ""
    details: JsonObject = {"usage": usage} if usage else {}
    if word in _CUT:
        raise cut(usage, limit)
    if word in _FILTERED:
        raise failure("content_filtered", details=details)
    if message.get("refusal"):
        raise failure("refused_by_model", details=details)
    if message.get("tool_calls") or message.get("function_call") or word in ("tool_calls", "function_call"):
        raise failure("tool_call_instead", details=details)
    if word not in _WHOLE:
        shown = word if word.isidentifier() else "-"
        raise failure("unknown_finish", reason=shown[:40], details=details)


def cut(usage: JsonObject, limit: int | None, *, is_sent: bool = True) -> ToolFailure:
    """Return that an answer was cut; `is_sent` False: the same request would be cut again, and was not sent."""
    tokens = usage.get("completion_tokens", limit)
    zh, en = (f"（在第 {tokens} 个 token 处）", f" at {tokens} tokens") if tokens is not None else ("", "")
    if not is_sent:
        zh += "；同样的请求不再发送，请调大 max_tokens 或缩小任务"
        en += "; the same request is not sent again: raise max_tokens, or make the task smaller"
    details: JsonObject = {"sent": is_sent}
    if limit is not None:
        details["max_tokens"] = limit
    if usage:
        details["usage"] = usage
    return failure("output_cut", limit_zh=zh, limit_en=en, details=details)


def _content_of(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        if any(isinstance(part, Mapping) and part.get("type") == "refusal" for part in content):
            raise failure("refused_by_model")
        parts = [part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        content = "".join(part for part in parts if isinstance(part, str))
    if content is None or content == "":
        raise failure("empty_answer")
    if not isinstance(content, str):
        raise failure("response_garbled", reason=_NO_TEXT)
    return content


def usage_in(body: Mapping[str, Any]) -> JsonObject:
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        return {}
    return {name: usage[name] for name in _USAGE if type(usage.get(name)) is int and 0 <= usage[name] < _NO_COUNT}


# --- streams ----------------------------------------------------------------------------------------------------------


class Stream:
    """Puts the pieces of a streamed answer together, line by line."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._rest = b""
        self._pieces: list[str] = []
        self._refusal = False
        self._calls = False
        self._reason: Any = None
        self._usage: JsonObject = {}
        self.error: Any = None
        self.is_done = False

    def take(self, data: bytes) -> None:
        """Take the next bytes.

        Errors: ToolFailure(`response_garbled`).
        """
        self._rest += data
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            self._line(line.removesuffix(b"\r"))

    def reply(self, limit: int | None) -> Reply:
        """Return the whole answer.

        Errors: ToolFailure, `stream_cut` where the stream ended before the answer did.
        """
        if self._reason is None:
            raise failure("stream_cut")
        text = "".join(self._pieces)
        message = {"content": text, "refusal": self._refusal, "tool_calls": self._calls}
        check_ending(self._reason, message, self._usage, limit)
        return Reply(_content_of(message), self._usage)

    def _line(self, line: bytes) -> None:
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._lines.append(_decoded(value.removeprefix(b" ")))
            return
        data, self._lines = "\n".join(self._lines), []
        if data.strip() == "[DONE]":
            self.is_done = True
        elif data and not self.is_done:
            self._event(data)

    def _event(self, data: str) -> None:
        event = parsed(data)
        if not isinstance(event, Mapping):
            raise failure("response_garbled", reason=_NO_OBJECT)
        if has_error(event):
            self.error = event
            return
        self._usage = usage_in(event) or self._usage
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            return
        self._reason = choice.get("finish_reason") or self._reason
        delta = choice.get("delta")
        if isinstance(delta, Mapping):
            piece = delta.get("content")
            self._pieces.append(piece if isinstance(piece, str) else "")
            self._refusal = self._refusal or bool(delta.get("refusal"))
            self._calls = self._calls or bool(delta.get("tool_calls") or delta.get("function_call"))


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise failure("response_garbled", reason=_NOT_UTF_8) from None

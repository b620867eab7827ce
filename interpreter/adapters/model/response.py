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
from interpreter.adapters.waiting import seconds_in
from interpreter.diagnostics import Words
from interpreter.ports import JsonObject, ToolFailure
from rules.json_problems import json_problem
from rules.patterns import regex
from rules.records import NamedTuple

_WHOLE = frozenset({"stop", "end_turn", "eos", "eos_token", "stop_sequence"})
_CUT = frozenset({"length", "max_tokens", "model_length", "model_context_window_exceeded"})
_FILTERED = frozenset({"content_filter", "safety", "recitation", "sensitive"})
#: The server gave up in the middle: OpenRouter, vLLM and SGLang, Zhipu, DeepSeek.
_BROKEN_OFF = frozenset({"error", "abort", "network_error", "insufficient_system_resource"})
#: Codes and types of OpenAI and of those that speak like it; numbers are those of Zhipu, `Arrearage` is DashScope's.
_QUOTA = frozenset(
    {
        *("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exceeded", "Arrearage"),
        *("1113", "exceeded_current_quota_error", "insufficient_user_quota", "AccountOverdueError"),
    }
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
#: Gemini names neither status nor code of its own for a wrong key.
_KEY_WORDS = regex(r"api key not valid|api key expired", re.IGNORECASE)
#: How a server says that a model has no system message: vLLM and Gemma, Mistral, Gemini.
_SYSTEM_WORDS = regex(
    r"system (?:role|message|prompt)s? (?:is |are )?not supported|roles must alternate"
    r"|developer instruction is not enabled",
    re.IGNORECASE,
)
_LEAVE_OUT_SYSTEM = Words("；请写 system_message: false", "; write system_message: false")
_OTHER_LIMIT = Words("；请写 max_tokens_as: max_completion_tokens", "; write max_tokens_as: max_completion_tokens")
_NO_REMEDY = Words("", "")
#: With these a server refuses what it was asked, also where it calls that an error of its own.
_REFUSES = frozenset({400, 413, 422, 500, 501})
_MODEL_UNKNOWN = frozenset({"model_not_found", "model_not_available", "invalid_model"})
#: A larger number counts nothing, and no run could keep it.
_NO_COUNT = 10**15
_TOO_DEEP = Words("嵌套太深", "nested too deeply")
_NO_OBJECT = Words("不是 JSON 对象", "it is no JSON object")
_NO_MESSAGE = Words("choices[0] 里没有 message", "choices[0] holds no message")
_NOT_THE_FORM = Words("服务自己判定它不合要求的形式", "the server itself finds that it is not of the form asked for")
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
    code, kind, message, parameter = _error_in(body)
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
    is_wrong_key = code in ("invalid_api_key", "invalid_authentication")
    if status == 401 or is_wrong_key or (status == 400 and _KEY_WORDS.search(message)):
        return failed("key_refused")
    if status == 403:
        return failed("access_denied")
    if 300 <= status < 400:
        return failed("redirected")
    if {code, kind} & _MODEL_UNKNOWN or (status in (400, 404) and parameter == "model"):
        return failed("model_unknown", model=model)
    if {code, kind} & _HELD_BACK and status in _REFUSES:
        return failed("content_filtered")
    if {code, kind} & _TOO_LONG or status == 413 or (status in _REFUSES and _TOO_LONG_WORDS.search(message)):
        return failed("input_too_long")
    if status in _REFUSES and output != "text" and _is_about_the_form(parameter, message):
        return failed("output_form_refused", output=output)
    if status == 404:
        if "model" in message.lower():
            return failed("model_unknown", model=model)
        return failed("address_unknown", address=address)
    if status >= 500 or status in (408, 409, 425):
        return failed("server_error", wait, **words)
    if code == "json_validate_failed":
        return failed("answer_not_json", reason=_NOT_THE_FORM)
    remedy = _remedy(message)
    return failed("request_refused", remedy_zh=remedy.zh, remedy_en=remedy.en)


def _remedy(message: str) -> Words:
    """Return which setting meets what a server refuses."""
    if _SYSTEM_WORDS.search(message):
        return _LEAVE_OUT_SYSTEM
    return _OTHER_LIMIT if "max_completion_tokens" in message else _NO_REMEDY


def _error_in(body: Any) -> tuple[str, str, str, str]:
    """Return code, type, message and parameter of an error object, as far as they are texts or numbers."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if isinstance(error, str):
        return "", "", error, ""
    if not isinstance(error, Mapping):
        error = body if isinstance(body, Mapping) else {}
    code, kind, parameter = (_as_text(error.get(name)) for name in ("code", "type", "param"))
    return code, kind, own_words(body), parameter


def _as_text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _is_about_the_form(parameter: str, message: str) -> bool:
    return parameter.startswith("response_format") or "response_format" in message or "json_schema" in message


def error_body(body: Any) -> Any:
    """Return the body of an error that comes although the status is none, or inside a choice; None for any other."""
    if not isinstance(body, Mapping):
        return None
    choices = body.get("choices")
    if not choices:
        return body if body.get("error") else None
    first = choices[0] if isinstance(choices, list) else None
    error = first.get("error") if isinstance(first, Mapping) else None
    return {"error": error} if error else None


def alone(body: Any) -> Any:
    """Return an error that comes as the only entry of a list (Gemini) without the list."""
    return body[0] if isinstance(body, list) and len(body) == 1 else body


def wait_in(body: Any) -> float | None:
    """Return how long an error asks to wait (Gemini: `retryDelay` in its details). Units: seconds."""
    error = body.get("error") if isinstance(body, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    found = [one.get("retryDelay") for one in details if isinstance(one, Mapping)] if isinstance(details, list) else []
    return next((seconds for one in found if (seconds := seconds_in(one)) is not None), None)


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
    except UnicodeDecodeError:
        raise failure("response_garbled", reason=_NOT_UTF_8) from None
    except ValueError as error:
        raise failure("response_garbled", reason=Words(*json_problem(error))) from None
    except RecursionError:
        raise failure("response_garbled", reason=_TOO_DEEP) from None


# --- answers ----------------------------------------------------------------------------------------------------------


def reply_of(body: Any, limit: int | None, told: str = "") -> Reply:
    """Return what the model said.

    Shapes: `limit` is the number of tokens that the request allowed; `told` what the server says beside an answer, safe
    to record.
    Errors: ToolFailure.
    """
    if not isinstance(body, Mapping):
        raise failure("response_garbled", reason=_NO_OBJECT)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise failure("no_choices", told=told, details={"server_says": told} if told else {})
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
    if word in _BROKEN_OFF:
        raise failure("answer_broken_off", reason=word, details=details)
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
        self.error = self.error or error_body(event)
        if self.error is not None:
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

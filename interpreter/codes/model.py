"""Codes with which the adapter `model` says why a call failed, known to every contract that has a `prompt`.

They are errors of tools, not findings: `retry`, `repair` and workflows name them, and a contract may give each another
kind. Nothing here is repeated by the adapter itself.
"""

from __future__ import annotations

from interpreter.words import Words
from rules.records import NamedTuple


class ModelError(NamedTuple):
    """Shapes: `kind` is one of `ports.ERROR_KINDS`; `words` has holes for what the adapter knows."""

    kind: str
    words: Words


MODEL_ERRORS: dict[str, ModelError] = {
    # --- the way there ---
    "unreachable": ModelError(
        "unreachable", Words("连不上 {address}：{reason}", "{address} cannot be reached: {reason}")
    ),
    "connection_lost": ModelError(
        "transient", Words("连接在收到回答之前断开", "the connection was lost before an answer came")
    ),
    "stream_cut": ModelError("transient", Words("回答只到了一部分，连接就断了", "the answer broke off in the middle")),
    "timed_out": ModelError("timed_out", Words("没有在时限内回答", "no answer came in time")),
    "cancelled": ModelError(
        "cancelled", Words("运行被取消，不再接收回答", "the run was cancelled, and the answer is no longer awaited")
    ),
    "redirected": ModelError(
        "permanent",
        Words(
            "服务让去别的地址（HTTP {status}），密钥不会跟过去",
            "the server points elsewhere (HTTP {status}); the key does not go there",
        ),
    ),
    # --- who may ask, and how often ---
    "key_refused": ModelError(
        "permanent", Words("服务不认可密钥（HTTP {status}）", "the server refuses the key (HTTP {status})")
    ),
    "access_denied": ModelError(
        "permanent", Words("这个密钥没有权限（HTTP 403）", "this key may not do that (HTTP 403)")
    ),
    "rate_limited": ModelError("transient", Words("请求太频繁{wait_zh}", "too many requests{wait_en}")),
    "quota_exhausted": ModelError(
        "permanent", Words("额度用完了，等待没有用", "the quota is used up; waiting does not help")
    ),
    # --- what was asked ---
    "model_unknown": ModelError("permanent", Words("服务没有模型 {model}", "the server has no model {model}")),
    "address_unknown": ModelError(
        "permanent",
        Words(
            "{address} 下没有这个接口（HTTP {status}）；多数服务的地址以 /v1 结尾",
            "there is no such endpoint below {address} (HTTP {status}); with most servers the address ends with /v1",
        ),
    ),
    "output_form_refused": ModelError(
        "permanent",
        Words(
            "服务不支持 output: {output}；换成 schema、object、text 里靠后的一种",
            "the server does not take output: {output}; write a later one of schema, object, text",
        ),
    ),
    "input_too_long": ModelError("permanent", Words("输入超出模型的长度", "the input is longer than the model takes")),
    "request_refused": ModelError(
        "permanent",
        Words(
            "服务拒绝了请求（HTTP {status}）{remedy_zh}", "the server refused the request (HTTP {status}){remedy_en}"
        ),
    ),
    "prompt_not_made": ModelError(
        "permanent", Words("提示词无法由输入写出：{reason}", "the prompt could not be made from the input: {reason}")
    ),
    "server_error": ModelError(
        "transient", Words("服务出错（HTTP {status}）{wait_zh}", "the server failed (HTTP {status}){wait_en}")
    ),
    # --- what came back, around the answer ---
    "answer_too_large": ModelError(
        "permanent", Words("回答超过 {at_most} 字节", "the answer is larger than {at_most} bytes")
    ),
    "response_not_json": ModelError(
        "permanent", Words("服务回的不是 JSON（{content_type}）", "what came back is not JSON ({content_type})")
    ),
    "response_garbled": ModelError(
        "transient", Words("服务的回应读不懂：{reason}", "the response cannot be read: {reason}")
    ),
    "answer_broken_off": ModelError(
        "transient",
        Words(
            "服务没有写完回答就停了（finish_reason: {reason}）",
            "the server gave up in the middle of the answer (finish_reason: {reason})",
        ),
    ),
    "no_choices": ModelError("transient", Words("服务的回应里没有回答", "the response holds no answer")),
    # --- the answer itself ---
    "output_cut": ModelError("permanent", Words("回答被截断{limit_zh}", "the answer was cut{limit_en}")),
    "content_filtered": ModelError(
        "permanent", Words("服务的内容过滤拦下了回答", "a content filter held the answer back")
    ),
    "refused_by_model": ModelError("permanent", Words("模型拒绝回答", "the model refused to answer")),
    "tool_call_instead": ModelError(
        "invalid", Words("模型想调用工具，没有给出回答", "the model wants to call a tool and gave no answer")
    ),
    "unknown_finish": ModelError(
        "permanent",
        Words(
            "不知道回答是否完整（finish_reason: {reason}）",
            "whether the answer is whole is not known (finish_reason: {reason})",
        ),
    ),
    "empty_answer": ModelError("invalid", Words("回答是空的", "the answer is empty")),
    "thoughts_unclosed": ModelError(
        "invalid", Words("只有思考过程，没有回答", "there are thoughts, and no answer after them")
    ),
    "answer_not_json": ModelError("invalid", Words("回答不是 JSON：{reason}", "the answer is not JSON: {reason}")),
}

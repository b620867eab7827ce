"""Codes with which the adapters `http`, `mcp` and `command` say why a call failed, known to every contract.

They are errors of tools, not findings: `retry` and workflows name them, and a contract may give each another kind.
Nothing here is repeated by an adapter itself.
"""

from __future__ import annotations

from typing import Literal

from interpreter.words import Words
from rules.records import NamedTuple


class ServiceError(NamedTuple):
    """Shapes: `kind` is one of `ports.ERROR_KINDS`; `words` has holes for what the adapter knows.

    `happened` is what is known of a write: `never` where the service did nothing for certain.
    """

    kind: str
    words: Words
    happened: Literal["never", "perhaps"] = "perhaps"


SERVICE_ERRORS: dict[str, ServiceError] = {
    # --- the way there ---
    "request_not_made": ServiceError(
        "invalid",
        Words("请求无法由参数写出：{reason_zh}", "no request can be made from the arguments: {reason_en}"),
        "never",
    ),
    "unreachable": ServiceError(
        "unreachable", Words("连不上 {address}：{reason}", "{address} cannot be reached: {reason}"), "never"
    ),
    "connection_lost": ServiceError(
        "transient", Words("连接在收到回答之前断开", "the connection was lost before an answer came")
    ),
    "answer_cut": ServiceError(
        "transient", Words("回答只到了一部分，连接就断了", "the answer broke off in the middle")
    ),
    "timed_out": ServiceError("timed_out", Words("没有在时限内回答", "no answer came in time")),
    "cancelled": ServiceError(
        "cancelled", Words("运行被取消，不再接收回答", "the run was cancelled, and the answer is no longer awaited")
    ),
    "redirected": ServiceError(
        "permanent",
        Words(
            "服务让去别的地址（HTTP {status}：{target}），没有跟过去，凭据也不会带过去",
            "the service points elsewhere (HTTP {status}: {target}); nothing follows, and no credentials go there",
        ),
    ),
    "too_many_redirects": ServiceError(
        "permanent", Words("跳转超过 {at_most} 次或成环", "more than {at_most} redirects, or a circle of them")
    ),
    # --- who may ask, and how often ---
    "key_refused": ServiceError(
        "person",
        Words(
            "服务不认可凭据（HTTP {status}），或登录已过期；请更新环境变量 {variable} 后继续",
            "the service refuses the credentials (HTTP {status}), or the sign-in has expired; renew what the "
            "environment variable {variable} holds and resume",
        ),
        "never",
    ),
    "access_denied": ServiceError(
        "permanent",
        Words(
            "这个账号没有权限（HTTP {status}）；请让管理员授权",
            "this account may not do that (HTTP {status}); ask for the permission",
        ),
        "never",
    ),
    "rate_limited": ServiceError("transient", Words("请求太频繁{wait_zh}", "too many requests{wait_en}"), "never"),
    "service_not_found": ServiceError(
        "permanent",
        Words("服务说没有这个东西（HTTP {status}）", "the service says there is no such thing (HTTP {status})"),
    ),
    "request_refused": ServiceError(
        "permanent", Words("服务拒绝了请求（HTTP {status}）", "the service refused the request (HTTP {status})")
    ),
    "server_error": ServiceError(
        "transient", Words("服务出错（HTTP {status}）{wait_zh}", "the service failed (HTTP {status}){wait_en}")
    ),
    # --- what came back ---
    "answer_too_large": ServiceError(
        "permanent", Words("回答超过 {at_most} 字节", "the answer is larger than {at_most} bytes")
    ),
    "answer_not_json": ServiceError(
        "permanent",
        Words(
            "服务回的不是{wanted}（{content_type}）；可能是登录页或网关的页面{remedy}",
            "what came back is not {wanted} ({content_type}); it may be a page to sign in, or of a gateway{remedy}",
        ),
    ),
    "answer_garbled": ServiceError("transient", Words("回答读不懂：{reason}", "the answer cannot be read: {reason}")),
    "answer_unexpected": ServiceError(
        "permanent",
        Words("回答的样子与 profile 写的不同：{reason_zh}", "the answer is not as the profile says: {reason_en}"),
    ),
    "not_successful": ServiceError("permanent", Words("服务说没有做成", "the service says that it was not done")),
    "service_says": ServiceError("permanent", Words("服务报告错误 {code}", "the service reports the error {code}")),
    # --- programs ---
    "program_missing": ServiceError(
        "person",
        Words(
            "找不到程序 {program}；请{remedy}，再继续",
            "there is no program {program}; {remedy}, and resume",
        ),
        "never",
    ),
    "program_not_executable": ServiceError(
        "person",
        Words(
            "程序 {program} 不能执行：{reason}；请检查它的权限和它自己需要的程序",
            "the program {program} cannot be executed: {reason}; look at its permissions and at what it needs itself",
        ),
        "never",
    ),
    "program_too_old": ServiceError(
        "person",
        Words(
            "程序 {program} 的版本是 {version}，需要 {at_least} 或更新；请升级后继续",
            "the program {program} is version {version}; {at_least} or newer is needed; update it and resume",
        ),
        "never",
    ),
    "program_folder_missing": ServiceError(
        "person",
        Words("程序要在文件夹 {folder} 里运行，但它不存在", "there is no folder {folder} to run the program in"),
        "never",
    ),
    "program_not_started": ServiceError(
        "transient", Words("程序 {program} 无法启动：{reason}", "{program} cannot be started: {reason}"), "never"
    ),
    "argument_refused": ServiceError(
        "invalid",
        Words("参数不能交给程序：{reason_zh}", "an argument is not given to the program: {reason_en}"),
        "never",
    ),
    "program_failed": ServiceError(
        "permanent",
        Words("程序 {program} 以状态 {status} 结束{silence_zh}", "{program} ended with status {status}{silence_en}"),
    ),
    "output_not_text": ServiceError(
        "permanent",
        Words(
            "程序的输出不是 {encoding} 编码的文本；请写出它的编码，例如 encoding: gb18030",
            "the output of the program is not text in {encoding}; write the encoding that it uses, such as "
            "encoding: gb18030",
        ),
    ),
    "output_not_json": ServiceError(
        "permanent",
        Words(
            "程序 {program} 的输出不是 JSON，或者是空的{remedy_zh}",
            "{program} printed no JSON, or nothing at all{remedy_en}",
        ),
    ),
    # --- recordings ---
    "not_recorded": ServiceError(
        "permanent",
        Words("录下的回答里没有这次调用；{nearest_zh}", "this call is not among what was recorded; {nearest_en}"),
        "never",
    ),
    # --- servers of the Model Context Protocol ---
    "server_stopped": ServiceError("unreachable", Words("工具服务中途停了", "the server of the tools has stopped")),
    "server_broken": ServiceError(
        "permanent",
        Words("工具服务没有遵守协议：{reason}", "the server of the tools does not keep to the protocol: {reason}"),
    ),
    "tool_missing": ServiceError(
        "permanent", Words("工具服务没有工具 {name}{near_zh}", "the server has no tool {name}{near_en}"), "never"
    ),
    "tool_unfit": ServiceError(
        "permanent",
        Words(
            "工具 {name} 收的参数与契约不合：{reason_zh}",
            "the tool {name} does not take what the contract gives: {reason_en}",
        ),
        "never",
    ),
    "tool_not_pinned": ServiceError(
        "person",
        Words(
            "还没有人看过并固定工具 {name} 的说明；请运行 {command}",
            "nobody has looked at the tool {name} and pinned it; run {command}",
        ),
        "never",
    ),
    "tool_changed": ServiceError(
        "person",
        Words(
            "工具 {name} 的说明或参数与固定的不同；看过之后运行 {command}",
            "the tool {name} describes itself otherwise than when it was pinned; look at it, then run {command}",
        ),
        "never",
    ),
    "pins_unreadable": ServiceError(
        "person",
        Words(
            "固定工具说明的文件 {file} 读不懂；把它移走，再运行 {command}",
            "the file {file} that pins the tools cannot be read; move it away and run {command}",
        ),
        "never",
    ),
    "tool_error": ServiceError("permanent", Words("工具报告失败{said_zh}", "the tool reports a failure{said_en}")),
    "no_data": ServiceError(
        "permanent",
        Words(
            "工具的回答里没有数据，只有 {what}{said_zh}", "the answer of the tool holds no data, only {what}{said_en}"
        ),
    ),
    "input_asked_for": ServiceError(
        "refused",
        Words("工具想另外问人，这里不许", "the tool wants to ask a person something, which is not allowed here"),
    ),
}

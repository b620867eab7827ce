"""Codes of the phase `tool`: contracts, allow-lists, effects and confirmations."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    "tool/unknown": Code("error", Words("没有工具 {tool}", "there is no tool {tool}")),
    "tool/document-not-used": Code(
        "error",
        Words(
            "工具文档 {document} 没有列在 uses.tools 里", "the tools document {document} is not listed under uses.tools"
        ),
        Words("在 uses.tools 里加上 {document}", "add {document} to uses.tools"),
    ),
    "tool/not-allowed": Code(
        "error",
        Words("状态 {state} 不允许调用 {tool}", "the state {state} does not allow {tool}"),
        Words("把 {tool} 加进这个状态的 tools", "add {tool} to the tools of this state"),
    ),
    "tool/not-allowed-through-block": Code(
        "error",
        Words(
            "步骤块 {block} 会调用 {tool}，状态 {state} 不允许",
            "the block {block} calls {tool}, which the state {state} does not allow",
        ),
        Words("把 {tool} 加进这个状态的 tools", "add {tool} to the tools of this state"),
    ),
    "tool/effect-too-strong": Code(
        "error",
        Words(
            "{tool} 的影响是 {effect}，而流程声明的是 {declared}",
            "{tool} is {effect}, the workflow declares {declared}",
        ),
        Words("把开头的 effect 改成 {effect}，或换一个工具", "write effect: {effect} at the head, or use another tool"),
    ),
    "tool/write-without-confirmation": Code(
        "error",
        Words("{tool} 会写入，却没有说明由哪次确认允许", "{tool} writes, but names no confirmation that permits it"),
        Words("写上 needs: 确认的名称", "write needs: with the name of the confirmation"),
    ),
    "tool/writes-asking-nobody": Code(
        "note",
        Words("这个流程写入前不问任何人", "this workflow writes without asking anybody"),
        Words("去掉这一行，流程就要先得到确认", "without this line it has to ask first"),
    ),
    "tool/one-asks-nobody": Code(
        "note",
        Words("{tool} 写入前不问任何人", "{tool} writes without asking anybody"),
        Words("去掉这一行，它就要先得到确认", "without this line it has to be confirmed first"),
    ),
    "tool/used-workflow-asks-nobody": Code(
        "error",
        Words(
            "{name} 写入前不问任何人，这个流程却没有写明",
            "{name} writes without asking anybody, and this workflow does not say so",
        ),
        Words(
            "在这里也写上 writes_without_confirmation 和理由，或换一个会先确认的流程",
            "write writes_without_confirmation with the reason here too, or use a workflow that asks first",
        ),
    ),
    "tool/needs-is-no-confirmation": Code(
        "error",
        Words("{name} 是表单，不能允许调用", "{name} is a form, which permits no call"),
        Words("needs 要写一个 confirm 的名称", "needs names a confirm"),
    ),
    "tool/confirmation-permits-nothing": Code(
        "error",
        Words(
            "确认 {name} 没有 permits，不会允许任何调用", "the confirmation {name} has no permits and permits no call"
        ),
        Words("在 confirm 里写 permits", "write permits at the confirm"),
    ),
    "tool/confirmation-cannot-be-given": Code(
        "error",
        Words("确认 {name} 没有一个选项是 confirms: true", "no choice of the confirmation {name} says confirms: true"),
        Words("给表示同意的选项加上 confirms: true", "add confirms: true to the choice that agrees"),
    ),
    "tool/confirmation-hides-a-write": Code(
        "error",
        Words("这个确认会许可写入，却写着 writes: false", "this confirmation permits writes and says writes: false"),
        Words("写 writes: true", "write writes: true"),
    ),
    "tool/never-permitted": Code(
        "error",
        Words(
            "{question} 不许可 {tool}，这个调用总会被拒绝",
            "{question} permits no call of {tool}; this one is always refused",
        ),
        Words(
            "在 permits 里写上 tool: {tool}，或改 needs",
            "name tool: {tool} in permits, or another confirmation in needs",
        ),
    ),
    "tool/not-as-permitted": Code(
        "error",
        Words(
            "调用 {tool} 时 {name} 是{sent_zh}，而 {question} 许可的是{shown_zh}，总会被拒绝",
            "{tool} is called with {sent_en} as {name}, but {question} permits {shown_en}: this is always refused",
        ),
        Words(
            "两处写同样的值；最好把整个 with 存进数据，两处都读它",
            "write the same in both places; best keep the whole of with in data and read it in both",
        ),
    ),
    "tool/permitted-but-nowhere-allowed": Code(
        "error",
        Words("permits 里的 {tool} 不在任何状态的 tools 里", "{tool} is permitted, but no state allows it"),
        Words("把 {tool} 加进调用它的那个状态的 tools", "add {tool} to the tools of the state that calls it"),
    ),
    "tool/argument-of-no-tool": Code(
        "error",
        Words(
            "没有一个工具接受 {name}：every_call 不会把它加进任何调用",
            "no tool takes {name}: every_call would add it to no call",
        ),
        Words("改成工具接受的参数，或删掉", "name an argument that a tool takes, or delete it"),
    ),
    "tool/look-up-writes": Code(
        "error",
        Words(
            "{tool} 会写入：查明一次写入的调用没有人确认，只能读取",
            "{tool} writes: the call that finds out about a write is confirmed by nobody, and may only read",
        ),
        Words("换成 effect: read 的工具", "name a tool with effect: read"),
    ),
    "tool/not-paged": Code(
        "error",
        Words("{tool} 不分页", "{tool} has no pages"),
        Words("去掉 pages，或在契约里写 pages", "leave pages out, or declare pages in its contract"),
    ),
    "tool/unknown-error": Code("error", Words("{tool} 没有错误码 {error}", "{tool} knows no error {error}")),
    "tool/of-no-document": Code(
        "error",
        Words(
            "{tool} 不以文档的名称 {document} 开头，任何流程都调用不到",
            "{tool} does not begin with {document}, the name of the document: no workflow can call it",
        ),
    ),
    "tool/unknown-page-field": Code(
        "error",
        Words(
            "契约的 pages 提到 {name}，但{where_zh}里没有它",
            "pages of the contract names {name}, which {where_en} does not have",
        ),
    ),
}

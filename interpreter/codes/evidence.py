"""Codes of the phase `evidence`: texts that were not read, pointers that nobody looks up."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    "evidence/not-a-body": Code(
        "error",
        Words("{name} 只是摘要线索，不能作为证据", "{name} is only a snippet and cannot become evidence"),
        Words(
            "先读取全文，再录入契约里标了 evidence: body 的字段",
            "read the whole first, then admit a field that its contract marks evidence: body",
        ),
    ),
    "evidence/not-bound": Code(
        "error",
        Words("{tool} 的回答里有证据指针，却没有核对", "the answer of {tool} holds pointers, and nothing binds them"),
        Words(
            "在 accept 里加一条 bind: answer，并用 among 给出 {sides}",
            "add bind: answer to accept, with {sides} under among",
        ),
    ),
    "evidence/nothing-to-bind": Code(
        "error",
        Words("{tool} 的回答里没有证据指针，不用核对", "the answer of {tool} holds no pointer that could be bound"),
        Words("删掉 bind，或在契约里写明指针", "leave out bind, or write the pointers into the contract"),
    ),
    "evidence/unknown-side": Code(
        "error", Words("没有指针用到方面 {side}", "no pointer of the answer is on the side {side}")
    ),
    "evidence/side-missing": Code(
        "error",
        Words("among 里缺少方面 {side}", "among leaves out the side {side}"),
        Words("写上 {side}: 证据单元的列表", "write {side}: and the list of units"),
    ),
    "evidence/pointer-outside-answer": Code(
        "error",
        Words(
            "{name} 的类型里有证据指针，只有工具的回答可以有",
            "the type of {name} holds pointers; only answers of tools may",
        ),
        Words("核对后的值写成 evidence#Citation", "write evidence#Citation for what is bound"),
    ),
    "evidence/name-taken": Code(
        "error",
        Words("{tool} 的回答里已经有字段 {name}", "the answer of {tool} has a field {name} already"),
        Words("becomes 换一个名称", "choose another name under becomes"),
    ),
    "evidence/citation-from-outside": Code(
        "error",
        Words("{tool} 的回答里不能有引用", "an answer of {tool} cannot hold a citation"),
        Words("写成指针，核对后才是引用", "write a pointer; it is a citation once it is bound"),
    ),
    "evidence/form-is-given": Code(
        "error",
        Words("引用的 form 由解释器填写", "the field form of a citation is filled in by the interpreter"),
        Words("换一个名称", "choose another name"),
    ),
    "evidence/source-lacks-field": Code(
        "error",
        Words(
            "引用要用 source.{name}，这里录入的来源没有它",
            "a citation reads source.{name}, which this source does not have",
        ),
        Words(
            "给这里的 source 也写上 {name}，或在 citation 里用 {{ unit.source.{name} | default('') }}",
            "give this source a {name} too, or write {{ unit.source.{name} | default('') }} under citation",
        ),
    ),
}

"""Codes of the phase `test`: what a case expects beside what came."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    "test/id-twice": Code(
        "error",
        Words("用例 {id} 出现两次", "there are two cases {id}"),
        Words("换一个 id", "choose another id"),
    ),
    "test/no-such-case": Code(
        "error",
        Words("前面没有用例 {id}", "there is no case {id} above this one"),
        Words("like 写前面一个用例的 id", "like names the id of a case that stands before"),
    ),
    "test/no-such-choice": Code(
        "error",
        Words("{question} 没有选项 {choice}", "{question} has no choice {choice}"),
        Words(
            "要试它不被接受，写 {question}: {wrong: [{choice}]}",
            "to see that it is refused, write {question}: {wrong: [{choice}]}",
        ),
    ),
    "test/not-refused": Code(
        "error",
        Words("{question} 接受 {answer}", "{question} takes {answer}"),
        Words(
            "wrong 只写不被接受的回答；接受的写在 then 里",
            "wrong holds what is refused; what is taken stands under then",
        ),
    ),
    "test/no-such-field": Code("error", Words("{question} 没有字段 {field}", "{question} has no field {field}")),
    "test/no-road": Code(
        "error",
        Words("没有从 {origin} 到 {to} 的路", "no road leads from {origin} to {to}"),
        Words(
            "改期望；或给 {origin} 的 next 加上 {to}", "mend what is expected, or lead to {to} in the next of {origin}"
        ),
    ),
    "test/inputs-missing": Code(
        "error",
        Words("用例 {case}：缺少输入 {names}", "case {case}: inputs are missing: {names}"),
        Words("写进 inputs", "give them under inputs"),
    ),
    "test/injected-unfit": Code(
        "error",
        Words(
            "{name} 的声明不接受这个值：{problem_zh}",
            "the declaration of {name} does not take this value: {problem_en}",
        ),
        Words("inject 放进的值也要符合声明", "what inject puts in place has to fit the declaration too"),
    ),
    "test/rule-differs": Code(
        "error",
        Words(
            "用例 {case}：{rule} 应答 {wanted_zh}，得到 {found_zh}",
            "case {case}: {rule} answers {found_en}, expected {wanted_en}",
        ),
        Words("改规则，或改期望", "mend the rule, or what is expected"),
    ),
    "test/undeclared-call": Code(
        "error",
        Words(
            "用例 {case}：没有声明 {tool} 对 {sent} 的回答",
            "case {case}: no answer of {tool} is declared for {sent}",
        ),
        Words("在 tools 的 {tool} 下加上：- {declare}", "declare one under tools, {tool}: - {declare}"),
    ),
    "test/answer-breaks-contract": Code(
        "error",
        Words(
            "{tool} 的契约不接受这个回答：{problem_zh}",
            "the contract of {tool} does not take this answer: {problem_en}",
        ),
        Words(
            "改回答；如果就是要试工具答错，写 breaks_contract: true",
            "mend the answer; where a tool that answers wrongly is meant, write breaks_contract: true",
        ),
    ),
    "test/answer-unfit": Code(
        "error",
        Words(
            "用例 {case}：对 {question} 的回答不合适：{why_zh}",
            "case {case}: the answer to {question} does not fit: {why_en}",
        ),
        Words(
            "改成一个选项的 id 或确认语，或表单要的字段", "give the id or phrase of a choice, or the fields of the form"
        ),
    ),
    "test/does-not-end": Code(
        "error",
        Words(
            "用例 {case} 不会结束：已经问了 {times} 次，现在又问 {question}",
            "case {case} does not end: {times} questions were asked, and now {question} is asked again",
        ),
        Words(
            "写成列表，每问一次一个回答：{question}: [第一次, 第二次]；流程本身出不来时，给回到原处的转移加 at_most",
            "write a list, an answer for each asking: {question}: [first, second]; where the workflow itself cannot "
            "get out, give the transition that leads back at_most",
        ),
    ),
    "test/unanswered": Code(
        "error",
        Words("用例 {case}：没有人回答 {question}", "case {case}: nobody answers {question}"),
        Words("在 answers 里写上 {question}", "answer {question} under answers"),
    ),
    "test/different": Code(
        "error",
        Words("用例 {case}：{what} 应为 {wanted}，得到 {found}", "case {case}: {what} is {found}, expected {wanted}"),
        Words("改流程，或改期望", "mend the workflow, or what is expected"),
    ),
    "test/calls-differ": Code(
        "error",
        Words(
            "用例 {case}：{tool} 应有{wanted_zh} 次这样的调用，有 {found} 次{others_zh}",
            "case {case}: {tool} is called {found_en} like this, expected {wanted_en}{others_en}",
        ),
        Words("改流程，或改 with 和 times", "mend the workflow, or with and times"),
    ),
    "test/no-output": Code("error", Words("没有输出 {name}", "there is no output {name}")),
    "test/condition-failed": Code(
        "error",
        Words("{condition} 不成立{reason_zh}", "{condition} does not hold{reason_en}"),
        Words("改流程，或改期望", "mend the workflow, or what is expected"),
    ),
    "test/message-missing": Code(
        "error",
        Words("用例 {case}：没有消息含有“{text}”", "case {case}: no message holds “{text}”, or not in this order"),
        Words("照消息的原文写其中一段", "write a part of the message as it stands"),
    ),
}

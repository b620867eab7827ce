"""Codes of the phase `flow`: states, transitions, loops, waits."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    "flow/unreachable-state": Code(
        "warning",
        Words("没有任何路通向状态 {name}", "no road leads to the state {name}"),
        Words(
            "在别的状态的 next 里写 to: {name}，或删掉它", "write to: {name} in the next of another state, or delete it"
        ),
    ),
    "flow/no-way-to-end": Code(
        "error",
        Words("从状态 {name} 到不了结束", "no road leads from the state {name} to an end"),
        Words("加一条 to: end 的转移", "add a transition with to: end"),
    ),
    "flow/never-taken": Code(
        "error",
        Words("这条转移永远不会走：上面那条没有条件", "this transition is never taken: the one above has no condition"),
        Words("给上面那条加 when，或把没有条件的放到最后", "give the one above a when, or put the one without last"),
    ),
    "flow/never-holds": Code(
        "error",
        Words("这个条件永远不成立", "this condition never holds"),
        Words("改正条件，或删掉这条转移", "correct the condition or delete the transition"),
    ),
    "flow/no-transition-may-hold": Code(
        "warning",
        Words(
            "每条转移都有条件，都不成立时无路可走",
            "every transition has a condition; if none holds, the state has no way on",
        ),
        Words("把最后一条的 when 去掉", "leave the when out of the last one"),
    ),
    "flow/cycle-without-bound": Code(
        "error",
        Words("循环 {road} 既不问人，也没有次数上限", "the cycle {road} neither asks a person nor has a bound"),
        Words("给其中一条转移加 at_most", "give one of its transitions at_most"),
    ),
    "flow/cycle-where-nobody-answers": Code(
        "warning",
        Words(
            "没有人在场时，循环 {road} 可能一直转下去：路上的问题都有 otherwise，不等人回答",
            "where nobody is there the cycle {road} may go round for ever: each question on it has an otherwise",
        ),
        Words(
            "给其中一条转移加 at_most，或让 otherwise 的回答走到循环外面",
            "give one of its transitions at_most, or let what is answered otherwise lead out of it",
        ),
    ),
    "flow/wait-without-bound": Code(
        "error",
        Words("问题 {name} 没有说明最多等多久", "the question {name} does not say how long to wait"),
        Words(
            "写上 wait，例如 wait: 7d，或在文档开头的 questions 里写",
            "write wait, such as wait: 7d, here or under questions at the head",
        ),
    ),
    "flow/redo-changes-nothing": Code(
        "warning",
        Words(
            "{step} 重做之后，这个门禁问的 {names} 不会变：后面的步骤不会重做",
            "{step}, done again, does not change what the gate asks about ({names}): later steps are not done again",
        ),
        Words(
            "写会改变 {names} 的那一步，或把它们放进同一步的 do 里",
            "name the step that changes {names}, or put what changes it under the do of that step",
        ),
    ),
    "flow/recursion": Code(
        "error",
        Words("{road} 用到了自己", "{road} uses itself"),
        Words("用 repeat 或 each 代替", "use repeat or each instead"),
    ),
    "flow/walk-without-bound": Code(
        "error",
        Words("这次翻页没有页数上限", "this walk over pages has no bound"),
        Words("写上 at_most", "write at_most"),
    ),
    "flow/branch-never-taken": Code(
        "error",
        Words("这个分支永远不会走：上面那个没有条件", "this branch is never taken: the one above has no condition"),
        Words("给上面那个加 when，或把没有条件的放到最后", "give the one above a when, or put the one without last"),
    ),
    "flow/never-reached": Code(
        "error",
        Words("这一步永远不会执行：前面的 {verb} 已经离开", "this step is never reached: {verb} above it leaves"),
        Words("给前面的步骤加 when，或删掉这一步", "give the step above a when, or delete this one"),
    ),
    "flow/change-at-once": Code(
        "error",
        Words(
            "at_once 的循环体只能改自己的那一项，不能改 {name}",
            "a body that runs at_once may change its own item only, not {name}",
        ),
        Words("用 give 交出值，循环之后再 set", "hand the value out with give and set it after the loop"),
    ),
    "flow/list-replaced-in-loop": Code(
        "error",
        Words(
            "循环 {loop} 正按位置处理 {name}，它的步骤不能把 {name} 整个换掉：会漏掉一些项，或把一项做两遍",
            "the loop {loop} stands at a place in {name}; its steps may not replace {name}: entries would be passed "
            "over, or worked on twice",
        ),
        Words(
            "循环之后再换，或先用 let 取出一份，循环那一份；改一项写 {loop}.字段",
            "replace it after the loop, or name a copy with let and loop over that; one entry is changed as "
            "{loop}.field",
        ),
    ),
    "flow/question-at-once": Code(
        "error",
        Words("at_once 的循环里不能提问", "no question may stand in a loop that runs at_once"),
        Words("去掉 at_once，或在循环之外提问", "leave out at_once, or ask outside the loop"),
    ),
    "flow/move-on-in-block": Code(
        "error",
        Words("步骤块里不能写 move_on", "move_on may not stand in a block"),
        Words("用 give 交出结果，由状态来决定", "hand out a value with give and let the state decide"),
    ),
    "flow/guarantee-broken": Code(
        "error",
        Words("不是每条路径都守住保证 {name}：{way_zh}", "not every way keeps the guarantee {name}: {way_en}"),
        Words(
            "在这条路径上补上门禁或步骤，或改写这条保证；interpreter prove 会逐条列出",
            "close this way with a gate or a step, or say less; interpreter prove shows each guarantee",
        ),
    ),
    "flow/write-not-confirmed": Code(
        "error",
        Words(
            "有一条路径走到这次写入时，{name} 没有得到确认或已经作废：{way_zh}",
            "this write can be reached without {name} being confirmed, or after the answer was voided: {way_en}",
        ),
        Words(
            "在进入这个状态之前要求 confirmed: {name}，并且确认之后不要再改它展示的内容",
            "ask for confirmed: {name} before the state is entered, and change nothing that it shows after that",
        ),
    ),
    "flow/write-after-refusal": Code(
        "warning",
        Words(
            "如果 {name} 没有得到确认，运行会走到这次写入，被拒绝而失败：{way_zh}",
            "where {name} ends without a yes, the run comes to this write, is refused and fails: {way_en}",
        ),
        Words(
            "在问题上写明 refused: block 或 refused: {to: 状态}，或给这一步加 when",
            "write refused: block or refused: {to: STATE} at the question, or give this step a when",
        ),
    ),
    "flow/permitted-otherwise": Code(
        "warning",
        Words(
            "调用 {tool} 时 {name} 写成{sent_zh}，而 {question} 许可的写成{shown_zh}，两者不会相同",
            "{tool} is called with {sent_en} as {name}, but {question} permits {shown_en}: they never agree",
        ),
        Words(
            "两处写得完全一样；最好把这个值存进数据，两处都读它",
            "write the same in both places; best keep the value in data and read it in both",
        ),
    ),
    "flow/guarantee-too-large": Code(
        "warning",
        Words("步骤块展开后太多，保证 {name} 无法证明", "the blocks are too many to prove the guarantee {name}"),
        Words("少嵌套一些步骤块；运行时仍会看守它", "nest fewer blocks; a run is watched all the same"),
    ),
}

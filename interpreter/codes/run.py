"""Codes of the phase `run`: why a run stopped, why an answer leaves a question open."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

#: What to do where a stop asks for an edit and none can be taken up.
_AFTER_WRITE = Words(
    "当前状态已开始写入，改动不能采用：排除原因后用 resume 再试，不做了就用 cancel 结束这个运行",
    "the present state has begun a write, so that no edit can be taken up: remove the cause, then resume tries again; "
    "cancel gives the run up",
)

CODES: dict[str, Code] = {
    # --- what blocks a run; everything here can be mended ---
    "run/could-not-be-evaluated": Code(
        "error",
        Words("无法求值：{reason_zh}", "could not be evaluated: {reason_en}"),
        Words(
            "检查这里用到的名称和值；修改文档后继续",
            "look at the names and values used here; after an edit go on",
        ),
        "interpreter resume {run} --with-edits",
        after_write=_AFTER_WRITE,
    ),
    "run/output-unfit": Code(
        "error",
        Words("输出 {output} 不是声明的样子：{problem}", "the output {output} is not what is declared: {problem}"),
        Words(
            "改它的 value 或声明；修改后继续",
            "change its value or what is declared; after the edit go on",
        ),
        "interpreter resume {run} --with-edits",
        after_write=_AFTER_WRITE,
    ),
    "run/call-failed": Code(
        "error",
        Words(
            "调用 {tool} 失败（{error_code}）：{error_message}", "calling {tool} failed ({error_code}): {error_message}"
        ),
        Words(
            "排除原因后用 resume 重试这一次调用；修改文档后继续",
            "remove the cause, then resume tries this call again; after an edit go on",
        ),
        "interpreter resume {run} --with-edits",
        after_write=_AFTER_WRITE,
    ),
    "run/call-refused": Code(
        "error",
        Words(
            "调用 {tool} 被拒绝（{error_code}），什么也没有改：{error_message}",
            "{tool} refused the call ({error_code}) and changed nothing: {error_message}",
        ),
        Words(
            "已有的东西保持原样；不再会被拒绝时用 resume 再试这一次调用，不做了就用 cancel 结束这个运行",
            "what is there stays as it is; resume tries this call again once it can be taken, cancel gives the run up",
        ),
    ),
    "run/gate-closed": Code(
        "error",
        Words("门禁未通过：{gates}", "a gate is closed: {gates}"),
        Words("{again}", "{again}"),
    ),
    "run/no-transition": Code(
        "error",
        Words("状态 {state} 没有可走的去向", "state {state} has no way on: no transition holds"),
        Words("在 next 末尾加一条没有 when 的去向", "add a transition without `when` at the end of `next`"),
    ),
    "run/circle-goes-on": Code(
        "error",
        Words(
            "已经 {count} 次转到状态 {to}，看来停不下来",
            "the run went from here to {to} {count} times, and seems never to end",
        ),
        Words(
            "给这条去向写 at_most；如果这就是要的，用 resume 继续",
            "write at_most for this transition; where this is what you want, resume goes on",
        ),
    ),
    "run/budget-spent": Code(
        "error",
        Words("预算 {budget} 已用完", "the budget {budget} is spent"),
        Words(
            "增加后继续",
            "go on with more",
        ),
        "interpreter resume {run} --budget {budget}=+100",
    ),
    "run/rounds-used-up": Code(
        "error",
        Words("已重复 {at_most} 轮，结束条件仍未满足", "{at_most} rounds are used up and `until` does not hold yet"),
        Words("用 resume 再做同样多轮", "resume goes on for as many rounds again"),
    ),
    "run/page-limit": Code(
        "error",
        Words("已读 {at_most} 页，后面还有", "{at_most} pages were read and more follow"),
        Words("用 resume 从断点再读同样多页", "resume reads as many pages again from where it stopped"),
    ),
    "run/too-many-failures": Code(
        "error",
        Words("失败的项目太多：{count} 个", "too many items failed: {count}"),
        Words("用 resume 忽略并继续", "resume goes on all the same"),
    ),
    "run/question-ended": Code(
        "error",
        Words("问题 {question} 没有得到回答（{ending}）", "question {question} was not answered ({ending})"),
        Words("用 resume 重新提问", "resume asks it anew"),
    ),
    "run/write-unknown": Code(
        "error",
        Words("不知道 {tool} 的写入是否发生", "nobody knows whether the write by {tool} happened"),
        Words("查清后用 resume 回答", "find out, then resume asks again"),
    ),
    # --- what fails a run ---
    "run/failed": Code("error", Words("流程报告失败：{error_text}", "the workflow failed: {error_text}")),
    "run/guarantee-violated": Code(
        "error",
        Words(
            "保证 {guarantee} 会被 {event} 破坏，已拒绝", "guarantee {guarantee} would be broken by {event}; refused"
        ),
    ),
    "run/write-without-confirmation": Code(
        "error",
        Words("写入 {tool} 没有写明由哪个确认许可", "the write {tool} does not name the confirmation that permits it"),
    ),
    "run/write-not-confirmed": Code(
        "error",
        Words("写入 {tool} 需要确认 {question}，尚未得到", "the write {tool} needs {question}, which was not given"),
    ),
    "run/write-not-permitted": Code(
        "error",
        Words(
            "写入 {tool} 的参数与确认 {question} 时展示的不同，已拒绝",
            "the write {tool} has other arguments than {question} showed; refused before it was sent",
        ),
        Words(
            "不同的参数：{differs}；让 {question} 的 permits 和这次调用写同样的参数，再开始新的运行",
            "they differ in: {differs}; write the same under permits of {question} and in this call, and start anew",
        ),
    ),
    "run/confirmation-void": Code(
        "error",
        Words(
            "确认 {question} 之后所展示的内容变了，许可作废",
            "what {question} showed has changed since; its permission is void",
        ),
    ),
    "run/answered-through": Code(
        "error",
        Words(
            "{question} 许可写入，不能通过 {through} 回答",
            "{question} permits writes and may not be answered through {through}",
        ),
    ),
    "run/tool-not-allowed": Code(
        "error", Words("状态 {state} 不允许使用工具 {tool}", "state {state} does not allow the tool {tool}")
    ),
    "run/too-many-steps": Code(
        "error", Words("超过 {at_most} 步仍未结束", "more than {at_most} steps and no end in sight")
    ),
    # --- answers ---
    "run/answer-near-miss": Code(
        "error",
        Words("差一点：输入的是“{typed}”，应为“{wanted}”", "almost: you typed “{typed}” where “{wanted}” is needed"),
        Words("请原样输入确认语", "type the phrase exactly as shown"),
    ),
    "run/answer-near-miss-extra": Code(
        "error",
        Words("差一点：多了“{typed}”", "almost: “{typed}” is too much"),
        Words("请原样输入确认语", "type the phrase exactly as shown"),
    ),
    "run/answer-near-miss-short": Code(
        "error",
        Words("差一点：缺少“{wanted}”", "almost: “{wanted}” is missing"),
        Words("请原样输入确认语", "type the phrase exactly as shown"),
    ),
    "run/answer-no-such-choice": Code(
        "error", Words("没有“{typed}”这个选项；可选：{allowed}", "“{typed}” is no choice; choose one of: {allowed}")
    ),
    "run/answer-field-no-such-choice": Code(
        "error",
        Words(
            "{field} 没有“{typed}”这个选项；可选：{allowed}",
            "{field}: “{typed}” is no choice; choose one of: {allowed}",
        ),
    ),
    "run/answer-number-unseen": Code(
        "error",
        Words(
            "只写序号“{typed}”，还不能同意写入：再次提问时，这个序号可能是另一个选项",
            "the number “{typed}” alone permits no writes: at the next asking another choice may stand there",
        ),
    ),
    "run/answer-not-a-form": Code("error", Words("需要按字段回答：{fields}", "answer with the fields: {fields}")),
    "run/answer-not-fields": Code(
        "error", Words("这个回答读不成字段：{problem}", "the answer cannot be read as fields: {problem}")
    ),
    "run/answer-no-value": Code("error", Words("回答里有不能接受的内容：{problem}", "the answer holds {problem}")),
    "run/answer-unknown-field": Code(
        "error", Words("没有字段 {field}；可填：{allowed}", "there is no field {field}; fields: {allowed}")
    ),
    "run/answer-field-missing": Code("error", Words("还缺少 {field}", "{field} is missing")),
    "run/answer-wrong-form": Code("error", Words("{field} 不合要求：{problem}", "{field} does not fit: {problem}")),
    "run/answer-faults": Code(
        "error", Words("回答里有 {count} 处要改：{faults}", "{count} things in the answer are to be mended: {faults}")
    ),
    "run/answer-already": Code(
        "error",
        Words(
            "{question} 已由 {who} 于 {at} 回答{answer}", "{question} was answered already{answer}, by {who} at {at}"
        ),
    ),
    "run/answer-late": Code(
        "error",
        Words("{question} 已在 {at} 过期", "{question} ended at {at}; the answer came too late"),
        Words(
            "流程写了过期怎么办就照办，否则重新提问",
            "it goes on as the workflow says for that case, else it asks anew",
        ),
        "interpreter resume {run}",
    ),
    "run/answer-changed": Code(
        "error",
        Words("你看到的内容已不是现在所问的", "what you saw is not what is asked now"),
        Words("查看当前问题", "look at it"),
        "interpreter show {run}",
    ),
    "run/answer-saw-another": Code(
        "error",
        Words(
            "文件里的回答是针对另一次询问的",
            "the answer in the file was given to something other than what is asked now",
        ),
        Words("看过现在所问的之后，改写 seen", "look at what is asked now, then write what it shows behind seen"),
    ),
    "run/answer-unknown-question": Code(
        "error",
        Words("没有待回答的问题 {question}", "no open question {question}"),
        Words("当前待回答：{current}", "open now: {current}"),
    ),
    "run/ask-unknown-write": Code(
        "warning",
        Words(
            "{tool} 没有给出可信的结果（{error}：{told}），写入可能已经发生，也可能没有",
            "{tool} gave no answer that can be trusted ({error}: {told}); the write may have happened or not",
        ),
        Words(
            "请查看实际情况后选择；还看不清就答 stop，之后 resume 会再查、再问",
            "look at the real thing, then choose; where it cannot be seen yet answer stop: resume then looks again and "
            "asks again",
        ),
    ),
    "run/ask-write-at-work": Code(
        "warning",
        Words(
            "为 {tool} 启动的程序还在工作，启动它的进程已经不在了：现在没有，之后也可能会有",
            "the program that was started for {tool} is still at work, and the process that started it is gone: what "
            "is not there now may still come",
        ),
        Words(
            "先等它结束，或者自己结束它；再查看实际情况后选择",
            "wait until it has ended, or end it; look at the real thing, then choose",
        ),
    ),
    "run/ask-write-not-looked-up": Code(
        "warning",
        Words(
            "{tool} 没有给出可信的结果（{error}：{told}），用 {reader} 去查也失败了（{reader_error}）：{reader_told}",
            "{tool} gave no answer that can be trusted ({error}: {told}), and {reader}, which looks it up, failed "
            "({reader_error}): {reader_told}",
        ),
        Words(
            "先排除查询失败的原因，再答 stop：之后 resume 会再查一次；或自己查看实际情况后选择",
            "remove what keeps it from being looked up and answer stop: resume then looks again; or look at the real "
            "thing yourself and choose",
        ),
    ),
}

#: Why an expression could not be evaluated or a value not kept, in words; by the reason of the engine.
REASONS: dict[str, Words] = {
    "too-large": Words("{path} 里的值超过 {limit} 个", "{path} would hold more than {limit} values"),
    "unfit": Words("{path} 不能存下这个值：{problem_zh}", "{path} cannot hold this: {problem}"),
    "wrong-type": Words("{path} 只接受 {wanted}", "{path} takes {wanted} only"),  # in journals of before
    "duplicate-key": Words("{path} 中的键 {key} 重复", "the key {key} stands twice in {path}"),
    "key-missing": Words("{path} 的条目缺少键 {field}", "an entry of {path} has no key {field}"),
    "key-not-plain": Words("{path} 的键必须是文本或数字", "a key of {path} must be a text or a number"),
    "entry-not-a-mapping": Words(
        "{path} 的条目应当是对象，这里是{found_zh}", "an entry of {path} has to be a mapping, this is of kind {found}"
    ),
    "list-wanted": Words("这里需要列表，这里是{found_zh}", "a list is wanted here, this is of kind {found}"),
    "list-wanted-at": Words("{path} 需要列表，这里是{found_zh}", "{path} has to be a list, this is of kind {found}"),
    "cannot-be-merged": Words(
        "{path}：{found_zh}和已有的值不能比较", "{path}: a value of kind {found} cannot be compared with the one there"
    ),
    "not-a-count": Words(
        "这里需要不小于 {least} 的整数，得到的是 {found}",
        "a whole number of at least {least} is wanted here, not {found}",
    ),
    "not-a-share": Words("share 需要 0 到 1 的数，得到的是 {found}", "share takes a number from 0 to 1, not {found}"),
    "not-a-factor": Words(
        "这里需要不小于 0 的数，得到的是 {found}", "a number of at least 0 is wanted here, not {found}"
    ),
    "not-a-field": Words("{path}：{found} 不是字段名", "{path}: {found} is no name of a field"),
    "no-such-entry": Words("{path}：没有条目 {found}", "{path}: there is no entry {found}"),
    "absent-entry": Words("{path}：条目 {found} 不能变成没有", "{path}: the entry {found} cannot become absent"),
    "not-a-container": Words("{path}：这里没有可写入的对象", "{path}: there is nothing to write into"),
    "phrase-empty": Words(
        "选项 {choice} 的确认语算出来是空的，没有东西可输入",
        "the phrase of the choice {choice} comes out empty: nothing can be typed",
    ),
    "phrase-of-another": Words(
        "选项 {choice} 的确认语“{phrase}”同时是另一个选项或它的序号",
        "the phrase of the choice {choice}, “{phrase}”, is another choice too, or its number",
    ),
    "no-tool-for-value": Words("没有与 {found} 对应的工具", "there is no tool for {found}"),
    "permit-incomplete": Words(
        "permits 的每一条都要有 id、tool 和 with", "each entry of permits needs id, tool and with"
    ),
    "permit-unfit": Words(
        "{tool}（{entry}）的参数不合要求：{problem}", "the arguments of {tool} ({entry}) do not fit: {problem}"
    ),
    "arguments-not-a-mapping": Words("参数不是对象", "the arguments are no mapping"),
    "unknown-budget": Words("没有预算 {name}", "there is no budget {name}"),
    "unknown-type": Words("没有类型 {name} 的标签", "there are no labels of type {name}"),
    "not-a-duration": Words("{found} 不是时长", "{found} is no duration"),
    "evidence-not-read": Words(
        "{path}：这段文字没有在本次运行读到的正文里逐字出现，不能作为证据：{text}",
        "{path}: this text stands, letter for letter, in no body that was read in this run: {text}",
    ),
    "evidence-no-body": Words(
        "这个回答里没有正文（evidence: body）", "no field of this answer is a body that was read"
    ),
    "evidence-no-text": Words(
        "from 要 [{path: …, text: …}] 的列表、一段正文或一个回答，这里是 {found}",
        "from takes a list of {path: …, text: …}, one text or one answer, not {found}",
    ),
    "evidence-source": Words("source 要写成 键: 值，这里是 {found}", "source takes keys with values, not {found}"),
    "evidence-not-a-unit": Words(
        "{side}：这里有一项不是本次运行录入的证据单元，或被改动过",
        "{side}: something here is no unit of evidence of this run, or was changed",
    ),
}

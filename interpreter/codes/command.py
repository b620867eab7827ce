"""Codes of the phase `command`: what was given on the command line."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    "command/inputs-missing": Code(
        "error", Words("缺少输入：{names}", "inputs are missing: {names}"), Words("加上 {command}", "add {command}")
    ),
    "command/no-example": Code(
        "error",
        Words(
            "契约没有 example，无法演练：{tools}",
            "these contracts have no example and cannot be rehearsed: {tools}",
        ),
        Words(
            "演练不写入，而用契约里的 example 作回答；在契约里写一个顺利时的回答",
            "a rehearsal writes nothing and takes the example for the answer; give the answer there when all goes well",
        ),
    ),
    "command/unknown-input": Code("error", Words("没有输入 {name}", "there is no input {name}")),
    "command/unknown-question": Code(
        "warning",
        Words("这个流程没有问题 {name}，它的回答用不上", "there is no question {name}; its answer is not used"),
    ),
    "command/not-unattended": Code(
        "warning",
        Words(
            "{name} 许可写入，profile {profile} 不接受预先准备的回答",
            "{name} permits writes, and profile {profile} takes no prepared answer for that",
        ),
        Words(
            "由人确认；或把看到的摘要写进回答：{choice: …, seen: …}",
            "let a person confirm, or name the digest that was shown: {choice: …, seen: …}",
        ),
    ),
    "command/input-unfit": Code(
        "error",
        Words("输入 {name} 不合要求：{problem_zh}", "input {name} does not fit: {problem_en}"),
    ),
    "command/inputs-not-a-mapping": Code(
        "error",
        Words("{file} 应是名称到值的对象", "{file} must be a mapping from names to values"),
        Words("每行写一个 名称: 值", "write name: value, one to a line"),
    ),
    "command/not-json": Code(
        "error",
        Words("不是 JSON：{problem_zh}", "this is no JSON: {problem_en}"),
        Words(
            "文本和名称用双引号，数字不带引号，其余只有 true、false、null；没有注释，最后一项后面没有逗号；"
            "想用 YAML 的写法就把文件名改为 .yaml",
            "texts and names stand in double quotes, numbers in none, else there are only true, false and null; there "
            "are no comments, and no comma after the last entry; to write YAML call the file .yaml",
        ),
    ),
    "command/unknown-threshold": Code("error", Words("没有阈值 {name}", "there is no threshold {name}")),
    "command/tools-without-adapter": Code(
        "error",
        Words("profile {profile} 没有回答这些工具：{tools}", "profile {profile} does not answer these tools: {tools}"),
        Words("在 profile 的 tools 里写上它们，如 文档名.*", "name them under tools of the profile, e.g. <document>.*"),
    ),
    "command/run-unknown": Code(
        "error",
        Words("没有运行 {run}", "there is no run {run}"),
        Words("查看全部", "see all"),
        "interpreter runs",
    ),
    "command/run-of-another-workflow": Code(
        "error", Words("{run} 不是 {workflow} 的运行", "{run} is no run of {workflow}")
    ),
    "command/run-not-ended": Code("error", Words("{run} 还没有结束", "{run} has not ended")),
    "command/run-of-another-place": Code(
        "error",
        Words("{name} 所指的运行在别处工作（{tools}）", "the run given as {name} worked at another place ({tools})"),
        Words("使用同一个 profile 和同样的设置", "use the same profile with the same settings"),
    ),
    "command/place-changed": Code(
        "error",
        Words("工具现在指向别处（{tools}）", "the tools point elsewhere now ({tools})"),
        Words(
            "恢复原来的设置，或把原来的文件夹放回去，再继续",
            "restore the settings that the run began with, or put the former folder back",
        ),
    ),
    "command/run-exists": Code(
        "error",
        Words("运行 {run} 已存在，但文档或输入不同", "run {run} exists already, with other documents or inputs"),
        Words("换一个 --run-id", "choose another --run-id"),
    ),
    "command/documents-changed": Code(
        "error",
        Words("运行开始之后文档有改动：{names}", "documents changed since the run began: {names}"),
        Words(
            "--as-recorded 按记录的文本继续；--with-edits 从当前状态重新开始",
            "--as-recorded goes on with the recorded text; --with-edits starts the present state again",
        ),
    ),
    "command/documents-gone": Code(
        "error",
        Words(
            "运行开始时的文档已经不在了：{names}", "documents that the run began with are not there any more: {names}"
        ),
        Words(
            "放回原处；或用 --as-recorded 按记录的文本继续，它不需要这些文件",
            "put them back; or go on with the recorded text, which needs no file: --as-recorded",
        ),
    ),
    "command/written-elsewhere": Code(
        "error",
        Words(
            "改动后的 profile 指向别处，而这个运行已在原处写入（{tools}）",
            "the changed profile points elsewhere, and this run has already written at the former place ({tools})",
        ),
        Words(
            "开始新的运行，或在原处继续",
            "begin a new run, or go on at the former place",
        ),
        "interpreter resume {run} --as-recorded",
    ),
    "command/write-begun": Code(
        "error",
        Words(
            "当前状态已开始写入，不能换用改动后的文档", "the present state has begun a write; edits cannot be taken up"
        ),
        Words(
            "按记录的文本继续",
            "go on with the recorded text",
        ),
        "interpreter resume {run} --as-recorded",
    ),
    "command/state-gone": Code(
        "error",
        Words("改动后的流程没有当前状态 {state}", "the edited workflow has no state {state}, where the run stands"),
        Words(
            "保留这个状态，或按记录的文本继续",
            "keep that state, or go on with the recorded text",
        ),
        "interpreter resume {run} --as-recorded",
    ),
    "command/run-ended": Code(
        "error",
        Words("运行 {run} 已结束（{status}）", "run {run} has ended ({status})"),
        Words("查看它", "look at it"),
        "interpreter show {run}",
    ),
    "command/profile-not-trusted": Code(
        "error",
        Words(
            "profile {name} {since_zh}，它会启动或联系：{contacts_zh}",
            "profile {name} is {since_en}; it starts or contacts: {contacts_en}",
        ),
        Words("确认后加上 --trust-profile", "add --trust-profile when that is right"),
    ),
    "command/unknown-code": Code("error", Words("没有代码 {name}", "there is no code {name}")),
    "command/unknown-kind": Code("error", Words("没有文档种类 {name}", "there is no kind of document {name}")),
    "command/no-such-gate": Code(
        "error",
        Words("没有等待放行的门禁 {name}", "there is no closed gate {name} that may be waived"),
        Words(
            "只能放行此刻关着、并写有 waivable: true 的门禁",
            "only a gate that is closed now and says waivable: true may be waived",
        ),
    ),
    "command/no-such-budget": Code("error", Words("没有预算 {name}", "there is no budget {name}")),
    "command/no-stop-to-grant-at": Code(
        "error",
        Words(
            "运行没有停在任何一处，预算 {name} 无处可加",
            "the run is not stopped anywhere, so the budget {name} cannot be raised",
        ),
        Words(
            "先继续运行；预算用完时会停下，那时再增加",
            "go on without it; when the budget is spent the run stops, and it can be raised then",
        ),
        "interpreter resume {run}",
    ),
    "command/file-exists": Code("error", Words("{file} 已存在", "{file} exists already")),
    "command/which-rule": Code(
        "error",
        Words("{file} 有几个规则：{names}", "{file} has several rules: {names}"),
        Words("在文件名后写出其中一个", "name one of them after the file"),
    ),
    "command/no-such-rule": Code("error", Words("{file} 没有规则 {name}", "{file} has no rule {name}")),
    "command/not-a-table": Code(
        "error",
        Words("{name} 不是决策表", "{name} is no decision table"),
        Words("决策表有：{names}", "tables: {names}"),
    ),
    "command/not-analysed": Code(
        "error",
        Words("{name} 不是决策表，也不是评分卡", "{name} is neither a decision table nor a scorecard"),
        Words("可用的有：{names}", "these can be used: {names}"),
    ),
    "command/no-such-answer": Code(
        "error", Words("“{name}”从不是 {rule} 的回答", '"{name}" is never an answer of {rule}')
    ),
    "command/no-rule-cases": Code(
        "error",
        Words("{place} 不存在，规则 {name} 没有用例", "there is no {place}, so {name} has no test cases"),
        Words("先写它，或从 {command} 开始", "write it, or begin with {command}"),
    ),
    "command/cases-of-another": Code(
        "error", Words("{file} 不是 {name} 的用例", "{file} holds no cases of the rules {name}")
    ),
    "command/csv-empty": Code(
        "error",
        Words("文件里没有行", "there are no lines in the file"),
        Words(
            "第一行写列名，下面每行写一条规则；可用 rules table 文件 --csv 输出 得到样子",
            "write the names of the columns in the first line and a row in each line below; rules table FILE --csv OUT "
            "shows how",
        ),
    ),
    "command/csv-encoding": Code(
        "error",
        Words(
            "{file} 不能当作 CSV 读：它是工作簿，或编码读不懂",
            "{file} cannot be read as CSV: it is a workbook, or in another encoding",
        ),
        Words("在电子表格里另存为 CSV UTF-8", "save it as CSV UTF-8 in the spreadsheet"),
    ),
    "command/csv-column": Code(
        "error",
        Words("表里没有列“{name}”", 'the table has no column "{name}"'),
        Words("第一行的列名写成：{allowed}", "the first line has these names: {allowed}"),
    ),
    "command/csv-column-missing": Code(
        "error",
        Words("文件缺少列：{names}", "the file lacks the columns: {names}"),
        Words("在第一行加上这些列名", "add these names to the first line"),
    ),
    "command/csv-column-twice": Code(
        "error",
        Words("第一行有两个“{name}”", '"{name}" stands twice in the first line'),
        Words(
            "只留一个；一格要有几个值，写成 [UK, FR] 这样",
            "keep one of them; several values stand in one cell, such as [UK, FR]",
        ),
    ),
    "command/csv-without-heading": Code(
        "error",
        Words("第 {row} 行的“{value}”所在的列没有列名", 'line {row}: "{value}" stands in a column without a name'),
        Words(
            "在第一行给这一列写上列名，或清空这一格；单元格自己含有分隔符时，整格加双引号",
            "name the column in the first line, or empty the cell; a cell that holds the separator itself stands in "
            "double quotes",
        ),
    ),
    "command/csv-separator": Code(
        "error",
        Words("各列之间用的是“{mark}”", 'the columns are separated by "{mark}"'),
        Words("改用半角的 , 或 ; 或制表符", "separate them by , or ; or a tab"),
    ),
    "command/csv-quotes": Code(
        "error",
        Words("第 {row} 行这一格的双引号不成对", "line {row}: the double quotes of this cell do not match"),
        Words(
            '整格加双引号，里面的每个双引号写两次，如 "a ""b"" c"',
            'put the whole cell in double quotes and write each one inside it twice, such as "a ""b"" c"',
        ),
    ),
    "command/csv-otherwise": Code(
        "error",
        Words(
            "第 {row} 行是 otherwise，不能在“{name}”里提要求",
            'line {row} is otherwise and can ask nothing of "{name}"',
        ),
        Words("清空这一格，或把这一行写成普通的行", "empty the cell, or make the line a row like the others"),
    ),
    "command/csv-otherwise-twice": Code(
        "error",
        Words("第 {row} 行是第二个 otherwise", "line {row} is a second otherwise"),
        Words("只留一行 otherwise", "keep one line of otherwise"),
    ),
    "command/csv-date": Code(
        "warning",
        Words(
            "第 {row} 行“{name}”里是“{value}”，像是电子表格改成的日期",
            'line {row}, "{name}": "{value}" looks like a date that a spreadsheet made',
        ),
        Words(
            '日期写成 2024-01-31；要的是这段文本就加双引号，如 "3-4"',
            'write a date as 2024-01-31; put the text itself in double quotes, such as "3-4"',
        ),
    ),
    "command/csv-zeros": Code(
        "warning",
        Words(
            "第 {row} 行“{name}”里是数字 {value}，而这一列是文本；开头的零可能被电子表格去掉了",
            'line {row}, "{name}": {value} is a number in a column of texts; zeros at its front may have been cut off',
        ),
        Words('加双引号写全，如 "007"', 'write all of it in double quotes, such as "007"'),
    ),
    "command/csv-error": Code(
        "error",
        Words(
            "第 {row} 行“{name}”里是“{value}”，是电子表格的错误值",
            'line {row}, "{name}": "{value}" is what a spreadsheet shows where it has no value',
        ),
        Words(
            "在电子表格里改正公式或加宽这一列；确实是文本就加双引号",
            "mend the formula or widen the column there; put a text in double quotes",
        ),
    ),
    "command/csv-exponent": Code(
        "warning",
        Words(
            "第 {row} 行“{name}”里是“{value}”，像是电子表格改写的数字",
            'line {row}, "{name}": "{value}" looks like a number that a spreadsheet rewrote',
        ),
        Words("把数字写全；文本加双引号", "write all digits; put a text in double quotes"),
    ),
    "command/no-workflows": Code(
        "error",
        Words("文件夹里没有流程", "there are no workflows in the folder"),
        Words("给出一个流程文件，或 specs 文件夹", "name the file of a workflow, or the folder specs"),
    ),
    "command/no-tests": Code(
        "error",
        Words("没有找到测试文档", "there are no tests documents"),
        Words(
            "给出 specs/tests/ 下的文件，或写一个：tests: 名称",
            "name a file below specs/tests/, or write one: tests: name",
        ),
    ),
    "command/recording-needs-content": Code(
        "error",
        Words(
            "{run} 的走向取决于读到的正文，换成占位就走不到底",
            "how {run} went depends on the texts that it read; with placeholders it does not come to its end",
        ),
        Words(
            "加上 --with-content，并想好这些正文可以留在哪里",
            "give --with-content, and think of where these texts may stay",
        ),
    ),
    "command/recording-took-up-edits": Code(
        "error",
        Words(
            "{run} 中途采用了改动（{states}）；按现在的文档从头走，用记录的回答走不到底：{stopped}",
            "{run} took up edits on the way (in {states}); walked from its beginning under the documents that it ended "
            "with, what it recorded does not lead to an end: {stopped}",
        ),
        Words("记录一个没有中途改动的运行", "record a run that began with the documents as they are now"),
    ),
    "command/recording-not-repeated": Code(
        "error",
        Words(
            "用 {run} 记录的回答重走一遍，走不到底：{stopped}",
            "walked again with what {run} recorded, the case does not come to an end: {stopped}",
        ),
        Words(
            "用例里没有的可能是原因：profile 的设置、读取的另一个运行",
            "what no case can give may be the reason: settings of the profile, or another run that it read",
        ),
    ),
    "command/extra-missing": Code(
        "error",
        Words("没有安装 {package}", "{package} is not installed"),
        Words(
            "安装附加部分：pip install 'workflow-interpreter[{extra}]'",
            "install the extra: pip install 'workflow-interpreter[{extra}]'",
        ),
    ),
    "command/nothing-to-pin": Code(
        "error",
        Words("profile {profile} 没有用 mcp 的工具", "the profile {profile} uses no tools over mcp"),
        Words("只有 mcp 适配器的工具需要固定", "only tools of the adapter mcp are pinned"),
    ),
    "command/pins-unreadable": Code(
        "error",
        Words("固定工具说明的文件 {file} 读不懂", "the file {file} that pins tools cannot be read"),
        Words("把它移走，再运行一次", "move it away and run this again"),
    ),
    "command/server-not-usable": Code(
        "error", Words("用不了这个工具服务：{reason_zh}", "this server of tools cannot be used: {reason_en}")
    ),
    "command/not-through-host": Code(
        "error",
        Words("{name} 会许可写入，不能由宿主程序回答", "{name} permits writes and is not answered through a host"),
        Words(
            "请本人在终端运行结果里 waiting 的 command",
            "a person types the command that stands in waiting of the result",
        ),
    ),
    "command/unknown-tool": Code("error", Words("没有工具 {name}", "there is no tool {name}")),
    "command/argument-not-text": Code(
        "error", Words("{tool} 的参数 {name} 应是文本", "{tool} wants a text for the argument {name}")
    ),
    "command/tools-of-the-same-name": Code(
        "error",
        Words("这些流程会得到同名的工具：{names}", "these workflows would give tools of the same name: {names}"),
        Words("分开提供，或给流程改名", "serve them apart, or give one another name"),
    ),
    "command/recording-cancelled": Code(
        "error",
        Words(
            "{run} 是取消的运行，不能写成用例：用例里没有人中途取消",
            "{run} was cancelled, which no case can do in the middle of it",
        ),
        Words("换一个走到底的运行", "record a run that came to its end"),
    ),
    "command/no-such-case": Code(
        "error",
        Words("没有用例 {name}", "there is no case {name}"),
    ),
}

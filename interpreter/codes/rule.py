"""Codes of the phase `rule`: what loading a rule document finds, and why a decision has no answer.

Facts: `{allowed}` lists what may stand there, the nearest spelling first; `{kind}` and `{expected}` are type words of
the language. The codes of the last group are reasons of `CannotEvaluate` in `rules/`.
"""

from __future__ import annotations

from interpreter.diagnostics import Code, Words

_NEAREST = Words("是不是想写其中之一：{allowed}", "did you mean one of these: {allowed}")

_SHAPES: dict[str, Code] = {
    "rule/wrong-shape": Code(
        "error",
        Words("这里写的是“{value}”，需要的是 {expected}", 'here stands "{value}", a {expected} is needed'),
        Words(
            "mapping 写成 名称: 值，list 写成 [甲, 乙]，cell 写值、列表、{is: 值} 或 {not: 条件}",
            "a mapping is written name: value, a list [a, b], a cell as a value, a list, {is: value} or {not: cell}",
        ),
    ),
    "rule/name-twice": Code(
        "error",
        Words(
            "名称“{name}”在本文档中已经用于 {kind}",
            'the name "{name}" already stands for a {kind} of this document',
        ),
        Words("换一个名称；同一文档里一个名称只能用一次", "choose another name; a name stands once in a document"),
    ),
    "rule/not-read-yet": Code(
        "error",
        Words("本版本还不能计算 {section}", "this version cannot evaluate {section} yet"),
        Words("请先用 tables 写出同样的规则", "write the same rule under tables for now"),
    ),
}

_THRESHOLDS: dict[str, Code] = {
    "rule/threshold-without-value": Code(
        "error",
        Words("阈值“{name}”没有可用的值：{value}", 'the threshold "{name}" has no usable value: {value}'),
        Words("在 value 写一个数字、时长（如 2s）或文本", "give value a number, a duration such as 2s, or a text"),
    ),
    "rule/threshold-kind": Code(
        "error",
        Words(
            "阈值“{name}”需要 {kind} 类型的值，给出的是“{value}”",
            'the threshold "{name}" takes a value of type {kind}, not "{value}"',
        ),
        Words("写一个 {kind} 类型的值；数字不加引号", "give a value of type {kind}; a number without quotes"),
    ),
    "rule/threshold-outside-range": Code(
        "error",
        Words(
            "阈值“{name}”的值 {value} 不在 {range} 之内",
            'the value {value} of threshold "{name}" is outside {range}',
        ),
        Words(
            "在 {range} 之内选一个值，或在文档里改 range",
            "choose a value within {range}, or change range in the document",
        ),
    ),
    "rule/unknown-threshold": Code("error", Words("没有阈值“{name}”", 'there is no threshold "{name}"'), _NEAREST),
    "rule/unreadable-range": Code(
        "error",
        Words("读不懂 {kind} 类型的范围“{value}”", 'the range "{value}" cannot be read for type {kind}'),
        Words(
            "写成 1..5；一侧不限时写 1.. 或 ..5；只有数字、日期、时间和时长有范围",
            "write 1..5, or 1.. and ..5 to leave a side open; only numbers, dates, times and durations have a range",
        ),
    ),
}

_TABLES: dict[str, Code] = {
    "rule/unknown-policy": Code("error", Words("不认识“{name}”", '"{name}" is not known here'), _NEAREST),
    "rule/unknown-type": Code("error", Words("没有类型“{name}”", 'there is no type "{name}"'), _NEAREST),
    "rule/no-outputs": Code(
        "error",
        Words("决策表“{table}”没有 outputs", 'the table "{table}" has no outputs'),
        Words("在 outputs 里至少写一个结果列", "declare at least one column under outputs"),
    ),
    "rule/empty-table": Code(
        "error",
        Words("决策表“{table}”没有行", 'the table "{table}" has no rows'),
        Words("在 rows 里至少写一行", "write at least one row under rows"),
    ),
    "rule/collect-without-hit": Code(
        "error",
        Words("写了 collect，但 hit 是 {hit}", "collect is given, but hit is {hit}"),
        Words("写 hit: collect，或去掉 collect", "write hit: collect, or remove collect"),
    ),
    "rule/no-priority": Code(
        "error",
        Words("hit 是 {hit}，但没有一个结果列写了 priority", "hit is {hit}, but no output says its priority"),
        Words("给一个结果列写 priority: [最好, …, 最差]", "give an output priority: [best, …, worst]"),
    ),
    "rule/one-output": Code(
        "error",
        Words("collect: {collect} 只能有一个结果列", "collect: {collect} takes exactly one output"),
        Words("留下一个结果列，其余放进另一张表", "keep one output, move the others to a table of their own"),
    ),
    "rule/unknown-column": Code(
        "error", Words("决策表“{table}”没有输入列“{name}”", 'the table "{table}" has no input "{name}"'), _NEAREST
    ),
    "rule/unknown-output": Code(
        "error", Words("决策表“{table}”没有结果列“{name}”", 'the table "{table}" has no output "{name}"'), _NEAREST
    ),
    "rule/missing-output": Code(
        "error",
        Words("这里没有给结果列“{name}”", 'nothing is given for the output "{name}"'),
        Words("每一行和 otherwise 都要写出全部结果列", "every row, and otherwise, gives a value for every output"),
    ),
    "rule/duplicate-id": Code(
        "error",
        Words("第 {row} 行的 id “{id}”与第 {first} 行相同", 'row {row} has the same id "{id}" as row {first}'),
        Words("给这一行另取一个 id", "give this row another id"),
    ),
    "rule/same-rows": Code(
        "error",
        Words("第 {row} 行的条件与第 {first} 行完全相同", "row {row} asks for exactly the same as row {first}"),
        Words(
            "hit: unique 时条件不能重叠：改其中一行，或写 hit: first",
            "under hit: unique no rows may overlap: change one of them, or write hit: first",
        ),
    ),
}

_CELLS: dict[str, Code] = {
    "rule/wrong-kind": Code(
        "error",
        Words(
            "“{value}”不适合类型为 {kind} 的列“{name}”",
            '"{value}" does not fit the column "{name}" of type {kind}',
        ),
        Words(
            "数字和 true、false 不加引号；要的就是这段文本时写 {is: …}；或改列的 type",
            "numbers, true and false take no quotes; for the text itself write {is: …}; or change the column's type",
        ),
    ),
    "rule/not-in-enum": Code(
        "error",
        Words("列“{column}”的 enum 里没有“{name}”", 'the enum of column "{column}" does not list "{name}"'),
        _NEAREST,
    ),
    "rule/limit-outside-range": Code(
        "error",
        Words(
            "{value} 不在列“{column}”的范围 {range} 之内",
            '{value} is outside the range {range} of column "{column}"',
        ),
        Words("检查单位：0 到 1 还是 0 到 100？", "check the unit: 0 to 1, or 0 to 100?"),
    ),
    "rule/unknown-reference": Code(
        "error",
        Words("没有名为“{name}”的输入列或阈值", 'there is no input and no threshold called "{name}"'),
        _NEAREST,
    ),
    "rule/reference-kind": Code(
        "error",
        Words(
            "“{name}”的类型是 {kind}，列“{column}”的类型是 {expected}，不能比较",
            '"{name}" is of type {kind} and cannot be compared with column "{column}" of type {expected}',
        ),
        Words("引用同一类型的输入列或阈值", "refer to an input or threshold of the same type"),
    ),
    "rule/reversed-range": Code(
        "error",
        Words(
            "范围“{value}”里没有任何值：{low} 不小于 {high}",
            'no value lies in "{value}": {low} is not below {high}',
        ),
        Words("把小的写在前面", "write the smaller end first"),
    ),
    "rule/empty-cell": Code(
        "error",
        Words("空列表永远不会匹配", "an empty list never matches"),
        Words("写出要匹配的值；什么都可以时写 any", "list the values that match; write any when all do"),
    ),
    "rule/text-is-a-name": Code(
        "warning",
        Words(
            "“{name}”在这里是一段文本，但也是一个输入列或阈值的名称",
            '"{name}" is a text here, and also names an input or threshold',
        ),
        Words(
            "要的是文本时写 {is: {name}}，要的是那个值时写 same as {name}",
            "for the text write {is: {name}}, for that value write same as {name}",
        ),
    ),
}

_GATES: dict[str, Code] = {
    "rule/empty-gate": Code(
        "error",
        Words("门禁“{name}”没有条件", 'the gate "{name}" has no condition'),
        Words("至少写一条 - that: 条件", "write at least one - that: condition"),
    ),
    "rule/gate-without-condition": Code(
        "error",
        Words("这一条既没有 that 也没有 confirmed", "this entry has neither that nor confirmed"),
        Words(
            "写 that: 条件，并写 message 说明不满足时的情况",
            "write that: condition, with a message for when it does not hold",
        ),
    ),
}

_DECISIONS: dict[str, Code] = {
    "rule/different-kinds": Code(
        "error",
        Words("“{name}”需要 {expected} 类型，得到的是“{value}”", '"{name}" must be of type {expected}, not "{value}"'),
        Words(
            "换成 {expected} 类型的值：'75' 不是 75，true 不是 1",
            "give a value of type {expected}: '75' is not 75, true is not 1",
        ),
    ),
    "rule/outside-enum": Code(
        "error",
        Words("“{name}”的值“{value}”不在 enum 里", 'the value "{value}" of "{name}" is not in its enum'),
        Words("给出 enum 里的值，或把它加进 enum", "give a value of the enum, or add it to the enum"),
    ),
    "rule/outside-range": Code(
        "error",
        Words("“{name}”的值 {value} 不在 {range} 之内", 'the value {value} of "{name}" is outside {range}'),
        Words("检查这个值的单位，或改列的 range", "check the unit of the value, or change the range of the column"),
    ),
    "rule/unknown-fact": Code(
        "error",
        Words("决策表“{table}”没有输入列“{name}”", 'the table "{table}" has no input "{name}"'),
        _NEAREST,
    ),
    "rule/absent-name": Code(
        "error",
        Words("要比较的“{name}”不存在", '"{name}", which a row compares with, is absent'),
        Words("给出“{name}”，或先用一行处理 absent", 'give "{name}", or let an earlier row ask for absent'),
    ),
    "rule/null-limit": Code(
        "error",
        Words("要比较的“{name}”是 null", '"{name}", which a row compares with, is null'),
        Words("给出“{name}”的值，或先用一行处理 null", 'give "{name}" a value, or let an earlier row ask for null'),
    ),
    "rule/rows-overlap": Code(
        "error",
        Words("决策表“{table}”中第 {rows} 行同时匹配", 'rows {rows} of the table "{table}" match together'),
        Words(
            "hit: unique 只允许一行匹配：让条件互斥，或改 hit",
            "under hit: unique one row may match: keep them apart, or change hit",
        ),
    ),
    "rule/rows-disagree": Code(
        "error",
        Words(
            "决策表“{table}”中第 {rows} 行同时匹配，结果却不同",
            'rows {rows} of the table "{table}" match together and disagree',
        ),
        Words(
            "hit: any 要求匹配的行结果相同：改结果或条件",
            "under hit: any matching rows must agree: change their answers or conditions",
        ),
    ),
    "rule/not-a-number": Code(
        "error",
        Words(
            "决策表“{table}”第 {rows} 行的结果“{value}”不是数字",
            'the answer "{value}" of row {rows} of the table "{table}" is no number',
        ),
        Words("求和、取大、取小只用于数字", "sum, min and max need numbers"),
    ),
}

CODES: dict[str, Code] = {**_SHAPES, **_THRESHOLDS, **_TABLES, **_CELLS, **_GATES, **_DECISIONS}

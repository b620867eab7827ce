"""Codes of the phase `rule`: what loading a rule document finds, and why a decision has no answer.

Facts: `{allowed}` lists what may stand there, the nearest spelling first; `{kind}` and `{expected}` are type words of
the language. The codes of the last group are reasons of `CannotEvaluate` in `rules/`.
"""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

_NEAREST = Words("是不是想写其中之一：{allowed}", "did you mean one of these: {allowed}")

_SHAPES: dict[str, Code] = {
    "rule/wrong-shape": Code(
        "error",
        Words("这里写的是“{value}”，需要的是 {expected}", 'a {expected} is needed here, not "{value}"'),
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
    "rule/unread-input": Code(
        "warning",
        Words("“{rule}”声明了输入“{name}”，但没有一行读它", 'no row of "{rule}" reads its input "{name}"'),
        Words("在某一行里用到它，或删掉这个输入", "use it in a row, or remove the input"),
    ),
    "rule/needs-number": Code(
        "error",
        Words("{key} 需要一个数，这里写的是“{value}”", '{key} takes a number, not "{value}"'),
        Words(
            "写一个不加引号的数，或本文档一个数字阈值的名称：{thresholds}",
            "write a number without quotes, or name a numeric threshold of this document: {thresholds}",
        ),
    ),
    "rule/too-many-digits": Code(
        "error",
        Words("{value} 的结果超过 34 位数字", "{value} has more than 34 digits"),
        Words(
            "给这里的权重和 gives 少写几位小数，例如 0.25", "write weight and gives with fewer decimals, such as 0.25"
        ),
    ),
    "rule/full-width": Code(
        "error",
        Words("“{value}”里有全角字符", 'there are full-width characters in "{value}"'),
        Words("改成半角：{ascii}", "write it in half-width characters: {ascii}"),
    ),
    "rule/percent": Code(
        "error",
        Words("“{value}”带着百分号，不是数字", '"{value}" has a percent sign and is no number'),
        Words(
            "列“{name}”按 0 到 100 计就写 {number}，按 0 到 1 计就写 {share}",
            'write {number} where "{name}" counts from 0 to 100, {share} where it counts from 0 to 1',
        ),
    ),
    "rule/other-unit": Code(
        "warning",
        Words(
            "“{name}”的单位是 {unit}，列“{column}”的单位是 {expected}",
            '"{name}" counts in {unit}, the column "{column}" in {expected}',
        ),
        Words("换算成同一单位，或改正其中一个 unit", "bring both to one unit, or correct the unit of one of them"),
    ),
    "rule/share-of-hundred": Code(
        "warning",
        Words(
            "列“{name}”的范围是 {range}，而行里写的都是 {value} 这样的比例",
            'the column "{name}" goes over {range}, and its rows ask for shares such as {value}',
        ),
        Words("检查单位：0 到 1 还是 0 到 100？", "check the unit: 0 to 1, or 0 to 100?"),
    ),
    "rule/unknown-list": Code("error", Words("本文档没有列表“{name}”", 'this document has no list "{name}"'), _NEAREST),
    "rule/unknown-rule": Code("error", Words("本文档没有规则“{name}”", 'this document has no rule "{name}"'), _NEAREST),
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
    "rule/collect-needs-numbers": Code(
        "error",
        Words(
            "collect: {collect} 不能用于 {kind} 类型的结果列“{name}”",
            'collect: {collect} cannot be made of the output "{name}" of type {kind}',
        ),
        Words(
            "给“{name}”写 type: integer 或 number（min、max 也可以写 format: date、time、date-time 或 duration）；"
            "或写 collect: list 或 count",
            'give "{name}" type: integer or number, for min and max also format: date, time, date-time or duration; '
            "or write collect: list or count",
        ),
    ),
    "rule/unknown-column": Code(
        "error", Words("“{table}”没有输入“{name}”", '"{table}" has no input "{name}"'), _NEAREST
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
            "{kind} 类型的值不加引号，这样写：{examples}；确实要写“{value}”时，把列的 type 改成 {other}",
            'write a value of type {kind} without quotes, such as {examples}; where "{value}" is meant, give the '
            "column type: {other}",
        ),
    ),
    "rule/other-words": Code(
        "error",
        Words("一个单元格不这样写：“{value}”", '"{value}" is not how a cell is written'),
        Words("不加引号写成：{cell}{itself_zh}", "write without quotes: {cell}{itself_en}"),
    ),
    "rule/number-too-long": Code(
        "error",
        Words(
            "“{name}”的数“{value}”超过 34 位数字",
            'the number "{value}" of "{name}" has more than 34 digits',
        ),
        Words(
            "一个数最多 34 位；是编号时把列的 type 写成 string",
            "a number has at most 34 digits; where it is an identifier, give the column type: string",
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
        Words("改这个值，或改列的 range{unit_zh}", "change the value, or the range of the column{unit_en}"),
    ),
    "rule/unknown-reference": Code(
        "error",
        Words("没有名为“{name}”的输入列或阈值", 'there is no input and no threshold called "{name}"'),
        Words(
            "写一个数字（如 5）或日期（如 2024-03-01），或写其中一个名称：{allowed}",
            "write a number such as 5 or a date such as 2024-03-01, or one of these names: {allowed}",
        ),
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
            "要的是文本时写 {is: {name}，要的是那个值时写 same as {name}",
            "for the text write {is: {name}, for that value write same as {name}",
        ),
    ),
}

_SCORECARDS: dict[str, Code] = {
    "rule/no-factors": Code(
        "error",
        Words("评分卡“{name}”没有因素", 'the scorecard "{name}" has no factors'),
        Words("在 factors 里至少写一个因素", "write at least one factor under factors"),
    ),
    "rule/empty-factor": Code(
        "error",
        Words("因素“{name}”没有行", 'the factor "{name}" has no rows'),
        Words("在 rows 里至少写一行 {when: …, gives: …}", "write at least one row {when: …, gives: …} under rows"),
    ),
    "rule/row-without-points": Code(
        "error",
        Words("“{name}”的这一行没有 gives", 'this row of "{name}" gives no points'),
        Words("写 gives: 0 到 1 之间的一个数", "write gives: and a number from 0 to 1"),
    ),
    "rule/share-outside": Code(
        "error",
        Words("{value} 不在 0 到 1 之间", "{value} is not between 0 and 1"),
        Words("这里写的是比例：全部是 1，一半是 0.5，80% 是 0.8", "this is a share: all is 1, half is 0.5, 80% is 0.8"),
    ),
    "rule/weight-not-positive": Code(
        "error",
        Words("因素“{name}”的权重是 {value}", 'the weight of factor "{name}" is {value}'),
        Words("权重要大于 0；不用的因素就删掉", "a weight is above 0; remove a factor that does not count"),
    ),
    "rule/weights-do-not-sum": Code(
        "error",
        Words(
            "各因素的权重之和是 {sum}，应是 {wanted}（range: {range}）",
            "the weights sum to {sum}, not to {wanted} (range: {range})",
        ),
        Words(
            "改权重使其和为 {wanted}，或改 range", "change the weights so that they sum to {wanted}, or change range"
        ),
    ),
    "rule/open-range": Code(
        "error",
        Words("评分卡的范围“{value}”要有两端", 'the range "{value}" of a scorecard needs both ends'),
        Words("写成 0..100", "write it as 0..100"),
    ),
    "rule/unknown-missing": Code(
        "error",
        Words("missing 不能是“{value}”", 'missing cannot be "{value}"'),
        Words(
            "写 refuse（没有结论）、0 到 1 的数，或 {gives: 0, because: 理由}",
            "write refuse (the card gives no answer), a number from 0 to 1, or {gives: 0, because: reason}",
        ),
    ),
    "rule/no-levels": Code(
        "error",
        Words("评分卡“{name}”没有等级", 'the scorecard "{name}" has no levels'),
        Words("在 levels 里从高到低写 {level: …, from: …}", "write levels from high to low as {level: …, from: …}"),
    ),
    "rule/duplicate-level": Code(
        "error",
        Words("等级“{name}”写了两次", 'the level "{name}" stands twice'),
        Words("每个等级只写一次", "write each level once"),
    ),
    "rule/unknown-level": Code("error", Words("没有等级“{name}”", 'there is no level "{name}"'), _NEAREST),
    "rule/level-not-lower": Code(
        "error",
        Words("otherwise 写的“{name}”并不低于“{level}”", 'otherwise says "{name}", which is not below "{level}"'),
        Words("写一个更低的等级", "name a lower level"),
    ),
    "rule/lowest-level-needs": Code(
        "error",
        Words("最低的等级“{level}”不能有 needs", 'the lowest level "{level}" cannot have needs'),
        Words("条件不成立时就没有等级了：去掉 needs", "a score that fails them would have no level: remove needs"),
    ),
    "rule/level-outside-range": Code(
        "error",
        Words(
            "等级“{level}”的下限 {value} 不在 {range} 之内", 'the edge {value} of level "{level}" is outside {range}'
        ),
        Words("改这个下限，或改 range{unit_zh}", "change the edge, or the range{unit_en}"),
    ),
    "rule/levels-overlap": Code(
        "error",
        Words(
            "等级“{level}”的下限 {value} 不低于上一级“{higher}”的 {edge}",
            'the edge {value} of level "{level}" is not below {edge} of "{higher}" above it',
        ),
        Words("从高到低写，每一级的下限都更小", "write levels from high to low, each with a smaller edge"),
    ),
    "rule/levels-leave-gap": Code(
        "error",
        Words(
            "低于 {value} 的分数没有等级：最低的等级“{level}”应从 {low} 起",
            'scores below {value} have no level: the lowest one, "{level}", must begin at {low}',
        ),
        Words("把它的 from 写成 {low}，或加一个更低的等级", "write from: {low} there, or add a lower level"),
    ),
    "rule/veto-without-condition": Code(
        "error",
        Words("否决“{id}”没有条件，总会成立", 'the veto "{id}" has no condition and always holds'),
        Words("在 when 里写条件", "write its condition under when"),
    ),
}

_TIERS: dict[str, Code] = {
    "rule/no-classes": Code(
        "error",
        Words("“{name}”没有类别", '"{name}" has no classes'),
        Words("在 classes 里从高到低写类别", "write the classes from top to bottom under classes"),
    ),
    "rule/class-without-rules": Code(
        "error",
        Words("类别“{tier}”没有规则", 'the class "{tier}" has no rules'),
        Words("在 rules 里至少写一条", "write at least one rule under rules"),
    ),
    "rule/rule-without-condition": Code(
        "error",
        Words("这条规则没有条件", "this rule asks nothing"),
        Words("写其中之一：{allowed}", "write one of these: {allowed}"),
    ),
    "rule/duplicate-tier": Code(
        "error",
        Words("类别“{tier}”写了两次", 'the class "{tier}" stands twice'),
        Words("合并成一个类别", "make one class of them"),
    ),
    "rule/not-a-domain": Code(
        "error",
        Words("“{value}”不是域名", '"{value}" is no domain'),
        Words(
            "只写主机名，不带 https:// 和路径，例如 gov.cn",
            "write the host alone, without https:// and path, such as gov.cn",
        ),
    ),
    "rule/public-suffix": Code(
        "error",
        Words("“{value}”是公共后缀，谁都能在它下面注册", '"{value}" is a public suffix: anybody may register below it'),
        Words(
            "写具体的域名；确实要包括它下面的全部域名时写在 suffix 里",
            "name a domain of its own; if everything below it is meant, put it under suffix",
        ),
    ),
    "rule/not-registrable": Code(
        "error",
        Words(
            "“{value}”不是可注册域名，它属于 {domain}", '"{value}" is not a registrable domain, it belongs to {domain}'
        ),
        Words(
            "写 {domain}；只要这个主机及其下级时写在 suffix 里",
            "write {domain}; for this host and what is below it use suffix",
        ),
    ),
    "rule/path-without-slash": Code(
        "error",
        Words("路径“{value}”没有以 / 开头", 'the path "{value}" does not begin with a slash'),
        Words("写成 /{value}", "write /{value}"),
    ),
    "rule/owner-without-domains": Code(
        "error",
        Words("这一项缺少名称或域名", "names or domains are missing here"),
        Words("写成 {names: [名称], domains: [域名]}", "write {names: [name], domains: [domain]}"),
    ),
    "rule/no-sameness": Code(
        "error",
        Words("“{name}”没有写什么算同一来源", '"{name}" does not say what makes two items one source'),
        Words(
            "在 same 里至少写一条，例如 {fields: [publisher]}",
            "write at least one rule under same, such as {fields: [publisher]}",
        ),
    ),
    "rule/sameness-without-fields": Code(
        "error",
        Words("这一条没有写看哪些字段", "this rule looks at no fields"),
        Words(
            "写 fields: [字段]；credits 里还要写 patterns 或 names",
            "write fields: [field]; under credits write patterns or names as well",
        ),
    ),
    "rule/not-a-pattern": Code(
        "error",
        Words("“{value}”不是可用的句式", '"{value}" is no pattern'),
        Words(
            "以文字开头并留一个空，例如 {example}", "begin with words and leave one hole in braces, such as {example}"
        ),
    ),
    "rule/two-families": Code(
        "error",
        Words("名称“{name}”属于两个家族", 'the name "{name}" belongs to two families'),
        Words("一个名称只写在一处", "write a name in one of them"),
    ),
}

_PROPERTIES: dict[str, Code] = {
    "rule/unknown-property": Code("error", Words("性质里没有“{name}”", 'there is no property "{name}"'), _NEAREST),
    "rule/property-of-which": Code(
        "error",
        Words("没有写这条性质说的是哪个规则", "this property does not say which rule it is about"),
        Words("写 of: 其中之一：{names}", "write of: and one of these: {names}"),
    ),
    "rule/property-needs-scorecard": Code(
        "error",
        Words("“{name}”没有等级", '"{name}" has no levels'),
        Words("every_level_reachable 只用于评分卡", "every_level_reachable is for scorecards only"),
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
        Words("“{table}”没有输入“{name}”", '"{table}" has no input "{name}"'),
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
            "under hit: unique only one row may match: keep them apart, or change hit",
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
        Words(
            "求和要数字；取大、取小要数字，或声明了 format 的日期、时间、时长",
            "sum needs numbers; min and max need numbers, or dates, times or durations whose format is declared",
        ),
    ),
    "rule/missing-facts": Code(
        "error",
        Words(
            "评分卡“{rule}”的因素“{factor}”缺少：{names}",
            'the factor "{factor}" of scorecard "{rule}" lacks: {names}',
        ),
        Words(
            "给出这些事实，或在因素里写 missing: 0 或 {gives: …, because: …}",
            "give these facts, or write missing: 0 or {gives: …, because: …} in the factor",
        ),
    ),
    "rule/no-points": Code(
        "error",
        Words("评分卡“{rule}”的因素“{factor}”没有一行成立", 'no row of factor "{factor}" of scorecard "{rule}" holds'),
        Words(
            "补上缺的行；末行写 when: any 表示其余全部",
            "add the row that is missing; when: any in the last row takes the rest",
        ),
    ),
    "rule/no-public-suffixes": Code(
        "error",
        Words(
            "“{name}”要按可注册域名归类，但这里没有公共后缀表",
            '"{name}" asks for registrable domains, and no public suffix list is here',
        ),
        Words(
            "用 interpreter 运行，它自带公共后缀表",
            "run it with interpreter, which brings the public suffix list along",
        ),
    ),
    "rule/too-many-items": Code(
        "error",
        Words(
            "“{name}”有 {number} 项，最多 {at_most} 项",
            '"{name}" has {number} entries, at most {at_most} can be compared',
        ),
        Words("先筛选，再数来源", "filter them before their sources are counted"),
    ),
}

CODES: dict[str, Code] = {
    **_SHAPES,
    **_THRESHOLDS,
    **_TABLES,
    **_CELLS,
    **_SCORECARDS,
    **_TIERS,
    **_PROPERTIES,
    **_GATES,
    **_DECISIONS,
}

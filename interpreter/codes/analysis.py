"""Codes of the phase `rule`, second part: what analysis finds in rules that can be read.

Facts: `{example}` are facts as people write them, `{region}` the whole part of which they are an example, `{more}` the
same in brackets where it says more than the example; each once per language. `{row}` in a hint is YAML to be pasted.
"""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

_TABLES: dict[str, Code] = {
    "rule/gap": Code(
        "warning",
        Words(
            "{example_zh}：决策表“{table}”没有回答{more_zh}",
            '{example_en}: the table "{table}" has no answer{more_en}',
        ),
        Words(
            "先决定回答是什么，再补一行，例如 {row}；其余情况一律同样回答时写 otherwise",
            "decide what the answer is and add a row, such as {row}; or say otherwise: for everything else",
        ),
    ),
    "rule/cannot-compare": Code(
        "warning",
        Words(
            "{example_zh}：第 {row} 行要和“{name_zh}”比较，而它没有值{more_zh}",
            '{example_en}: row {row} compares with "{name_en}", which has no value{more_en}',
        ),
        Words(
            "在它上面加一行，先问 {name_zh} 是否 absent 或 null",
            "put a row above it that asks for absent or null in {name_en}",
        ),
    ),
    "rule/rows-clash": Code(
        "error",
        Words(
            "{example_zh}：第 {first} 行说 {answer_zh}，第 {second} 行说 {other_zh}{more_zh}",
            "{example_en}: row {first} says {answer_en}, row {second} says {other_en}{more_en}",
        ),
        Words(
            "缩小其中一行；或写 hit: first，让上面的行优先",
            "narrow one of them; or write hit: first, so that the upper row counts",
        ),
    ),
    "rule/rows-agree": Code(
        "error",
        Words(
            "{example_zh}：第 {first} 行和第 {second} 行同时成立，都说 {answer_zh}{more_zh}",
            "{example_en}: rows {first} and {second} hold together and both say {answer_en}{more_en}",
        ),
        Words(
            "hit: unique 不允许两行同时成立：写 hit: any，或缩小其中一行",
            "under hit: unique only one row may hold: write hit: any, or narrow one of them",
        ),
    ),
    "rule/row-never-answers": Code(
        "warning",
        Words(
            "{label_zh}永远不会给出回答：{rows_zh}已包括它的全部情况，例如 {example_zh} 由第 {winner} 行回答",
            "{label_en} can never answer: {rows_en} took all its cases; for example, {example_en} is answered by "
            "row {winner}",
        ),
        Words("删掉这一行，或移到更宽的行上面", "remove the row, or move it above the wider ones"),
    ),
    "rule/row-without-facts": Code(
        "warning",
        Words("没有任何事实能使{label_zh}成立", "no facts can make {label_en} hold"),
        Words(
            "检查这一行的条件、列的 range 和 impossible",
            "look at the conditions of the row, the range of its columns, and impossible",
        ),
    ),
    "rule/input-never-matters": Code(
        "warning",
        Words(
            "“{title_zh}”从不影响决策表“{table}”的回答", '"{title_en}" never changes the answer of the table "{table}"'
        ),
        Words("删掉这个输入，或检查用到它的行", "remove the input, or look at the rows that ask for it"),
    ),
    "rule/answer-never-given": Code(
        "note",
        Words(
            "决策表“{table}”的结果列“{name}”列出了 {values_zh}，但没有事实能得到它",
            'the output "{name}" of the table "{table}" lists {values_en}, and no facts lead there',
        ),
        Words("从 enum 里去掉，或补上给出它的行", "take it out of enum, or add the row that gives it"),
    ),
}

_SCORECARDS: dict[str, Code] = {
    "rule/factor-gap": Code(
        "warning",
        Words(
            "{example_zh}：评分卡“{rule}”的因素“{title_zh}”没有一行成立{more_zh}",
            '{example_en}: no row of the factor "{title_en}" of the scorecard "{rule}" holds{more_en}',
        ),
        Words(
            "先决定给多少分，再补一行，例如 {row}；其余情况写 when: any",
            "decide what it gives and add a row, such as {row}; when: any takes the rest",
        ),
    ),
    "rule/level-never-given": Code(
        "warning",
        Words(
            "评分卡“{rule}”永远不会给出等级“{level}”：它从 {edge} 起，而分数只在 {least} 到 {most} 之间，"
            "或它的条件、否决从不让它成立",
            'the scorecard "{rule}" never gives the level "{level}": it begins at {edge}, scores run from {least} to '
            "{most}, or its needs and the vetoes never let it through",
        ),
        Words("改它的下限、附加条件或否决", "change its edge, its needs or the vetoes"),
    ),
    "rule/factor-never-matters": Code(
        "warning",
        Words(
            "因素“{title_zh}”（权重 {weight}）从不改变评分卡“{rule}”的等级",
            'the factor "{title_en}" (weight {weight}) never changes the level of the scorecard "{rule}"',
        ),
        Words("改它的权重，或改等级的下限", "change its weight, or the edges of the levels"),
    ),
    "rule/veto-never-matters": Code(
        "warning",
        Words(
            "否决“{id}”从不改变评分卡“{rule}”的等级",
            'the veto "{id}" never changes the level of the scorecard "{rule}"',
        ),
        Words("删掉它，或检查它的条件和等级", "remove it, or look at its condition and level"),
    ),
}

_TIERS: dict[str, Code] = {
    "rule/tier-rule-never-answers": Code(
        "warning",
        Words(
            "“{rule}”的规则“{id}”（{tier}）永远不会给出回答：它成立时，上面的“{winner}”（{other}）总是先成立",
            'the rule "{id}" (tier {tier}) of "{rule}" can never answer: wherever it holds, "{winner}" (tier {other}) '
            "above it holds first",
        ),
        Words(
            "删掉它，或移到“{winner}”上面，或让“{winner}”要求得更多",
            'remove it, or move it above "{winner}", or let "{winner}" ask for more',
        ),
    ),
    "rule/tier-entry-never-counts": Code(
        "warning",
        Words(
            "“{rule}”的规则“{id}”（{tier}）里的“{entry}”不起作用：上面的“{winner}”（{other}）总是先成立",
            '"{entry}" in the rule "{id}" (tier {tier}) of "{rule}" never counts: "{winner}" (tier {other}) above it '
            "holds first",
        ),
        Words("从这里或“{winner}”里删掉它", 'take it out here, or out of "{winner}"'),
    ),
    "rule/tiers-may-not-answer": Code(
        "note",
        Words(
            "没有一条规则成立的来源，“{rule}”不给层级",
            '"{rule}" has no answer for a source for which none of its rules holds',
        ),
        Words(
            "在最后加一个类别，例如 - {tier: 3, rules: [{id: rest, any: true}]}",
            "add a last class, such as - {tier: 3, rules: [{id: rest, any: true}]}",
        ),
    ),
}

_PROPERTIES: dict[str, Code] = {
    "rule/property-broken": Code(
        "error",
        Words(
            "{example_zh}：“{rule}”的回答是 {answer_zh}，不符合性质“{message_zh}”",
            '{example_en}: "{rule}" answers {answer_en}, against the property "{message_en}"',
        ),
        Words("改规则，或改这条性质", "change the rule, or the property"),
    ),
    "rule/property-open": Code(
        "note",
        Words(
            "“{rule}”的性质“{id}”没有逐一检验{how_zh}",
            'the property "{id}" of "{rule}" was not checked in full{how_en}',
        ),
        Words(
            "为它写几个用例；rules boundaries 可以先写出一批",
            "write cases for it in a tests document; rules boundaries writes the first ones",
        ),
    ),
    "rule/property-without-order": Code(
        "error",
        Words(
            "性质“{id}”需要先后：“{name}”或“{rule}”的回答没有先后",
            'the property "{id}" needs an order, and "{name}" or the answer of "{rule}" has none',
        ),
        Words(
            "用数字或日期作事实，并给结果列写 priority: [最好, …, 最差]",
            "take a number or date as the fact, and give an output priority: [best, …, worst]",
        ),
    ),
}

_BOUNDS: dict[str, Code] = {
    "rule/more-of-the-same": Code(
        "note",
        Words("“{rule}”还有 {count} 处 {other}", '"{rule}" has {count} more of {other}'),
        Words("先处理列出的这些，再检查一次", "mend those that are listed, then check again"),
    ),
    "rule/too-large": Code(
        "note",
        Words(
            "“{rule}”太大，没有查完：{questions_zh}",
            '"{rule}" is too large; not checked in full: {questions_en}',
        ),
        Words(
            "把它拆成几张行数、输入较少的表，再检查一次",
            "make several tables with fewer rows and inputs of it, then check again",
        ),
    ),
    "rule/not-looked-at": Code(
        "note",
        Words(
            "没有检查“{rule}”：文档里的规则加起来太大",
            '"{rule}" was not checked: together the rules of this document are too large',
        ),
        Words(
            "把它拆成几张行数、输入较少的表，或移到另一个规则文档",
            "make several tables with fewer rows and inputs of it, or move it to a rule document of its own",
        ),
    ),
    "rule/looked-at-in-passing": Code(
        "note",
        Words(
            "“{rule}”很大，lint 没有查完它",
            '"{rule}" is large; lint did not check all of it',
        ),
        Words(
            "运行 interpreter rules check {file}，它会查得更全",
            "run interpreter rules check {file}, which checks more",
        ),
    ),
    "rule/not-every-combination": Code(
        "note",
        Words(
            "“{rule}”的条件太多，没有检查每一种组合",
            '"{rule}" has too many conditions: not every combination was checked',
        ),
        Words(
            "少用几个 contains、starts with，或少比较几列",
            "use fewer contains and starts with, or compare fewer columns",
        ),
    ),
}

CODES: dict[str, Code] = {**_TABLES, **_SCORECARDS, **_TIERS, **_PROPERTIES, **_BOUNDS}

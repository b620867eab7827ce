"""Codes of the phase `type`: paths, fields and kinds of values."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    "type/braces-around-expression": Code(
        "error",
        Words("这里本来就是表达式，不需要花括号", "this place holds an expression already, it needs no braces"),
        Words("写成 {bare}", "write {bare}"),
    ),
    "type/bad-path": Code(
        "error",
        Words("“{path}”不是路径", "“{path}” is not a path"),
        Words(
            "写成 名称、名称.字段 或 名称[表达式].字段，例如 items[row.id].status",
            "write name, name.field or name[expression].field, for example items[row.id].status",
        ),
    ),
    "type/unknown-field": Code("error", Words("没有字段 {name}", "there is no field {name}")),
    "type/perhaps-misspelled": Code("warning", Words("声明里没有字段 {name}", "the declaration names no field {name}")),
    "type/heading-without-column": Code(
        "error", Words("没有列 {name}，标题用不上", "there is no column {name} to stand under this heading")
    ),
    "type/unknown-labels": Code("error", Words("类型 {type} 没有 labels", "there are no labels for the type {type}")),
    "type/never-equal": Code(
        "error",
        Words(
            "{value} 不在允许的值里，永远不会相等",
            "{value} can never be equal: the other side cannot have this value",
        ),
    ),
    "type/not-among": Code(
        "error", Words("{value} 不在允许的值里", "{value} is not among the values that are allowed")
    ),
    "type/wrong-kind": Code(
        "error",
        Words("这里要{wanted_zh}，而这是{found_zh}", "{wanted_en} is wanted here, but this is {found_en}"),
        Words("改成{wanted_zh}", "give {wanted_en}"),
    ),
    "type/out-of-bounds": Code(
        "error",
        Words("{value} 不能写在这里：要{limit_zh}", "{value} cannot stand here: {limit_en} is wanted"),
        Words("改成这样的值：{limit_zh}；或改声明", "give such a value: {limit_en}; or change the declaration"),
    ),
    "type/never-fits": Code(
        "error",
        Words("没有值能符合这个声明：{why_zh}", "no value fits this declaration: {why_en}"),
        Words("改其中一处", "change one of them"),
    ),
    "type/word-without-effect": Code(
        "error",
        Words("{word} 管不到{kind_zh}：写在这里没有作用", "{word} does not apply to {kind_en}: it has no effect here"),
        Words("删掉它，或改 type", "delete it, or change type"),
    ),
    "type/wrong-kind-inside": Code(
        "error",
        Words(
            "这里的 {path} 要{wanted_zh}，而给出的是{found_zh}",
            "{path} has to be {wanted_en} here, but this is {found_en}",
        ),
        Words("改成{wanted_zh}", "give {wanted_en}"),
    ),
    "type/not-addressable": Code(
        "error",
        Words("这个列表不能按键取条目：{problem_zh}", "the key cannot tell entries of this list apart: {problem_en}"),
        Words("改正条目，或另选一个键", "correct the entries, or choose another key"),
    ),
    "type/not-a-list": Code(
        "error",
        Words("这里要列表，而这是{found_zh}", "a list is wanted here, but this is {found_en}"),
        Words("写一个给出列表的表达式", "write an expression that gives a list"),
    ),
    "type/not-boolean": Code(
        "error",
        Words("条件要给出 true 或 false，而这是{found_zh}", "a condition gives true or false, but this is {found_en}"),
        Words("写一个比较，例如 x != ''", "write a comparison, for example x != ''"),
    ),
    "type/missing-field": Code(
        "error",
        Words("这里缺少字段 {name}", "the field {name} is missing here"),
        Words("写上 {name}", "give {name}"),
    ),
    "type/missing-key-field": Code(
        "error",
        Words("这一项没有 {list} 的键 {name}", "the entry lacks {name}, the key of {list}"),
        Words("在 item 里写上 {name}", "give {name} in item"),
    ),
    "type/unknown-argument": Code("error", Words("{tool} 没有参数 {name}", "{tool} takes no argument {name}")),
    "type/missing-argument": Code(
        "error",
        Words("{tool} 需要参数 {name}", "{tool} needs the argument {name}"),
        Words("在 with 里写上 {name}", "give {name} under with"),
    ),
    "type/unknown-fact": Code("error", Words("规则 {rule} 没有输入 {name}", "the rule {rule} has no input {name}")),
    "type/fact-not-given": Code(
        "warning",
        Words("规则 {rule} 要看 {name}，这里没有给", "the rule {rule} asks about {name}, which is not given here"),
        Words(
            "在 with 里写上 {name}，或在规则里用 absent 写明没有时怎么办",
            "give {name} under with, or let a row of the rule ask for absent",
        ),
    ),
    "type/other-scale": Code(
        "warning",
        Words("这个值按 {found} 计，而规则按 {wanted} 计", "this value counts in {found}, the rule in {wanted}"),
        Words("换算成同一单位，或改其中一处的范围", "bring both to one scale, or change one of the ranges"),
    ),
    "type/nothing-to-name": Code(
        "warning",
        Words("这里没有 give，{name} 什么也得不到", "nothing is given here, so {name} holds nothing"),
        Words("加上 give，或去掉这个名称", "add give, or delete the name"),
    ),
    "type/one-language": Code(
        "error",
        Words("这段文字缺少 {missing}", "this text lacks {missing}"),
        Words("zh 和 en 都要写", "write both zh and en"),
    ),
    "type/message-part-missing": Code(
        "warning",
        Words("消息缺少 {part}", "the message lacks {part}"),
        Words(
            "写明做了什么（done）、接下来做什么（next）、会不会写入（writes）",
            "say what is done (done), what comes next (next) and whether that writes (writes)",
        ),
    ),
    "type/question-without-text": Code(
        "warning",
        Words("问题 {name} 没有 text，被问的人看不到在问什么", "the question {name} has no text to say what is asked"),
        Words(
            "写上 text: {done: …, next: …, writes: true}，writes 是 true 或 false",
            "write text: {done: …, next: …, writes: true}, writes being true or false",
        ),
    ),
    "type/all-of-nothing": Code(
        "note",
        Words("列表为空时 all 也成立", "all also holds for an empty list"),
        Words(
            "如果空列表不该通过，再加一个条件，例如 {list} | count > 0",
            "where an empty list must not pass, add a condition such as {list} | count > 0",
        ),
    ),
    "type/times-by-characters": Code(
        "warning",
        Words(
            "时刻在这里按字符比较先后：时区写法不同时，结果会错",
            "instants are put in order by their characters here: written in two zones, they come out wrong",
        ),
        Words("存下时先用 absolute_time 统一成 UTC", "make them UTC with absolute_time where they are stored"),
    ),
    "type/private-shown": Code(
        "error",
        Words(
            "{name} 含有私密数据（private），不能写进给人看的文字", "{name} holds private data, which no text may show"
        ),
        Words("只写出数量，例如 {name} | count", "show a count of it, for example {name} | count"),
    ),
    "type/private-decided": Code(
        "error",
        Words(
            "{name} 含有私密数据（private），而请人决定的内容必须展示出来",
            "{name} holds private data, and what a person decides about must be shown",
        ),
        Words(
            "请人决定不私密的部分，或去掉声明里的 private（可改用 sensitive，展示时遮盖）",
            "let the person decide about what is not private, or declare it sensitive, which is masked when shown",
        ),
    ),
    "type/private-output": Code(
        "error",
        Words(
            "{name} 含有私密数据（private），而这个输出没有标明",
            "{name} holds private data, this output does not say so",
        ),
        Words("给输出写上 private: true，或只交出数量", "write private: true at the output, or hand out a count of it"),
    ),
    "type/sensitive-phrase": Code(
        "error",
        Words(
            "{name} 含有敏感数据（sensitive），会被遮盖，无法照着输入",
            "{name} is sensitive and masked, nobody could type it",
        ),
        Words("换一句不含敏感数据的确认语", "choose a phrase without sensitive data"),
    ),
    "type/mark-lost": Code(
        "error",
        Words(
            "交给 {workflow} 的 {name} 含有标为 {word} 的数据，而那里没有这样声明",
            "{name} of {workflow} is given data marked {word}, and is not declared so there",
        ),
        Words("在 {workflow} 的输入 {name} 上写 {word}: true", "write {word}: true at the input {name} of {workflow}"),
    ),
    "type/mark-inside": Code(
        "error",
        Words(
            "{word} 标记的是整个输入、数据、输出、块的参数或表单字段，不能写在形状里面",
            "{word} marks a whole input, data, output, argument of a block or form field; no shape holds it inside",
        ),
        Words("把它写到声明本身上", "write it at the declaration itself"),
    ),
    "type/hole-inside-shape": Code(
        "warning",
        Words(
            "形状里面的缺省值不计算，花括号会原样成为文本",
            "a default inside a shape is not computed, the braces stay in the text",
        ),
        Words(
            "写成常量；要计算就写在声明本身的 default 里，或在存入的地方写",
            "write a constant; what is to be computed stands in the default of the declaration itself, or where the "
            "value is stored",
        ),
    ),
}

"""Codes of the phase `expression`: what reading finds, and why an expression could not be evaluated."""

from __future__ import annotations

from typing import Literal

from interpreter.codes.declared import Code
from interpreter.words import Words


def _code(
    zh: str,
    en: str,
    hint: tuple[str, str] | None = None,
    severity: Literal["error", "warning", "note"] = "error",
) -> Code:
    return Code(severity, Words(zh, en), Words(*hint) if hint is not None else None)


_READING: dict[str, Code] = {
    # --- the form of the text
    "expression/empty": _code("这里没有表达式", "there is no expression here"),
    "expression/ends-early": _code(
        "表达式到这里还没有写完",
        "the expression is not finished here",
        ("补上缺少的值或右括号", "add the value or the closing bracket that is missing"),
    ),
    "expression/unexpected": _code(
        "这里不能出现 {found}",
        "{found} cannot stand here",
        ("检查前后是否缺少运算符或括号", "look for a missing operator or bracket around it"),
    ),
    "expression/two-values": _code(
        "{before} 和 {found} 之间缺少运算符",
        "an operator is missing between {before} and {found}",
        (
            "比较用 ==，连接文本用 ~，同时成立用 and，使用函数用 |",
            "== compares, ~ joins texts, and asks for both, | applies a function",
        ),
    ),
    "expression/foreign-operator": _code(
        "这里没有 {written} 这个写法",
        "{written} is not written like this here",
        ("请写 {instead}", "write {instead}"),
    ),
    "expression/foreign-word": _code(
        "{written} 在这里写作 {instead}",
        "{written} is spelled {instead} here",
        ("请写 {instead}", "write {instead}"),
    ),
    "expression/full-width": _code(
        "“{written}” 是全角标点",
        "{written} is a full-width mark",
        ("改用半角的 {instead}", "use the half-width {instead}"),
    ),
    "expression/text-not-closed": _code(
        "文本缺少结尾的引号 {mark}",
        "the closing {mark} of the text is missing",
        ("在文本末尾补上 {mark}", "add {mark} after it"),
    ),
    "expression/bad-name": _code(
        "{name} 不能作名称",
        "{name} cannot be a name",
        (
            "名称由英文字母、数字和 _ 组成，不以数字开头",
            "a name is made of letters a to z, digits and _, no digit first",
        ),
    ),
    "expression/number-form": _code(
        "{number} 不是这里的数字写法",
        "{number} is not how a number is written here",
        ("请写 {instead_zh}", "write {instead}"),
    ),
    "expression/unknown-escape": _code(
        "文本中不认识 {escape}",
        "{escape} means nothing inside a text",
        (
            "只有 \\n \\t \\r \\\\ \\' \\\" \\uXXXX；反斜杠本身写 \\\\",
            "there are \\n \\t \\r \\\\ \\' \\\" \\uXXXX; write \\\\ for a backslash",
        ),
    ),
    "expression/too-long": _code(
        "这里有 {length} 个字符，至多 {at_most} 个",
        "{length} characters; at most {at_most} may stand here",
        ("用 let 为中间结果命名", "name the parts with let"),
    ),
    "expression/too-deep": _code(
        "嵌套超过 {at_most} 层",
        "nested more than {at_most} deep",
        ("用 let 为中间结果命名", "name the parts with let"),
    ),
    # --- texts with holes
    "expression/hole-not-closed": _code(
        "{mark} 没有对应的 {closing}",
        "the {closing} that closes {mark} is missing",
        ("在表达式后补上 {closing}", "add {closing} after the expression"),
    ),
    "expression/comment": _code(
        "文本中不能有 {#…#} 注释",
        "a text holds no comments in {#…#}",
        (
            "注释写在 YAML 的 # 之后；要显示这两个字符写 {{ '{#' }}",
            "put it behind a # of YAML; {{ '{#' }} shows the two characters",
        ),
    ),
    "expression/unknown-statement": _code(
        "文本中没有 {statement} 语句",
        "a text has no statement {statement}",
        (
            "只有 if、elif、else、endif、for、endfor；要显示这两个字符写 {{ '{%' }}",
            "there are if, elif, else, endif, for, endfor; {{ '{%' }} shows the two characters",
        ),
    ),
    "expression/misspelled-statement": _code(
        "{statement} 在这里写作 {instead}",
        "{statement} is spelled {instead} here",
        ("请写 {instead}", "write {instead}"),
    ),
    "expression/statement-out-of-place": _code(
        "{statement} 之前没有对应的开头",
        "nothing before this {statement} begins what it belongs to",
        ("检查 if … endif 和 for … endfor 是否成对", "see that if … endif and for … endfor come in pairs"),
    ),
    "expression/block-not-closed": _code(
        "{statement} 没有对应的 {closing}",
        "the {closing} that ends this {statement} is missing",
        ("在末尾补上 {closing}", "add {closing} after its last words"),
    ),
    "expression/for-form": _code(
        "不支持 {what}",
        "{what} cannot be written",
        ("写 for 名称 in 列表；筛选用 | where(…)", "write for name in list; filter with | where(…)"),
    ),
    "expression/braces-in-expression": _code(
        "这里直接写表达式，不要加 {braces}",
        "an expression stands here as it is, without {braces}",
        ("请写 {instead}", "write {instead}"),
    ),
    # --- what is not allowed
    "expression/no-such-operator": _code(
        "没有运算符 {operator}",
        "there is no operator {operator}",
        (
            "有 + - *，整数还有 // 和 %；要除就写 a | divided_by(b, 2)，比例用乘法比较：done * 100 >= total * 80",
            "there are + - *, for integers // and %; divide with a | divided_by(b, 2), or compare a share by "
            "multiplying: done * 100 >= total * 80",
        ),
    ),
    "expression/list-needs-brackets": _code(
        "列表要写在方括号里", "a list stands in square brackets", ("写 [a, b]", "write [a, b]")
    ),
    "expression/not-allowed": _code("表达式中不能使用 {what}", "{what} is not allowed in an expression"),
    "expression/slice": _code(
        "不能用 [a:b] 取一段",
        "a part is not taken with [a:b]",
        ("写 | take(3) 或 | skip(3)", "write | take(3) or | skip(3)"),
    ),
    "expression/field-is-a-number": _code(
        "列表中的一项写在方括号里",
        "an entry of a list stands in brackets",
        ("写 [{number}]", "write [{number}]"),
    ),
    "expression/key-is-no-text": _code(
        "对象的键必须是带引号的文本：{key}",
        "a key of a mapping is a text in quotes: {key}",
        ("给键加上引号", "put the key in quotes"),
    ),
    "expression/key-twice": _code("键 {key} 出现了两次", "the key {key} stands here twice"),
    "expression/if-without-else": _code(
        "if 缺少 else",
        "an if needs its else",
        ("写 a if c else b；什么都不给写 else absent", "write a if c else b; else absent gives nothing"),
    ),
    "expression/chained-comparison": _code(
        "只有 < <= > >= 可以连写",
        "only < <= > >= may follow each other",
        ("用 and 连接两个比较", "join two comparisons with and"),
    ),
    "expression/known-method": _code(
        "值没有方法 {method}()", "values have no method {method}()", ("请写 {instead}", "write {instead}")
    ),
    "expression/method": _code(
        "值没有方法 {method}()",
        "values have no method {method}()",
        (
            "使用函数写成 x | 函数名，见 docs/language/functions.md",
            "a function is applied with x | name, see docs/language/functions.md",
        ),
    ),
    "expression/not-a-function": _code("这里不是函数，不能加 (…)", "this is no function, (…) cannot follow it"),
    # --- functions
    "expression/unknown-function": _code(
        "没有函数 {name}",
        "there is no function {name}",
        ("全部函数见 docs/language/functions.md", "docs/language/functions.md lists all of them"),
    ),
    "expression/foreign-function": _code("没有函数 {name}", "there is no function {name}", ("{advice_zh}", "{advice}")),
    "expression/misspelled-function": _code(
        "没有函数 {name}", "there is no function {name}", ("是不是想写 {near}？", "did you mean {near}?")
    ),
    "expression/function-form": _code(
        "{name} 不能这样用",
        "{name} is not used like this",
        ("写法：{signature}", "it is written: {signature}"),
    ),
    "expression/too-many-arguments": _code(
        "{function} 的参数太多",
        "{function} has too many arguments",
        ("写法：{signature}", "it is written: {signature}"),
    ),
    "expression/missing-argument": _code(
        "{function} 缺少参数 {argument}",
        "{function} lacks its argument {argument}",
        ("写法：{signature}", "it is written: {signature}"),
    ),
    "expression/unknown-argument": _code(
        "{function} 没有参数 {argument}",
        "{function} has no argument {argument}",
        ("写法：{signature}", "it is written: {signature}"),
    ),
    "expression/argument-twice": _code(
        "{function} 的参数 {argument} 给了两次",
        "{function} has its argument {argument} twice",
        ("写法：{signature}", "it is written: {signature}"),
    ),
    # --- certainly wrong before it runs
    "expression/compared-in-filter": _code(
        "{function} 用 名称=值 筛选，不用比较",
        "{function} takes name=value, not a comparison",
        ("请写 {instead}", "write {instead}"),
    ),
    "expression/compared-with-nothing": _code(
        "不能用等号与 {word} 比较", "nothing is compared with {word}", ("请写 {instead}", "write {instead}")
    ),
    # --- probably wrong
    "expression/needs-brackets": _code(
        "{function} 只作用于 {before} 之后的这一部分",
        "{function} applies only to this part, after {before}",
        (
            "用括号写明：({part})，或把括号加在整体外面",
            "say so with brackets: ({part}), or put them around the whole",
        ),
        "warning",
    ),
    "expression/stray-mark": _code(
        "{mark} 没有对应的开头，会原样显示",
        "nothing opens this {mark}; it will be shown as it is",
        ("删掉它，或补上开头的花括号", "delete it, or write the opening braces that it closes"),
        "warning",
    ),
    "expression/never-matches": _code(
        "{field} 不可能等于空列表中的某一项",
        "{field} can never be one of an empty list",
        (
            "找没有该字段的对象用 where_missing('{field}')",
            "where_missing('{field}') finds records without it",
        ),
        "warning",
    ),
    "expression/looks-like-a-property": _code(
        ".{field} 读取名为 {field} 的字段，不是长度",
        ".{field} reads a field called {field}, not a length",
        (
            "项数写 | count，字符数写 | length；确实是字段时写 ['{field}']",
            "write | count for entries, | length for characters; ['{field}'] where a field is meant",
        ),
        "warning",
    ),
}

_EVALUATION: dict[str, Code] = {
    # --- nothing there
    "expression/absent-name": _code(
        "{name} 不存在",
        "there is no {name}",
        (
            "可能没有时写 | default(…) 或 is present",
            "where it may be absent, write | default(…) or is present",
        ),
    ),
    "expression/absent-field": _code(
        "没有字段 {field}",
        "there is no field {field}",
        (
            "可能没有时写 | default(…) 或 is present",
            "where it may be absent, write | default(…) or is present",
        ),
    ),
    "expression/field-of-null": _code(
        "无法读取 {field}：前面的值是 null",
        "{field} cannot be read: what it belongs to is null",
        ("可能为 null 时写 | default(…)", "where it may be null, write | default(…)"),
    ),
    "expression/no-fields": _code(
        "无法读取 {field}：{found_zh}没有字段",
        "{field} cannot be read: a value of kind {found} has no fields",
    ),
    "expression/absent-item": _code(
        "列表没有位置 {index}，共有 {length} 项",
        "the list has no place {index}, it has {length} entries",
        ("位置从 0 开始", "places count from 0"),
    ),
    "expression/absent-value": _code(
        "这里的值不存在",
        "the value here is absent",
        ("可能没有时写 | default(…)", "where it may be absent, write | default(…)"),
    ),
    "expression/empty-list": _code(
        "空列表没有 {function}",
        "an empty list has no {function}",
        ("给出默认值：{function}(0)", "give a default: {function}(0)"),
    ),
    # --- kinds
    "expression/different-kinds": _code(
        "不能比较{left_zh}和{right_zh}",
        "different kinds cannot be compared: {left} and {right}",
        (
            "数字不带引号，文本带引号；换成文本用 | text，换成数字用 | from_json",
            "numbers have no quotes, texts have; | text makes a text, | from_json a number",
        ),
    ),
    "expression/not-boolean": _code(
        "条件必须是 true 或 false，这里是{found_zh}",
        "a condition is true or false, this is of kind {found}",
        (
            "写出比较，如 x != ''；取第一个不空的值用 | or_else(…)",
            "write a comparison such as x != ''; | or_else(…) gives the first that is not empty",
        ),
    ),
    "expression/not-a-number": _code(
        "{operator} 需要数字，这里是{found_zh}",
        "{operator} needs a number, this is of kind {found}",
        ("文本变成数写 | from_json，连接文本写 ~", "| from_json makes a number of a text, ~ joins texts"),
    ),
    "expression/text-plus": _code("+ 不能连接文本", "+ does not join texts", ("连接文本写 ~", "write ~ to join texts")),
    "expression/not-whole": _code("{operator} 只用于整数", "{operator} is for integers only"),
    "expression/not-ordered": _code(
        "{operator} 只能比较数字或文本，这里是{found_zh}",
        "{operator} puts numbers or texts in order, this is of kind {found}",
    ),
    "expression/not-in-list": _code(
        "in 的右边应为列表或文本，这里是{found_zh}",
        "a list or a text stands after in, this is of kind {found}",
        ("问有没有某个字段写 x.字段 is present", "whether a field is there is asked with x.field is present"),
    ),
    "expression/not-a-list": _code("for 需要列表，这里是{found_zh}", "for needs a list, this is of kind {found}"),
    "expression/bad-key": _code(
        "{found_zh}不能作这里的键：列表用整数，对象用文本",
        "a value of kind {found} is no key here: a list takes an integer, a mapping a text",
    ),
    "expression/not-a-key": _code(
        "字段 {field} 是{found_zh}，不能作键",
        "the field {field} is of kind {found}, a key is a text",
        ("先用 | text 换成文本", "make it a text"),
    ),
    "expression/bad-subject": _code(
        "{function} 用于{expected_zh}，这里是{found_zh}",
        "{function} is for {expected}, this is of kind {found}",
    ),
    "expression/bad-argument": _code(
        "{function} 的 {argument} 应为{expected_zh}，这里是{found_zh}",
        "{function} takes {expected} as {argument}, this is of kind {found}",
    ),
    "expression/bad-item": _code(
        "{function} 需要{expected_zh}，其中有一项是{found_zh}",
        "{function} needs {expected}, one entry is of kind {found}",
    ),
    "expression/null-in-text": _code(
        "null 不能写进文本", "null has no place in a text", ("写 | default('…')", "write | default('…')")
    ),
    # --- limits
    "expression/number-too-long": _code("数字超过 34 位", "a number has more than 34 digits"),
    "expression/division-by-zero": _code("{operator} 的右边是 0", "the right side of {operator} is 0"),
    "expression/too-large": _code("结果太大，至多 {at_most}", "the result is too large, at most {at_most}"),
    "expression/too-deep-a-value": _code("值的嵌套太深", "the value is nested too deeply"),
    "expression/too-small": _code(
        "{function} 的数字是 {number}，至少应为 {at_least}",
        "{function} was given {number}, at least {at_least} is needed",
    ),
    "expression/bad-decimals": _code(
        "{function} 的小数位数是 {number}，只能是 0 到 {at_most}",
        "{function} was asked for {number} decimals, it takes from 0 to {at_most}",
    ),
    "expression/item-too-long": _code(
        "{function}：其中一项有 {length} 个字符，至多 {at_most} 个",
        "{function}: one entry has {length} characters, at most {at_most} fit",
        ("先用 | shorten(…) 或 | pieces(…)", "use | shorten(…) or | pieces(…) before"),
    ),
    # --- what a value says
    "expression/empty-text": _code(
        "{function} 的 {argument} 不能是空文本", "{argument} of {function} cannot be an empty text"
    ),
    "expression/bad-pattern": _code(
        "模式 {pattern} 不可用",
        "the pattern {pattern} cannot be used",
        (
            "以文字开头，两个 {…} 之间要有文字，如 据{name}报道",
            "begin with words and keep words between two {…}, as in 据{name}报道",
        ),
    ),
    "expression/bad-hole": _code(
        "{{{name}}} 处没有可用的词",
        "there are no words for {{{name}}}",
        (
            "在 words 中给出它的词，每个名称在一个短语里只用一次，如 phrases(['近{n}天'], {'n': ['三', '七']})",
            "give its words; use a name once in a phrase, as in phrases(['last {n} days'], {'n': ['three', 'ten']})",
        ),
    ),
    "expression/not-a-unit": _code(
        "{unit} 不是时间单位",
        "{unit} is no unit of time",
        ("写 day、week、month、quarter 或 year", "write day, week, month, quarter or year"),
    ),
    "expression/not-a-time": _code(
        "{text} 不是时间",
        "{text} is no time",
        ("写 2024-05-01、2024-05-01T08:00:00Z 或 7d", "write 2024-05-01, 2024-05-01T08:00:00Z or 7d"),
    ),
    "expression/outside-the-calendar": _code(
        "{text} 不在公元 1 年到 9999 年之间",
        "{text} lies outside the years 1 to 9999",
        ("从较近的时间算起，或少退、少进一些", "count from a time nearer to now, or go fewer steps"),
    ),
    "expression/not-a-window": _code(
        "时间段缺少 {field}", "the window lacks {field}", ("写 {start, end}", "write {start, end}")
    ),
    "expression/not-json": _code("不是 JSON：{problem_zh}", "not JSON: {problem}"),
    "expression/not-here": _code("这里不能使用 {function}()", "{function}() cannot be asked here"),
}

CODES: dict[str, Code] = {**_READING, **_EVALUATION}

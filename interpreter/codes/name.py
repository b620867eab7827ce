"""Codes of the phase `name`: documents, types and names that are not there, or there twice."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    # --- documents ----------------------------------------------------------------------------------------------------
    "name/unknown-document": Code(
        "error",
        Words("找不到文档 {name}：它应当是 {place}", "there is no document {name}: it would be {place}"),
        Words(
            "路径从流程所在的文件夹算起；改正名称，或创建这个文件",
            "the place counts from the folder of the workflow; correct the name or create the file",
        ),
    ),
    "name/wrong-kind-of-document": Code(
        "error",
        Words(
            "这里需要 {wanted} 文档，而这个文档是 {kind}",
            "a {wanted} document is wanted here, this one is of kind {kind}",
        ),
        Words("换成以 {wanted}: 开头的文档", "give a document that begins with {wanted}:"),
    ),
    "name/document-name-differs": Code(
        "error",
        Words("名称 {name} 与文件名 {file} 不同", "the name {name} differs from the name of the file, {file}"),
        Words("写成 {file}，或给文件改名", "write {file}, or rename the file"),
    ),
    "name/document-twice": Code(
        "warning", Words("{name} 列了两次", "{name} is listed twice"), Words("删掉一个", "delete one")
    ),
    "name/unknown-type": Code("error", Words("没有类型 {type}", "there is no type {type}")),
    "name/type-not-used": Code(
        "error",
        Words(
            "类型文档 {document} 没有列在 uses.types 里", "the types document {document} is not listed under uses.types"
        ),
        Words("在 uses.types 里加上 {document}", "add {document} to uses.types"),
    ),
    # --- names in expressions -----------------------------------------------------------------------------------------
    "name/unknown": Code("error", Words("这里没有名称 {name}", "there is no name {name} here")),
    "name/visible-twice": Code(
        "error",
        Words("名称 {name} 在这里已经有了", "the name {name} is visible here already"),
        Words(
            "换一个名称，同一处不能有两个同名的值", "choose another name: one place cannot see two values of one name"
        ),
    ),
    "name/reserved": Code(
        "error",
        Words("{name} 是保留名称", "{name} is a reserved name"),
        Words("换一个名称", "choose another name"),
    ),
    "name/text-like-a-name": Code(
        "warning",
        Words(
            "“{text}”在这里只是文本，而这里有叫这个名称的值",
            "“{text}” is only a text here, and a value of that name is visible",
        ),
        Words(
            '要用它的值就写 "{{ {name} }}"；确实是文本就写 "{{ \'{text}\' }}"',
            'write "{{ {name} }}" for its value, or "{{ \'{text}\' }}" where the text is meant',
        ),
    ),
    "name/single-braces": Code(
        "warning",
        Words(
            "一层花括号只是文字，不会换成 {name} 的值",
            "single braces are only characters: no value of {name} comes here",
        ),
        Words(
            '要它的值就写 "{{ {name} }}"；确实是文字就写 "{{ \'{\' }}{name}}"',
            'write "{{ {name} }}" for its value, or "{{ \'{\' }}{name}}" where the characters are meant',
        ),
    ),
    "name/text-like-an-expression": Code(
        "warning",
        Words("“{text}”在括号外面，会原样显示", "“{text}” stands outside of braces and is shown as it is written"),
        Words(
            "写成 {better}；确实要显示这些字就写 {{ '{text}' }}",
            "write {better}, or {{ '{text}' }} where the text is meant",
        ),
    ),
    "name/local-where-data-only": Code(
        "error",
        Words(
            "shows 只能读数据和输入，{name} 是局部名称", "shows may read data and inputs only, {name} is a local name"
        ),
        Words(
            "先用 set 存进数据，再在 shows 里读：回答要和当时看到的值对得上",
            "set it into data first and read that: an answer is compared with the value that was shown",
        ),
    ),
    # --- what is changed ----------------------------------------------------------------------------------------------
    "name/perhaps-unanswered": Code(
        "warning",
        Words(
            "没有人回答 {question} 时运行也会往下走，那时没有 {question}.{field}",
            "the run goes on also where nobody answers {question}; there is no {question}.{field} then",
        ),
        Words(
            "在问题上写 refused: block 或 otherwise，或先看 {question}.ending == 'answered'",
            "write refused: block, or an otherwise, at the question, or ask for {question}.ending == 'answered'",
        ),
    ),
    "name/perhaps-absent": Code(
        "warning",
        Words(
            "{name} 只在 {when} 成立时才有值，在这里可能不存在",
            "{name} holds something only where {when}; here it may be absent",
        ),
        Words(
            "在这里也写上同样的条件，或用 {name} | default(…)，或给那一步写 otherwise",
            "ask for the same here, write {name} | default(…), or give that call an otherwise",
        ),
    ),
    "name/unknown-data": Code("error", Words("没有声明过数据 {name}", "no data named {name} is declared")),
    "name/not-data": Code(
        "error",
        Words("{name} 不是数据，不能改", "{name} is not data and cannot be changed"),
        Words(
            "{verb} 只改 inputs 和 data 里声明的；局部的值用 let 另起名称",
            "{verb} changes what inputs and data declare; name a local value with let",
        ),
    ),
    # --- states, blocks, questions, gates -----------------------------------------------------------------------------
    "name/unknown-state": Code("error", Words("没有状态 {name}", "there is no state {name}")),
    "name/unknown-block": Code("error", Words("没有步骤块或流程 {name}", "there is no block or workflow {name}")),
    "name/unknown-question": Code("error", Words("没有问题 {name}", "there is no question {name}")),
    "name/unknown-gate": Code("error", Words("没有门禁 {name}", "there is no gate {name}")),
    "name/unknown-step": Code("error", Words("状态 {state} 里没有步骤 {name}", "the state {state} has no step {name}")),
    "name/unknown-pool": Code("error", Words("没有池 {name}", "there is no pool {name}")),
    "name/unknown-budget": Code("error", Words("没有预算 {name}", "there is no budget {name}")),
    "name/unknown-rule": Code("error", Words("没有规则 {name}", "there is no rule {name}")),
    "name/rule-not-a-table": Code(
        "error",
        Words("{name} 是{kind_zh}，不能用 decide", "{name} is a {kind}, which decide does not evaluate"),
        Words("阈值和列表在表达式里直接读 {name}", "read a threshold or a list as {name} in an expression"),
    ),
    "name/step-id-twice": Code(
        "error",
        Words("这里已经有步骤 {name}", "there is a step {name} here already"),
        Words("同一个状态（或步骤块）里每个 id 只能用一次", "an id stands once in a state (or block)"),
    ),
    "name/choice-twice": Code(
        "error",
        Words("已经有选项 {name}", "there is a choice {name} already"),
        Words(
            "每个选项的 id、value 和 phrase 都要不同；不会同时出现的两个各写上 when",
            "give each an id, value and phrase of its own; two that are never offered together both have a when",
        ),
    ),
    "name/phrase-untypable": Code(
        "error",
        Words(
            "确认语“{name}”不能用：它是空的，或者是另一个选项的序号",
            "“{name}” cannot be a phrase: it is empty, or the number of another choice",
        ),
        Words(
            "写几个字，例如 phrase: {zh: 确认移动, en: move them}",
            "write some words, as in phrase: {zh: 确认移动, en: move them}",
        ),
    ),
    "name/guarantee-id-twice": Code(
        "error",
        Words("已经有保证 {name}", "there is a guarantee {name} already"),
        Words("换一个 id", "choose another id"),
    ),
    # --- unused -------------------------------------------------------------------------------------------------------
    "name/unused-data": Code(
        "warning",
        Words("数据 {name} 从来没有被读取", "the data {name} are never read"),
        Words("删掉它，或在 outputs 里给出", "delete them, or hand them out under outputs"),
    ),
    "name/never-set": Code(
        "warning",
        Words("没有步骤给 {name} 赋值，它一直是 {value}", "{name} is never set; it stays {value}"),
        Words("用 set 或 collect 给它赋值；不需要就删掉它", "set it with set or collect, or delete it"),
    ),
    "name/unused-input": Code(
        "warning", Words("输入 {name} 从来没有被读取", "the input {name} is never read"), Words("删掉它", "delete it")
    ),
    "name/unused-local": Code(
        "warning", Words("{name} 从来没有被读取", "{name} is never read"), Words("删掉这个名称", "delete this name")
    ),
    "name/unread-output": Code(
        "note",
        Words("没有表达式读规则 {rule} 的结果 {name}", "no expression reads the output {name} of the rule {rule}"),
        Words("用上它；别的流程也不用时从规则里删掉", "use it, or remove it where no other workflow reads it either"),
    ),
    "name/unused-gate": Code(
        "warning",
        Words("门禁 {name} 没有用在任何地方", "the gate {name} is used nowhere"),
        Words(
            "写进 enter 或某条转移的 gates，或删掉它", "name it in enter or in the gates of a transition, or delete it"
        ),
    ),
    "name/unused-block": Code(
        "warning",
        Words("步骤块 {name} 没有用在任何地方", "the block {name} is used nowhere"),
        Words("删掉它", "delete it"),
    ),
}

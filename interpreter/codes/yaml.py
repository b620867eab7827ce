"""Codes of the phase `yaml`: files, characters, and lines that YAML does not read as they were meant."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

_SAVE = Words(
    "在编辑器里选择“另存为”，编码选 UTF-8，再试一次",
    "in the editor choose “Save as” with the encoding UTF-8, then try again",
)
_LINE = Words("这一行写成：{line}", "write the line as: {line}")

CODES: dict[str, Code] = {
    # --- files --------------------------------------------------------------------------------------------------------
    "yaml/file-missing": Code(
        "error",
        Words("找不到文件 {name}", "there is no file {name}"),
        Words("检查路径和文件名的拼写", "check the path and the spelling of the name"),
    ),
    "yaml/file-is-device": Code(
        "error",
        Words("{name} 是设备或管道，不是文件", "{name} is a device or a pipe, not a file"),
        Words("把内容存成一个文件，再写它的名称", "save the text in a file, and give the name of that"),
    ),
    "yaml/file-is-folder": Code(
        "error",
        Words("{name} 是文件夹，不是文件", "{name} is a folder, not a file"),
        Words("写出文件夹里那个 YAML 文件的名称", "give the name of the YAML file in it"),
    ),
    "yaml/file-unreadable": Code(
        "error",
        Words("无法读取 {name}：{reason}", "{name} cannot be read: {reason}"),
        Words("检查文件的读取权限", "check the rights of the file"),
    ),
    "yaml/encoding": Code(
        "error",
        Words("{name} 的编码是 {encoding}，这里只读 UTF-8", "{name} is encoded as {encoding}; only UTF-8 is read"),
        _SAVE,
    ),
    "yaml/not-utf-8": Code(
        "error",
        Words(
            "{name} 第 {line} 行有不属于 UTF-8 的字节 {byte}",
            "line {line} of {name} holds the byte {byte}, which is not UTF-8",
        ),
        _SAVE,
    ),
    "yaml/too-large": Code(
        "error",
        Words("文档超过 {limit} 个字符", "the document has more than {limit} characters"),
        Words("把它拆成几个文档", "split it into several documents"),
    ),
    # --- characters ---------------------------------------------------------------------------------------------------
    "yaml/control-character": Code(
        "error",
        Words(
            "文档里有不可见字符 {mark}（共 {count} 处）",
            "the document holds the invisible character {mark} ({count} in all)",
        ),
        Words(
            "删掉它；如果确实需要，在双引号里写成 \\u 转义",
            "delete it; where it is really needed write it as a \\u escape in double quotes",
        ),
    ),
    "yaml/tab": Code(
        "error",
        Words("这里有制表符（Tab）{others_zh}", "a tab stands here{others_en}"),
        Words("改用空格：{line}", "use blanks: {line}"),
    ),
    "yaml/full-width": Code(
        "error",
        Words("这里是全角符号，应当用半角：{marks}", "full-width characters where half-width ones belong: {marks}"),
        _LINE,
    ),
    # --- lines that YAML refuses or cuts ------------------------------------------------------------------------------
    "yaml/value-needs-quotes": Code(
        "error",
        Words(
            "这个值里有“{found}”，YAML 不会照原样读取它，要加引号",
            "YAML does not read this value as it stands, because of `{found}`; it needs quotes",
        ),
        _LINE,
    ),
    "yaml/quote-inside": Code(
        "error",
        Words(
            "引号 {mark} 在文字里面又出现，YAML 把它当成结尾",
            "the quotation mark {mark} also stands inside the text, and YAML ends the text there",
        ),
        _LINE,
    ),
    "yaml/key-in-value": Code(
        "error",
        Words(
            "“{key}:”看起来是另一个键，却写在值里面",
            "`{key}:` looks like a key of its own, but stands inside a value",
        ),
    ),
    "yaml/unknown-escape": Code(
        "error",
        Words("双引号里不能写 {escape}：{why_zh}", "{escape} cannot stand in double quotes: {why_en}"),
    ),
    "yaml/path-with-escape": Code(
        "warning",
        Words(
            "{escape} 在双引号里是一个转义，而这里像是 Windows 路径",
            "{escape} is an escape in double quotes, and this looks like a path of Windows",
        ),
    ),
    "yaml/bracket-in-comment": Code(
        "error",
        Words(
            "“{mark}”的右括号在注释里：空格加 # 之后的内容都不算数",
            "the bracket that closes `{mark}` stands in a comment: what follows a blank and # does not count",
        ),
        Words("把带 # 的文字放进引号：{text}", "put the text with the # between quotation marks: {text}"),
    ),
    "yaml/conflict-marker": Code(
        "error",
        Words(
            "这里是合并冲突的标记，冲突还没有解决（到第 {last} 行）",
            "this marks a merge conflict that is not resolved (it ends in line {last})",
        ),
        Words(
            "留下要用的一半，删掉另一半和 <<<<<<<、=======、>>>>>>> 三行",
            "keep the half that is wanted, delete the other half and the lines <<<<<<<, ======= and >>>>>>>",
        ),
    ),
    "yaml/maybe-comment": Code(
        "warning",
        Words("“#{rest}”被当作注释，不属于这个值", "`#{rest}` is read as a comment and is not part of this value"),
        Words(
            "如果它属于这个值，写成：{line}；如果是注释，在 # 后面加一个空格",
            "where it belongs to the value write: {line}; where it is a comment put a blank after the #",
        ),
    ),
    "yaml/unclosed-quote": Code(
        "error",
        Words(
            "这里的引号 {mark} 没有结尾，或结尾之后还有别的内容",
            "the quotation mark {mark} that opens here has no end, or something follows its end",
        ),
        Words(
            "补上结尾的 {mark}；如果引号本身是文字的一部分，把整个值放进另一种引号",
            "add the closing {mark}; where the mark is part of the text put the whole value into the other kind",
        ),
    ),
    "yaml/unclosed-bracket": Code(
        "error",
        Words("这里的“{mark}”没有对应的右括号", "the `{mark}` that opens here is never closed"),
        Words(
            "补上右括号；如果括号是文字的一部分，把整个值放进引号",
            "add the closing bracket; where it is part of a text put the whole value between quotation marks",
        ),
    ),
    "yaml/no-blank-after-colon": Code(
        "error", Words("“{key}:”的冒号后面少了一个空格", "a blank is missing after the colon of `{key}:`"), _LINE
    ),
    "yaml/too-deep": Code(
        "error",
        Words("这一行缩进太深：上一行的键已经有值了", "indented too deep: the key above already has a value"),
        Words("从第 {column} 列开始写", "begin it in column {column}"),
    ),
    "yaml/indentation": Code(
        "error",
        Words("这一行的缩进与上面各行都对不上", "the indentation of this line fits no line above"),
        Words("从第 {column} 列开始写", "begin it in column {column}"),
    ),
    "yaml/item-indentation": Code(
        "error",
        Words(
            "这个列表项从第 {found} 列开始，它旁边的各项从第 {column} 列开始",
            "this list item begins in column {found}, the items beside it in column {column}",
        ),
        Words(
            "从第 {column} 列开始写，它下面的行跟着移动",
            "begin it in column {column}, and move the lines below it along",
        ),
    ),
    "yaml/comment-inside": Code(
        "error",
        Words(
            "这条注释夹在一个值的几行中间，YAML 在它前面就结束了这个值",
            "this comment stands between the lines of one value, and YAML ends the value before it",
        ),
        Words(
            "把注释移到这个键上面的一行；如果 # 属于文字，把整个值放进引号",
            "move the comment to a line above the key; where the # is part of the text put the whole value between "
            "quotation marks",
        ),
    ),
    "yaml/block-indentation": Code(
        "error",
        Words(
            "这一行属于“{header}”下面的文字，却缩进得不够",
            "this line belongs to the text below `{header}`, but does not stand deep enough",
        ),
        Words("从第 {column} 列开始写", "begin it in column {column}"),
    ),
    "yaml/block-header": Code(
        "error",
        Words(
            "“{mark}”后面的文字要从下一行开始",
            "the text after `{mark}` has to begin on the next line",
        ),
        Words(
            "这一行只留到“{mark}”为止，文字写在下一行；如果 {mark} 属于文字，把整个值放进引号",
            "end this line with `{mark}` and begin the text on the next one; where the {mark} is part of the text put "
            "the whole value between quotation marks",
        ),
    ),
    "yaml/no-blank-after-dash": Code(
        "error", Words("列表项的“-”后面少了一个空格", "a blank is missing behind the `-` of this list item"), _LINE
    ),
    "yaml/bullet": Code(
        "error",
        Words("列表项以“- ”开头，不是“{mark}”", "a list item begins with `- `, not with `{mark}`"),
        _LINE,
    ),
    "yaml/list-beside-key": Code(
        "error",
        Words("列表的第一项写在了键的同一行", "the first item of this list stands on the line of its key"),
        Words("让它另起一行，从第 {column} 列开始写", "give it a line of its own, from column {column} on"),
    ),
    "yaml/item-among-keys": Code(
        "error",
        Words("这里是列表项，而旁边都是“键: 值”", "this is a list item, and beside it stand keys with values"),
        Words(
            "列表要写在一个键的下面：上一行写出键和冒号，再缩进各项",
            "a list stands below a key: write the key and a colon on the line above, and indent the items",
        ),
    ),
    "yaml/no-item": Code(
        "error",
        Words("旁边都是列表项，这一行却不是", "list items stand beside this line, and it is none"),
        Words(
            "让它以“- ”开头，或缩进到上面那一项里",
            "begin it with `- `, or indent it so that it belongs to the item above",
        ),
    ),
    "yaml/key-missing": Code(
        "error",
        Words("这个冒号前面没有键", "no key stands before this colon"),
        Words("在冒号前写出键，或删掉这一行", "write the key before the colon, or delete the line"),
    ),
    "yaml/missing-comma": Code(
        "error",
        Words("这里与前一个值之间少了逗号", "a comma is missing between this and the value before it"),
        Words(
            "在两者之间加逗号；如果它们是一段文字，把整段放进引号",
            "put a comma between the two; where they are one text put all of it between quotation marks",
        ),
    ),
    "yaml/extra-comma": Code("error", Words("这个逗号前面没有值", "no value stands before this comma"), _LINE),
    "yaml/unopened-bracket": Code(
        "error",
        Words("这里的“{mark}”没有对应的左括号", "the `{mark}` here closes nothing"),
        _LINE,
    ),
    "yaml/markdown-fence": Code(
        "error",
        Words("“```”是 Markdown 的写法，不属于 YAML", "``` belongs to Markdown, not to YAML"),
        Words("删掉以 ``` 开头的行", "delete the lines that begin with ```"),
    ),
    "yaml/document-end": Code(
        "error",
        Words("... 表示文档到此结束，而下面还有内容", "... says that the document ends here, and more follows"),
        Words("删掉这一行", "delete the line"),
    ),
    "yaml/syntax": Code(
        "error",
        Words("YAML 无法读取这里：{reason}", "YAML cannot read this: {reason}"),
        Words(
            "检查这一行和上一行的缩进、引号和括号",
            "look at indentation, quotation marks and brackets of this line and the one above",
        ),
    ),
    # --- structure ----------------------------------------------------------------------------------------------------
    "yaml/empty-document": Code(
        "error",
        Words("文档是空的", "the document is empty"),
        Words(
            "第一行写出文档的种类，例如 workflow: my_flow",
            "say on the first line what it is, for example workflow: my_flow",
        ),
    ),
    "yaml/second-document": Code(
        "error",
        Words("一个文件只能有一个文档，这里的 --- 又开始了一个", "a file holds one document; this --- begins another"),
        Words(
            "把第二个文档放进自己的文件，或删掉这一行", "put the second one into a file of its own, or delete the line"
        ),
    ),
    "yaml/directive": Code(
        "error", Words("不能使用 % 指令", "% directives are not allowed"), Words("删掉这一行", "delete the line")
    ),
    "yaml/duplicate-key": Code(
        "error",
        Words(
            "键 {key} 出现了两次：第 {first} 行和第 {second} 行",
            "the key {key} is given twice, in lines {first} and {second}",
        ),
        Words("合并这两处，或删掉其中一处", "merge the two or delete one"),
    ),
    "yaml/look-alike": Code(
        "warning",
        Words(
            "“{text}”看起来和第 {line} 行的一样，却是另一个文本：这里是 {here}，那里是 {there}",
            "“{text}” looks like the one in line {line}, but is another text: {here} stands here, {there} stands there",
        ),
        Words(
            "从那一行复制过来；确实要两个不同的文本，就加双引号，用转义写出这个字符",
            "copy it from there; where two texts are meant, write that character as an escape between double quotes",
        ),
    ),
    "yaml/key-not-text": Code(
        "error",
        Words("键必须是文字，{key} 不是", "a key must be text, which {key} is not"),
        Words("写成 {near}", "write it as {near}"),
    ),
    "yaml/key-without-value": Code(
        "error",
        Words("这里只有“{key}”，没有冒号和值", "`{key}` stands here without a colon and a value"),
        Words(
            "写成“{key}: 值”；如果它是前一个值的一部分，给整个值加引号",
            "write `{key}: value`; where it is part of the value before it put that value between quotation marks",
        ),
    ),
    "yaml/tag": Code(
        "error",
        Words("不能使用 YAML 标签 {tag}", "the YAML tag {tag} is not allowed"),
        Words(
            "删掉标签；如果它是文字，把整个值放进引号",
            "delete it; where it is text put the whole value between quotation marks",
        ),
    ),
    "yaml/merge-key": Code(
        "error",
        Words("合并键 << 只能并入键和值", "the merge key << takes in keys with values and nothing else"),
        Words(
            "写成 <<: *名称，该名称是 &名称 命名的键和值；或把条目直接写在这里",
            "write <<: *name, where &name names keys with values; or write the entries out here",
        ),
    ),
    "yaml/unknown-alias": Code(
        "error",
        Words("没有名为 {alias} 的锚点", "there is no anchor with the name {alias}"),
        Words(
            "先用 &{alias} 定义它；如果 * 是文字的一部分，把整个值放进引号",
            "define it with &{alias} first; where the * is part of a text put the whole value between quotation marks",
        ),
    ),
    "yaml/anchor-twice": Code(
        "error",
        Words(
            "锚点 &{anchor} 已经有了：从这里起 *{anchor} 指的是另一个值",
            "there is an anchor &{anchor} already: from here on *{anchor} means another value",
        ),
        Words("换一个名称", "choose another name"),
    ),
    "yaml/unused-anchor": Code(
        "warning",
        Words(
            "锚点 &{anchor} 没有被使用，也不属于这个值",
            "the anchor &{anchor} is not used, and it is not part of the value",
        ),
        Words(
            "删掉它；如果它是文字的一部分，把整个值放进引号",
            "delete it; where it is part of the text put the whole value between quotation marks",
        ),
    ),
    "yaml/alias-inside-itself": Code(
        "error",
        Words("*{alias} 引用了包含它自己的部分", "*{alias} refers to the part that it stands in"),
        Words("把要重复的内容移到别处", "move what is to be repeated elsewhere"),
    ),
    "yaml/too-many-aliases": Code(
        "error",
        Words("别名展开后超过 {limit} 个节点", "the aliases stand for more than {limit} nodes"),
        Words("减少别名的使用", "use fewer aliases"),
    ),
    "yaml/too-deeply-nested": Code(
        "error",
        Words("嵌套超过 {limit} 层", "the nesting is deeper than {limit}"),
        Words("减少嵌套层次", "nest less deeply"),
    ),
    # --- values -------------------------------------------------------------------------------------------------------
    "yaml/number-too-long": Code(
        "error",
        Words("数字超过 {limit} 位", "the number has more than {limit} digits"),
        Words("如果它是编号，放进引号当作文字", "where it is an identifier put it between quotation marks"),
    ),
    "yaml/surprise": Code(
        "warning",
        Words(
            "{value} 在这里是文字，{why_zh}",
            "{value} is text here; {why_en}",
        ),
        Words('加上引号："{value}"', 'put it between quotation marks: "{value}"'),
    ),
}

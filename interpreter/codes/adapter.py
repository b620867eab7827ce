"""Codes about profiles and the adapters that they name."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    # --- profiles that stand on others --------------------------------------------------------------------------------
    "tool/profile-on-itself": Code(
        "error",
        Words("profile 以自己为底：{road}", "the profile stands on itself: {road}"),
        Words("从 extends 里去掉一个，让这条路走到头", "take one of them out of extends, so that the road ends"),
    ),
    "tool/profiles-too-deep": Code(
        "error",
        Words(
            "profile 一个接一个超过 {at_most} 层：{road}", "more than {at_most} profiles stand on one another: {road}"
        ),
        Words("把几层合成一层", "make one profile of several of them"),
    ),
    "tool/answered-twice": Code(
        "error",
        Words("{first} 和 {second} 都回答 {tool}", "{first} and {second} both answer {tool}"),
        Words(
            "在 tools 下写明用哪一个：{tool}: {as_in: {second}}（或 {first}），或写自己的一项",
            "say under tools which one is meant: {tool}: {as_in: {second}} (or {first}), or write an entry of its own",
        ),
    ),
    "tool/setting-twice": Code(
        "error",
        Words("{first} 和 {second} 都声明了设置 {name}", "{first} and {second} both declare the setting {name}"),
        Words(
            "含义不同就给其中一个改名；含义相同就在这里声明一次，两处用同一个值",
            "rename one where they mean different things; else declare it here, and one value serves both",
        ),
    ),
    "tool/setting-declared-otherwise": Code(
        "error",
        Words(
            "设置 {name} 的声明与 {profile} 里的不同",
            "the setting {name} is declared otherwise than in {profile}",
        ),
        Words(
            "类型照那里写（默认值和标题可以不同），或换一个名称",
            "write the type as it stands there (default and title may differ), or choose another name",
        ),
    ),
    "tool/as-in-nowhere": Code(
        "error",
        Words("extends 里没有回答 {tool} 的 profile {profile}", "no profile {profile} under extends answers {tool}"),
    ),
    "tool/more-exact-below": Code(
        "warning",
        Words(
            "{pattern} 管不到 {tools}：下层 profile 写了这些工具自己的回答",
            "{pattern} does not reach {tools}: a profile that this one extends names it",
        ),
        Words(
            "也在这里写上它；要保留那里的回答就写 {as_in: 那个 profile}",
            "name it here too, with {as_in: PROFILE} where the answer of that profile is to stay",
        ),
    ),
    "tool/unknown-setting": Code(
        "error", Words("profile {profile} 没有设置 {name}", "profile {profile} has no setting {name}")
    ),
    "tool/setting-missing": Code(
        "error",
        Words("profile {profile} 需要设置 {name}", "profile {profile} needs the setting {name}"),
        Words("加上 --set settings.{name}=…", "add --set settings.{name}=…"),
    ),
    "tool/setting-not-evaluated": Code(
        "error",
        Words("{tool} 的设置无法求值：{reason_zh}", "a setting of {tool} could not be evaluated: {reason_en}"),
    ),
    "tool/unknown-adapter-setting": Code(
        "error", Words("适配器 {adapter} 没有设置 {name}", "the adapter {adapter} has no setting {name}")
    ),
    "tool/adapter-setting-missing": Code(
        "error",
        Words("{tool} 的适配器 {adapter} 需要设置 {name}", "the adapter {adapter} of {tool} needs the setting {name}"),
        Words("在 settings 下写 {name}: …", "write {name}: … under its settings"),
    ),
    "tool/adapter-setting-unfit": Code(
        "error",
        Words("适配器 {adapter} 的设置 {name} 不合要求", "the setting {name} of the adapter {adapter} does not fit"),
        Words("需要：{wanted_zh}", "wanted: {wanted_en}"),
    ),
    "tool/key-missing": Code(
        "error",
        Words("环境变量 {name} 里没有密钥", "the environment variable {name} holds no key"),
        Words("先执行 export {name}=…，再运行", "set it before the run: export {name}=…"),
    ),
    "tool/key-unfit": Code(
        "error",
        Words("环境变量 {name} 里的内容不能作密钥", "what the environment variable {name} holds cannot be a key"),
        Words("检查是否带有空格、换行或中文", "look for spaces, line breaks or other characters that do not belong"),
    ),
    "tool/prompt-missing": Code(
        "error",
        Words(
            "{tool} 的契约没有 prompt，适配器 model 不知道要做什么", "the contract of {tool} has no prompt for a model"
        ),
        Words("在契约里写 prompt: {system: …, user: …}", "write prompt: {system: …, user: …} in the contract"),
    ),
    "tool/answer-missing": Code(
        "error",
        Words("{tool} 用 compute 回答，却没有写 answer", "{tool} is answered by compute, which needs an answer"),
        Words("在 adapter 旁边写上 answer: …", "write answer: … beside adapter"),
    ),
    "tool/prompt-not-fenced": Code(
        "warning",
        Words(
            "{expression} 是外来的文字，没有围栏就进入提示词",
            "{expression} is text from outside and enters the prompt without a fence",
        ),
        Words("写成 {fence}", "write {fence}"),
    ),
    "tool/fence-of-no-text": Code(
        "error",
        Words("fence 围的是文本，{expression} 不是文本", "fence takes a text, and {expression} is none"),
        Words("写成 {expression} | to_json", "write {expression} | to_json"),
    ),
    "tool/argument-perhaps-left-out": Code(
        "warning",
        Words(
            "契约没有要求 {name}：调用不给它时，请求就写不出来",
            "the contract does not require {name}: no request can be made for a call that leaves it out",
        ),
        Words(
            "为不给的情形写成 {instead}；或在契约的 required 里写上 {name}",
            "write {instead} for calls that leave it out; or list {name} under required",
        ),
    ),
    "tool/not-in-every-answer": Code(
        "warning",
        Words(
            "成功的回答里很可能没有 {part}：那样这个 when 无法求值，成功的回答也算失败",
            "a successful answer probably lacks {part}: then this when has no value, and success counts as failure",
        ),
        Words(
            "前面加上 {part} is present and …，或写成 (… | default(''))",
            "write {part} is present and … in front, or (… | default(''))",
        ),
    ),
    "tool/data-in-address": Code(
        "error",
        Words(
            "{tool} 的 {name} 里有数据；服务在哪里只能由 profile 和它的 settings 决定",
            "{name} of {tool} reads data, but only the profile and its settings may say where a service is",
        ),
        Words("把数据写在 request 的 path、query 或正文里", "put data into path, query or body of the request"),
    ),
    "tool/request-part-unknown": Code(
        "error",
        Words("适配器 {adapter} 的 request 里没有 {name}", "the request of the adapter {adapter} has no {name}"),
        Words("可以写：{known}", "it takes: {known}"),
    ),
    "tool/key-of-another-adapter": Code(
        "error",
        Words(
            "适配器 {adapter} 不读 {name}：写在这里没有作用",
            "the adapter {adapter} does not read {name}: it has no effect here",
        ),
        Words("删掉它；这里可以写：{known}", "delete it; what may stand here: {known}"),
    ),
    "tool/two-bodies": Code(
        "error",
        Words("{tool} 的 request 同时有 json 和 form", "the request of {tool} has both json and form"),
        Words("只留一个", "keep one of them"),
    ),
    "tool/header-not-settable": Code(
        "error",
        Words("不能写请求头 {name}", "the header {name} cannot be set here"),
        Words(
            "凭据写在 settings 的 bearer_from、basic_from 或 secret_headers 里",
            "credentials belong into bearer_from, basic_from or secret_headers of the settings",
        ),
    ),
    "tool/key-in-query": Code(
        "warning",
        Words(
            "查询参数 {name} 像是密钥，而它的值会被记录和显示",
            "{name} in the query looks like a key, and its value is recorded and shown",
        ),
        Words(
            "密钥写在 settings 的 secret_query 里：{name}: 环境变量名称",
            "write it under secret_query of the settings: {name}: NAME_OF_THE_VARIABLE",
        ),
    ),
    "tool/header-from-data": Code(
        "warning",
        Words("请求头 {name} 取自数据", "the header {name} is made from data"),
        Words(
            "数据写在 query 或正文里更好；含换行或非 ASCII 字符的值会被拒绝",
            "query or body take any text; a header with line breaks or other than ASCII is refused",
        ),
    ),
    "tool/header-is-a-note": Code(
        "error",
        Words(
            "{name} 以 x- 开头，是备注，不会作为请求头发出",
            "{name} begins with x-, which makes it a note; it is not sent",
        ),
        Words("写成 {better}", "write {better}"),
    ),
    "tool/for-each-writes": Code(
        "error",
        Words(
            "{tool} 不能用 for_each：它只用于 http 的读取", "{tool} cannot use for_each, which is for http and reading"
        ),
        Words("在流程里用 each 逐项调用", "call it for each entry in the workflow"),
    ),
    "tool/extra-missing": Code(
        "error",
        Words(
            "{tool} 的适配器 {adapter} 需要另外安装的部分",
            "the adapter {adapter} of {tool} needs a part to be installed",
        ),
        Words("运行 pip install 'workflow-interpreter[{extra}]'", "run pip install 'workflow-interpreter[{extra}]'"),
    ),
    "tool/program-not-literal": Code(
        "error",
        Words(
            "{tool} 的程序必须直接写出来，不能由数据或设置决定",
            "the program of {tool} must be written out; neither data nor a setting chooses it",
        ),
        Words("写成 program: 程序名，不含 {{ … }}", "write program: with a name, without {{ … }}"),
    ),
    "tool/argv-missing": Code(
        "error",
        Words(
            "{tool} 由程序回答，却没有写它的参数",
            "{tool} is answered by a program, but its arguments are not written",
        ),
        Words("写 request: {argv: [ … ]}；没有参数就写 []", "write request: {argv: [ … ]}, or [] where it takes none"),
    ),
    "tool/argv-unfit": Code(
        "error",
        Words(
            "argv 的一项要有 flag、value、json 之一；value 和 json 不同时写",
            "an entry of argv needs one of flag, value and json; value and json do not go together",
        ),
        Words(
            "写一段文本，或 {flag: --名称, value: …}、{flag: --名称, json: …}、{flag: --名称, when: …}",
            "write a text, or {flag: --name, value: …}, {flag: --name, json: …}, {flag: --name, when: …}",
        ),
    ),
    "tool/command-through-shell": Code(
        "error",
        Words("程序不能经由 {program} -c 启动", "a program is not started through {program} -c"),
        Words("直接写程序和它的参数，每个参数一项", "write the program itself and its arguments, one entry each"),
    ),
    "tool/data-as-flag": Code(
        "error",
        Words("数据不能成为选项的名称", "data may not be the name of a flag"),
        Words("写成 {flag: --名称, value: …}", "write {flag: --name, value: …}"),
    ),
    "tool/data-as-file": Code(
        "error",
        Words(
            "{name} 表示读取本机的文件，不能由数据填写",
            "{name} reads a file of this machine and may not be filled from data",
        ),
        Words("改用直接给值的参数，或写成固定的路径", "use a parameter that takes the value itself, or a fixed path"),
    ),
    "tool/data-after-file-mark": Code(
        "error",
        Words(
            "数据前面的“{mark}”让许多程序去读取数据所说的文件",
            "the {mark} in front of the data makes many programs read the file that the data names",
        ),
        Words("去掉它，直接给值", "leave it out, and give the value itself"),
    ),
    "tool/file-beside-data": Code(
        "error",
        Words(
            "{name} 表示读取本机的文件，它旁边有数据，所以每次调用都会被拒绝",
            "{name} reads a file of this machine and stands beside data, so every call would be refused",
        ),
        Words("把文件写成单独的固定参数", "give the file as a fixed argument of its own"),
    ),
    "tool/variable-not-literal": Code(
        "error",
        Words(
            "环境变量 {name} 决定程序加载或启动什么，不能由设置填写",
            "the environment variable {name} decides what a program loads or starts, and may not come from a setting",
        ),
        Words("直接写出它的值", "write its value out"),
    ),
    "tool/data-as-code": Code(
        "error",
        Words(
            "{name} 可能把这里的数据或设置当作程序来执行",
            "{name} might execute the data or the setting that stands here",
        ),
        Words(
            "先直接写出脚本或要启动的程序，再把数据作为它自己的参数传入",
            "write out the script, or the program that is started; give the data after it as an argument of its own",
        ),
    ),
    "tool/check-writes": Code(
        "error",
        Words("checks 里的 {tool} 不是只读的", "{tool} under checks does more than read"),
        Words("只写 effect: read 的工具", "name tools with effect: read only"),
    ),
    "tool/recorder-of-nothing": Code(
        "error",
        Words("{tool} 的 recorder 没有写录谁的回答", "the recorder of {tool} does not say whose answers it records"),
        Words("写 of: {adapter: …, …}", "write of: {adapter: …, …}"),
    ),
    "tool/adapter-not-available": Code(
        "error", Words("{tool} 的适配器 {adapter} 还不可用", "the adapter {adapter} of {tool} is not available")
    ),
    "tool/unknown-adapter": Code(
        "error", Words("没有适配器 {name}（用于 {tool}）", "there is no adapter {name} (for {tool})")
    ),
    "tool/adapter-refused": Code(
        "error", Words("适配器 {name} 不接受设置：{reason_zh}", "the adapter {name} refuses its settings: {reason}")
    ),
}

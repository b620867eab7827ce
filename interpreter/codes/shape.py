"""Codes of the phase `shape`."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    "shape/unknown-document": Code(
        "error",
        Words(
            "文档的第一个键说明它是哪一种，不能是“{key}”",
            "the first key of a document says its kind; “{key}” is no kind",
        ),
    ),
    "shape/kind-not-first": Code(
        "error",
        Words("“{key}”要写在文档的最前面", "“{key}” must be the first key of the document"),
        Words("把这一行移到最前面", "move this line to the top"),
    ),
    "shape/not-a-document": Code(
        "error",
        Words(
            "文档要由键和值组成，这里是{found_zh}",
            "a document is made of keys and values; here is {found_en}",
        ),
        Words(
            "第一行写种类和名称，例如 workflow: my_workflow",
            "write kind and name in the first line, such as workflow: my_workflow",
        ),
    ),
    "shape/unknown-key": Code("error", Words("不认识的键“{key}”", "unknown key “{key}”")),
    "shape/misplaced-key": Code("error", Words("这里不能写“{key}”", "“{key}” may not stand here")),
    "shape/missing-key": Code("error", Words("{place_zh}缺少“{key}”", "{place_en} lacks “{key}”")),
    "shape/missing-one-of": Code(
        "error",
        Words("{place_zh}至少要写一个：{keys_zh}", "{place_en} lacks {keys_en}"),
    ),
    "shape/needs-key": Code(
        "error",
        Words("写了“{key}”就要写“{needed}”", "“{key}” needs “{needed}” beside it"),
    ),
    "shape/wrong-kind": Code(
        "error",
        Words(
            "{place_zh}要写{wanted_zh}，这里是{found_zh}",
            "{place_en} wants {wanted_en}, but here is {found_en}",
        ),
    ),
    "shape/looks-like-another-kind": Code(
        "error",
        Words(
            "{place_zh}要写{wanted_zh}，但“{word}”在这里只是文本",
            "{place_en} wants {wanted_en}, but “{word}” is only a text here",
        ),
    ),
    "shape/not-among": Code(
        "error",
        Words("{place_zh}不能是{found_zh}", "{place_en} cannot be {found_en}"),
    ),
    "shape/wrong-form": Code(
        "error",
        Words("“{value}”不是{wanted_zh}", "“{value}” is not {wanted_en}"),
    ),
    "shape/out-of-range": Code(
        "error",
        Words("{place_zh}是 {value}，{limit_zh}", "{place_en} is {value}, but {limit_en}"),
    ),
    "shape/empty": Code(
        "error",
        Words("{place_zh}不能是空的", "{place_en} may not be empty"),
    ),
    "shape/no-verb": Code(
        "error",
        Words("这一项（{what_zh}）没有说明做什么", "this entry ({what_en}) does not say what it is"),
        Words("写上其中之一：{verbs}", "write one of: {verbs}"),
    ),
    "shape/unknown-verb": Code(
        "error",
        Words("{what_zh}里不认识的键“{key}”", "unknown key “{key}” in this {what_en}"),
    ),
    "shape/several-verbs": Code(
        "error",
        Words(
            "一项（{what_zh}）里只能有一个：{verbs}",
            "one {what_en} may hold only one of these: {verbs}",
        ),
        Words("分成几项来写", "write them as separate entries"),
    ),
}

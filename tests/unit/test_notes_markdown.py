"""Markdown to blocks, lines to text and XML: a table of cases, and any text at all."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.adapters.notes.blocks import all_of, as_xml, identified, read_blocks
from interpreter.adapters.notes.inline import links_in, plain, tags_in, xml


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read_blocks(text)]


# Markdown ; the blocks as (type, text)
BLOCKS: list[tuple[str, list[tuple[str, str]]]] = [
    ("", []),
    ("\n\n \n", []),
    ("一行\n两行\n\n三行", [("paragraph", "一行\n两行"), ("paragraph", "三行")]),
    ("甲\r\n\r\n乙\r丙", [("paragraph", "甲"), ("paragraph", "乙\n丙")]),
    ("# 一\n## 二 ##\n#三\n#### 四#", [("heading", "一"), ("heading", "二"), ("paragraph", "#三"), ("heading", "四#")]),
    ("标题\n===\n小标题\n---\n文", [("heading", "标题"), ("heading", "小标题"), ("paragraph", "文")]),
    ("---\n***\n_ _ _\n--", [("horizontal_rule", "")] * 3 + [("paragraph", "--")]),
    ("- 甲\n* 乙\n+ 丙\n1. 丁\n2) 戊", [("list", name) for name in "甲乙丙丁戊"]),
    ("- 甲\n  接着\n还有\n\n后面", [("list", "甲\n接着\n还有"), ("paragraph", "后面")]),
    ("见 2020\n3. 不是列表", [("paragraph", "见 2020\n3. 不是列表")]),
    ("-不是\n-", [("paragraph", "-不是\n-")]),
    (
        "- [ ] 未\n- [x] 完\n[ ] 光\n[X] 光完\n[] 不是",
        [("list", "未"), ("list", "完"), ("list", "光"), ("list", "光完\n[] 不是")],
    ),
    ("```py\na = 1\n\n# 不是标题\n```\n文", [("code_block", "a = 1\n\n# 不是标题"), ("paragraph", "文")]),
    ("~~~\n```\n~~~~\n文", [("code_block", "```"), ("paragraph", "文")]),
    ("```\n没有结束\n- 甲", [("code_block", "没有结束\n- 甲")]),
    ("`a` 不是围栏\n``` 也不是 ```", [("paragraph", "a 不是围栏\n 也不是 ")]),
    ("> 引\n> 用\n>\n> 二", [("blockquote", "引\n用\n二")]),
    ("> > 深\n> 浅", [("blockquote", "深\n浅")]),
    ("> [!note] 提示\n> 内容", [("highlight_block", "提示\n内容")]),
    ("|a|b|\n|-|:-:|\n|1|2|\n文", [("table", "a | b\n1 | 2"), ("paragraph", "文")]),
    ("a | b\n--- | ---\n1 \\| 2 | 3", [("table", "a | b\n1 | 2 | 3")]),
    ("a | b\n不是表", [("paragraph", "a | b\n不是表")]),
    ("a | b\n--- | --- | ---\n", [("paragraph", "a | b\n--- | --- | ---")]),
    ("![图](x.png)\n\n![[别的笔记]]", [("image", "图"), ("embed", "")]),
    ("文 ![图](x.png)", [("paragraph", "文 图")]),
    ("{{ x }} {% y %} <script>z</script>", [("paragraph", "{{ x }} {% y %} <script>z</script>")]),
]


@pytest.mark.parametrize(("text", "expected"), BLOCKS)
def test_markdown_becomes_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected


# Markdown of one block ; what is said of it
ATTRIBUTES: list[tuple[str, dict[str, Any]]] = [
    ("### 三", {"level": 3}),
    ("- 甲", {"listType": "bullet", "listLevel": 0}),
    ("7. 甲", {"listType": "ordered", "listLevel": 0, "number": 7}),
    ("- [x] 甲", {"listType": "todo", "listLevel": 0, "checked": True}),
    ("1. [ ] 甲", {"listType": "todo", "listLevel": 0, "number": 1, "checked": False}),
    ("```python title=x\n```", {"lang": "python"}),
    ("```\n```", {}),
]


@pytest.mark.parametrize(("text", "expected"), ATTRIBUTES)
def test_blocks_say_what_they_are(text: str, expected: dict[str, Any]) -> None:
    (block,) = read_blocks(text)
    assert block.attrs == expected


def test_levels_of_lists_follow_the_indent_and_begin_again() -> None:
    text = "- 0\n  - 1\n    - 2\n  - 1\n\t- 2\n- 0\n\n文\n\n    - 0"
    listed = [block for block in read_blocks(text) if block.kind == "list"]
    assert [block.attrs["listLevel"] for block in listed] == [int(block.text) for block in listed]


# Markdown ; what a reader sees ; the XML
INLINE = [
    ("普通", "普通", "普通"),
    ("**重**点", "重点", "<strong>重</strong>点"),
    ("*斜* _体_", "斜 体", "<em>斜</em> <em>体</em>"),
    ("~~删~~ ==亮==", "删 亮", '<s>删</s> <span highlight="true">亮</span>'),
    ("**重*斜*点**", "重斜点", "<strong>重<em>斜</em>点</strong>"),
    ("`a*b*c` 与 ``x``", "a*b*c 与 x", '<span code="true">a*b*c</span> 与 <span code="true">x</span>'),
    ("2*3*4 ** 5 snake_case_x", "2*3*4 ** 5 snake_case_x", "2*3*4 ** 5 snake_case_x"),
    ("2**3**4", "2**3**4", "2**3**4"),
    ("\\*不斜\\*", "*不斜*", "*不斜*"),
    ("[文](https://x.example/a?b=1&c)", "文", '<a href="https://x.example/a?b=1&amp;c">文</a>'),
    ("<https://x.example/>", "https://x.example/", '<a href="https://x.example/">https://x.example/</a>'),
    (
        "[[甲]] [[甲|别名]] [[没有]]",
        "甲 别名 没有",
        '<a href="note:id-甲">甲</a> <a href="note:id-甲">别名</a> <a href="note:">没有</a>',
    ),
    ("a<br>b", "a\nb", "a<br/>b"),
    ("<u>线</u> a < b & c > d", "线 a < b & c > d", "线 a &lt; b &amp; c &gt; d"),
    ('<img src=x onerror="y">', '<img src=x onerror="y">', '&lt;img src=x onerror="y"&gt;'),
    ("[x] 与 [ ] 与 **没有结束", "[x] 与 [ ] 与 **没有结束", "[x] 与 [ ] 与 **没有结束"),
    ("坏\x00字\ufffe", "坏\x00字\ufffe", "坏\ufffd字\ufffd"),
]


@pytest.mark.parametrize(("raw", "seen", "markup"), INLINE)
def test_a_line_as_text_and_as_xml(raw: str, seen: str, markup: str) -> None:
    assert plain(raw) == seen
    assert xml(raw, {"甲": "id-甲"}.get) == markup


def test_links_and_tags_of_a_line() -> None:
    raw = "见 [[甲#节|别]]、**[[乙]]**、[丙](../x/丙.md#a)、[网](https://x.example/y.md)；#标签/二 #a-b, #12 `#码`"
    assert list(links_in(raw)) == ["甲#节", "乙", "../x/丙.md#a"]
    assert list(tags_in(raw)) == ["标签/二", "a-b"]


def ids(text: str) -> dict[str, str]:
    return {
        f"{number} {block.text}": block.id for number, block in enumerate(all_of(identified("n", read_blocks(text))))
    }


def test_ids_survive_edits_elsewhere_and_moves() -> None:
    before = identified("n", read_blocks("甲\n\n乙\n\n# 丙\n\n- [ ] 丁"))
    after = identified("n", read_blocks("新\n\n# 丙\n\n丁改\n\n乙\n\n- [x] 丁\n\n甲"))
    known = {block.id: block.text for block in after}
    assert [known.get(block.id) for block in before] == ["甲", "乙", "丙", "丁"]
    assert all(len(block.id) == 10 and block.id.isalnum() and block.id.isascii() for block in before)


def test_equal_blocks_have_ids_of_their_own_and_notes_too() -> None:
    assert len(set(ids("甲\n\n甲\n\n> 甲\n\n- 甲\n\n# 甲\n\n## 甲\n").values())) == 7
    assert identified("n", read_blocks("甲"))[0].id != identified("m", read_blocks("甲"))[0].id


SHOWN = [
    "# ",
    "- ",
    "* ",
    "1. ",
    "> ",
    "| a | b |\n|---|---|\n",
    "**",
    "*",
    "_",
    "==",
    "[x] ",
    "---",
    "===",
    "\n",
]
SHOWN += ["\n\n", "  ", "\t", "<br>", "<u>", "\\", "#标签", "甲", "乙 b", "\x00", "\u2028", "|"]
MARKS = ["```\n", "~~~", "~~", "`", "[[", "]]", "![", "](", ")"]


def texts_of(pieces: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=40).map("".join)


@given(texts_of(SHOWN + MARKS) | st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_becomes_well_formed_blocks_with_ids_of_their_own(text: str) -> None:
    blocks = identified("n", read_blocks(text))
    every = list(all_of(blocks))
    assert len({block.id for block in every}) == len(every)
    for block in blocks:
        ElementTree.fromstring(f"<note>{as_xml(block, lambda name: None)}</note>")


@given(texts_of(SHOWN))
@settings(max_examples=200, deadline=None)
def test_nothing_that_is_shown_gets_lost(text: str) -> None:
    kept = "".join(block.text for block in read_blocks(text))
    assert [letter for letter in kept if letter in "甲乙标"] == [letter for letter in text if letter in "甲乙标"]


HOSTILE = [
    "*" * 200_000,
    "**a " * 50_000,
    "[[" * 100_000,
    "`" * 200_000,
    "<" * 200_000,
    "|" * 100_000 + "\n" + "|-" * 50_000,
]
HOSTILE += [
    "> " * 100_000,
    "- " * 100_000,
    "![" * 100_000,
    "[a](" * 50_000,
    "_a" * 100_000,
    "~~a" * 60_000,
    "==a" * 60_000,
]
HOSTILE += ["\n".join("  " * (n % 500) + "- a" for n in range(5_000)), "#" * 200_000, "\\" * 200_000, "> - # " * 30_000]
HOSTILE += [" " * 200_000 + "x", "1" * 200_000 + ". x", "a | b\n" * 40_000, "- a\n" * 40_000, "`" + "a`" * 100_000]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_take_time_by_their_length(text: str) -> None:
    start = time.process_time()
    blocks = identified("n", read_blocks(text))
    for block in blocks:
        _ = block.text
        as_xml(block, lambda name: None)
        list(links_in(block.raw))
        list(tags_in(block.raw))
    assert time.process_time() - start < 5

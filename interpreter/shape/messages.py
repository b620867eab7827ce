"""The findings of `shape`, one function for each code, and the words in them; knows no schema file."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from interpreter.diagnostics import Diagnostic, Edit, Related, Words, apart, did_you_mean, finding, nearest
from interpreter.kind_words import kind_of_value, meant_kind
from interpreter.shape.hints import for_key, in_one_key, kind_said, of_kind, of_policy, of_steps
from interpreter.source import Span
from interpreter.words import no_latin
from interpreter.yaml_tree import Mapping as MappingNode
from interpreter.yaml_tree import Node, Scalar, half_list, unwrapped
from interpreter.yaml_tree import Sequence as SequenceNode
from rules.look_alikes import latin_looks
from rules.records import NamedTuple

Schema = Mapping[str, Any]
Kinds = frozenset[str]

ALL_KINDS: Kinds = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})
_NAMES_OF_KINDS = {
    "string": Words("文本", "a text"),
    "number": Words("数", "a number"),
    "integer": Words("整数", "a whole number"),
    "boolean": Words("true 或 false", "true or false"),
    "null": Words("null", "null"),
    "array": Words("列表", "a list"),
    "object": Words("键和值", "keys with values"),
}
_TRUE_WORDS = frozenset({"yes", "on", "y", "true", "是", "对", "真"})
_FALSE_WORDS = frozenset({"no", "off", "n", "false", "否", "不", "不是", "假"})
_EXAMPLE = re.compile(r"(例如|such as) [\w-]+$")
_LONGEST_SHOWN = 40
#: What people write for the units of a duration, and how many of the unit one is.
_UNITS = {
    "days": ("d day days 天 日", 1),
    "d of a week": ("w week weeks 周 星期 个星期", 7),
    "hours": ("h hr hrs hour hours 时 小时 个小时 钟头", 1),
    "minutes": ("min mins minute minutes 分 分钟", 1),
    "seconds": ("s sec secs second seconds 秒 秒钟", 1),
}


class Named(NamedTuple):
    """How a message names a node: the key that it stands under, and the keys that may still stand beside that one."""

    words: Words
    key: str = ""
    beside: frozenset[str] = frozenset()

    def entry(self, number: int) -> Named:
        return Named(Words(f"{self.words.zh}的第 {number} 项", f"entry {number} of {self.words.en}"))


DOCUMENT = Named(Words("文档", "the document"))


def under(word: str, beside: Iterable[str] = ()) -> Named:
    return Named(Words(f"“{shown(word)}”", f"“{shown(word)}”"), word, frozenset(beside))


# --- kinds of nodes -----------------------------------------------------------------------------------------


def kind_of_node(node: Node) -> str:
    if isinstance(node, Scalar):
        return kind_of_value(node.value)
    return "array" if isinstance(node, SequenceNode) else "object"


def admits(kinds: Kinds, node: Node) -> bool:
    kind = kind_of_node(node)
    return kind in kinds or (kind == "integer" and "number" in kinds)


# --- findings -----------------------------------------------------------------------------------------------


def not_a_document(node: Node) -> Diagnostic:
    found = _found(node)
    return finding("shape/not-a-document", node.span, found_zh=found.zh, found_en=found.en)


def unknown_document(key: Scalar, kinds: Iterable[str]) -> Diagnostic:
    return finding("shape/unknown-document", key.span, hint=did_you_mean(key.text, kinds), key=shown(key.text))


def kind_not_first(key: Scalar) -> Diagnostic:
    return finding("shape/kind-not-first", key.span, key=key.text)


def unknown_key(
    key: Scalar,
    value: Node,
    allowed: Collection[str],
    named: Named,
    below: str | None = None,
    written: str = "",
    meant: str | None = None,
) -> Diagnostic:
    """Return the finding of an unknown key.

    Shapes: `below` is the key beside it that it belongs under; `meant` the one that it must have been meant to be, and
    `written` its value as that one has it.
    """
    beside = named.key if key.text in named.beside else None
    hint = for_key(key.text, allowed, beside, below, kind=kind_said(value), value=written)
    if meant is not None and hint == did_you_mean(key.text, allowed) and nearest(key.text, [meant]) is None:
        hint = Words(f"写 {meant}:", f"write {meant}:")
    return finding("shape/unknown-key", key.span, hint=hint, key=shown(key.text))


def misplaced_key(key: Scalar, schema: Schema) -> Diagnostic:
    return finding("shape/misplaced-key", key.span, hint=description_of(schema), key=key.text)


def missing_key(span: Span, word: str, schema: Schema, named: Named) -> Diagnostic:
    zh, en = named.words
    return finding("shape/missing-key", span, hint=description_of(schema), key=word, place_zh=zh, place_en=en)


def missing_one_of(span: Span, words: Sequence[str], named: Named) -> Diagnostic:
    zh, en = named.words
    return finding(
        "shape/missing-one-of",
        span,
        place_zh=zh,
        place_en=en,
        keys_zh="、".join(words),
        keys_en=" or ".join(words),
    )


def needs_key(key: Scalar, needed: str, schema: Schema) -> Diagnostic:
    return finding("shape/needs-key", key.span, hint=description_of(schema), key=key.text, needed=needed)


def empty(node: Node, named: Named, schema: Schema) -> Diagnostic:
    zh, en = named.words
    return finding("shape/empty", node.span, hint=description_of(schema), place_zh=zh, place_en=en)


def not_among(node: Scalar, schema: Schema, named: Named, better: Words | None = None) -> Diagnostic:
    """Return the finding of a word that is none of a list. Shapes: `better` is how it is written as a mapping."""
    zh, en = named.words
    found = _found(node)
    meant = meant_kind(node.text)
    is_kind = meant is not None and "string" in schema["enum"] and meant in schema["enum"]
    hint = of_kind(node.text) if is_kind else did_you_mean(node.text, _written(schema["enum"]))
    hint = (of_policy(node.text) if "rule_order" in schema["enum"] else None) or hint
    edit = None
    if node.value is None and node.text == "null" and "null" in schema["enum"]:
        edit = Edit(node.span, '"null"')
        hint = Words('写 "null"，带引号：没有引号的 null 不是文本', 'write "null", in quotes: a bare null is no text')
    if better is not None and not is_kind and nearest(node.text, _written(schema["enum"])) is None:
        hint = Words(f"{better.zh}；{hint.zh}", f"{better.en}; {hint.en}")
    return finding(
        "shape/not-among",
        node.span,
        hint=hint,
        edit=edit,
        place_zh=zh,
        place_en=en,
        found_zh=found.zh,
        found_en=found.en,
    )


def wrong_kind(
    node: Node, kinds: Kinds, schema: Schema, named: Named, better: Words | None, *, may_be_quoted: bool
) -> Diagnostic:
    """Return the finding of a value of another kind. Shapes: `better` is how it is written as what is wanted."""
    if isinstance(node, Scalar) and _with_unit(node.text, schema) is not None:
        return wrong_form(node, schema)
    zh, en = named.words
    found, wanted = _found(node), _wanted(kinds)
    hint = description_of(schema) if "string" in kinds and not may_be_quoted else _how_to_write(node, kinds, schema)
    if "enum" in schema:
        hint = did_you_mean("", _written(schema["enum"]))
    return finding(
        "shape/wrong-kind",
        node.span,
        hint=better or hint or _keys_of(schema) or description_of(schema),
        place_zh=zh,
        place_en=en,
        wanted_zh=apart(f"写{wanted.zh}")[1:],
        wanted_en=wanted.en,
        found_zh=apart(f"是{found.zh}")[1:],
        found_en=found.en,
    )


def looks_like_another_kind(node: Scalar, kinds: Kinds, named: Named) -> Diagnostic:
    """Return the finding of a text that YAML 1.1 would read as the number or word that is wanted here."""
    zh, en = named.words
    wanted = _wanted(kinds)
    plain = plain_spelling(node.text, kinds)
    # `012` may have meant 12 or, in YAML 1.1, 10: that is said and not mended.
    edit = Edit(node.span, plain) if plain is not None and node.surprise != "octal" else None
    return finding(
        "shape/looks-like-another-kind",
        node.span,
        hint=Words(f"写 {plain or wanted.zh}", f"write {plain or wanted.en}"),
        edit=edit,
        place_zh=zh,
        place_en=en,
        wanted_zh=apart(f"写{wanted.zh}")[1:],
        wanted_en=wanted.en,
        word=node.text,
    )


def wrong_form(node: Scalar, schema: Schema, document: Node | None = None) -> Diagnostic:
    """Return the finding of a text of another form. Shapes: an example is taken from `document` where it has one."""
    what = title_of(schema)
    bare = unwrapped(node.text)
    is_wrapped = bare is not None and bare[0] != "{}" and re.search(schema.get("pattern", ""), bare[1]) is not None
    hint = Words(f"写 {bare[1]}", f"write {bare[1]}") if bare is not None and is_wrapped else description_of(schema)
    hint = _with_unit(node.text, schema) or _with_own_example(node.text, schema, hint)
    if schema.get("title", "").endswith("/ Step of a state"):
        hint = of_steps(node.text, document) or hint
    parts = in_one_key(node.text)
    if parts is not None and re.search(schema.get("pattern", ""), parts[0]) is not None:
        name, rows = parts
        hint = Words(f"写成两个键：each: {name} 和 in: {rows}", f"write two keys: each: {name} and in: {rows}")
    zh, en = no_latin(latin_looks(node.text))
    if zh and hint is not None:
        hint = Words(f"{zh}；{hint.zh}", f"{en}; {hint.en}")
    return finding(
        "shape/wrong-form",
        node.span,
        hint=hint,
        value=shown(node.text),
        wanted_zh=what.zh,
        wanted_en=_with_article(what.en),
    )


def out_of_range(node: Scalar, limit: object, named: Named, *, is_least: bool) -> Diagnostic:
    zh, en = named.words
    than = Words("不能小于", "it may not be less than") if is_least else Words("不能大于", "the most is")
    return finding(
        "shape/out-of-range",
        node.span,
        value=node.text,
        place_zh=zh,
        place_en=en,
        limit_zh=f"{than.zh} {limit}",
        limit_en=f"{than.en} {limit}",
    )


def belongs_under(key: str, strays: Sequence[str]) -> Words:
    """Return that keys which stand beside one belong under it."""
    zh, en = "、".join(strays), ", ".join(strays)
    belongs = "belong" if len(strays) > 1 else "belongs"
    return Words(f"{zh} 属于 {key}，要比 {key} 多缩进两格", f"{en} {belongs} under {key}: indent two blanks more")


def no_verb(span: Span, schema: Schema, verbs: Iterable[str]) -> Diagnostic:
    what, listed = title_of(schema), list(verbs)
    hint = Words(f"写上 {listed[0]}", f"write {listed[0]}") if len(listed) == 1 else None
    return finding("shape/no-verb", span, hint=hint, what_zh=what.zh, what_en=what.en, verbs=", ".join(listed))


def unknown_verb(key: Scalar, schema: Schema, verbs: Collection[str]) -> Diagnostic:
    what = title_of(schema)
    hint = for_key(key.text, verbs)
    return finding("shape/unknown-verb", key.span, hint=hint, key=shown(key.text), what_zh=what.zh, what_en=what.en)


def several_verbs(verbs: Sequence[Scalar], schema: Schema, loop: str | None) -> Diagnostic:
    """Return the finding of verbs that stand in one entry. Shapes: `loop` is one that lacks the steps it repeats."""
    what = title_of(schema)
    inner = ", ".join(verb.text for verb in verbs if verb.text != loop)
    hint = Words(
        f"{inner} 写进 {loop} 的 do：do: [{{{inner}: …}}]", f"write {inner} under do of {loop}: do: [{{{inner}: …}}]"
    )
    return finding(
        "shape/several-verbs",
        verbs[1].span,
        hint=hint if loop is not None else None,
        related=[Related(verbs[0].span, Words("第一个在这里", "the first is here"))],
        what_zh=what.zh,
        what_en=what.en,
        verbs=", ".join(verb.text for verb in verbs),
    )


# --- words --------------------------------------------------------------------------------------------------


def title_of(schema: Schema) -> Words:
    """Return the title of a schema as it stands inside a sentence."""
    zh, en = _both(schema["title"])
    return Words(zh, en[:1].lower() + en[1:])


def description_of(schema: Schema) -> Words | None:
    return _both(schema["description"]) if "description" in schema else None


def shown(text: str) -> str:
    """Return a text as one short piece of a message."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…"


def _with_own_example(text: str, schema: Schema, hint: Words | None) -> Words | None:
    """Return a hint that ends with an example with what the text itself would be in place of it, where that fits."""
    own = re.sub(r"\W+", "_", re.sub(r".*/|\.ya?ml$", "", text)).strip("_")  # a document is named without its place
    if hint is None or "pattern" not in schema or re.search(schema["pattern"], own) is None:
        return hint
    return Words(*(_EXAMPLE.sub(rf"\1 {own}", words) for words in hint))


def _with_unit(text: str, schema: Schema) -> Words | None:
    """Return how a number, with or without a word for its unit, is written as a duration; None for other texts."""
    if not schema.get("title", "").endswith("/ Duration"):
        return None
    found = re.fullmatch(r"\s*(\d+)\s*([A-Za-z]*|[\u4e00-\u9fff]*)\s*", text)
    if found is None:
        return None
    number, word = found[1], found[2].lower()
    for unit, (words, times) in _UNITS.items():
        if word in words.split():
            written = f"{int(number) * times}{unit[0]}"
            return Words(f"写 {written}", f"write {written}")
    if word:
        return None
    return Words(
        f"加上单位：{number}d 是天，{number}h 是小时，{number}m 是分钟，{number}s 是秒，{number}ms 是毫秒",
        f"add the unit: {number}d for days, {number}h for hours, {number}m for minutes, {number}s for seconds, "
        f"{number}ms for milliseconds",
    )


def _both(text: str) -> Words:
    zh, _, en = text.partition(" / ")
    return Words(zh, en)


def _written(values: Iterable[object]) -> list[str]:
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


def _wanted(kinds: Kinds) -> Words:
    names = [name for kind, name in _NAMES_OF_KINDS.items() if kind in kinds]
    *others, last = names
    if not others:
        return last
    zh = apart("、".join(name.zh for name in others) + "或" + last.zh)
    return Words(zh, ", ".join(name.en for name in others) + " or " + last.en)


def _found(node: Node) -> Words:
    kind = kind_of_node(node)
    if not isinstance(node, Scalar):
        return _NAMES_OF_KINDS[kind]
    if kind == "null":
        return Words("空值", "nothing")
    text = shown(node.text)
    if kind == "string":
        return Words(f"文本“{text}”", f"the text “{text}”")
    return Words(text, text) if kind == "boolean" else Words(f"数 {text}", f"the number {text}")


def _with_article(name: str) -> str:
    if name.startswith(("one ", "all ")) or name.partition(" of ")[0].endswith("s"):
        return name
    return ("an " if name[0] in "aeiou" else "a ") + name


def _how_to_write(node: Node, kinds: Kinds, schema: Schema) -> Words | None:
    """Return how to write what stands there as a wanted kind; None where that cannot be told."""
    is_left_empty = isinstance(node, Scalar) and node.value is None
    if is_left_empty and kinds == {"object"} and not (schema.get("required") or schema.get("minProperties")):
        return Words("没有键时写 {}，或删掉这个键", "write {} where there are no keys, or leave out the key")
    if isinstance(node, Scalar):
        return _how_to_write_scalar(node, kinds)
    if "string" in kinds:
        return Words("如果是表达式或文本，整个加上引号", "put an expression or a text in quotes as a whole")
    if "array" not in kinds:
        return None
    if isinstance(node, MappingNode) and all(key.text.startswith("-") for key, _ in node.entries):
        return Words("- 后面留一个空格", "put a blank after each -")
    return Words("每一项前面写 - ", "write - before each entry")


def _how_to_write_scalar(node: Scalar, kinds: Kinds) -> Words | None:
    text = shown(node.text)
    is_text = isinstance(node.value, str)
    listed = half_list(node.text) if is_text and "array" in kinds else None
    if listed is not None:
        return Words(f"用半角的方括号：{listed}", f"write half-width brackets: {listed}")
    if node.value is None:
        return Words(f"写上{_wanted(kinds).zh}，或删掉这个键", f"write {_wanted(kinds).en}, or leave out the key")
    if "string" in kinds:
        return Words(f'加上引号："{text}"', f'put it in quotes: "{text}"')
    if is_text and kinds & {"number", "integer"} and re.fullmatch(r"-?\d+(\.\d+)?", text):
        return Words(f"去掉引号：{text}", f"leave out the quotes: {text}")
    if is_text and "boolean" in kinds and text in ("true", "false"):
        return Words(f"去掉引号：{text}", f"leave out the quotes: {text}")
    if is_text and "boolean" in kinds and (plain := plain_spelling(node.text, frozenset({"boolean"}))) is not None:
        return Words(f"写 {plain}", f"write {plain}")
    if "array" in kinds and not isinstance(node.value, bool):
        return Words(f"写成列表：[{text}]", f"write a list: [{text}]")
    if "object" in kinds and is_text:
        return Words("写成 键: 值，冒号后面留一个空格", "write key: value, with a blank after the colon")
    return None


def _keys_of(schema: Schema) -> Words | None:
    """Return which keys a mapping may have; None where it has names of its own."""
    keys = [name for name, below in schema.get("properties", {}).items() if "not" not in below]
    return Words(f"写它的键：{'、'.join(keys)}", f"write its keys: {', '.join(keys)}") if 0 < len(keys) <= 8 else None


def plain_spelling(word: str, kinds: Kinds) -> str | None:
    """Return how a form of YAML 1.1 is written in the language: `yes` is true (so is 是), `012` is 12, `1e3` is 1000.

    None where no wanted kind has such a form.
    """
    if "boolean" in kinds and word.lower() in _TRUE_WORDS | _FALSE_WORDS:
        return "true" if word.lower() in _TRUE_WORDS else "false"
    if "null" in kinds and word.lower() in ("~", "null", "none", "nil"):
        return "null"
    return _plain_number(word) if kinds & {"number", "integer"} else None


def _plain_number(word: str) -> str | None:
    text = word.replace("_", "").removeprefix("+")
    if re.fullmatch(r"-?0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", text):
        return str(int(text, 0))
    if re.fullmatch(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?", text):
        return f"{Decimal(text):f}".removesuffix(".")
    return None

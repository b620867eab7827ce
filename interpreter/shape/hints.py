"""What to write instead of a key, or a value, that the shape of a document has no place for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from interpreter.diagnostics import Words, did_you_mean, nearest
from interpreter.kind_words import kind_of_value, meant_format, meant_kind
from interpreter.yaml_tree import Mapping, Node, Scalar, Sequence

#: Words of other languages of workflows, and the keys here that do what they do; the first that fits counts.
_WORDS_OF_OTHERS = {
    "if": "when choose", "condition": "when that", "only_if": "when", "assert": "that", "check": "that",
    "for": "each", "foreach": "each", "for_each": "each", "with_items": "each in", "while": "repeat", "loop": "repeat",
    "switch": "choose", "else": "otherwise", "on_error": "otherwise", "catch": "otherwise", "rescue": "otherwise",
    "default": "otherwise", "jobs": "states", "stages": "states", "tasks": "states steps",
    "parallel": "at_once pool", "concurrency": "at_once pool", "workers": "at_once pool", "max_parallel": "at_once",
    "continue_on_error": "outcome outcomes", "ignore_errors": "outcome outcomes", "on": "errors", "url": "path",
    "message": "done text", "env": "inputs data with",
    "goto": "next to move_on", "go_to": "next to move_on", "go": "next to move_on", "then": "do next to",
    "next": "to", "target": "to", "transitions": "next", "transition": "next",
    "args": "with", "arguments": "with", "params": "with",
    "parameters": "with", "variables": "with data", "vars": "let data", "register": "as", "into": "as",
    "save_as": "as", "result": "as", "run": "call", "action": "call", "tool": "call", "call": "tool", "name": "id",
    "print": "say", "log": "say", "echo": "say", "question": "ask", "max": "at_most maximum", "limit": "at_most",
    "times": "at_most", "max_iterations": "at_most", "retries": "retry", "options": "choices enum", "body": "do json",
    "choices": "enum", "fields": "properties", "return": "give",
    "prompt": "text", "filter": "where", "timeout": "wait", "如果": "when", "否则": "otherwise", "每个": "each",
    "min": "minimum", "const": "enum", "values": "enum",
    "exclusiveminimum": "minimum", "exclusivemaximum": "maximum", "下一步": "next", "参数": "with",
    "调用": "call", "询问": "ask", "确认": "confirm", "循环": "each", "判断": "choose", "设置": "set", "说": "say",
    "状态": "states", "步骤": "steps", "标题": "title", "标签": "label", "输入": "inputs", "工具": "tools",
}  # fmt: skip
#: Words of other languages of shapes, and how the same is said here.
_SHAPES_OF_OTHERS = {
    "nullable": Words('写 type: [string, "null"]，null 加引号', 'write type: [string, "null"], with null in quotes'),
    "oneof": Words("几个类别写成 type: [string, integer]", "write several kinds as type: [string, integer]"),
    "anyof": Words("几个类别写成 type: [string, integer]", "write several kinds as type: [string, integer]"),
    "allof": Words("把各部分写在一起", "write all of it in one place"),
    "optional": Words(
        "可以没有的字段不写进 required；有 default 的输入可以不给",
        "a field that may be missing is left out of required; an input with a default need not be given",
    ),
}
#: Words for the policy of a decision table: those of DMN, of its letters, and of what is made of all answers.
_POLICIES_OF_OTHERS = {
    "u": "unique", "a": "any", "p": "priority", "f": "first", "r": "rule_order", "o": "output_order", "c": "collect",
    "rule order": "rule_order", "output order": "output_order", "all": "collect", "multiple": "collect",
    "唯一": "unique", "任意": "any", "优先": "priority", "优先级": "priority", "首个": "first", "第一个": "first",
    "汇总": "collect", "全部": "collect",
}  # fmt: skip
_COLLECTED_BY_OTHERS = {
    "c+": "sum", "c<": "min", "c>": "max", "c#": "count", "sum": "sum", "min": "min", "max": "max", "count": "count",
    "collect sum": "sum", "collect min": "min", "collect max": "max", "collect count": "count", "list": "list",
}  # fmt: skip
_LOOP = Words(
    "循环是单独的一步：each: 名称、in: 列表，要重复的步骤写在 do 里",
    "a loop is a step of its own: each: name, in: list, and what is repeated under do",
)
_BRANCHES = Words(
    "分支写成 choose: [{when: 条件, do: […]}, {do: […]}]；没有 when 的分支总是成立",
    "write branches as choose: [{when: condition, do: […]}, {do: […]}]; one without when always holds",
)
#: Words with which others repeat a step, or choose between steps.
_STEPS_OF_OTHERS = {
    **dict.fromkeys(("with_items", "loop", "for", "foreach", "for_each", "matrix", "strategy", "循环", "每个"), _LOOP),
    **dict.fromkeys(("then", "else", "elif", "elseif", "else_if", "default", "否则", "那么"), _BRANCHES),
}
_MAY_BE_LEFT_OUT = Words(
    "有 default 的输入可以不给：改为 default: …；对象里可以没有的字段不写进它的 required",
    "an input with a default need not be given: write default: … instead; a field of a mapping that may be missing is "
    "left out of its required",
)
_MUST_BE_GIVEN = Words(
    "删掉：没有 default 的输入必须给；对象里必须有的字段写进它的 required: [名称]",
    "delete it: an input without a default must be given; a field of a mapping that must be there is named in its "
    "required: [name]",
)
_TRUTHS_OF_OTHERS = {("required", False): _MAY_BE_LEFT_OUT, ("required", True): _MUST_BE_GIVEN}
_LONGEST = 60
#: What others call the key that says the kind.
_NAMES_OF_TYPE = frozenset({"from", "is", "as", "of", "kind", "typ", "datatype", "data_type", "format", "类型", "种类"})
_KINDS = ("string", "boolean", "integer", "number", "array", "object")
#: What a value between braces may not hold without quotes.
_MARKS = set(",:{}[]#'\"")
#: Lists that people write as one text, and what stands between their parts there.
_PARTED = {"path": "/", "argv": " "}
_CELL_WORDS = {">": "above", ">=": "at least", "<": "under", "<=": "at most", "==": "", "=": "", "!=": "not"}
#: A text that begins so is a text without quotes too.
_READS_AS_TEXT = re.compile(r"(?!(?:true|false|null|yes|no|on|off)$)[^\W\d]", re.IGNORECASE)
_NAMED = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_][\w-]*", re.ASCII)


def of_policy(word: str) -> Words | None:
    """Return how the policy of a decision table is written here, None for a word that means none."""
    word = " ".join(word.lower().replace("_", " ").split())
    if word in _COLLECTED_BY_OTHERS:
        made = _COLLECTED_BY_OTHERS[word]
        return Words(
            f"写 hit: collect，另起一行写 collect: {made}", f"write hit: collect, and beside it collect: {made}"
        )
    policy = _POLICIES_OF_OTHERS.get(word)
    return Words(f"写 hit: {policy}", f"write hit: {policy}") if policy is not None else None


def for_key(
    word: str,
    allowed: Collection[str],
    beside: str | None = None,
    below: str | None = None,
    *,
    kind: str | None = None,
    value: str = "",
) -> Words:
    """Return what to write instead of an unknown key.

    Shapes: `beside` is the key around which it belongs one level further out, `below` the one it belongs under; `kind`
    is the kind of data that its value names, `value` how its value is written under the key that was meant.
    """
    if below is not None:
        return Words(f"{word} 写在 {below} 里面，缩进比 {below} 深", f"{word} belongs under {below}, indented deeper")
    if beside is not None:
        return Words(
            f"{word} 写在 {beside} 旁边，缩进与 {beside} 相同", f"{word} belongs beside {beside}, indented like it"
        )
    if word.lower() in _SHAPES_OF_OTHERS and "items" in allowed:
        return _SHAPES_OF_OTHERS[word.lower()]
    if "settings" in allowed and nearest(word, allowed) is None:
        settings = f"settings: {{{word}: …}}"
        return Words(f"是适配器的设置就写成 {settings}", f"write {settings} where it is a setting of the adapter")
    meant = meant_key(word, allowed)
    if meant is None and word.lower() in _STEPS_OF_OTHERS and {"id", "when"} & set(allowed):
        return _STEPS_OF_OTHERS[word.lower()]
    if meant is None and kind is not None and {"type", "properties"} <= set(allowed):
        return of_kind(kind, "type: ") if word.lower() in _NAMES_OF_TYPE else _as_property(word, kind)
    if meant is None:
        return did_you_mean(word, allowed)
    return Words(f"写 {meant}: {value}".rstrip(), f"write {meant}: {value}".rstrip())


def of_kind(word: str, key: str = "") -> Words:
    """Return the kind that a word means, with the format beside it where the word says more. `key` stands before it."""
    kind, form = meant_kind(word) or word, meant_format(word)
    if form is None:
        return Words(f"写 {key}{kind}", f"write {key}{kind}")
    return Words(f"写 {key}{kind}，旁边加上 format: {form}", f"write {key}{kind}, and beside it format: {form}")


def _as_property(word: str, kind: str) -> Words:
    """Return how a field that stands where the words of a shape do is written."""
    written = f"type: object, properties: {{{word}: {{type: {meant_kind(kind) or kind}}}}}"
    return Words(f"字段写在 properties 里：{written}", f"fields stand under properties: {written}")


def of_value(key: str, node: Node) -> Words | None:
    """Return what to write instead of a yes or no that another language takes there; None for other values."""
    value = node.value if isinstance(node, Scalar) else None
    return _TRUTHS_OF_OTHERS.get((key, value)) if isinstance(value, bool) else None


def kind_said(node: Node) -> str | None:
    """Return the word for a kind of data that a value is, None for any other value."""
    is_kind = isinstance(node, Scalar) and (node.text in _KINDS or meant_kind(node.text) is not None)
    return node.text if is_kind and isinstance(node, Scalar) else None


def meant_key(word: str, allowed: Iterable[str]) -> str | None:
    """Return the key that a word of another language means, None for a word that says nothing."""
    known = set(allowed)
    return next((one for one in _WORDS_OF_OTHERS.get(word.lower(), "").split() if one in known), None)


def as_mapping(node: Scalar, schema: object) -> str | None:
    """Return a value written as a mapping of the only key that has to be there; None where that cannot be told."""
    if not isinstance(schema, dict):
        return None
    text = node.text
    properties, required = schema.get("properties", {}), schema.get("required", ())
    if schema.get("title", "").endswith("/ Conditions"):
        return _as_cell(text)
    written = _in_flow(node)
    if "value" in required:
        return f"{{value: {written}}}" if written is not None else None
    if "type" in properties:
        is_kind = meant_kind(text) is not None or text in _KINDS
        return f"{{type: {meant_kind(text) or text}}}" if is_kind else _with_default(node, properties)
    if "done" in properties:
        return f"{{done: {written}, next: …, writes: false}}" if written is not None else None
    if "id" in required and "label" in properties:
        return _as_choice(text, text if not _may_stand(text, properties["id"]) else "")
    is_one = len(required) == 1 and _may_stand(text, properties[required[0]])
    return f"{{{required[0]}: {written}}}" if is_one and written is not None else None


def _as_choice(name: str, label: str) -> str | None:
    """Return an entry of choices with an id that is a name, and with the words for it beside where there are some."""
    own = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    if not own or own[0].isdigit() or set(label) & set('"\\\n'):
        return None
    said = f'"{label}"' if set(label) & _MARKS else label
    return f"{{id: {_quoted_word(own)}, label: {said}}}" if said else f"{{id: {_quoted_word(own)}}}"


def _quoted_word(word: str) -> str:
    return word if _READS_AS_TEXT.match(word) else f'"{word}"'


def _with_default(node: Scalar, properties: Collection[str]) -> str | None:
    """Return the first value of declared data written as its default, with its kind."""
    written, kind = _in_flow(node), kind_of_value(node.value)
    is_told = "default" in properties and "private" in properties and kind != "null" and written is not None
    return f"{{type: {kind}, default: {written}}}" if is_told else None


def _in_flow(node: Scalar) -> str | None:
    """Return a value as it may stand inside braces, in quotes where it needs them; None where these do not do."""
    text = node.text
    needs_quotes = node.surprise or set(text) & _MARKS or (node.style != "plain" and not _READS_AS_TEXT.match(text))
    if not isinstance(node.value, str) or not needs_quotes:
        return text
    return f'"{text}"' if not set(text) & set('"\\\n') else None


def in_parts(key: str, text: str) -> str | None:
    """Return a path or a command line as the list of its parts; None for other texts."""
    mark = _PARTED.get(key)
    parts = re.findall(rf"(?:\{{\{{[^{{}}]*\}}\}}|[^{mark}])+", text) if mark is not None and "{%" not in text else []
    if len(parts) < 2:
        return None
    written = [f'"{part}"' if set(part) & _MARKS else part for part in parts]
    return f"[{', '.join(written)}]"


def _as_cell(text: str) -> str | None:
    """Return a comparison written as the cell of a column: `amount > 20` is `{amount: above 20}`."""
    found = re.fullmatch(r"([A-Za-z_]\w*)\s*(==?|!=|>=?|<=?)\s*([\w.'\"-]+)", text)
    if found is None:
        return None
    words = _CELL_WORDS[found[2]]
    return f"{{{found[1]}: {f'{words} {found[3]}'.strip()}}}"


def _may_stand(text: str, schema: object) -> bool:
    return re.fullmatch(r"[\w.-]+", text) is not None and isinstance(schema, dict) and "not" not in schema


def in_one_key(text: str) -> tuple[str, str] | None:
    """Return name and list of `name in list`, which one key cannot say; None for other texts."""
    found = re.fullmatch(r"([^\W\d]\w*) in (\S.*)", text)
    return (found[1], found[2]) if found is not None else None


def as_list(node: Mapping, keys: Collection[str]) -> str | None:
    """Return a mapping of one short line written as a list of one entry; None for a longer one, or of other keys."""
    if not all(key.text in keys for key, _ in node.entries):
        return _as_choices(node) if {"id", "label"} <= set(keys) else None
    text = _one_line(node)
    return f"[{text}]" if text.startswith("{") else None


def _as_choices(node: Mapping) -> str | None:
    """Return choices that are written as `id: label` as a list of them; None where other things stand there."""
    pairs = [(key.text, value.text) for key, value in node.entries if isinstance(value, Scalar)]
    written = [one for name, label in pairs if (one := _as_choice(name, label)) is not None]
    return f"[{', '.join(written)}]" if written and len(written) == len(node.entries) else None


def of_list(node: Sequence, schema: object) -> str | None:
    """Return a list of one short line written as declared data or an output of it, or as a shape of these values."""
    text, properties = _one_line(node), schema.get("properties", {}) if isinstance(schema, dict) else {}
    if not text.startswith("["):
        return None
    if isinstance(schema, dict) and schema.get("title", "").endswith("/ Shape of data"):
        return f"{{enum: {text}}}" if all(isinstance(item, Scalar) for item in node.items) else None
    if isinstance(schema, dict) and "value" in schema.get("required", ()):
        return f"{{value: {text}}}"
    return f"{{type: array, default: {text}}}" if "default" in properties and "private" in properties else None


def _one_line(node: Node) -> str:
    """Return how a node is written, '' where that is longer than one short line."""
    text = node.span.source.text[node.span.start : node.span.end].strip()
    return text if "\n" not in text and len(text) <= _LONGEST else ""


def of_steps(text: str, document: Node | None) -> Words | None:
    """Return the step of the document that was most likely meant, else an example of one; None where it has none."""
    steps = [step for step in _steps(document) if _NAMED.fullmatch(".".join(step))]
    if not steps:
        return None
    by_id = [f"{state}.{step}" for state, step in steps if step == text]
    by_state = [f"{state}.{step}" for state, step in steps if state == text]
    near = nearest(text, [f"{state}.{step}" for state, step in steps])
    meant = [*by_id, *by_state, *([near] if near is not None else [])]
    if meant:
        return Words(f"写 {meant[0]}", f"write {meant[0]}")
    state, step = steps[0]
    return Words(f"状态、点、步骤的 id，例如 {state}.{step}", f"state, dot, id of the step, such as {state}.{step}")


def _steps(document: Node | None) -> Iterator[tuple[str, str]]:
    for name, value in _entries(document):
        if name == "states":
            for state, below in _entries(value):
                for step in _ids(below):
                    yield state, step


def _ids(node: Node) -> Iterator[str]:
    """Yield the ids of the steps below a node, in their order."""
    for name, value in _entries(node):
        for entry in value.items if isinstance(value, Sequence) else (value,):
            if name in ("steps", "do"):
                yield from (one.text for key, one in _entries(entry) if key == "id" and isinstance(one, Scalar))
            yield from _ids(entry)


def _entries(node: Node | None) -> Iterator[tuple[str, Node]]:
    if isinstance(node, Mapping):
        yield from ((key.text, value) for key, value in node.entries)

"""What libyaml says of a text that it cannot read, and what a person needs to hear."""

from __future__ import annotations

from yaml.error import YAMLError

from interpreter.diagnostics import Words

NO_KEY = "did not find expected key"
NO_DASH = "did not find expected '-' indicator"
NO_COLON = "could not find expected ':'"
NO_COMMA_IN_BRACES = "did not find expected ',' or '}'"
NO_COMMA_IN_BRACKETS = "did not find expected ',' or ']'"
NO_CONTENT = "did not find expected node content"
NO_TOKEN = "found character that cannot start any token"
NO_START = "did not find expected <document start>"
NO_END = "found unexpected end of stream"
#: What is said of the backslashes of a double-quoted text.
OF_ESCAPES = frozenset(
    {
        "found unknown escape character",
        "did not find expected hexdecimal number",
        "found invalid Unicode character escape code",
    }
)
_REASONS = {
    NO_COLON: Words(
        "这一行应当是“键: 值”，但没有冒号，或键超过 1024 个字符",
        "a `key: value` was expected, and the colon is missing or comes after more than 1024 characters",
    ),
    "mapping values are not allowed in this context": Words("这里不能再出现“: ”", "no `: ` may stand here"),
    "mapping keys are not allowed in this context": Words("这里不能用“? ”开始一个键", "no `? ` may begin a key here"),
    NO_KEY: Words("缩进与上面各行都不一致，或少了一个键", "the indentation fits no line above, or a key is missing"),
    NO_DASH: Words("列表里的这一行应以“- ”开头", "this line of a list must begin with `- `"),
    "block sequence entries are not allowed in this context": Words(
        "列表项必须另起一行", "a list item must begin on a line of its own"
    ),
    NO_COMMA_IN_BRACES: Words("花括号里缺少逗号或右括号", "a comma or `}` is missing in the braces"),
    NO_COMMA_IN_BRACKETS: Words("方括号里缺少逗号或右括号", "a comma or `]` is missing in the brackets"),
    NO_START: Words("文档在上面已经结束", "the document has already ended above"),
    NO_CONTENT: Words("这里少了一个值", "a value is missing here"),
    "did not find expected comment or line break": Words(
        "| 或 > 的后面只能是注释或换行", "behind | or > only a comment or the end of the line may stand"
    ),
    "did not find expected alphabetic or numeric character": Words(
        "& 或 * 的后面要有名称", "a name must follow & or *"
    ),
    NO_TOKEN: Words("没有哪种值以这个符号开头，文字要加引号", "no value begins with this mark; a text needs quotes"),
    NO_END: Words("引号没有结尾", "a quotation mark is never closed"),
    "found unexpected document indicator": Words(
        "引号还没有结尾，就遇到了 --- 或 ...", "--- or ... comes before a quotation mark is closed"
    ),
    "found an indentation indicator equal to 0": Words("| 或 > 后面的缩进数不能是 0", "the number behind | or > is 0"),
    "found a tab character where an indentation space is expected": Words(
        "缩进里有制表符", "a tab stands in the indentation"
    ),
    "found a tab character that violates indentation": Words("缩进里有制表符", "a tab stands in the indentation"),
    "found unexpected ':'": Words(
        "这里的冒号不能属于文字，要加引号", "this colon cannot be part of a text; it needs quotes"
    ),
    "found undefined tag handle": Words("不认识的标签", "an unknown tag"),
    "control characters are not allowed": Words("有不可见字符", "an invisible character stands here"),
}
_ITEM_ELSEWHERE = Words(
    "这个列表项的缩进与上面各项都对不上", "the indentation of this list item fits none of the items above"
)
_OF_TAGS = ("tag", "URI", "'!'", "'>'", "whitespace", "UTF-8 octet")
_TAG = Words("! 开头的标签写得不完整；文字要加引号", "the tag that ! begins is not complete; a text needs quotes")
_ANYTHING = Words("这里的写法不是 YAML", "this is no YAML")


def place_of(error: YAMLError, text: str) -> tuple[int, Words]:
    """Return the place that libyaml means, and the reason in words of both languages; its own are never shown.

    Shapes: `text` is what libyaml read.
    """
    problem = problem_of(error)
    places = candidates(error)
    if problem == NO_DASH and places and text.startswith(("- ", "-\n", "-\r"), places[0]):
        return places[0], _ITEM_ELSEWHERE
    reason = _REASONS.get(problem) or (_TAG if any(word in problem for word in _OF_TAGS) else _ANYTHING)
    return (places[0] if places else 0), reason


def problem_of(error: YAMLError) -> str:
    return getattr(error, "problem", None) or str(error).split("\n")[0]


def begins_at(error: YAMLError) -> int | None:
    """Return where the value begins that libyaml was reading, None where it does not say."""
    mark = getattr(error, "context_mark", None)
    return mark.index if mark is not None else None


def candidates(error: YAMLError) -> list[int]:
    """Return the places that libyaml names, the likeliest first.

    It notices a missing colon only on a later line and calls the line itself the context.
    """
    marks = [getattr(error, "problem_mark", None), getattr(error, "context_mark", None)]
    if getattr(error, "problem", None) == NO_COLON:
        marks.reverse()
    places = [mark.index for mark in marks if mark is not None]
    return [*places, *(max(0, one - 1) for one in places)]

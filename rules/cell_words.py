"""What people write in cells that no cell says, and the cell that says it: one word for each idea, hints for the rest.

`more than 5` is `above 5` and `介于 5 和 9 之间` is `5 到 9`. Nothing here is accepted; the cell is shown to whoever
wrote it. The words of one language lead to a cell in that language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from rules.patterns import regex
from rules.records import NamedTuple

_LIMIT = r"(\S+?)"
_MONEY = "$¥￥€£"


class Suggested(NamedTuple):
    """A cell, and the limits in it. `is_words` tells words from dashes and units, which may stand in any text."""

    cell: str
    limits: tuple[str, ...]
    is_words: bool = True


def _forms(listed: Sequence[tuple[str, str]]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((regex(rf"(?i:{words})"), cell) for words, cell in listed)


_ENGLISH_AND_CHINESE = _forms(
    [
        (rf"(?:no|not) (?:more|greater|higher|later) than {_LIMIT}", "at most {0}"),
        (rf"(?:no|not) (?:less|fewer|lower|smaller|earlier) than {_LIMIT}", "at least {0}"),
        (rf"(?:greater|more|higher|larger|bigger) than or equal(?: to)? {_LIMIT}", "at least {0}"),
        (rf"(?:less|fewer|lower|smaller) than or equal(?: to)? {_LIMIT}", "at most {0}"),
        (rf"(?:is )?(?:more|greater|higher|larger|bigger|later|newer|older) than {_LIMIT}", "above {0}"),
        (rf"(?:is )?(?:less|fewer|lower|smaller|earlier|younger) than {_LIMIT}", "under {0}"),
        (rf"(?:over|after|exceeds|exceeding|beyond) {_LIMIT}", "above {0}"),
        (rf"(?:below|before|beneath) {_LIMIT}", "under {0}"),
        (rf"(?:up to|until|till|maximum|max\.?|at max|not over) {_LIMIT}", "at most {0}"),
        (rf"(?:from|since|minimum|min\.?|at minimum|starting at|not below) {_LIMIT}", "at least {0}"),
        (rf"{_LIMIT} (?:or|and) (?:more|above|over|higher|later|up)", "at least {0}"),
        (rf"{_LIMIT} (?:or|and) (?:less|fewer|below|under|lower|earlier)", "at most {0}"),
        (rf"(?:is |are )?between {_LIMIT} (?:and|to) {_LIMIT}", "{0} to {1}"),
        (rf"from {_LIMIT} (?:to|until|till|through|up to) {_LIMIT}", "{0} to {1}"),
        (rf"{_LIMIT} (?:through|until|till|up to) {_LIMIT}", "{0} to {1}"),
        (rf"(?:exactly|equals|equal to|is) {_LIMIT}", "{0}"),
        (rf"(?:isn't|is not|other than|except|all but|anything but) {_LIMIT}", "not {0}"),
        (rf"(?:大于等于|大于或等于|不少于|不低于|不小于|不早于|最少|最低|至少是)\s*{_LIMIT}", "至少 {0}"),
        (rf"(?:小于等于|小于或等于|不多于|不超过|不高于|不大于|不晚于|最多|最高|至多是)\s*{_LIMIT}", "至多 {0}"),
        (rf"(?:多于|大于|超过|超出|晚于|高过)\s*{_LIMIT}", "高于 {0}"),
        (rf"(?:少于|小于|不到|不足|不满|未满|早于|低过)\s*{_LIMIT}", "低于 {0}"),
        (rf"(?:介于|在)?\s*{_LIMIT}\s*(?:和|与|到|至|-|–|—|~|～|、)\s*{_LIMIT}\s*之间", "{0} 到 {1}"),
        (rf"从\s*{_LIMIT}\s*(?:到|至)\s*{_LIMIT}", "{0} 到 {1}"),
        (rf"{_LIMIT}\s*至\s*{_LIMIT}", "{0} 到 {1}"),
        (rf"{_LIMIT}\s*(?:及以上|或以上|和以上|及更多|或更多|以上)", "至少 {0}"),
        (rf"{_LIMIT}\s*(?:及以下|或以下|和以下|及更少|或更少|以内)", "至多 {0}"),
        (rf"{_LIMIT}\s*以下", "至多 {0}（包括 {0}）/ 低于 {0}（不包括 {0}）"),
        (rf"(?:等于|正好|恰好)\s*{_LIMIT}", "{0}"),
        (rf"(?:不等于|除了|非)\s*{_LIMIT}", "不是 {0}"),
    ]
)
_SYMBOLS = _forms(
    [
        (rf"=>\s*{_LIMIT}", "at least {0}"),
        (rf"=<\s*{_LIMIT}", "at most {0}"),
        (rf"==\s*{_LIMIT}", "{0}"),
        (rf"<>\s*{_LIMIT}", "not {0}"),
        (rf"\]\s*{_LIMIT}\s*\.\.\s*{_LIMIT}\s*\[", "above {0} to under {1}"),
        (rf"\]\s*{_LIMIT}\s*\.\.\s*{_LIMIT}\s*\]", "above {0} to {1}"),
        (rf"\[\s*{_LIMIT}\s*\.\.\s*{_LIMIT}\s*\[", "{0} to under {1}"),
        (r"(\d[\d.]*)\s*\+", "at least {0}"),
        (r"(\d[\d.]*)\s*(?:-|–|—|~|～|…|\.\.\.)\s*(\d[\d.]*)", "{0} to {1}"),
        (r"(\d{4}-\d\d-\d\d)\s*(?:-|–|—|~|～)\s*(\d{4}-\d\d-\d\d)", "{0} to {1}"),
    ]
)
_THOUSANDS = regex(r"(?<![\d,.])\d{1,3}(?:[,，]\d{3})+(?![\d,])")
_WITH_UNIT = regex(
    r"((?:at least |above |at most |under |至少 ?|高于 ?|至多 ?|低于 ?|[<>]=? ?)?)"
    rf"[{_MONEY}]?(-?\d[\d.]*)\s?([^\W\d_]+\.?)?"
)
#: How many times its number a word behind it says, before the unit or alone.
_TIMES = {"百": 100, "千": 1000, "k": 1000, "thousand": 1000, "万": 10_000, "million": 1_000_000,
          "百万": 1_000_000, "千万": 10_000_000, "亿": 100_000_000, "billion": 1_000_000_000}  # fmt: skip
_MANY = regex(rf"(?i)(?<![\w.])(\d+(?:\.\d+)?)\s?({'|'.join(sorted(_TIMES, key=len, reverse=True))})(?![a-z])")
#: What stands where a unit does and is none: more is said than a number.
_SAYS_MORE = regex(
    r"(?i:^(?:to|till|until|through|and|or|up|plus|over|above|below|under|more|less|min|max)\.?$)|[上下内外多少起]|左右|不到|之间"
)
#: A blank between a number and a unit that is written without one too.
_BEFORE_UNIT = regex(r"(?<=\d) (?=(?:分|元|天|条|个|次|篇|人|岁|页|美元))")
_ANYTHING = frozenset(
    {"", "-", "*", "/", "all", "everything", "whatever", "n/a", "不限", "全部", "所有", "都可以", "无要求"}
)
_NOTHING = frozenset({"none", "nothing", "empty", "blank", "missing", "unknown", "nil", "无", "空", "未知", "未提供"})
_TRUE = frozenset({"true", "yes", "y", "on", "1", "是", "对", "真", "有"})
_FALSE = frozenset({"false", "no", "n", "off", "0", "否", "不是", "错", "假", "没有"})


def suggested_order(text: str, can_read: Callable[[str], bool]) -> Suggested | None:
    """Return the cell that a text with a number, a date or a limit of another kind means, None where it is not certain.

    Shapes: `can_read` tells whether a limit can stand in the column.
    """
    plain = _BEFORE_UNIT.sub("", " ".join(text.split()))
    without_commas = _THOUSANDS.sub(lambda number: number[0].replace(",", "").replace("，", ""), plain)
    without_commas = _MANY.sub(_written_out, without_commas)
    for forms, is_words in ((_ENGLISH_AND_CHINESE, True), (_SYMBOLS, False)):
        for form, cell in forms:
            written = form.fullmatch(without_commas)
            if written is not None:
                limits = tuple(_bare(limit) for limit in written.groups())
                if all(map(can_read, limits)):
                    return Suggested(cell.format(*limits), limits, is_words)
    with_unit = _WITH_UNIT.fullmatch(without_commas)
    is_more = with_unit is not None and _SAYS_MORE.search(with_unit[3] or "") is not None
    if with_unit is not None and not is_more and can_read(with_unit[2]):
        cell = f"{with_unit[1]}{with_unit[2]}"
        if cell != " ".join(text.split()):
            return Suggested(cell, (with_unit[2],), False)
    return _suggested_cells(plain, can_read)


def _suggested_cells(text: str, can_read: Callable[[str], bool]) -> Suggested | None:
    """Return the cell of a text that says several: `5, 6`, `< 5 or > 9`, `not(5, 6)`, `[60, 79)`, `> 5 and < 9`."""
    order = _ORDER_ZH if _CHINESE.search(text) else _ORDER
    denied = _NOT_IN_BRACKETS.fullmatch(text)
    if denied is not None:
        parts = _cells_in(denied[1], can_read, order)
        if parts is None:
            return None
        return Suggested(f"{{not: [{', '.join(parts)}]}}" if len(parts) > 1 else f"not {parts[0]}", (), False)
    for form in (_INTERVAL, _BOTH_SIDES):
        ends = form.fullmatch(text)
        if ends is not None and can_read(ends["low"]) and can_read(ends["high"]):
            low = f"{order['>'] + ' ' if ends['left'] in _OPEN else ''}{ends['low']}"
            return Suggested(f"{low} {order['to <' if ends['right'] in _OPEN else 'to']} {ends['high']}", (), False)
    parts = _cells_in(text, can_read, order)
    if parts is None or len(parts) == 1:
        return None
    decimal = _DECIMAL_COMMA.fullmatch(text)
    return Suggested(f"[{', '.join(parts)}]" + (f" / {decimal[1]}.{decimal[2]}" if decimal else ""), (), False)


def _cells_in(text: str, can_read: Callable[[str], bool], order: Mapping[str, str]) -> list[str] | None:
    """Return the cells that a text lists, None when one of its parts is none."""
    cells = []
    for part in _BETWEEN_CELLS.split(text.strip()):
        compared = _SYMBOL_AND_LIMIT.fullmatch(part)
        if compared is not None and can_read(compared[2]):
            cells.append(f"{order[compared[1]]} {compared[2]}")
        elif can_read(_IN_WORDS.sub("", part)):
            cells.append(part)
        else:
            return None
    return cells


_CHINESE = regex("[\u4e00-\u9fff]")
_ORDER = {">=": "at least", ">": "above", "<=": "at most", "<": "under", "to": "to", "to <": "to under"}
_ORDER_ZH = {">=": "至少", ">": "高于", "<=": "至多", "<": "低于", "to": "到", "to <": "到不足"}
_OPEN = frozenset("()<>")
_NOT_IN_BRACKETS = regex(r"(?i:not)\s*\((.+)\)")
_INTERVAL = regex(r"(?P<left>[\[(])\s*(?P<low>[^\s,;]+)\s*[,;]\s*(?P<high>[^\s,;]+?)\s*(?P<right>[\])])")
_BOTH_SIDES = regex(r"(?P<left>>=?)\s*(?P<low>\S+?)\s*(?:\band\b|&&?|且|并且)\s*(?P<right><=?)\s*(?P<high>\S+)")
_BETWEEN_CELLS = regex(r"\s*(?:,|，|、|;|；|\bor\b|或者|或)\s*")
_SYMBOL_AND_LIMIT = regex(r"([<>]=?)\s*(\S+)")
_IN_WORDS = regex(r"^(?:at least|above|at most|under|至少|高于|至多|低于) ")


def suggested_word(text: str, kind: str) -> str | None:
    """Return the cell that a word means in a column of this kind, None for a word that nobody would mistake."""
    word = text.strip().lower()
    if kind == "boolean" and word in _TRUE:
        return "true"
    if kind == "boolean" and word in _FALSE:
        return "false"
    if word in _ANYTHING:
        return "any"
    return "null / absent" if word in _NOTHING else None


def suggested_value(text: str, kind: str) -> str | None:
    """Return the value of a kind that a text writes in another way, None where it is not certain.

    Shapes: `３`, `3 kg`, `1,234`, `3,5` and `1e3` are numbers, `2024/3/1` is a date and `yes` is true.
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    if kind == "boolean":
        word = suggested_word(plain, kind)
        return word if word in ("true", "false") else None
    if kind in ("integer", "number"):
        plain = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), plain)
        plain = _MANY.sub(_written_out, _DECIMAL_COMMA.sub(r"\1.\2", plain))
        if _EXPONENT.fullmatch(plain):
            return f"{Decimal(plain):f}"
        number = _WITH_UNIT.fullmatch(plain)
        return number[2] if number is not None and not number[1] else None
    written = _YEAR_FIRST.fullmatch(plain) if kind == "date" else None
    return _year_first(written) if written is not None else None


_DECIMAL_COMMA = regex(r"(?<![\d,.])(\d+),(\d{1,2})(?![\d,.])")
_EXPONENT = regex(r"-?[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{1,2}")
_YEAR_FIRST = regex(r"(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?:\s?日)?")


def in_plain_writing(text: str, kind: str) -> str:
    """Return a cell with its words, blanks, signs, numbers and dates as cells have them, whatever it says.

    Shapes: `At least −5`, `1e3 to 0x7D0`, `under 2024/3/1` become `at least -5`, `1000 to 2000`, `under 2024-03-01`;
    `< date("2024-03-01")` and `PT1H30M`, as tables of DMN say it, `under 2024-03-01` and `90m`.
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).replace("\u2212", "-").split())
    plain = _CALLED.sub(r"\1", plain)
    if kind == "duration":
        plain = _ISO_DURATION.sub(_with_units, plain)
    if kind == "date":
        plain = _YEAR_FIRST.sub(_year_first, plain)
    elif kind in ("integer", "number"):
        plain = _MANY.sub(_written_out, _ODD_NUMBER.sub(_plain_number, plain))
    return _in_words(_OWN_WORDS.sub(lambda words: words[0].lower(), plain))


def _in_words(cell: str) -> str:
    """Return a cell of symbols in words, which need no quotes in YAML: `[5..9)` is `5 to under 9`."""
    bounds = _BOUNDS.fullmatch(cell)
    if bounds is not None:
        left, low, high, right = bounds.groups()
        return f"{'above ' if left == '(' else ''}{low} {_ORDER['to <' if right == ')' else 'to']} {high}"
    return _SYMBOL.sub(lambda symbol: f"{_ORDER[symbol[1]]} ", cell)


def quoted_texts(text: str) -> str | None:
    """Return the cell that texts in marks mean, None for others: `"a", "b"` and `not("a")` of tables of DMN."""
    denied = _NOT_IN_BRACKETS.fullmatch(text)
    listed = denied[1] if denied is not None else text
    if _QUOTED_TEXTS.fullmatch(listed) is None:
        return None
    values = _QUOTED_TEXT.findall(listed)
    cells = f"[{', '.join(values)}]" if len(values) > 1 else values[0]
    if denied is None:
        return cells
    return f"{{not: {cells}}}" if len(values) > 1 else f"not {cells}"


_QUOTED_TEXT = regex(r'"([^"]+)"')
_QUOTED_TEXTS = regex(r'\s*"[^"]+"\s*(?:,\s*"[^"]+"\s*)*')
_CALLED = regex(r"\b(?:date and time|date|time|duration)\(\s*[\"']([^\"']+)[\"']\s*\)")
_BOUNDS = regex(r"([\[(])\s*(\S+?)\s*\.\.\s*(\S+?)\s*([\])])")
_SYMBOL = regex(r"^([<>]=?)\s*")
_ISO_DURATION = regex(r"\bP(?=.)(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?\b")


def _with_units(written: re.Match[str]) -> str:
    """Return a duration of ISO 8601 as one number of its smallest unit."""
    days, hours, minutes, seconds = (int(part or 0) for part in written.groups())
    for times, unit, amount in ((86400, "d", days), (3600, "h", hours), (60, "m", minutes), (1, "s", seconds)):
        total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        if amount and total % times == 0:
            return f"{total // times}{unit}"
    return "0s"


def _written_out(many: re.Match[str]) -> str:
    """Return a number with the word behind it as one number: `1.5万` is 15000."""
    return f"{(Decimal(many[1]) * _TIMES[many[2].lower()]).normalize():f}"


def _year_first(written: re.Match[str]) -> str:
    return f"{written[1]}-{written[2]:0>2}-{written[3]:0>2}"


def _plain_number(written: re.Match[str]) -> str:
    digits = written[0].replace("_", "").removeprefix("+")
    return str(int(digits, 0)) if digits[1:2] in tuple("xXoObB") else f"{Decimal(digits):f}".removesuffix(".")


_OWN_WORDS = regex(r"(?i:\b(?:at least|above|at most|under|to|not|same as)\b)")
_ODD_NUMBER = regex(
    r"(?<![\w.])[+-]?(?:0[xX][0-9a-fA-F]{1,12}|0[oO][0-7]{1,12}|0[bB][01]{1,40}|(?:\d[\d_]{0,40}(?:\.\d{0,40})?|\.\d{1,40})"
    r"(?:[eE][+-]?\d{1,2})?)(?![\w.])"
)


def suggested_list(text: str, values: Sequence[object]) -> str | None:
    """Return the list of cells that a text with several values of an enum means, None for anything else."""
    parts = [part for part in _BETWEEN_VALUES.split(text.strip()) if part]
    if len(parts) > 1 and all(part in values for part in parts):
        return f"[{', '.join(parts)}]"
    denied = _DENIED.fullmatch(text.strip())
    return f"not {denied[1]}" if denied is not None and denied[1] in values else None


_BETWEEN_VALUES = regex(r"\s*(?:,|，|、|/|\||;|；|\bor\b|\band\b|或者|或|和)\s*")
_DENIED = regex(r"(?:isn't|is not|other than|except|all but|anything but|不等于|除了|非)\s*(\S.*)")


def _bare(limit: str) -> str:
    """Return a limit without money signs and what a unit adds to it."""
    limit = limit.strip(_MONEY)
    number = _NUMBER_WITH_UNIT.fullmatch(limit)
    return number[1] if number is not None else limit


_NUMBER_WITH_UNIT = regex(r"(-?\d[\d.]*)(?:分|元|天|条|个|次|篇|人|岁|页|美元|points?|days?)?")

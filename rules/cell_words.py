"""What people write in cells that no cell says, and the cell that says it: one word for each idea, hints for the rest.

`more than 5` is `above 5` and `介于 5 和 9 之间` is `5 到 9`. Nothing here is accepted; the cell is shown to whoever
wrote it. The words of one language lead to a cell in that language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation

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
        (
            rf"(?:from )?{_LIMIT} to (?:less than|lower than|below|before|but under|but not) {_LIMIT}",
            "{0} to under {1}",
        ),
        (rf"{_LIMIT} (?:\(inclusive\) )?to {_LIMIT} \(?inclusive\)?", "{0} to {1}"),
        (rf"{_LIMIT} (?:\(inclusive\) )?to {_LIMIT} \(?exclusive\)?", "{0} to under {1}"),
        (rf"in (\S+?)\s*\.\.\s*{_LIMIT}", "{0} to {1}"),
        (rf"(?:exactly|equals|equal to|is) {_LIMIT}", "{0}"),
        (rf"(?:isn't|is not|other than|except|all but|anything but) {_LIMIT}", "not {0}"),
        (rf"(?:大于等于|大于或等于|不少于|不低于|不小于|不早于|最少|最低|至少是)\s*{_LIMIT}", "至少 {0}"),
        (rf"(?:小于等于|小于或等于|不多于|不超过|不高于|不大于|不晚于|最多|最高|至多是)\s*{_LIMIT}", "至多 {0}"),
        (rf"(?:多于|大于|超过|超出|晚于|高过)\s*{_LIMIT}", "高于 {0}"),
        (rf"(?:少于|小于|不到|不足|不满|未满|早于|低过)\s*{_LIMIT}", "低于 {0}"),
        (rf"(?:介于|在)?\s*{_LIMIT}\s*(?:和|与|到|至|-|–|—|~|～|、)\s*{_LIMIT}\s*之间", "{0} 到 {1}"),
        (rf"{_LIMIT}\s*(?:到|至)\s*(?:不满|不到|不足|未满|小于|低于|少于)\s*{_LIMIT}", "{0} 到不足 {1}"),
        (rf"{_LIMIT}\s*\(含\)\s*(?:到|至)\s*{_LIMIT}\s*\(不含\)", "{0} 到不足 {1}"),
        (rf"{_LIMIT}\s*\(含\)\s*(?:到|至)\s*{_LIMIT}\s*\(含\)", "{0} 到 {1}"),
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
        (rf"[^\W\d]\w*\s*>=\s*{_LIMIT}", "at least {0}"),
        (rf"[^\W\d]\w*\s*>\s*{_LIMIT}", "above {0}"),
        (rf"[^\W\d]\w*\s*<=\s*{_LIMIT}", "at most {0}"),
        (rf"[^\W\d]\w*\s*<\s*{_LIMIT}", "under {0}"),
        (rf"{_LIMIT}\s*<=\s*[^\W\d]\w*\s*<=\s*{_LIMIT}", "{0} to {1}"),
        (rf"{_LIMIT}\s*<=\s*[^\W\d]\w*\s*<\s*{_LIMIT}", "{0} to under {1}"),
        (rf"{_LIMIT}\s*<\s*[^\W\d]\w*\s*<=\s*{_LIMIT}", "above {0} to {1}"),
        (rf"{_LIMIT}\s*<\s*[^\W\d]\w*\s*<\s*{_LIMIT}", "above {0} to under {1}"),
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
    {"", "-", "*", "/", "_", "all", "everything", "whatever", "n/a", "不限", "全部", "所有", "都可以", "无要求"}
    | {"any value", "either", "任何", "任何值", "任意值"}
)
#: What stands in the last row of a table of other makers: here it has `any`, or the table an `otherwise`.
_ELSE = frozenset(
    {"else", "otherwise", "default", "rest", "the rest", "other", "others", "anything else", "everything else"}
    | {"其他", "其它", "其余", "否则", "默认", "缺省", "其他情况", "其余情况"}
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
    sides = _two_sides(without_commas, can_read)
    if sides is not None:
        return sides
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


def _two_sides(text: str, can_read: Callable[[str], bool]) -> Suggested | None:
    """Return the range that two limits joined by a word or mark say, None where both do not hold at once."""
    order = _ORDER_ZH if _CHINESE.search(text) else _ORDER
    for between in _BOTH.finditer(text):
        one = _side(text[: between.start()], can_read)
        other = _side(text[between.end() :], can_read)
        if one is None or other is None or (one[0] in _LOWER) == (other[0] in _LOWER):
            continue
        (left, low), (right, high) = (one, other) if one[0] in _LOWER else (other, one)
        if between[0].strip() in _EITHER and not _is_below(low, high):
            continue
        words = f"{order['>']} {low}" if left == ">" else low
        return Suggested(f"{words} {order['to <' if right == '<' else 'to']} {high}", (low, high))
    return None


def _side(text: str, can_read: Callable[[str], bool]) -> tuple[str, str] | None:
    """Return the symbol of order and the limit of a text that says one limit."""
    said = _in_words(text.strip())
    for form, cell in () if _OWN_SIDE.fullmatch(said) else _ENGLISH_AND_CHINESE:
        written = form.fullmatch(said)
        if written is not None and all(map(can_read, written.groups())):
            said = cell.format(*written.groups())
            break
    own = _OWN_SIDE.fullmatch(said)
    return (_SYMBOL_OF[own[1].lower()], own[2]) if own is not None and can_read(own[2]) else None


def _is_below(low: str, high: str) -> bool:
    try:
        return Decimal(low) < Decimal(high)
    except InvalidOperation:
        return low < high


def _suggested_cells(text: str, can_read: Callable[[str], bool]) -> Suggested | None:
    """Return the cell of a text that says several: `5, 6`, `< 5 or > 9`, `not(5, 6)`, `[60, 79)`, `> 5 and < 9`."""
    order = _ORDER_ZH if _CHINESE.search(text) else _ORDER
    denied = _NOT_IN_BRACKETS.fullmatch(text) or _NEITHER.fullmatch(text)
    if denied is not None:
        denied_text = _NOR.sub(", ", next(part for part in denied.groups() if part))
        parts = _cells_in(denied_text, can_read, order)
        if parts is None:
            return None
        return Suggested(f"{{not: [{', '.join(parts)}]}}" if len(parts) > 1 else f"not {parts[0]}", (), False)
    for form in (_INTERVAL, _BOTH_SIDES):
        ends = form.fullmatch(text)
        if ends is not None and can_read(ends["low"]) and can_read(ends["high"]):
            low = f"{order['>'] + ' ' if ends['left'] in _OPEN else ''}{ends['low']}"
            return Suggested(f"{low} {order['to <' if ends['right'] in _OPEN else 'to']} {ends['high']}", (), False)
    listed = _ONE_OF.fullmatch(text)
    parts = _cells_in(listed[1] if listed is not None else text, can_read, order)
    if parts is None or len(parts) == 1:
        return None
    decimal = _DECIMAL_COMMA.fullmatch(text)
    return Suggested(f"[{', '.join(parts)}]" + (f" / {decimal[1]}.{decimal[2]}" if decimal else ""), (), False)


def _cells_in(text: str, can_read: Callable[[str], bool], order: Mapping[str, str]) -> list[str] | None:
    """Return the cells that a text lists, None when one of its parts is none."""
    if _DATE_WITH_SLASHES.fullmatch(text.strip()):
        return None
    cells = []
    for part in _BETWEEN_CELLS.split(text.strip()):
        compared = _SYMBOL_AND_LIMIT.fullmatch(part)
        if compared is not None and can_read(compared[2]):
            cells.append(f"{order[compared[1]]} {compared[2]}")
        elif part.lower() in _NULL or can_read(_IN_WORDS.sub("", part)):
            cells.append("null" if part.lower() in _NULL else part)
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
_BETWEEN_CELLS = regex(r"\s*(?:,|，|、|;|；|\||/|\b(?:or|and)\b|或者|或|和|与)\s*")
_DATE_WITH_SLASHES = regex(r"\d{1,4}/\d{1,2}/\d{1,4}(?:[ T].*)?")
_ONE_OF = regex(r"(?i:(?:is )?(?:either|one of|any of|in)\b|其中之一|属于)?\s*:?\s*[\[({]?([^\[\](){}]+?)[\])}]?")
_NEITHER = regex(r"(?i:neither|none of|not in|not)\b\s*[\[(]?(.+?)[\])]?|(?:既不是|都不是|不是|除了?)\s*(.+?)")
_NOR = regex(r"\s*(?i:\bnor\b|\b(?:and|or) not\b|也不是|且不是)\s*")
_NULL = frozenset({"null", "empty", "nothing", "空", "空值"})
_BOTH = regex(r"\s+(?:and|but)\s+|\s*(?:,|，|、|;|；|&&?|并且|而且|且|同时|但)\s*|(?<=[0-9])\s*(?=[<>小低不至])")
_EITHER = frozenset({",", "，", "、", ";", "；", ""})
"""What may also stand between two cells of which one holds."""
_LOWER = frozenset({">", ">="})
_OWN_SIDE = regex(r"(?i:(at least|above|at most|under|至少|高于|至多|低于)\s*(\S+))")
_SYMBOL_OF = {words: symbol for order in (_ORDER, _ORDER_ZH) for symbol, words in order.items()}
_SYMBOL_AND_LIMIT = regex(r"([<>]=?)\s*(\S+)")
_IN_WORDS = regex(r"^(?:at least|above|at most|under|至少|高于|至多|低于) ")


def suggested_word(text: str, kind: str) -> str | None:
    """Return the cell that a word means in a column of this kind, None for a word that nobody would mistake."""
    word = text.strip().lower()
    if kind == "boolean" and word in _TRUE:
        return "true"
    if kind == "boolean" and word in _FALSE:
        return "false"
    if word in _ANYTHING or word in _ELSE:
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
    """Return the cell that a text with one or several values of an enum means, None for anything else."""
    plain = text.strip()
    listed, none = _ONE_OF.fullmatch(plain), _NONE_OF.fullmatch(plain)
    parts = _values_in(_NOR.sub(", ", none[1] or none[2]) if none else listed[1] if listed else plain, values)
    if none is not None and parts:
        return f"{{not: [{', '.join(parts)}]}}" if len(parts) > 1 else f"not {parts[0]}"
    if len(parts) > 1:
        return f"[{', '.join(parts)}]"
    denied = _DENIED.fullmatch(plain)
    value = (denied[1] or denied[2]) if denied is not None else None
    return f"not {value}" if value in values else None


def _values_in(text: str, values: Sequence[object]) -> list[str]:
    parts = [part for part in _BETWEEN_VALUES.split(text) if part]
    return parts if all(part in values for part in parts) else []


_BETWEEN_VALUES = regex(r"\s*(?:,|，|、|/|\||;|；|\bor\b|\band\b|或者|或|和)\s*")
_DENIED = regex(
    r"(?:isn't|is not|other than|except|all but|anything but|不等于|除了?|非|!)\s*(\S.*?)(?:之外|以外|外)?"
    r"|(\S+?)\s*(?:以外|之外)"
)
_NONE_OF = regex(r"(?i:neither|none of|not in)\b\s*[\[(]?(.+?)[\])]?|(?:既不是|都不是)\s*(.+?)")


def _bare(limit: str) -> str:
    """Return a limit without money signs and what a unit adds to it."""
    limit = limit.strip(_MONEY)
    number = _NUMBER_WITH_UNIT.fullmatch(limit)
    return number[1] if number is not None else limit


_NUMBER_WITH_UNIT = regex(r"(-?\d[\d.]*)(?:分|元|天|条|个|次|篇|人|岁|页|美元|points?|days?)?")


def suggested_mapping(written: Mapping[str, object], show: Callable[[object], str]) -> str | None:
    """Return the cell that a mapping with the words of other languages means: `{min: 5}`; None where it is not certain.

    Shapes: `show` writes a value as it stands in a document.
    """
    if not written:
        return None
    keys = ["".join(filter(str.isalnum, key.lower())) or key for key in map(str, written)]
    values = list(written.values())
    if len(keys) == 1 and keys[0] in _KEY_WORDS:
        return _KEY_WORDS[keys[0]].format(_spelled(values[0], show))
    if keys in (["between"], ["range"]):
        ends = values[0] if isinstance(values[0], list) else []
        return f"{show(ends[0])} to {show(ends[1])}" if len(ends) == 2 else None
    meant = [_KEYS_OF_ORDER.get(key) for key in keys]
    if None in meant or len(set(meant)) < len(meant) or any(isinstance(value, list | dict) for value in values):
        return None
    return f"{{{', '.join(f'{key}: {show(value)}' for key, value in zip(meant, values, strict=True))}}}"


def _spelled(value: object, show: Callable[[object], str]) -> str:
    return f"[{', '.join(map(show, value))}]" if isinstance(value, list) else show(value)


_KEY_WORDS = {
    **dict.fromkeys(("in", "oneof", "anyof", "or", "any", "eq", "equals", "equal", "==", "=", "value"), "{}"),
    **dict.fromkeys(("notin", "noneof", "ne", "neq", "!=", "except", "isnot", "不是"), "{{not: {}}}"),
    **dict.fromkeys(("contains", "包含", "includes"), "contains {}"),
    **dict.fromkeys(("startswith", "beginswith", "prefix", "开头是"), "starts with {}"),
}
_KEYS_OF_ORDER = {
    **dict.fromkeys(
        ("min", "minimum", "gte", "ge", ">=", "from", "atleast", "最小", "至少", "最少", "low"), "at_least"
    ),
    **dict.fromkeys(("max", "maximum", "lte", "le", "<=", "to", "atmost", "最大", "至多", "最多", "high"), "at_most"),
    **dict.fromkeys(("gt", ">", "above", "over", "morethan", "greaterthan", "大于", "高于", "after"), "above"),
    **dict.fromkeys(("lt", "<", "under", "below", "lessthan", "小于", "低于", "before"), "under"),
}
"""Keys of other languages for an order, and ours."""

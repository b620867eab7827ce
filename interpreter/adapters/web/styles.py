"""The style sheets that a page carries in itself, as far as they say whether something is seen.

No whole CSS: rules whose selectors are made of tags, classes and ids, of one element or of an element inside others
(`.a .b`, `.a > .b`). What stands under a condition that a usual screen does not meet (print, small screens) is passed
over, and so are states (`:hover`), attributes, neighbours, and sheets of other files. One pass over a sheet, and an
index by the last part of a selector, so the work grows with the length of a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rules.patterns import regex
from rules.records import NamedTuple

Element = Any
Declarations = Mapping[str, str]

#: Properties that can take a text out of sight; others are not even kept.
_PROPERTIES = (
    "display visibility opacity font-size font text-indent position left right top bottom margin-left margin-top "
    "clip clip-path height width max-height max-width overflow overflow-x overflow-y transform scale color "
    "background background-color background-image content-visibility filter -webkit-text-fill-color "
    "text-decoration text-decoration-line"
)
_ASKED = frozenset(_PROPERTIES.split())
#: Characters of sheets that are looked at, rules of them that are kept.
LONGEST = 1 << 19
_MOST_RULES = 5000
_USUAL_WIDTH = 1024  # pixels

_COMMENT = regex(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRING = regex(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_ESCAPE = regex(r"\\(?:([0-9a-fA-F]{1,6})[ \t\r\n\f]?|(.))", re.DOTALL)
_BRACE = regex(r"[{}]")
_IMPORTANT = regex(r"!\s*important\s*$")
_SIMPLE = regex(r"(\*|[a-z][a-z0-9-]*)?((?:[.#][a-z0-9_\-\u0080-\U0010ffff]+)*)", re.IGNORECASE)
_NAME = regex(r"[.#][^.#]+")
_STEP = regex(r"\s*>\s*|\s+")
_WIDTH = regex(r"(max|min)-width\s*:\s*([0-9.]+)\s*(px|em|rem)")
_OTHER_MEDIA = regex(r"(?:^|,|\s)(?:only\s+)?(?:print|speech|aural|braille|embossed|tty)(?:\s|,|$)")


_NOTHING: dict[str, str] = {}


class _Simple(NamedTuple):
    tag: str
    ids: frozenset[str]
    classes: frozenset[str]

    def fits(self, element: Element) -> bool:
        if self.tag and element.tag != self.tag:
            return False
        if self.ids and self.ids != {element.get("id") or ""}:
            return False
        return not self.classes or self.classes <= frozenset((element.get("class") or "").split())


class _Rule(NamedTuple):
    """Shapes: `steps` from the last part to the first, each with whether it is the very parent of the part before."""

    steps: tuple[tuple[_Simple, bool], ...]
    weight: tuple[int, int, int]
    order: int
    declarations: Declarations


class Sheet:
    """Shapes: `texts` are the contents of the `style` elements of a page."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._by_key: dict[str, list[_Rule]] = {}
        self.is_cut = False
        left = LONGEST
        count = 0
        for text in texts:
            self.is_cut |= len(text) > left
            for selectors, body in _rules(text[:left]):
                declared = declarations(body)
                if not declared:
                    continue
                for selector in selectors.split(","):
                    count += 1
                    self._add(selector, count, declared)
                if count > _MOST_RULES:
                    self.is_cut = True
                    return
            left = max(0, left - len(text))

    def _add(self, selector: str, order: int, declared: Declarations) -> None:
        steps = _steps(selector.strip())
        if not steps:
            return
        last = steps[0][0]
        ids = sum(len(step.ids) for step, _ in steps)
        classes = sum(len(step.classes) for step, _ in steps)
        tags = sum(bool(step.tag) for step, _ in steps)
        key = next((f"#{one}" for one in last.ids), "") or next((f".{one}" for one in last.classes), "") or last.tag
        self._by_key.setdefault(key, []).append(_Rule(steps, (ids, classes, tags), order, declared))

    @property
    def has_rules(self) -> bool:
        return bool(self._by_key)

    def of(self, element: Element) -> dict[str, str]:
        """Return what an element is declared to be, by the sheets, its own `style` and old attributes."""
        attributes = element.attrib
        if not self._by_key and not ("style" in attributes or "bgcolor" in attributes or "color" in attributes):
            return _NOTHING
        found: dict[str, str] = {}
        for name, attribute in (("color", "color"), ("background-color", "bgcolor")):
            value = element.get(attribute)
            if value and (attribute == "bgcolor" or element.tag == "font"):
                found[name] = value.strip().lower()
        own = declarations(element.get("style") or "")
        rules = self._fitting(element) if self._by_key else []
        layers = [rule.declarations for rule in rules]
        for is_important in (False, True):
            for layer in (*layers, own):
                for name, value in layer.items():
                    if value.endswith("!") is is_important:
                        found[name] = value.rstrip("!")
        return found

    def _fitting(self, element: Element) -> list[_Rule]:
        keys = ["", str(element.tag), *(f".{one}" for one in (element.get("class") or "").split())]
        keys.append(f"#{element.get('id') or ''}")
        rules = [rule for key in dict.fromkeys(keys) for rule in self._by_key.get(key, ())]
        rules = [rule for rule in rules if _fits(rule.steps, element)]
        return sorted(rules, key=lambda rule: (rule.weight, rule.order))


def declarations(text: str) -> dict[str, str]:
    """Return the declarations that are asked for, in small letters; `!` behind a value marks it as important."""
    if not text.strip():
        return {}
    found: dict[str, str] = {}
    plain = _unescaped(_STRING.sub(" ", _COMMENT.sub(" ", text)))
    for part in plain.split(";"):
        name, mark, value = part.partition(":")
        name = name.strip().lower()
        if mark and name in _ASKED:
            said = " ".join(value.lower().split())
            bare = _IMPORTANT.sub("", said).strip()
            is_important = bare != said
            if bare and (is_important or not found.get(name, "").endswith("!")):
                found[name] = f"{bare}!" if is_important else bare
    return found


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def one(found: re.Match[str]) -> str:
        if found[1] is None:
            return str(found[2])
        number = int(found[1], 16)
        return chr(number) if 0 < number < 0xD800 or 0xE000 <= number < 0x110000 else "\ufffd"

    return str(_ESCAPE.sub(one, text))


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """Yield selectors with their declarations, from inside `@media` too; strings and comments are blanks."""
    text = _STRING.sub(" ", _COMMENT.sub(" ", text)).replace("<!--", " ").replace("-->", " ")
    conditions: list[bool] = []  # whether what stands in each open block is meant
    start = 0
    heads: list[str] = []
    for brace in _BRACE.finditer(text):
        piece = text[start : brace.start()]
        start = brace.end()
        if brace[0] == "{":
            head = piece.rpartition(";")[2].strip() if piece.lstrip().startswith("@") or ";" in piece else piece.strip()
            heads.append(head)
            conditions.append(_is_met(head) if head.startswith("@") else True)
            continue
        if not heads:
            continue
        head = heads.pop()
        is_met = all(conditions)
        conditions.pop()
        if is_met and head and not head.startswith("@"):
            yield _unescaped(head), piece


def _is_met(head: str) -> bool:
    """Whether a usual screen sees what stands in a block (`@media …`)."""
    plain = " ".join(head.lower().split())
    if not plain.startswith("@media"):
        return plain.startswith(("@supports", "@layer", "@container", "@scope"))
    if _OTHER_MEDIA.search(plain.removeprefix("@media")) is not None and "screen" not in plain and "all" not in plain:
        return False
    for kind, number, unit in _WIDTH.findall(plain):
        pixels = float(number if number.strip(".") and number.count(".") < 2 else 0) * (1 if unit == "px" else 16)
        if (kind == "max" and pixels < _USUAL_WIDTH) or (kind == "min" and pixels > 2 * _USUAL_WIDTH):
            return False
    return True


def _steps(selector: str) -> tuple[tuple[_Simple, bool], ...]:
    """Return the parts of a selector, the last first; nothing for one that says more than tags, classes and ids."""
    parts = _STEP.split(selector)
    joints = _STEP.findall(selector)
    steps = []
    for at in range(len(parts) - 1, -1, -1):
        found = _SIMPLE.fullmatch(parts[at])
        if found is None or not parts[at]:
            return ()
        names = _NAME.findall(found[2])
        simple = _Simple(
            "" if (found[1] or "*") == "*" else found[1].lower(),
            frozenset(name[1:] for name in names if name[0] == "#"),
            frozenset(name[1:] for name in names if name[0] == "."),
        )
        steps.append((simple, at < len(joints) and ">" in joints[at]))
    return tuple(steps)


def _fits(steps: tuple[tuple[_Simple, bool], ...], element: Element) -> bool:
    if not steps[0][0].fits(element):
        return False
    at = element
    for simple, is_parent in steps[1:]:
        at = at.getparent()
        while at is not None and not simple.fits(at):
            if is_parent:
                return False
            at = at.getparent()
        if at is None:
            return False
    return True

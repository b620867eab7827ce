"""What of a page its reader does not see, or sees struck through: it is taken out before anything is read.

Two kinds. An element may be away with all that is in it (`display:none`, moved off the screen, no height, no opacity).
Or its letters cannot be seen, in the colour of the ground, without size, not visible; that is handed down, and an
element inside may be seen again. What is struck through was taken back by whoever wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from interpreter.adapters.web.styles import Sheet
from rules.patterns import regex
from rules.records import NamedTuple

Element = Any

_LENGTH = regex(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?)([a-z%]*)")
#: Units: pixels. The parts of a screen, a letter and a line are taken for usual ones.
_PIXELS = {"": 1.0, "px": 1.0, "pt": 1.33, "pc": 16.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "cm": 37.8,
    "mm": 3.78, "in": 96.0, "q": 0.945, "vw": 12.8, "vh": 8.0, "vmin": 8.0, "vmax": 12.8, "%": 4.0}  # fmt: skip
_STRUCK = frozenset({"del", "s", "strike"})
_SMALLEST_LETTER = 2.0
_USUAL_LETTER = 16.0
_OFF_SCREEN = -400.0
_SHALLOWEST = 0.05
_NEAR_COLOURS = 24  # the greatest distance of one part of two colours that cannot be told apart
_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "smaller": 13.0}
_COLOURS = {"white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250), "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255), "floralwhite": (255, 250, 240), "whitesmoke": (245, 245, 245),
    "mintcream": (245, 255, 250), "azure": (240, 255, 255), "red": (255, 0, 0), "blue": (0, 0, 255),
    "green": (0, 128, 0), "yellow": (255, 255, 0), "gray": (128, 128, 128), "grey": (128, 128, 128),
    "silver": (192, 192, 192), "navy": (0, 0, 128), "maroon": (128, 0, 0), "orange": (255, 165, 0)}  # fmt: skip
_HEX = regex(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_FUNCTION = regex(r"(rgba?|hsla?)\(([^()]*)\)")
_ZERO_SCALE = regex(r"scale(?:x|y|3d)?\(\s*[+-]?0*\.?0*\s*[,)]")
_MOVED = regex(r"translate(?:x|y|3d)?\(\s*(-[^,()]+)|translate(?:3d)?\([^,()]+,\s*(-[^,()]+)")
_NO_CLIP = regex(r"inset\(\s*(?:[5-9][0-9]|100)(?:\.[0-9]+)?%|circle\(\s*0|polygon\(\s*0(?:px)?\s+0(?:px)?\s*(?:,\s*0)")
_RECT = regex(r"rect\(\s*([^()]*)\)")
_FADED = regex(r"opacity\(\s*([^()]+)\)")

Colour = tuple[int, int, int]


class _Seen(NamedTuple):
    """What letters are inside an element. Units: pixels. A ground of None is not known (a picture, a gradient)."""

    is_visible: bool = True
    letter: float = _USUAL_LETTER
    colour: Colour | None = (0, 0, 0)
    is_clear: bool = False
    ground: Colour | None = (255, 255, 255)
    indent: float = 0.0

    @property
    def has_letters(self) -> bool:
        if not self.is_visible or self.is_clear or self.letter < _SMALLEST_LETTER or self.indent <= _OFF_SCREEN:
            return False
        return self.colour is None or self.ground is None or not _is_near(self.colour, self.ground)


def remove_unseen(root: Element, sheet: Sheet, names: Iterable[str] = ()) -> None:
    """Take out of a tree what is not seen. Shapes: `names` are classes that everywhere mean hidden (`sr-only`)."""
    hidden_names = frozenset(name.lower() for name in names)
    away: list[Element] = []
    waiting: list[tuple[Element, _Seen]] = [(root, _Seen())]
    while waiting:
        element, above = waiting.pop()
        if not isinstance(element.tag, str) or element.tag == "head":
            continue
        said = sheet.of(element) if sheet.has_rules or element.keys() else {}
        # A page whose whole body is hidden is shown by a script later: its parts decide.
        if element.tag not in ("html", "body") and (_is_away(element, said, hidden_names)):
            away.append(element)
            continue
        seen = _inside(said, above)
        if element.tag in ("html", "body"):
            seen = seen._replace(is_visible=True, letter=max(seen.letter, _SMALLEST_LETTER), indent=0.0)
            if not seen.has_letters:  # its ground is in another file
                seen = seen._replace(ground=None, is_clear=False)
        if not seen.has_letters:
            element.text = None
            for child in element:
                child.tail = None
        waiting += [(child, seen) for child in element]
    for element in away:
        if element.getparent() is not None:
            element.drop_tree()


def _is_away(element: Element, said: Mapping[str, str], names: frozenset[str]) -> bool:
    if element.get("hidden") is not None or (element.tag == "dialog" and element.get("open") is None):
        return True
    if element.tag in _STRUCK:
        return True
    if names and names & set((element.get("class") or "").lower().split()):
        return True
    if not said:
        return False
    if said.get("display") == "none" or said.get("content-visibility") == "hidden":
        return True
    if any("line-through" in said.get(name, "") for name in ("text-decoration", "text-decoration-line")):
        return True
    if _share(said.get("opacity", "1")) <= _SHALLOWEST or _is_faded(said.get("filter", "")):
        return True
    return _is_moved(said) or _has_no_room(said) or _is_clipped(said)


def _is_moved(said: Mapping[str, str]) -> bool:
    is_placed = said.get("position") in ("absolute", "fixed", "relative", "sticky")
    names = ("left", "top", "right", "bottom") if is_placed else ()
    if any(_first_length(said.get(name, "")) <= _OFF_SCREEN for name in (*names, "margin-left", "margin-top")):
        return True
    # left:-9999px says nothing without a position; one that another sheet gives is likely
    if any(_first_length(said.get(name, "")) <= 2 * _OFF_SCREEN for name in ("left", "top")):
        return True
    moved = said.get("transform", "")
    if moved and _ZERO_SCALE.search(moved) is not None:
        return True
    if said.get("scale", "") and _share(said["scale"].split()[0]) == 0:
        return True
    return any(_first_length(part) <= _OFF_SCREEN for pair in _MOVED.findall(moved) for part in pair if part)


def _has_no_room(said: Mapping[str, str]) -> bool:
    if said.get("max-height") is not None and _first_length(said["max-height"], 99.0) <= 1:
        return True
    cuts = ("hidden", "clip", "scroll", "auto")
    flows = " ".join(said.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    is_cut = any(word in cuts for word in flows.split())
    sizes = [_first_length(said.get(name, ""), 99.0) for name in ("height", "width", "max-width")]
    return is_cut and min(sizes) <= 1


def _is_clipped(said: Mapping[str, str]) -> bool:
    if _NO_CLIP.search(said.get("clip-path", "")) is not None:
        return True
    rect = _RECT.search(said.get("clip", ""))
    if rect is None:
        return False
    sides = [_first_length(part, 99.0) for part in rect[1].replace(",", " ").split()]
    return len(sides) == 4 and (abs(sides[2] - sides[0]) <= 1 or abs(sides[1] - sides[3]) <= 1)


def _is_faded(text: str) -> bool:
    found = _FADED.search(text)
    return found is not None and _share(found[1]) <= _SHALLOWEST


def _inside(said: Mapping[str, str], above: _Seen) -> _Seen:
    if not said:
        return above
    seen = above
    visibility = said.get("visibility")
    if visibility is not None and visibility != "inherit":
        seen = seen._replace(is_visible=visibility not in ("hidden", "collapse"))
    size = said.get("font-size") or _size_in(said.get("font", ""))
    if size:
        seen = seen._replace(letter=_letter(size, above.letter))
    if "text-indent" in said:
        seen = seen._replace(indent=_first_length(said["text-indent"]))
    ground = _ground(said, above.ground)
    colour = said.get("-webkit-text-fill-color") or said.get("color")
    if colour is not None and colour not in ("inherit", "currentcolor"):
        read = _colour(colour)
        seen = seen._replace(colour=read, is_clear=_is_clear(colour))
    return seen._replace(ground=ground)


def _ground(said: Mapping[str, str], above: Colour | None) -> Colour | None:
    if "url(" in said.get("background", "") or "gradient(" in said.get("background", ""):
        return None
    if said.get("background-image", "none") != "none":
        return None
    text = said.get("background-color") or said.get("background", "")
    if not text or text in ("inherit", "none", "transparent", "initial", "unset") or _is_clear(text):
        return above
    return next((found for part in _parts(text) if (found := _colour(part)) is not None), None)


def _parts(text: str) -> list[str]:
    found = _FUNCTION.search(text)
    return [found[0]] if found is not None else text.split()


def _size_in(font: str) -> str:
    found = re.search(r"(?:^|\s)([0-9.]+(?:px|pt|em|rem|%))(?:\s|/)", font)
    return found[1] if found is not None else ""


def _letter(text: str, above: float) -> float:
    if text in _SIZES:
        return _SIZES[text]
    found = _LENGTH.match(text)
    if found is None:
        return above
    number, unit = _number(found[1]), found[2]
    if unit in ("em", "%"):
        return above * number / (100 if unit == "%" else 1)
    return number * _PIXELS.get(unit, 16.0)


def _first_length(text: str, otherwise: float = 0.0) -> float:
    """Return the pixels of a length; of a calculation, those of the first length that is below nothing."""
    if text.startswith(("calc(", "min(", "max(", "clamp(")):
        lengths = [_number(one) * _PIXELS.get(unit, 1.0) for one, unit in _LENGTH.findall(text.replace(" ", ""))]
        return min(lengths, default=otherwise)
    found = _LENGTH.match(text)
    return _number(found[1]) * _PIXELS.get(found[2], 1.0) if found is not None else otherwise


def _number(text: str) -> float:
    try:
        return max(-1e9, min(1e9, float(text)))
    except ValueError:
        return 0.0


def _share(text: str) -> float:
    found = _LENGTH.match(text.removeprefix("calc(").strip())
    return 1.0 if found is None else _number(found[1]) / (100 if found[2] == "%" else 1)


def _is_near(one: Colour, other: Colour) -> bool:
    return all(abs(first - second) <= _NEAR_COLOURS for first, second in zip(one, other, strict=True))


def _is_clear(text: str) -> bool:
    if text == "transparent":
        return True
    if text.startswith("#") and len(text) in (5, 9) and _HEX.fullmatch(text) is not None:
        alpha = text[-1] * 2 if len(text) == 5 else text[-2:]
        return int(alpha, 16) <= 12
    found = _FUNCTION.fullmatch(text)
    if found is None:
        return False
    parts = found[2].replace(",", " ").replace("/", " ").split()
    return len(parts) == 4 and _share(parts[3]) <= _SHALLOWEST


def _colour(text: str) -> Colour | None:
    """Return the parts of a colour, None for one that is not known here."""
    text = text.strip()
    if text in _COLOURS:
        return _COLOURS[text]
    found = _HEX.fullmatch(text if text.startswith("#") else f"#{text}")
    if found is not None:
        digits = found[1]
        digits = "".join(one * 2 for one in digits[:3]) if len(digits) < 6 else digits[:6]
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    function = _FUNCTION.fullmatch(text)
    if function is None:
        return None
    parts = function[2].replace(",", " ").replace("/", " ").split()
    if len(parts) < 3:
        return None
    if function[1].startswith("hsl"):
        return _of_hue(*(_number((_LENGTH.match(part) or ["", "0"])[1]) for part in parts[:3]))
    red, green, blue = (
        int(max(0.0, min(255.0, _share(part) * 255 if part.endswith("%") else _share(part)))) for part in parts[:3]
    )
    return red, green, blue


def _of_hue(hue: float, saturation: float, lightness: float) -> Colour:
    from colorsys import hls_to_rgb

    light, strength = (min(max(part, 0), 100) / 100 for part in (lightness, saturation))
    red, green, blue = hls_to_rgb(hue % 360 / 360, light, strength)
    return int(red * 255), int(green * 255), int(blue * 255)

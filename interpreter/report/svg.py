"""The states of a workflow as an SVG: boxes in the order of the document, ways between neighbours straight, others
as bows: onward on the right, back on the left, each in a lane of its own.

Texts of the document are text here and nothing else: one function writes them, and no element, style or link is made
from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interpreter.report.columns import width_of
from interpreter.report.pictures import END, Arrow, Box, Picture
from interpreter.report.words import safe
from rules.records import NamedTuple

_WIDTH, _HEIGHT, _GAP = 320, 54, 58
_LANE, _MARGIN, _RADIUS = 26, 24, 9
_LABEL = 44
"""Units: pixels, and for a label columns of a terminal."""

_STYLE = """\
text{font:13px system-ui,sans-serif;fill:#1d2733}.title{font-size:12px;fill:#4a5866}
.box{fill:#f6f8fa;stroke:#5b6b7b;stroke-width:1.2}.asks{stroke-width:3}.writes{stroke:#b3541e;stroke-dasharray:7 3}
.visited{fill:#d5efd8}.way{fill:none;stroke:#8896a5;stroke-width:1.3}.taken{stroke:#1f7a33;stroke-width:2.4}
.label{font-size:11px;fill:#4a5866}.gate{font-size:11px;fill:#7a3fa0}
@media(prefers-color-scheme:dark){svg{background:#14181d}text{fill:#e6edf3}.title,.label{fill:#a9b7c6}
.box{fill:#1f262e;stroke:#8b9bab}.visited{fill:#1e4027}.gate{fill:#c99be8}}"""


class _Bow(NamedTuple):
    arrow: Arrow
    first: int
    last: int
    lane: int


def as_svg(picture: Picture) -> str:
    """Return an SVG document."""
    rows = {box.name: number for number, box in enumerate(picture.boxes)} | {END: len(picture.boxes)}
    ways = [arrow for arrow in _joined(picture.arrows) if arrow.end in rows]
    onward = _in_lanes([one for one in ways if rows[one.end] > rows[one.start] + 1], rows)
    back = _in_lanes([one for one in ways if rows[one.end] <= rows[one.start]], rows)
    left = _MARGIN + _LANE * (1 + max((bow.lane for bow in back), default=-1)) + 8
    right = _LANE * (1 + max((bow.lane for bow in onward), default=-1))
    width = left + _WIDTH + right + 8 * _LABEL + _MARGIN
    height = 2 * _MARGIN + (len(picture.boxes) + 1) * (_HEIGHT + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{_text(picture.name)}">',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="#8896a5"/></marker></defs>',
    ]
    for box in picture.boxes:
        parts.extend(_box(box, left, _top(rows[box.name])))
    straight = [one for one in ways if rows[one.end] == rows[one.start] + 1]
    parts.append(f'<circle cx="{left + _WIDTH // 2}" cy="{_end_of_all(rows[END])}" r="{_RADIUS}" class="box"/>')
    parts.extend(_straight(one, left, rows) for one in straight)
    parts.extend(_bow(bow, left + _WIDTH, 1) for bow in onward)
    parts.extend(_bow(bow, left, -1) + _dot(bow, left) for bow in back)
    # Words last, over the lines.
    parts.extend(_gates(box, left, _top(rows[box.name])) for box in picture.boxes if box.gates)
    parts.extend(_label(one, left, rows) for one in straight if one.label)
    labels = left + _WIDTH + right + 8
    above: dict[int, int] = {}
    for bow in onward:
        place = above[bow.first] = above.get(bow.first, -1) + 1
        parts.append(_words(labels, _top(bow.first) + 14 + 15 * place, _short(bow.arrow.label, _LABEL), "label"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _joined(arrows: Iterable[Arrow]) -> list[Arrow]:
    """Return one way for each pair of states, with the labels of all."""
    found: dict[tuple[str, str], Arrow] = {}
    for arrow in arrows:
        before = found.get((arrow.start, arrow.end))
        if before is not None:
            label = " · ".join(part for part in (before.label, arrow.label) if part)
            arrow = Arrow(arrow.start, arrow.end, label, before.is_taken or arrow.is_taken)
        found[arrow.start, arrow.end] = arrow
    return list(found.values())


def _in_lanes(arrows: list[Arrow], rows: dict[str, int]) -> list[_Bow]:
    """Return bows in lanes, so that no two that overlap lie in the same one; short ones lie nearest."""
    taken: list[list[tuple[int, int]]] = []
    bows = []
    for arrow in sorted(arrows, key=lambda one: (abs(rows[one.end] - rows[one.start]), rows[one.start])):
        first, last = rows[arrow.start], rows[arrow.end]
        low, high = min(first, last), max(first, last)
        lane = next((number for number, spans in enumerate(taken) if _has_room(spans, low, high)), len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append((low, high))
        bows.append(_Bow(arrow, first, last, lane))
    return bows


def _has_room(spans: list[tuple[int, int]], low: int, high: int) -> bool:
    """Say whether nothing in a lane reaches into these rows."""
    return all(high < begin or low > end for begin, end in spans)


def _top(row: int) -> int:
    return _MARGIN + row * (_HEIGHT + _GAP)


def _box(box: Box, left: int, top: int) -> Iterator[str]:
    marks = [name for name, holds in (("asks", box.asks), ("writes", box.writes), ("visited", box.visits)) if holds]
    kind = " ".join(("box", *marks))
    yield f'<rect x="{left}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" rx="8" class="{kind}"/>'
    signs = ("?" if box.asks else "") + ("✎" if box.writes else "") + (f" ×{box.visits}" if box.visits > 1 else "")
    yield _words(left + 12, top + (22 if box.title else 32), box.name, "")
    if box.title:
        yield _words(left + 12, top + 41, _short(box.title, 42), "title")
    if signs:
        yield f'<text x="{left + _WIDTH - 12}" y="{top + 22}" text-anchor="end">{_text(signs)}</text>'


def _gates(box: Box, left: int, top: int) -> str:
    return _words(left + 12, top - 5, _short("◇ " + ", ".join(box.gates), _LABEL), "gate")


def _straight(arrow: Arrow, left: int, rows: dict[str, int]) -> str:
    x = left + _WIDTH // 2
    start, end = _gap(arrow, rows)
    return f'<path d="M{x} {start}V{end}" class="{_kind(arrow)}" marker-end="url(#tip)"/>'


def _label(arrow: Arrow, left: int, rows: dict[str, int]) -> str:
    return _words(left + _WIDTH // 2 + 8, sum(_gap(arrow, rows)) // 2, _short(arrow.label, _LABEL), "label")


def _gap(arrow: Arrow, rows: dict[str, int]) -> tuple[int, int]:
    """Return where a box ends and the next one begins."""
    return _top(rows[arrow.start]) + _HEIGHT, _top(rows[arrow.end])


def _bow(bow: _Bow, edge: int, side: int) -> str:
    x = _lane(bow, edge, side)
    start, end = _ends(bow)
    tip = edge - side * (_WIDTH // 2 - _RADIUS) if bow.arrow.end == END else edge
    return (
        f'<path d="M{edge} {start}C{x} {start} {x} {start} {x} {(start + end) // 2}S{x} {end} {tip} {end}" '
        f'class="{_kind(bow.arrow)}" marker-end="url(#tip)"/>'
    )


def _dot(bow: _Bow, edge: int) -> str:
    """There is no room for words on the left: they are shown where somebody points."""
    middle = sum(_ends(bow)) // 2
    dot = f'<circle cx="{_lane(bow, edge, -1)}" cy="{middle}" r="4" class="box"/>'
    return f"<g><title>{_text(bow.arrow.label)}</title>{dot}</g>" if bow.arrow.label else ""


def _lane(bow: _Bow, edge: int, side: int) -> int:
    return edge + side * (_LANE * (bow.lane + 1))


def _ends(bow: _Bow) -> tuple[int, int]:
    shift = min(5 * (bow.lane + 1), 20)
    end = _end_of_all(bow.last) if bow.arrow.end == END else _top(bow.last) + _HEIGHT // 2 - shift
    return _top(bow.first) + _HEIGHT // 2 + shift, end


def _end_of_all(row: int) -> int:
    """Return how deep the middle of the circle lies at which every way ends."""
    return _top(row) + _RADIUS + 3


def _kind(arrow: Arrow) -> str:
    return "way taken" if arrow.is_taken else "way"


def _words(x: int, y: int, text: str, kind: str) -> str:
    word = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{word}>{_text(text)}</text>'


def _short(text: str, columns: int) -> str:
    """Return a text cut to a width; wide characters count two."""
    if width_of(text) <= columns:
        return text
    cut = text
    while width_of(cut) >= columns:
        cut = cut[:-1]
    return cut + "…"


def _text(text: str) -> str:
    """Return a text that is nothing but text in XML, in an element as in an attribute."""
    plain = safe(text)
    for mark, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "#39")):
        plain = plain.replace(mark, f"&{name};")
    return plain

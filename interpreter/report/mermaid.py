"""The states of a workflow as a Mermaid diagram."""

from __future__ import annotations

import re

from interpreter.report.pictures import END, Arrow, Box, Picture
from interpreter.report.words import safe

_CLASSES = (
    ("asks", "stroke-width:3px"),
    ("writes", "stroke-dasharray:6 3"),
    ("visited", "fill:#cde8cf"),
)


def as_mermaid(picture: Picture) -> str:
    """Return a state diagram: titles, transitions with their conditions and gates, choices that lead to a state.

    States that ask have a thick border, those that write a broken one; those that a run came by are filled.
    """
    lines = ["stateDiagram-v2"]
    if picture.reason:
        lines.append(f"    %% writes without confirmation: {_text(picture.reason)}")
    lines += [f"    {_name(box.name)} : {_text(_title(box))}" for box in picture.boxes]
    if picture.boxes:
        lines.append(f"    [*] --> {_name(picture.boxes[0].name)}")
    lines += [_arrow(arrow) for arrow in picture.arrows]
    for name, style in _CLASSES:
        members = [_name(box.name) for box in picture.boxes if _belongs(box, name)]
        if members:
            lines += [f"    classDef {name} {style}", f"    class {','.join(members)} {name}"]
    return "\n".join(lines) + "\n"


def _title(box: Box) -> str:
    title = box.name + (f" — {box.title}" if box.title else "")
    title += "".join(f" [{gate}]" for gate in box.gates)
    return title + (f" ×{box.visits}" if box.visits > 1 else "")


def _belongs(box: Box, name: str) -> bool:
    return {"asks": box.asks, "writes": box.writes, "visited": box.visits > 0}[name]


def _arrow(arrow: Arrow) -> str:
    target = "[*]" if arrow.end == END else _name(arrow.end)
    label = (("✓ " if arrow.is_taken else "") + arrow.label).strip()
    return f"    {_name(arrow.start)} --> {target}" + (f" : {_text(label)}" if label else "")


def _name(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _text(text: str) -> str:
    """Return a text that cannot end its line or start anything of Mermaid's."""
    plain = safe(text)
    for mark in '#;:&<>{}[]"`%':
        plain = plain.replace(mark, f"#{ord(mark)};" if mark != "#" else "#35;") if mark != ";" else plain
    return plain

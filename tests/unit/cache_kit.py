"""Documents that are kept in a cache, and what may happen to them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from interpreter.cli.documents import found_in

SPEC = """\
workflow: counting
version: 0.1.0
title: {zh: 数数, en: Counting}
effect: read
uses: {rules: [limits], types: [things]}
inputs:
  start: {type: integer, title: {zh: 起点, en: Start}}
data:
  count: {type: integer, default: 0}
  thing: {$ref: "things#Thing", default: {name: a}}
outputs:
  count: {type: integer, value: "{{ count }}", default: 0}
  words: {type: string, value: "{% if count > 1 %}many {{ thing.name }}{% else %}one{% endif %}", default: ""}
states:
  ONLY:
    title: {zh: 一, en: One}
    steps:
      - set: {count: "{{ start }}"}
      - repeat: round
        at_most: 10
        until: count >= limits.most
        do:
          - set: {count: "{{ count + 1 }}"}
      - each: letter
        in: "['a', 'b']"
        do:
          - set: {thing.name: "{{ thing.name ~ letter }}"}
      - say:
          done: {zh: "数到 {{ count }}", en: "Counted to {{ count }}"}
          next: {zh: 结束, en: The end}
          writes: false
    next: [{to: end}]
"""
LIMITS = "rules: limits\ntitle: {zh: 上限, en: Limits}\nthresholds: {most: {value: 3, range: 1..9}}\n"
TYPES = """\
types: things
title: {zh: 东西, en: Things}
$defs:
  Thing: {type: object, properties: {name: {type: string}}, required: [name]}
"""
PROFILE = "profile: local\ntitle: {zh: 本机, en: This machine}\ntools: {}\n"


CASE = """\
tests: counting
workflow: counting
cases:
  - id: from-one
    inputs: {start: 1}
    expect: {status: completed, outputs: {count: 3}}
"""
DOCUMENTS = {
    "counting.yaml": SPEC,
    "rules/limits.yaml": LIMITS,
    "types/things.yaml": TYPES,
    "profiles/local.yaml": PROFILE,
    "tests/counting.yaml": CASE,
}
OTHERS = ("rules/more.yaml", "types/more.yml", "other.yaml", "samples/note.yaml", "notes.yaml")


def lay(folder: Path) -> Path:
    for name, text in DOCUMENTS.items():
        place = folder / "specs" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder / "specs"


def told(paths: list[Path], cache: Path | None) -> list[str]:
    return [f"{one.span and one.span.begins}{one}{one.hint}" for one in found_in(paths, cache)]


def _delete(place: Path) -> None:
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)


def _rename(place: Path) -> None:
    if place.exists():
        place.rename(place.with_name(f"re{place.name}"))


def _lay_again(place: Path) -> None:
    text = DOCUMENTS.get("/".join(place.parts[place.parts.index("specs") + 1 :]), "note: nothing\n")
    _write(place, text.encode())


def _write(place: Path, content: bytes) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


def _make_folder(place: Path) -> None:
    _delete(place)
    place.mkdir(parents=True)


def _content(place: Path) -> bytes:
    """Return what stands in a file in UTF-8, as far as it can be read so."""
    return place.read_text("utf-8", errors="ignore").encode() if place.is_file() else b""


CHANGES: dict[str, Callable[[Path], None]] = {
    "delete": _delete,
    "rename": _rename,
    "lay again": _lay_again,
    "add a comment": lambda place: _write(place, _content(place) + b"# more\n"),
    "misspell a key": lambda place: _write(place, _content(place).replace(b"title:", b"titel:", 1)),
    "name another": lambda place: _write(place, _content(place).replace(b"limits", b"more")),
    "break off": lambda place: _write(place, _content(place)[: len(_content(place)) // 2]),
    "empty": lambda place: _write(place, b""),
    "write in another encoding": lambda place: _write(place, _content(place).decode("utf-8").encode("utf-16")),
    "put a folder there": _make_folder,
}

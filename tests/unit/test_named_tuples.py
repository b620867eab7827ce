"""Our named tuples beside those of `typing`: whatever is asked of one, both say the same."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from typing import NamedTuple as Typed

import pytest

from rules import records

ROOT = Path(__file__).parents[2]


class Ours(records.NamedTuple):
    """A place."""

    name: str
    line: int = 1
    column: int | None = None

    @property
    def shown(self) -> str:
        return f"{self.name}:{self.line}"

    def below(self) -> Any:
        return self._replace(line=self.line + 1)


class Theirs(Typed):
    """A place."""

    name: str
    line: int = 1
    column: int | None = None

    @property
    def shown(self) -> str:
        return f"{self.name}:{self.line}"

    def below(self) -> Any:
        return self._replace(line=self.line + 1)


class OursOfMore(Ours):
    __slots__ = ()


class TheirsOfMore(Theirs):
    __slots__ = ()


def _matched(kind: Any) -> Any:
    match kind("a", 2):
        case (name, line, column):
            return name, line, column


def _matched_by_class(kind: Any) -> Any:
    match kind("a", column=3):
        case kind(name, line, column=column):
            return name, line, column


ASKED: dict[str, Callable[[Any], Any]] = {
    "made by place": lambda kind: kind("a", 2, 3),
    "made by name": lambda kind: kind(column=3, name="a"),
    "with defaults": lambda kind: kind("a"),
    "without what it needs": lambda kind: kind(),
    "with too much": lambda kind: kind("a", 1, 2, 3),
    "with an unknown name": lambda kind: kind("a", lines=2),
    "from values": lambda kind: kind._make(iter(["a", 2, 3])),
    "from too few values": lambda kind: kind._make(["a"]),
    "changed": lambda kind: kind("a")._replace(column=3),
    "changed where it has nothing": lambda kind: kind("a")._replace(lines=2),
    "set": lambda kind: setattr(kind("a"), "line", 2),
    "set where it has nothing": lambda kind: setattr(kind("a"), "lines", 2),
    "as a mapping": lambda kind: kind("a")._asdict(),
    "fields": lambda kind: (kind._fields, kind._field_defaults, kind.__match_args__),
    "property": lambda kind: kind("a").shown,
    "method": lambda kind: kind("a").below(),
    "field of the class": lambda kind: type(kind.line),
    "about": lambda kind: kind.__doc__,
    "where": lambda kind: kind.__module__,
    "annotations": lambda kind: list(kind.__annotations__),
    "equal to a tuple": lambda kind: kind("a") == ("a", 1, None),
    "in order": lambda kind: sorted([kind("b"), kind("a", 2), kind("a")]),
    "hash": lambda kind: hash(kind("a")),
    "text": lambda kind: repr(kind("a", 2)).partition("(")[2],
    "is a plain class": lambda kind: (type(kind), isinstance(kind("a"), tuple), hasattr(kind("a"), "__dict__")),
    "pickled": lambda kind: pickle.loads(pickle.dumps(kind("a", 2))) == kind("a", 2),
    "copied": lambda kind: type(copy.deepcopy(kind("a", 2))) is kind,
    "matched": _matched,
    "matched by class": _matched_by_class,
}


def answer(asked: Callable[[Any], Any], kind: Any) -> Any:
    try:
        found = asked(kind)
    except (AttributeError, TypeError, ValueError) as error:
        return type(error)
    return tuple(found) if isinstance(found, Ours | Theirs) else found


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize(("ours", "theirs"), [(Ours, Theirs), (OursOfMore, TheirsOfMore)])
def test_whatever_is_asked_both_say_the_same(asked: Callable[[Any], Any], ours: Any, theirs: Any) -> None:
    assert answer(asked, ours) == answer(asked, theirs)


def test_a_class_is_ready_whichever_of_a_family_is_made_first() -> None:
    class First(records.NamedTuple):
        name: str

    class Second(First):
        __slots__ = ()

    assert type(Second("a")) is Second
    assert type(First("a")) is First


def test_every_named_tuple_is_one_of_ours() -> None:
    """Those of `typing` take twenty times as long to define, and a command that starts defines more than a hundred."""
    files = [path for package in ("interpreter", "rules") for path in (ROOT / package).rglob("*.py")]
    used = re.compile(r"(?m)^(?:from typing import [^\n]*\bNamedTuple\b|class \w+\(typing\.NamedTuple)")
    assert [str(path) for path in files if used.search(path.read_text("utf-8"))] == []

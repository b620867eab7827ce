"""Short texts in both languages, made from the same values: names, values and answers as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from rules.columns import Column
from rules.reading import shown
from rules.records import NamedTuple
from rules.values import ABSENT, Value


class Said(NamedTuple):
    """The same in both languages."""

    zh: str
    en: str

    def facts(self, name: str) -> dict[str, str]:
        """Return both texts as facts of a finding."""
        return {f"{name}_zh": self.zh, f"{name}_en": self.en}


def both(text: str) -> Said:
    return Said(text, text)


def joined(parts: Sequence[Said], zh: str = "，", en: str = ", ") -> Said:
    return Said(zh.join(part.zh for part in parts), en.join(part.en for part in parts))


def listed(parts: Sequence[Said], *, last_zh: str = "和", last_en: str = " and ") -> Said:
    """Return `a, b and c`."""
    if len(parts) < 2:
        return parts[0] if parts else both("")
    head, tail = joined(parts[:-1], "、", ", "), parts[-1]
    return Said(f"{head.zh}{last_zh}{tail.zh}", f"{head.en}{last_en}{tail.en}")


class Named(Protocol):
    """An input or an output."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> Any: ...


def name_of(column: Named) -> Said:
    """Return how people call a column: its title, else its name."""
    return of_text(column.title, column.name)


def of_text(text: Any, otherwise: str) -> Said:
    """Return a text of a document, which may be in one language or in both; without one, what stands in for it."""
    if isinstance(text, Mapping) and {"zh", "en"} <= text.keys():
        return Said(str(text["zh"]), str(text["en"]))
    return both(text) if isinstance(text, str) and text else both(otherwise)


def value_words(value: Value, unit: str | None = None) -> Said:
    """Return a value as people read it, with its unit."""
    if value is ABSENT:
        return Said("缺失", "absent")
    if isinstance(value, Mapping) and value.keys() == {"zh", "en"}:
        return Said(str(value["zh"]), str(value["en"]))
    if value == "":
        return both('""')
    text = shown(value)
    return both(f"{text} {unit}" if unit and value is not None else text)


def answer_words(answer: Value, outputs: Iterable[Named] = ()) -> Said:
    """Return an answer of a table in words: the value alone where there is one output, else `name value, …`.

    Shapes: `outputs` are those that have titles; a name without one stands for itself.
    """
    if answer is ABSENT:
        return Said("没有回答", "no answer")
    if isinstance(answer, list):
        return listed([answer_words(each, outputs) for each in answer]) if answer else Said("空列表", "an empty list")
    if isinstance(answer, Mapping):
        if len(answer) == 1:
            return value_words(next(iter(answer.values())))
        titles = {output.name: name_of(output) for output in outputs}
        return joined([pair(titles.get(name, both(name)), value_words(value)) for name, value in answer.items()])
    return value_words(answer)


def pair(name: Said, value: Said) -> Said:
    """Return `name value`."""
    return Said(f"{name.zh} {value.zh}", f"{name.en} {value.en}")


def facts_words(columns: Sequence[Column], facts: Mapping[str, Value]) -> Said:
    """Return facts as `score 79.5, authority false`, in the order of columns."""
    return joined([pair(name_of(one), value_words(facts.get(one.name, ABSENT), one.unit)) for one in columns])

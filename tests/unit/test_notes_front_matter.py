"""Front matter as most notes have it is read without YAML, and gives exactly what YAML gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.adapters.notes.front_matter import _plain_values, _values, read_front_matter
from tests.draws import draws

#: What it is ; the text between the two lines of three dashes.
PLAIN = [
    ("a text", "title: 前端性能优化\n"),
    ("words with blanks", "title: Budget of 2026 年度\n"),
    ("a path and a version", "file: notes/a-b_c.md\nversion: v1.2\n"),
    ("a day", "created: 2026-01-31\n"),
    ("an instant", "updated: 2026-01-31T08:00:00+08:00\ncreated: 2026-01-31 08:00\n"),
    ("a list in a line", "tags: [项目/北极星, 预算, b]\n"),
    ("a list below", "tags:\n  - 项目/北极星\n  - 2026-01-01\n"),
]
NOT_PLAIN = [
    ("a word of YAML", "starred: true\n"),
    ("a word of YAML in a list", "tags: [a, no]\n"),
    ("a number", "id: 7\n"),
    ("zeros in front", "id: 007\n"),
    ("a name that stands twice", "id: a\nid: b\n"),
    ("a name that is a word of YAML", "on: a\n"),
    ("quotes", "title: 'a: b'\n"),
    ("a colon inside", "title: a: b\n"),
    ("a comment", "title: a # b\n"),
    ("a full-width colon", "标题：a\n"),
    ("nothing behind the colon", "tags:\n"),
    ("two blanks", "title:  a\n"),
    ("a blank at the end", "title: a \n"),
    ("a tab", "title:\ta\n"),
    ("an empty line", "title: a\n\nid: b\n"),
    ("an anchor", "title: &a b\n"),
    ("a list inside a list", "tags: [a, [b]]\n"),
    ("an empty list", "tags: []\n"),
    ("another indent", "tags:\n    - a\n  - b\n"),
    ("a text of two lines", "title: a\n  b\n"),
    ("no value at all", "just a text\n"),
]


@pytest.mark.parametrize(("why", "text"), PLAIN)
def test_the_plainest_front_matter_is_read_without_yaml(why: str, text: str) -> None:
    found = _plain_values(text)
    assert found is not None, why
    assert (found, None) == _values(text), why


@pytest.mark.parametrize(("why", "text"), NOT_PLAIN)
def test_anything_else_is_left_to_yaml(why: str, text: str) -> None:
    assert _plain_values(text) is None, why
    assert read_front_matter(f"---\n{text}---\n").values is not None


def test_front_matter_of_blanks_says_nothing_and_is_no_problem() -> None:
    assert read_front_matter("---\n \n\n---\na").values == {}
    assert read_front_matter("---\n \n\n---\na").problem is None


NAMES = st.sampled_from(["id", "title", "tags", "Tags", "on", "true", "a-b", "a_1", "when", "that", "x" * 41])
PIECES = st.sampled_from(
    [*"aZ0-_./ 中：，、,#:'[](){}&*!|>%@`~=?", "true", "no", "null", "1e3", "0x1", ".5", "2026-01-31", "T08:00", "  - "]
)
VALUES = st.lists(PIECES, max_size=4).map("".join)


def written(entry: tuple[str, str, str]) -> str:
    name, form, value = entry
    return form.format(name, value, value + "b")


ENTRIES = st.tuples(NAMES, st.sampled_from(["{}: {}\n", "{}: [{}, {}]\n", "{}:\n  - {}\n  - {}\n", "{}: {}"]), VALUES)


@given(st.lists(ENTRIES, min_size=1, max_size=4).map(lambda entries: "".join(map(written, entries))))
@settings(max_examples=draws(1000), deadline=None)
def test_what_is_read_without_yaml_is_what_yaml_gives(text: str) -> None:
    found: Any = _plain_values(text)
    if found is not None:
        assert (found, None) == _values(text)
        assert [type(value) for value in found.values()] == [type(value) for value in _values(text)[0].values()]

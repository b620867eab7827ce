"""Strict, located YAML: what is refused, what stays text, where everything stands."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from interpreter.codes.yaml import CODES
from interpreter.diagnostics import Diagnostic, Edit
from interpreter.source import Source, Span
from interpreter.yaml_tree import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    apply_edits,
    eaten_paths,
    look_alikes,
    mend,
    places,
    read_source,
    read_tree,
    surprises,
    to_value,
    unseen,
)
from interpreter.yaml_tree.quoting import LIKELY_KEYS

CASES = Path(__file__).parents[1] / "cases" / "yaml"


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").split("\n") if line]


def _read(text: str) -> tuple[Node | None, list[Diagnostic]]:
    return read_tree(Source("x.yaml", text))


def _mapping(text: str) -> Mapping:
    root, found = _read(text)
    assert found == []
    assert isinstance(root, Mapping)
    return root


def _shown(found: list[Diagnostic]) -> list[str]:
    return [f"{one.span.begins.line}:{one.span.begins.column} {one.code}" for one in found if one.span]


# --- findings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", _rows("findings.jsonl"), ids=lambda case: case["name"])
def test_each_cause_is_one_finding_at_its_place(case: dict[str, Any]) -> None:
    assert _shown(_read(case["text"])[1]) == case["findings"]


@pytest.mark.parametrize("case", _rows("findings.jsonl"), ids=lambda case: case["name"])
def test_fixing_gives_the_text_that_was_meant_and_is_done_once(case: dict[str, Any]) -> None:
    root, found = _read(case["text"])
    fixed = apply_edits(case["text"], [one.edit for one in found if one.edit])
    assert fixed == (case["fixed"] or case["text"])
    again, left = _read(fixed)
    assert [one.code for one in left] == [one.code for one in found if one.edit is None]
    assert not [one for one in left if one.edit]
    if not left:
        assert root is not None
        assert again is not None
        assert to_value(again) == to_value(root)


VALID = sorted((CASES.parent / "lint" / "valid").glob("*.yaml"))


@pytest.mark.parametrize("by", [-1, 1], ids=["one blank too few", "one blank too many"])
@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_a_list_item_that_slipped_by_one_blank_is_said_once_and_nothing_else(path: Path, by: int) -> None:
    """Alone or with all its lines, wherever an item stands above it; the rest is read as it was meant."""
    lines = path.read_text(encoding="utf-8").split("\n")
    meant = to_value(_whole(lines))
    for first, last in _later_items(lines):
        for end in {first + 1, last}:
            moved = [" " + line if by > 0 else line[1:] for line in lines[first:end]]
            root, found = _read("\n".join([*lines[:first], *moved, *lines[end:]]))
            assert [(one.code, one.span and one.span.begins.line) for one in found] == [
                ("yaml/item-indentation", first + 1)
            ], lines[first]
            assert root is not None
            assert to_value(root) == meant, lines[first]


@pytest.mark.parametrize("by", [-1, 1], ids=["one blank too few", "one blank too many"])
@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_the_first_dash_of_a_list_that_slipped_alone_is_said_once_and_nothing_else(path: Path, by: int) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    meant = to_value(_whole(lines))
    for number in _first_dashes(lines):
        moved = " " + lines[number] if by > 0 else lines[number][1:]
        root, found = _read("\n".join([*lines[:number], moved, *lines[number + 1 :]]))
        assert [(one.code, one.span and one.span.begins.line) for one in found] == [
            ("yaml/item-indentation", number + 1)
        ], lines[number]
        assert root is not None
        assert to_value(root) == meant, lines[number]


def _first_dashes(lines: list[str]) -> Iterator[int]:
    """Yield the first items of lists whose other keys and whose next dash say where theirs belongs."""
    later = dict(_later_items(lines))
    for number, line in enumerate(lines):
        column = len(line) - len(line.lstrip())
        has_keys = re.match(r" +- \w+: [^|>&#]", line) and re.match(rf" {{{column + 2}}}\w+:", lines[number + 1])
        if not has_keys or number in later:
            continue
        behind = (one for one in range(number + 1, len(lines)) if not lines[one].startswith(" " * (column + 1)))
        if lines[next(behind, -1)].startswith(" " * column + "- "):
            yield number


def _whole(lines: list[str]) -> Node:
    root, _ = _read("\n".join(lines))
    assert root is not None
    return root


def _later_items(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the items of lists that are not the first of theirs: the place of their dash, and where they end."""
    open_lists: list[int] = []
    for number, line in enumerate(lines):
        column = len(line) - len(line.lstrip())
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        is_item = line.lstrip().startswith("- ")
        is_later = is_item and column in open_lists
        open_lists = [one for one in open_lists if one < column] + ([column] if is_item else [])
        if is_later:
            end = number + 1
            while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > column:
                end += 1
            yield number, end


def test_a_list_item_that_fits_nothing_is_not_told_to_begin_as_it_does() -> None:
    _, found = _read("a:\n  - {b: 1}\n     - {c: 1}\n")
    assert [one.message.en for one in found] == [
        "YAML cannot read this: the indentation of this list item fits none of the items above"
    ]


@pytest.mark.parametrize("case", _rows("silent.jsonl"), ids=lambda case: case["name"])
def test_nothing_is_said_of_what_is_meant_as_it_stands(case: dict[str, Any]) -> None:
    root, found = _read(case["text"])
    assert _shown(found) == []
    assert root is not None
    assert json.loads(json.dumps(to_value(root), default=str)) == case["value"]


@pytest.mark.parametrize(
    "text",
    [
        "{title: the drive's own, note: it won't open}\n",
        "{when: query == '资料', to: DONE}\n",
        "where: line | starts_with('：')\n",
        "zh: 可用引号、-排除词、intitle:、OR。\n",
    ],
)
def test_a_clean_document_is_read_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mend, "find_mends", lambda text: pytest.fail("looked for what its author may have meant"))
    assert _read(text)[1] == []


def test_the_hint_is_the_whole_line_with_everything_on_it_mended() -> None:
    _, found = _read("next:\n  - {when: x != [], to: {{ y }}}\n")
    assert [one.hint.en for one in found if one.hint] == ["write the line as: - {when: 'x != []', to: '{{ y }}'}"] * 2


def test_a_full_width_finding_names_the_mark_and_its_half_width_form() -> None:
    _, [one] = _read("name：x\nb: 1\n")
    assert "： → :" in one.message.zh
    assert "： → :" in one.message.en


def test_a_duplicate_key_shows_both_lines() -> None:
    _, [one] = _read("a: 1\nb: 2\na: 3\n")
    assert "1" in one.message.en
    assert "3" in one.message.en
    assert [related.span.begins.line for related in one.related] == [1]


def test_the_words_for_what_is_unreadable_are_in_both_languages() -> None:
    _, [one] = _read("a: 1\nb c\nd: 2\n")
    assert "冒号" in one.message.zh
    assert "colon" in one.message.en


def test_a_value_that_stands_for_nothing_says_so() -> None:
    root, found = _read("a: [1, 2\nb: 3\n")
    assert isinstance(root, Mapping)
    assert len(found) == 1
    broken, whole = root.get("a"), root.get("b")
    assert isinstance(broken, Scalar)
    assert isinstance(whole, Scalar)
    assert broken.broken
    assert not whole.broken


def test_deep_nesting_is_one_finding() -> None:
    _, found = _read("[" * 300 + "]" * 300)
    assert [one.code for one in found] == ["yaml/too-deeply-nested"]
    _, found = _read("a: " + "[" * 99 + "]" * 99)
    assert found == []


def test_aliases_are_allowed_up_to_a_number_of_nodes() -> None:
    bomb = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    for name, inner in zip("bcdefgh", "abcdefg", strict=True):
        bomb += f"{name}: &{name} [" + ", ".join([f"*{inner}"] * 9) + "]\n"
    _, found = _read(bomb)
    assert [one.code for one in found] == ["yaml/too-many-aliases"]
    assert to_value(_mapping("a: &a [1]\nb: *a\n")) == {"a": [1], "b": [1]}


def test_a_chain_of_aliases_is_not_deeper_than_the_limit() -> None:
    text = "a0: &a0 [" + "[" * 60 + "]" * 60 + "]\n" + "a1: " + "[" * 60 + "*a0" + "]" * 60 + "\n"
    assert [one.code for one in _read(text)[1]] == ["yaml/too-deeply-nested"]


def test_a_file_name_that_cannot_be_is_a_finding() -> None:
    source, found = read_source("n" * 5_000, "shown.yaml")
    assert source is None
    assert len(found) == 1


def test_a_huge_text_is_refused_unread() -> None:
    root, found = _read("a: 1\n" * 1_000_000)
    assert root is None
    assert [one.code for one in found] == ["yaml/too-large"]


_FILE_CODES = (
    "file-missing", "file-is-device", "file-is-folder", "file-unreadable", "encoding", "not-utf-8", "too-large"
)  # fmt: skip
_OWN_TESTS = ("surprise", "too-deeply-nested", "too-many-aliases", "path-with-escape", "look-alike")


def test_every_code_of_the_table_is_given_by_a_case() -> None:
    given = {line.split()[1] for case in _rows("findings.jsonl") for line in case["findings"]}
    assert given | {f"yaml/{name}" for name in _FILE_CODES + _OWN_TESTS} == set(CODES)


@pytest.mark.parametrize("case", _rows("findings.jsonl"), ids=lambda case: case["name"])
def test_every_message_and_hint_is_complete_in_both_languages(case: dict[str, Any]) -> None:
    holes = {
        "{line}",
        "{marks}",
        "{found}",
        "{reason}",
        "{key}",
        "{near}",
        "{mark}",
        "{count}",
        "{rest}",
        "{column}",
        "{others_zh}",
        "{others_en}",
    }
    for one in _read(case["text"])[1]:
        for words in (one.message, one.hint or one.message):
            for text in words:
                assert text
                assert not [hole for hole in holes if hole in text]


def test_keys_that_may_have_lost_their_comma_are_keys_of_the_schemas() -> None:
    known: set[str] = set()
    for path in (Path(__file__).parents[2] / "schemas").glob("*.json"):
        waiting: list[Any] = [json.loads(path.read_text("utf-8"))]
        while waiting:
            found = waiting.pop()
            if isinstance(found, dict):
                known.update(found.get("properties", ()))
            waiting += list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else []
    assert known >= LIKELY_KEYS


@pytest.mark.parametrize(
    "text",
    [
        *("a: 'b\nc: 1\n", "a: [b\nc: }\n", "- a\nb\n", "a: !<x\n", "a: |0\n  b\n", "a: |x\n  b\n", "&\n", "a: `b\n"),
        *("%\n", "a: *\n", "? a: b\n  c\n", "a: !x%zz b\n", "a: 'b\n---\n", "{a: b\n", "a: {? }\n", "\ta: [\n"),
    ],
)
def test_what_the_library_says_is_never_shown_as_it_is(text: str) -> None:
    for one in _read(text)[1]:
        assert re.search("[\u4e00-\u9fff]", one.message.zh)
        assert not re.search("did not find|while |could not find|token|found ", one.message.en)


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value", "surprise"),
    [
        ("true", True, None),
        ("false", False, None),
        ("null", None, None),
        ("", None, None),
        ("0", 0, None),
        ("-12", -12, None),
        ("1.50", Decimal("1.50"), None),
        ("-0.5", Decimal("-0.5"), None),
        ("9" * 34, int("9" * 34), None),
        ("NO", "NO", "boolean-word"),
        ("Off", "Off", "boolean-word"),
        ("y", "y", "boolean-word"),
        ("True", "True", "boolean-word"),
        ("~", "~", "null-word"),
        ("012", "012", "octal"),
        ("00", "00", "octal"),
        ("0o17", "0o17", "octal"),
        ("0x1F", "0x1F", "hexadecimal"),
        ("0b11", "0b11", "binary"),
        ("1_000", "1_000", "underscore"),
        ("12:30", "12:30", "sexagesimal"),
        ("12:30:45.5", "12:30:45.5", "sexagesimal"),
        ("1e3", "1e3", "exponent"),
        ("1.5E-3", "1.5E-3", "exponent"),
        (".5", ".5", "bare-point"),
        ("5.", "5.", "bare-point"),
        ("+5", "+5", "plus-sign"),
        (".inf", ".inf", "not-a-number"),
        ("2024-01-31", "2024-01-31", "date"),
        ("2024-01-31T10:00:00Z", "2024-01-31T10:00:00Z", "date"),
        ("1.0.0", "1.0.0", None),
        ("7d", "7d", None),
        ("-", "-", None),
        ("'yes'", "yes", None),
        ('"012"', "012", None),
        ("１２", "１２", None),
    ],
)
def test_only_json_like_values_are_not_text(written: str, value: object, surprise: str | None) -> None:
    text = f"k: {written}\n" if written != "-" else "k: '-'\n"
    node = _mapping(text).get("k")
    assert isinstance(node, Scalar)
    assert node.value == value
    assert type(node.value) is type(value)
    assert node.surprise == surprise


def test_surprises_are_warnings_that_quote_what_was_typed() -> None:
    text = "regions: [CN, US, NO]\nanswer: no\non: 1\n"
    root = _mapping(text)
    found = surprises(root)
    assert _shown(found) == ["1:19 yaml/surprise", "2:9 yaml/surprise", "3:1 yaml/surprise"]
    fixed = apply_edits(text, [one.edit for one in found if one.edit])
    assert fixed == 'regions: [CN, US, "NO"]\nanswer: "no"\n"on": 1\n'
    assert to_value(_mapping(fixed)) == to_value(root)


# --- places -----------------------------------------------------------------------------------------------------------


def test_every_node_has_the_place_where_it_stands() -> None:
    text = "a:\n  - b: 中文 # c\n    d: {e: 'f'}\n\n# end\ng: |\n  h\n\ni: 1\n"
    spans = places(_mapping(text))
    at = {path: text[span.start : span.end] for path, span in spans.items()}
    assert at[("a", 0, "b")] == "中文"
    assert at[("a", 0, "d")] == "{e: 'f'}"
    assert at[("a", 0, "d", "e")] == "'f'"
    assert at[("a",)] == "- b: 中文 # c\n    d: {e: 'f'}"
    assert at[("g",)] == "|\n  h"
    assert at[()].endswith("i: 1")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a b", "a b"),
        ("'it''s'", "it's"),
        ('"a\\tb\\u4e2dc"', "a\tb中c"),
        ("|\n  one\n\n    two\n  three", "one\n\n  two\nthree\n"),
        ("|-\n  one\n  two", "one\ntwo"),
    ],
)
def test_every_character_of_a_value_has_its_place(written: str, text: str) -> None:
    document = f"k: {written}\n"
    node = _mapping(document).get("k")
    assert isinstance(node, Scalar)
    assert node.text == text
    assert len(node.offsets) == len(text)
    assert list(node.offsets) == sorted(node.offsets)
    for offset, mark in zip(node.offsets, text, strict=True):
        assert document[offset] in (mark, "\\")


@pytest.mark.parametrize("written", [">\n  a\n  b", "'a\n  b'", "a\n  b"])
def test_folded_characters_have_no_places_of_their_own(written: str) -> None:
    node = _mapping(f"k: {written}\n").get("k")
    assert isinstance(node, Scalar)
    assert node.offsets == ()


def test_places_in_a_mended_line_are_those_of_the_document() -> None:
    text = "a: {{ x }} y\nb: {c: x != [], d: e}\n"
    root, _ = _read(text)
    assert isinstance(root, Mapping)
    scalar, inner = root.get("a"), root.get("b")
    assert isinstance(scalar, Scalar)
    assert isinstance(inner, Mapping)
    assert [text[offset] for offset in scalar.offsets] == list("{{ x }} y")
    last = inner.get("d")
    assert last is not None
    assert text[last.span.start : last.span.end] == "e"


def test_a_mapping_gives_its_keys_and_values_by_name() -> None:
    root = _mapping("a: 1\nb: [2]\n")
    key = root.key("b")
    assert key is not None
    assert key.span.begins == (2, 1)
    assert isinstance(root.get("b"), Sequence)
    assert root.get("c") is None
    assert "a" in root
    assert "c" not in root


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "code", "named"),
    [
        ("名: 值\n".encode("utf-16"), "yaml/encoding", "UTF-16"),
        ("name: value of it\n".encode("utf-16-le"), "yaml/encoding", "UTF-16"),
        ("标题: 主题资料收集\n".encode("gbk"), "yaml/encoding", "GBK"),
        ("名: 值\n".encode("utf-32"), "yaml/encoding", "UTF-32"),
        (b"a: 1\nb: caf\xe9\n", "yaml/not-utf-8", "0xE9"),
        ("标题: 朱镕基、李堃\n".encode("gbk"), "yaml/encoding", "GBK"),
        ("标题: 收集".encode()[:-1], "yaml/not-utf-8", "0xE9"),
        (b"a: \xed\xa0\xbd\xed\xb8\x80\n", "yaml/not-utf-8", "0xED"),
        ("題: 日本語\n".encode("shift_jis"), "yaml/not-utf-8", "0x91"),
        (b"\x89PNG\r\n\x1a\n\x00", "yaml/not-utf-8", "0x89"),
    ],
)
def test_another_encoding_is_named_with_the_way_out(tmp_path: Path, content: bytes, code: str, named: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    source, [one] = read_source(path, "x.yaml")
    assert source is None
    assert one.code == code
    assert named in one.message.zh
    assert one.hint is not None
    assert "UTF-8" in one.hint.en


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb:\r\n  - c\r\n")
    source, found = read_source(path, "x.yaml")
    assert found == []
    assert source is not None
    root, found = read_tree(source)
    assert found == []
    assert isinstance(root, Mapping)
    assert to_value(root) == {"a": 1, "b": ["c"]}
    assert places(root)[("b", 0)].begins == (3, 5)


def test_what_is_no_readable_file_is_a_finding(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, code in (
        (tmp_path / "missing.yaml", "yaml/file-missing"),
        (tmp_path, "yaml/file-is-folder"),
        (tmp_path / "pipe", "yaml/file-is-device"),
        (Path(os.devnull), "yaml/file-is-device"),
        ("a\0b", "yaml/file-missing"),
    ):
        source, found = read_source(path, "shown.yaml")
        assert source is None
        assert [one.code for one in found] == [code]
        assert (found[0].span is None) == (code == "yaml/file-missing")  # what is not there has no first line
        assert "shown.yaml" in found[0].message.en or found[0].span is not None


# --- edits ------------------------------------------------------------------------------------------------------------


def test_of_two_edits_that_overlap_the_first_is_made() -> None:
    source = Source("x", "abcdef")
    edits = [Edit(Span(source, 3, 5), "-"), Edit(Span(source, 1, 4), "+"), Edit(Span(source, 6, 6), "!")]
    assert apply_edits(source.text, edits) == "a+ef!"
    assert apply_edits(source.text, []) == "abcdef"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("n", "YAML 1.1 reads it as false"),
        ("Y", "YAML 1.1 reads it as true"),
        ("off", "YAML 1.1 reads it as false"),
        ("2026-08-01", "YAML 1.1 reads it as a date"),
        ("1:30", "YAML 1.1 reads it as a number to the base 60"),
        ("0755", "other programs may read it as an octal number"),
        ("1e5", "other programs may read it as a number"),
        ("~", "other programs read it as null"),
        (".nan", "other programs read it as infinity or as no number"),
    ],
)
def test_a_surprise_says_what_others_read(text: str, why: str) -> None:
    assert [one.message.en for one in surprises(_mapping(f"a: {text}\n"))] == [f"{text} is text here; {why}"]


@pytest.mark.parametrize(
    ("mark", "is_said"),
    [
        *((mark, True) for mark in "\u00ad\u200b\u202a\u202e\u2060\u2066\u2069\U000e0041"),
        *((mark, False) for mark in "\u200c\u200d\u200e\ufe0f\u3000\u00a0é资"),
    ],
    ids=lambda one: f"U+{ord(one):04X}" if isinstance(one, str) else str(one),
)
def test_a_document_holds_no_mark_that_nobody_sees(mark: str, is_said: bool) -> None:
    source = Source("x.yaml", f"a: b\nc: x{mark}y{mark}\n")
    found = unseen(source)
    places = [(one.code, one.span.begins.line, one.span.begins.column) for one in found if one.span is not None]
    assert places == ([("yaml/control-character", 2, 5)] if is_said else [])
    assert read_tree(source)[1] == []  # data that are read may hold it


ONE, TWO = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{ONE}: a\n{TWO}: b\n", [(2, 1)]),
        (f"- {{id: {TWO}}}\n- {{id: {ONE}}}\n- {{id: {TWO}}}\n- {{id: {ONE}}}\n", [(2, 8)]),
        (f"states:\n  {ONE}: a\nto: {TWO}\n", [(3, 5)]),
        (f'"{ONE}": a\nb: "{TWO}"\n', [(2, 4)]),
        ("\ud55c: a\n\u1112\u1161\u11ab: b\n", [(2, 1)]),
        ("\u7981: a\n\ufa5f: b\n\u8005: c\n\ufa5b: d\n", [(4, 1)]),
        (f"{TWO}: a\n{TWO}s: b\nc: {TWO}\n", []),
        (f'{ONE}: a\n"cafe\\u0301": b\n', []),
        (f"a: {ONE * 100}\nb: {TWO * 100}\n", []),
    ],
)
def test_texts_that_look_the_same_and_are_not_are_told_with_both_places(
    text: str, found: list[tuple[int, int]]
) -> None:
    root, problems = _read(text)
    assert root is not None
    assert problems == []
    told = look_alikes(root)
    assert [tuple(one.span.begins) for one in told if one.span is not None] == found
    assert all(one.code == "yaml/look-alike" and len(one.related) == 1 for one in told)


@pytest.mark.parametrize(
    ("written", "escape"),
    [
        ('"C:\\temp"', "\\t"),
        ('"d:\\new\\temp"', "\\n"),
        ('"C:\\\\temp"', None),
        ("'C:\\temp'", None),
        ("C:\\temp", None),
        ('"a:\\n b"', None),
        ('"C:/temp"', None),
    ],
)
def test_a_path_whose_first_letter_makes_an_escape_is_said(written: str, escape: str | None) -> None:
    found = eaten_paths(_mapping(f"a: {written}\n"))
    assert [one.message.en.partition(" ")[0] for one in found] == ([escape] if escape is not None else [])
    assert all(one.hint is not None and "single quotes" in one.hint.en for one in found)

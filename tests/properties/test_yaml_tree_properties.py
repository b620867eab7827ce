"""What holds for any text, and for any document that an author may have meant."""

from __future__ import annotations

import string
from decimal import Decimal
from unittest import mock

import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from interpreter.diagnostics import has_errors
from interpreter.source import Source
from interpreter.yaml_tree import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    apply_edits,
    places,
    read_tree,
    surprises,
    to_value,
    unseen,
)

LOOSE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

FRAGMENTS = st.sampled_from(
    [
        *(
            "a",
            "b: ",
            "key:",
            "- ",
            "-",
            "\n",
            "\n  ",
            "\n    ",
            "\n\t",
            " ",
            "{",
            "}",
            "[",
            "]",
            "{{ x }}",
            "{% if a %}",
        ),
        *(
            ", ",
            ",",
            ": ",
            ":",
            " #",
            "#",
            "'",
            '"',
            "|\n",
            ">\n",
            ">",
            "|",
            "a | f",
            "&a ",
            "*a",
            "*b",
            "!t ",
            "!!str ",
        ),
        *("%YAML 1.1\n", "---\n", "...\n", "<<: ", "? ", "1", "01", "1.5", "true", "no", "~", "x == 'a", "f(b=1, c=2)"),
        *("：", "，", "“", "”", "｛｛", "｝｝", "（", "）", "\u3000", "－ ", "＃", "中文", "😀", "\\", "\\q"),
        *("\x00", "\x07", "\ud800", "\ufeff", "\u2028", "\x85", "\r\n", "\r"),
    ]
)
TEXTS = st.one_of(
    st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=60),
    st.lists(FRAGMENTS, max_size=25).map("".join),
)


@given(TEXTS)
@LOOSE
@example("[" * 5_000)
@example("{a: " * 300)
@example("- " * 500)
@example('{a: [ "]",\n' * 40)
@example("a: &x [" + "1, " * 200 + "]\nb: [" + "*x, " * 200 + "]\n")
@example("%TAG ! tag:x,2000:\n" * 500)
@example("\u3000&0")
@example("- &a\n- &b ")
def test_any_text_gives_a_tree_or_a_finding(text: str) -> None:
    source = Source("x", text)
    root, found = read_tree(source)
    assert root is not None or found
    for one in found:
        assert one.span is not None
        assert 0 <= one.span.start <= one.span.end <= len(text)
        assert "{" + "line}" not in one.message.zh
    if root is not None:
        surprises(root)
        places(root)
        to_value(root)


@given(TEXTS)
@LOOSE
def test_accepted_documents_have_the_texts_that_a_plain_loader_reads(text: str) -> None:
    root, found = read_tree(Source("x", text))
    if root is None or found or "*" in text or "<<" in text:
        return
    assert _texts(root) == yaml.load(text, Loader=yaml.CBaseLoader)


def _texts(node: Node) -> object:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [_texts(item) for item in node.items]
    return {key.text: _texts(value) for key, value in node.entries}


MARKS = " .,:;-_#[]{}!&*%@|>\\/\n\t"
WORDS = st.text(alphabet=string.ascii_letters + string.digits + MARKS + "中文资料é😀", max_size=30)
QUOTES = st.text(alphabet="ab'\" \n:#\\", max_size=12)
KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_ .-]{0,10}[a-z]", fullmatch=True)


def _data(texts: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    return st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(-(10**30), 10**30), texts),
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
        max_leaves=12,
    )


#: Data and the dumper's style. In flow style an odd quotation mark looks like an expression that a comma cut.
DUMPED = st.one_of(
    st.tuples(_data(WORDS), st.sampled_from([None, True, False])),
    st.tuples(_data(QUOTES), st.just(False)),
)


@given(DUMPED)
@LOOSE
def test_whatever_a_dumper_writes_is_read_back_exactly(dumped: tuple[object, bool | None]) -> None:
    data, flow = dumped
    text = yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow, sort_keys=False)
    root, found = read_tree(Source("x", text))
    assert not has_errors(found), text
    assert root is not None
    assert to_value(root) == data, text


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**20), max_value=10**20))
@LOOSE
def test_decimals_keep_their_digits(number: Decimal) -> None:
    root, found = read_tree(Source("x", f"a: {number:f}\n"))
    assert not found
    assert isinstance(root, Mapping)
    value = to_value(root)["a"]  # type: ignore[index, call-overload]
    assert isinstance(value, Decimal)
    assert str(value) == f"{number:f}"


@given(DUMPED)
@LOOSE
def test_the_text_at_a_place_is_the_scalar_as_typed(dumped: tuple[object, bool | None]) -> None:
    data, flow = dumped
    text = yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow, sort_keys=False)
    root, _ = read_tree(Source("x", text))
    assert root is not None
    for scalar in _all_scalars(root):
        written = text[scalar.span.start : scalar.span.end]
        if scalar.style == "plain" and "\n" not in written:
            assert written == scalar.text
        if scalar.style == "quoted":
            assert written[0] == written[-1]
            assert written[0] in "'\""
        for offset, mark in zip(scalar.offsets, scalar.text, strict=bool(scalar.offsets)):
            if text[offset] != "\\" and mark != "\n":
                assert text[offset] == mark


def _all_scalars(node: Node) -> list[Scalar]:
    if isinstance(node, Scalar):
        return [node]
    if isinstance(node, Sequence):
        return [scalar for item in node.items for scalar in _all_scalars(item)]
    return [scalar for key, value in node.entries for scalar in (key, *_all_scalars(value))]


_PIECES = st.sampled_from(
    [
        *("{{ a }}", "{{ a.b | f(c, d=1) }}", "{% if x %}", "{% endif %}", "{{ 'a #1' }}", "[]", "[a, b]", "{}"),
        *("!", "&", "*", "%", "@", ">", "!=", "==", ">=", "|", ": ", "a: b", "'a'", '"b"', "(a, b)", "1", "in"),
        *("x", "item.title", "副本"),
    ]
)
TYPED = (
    st.lists(_PIECES, min_size=1, max_size=5)
    .map(" ".join)
    .map(str.strip)
    .filter(lambda typed: typed[0] not in "|>" or " " in typed)
)
"""Values as an author types them, without quotation marks around the whole."""


def _meant(typed: str) -> bool:
    """Tell whether a value is read by YAML as something other than text: then the author may have meant that."""
    try:
        read = yaml.load(f"k: {typed}\n", Loader=yaml.CBaseLoader)["k"]
    except yaml.YAMLError:
        return False
    return read != typed and not typed.startswith(("{{", "{%"))


@given(st.lists(TYPED.filter(lambda typed: not _meant(typed)), min_size=1, max_size=5))
@LOOSE
def test_a_mended_value_has_the_characters_that_were_typed(values: list[str]) -> None:
    text = "".join(f"k{index}: {value}\n" for index, value in enumerate(values))
    root, found = read_tree(Source("x", text))
    assert root is not None
    assert _texts(root) == {f"k{index}": value for index, value in enumerate(values)}
    fixed = apply_edits(text, [one.edit for one in found if one.edit])
    again, left = read_tree(Source("x", fixed))
    assert again is not None
    assert _texts(again) == _texts(root)
    assert not [one for one in left if one.edit], fixed


@given(st.lists(FRAGMENTS, max_size=25).map("".join))
@LOOSE
def test_fixing_ends(text: str) -> None:
    for _ in range(8):
        _, found = read_tree(Source("x", text))
        fixed = apply_edits(text, [one.edit for one in found if one.edit])
        if fixed == text:
            return
        text = fixed
    raise AssertionError(text)


#: Keys and values of one mapping; behind a value, whether its comma or line break is left out.
ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(["done", "next", "writes", "when", "to", "id", "with", "zh", "en"]),
        st.sampled_from(["a", "b c", "{{ x }}", "'y'", "x == 'z'", "1", "found > 2", "好"]),
        st.booleans(),
    ),
    min_size=2,
    max_size=4,
    unique_by=lambda entry: entry[0],
)


@given(ENTRIES, st.sampled_from([" ", "; ", "；"]), st.booleans())
@LOOSE
def test_a_fix_never_takes_a_key_into_the_value_before_it(
    entries: list[tuple[str, str, bool]], instead: str, in_braces: bool
) -> None:
    between = ", " if in_braces else "\n  "
    text = "".join(
        f"{key}: {value}{instead if is_lost and number < len(entries) - 1 else between}"
        for number, (key, value, is_lost) in enumerate(entries)
    )
    text = f"- {{{text.removesuffix(between)}}}\n" if in_braces else f"- {text.rstrip()}\n"
    root, found = read_tree(Source("x", text))
    assert root is not None
    for one in found:
        if one.edit is not None:
            written = one.edit.text.removeprefix("'").removeprefix('"')
            assert not [key for key, _, _ in entries if f"{key}: " in written], (text, one.edit.text)


@given(
    st.text(max_size=6)
    | st.text(st.sampled_from("\x00\x7f\x85\xa0\xad\u200b\u2028\u2066\u3000\ufeff资 \t\r\n"), max_size=6)
)
def test_what_is_printable_is_neither_replaced_nor_unseen(text: str) -> None:
    source = Source("x", f"a: '{text}'\n")
    quickly = read_tree(source)[1], unseen(source)
    with (
        mock.patch("interpreter.yaml_tree.tree.is_printable", return_value=False),
        mock.patch("interpreter.yaml_tree.unseen.is_printable", return_value=False),
    ):
        assert (read_tree(source)[1], unseen(source)) == quickly

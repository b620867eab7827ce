"""Loading and checking never raise, whatever stands in the documents."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.check import check_documents
from interpreter.diagnostics import Diagnostic
from interpreter.documents.loading import load_workflow
from interpreter.documents.reading import Recorded
from tests.draws import draws

CASES = Path(__file__).parent.parent / "cases" / "lint"
CLEAN = "a_whole_workflow_is_clean.yaml"
NAMES = (CLEAN, "types/box.yaml", "tools/box.yaml", "rules/limits.yaml")
TEXTS = {name: (CASES / name).read_text(encoding="utf-8") for name in NAMES}
PIECES = st.sampled_from(
    ("", " ", "\n", ":", "[", "{", "]", "- ", "null", "0", "yes", "{{", "}}", "x: ", "'", "#", "|", "&a ", "*a", "if")
)
HARDER = st.sampled_from(
    ("$ref: '#Thing'", "type: object", "steps:", "each: t", "：", "\u202e", "\ud800", "\t", "()", "==", "..", "[[")
)


def found_in(texts: dict[str, str]) -> list[Diagnostic]:
    documents, problems = load_workflow(CLEAN, Recorded(texts))
    return [*problems, *(check_documents(documents) if documents is not None else [])]


@given(st.sampled_from(NAMES), st.text(max_size=200))
@settings(max_examples=draws(80), deadline=None)
def test_any_text_is_read_without_an_exception(name: str, text: str) -> None:
    for found in found_in({**TEXTS, name: text}):
        assert found.message.en


@given(
    st.sampled_from(NAMES),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 12), PIECES | HARDER), min_size=1, max_size=4),
)
@settings(max_examples=draws(120), deadline=None)
def test_any_change_of_a_valid_document_is_read_without_an_exception(
    name: str, changes: list[tuple[int, int, str]]
) -> None:
    text = TEXTS[name]
    for place, length, piece in changes:
        at = place % (len(text) + 1)
        text = text[:at] + piece + text[at + length :]
    for found in found_in({**TEXTS, name: text}):
        assert found.span is None or found.span.begins.line >= 1


@given(st.data())
@settings(max_examples=draws(60), deadline=None)
def test_lines_left_out_or_moved_are_read_without_an_exception(data: st.DataObject) -> None:
    lines = TEXTS[CLEAN].split("\n")
    gone = data.draw(st.integers(0, len(lines) - 1))
    to = data.draw(st.integers(0, len(lines) - 1))
    moved = data.draw(st.booleans())
    line = lines.pop(gone)
    if moved:
        lines.insert(to, line)
    found_in({**TEXTS, CLEAN: "\n".join(lines)})

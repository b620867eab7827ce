"""The shape of documents: the schema files, the walker over them, and what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from interpreter.codes.shape import CODES
from interpreter.diagnostics import Diagnostic, has_errors
from interpreter.model import DOCUMENT_KINDS
from interpreter.shape import checking as shape
from interpreter.shape.checking import check_shape, kind_of_document, schema_for, schema_text
from interpreter.shape.messages import DOCUMENT, Named, Schema
from interpreter.source import Source
from interpreter.yaml_tree import Mapping, Node, apply_edits, read_tree, to_value

CASES = Path(__file__).parents[1] / "cases" / "shape"
VALID = sorted((CASES / "valid").glob("*.yaml"))
BROKEN = yaml.safe_load((CASES / "broken.yaml").read_text(encoding="utf-8"))
#: Keys whose values are named by the author, not by the language.
NAMES = ("properties", "$defs", "patternProperties", "dependentRequired")


def read(text: str) -> Node:
    node, found = read_tree(Source("demo.yaml", text))
    assert node is not None
    assert not has_errors(found)
    return node


def check(text: str) -> list[Diagnostic]:
    node = read(text)
    kind, found = kind_of_document(node)
    return found + (check_shape(node, kind) if kind is not None else [])


def schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema inside a schema, itself included."""
    if isinstance(schema, dict):
        yield schema
        for word, below in schema.items():
            for part in below.values() if word in NAMES and isinstance(below, dict) else [below]:
                yield from schemas_in(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from schemas_in(part)


# --- the schema files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", DOCUMENT_KINDS)
def test_a_schema_is_json_schema(kind: str) -> None:
    Draft202012Validator.check_schema(dict(schema_for(kind)))


@pytest.mark.parametrize("kind", DOCUMENT_KINDS)
def test_a_schema_uses_only_the_words_that_the_walker_lists(kind: str) -> None:
    listed = set(re.findall(r"`([$\w-]+)`", shape.__doc__ or "")) | {"$schema", "$defs"}
    used = {word for schema in schemas_in(schema_for(kind)) for word in schema}
    assert used <= listed


@pytest.mark.parametrize("kind", DOCUMENT_KINDS)
def test_the_few_free_words_are_used_as_the_walker_takes_them(kind: str) -> None:
    for schema in schemas_in(schema_for(kind)):
        if "$ref" in schema:
            assert set(schema) <= {"$ref", "title", "description"}
            assert schema["$ref"].removeprefix("#/$defs/") in schema_for(kind)["$defs"]
        if "anyOf" in schema and not all(set(part) == {"required"} for part in schema["anyOf"]):
            assert set(schema) <= {"anyOf", "title", "description", "$schema"}
        assert schema.get("not", {}) == {}
        if "propertyNames" in schema:
            assert set(schema["propertyNames"]) == {"$ref"}
            assert "properties" not in schema


@pytest.mark.parametrize("kind", DOCUMENT_KINDS)
def test_every_key_has_title_and_description_in_both_languages(kind: str) -> None:
    whole = schema_for(kind)
    described = [("(document)", whole), *whole["$defs"].items()]
    for schema in schemas_in(whole):
        described += schema.get("properties", {}).items()
    for key, schema in described:
        for word in ("title", "description"):
            zh, *en = schema[word].split(" / ")
            assert len(en) == 1, (key, schema[word])
            assert re.search("[\u4e00-\u9fff]", zh) or not zh.isascii(), (key, zh)
            assert not re.search("[\u4e00-\u9fff]", en[0]), (key, en[0])


@pytest.mark.parametrize("kind", DOCUMENT_KINDS)
def test_a_mapping_with_fixed_keys_takes_notes(kind: str) -> None:
    for schema in schemas_in(schema_for(kind)):
        if schema.get("additionalProperties") is False:
            assert schema["patternProperties"]["^x-"] is True


def test_definitions_of_one_name_are_the_same_in_all_files() -> None:
    known: dict[str, object] = {}
    for kind in DOCUMENT_KINDS:
        for name, definition in schema_for(kind)["$defs"].items():
            assert known.setdefault(name, definition) == definition, name


def test_the_text_of_a_schema_is_the_file_itself() -> None:
    assert json.loads(schema_text("rules")) == schema_for("rules")
    with pytest.raises(KeyError):
        schema_text("../pyproject")


def test_an_installed_package_reads_the_schemas_inside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "rules.schema.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(shape, "__file__", str(tmp_path / "shape" / "checking.py"))
    assert schema_text.__wrapped__("rules") == "{}"


# --- valid documents ----------------------------------------------------------------------------------------


class Recorder(shape._Walker):
    """Remembers every key of the schemas that a document used; a schema is known by what it says."""

    def __init__(self, definitions: Any, used: set[tuple[str, str]]) -> None:
        super().__init__(definitions)
        self.used = used

    def _schema_below(self, word: str, schema: Schema) -> Schema | None:
        self.used.add((json.dumps(schema), word))
        return super()._schema_below(word, schema)


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_a_valid_document_has_no_findings(path: Path) -> None:
    assert check(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_the_reference_accepts_the_valid_documents_too(path: Path) -> None:
    node = read(path.read_text(encoding="utf-8"))
    kind, _ = kind_of_document(node)
    assert kind is not None
    assert [error.message for error in Draft202012Validator(schema_for(kind)).iter_errors(to_value(node))] == []


def test_every_key_of_every_schema_stands_in_a_valid_document() -> None:
    used: set[tuple[str, str]] = set()
    for path in VALID:
        node = read(path.read_text(encoding="utf-8"))
        kind, _ = kind_of_document(node)
        assert kind is not None
        assert list(Recorder(schema_for(kind)["$defs"], used).check(node, schema_for(kind), DOCUMENT)) == []
    keys = {
        (json.dumps(schema), schema.get("title"), key)
        for kind in DOCUMENT_KINDS
        for schema in schemas_in(schema_for(kind))
        for key, below in schema.get("properties", {}).items()
        if "not" not in below
    }
    assert {(title, key) for schema, title, key in keys if (schema, key) not in used} == set()


# --- broken documents ---------------------------------------------------------------------------------------


def found_in(text: str) -> list[tuple[str, int, int]]:
    return sorted((found.code, *found.span.begins) for found in check(text) if found.span is not None)


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case["why"])
def test_a_broken_document_is_told_exactly_what_is_wrong(case: dict[str, Any]) -> None:
    assert found_in(case["text"]) == sorted((code, line, column) for code, line, column, _ in case["findings"])


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case["why"])
def test_a_finding_says_what_to_write(case: dict[str, Any]) -> None:
    hints: dict[tuple[str, int, int], str] = {}
    for found in check(case["text"]):
        assert found.span is not None
        place = (found.code, *found.span.begins)
        hints[place] = hints.get(place, "") + (found.hint.en if found.hint is not None else "")
    for code, line, column, part in case["findings"]:
        assert part in hints[code, line, column]


#: A hint that writes out what stands there in another form.
_WRITTEN_OUT = re.compile(r"write (?:a list: |\w+: )?([{\[].*[}\]])(; allowed: .*)?")


def written_as_told(text: str, found: Diagnostic) -> str | None:
    """Return a document with the value at fault as the hint writes it; None where the hint does not write it out."""
    written = _WRITTEN_OUT.fullmatch(found.hint.en) if found.hint is not None else None
    if written is None or found.span is None or found.code not in ("shape/wrong-kind", "shape/not-among"):
        return None
    return text[: found.span.start] + written[1] + text[found.span.end :]


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case["why"])
def test_what_is_written_as_the_hint_says_is_taken(case: dict[str, Any]) -> None:
    text = case["text"]
    for found in check(text):
        better = written_as_told(text, found)
        if better is not None and found.span is not None:
            assert (found.code, *found.span.begins) not in found_in(better)
            assert len(check(better)) <= len(check(text)), better


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case["why"])
def test_a_message_is_one_short_line_in_both_languages_without_a_dump(case: dict[str, Any]) -> None:
    for found in check(case["text"]):
        for text in (found.message, found.hint) if found.hint is not None else (found.message,):
            assert re.search("[\u4e00-\u9fff]", text.zh)
            assert not re.search("[\u4e00-\u9fff]", re.sub("“[^”]*”|好", "", text.en))
            assert max(len(text.zh), len(text.en)) < 190
            assert "\n" not in text.zh + text.en
        assert not re.search(r"\{\w+\}|anyOf|\[\w+, |': ", found.message.zh + found.message.en)


def test_every_code_of_this_phase_is_found_somewhere() -> None:
    assert {code for case in BROKEN for code, *_ in case["findings"]} == set(CODES)


def test_several_verbs_point_at_the_first_one() -> None:
    [found] = check("workflow: a\nstates: {A: {steps: [{set: {x: 1}, use: b}]}}\n")
    assert [other.span.begins for other in found.related] == [(2, 23)]


def test_words_of_yaml_are_mended_and_the_doubtful_octal_is_not() -> None:
    text = "workflow: a\npools: {a: 1_000, b: 012, c: 1e3}\nstates: {A: {steps: [{say: {writes: yes}}]}}\n"
    edits = [found.edit for found in check(text) if found.edit is not None]
    mended = apply_edits(text, edits)
    assert mended == text.replace("1_000", "1000").replace("1e3", "1000").replace("yes", "true")
    assert found_in(mended) == [("shape/looks-like-another-kind", 2, 21)]


def test_a_place_that_has_a_finding_already_stays_quiet() -> None:
    node, found = read_tree(Source("demo.yaml", "workflow: a\nversion: !tag b\nstates: {A: {}, 1: {}}\n"))
    assert node is not None
    assert has_errors(found)
    assert check_shape(node, "workflow") == []


def test_a_node_without_a_name_is_the_document() -> None:
    [found] = check("tests: a\nworkflow: b\n")
    assert found.message.en == "the document lacks “cases”"
    assert Named(DOCUMENT.words).entry(2).words.en == "entry 2 of the document"


def test_an_empty_document_is_no_document() -> None:
    node = Mapping((), read("a: b").span)
    kind, [found] = kind_of_document(node)
    assert (kind, found.code) == (None, "shape/not-a-document")


@pytest.mark.parametrize("kind", DOCUMENT_KINDS)
def test_the_first_key_says_the_kind(kind: str) -> None:
    assert kind_of_document(read(f"{kind}: demo\n")) == (kind, [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("profle: a\ntools: {}\n", "profile"),
        ("title: a\nprofile: b\ntools: {}\n", "profile"),
        ("title: a\nworkflow: b\ntests: c\n", "tests"),
        ("version: 1.0.0\nworkflow: b\n", "workflow"),
        ("x: 1\n", None),
    ],
)
def test_a_slip_in_the_first_lines_still_tells_the_kind(text: str, kind: str | None) -> None:
    found_kind, found = kind_of_document(read(text))
    assert found_kind == kind
    assert len(found) == 1

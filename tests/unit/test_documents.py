"""Loading documents: found by place, read once, references made plain, digests of what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.documents.loading import Documents, load_workflow
from interpreter.documents.profiles import load_profile
from interpreter.documents.reading import Recorded
from interpreter.lint import lint_paths
from interpreter.model import Constant, Text

CASES = Path(__file__).parent.parent / "cases" / "lint"
CLEAN = "a_whole_workflow_is_clean.yaml"


def recorded() -> dict[str, str]:
    """Return the clean workflow and what it uses, as a run records them."""
    names = (CLEAN, "types/box.yaml", "tools/box.yaml", "rules/limits.yaml")
    return {name: (CASES / name).read_text(encoding="utf-8") for name in names}


def load(texts: dict[str, str]) -> Documents:
    documents, problems = load_workflow(CLEAN, Recorded(texts))
    assert problems == []
    assert documents is not None
    return documents


def test_a_workflow_brings_what_it_uses() -> None:
    documents = load(recorded())
    assert set(documents.tools) == {"box.list", "box.look", "box.put", "box.burn"}
    assert set(documents.types) == {"box"}
    assert set(documents.rules) == {"limits"}
    assert (
        list(documents.sources)
        == list(documents.digests)
        == [
            CLEAN,
            "types/box.yaml",
            "tools/box.yaml",
            "rules/limits.yaml",
        ]
    )


def test_the_disk_and_recorded_texts_give_the_same_digests() -> None:
    documents, problems = load_workflow(CASES / CLEAN)
    assert problems == []
    assert documents is not None
    assert documents.digests == load(recorded()).digests


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (("# Every construct once", "# Another remark"), True),
        (("inputs:\n", "\n\ninputs:\n"), True),
        (("{type: integer, default: 0}", "{type: integer,   default: 0}"), True),
        (("version: 1.0.0", "version: 1.0.1"), False),
        (("at_most: 3, when_spent", "at_most: 4, when_spent"), False),
    ],
)
def test_the_digest_is_that_of_what_a_document_says(change: tuple[str, str], same: bool) -> None:
    texts = recorded()
    before = load(texts).digests
    assert change[0] in texts[CLEAN]
    texts[CLEAN] = texts[CLEAN].replace(*change, 1)
    after = load(texts).digests
    assert (before[CLEAN] == after[CLEAN]) is same
    assert {name: value for name, value in before.items() if name != CLEAN} == {
        name: value for name, value in after.items() if name != CLEAN
    }


def test_references_become_plain_json_schema_with_what_they_reach() -> None:
    things = next(each for each in load(recorded()).workflow.data if each.name == "things")
    assert things.key == ("id",)
    assert things.schema["items"] == {"$ref": "#/$defs/box.Thing"}
    definitions = things.schema["$defs"]
    assert isinstance(definitions, dict)
    assert set(definitions) == {"box.Thing", "box.Status"}
    assert definitions["box.Thing"]["properties"]["inside"]["items"] == {"$ref": "#/$defs/box.Thing"}


def test_first_values_are_constants_and_outputs_are_texts() -> None:
    workflow = load(recorded()).workflow
    assert all(isinstance(each.default, Constant) for each in workflow.data)
    assert isinstance(workflow.outputs[0].value, Text)


def test_a_missing_document_is_said_where_it_is_listed() -> None:
    texts = recorded()
    del texts["rules/limits.yaml"]
    documents, problems = load_workflow(CLEAN, Recorded(texts))
    assert documents is not None
    assert [(found.code, found.span is not None and found.span.begins.line) for found in problems] == [
        ("name/unknown-document", 6)
    ]


def test_a_missing_workflow_is_a_finding_and_nothing_else() -> None:
    documents, problems = load_workflow("nowhere.yaml", Recorded({}))
    assert documents is None
    assert [found.code for found in problems] == ["yaml/file-missing"]


@pytest.mark.parametrize(
    ("name", "text", "codes"),
    [
        ("limits.yaml", "rules: limits\n", ["name/wrong-kind-of-document"]),
        ("other.yaml", "workflow: another\nversion: 1.0.0\nstates: {A: {}}\n", ["name/document-name-differs"]),
    ],
)
def test_a_file_that_is_not_what_its_place_says(name: str, text: str, codes: list[str]) -> None:
    _, problems = load_workflow(name, Recorded({name: text}))
    assert [found.code for found in problems if found.code.startswith("name/")] == codes


def test_a_profile_is_read_with_its_settings(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    file = tmp_path / "profiles" / "here.yaml"
    file.write_text(
        "profile: here\nsettings: {root: {type: string}}\n"
        'tools: {"box.*": {adapter: python, use: box, settings: {root: "{{ settings.root }}"}}}\n',
        encoding="utf-8",
    )
    profile, problems = load_profile(file)
    assert problems == []
    assert profile is not None
    assert profile.tools[0].tool == "box.*"
    assert isinstance(profile.tools[0].settings["root"], Text)


def test_a_folder_stands_for_its_documents_and_samples_are_left_out(tmp_path: Path) -> None:
    for folder in ("samples", "rules"):
        (tmp_path / folder).mkdir()
    (tmp_path / "samples" / "answers.yaml").write_text("topic: [1, 2\n", encoding="utf-8")
    (tmp_path / "notes.yaml").write_text("shopping: list\n", encoding="utf-8")
    (tmp_path / "rules" / "bad.yaml").write_text("rulez: bad\n", encoding="utf-8")
    (tmp_path / "flow.yaml").write_text("workflow: flow\nversion: 1.0.0\nstates: {A: {}}\n", encoding="utf-8")
    assert [found.code for found in lint_paths([tmp_path])] == ["shape/unknown-document"]

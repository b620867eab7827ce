"""The cache of `lint`: it never says anything else than `lint` without it, and believes nothing that is doubtful."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from interpreter.adapters.lint_cache import LintCache, NotedFiles
from interpreter.disk import Files, NoContent
from interpreter.lint import lint_paths
from interpreter.testing.checking import check_tests
from tests.unit.cache_kit import CHANGES, DOCUMENTS, OTHERS, lay, told


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return lay(tmp_path)


def is_kept(path: Path, cache: Path) -> bool:
    return LintCache(cache, [path]).is_clean()


# --- what is done to documents ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*DOCUMENTS, *OTHERS])
def test_a_change_of_what_was_looked_at_or_looked_for_is_seen(specs: Path, tmp_path: Path, name: str) -> None:
    assert told([specs], tmp_path / "cache") == []
    assert is_kept(specs, tmp_path / "cache")
    CHANGES["add a comment"](specs / name)
    assert not is_kept(specs, tmp_path / "cache")
    CHANGES["lay again" if name in DOCUMENTS else "delete"](specs / name)
    assert is_kept(specs, tmp_path / "cache")


class _Answers(Files):
    """Nothing but the answers that were given before."""

    def __init__(self) -> None:
        self.given: dict[tuple[str, str], object] = {}

    def content(self, path: str) -> bytes | NoContent:
        return self.given["content", path]  # type: ignore[return-value]

    def names(self, folder: str) -> tuple[str, ...]:
        return self.given["names", folder]  # type: ignore[return-value]

    def below(self, folder: str) -> tuple[str, ...] | None:
        return self.given["below", folder]  # type: ignore[return-value]


def test_what_is_found_follows_from_the_answers_alone(specs: Path) -> None:
    """The questions that are noted are all that is asked: with the folder gone, the answers lead to the same end."""
    files, answers = NotedFiles(), _Answers()
    CHANGES["misspell a key"](specs / "counting.yaml")
    first = [str(one) for one in lint_paths([specs], files, check_tests)]
    assert first
    answers.given = {(question, path): getattr(Files(), question)(path) for question, path in files.noted}
    shutil.rmtree(specs)
    assert [str(one) for one in lint_paths([specs], answers, check_tests)] == first


# --- what is not kept, and not believed -------------------------------------------------------------------------------


def test_documents_with_a_finding_are_not_kept(specs: Path, tmp_path: Path) -> None:
    CHANGES["misspell a key"](specs / "counting.yaml")
    assert told([specs], tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_document_that_changed_while_it_was_looked_at_is_not_kept(
    specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = Files.content, iter(range(1_000))
    monkeypatch.setattr(Files, "content", lambda self, path: real(self, path) + b"# %d\n" % next(asked))
    assert told([specs], tmp_path / "cache") == []
    monkeypatch.undo()
    assert not (tmp_path / "cache").exists()


def test_no_cache_lies_below_the_documents(specs: Path) -> None:
    for path in (specs, specs / "counting.yaml"):
        assert told([path], specs / ".cache") == []
        assert not (specs / ".cache").exists()


@pytest.mark.parametrize("body", [b"", b"null", b"[1]", b'[["__init__", "", ""]]', b"\xff"])
def test_a_doubtful_note_is_not_believed(specs: Path, tmp_path: Path, body: bytes) -> None:
    cache = LintCache(tmp_path / "cache", [specs])
    cache._files.write(cache._parts, lambda: body)
    assert not is_kept(specs, tmp_path / "cache")


def test_only_questions_and_digests_are_kept(specs: Path, tmp_path: Path) -> None:
    told([specs], tmp_path / "cache")
    (file,) = (tmp_path / "cache").iterdir()
    noted = json.loads(file.read_bytes()[40:])
    assert {question for question, _, _ in noted} == {"content", "names", "below"}
    assert {len(digest) for _, _, digest in noted} == {64}


def test_paths_mean_what_they_mean_where_the_command_runs(
    specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = lay(tmp_path / "other")
    CHANGES["misspell a key"](other / "counting.yaml")
    for place, is_clean in ((specs, True), (other, False), (specs, True)):
        monkeypatch.chdir(place.parent)
        assert (told([Path("specs")], tmp_path / "cache") == []) is is_clean

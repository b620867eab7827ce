"""The cache of `lint`: it never says anything else than `lint` without it, and believes nothing that is doubtful."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from interpreter.adapters.lint_cache import LintCache, NotedFiles
from interpreter.cli.documents import found_in
from interpreter.disk import Files, NoContent
from interpreter.lint import lint_paths
from interpreter.testing.checking import check_tests
from tests.unit.test_plan_cache import LIMITS, PROFILE, SPEC, TYPES

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


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return lay(tmp_path)


def told(paths: list[Path], cache: Path | None) -> list[str]:
    return [f"{one.span and one.span.begins}{one}{one.hint}" for one in found_in(paths, cache)]


def is_kept(path: Path, cache: Path) -> bool:
    return LintCache(cache, [path]).is_clean()


# --- what is done to documents ----------------------------------------------------------------------------------------


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

"""The cache of plans: what it gives back, and everything that it does not believe."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from interpreter.adapters import cache_files
from interpreter.adapters.cache_files import cache_folder
from interpreter.adapters.clock import ManualClock
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.adapters.people import Nobody
from interpreter.adapters.plan_cache import PlanCache
from interpreter.session.beginnings import Beginning
from interpreter.session.prepared import Options, Prepared, prepare, start_body
from interpreter.session.sessions import Session
from tests.unit.cache_kit import LIMITS, PROFILE, SPEC, TYPES


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    folder = tmp_path / "specs"
    documents = {
        "counting.yaml": SPEC,
        "rules/limits.yaml": LIMITS,
        "types/things.yaml": TYPES,
        "profiles/local.yaml": f"{PROFILE}extends: [below]\n",
        "profiles/below.yaml": "profile: below\ntools: {}\n",
    }
    for name, text in documents.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder / "counting.yaml"


@pytest.fixture
def cache(tmp_path: Path, spec: Path) -> PlanCache:
    return PlanCache(tmp_path / "cache" / "plans", (spec.parent, tmp_path / "home"))


def prepared(spec: Path, cache: PlanCache | None, **options: object) -> Prepared:
    found, problems = prepare(spec, Options(inputs={"start": "1"}, **options), None, cache)  # type: ignore[arg-type]
    assert found is not None, problems
    return found


def kept(spec: Path, cache: PlanCache) -> Path:
    """Fill the cache and return its one file."""
    prepared(spec, cache).keep()
    (file,) = (spec.parents[1] / "cache" / "plans").iterdir()
    return file


def outcome(found: Prepared) -> dict[str, object]:
    start = start_body(found, Options(), "2024-01-01T00:00:00.000Z")
    result = Session("a-run", found, MemoryJournal(), Beginning(start), Nobody(), ManualClock()).walk()
    return {**result.as_json(), "start": {**start}}


def is_from_cache(spec: Path, cache: PlanCache, **options: object) -> bool:
    """A program from the cache is not to be kept again."""
    return prepared(spec, cache, **options).keep.__name__ == "_nothing"


def test_a_program_from_the_cache_walks_like_a_fresh_one(spec: Path, cache: PlanCache) -> None:
    kept(spec, cache)
    assert is_from_cache(spec, cache)
    assert outcome(prepared(spec, cache)) == outcome(prepared(spec, None))


def test_what_cannot_be_evaluated_has_its_place_in_a_program_from_the_cache(spec: Path, cache: PlanCache) -> None:
    spec.write_text(SPEC.replace("{{ count + 1 }}", "{{ [count, 2][9] }}"), encoding="utf-8")
    fresh = outcome(prepared(spec, None))
    assert fresh["status"] == "blocked"
    kept(spec, cache)
    assert is_from_cache(spec, cache)
    assert outcome(prepared(spec, cache)) == fresh


@pytest.mark.parametrize(
    "name",
    ["counting.yaml", "rules/limits.yaml", "types/things.yaml", "profiles/local.yaml", "profiles/below.yaml"],
)
def test_an_edit_of_any_document_makes_a_program_anew(spec: Path, cache: PlanCache, name: str) -> None:
    kept(spec, cache)
    place = spec.parent / name
    place.write_text(place.read_text(encoding="utf-8") + "# an edit\n", encoding="utf-8")
    assert not is_from_cache(spec, cache)


def test_an_edit_of_a_threshold_is_seen(spec: Path, cache: PlanCache) -> None:
    kept(spec, cache)
    (spec.parent / "rules" / "limits.yaml").write_text(LIMITS.replace("value: 3", "value: 5"), encoding="utf-8")
    assert outcome(prepared(spec, cache))["outputs"] == {"count": 5, "words": "many aab"}


def test_other_settings_are_another_program(spec: Path, cache: PlanCache) -> None:
    kept(spec, cache)
    assert not is_from_cache(spec, cache, sets={"limits.most": "4"})


def test_a_document_edited_while_the_run_went_is_not_kept(
    spec: Path, cache: PlanCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    from interpreter.session import preparing

    real = preparing.plan_from_disk

    def edit_meanwhile(*arguments: object) -> object:
        result = real(*arguments)  # type: ignore[arg-type]
        spec.write_text(SPEC + "# later\n", encoding="utf-8")
        return result

    monkeypatch.setattr(preparing, "plan_from_disk", edit_meanwhile)
    prepared(spec, cache).keep()
    assert not (spec.parents[1] / "cache").exists()


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-7])


def _tampered(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _of_another_format(file: Path) -> None:
    file.write_bytes(b"iplan000" + file.read_bytes()[8:])


def _readable_by_others(file: Path) -> None:
    file.chmod(0o644)


def _in_an_open_folder(file: Path) -> None:
    file.parent.chmod(0o755)


def _a_link(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))
    file.symlink_to("elsewhere")


def _under_a_linked_folder(file: Path) -> None:
    moved = file.parent.rename(file.parent.with_name("moved"))
    file.parent.symlink_to(moved)


@pytest.mark.parametrize(
    "harm",
    [
        _cut,
        _tampered,
        _empty,
        _of_another_format,
        _readable_by_others,
        _in_an_open_folder,
        _a_link,
        _under_a_linked_folder,
    ],
)
def test_a_doubtful_cache_is_not_believed(spec: Path, cache: PlanCache, harm: Callable[[Path], None]) -> None:
    harm(kept(spec, cache))
    assert not is_from_cache(spec, cache)


def test_a_cache_of_another_user_is_not_believed(spec: Path, cache: PlanCache, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(spec, cache)
    somebody_else = os.geteuid() + 1
    monkeypatch.setattr(cache_files.os, "geteuid", lambda: somebody_else)
    assert not is_from_cache(spec, cache)


def test_other_sources_or_another_python_make_a_program_anew(
    spec: Path, cache: PlanCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(spec, cache)
    monkeypatch.setattr(cache_files, "__version__", "another")
    assert not is_from_cache(spec, PlanCache(tmp_path / "cache" / "plans", (spec.parent,)))


def test_a_cache_below_the_workflow_or_the_runs_is_neither_read_nor_written(spec: Path, tmp_path: Path) -> None:
    outside = (spec.parent, tmp_path / "home")
    for folder in (spec.parent / ".cache" / "plans", tmp_path / "home" / "plans"):
        prepared(spec, PlanCache(folder, outside)).keep()
        assert not folder.exists()
    # What a clone would bring: a cache that is right in every way but for its place.
    brought = spec.parent / ".cache" / "plans"
    prepared(spec, PlanCache(brought, ())).keep()
    assert is_from_cache(spec, PlanCache(brought, ()))
    assert not is_from_cache(spec, PlanCache(brought, outside))


def test_the_cache_lies_in_the_directory_of_the_user() -> None:
    assert cache_folder("plans", {"XDG_CACHE_HOME": "/somewhere"}) == Path("/somewhere/interpreter/plans")
    assert cache_folder("plans", {"XDG_CACHE_HOME": "relative"}) == cache_folder("plans", {})


def test_old_plans_make_room(spec: Path, cache: PlanCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_files, "_MOST_FILES", 2)
    for most in range(3, 8):
        prepared(spec, cache, sets={"limits.most": str(most)}).keep()
    assert len(list((spec.parents[1] / "cache" / "plans").iterdir())) == 2


def test_nothing_that_reads_or_plans_is_imported_for_a_program_from_the_cache(spec: Path, tmp_path: Path) -> None:
    words = ["interpreter", "run", str(spec), "--input", "start=1", "--json"]
    command = [sys.executable, "-X", "importtime", "-m", *words]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "user"), "INTERPRETER_HOME": str(tmp_path / "home")}
    shown = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    imported = {line.rpartition("|")[2].strip() for line in shown[1].stderr.splitlines() if "import time:" in line}
    never = {
        "asyncio", "dataclasses", "httpx", "inspect", "jinja2", "jsonschema", "jsonschema_rs", "pydantic", "rich",
        "yaml", "interpreter.check", "interpreter.documents.loading", "interpreter.model", "interpreter.plan",
        "interpreter.session.preparing", "rules.expr",
    }  # fmt: skip
    assert imported & never == set()
    assert "interpreter.engine.machine" in imported

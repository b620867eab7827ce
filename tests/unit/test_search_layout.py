"""An index whose tables changed is another version by itself."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from interpreter.adapters.drive import index as drive_index
from interpreter.adapters.notes import index as notes_index
from interpreter.adapters.search.layout import version_of
from interpreter.adapters.web import index as web_index


def test_the_version_follows_the_tables() -> None:
    assert version_of("create table a(b);") != version_of("create table a(b, c);")
    assert all(0 < version_of(text) < 2**31 for text in ("", "a", "create table a(b);"))


@pytest.mark.parametrize("module", [drive_index, notes_index, web_index])
def test_every_index_has_the_version_of_its_tables(module: object) -> None:
    tables = module._TABLES  # type: ignore[attr-defined]
    assert version_of(tables if isinstance(tables, str) else "".join(tables)) == module._VERSION  # type: ignore[attr-defined]


def test_a_file_with_other_tables_is_made_anew(tmp_path: Path) -> None:
    state = tmp_path / "state"
    first = web_index._open(state, tmp_path)
    path = next(path for path in state.rglob("*") if path.is_file() and path.suffix in (".sqlite3", ".sqlite", ".db"))
    first.close()
    old = sqlite3.connect(path)
    old.executescript("drop table words; create table words(x); pragma user_version = 1;")
    old.close()
    again = web_index._open(state, tmp_path)
    assert again.execute("pragma user_version").fetchone()[0] == web_index._VERSION
    again.execute("select count(*) from words where words match 'title : a'").fetchone()
    again.close()

"""One folder and home for each test, and one for all tests that only look."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.bank_kit import Desk
from tests.cli.kit import Command


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.fixture(scope="session")
def looking(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return a command for tests that change neither documents nor runs."""
    return Command(tmp_path_factory.mktemp("looking"))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, monkeypatch, capsys)

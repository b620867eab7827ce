"""What every folder of tests may ask for."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.kit import ModelServer, model_server_in

# Whoever starts the tests so that they outlive a terminal hands an ignored signal on to every command that they start.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Let the collector leave alone what was imported and collected: else it looks through all of that time and again.

    The pages stay shared with the forks of this process, too.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture
def model_server(tmp_path: Path) -> Iterator[ModelServer]:
    """Return a model server of this test alone."""
    with model_server_in(tmp_path / "model") as server:
        yield server


@pytest.fixture(scope="module")
def shared_model_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    """Return one model server for the cases of a module, each of which says anew what it answers."""
    with model_server_in(tmp_path_factory.mktemp("model")) as server:
        yield server

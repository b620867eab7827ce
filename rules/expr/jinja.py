"""Jinja2's lexer, parser and nodes without the rest of Jinja2, whose compiler and filters take 20 ms to load.

The package is put in its place without being executed; whoever asks it for something of its own, such as
`jinja2.Environment`, makes it execute then. A Jinja2 that was imported before stays as it is.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_PARTS = ("exceptions", "utils", "nodes", "lexer", "parser")


class _Package(ModuleType):
    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        self.__spec__ = spec
        self.__loader__ = spec.loader
        self.__path__ = spec.submodule_search_locations or []
        self.__package__ = spec.name
        self.__file__ = spec.origin

    def __getattr__(self, name: str) -> Any:
        spec = self.__spec__
        self.__class__ = ModuleType  # type: ignore[assignment]
        loader = spec.loader if spec is not None else None
        assert loader is not None
        loader.exec_module(self)
        return getattr(self, name)


def load_parser() -> None:
    """Import what `rules.expr` needs of Jinja2, in an order in which no part asks for the package."""
    if "jinja2" in sys.modules:
        return
    spec = find_spec("jinja2")
    if spec is not None and spec.loader is not None:
        sys.modules["jinja2"] = _Package(spec)
        for part in _PARTS:
            import_module(f"jinja2.{part}")

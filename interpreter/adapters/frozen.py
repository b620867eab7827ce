"""A planned program as bytes: `pickle` for records, `marshal` for the code of the functions that planning made.

A program is steps and records that hold small functions made by `interpreter.plan`. `pickle` keeps records, but knows
functions only by the name of their module; to come back by that way they would bring the planner, the parser and
Jinja2 with them, which is most of what a start costs. So a function made while planning is kept as what it is: its
code, the values that it closes over, and the globals that it names. Expressions come back compiled, without their tree.

The other way, keeping documents and planning anew, was measured: 0.11 s instead of 0.07 for a small workflow, and the
gap grows with the workflow.

What is read here is code. It may only come from a place that nobody else can write to; `plan_cache` sees to that.
"""

from __future__ import annotations

import builtins
import io
import marshal
import pickle
import sys
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from rules.ready import Ready

_BY_VALUE = ("interpreter.plan", "rules.expr", "None")
"""Modules whose functions are kept whole, so that the module is not imported when they come back."""


class _Empty:
    """What an empty cell holds."""


def freeze(value: object) -> bytes:
    """Return a value as bytes.

    Errors: pickle.PicklingError, TypeError, AttributeError for what cannot be kept; the caller then does without.
    """
    out = io.BytesIO()
    _Pickler(out, protocol=5).dump(value)
    return out.getvalue()


def thaw(data: bytes) -> Any:
    """Return the value; any exception means that it has to be made anew."""
    return pickle.loads(data)


class _Pickler(pickle.Pickler):
    def __init__(self, out: io.BytesIO, protocol: int) -> None:
        super().__init__(out, protocol)
        self._spaces: dict[int, dict[str, Any]] = {}

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind is FunctionType:
            return NotImplemented if _is_found_by_name(value) else self._function(value)
        if kind is CodeType:
            return marshal.loads, (marshal.dumps(value),)
        if kind is ModuleType:
            return _module, (value.__name__,)
        if kind.__name__ == "Expression" and kind.__module__ == "rules.expr.expression":
            return Ready, (value.text, value.tree.start, value.tree.end, value.compiled())
        if kind.__name__ == "Place" and kind.__module__ == "interpreter.source":
            return kind, (value.span, _as_range(value.offsets))
        return NotImplemented

    def _function(self, function: FunctionType) -> Any:
        globals_ = function.__globals__
        space = self._spaces.setdefault(id(globals_), {"__name__": globals_.get("__name__", "")})
        cells = function.__closure__ or ()
        made = (function.__code__, space, globals_.get("__builtins__") == {}, len(cells))
        names = {name: globals_[name] for name in sorted(_names_of(function.__code__)) if name in globals_}
        state = (
            names,
            tuple(map(_content, cells)),
            function.__defaults__,
            function.__kwdefaults__,
            (function.__name__, function.__qualname__),
        )
        return _made_function, made, state, None, None, _fill


def _is_found_by_name(function: FunctionType) -> bool:
    module = str(function.__module__)
    if module.startswith(_BY_VALUE) or "<" in function.__qualname__:
        return False
    found: Any = sys.modules.get(module)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function


def _names_of(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names_of(constant)
    return names


def _as_range(offsets: Any) -> Any:
    """Return offsets as a range where they follow each other, which most do."""
    if not isinstance(offsets, range) and len(offsets) > 1 and offsets[-1] - offsets[0] == len(offsets) - 1:
        whole = range(offsets[0], offsets[-1] + 1)
        if all(map(int.__eq__, offsets, whole)):
            return whole
    return offsets


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _Empty()


# --- coming back; the names of these functions stand in what was kept -------------------------------------------------


def _module(name: str) -> ModuleType:
    import importlib

    return importlib.import_module(name)


def _made_function(code: CodeType, space: dict[str, Any], is_bare: bool, cells: int) -> FunctionType:
    """Make a function whose cells and globals are filled afterwards, for it may be found in them itself."""
    space.setdefault("__builtins__", {} if is_bare else builtins.__dict__)
    return FunctionType(code, space, None, None, tuple(CellType() for _ in range(cells)))


def _fill(function: FunctionType, state: tuple[Any, ...]) -> None:
    names, contents, defaults, keyword_defaults, (name, qualified) = state
    function.__globals__.update(names)
    function.__defaults__, function.__kwdefaults__ = defaults, keyword_defaults
    function.__name__, function.__qualname__ = name, qualified
    for cell, content in zip(function.__closure__ or (), contents, strict=True):
        if type(content) is not _Empty:
            cell.cell_contents = content

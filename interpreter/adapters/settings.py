"""What a profile sets for an adapter, read by a table that says of each setting what fits and what is wanted.

A value that is null or '' is not given: a profile hands on settings of its own that may stay empty.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from interpreter.diagnostics import Words, did_you_mean
from interpreter.safety.headers import HEADER, HEADER_VALUE, NEVER_WRITTEN, OWN_HEADERS, VARIABLE
from rules.records import NamedTuple

Problem: TypeAlias = tuple[str, dict[str, Any]]
"""The code of a finding and its facts."""

Read: TypeAlias = Callable[[Any], Any]
"""Returns a value as it is used, None where it does not fit."""

_MOST_BYTES = 100_000_000


class Setting(NamedTuple):
    """One setting. Shapes: `wanted` says in words what `read` takes."""

    read: Read
    wanted: Words
    required: bool = False


def read_all(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> tuple[dict[str, Any], list[Problem]]:
    """Return the settings that are given, and every problem with them."""
    problems: list[Problem] = [
        ("tool/unknown-adapter-setting", {"name": name, "hint": did_you_mean(name, settings)})
        for name in values
        if name not in settings
    ]
    made: dict[str, Any] = {}
    for name, setting in settings.items():
        value = values.get(name)
        if value is None or value == "":
            if setting.required:
                problems.append(missing(name))
            continue
        read = setting.read(value)
        if read is None:
            problems.append(unfit(name, setting.wanted))
        else:
            made[name] = read
    return made, problems


def missing(name: str) -> Problem:
    return "tool/adapter-setting-missing", {"name": name}


def unfit(name: str, wanted: Words) -> Problem:
    return "tool/adapter-setting-unfit", {"name": name, "wanted_zh": wanted.zh, "wanted_en": wanted.en}


# --- places -----------------------------------------------------------------------------------------------------------


PATH: Mapping[str, Any] = {"format": "path"}


def whole_path(value: Any, schema: Mapping[str, Any], folder: str) -> Any:
    """Return the value of a setting, one with `format: path` as seen from anywhere: one spelling for one place.

    Shapes: `folder` is what a relative one is relative to; '' is no path and stays. A link is kept, since it may lead
    elsewhere tomorrow, but where `..` goes back from it.
    """
    if isinstance(value, str) and value and schema.get("format") == "path":
        return _whole(os.path.join(folder, os.path.expanduser(value)))
    return value


def _whole(path: str) -> str:
    back, up, rest = path.rpartition("/../")
    if path.endswith("/..") or (up and not rest):
        return os.path.realpath(path)
    return os.path.join(os.path.realpath(f"{back}/.."), os.path.normpath(rest)) if up else os.path.abspath(path)


# --- what settings want -----------------------------------------------------------------------------------------------


def whole(least: int, most: int) -> Read:
    return lambda value: value if type(value) is int and least <= value <= most else None


def number_of_bytes(least: int) -> Setting:
    wanted = Words(f"字节数，{least} 到 {_MOST_BYTES}", f"a number of bytes from {least} to {_MOST_BYTES}")
    return Setting(whole(least, _MOST_BYTES), wanted)


def seconds(most: int) -> Setting:
    """Return a setting of seconds, fractions of one included."""
    wanted = Words(f"1 到 {most} 的数", f"a number from 1 to {most}")
    return Setting(lambda value: float(value) if is_number(value) and 1 <= value <= most else None, wanted)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def one_of(*words: str) -> Setting:
    wanted = Words(f"{'、'.join(words)} 之一", f"one of {', '.join(words)}")
    return Setting(lambda value: value if value in words else None, wanted)


def text(value: Any) -> str | None:
    """Read a text on one line, such as a name or a path."""
    return value if isinstance(value, str) and value.strip() == value and value.isprintable() else None


def variable(value: Any) -> str | None:
    """Read the name of an environment variable."""
    return value if isinstance(value, str) and VARIABLE.fullmatch(value) else None


def variables(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) and all(map(variable, value)) else None


def headers(value: Any) -> dict[str, str] | None:
    """Read headers with fixed values; none that the connection writes, none that holds credentials."""
    return _headers(value, HEADER_VALUE.fullmatch, NEVER_WRITTEN)


def secret_headers(value: Any) -> dict[str, str] | None:
    """Read headers, each with the environment variable that holds its value."""
    return _headers(value, VARIABLE.fullmatch, OWN_HEADERS)


def _headers(value: Any, fits: Callable[[str], object], refused: frozenset[str]) -> dict[str, str] | None:
    if not isinstance(value, Mapping):
        return None
    for name, content in value.items():
        is_free = HEADER.fullmatch(name) and name.lower() not in refused
        if not is_free or not isinstance(content, str) or not fits(content):
            return None
    return dict(value)


FLAG = Setting(lambda value: value if isinstance(value, bool) else None, Words("true 或 false", "true or false"))
BEARER = Setting(
    variable, Words("环境变量的名称，不是令牌本身", "the name of an environment variable, not the token itself")
)
SECRET_HEADERS = Setting(
    secret_headers,
    Words("请求头名称: 环境变量名称", "names of headers, each with the name of an environment variable"),
)
FOLDER = Setting(text, Words("程序运行时所在的文件夹", "the folder in which the program runs"))

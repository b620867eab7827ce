"""`doctor`: what of this machine could keep a run from being safe."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from interpreter import __version__
from interpreter.cli.context import Context

PACKAGES = ("pyyaml", "jinja2", "jsonschema-rs", "rich")
Line = tuple[bool, str]


def doctor(context: Context) -> int:
    """Print one line for each thing looked at; exit 1 where one of them is not as it should be."""
    checks: tuple[Callable[[Context], Line], ...] = (_python, _packages, _sqlite, _home, _encoding)
    lines = [check(context) for check in checks]
    for good, text in lines:
        print(f"{'✓' if good else '✗'} {text}")
    return 0 if all(good for good, _ in lines) else 1


def _python(context: Context) -> Line:
    found = ".".join(str(part) for part in sys.version_info[:3])
    return sys.version_info >= (3, 11), f"interpreter {__version__}, Python {found}, {sys.platform}"


def _packages(context: Context) -> Line:
    missing, found = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return False, context.say(f"缺少：{', '.join(missing)}", f"missing: {', '.join(missing)}")
    return True, ", ".join(found)


def _sqlite(context: Context) -> Line:
    """A journal needs write-ahead logging to work where runs are kept: some network drives cannot do it."""
    folder = context.home if context.home.is_dir() else Path(tempfile.gettempdir())
    try:
        with tempfile.TemporaryDirectory(dir=folder) as inside:
            connection = sqlite3.connect(Path(inside) / "probe.sqlite3")
            mode = connection.execute("pragma journal_mode=wal").fetchone()[0]
            connection.close()
    except (OSError, sqlite3.Error) as error:
        return False, f"SQLite {sqlite3.sqlite_version}: {error}"
    return mode == "wal", f"SQLite {sqlite3.sqlite_version}, journal_mode {mode}"


def _home(context: Context) -> Line:
    home = context.home
    nearest = home
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    try:
        with tempfile.TemporaryDirectory(dir=nearest):
            return True, context.say(f"运行记录：{home}", f"runs are kept in {home}")
    except OSError as error:
        return False, context.say(
            f"运行记录：{home}，那里不能写入（{error.strerror}）；用 --home 另选",
            f"runs would be kept in {home}, where nothing can be written ({error.strerror}); choose another by --home",
        )


def _encoding(context: Context) -> Line:
    encoding = sys.stdout.encoding or "?"
    good = encoding.lower().replace("-", "") == "utf8"
    return good, context.say(f"终端编码 {encoding}", f"terminal encoding {encoding}")

"""What every verb needs: the language, the home, the terminal, who is at the keyboard."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.diagnostics import Diagnostic, Words, errors_of, finding
from interpreter.journal_errors import journal_finding
from interpreter.ports import JournalError
from interpreter.report.terminal import Terminal
from interpreter.report.words import safe_json
from rules.values import pieces

if TYPE_CHECKING:
    from interpreter.adapters.plan_cache import PlanCache
    from interpreter.adapters.runs import RunStore
    from interpreter.adapters.sqlite_journal import SqliteJournal


class Refused(Exception):
    """What was asked for is not done; carries the findings that say why, and the id of the run where there is one."""

    def __init__(self, *found: Diagnostic, run_id: str = "") -> None:
        self.found = list(found)
        self.run_id = run_id
        super().__init__(*(one.code for one in found))


class UsageError(Exception):
    """The arguments cannot be used; the text says what to write instead.

    Shapes: a text is in the language of the person already, or needs none.
    """

    def __init__(self, text: Words | str) -> None:
        self.words = Words(text, text) if isinstance(text, str) else text
        super().__init__(self.words.en)


class Context:
    """One call of the command."""

    def __init__(self, arguments: argparse.Namespace, language: str) -> None:
        self.arguments = arguments
        self.language = language
        self.wants_json = bool(getattr(arguments, "json", False))
        self.terminal = Terminal(language, quiet=bool(arguments.quiet), home=self.home_option)
        self._store: RunStore | None = None
        self._output: Terminal | None = None

    @property
    def output(self) -> Terminal:
        """Return what prints on standard output: what a command was asked to show."""
        if self._output is None:
            quiet = bool(self.arguments.quiet)
            self._output = Terminal(self.language, quiet=quiet, stream=sys.stdout, home=self.home_option)
        return self._output

    def say(self, zh: str, en: str) -> str:
        return zh if self.language == "zh" else en

    @property
    def home(self) -> Path:
        """Return where runs are kept: `--home`, INTERPRETER_HOME, else the state directory of the user."""
        given = getattr(self.arguments, "home", None) or os.environ.get("INTERPRETER_HOME")
        if given:
            return Path(given)
        base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
        return Path(base).expanduser() / "interpreter"

    @property
    def home_option(self) -> str:
        """Return what a command takes further, as it is typed, so that it finds the runs of this home."""
        return shlex.join(["--home", str(self.home)]) if getattr(self.arguments, "home", None) else ""

    @property
    def store(self) -> RunStore:
        if self._store is None:
            from interpreter import __version__
            from interpreter.adapters.runs import RunStore
            from interpreter.engine.program import CALLING_SEQUENCE

            self._store = RunStore(self.home, release=__version__, sequence=CALLING_SEQUENCE)
        return self._store

    @contextmanager
    def open_run(self, run_id: str, *, lock: bool = True) -> Iterator[SqliteJournal]:
        """Open the journal of a run for as long as a block lasts; with `lock` to walk it.

        Errors: Refused where it cannot be opened, and where the block finds that it cannot be read or written.
        """
        with refused_by_journal(run_id):
            journal = self.store.open(run_id, lock=lock)
            try:
                yield journal
            finally:
                journal.close()

    def plans(self, spec: Path) -> PlanCache:
        """Return the programs that were planned before; they never lie beside the workflow or the runs."""
        from interpreter.adapters.cache_files import cache_folder
        from interpreter.adapters.plan_cache import PlanCache

        return PlanCache(cache_folder("plans"), (spec.parent, self.home))

    @property
    def is_interactive(self) -> bool:
        return sys.stdin is not None and sys.stdin.isatty() and self.terminal.is_live and not self.wants_json

    @property
    def login(self) -> str:
        import getpass

        try:
            return getpass.getuser()
        except (KeyError, OSError):
            return str(os.getuid())

    @property
    def who(self) -> tuple[str, bool]:
        """Return who answers, and whether that is only claimed."""
        name = getattr(self.arguments, "name", None)
        return (name, True) if name else (self.login, False)

    @property
    def timezone(self) -> str:
        """Return the time zone of this machine, by its name."""
        return os.environ.get("TZ") or time.tzname[0] or "UTC"

    def print_json(self, value: Any) -> None:
        for piece in pieces(value):
            print(safe_json(piece), end="")
        print(flush=True)

    def refuse(self, diagnostics: list[Diagnostic], *, run_id: str = "") -> int:
        """Print findings that keep a verb from doing what was asked; returns exit status 2.

        Shapes: `run_id` is left out where it is that of the run that the verb names.
        """
        self.terminal.diagnostics(diagnostics)
        if self.wants_json:
            first = next(iter(errors_of(diagnostics)), None)
            error = {"code": first.code, "message": first.message[self.language]} if first else None
            self.print_json(empty_result(run_id or getattr(self.arguments, "run", ""), "failed", error))
        return 2

    def missing(self, paths: Iterable[Path], folders: Sequence[str] = ("specs",)) -> list[Diagnostic]:
        """Return a finding for each path that is not there, with the file that was meant."""
        gone = [path for path in paths if not path.exists()]
        if not gone:
            return []
        from interpreter.yaml_tree import near_file

        return [finding("yaml/file-missing", None, hint=near_file(path, folders), name=path) for path in gone]

    def profile(self, given: Path | None, spec: Path | None) -> Path | None:
        """Return the profile that is meant: a path, or the name of one beside the workflow; None where none is given.

        Errors: Refused with yaml/file-missing, and the profiles that are there.
        """
        if given is None or given.is_file():
            return given
        beside = [folder / "profiles" for folder in ((spec.parent,) if spec is not None else (Path("specs"), Path()))]
        named = [folder / f"{given.stem}.yaml" for folder in beside if given.suffix in ("", ".yaml", ".yml")]
        found = next((path for path in named if path.is_file()), None) if given.parent == Path() else None
        if found is None:
            raise Refused(finding("yaml/file-missing", None, hint=_profiles_in(given, beside), name=given))
        return found

    def required_profile(self, given: Path, spec: Path | None) -> Path:
        """Return the profile that is meant, by its path or its name; Errors: Refused."""
        found = self.profile(given, spec)
        assert found is not None
        return found

    def refuse_with(self, code: str, **facts: Any) -> int:
        return self.refuse([finding(code, None, **facts)])


@contextmanager
def refused_by_journal(run_id: str) -> Iterator[None]:
    """Turn what is wrong with a journal into Refused."""
    try:
        yield
    except JournalError as error:
        raise Refused(journal_finding(run_id, error), run_id=run_id) from None


def _profiles_in(given: Path, folders: list[Path]) -> Words | None:
    """Return which profiles there are, the nearest one first; None where there are none."""
    from interpreter.yaml_tree import document_names, near_file

    near = near_file(given, [str(folder) for folder in folders])
    there = [(folder, names) for folder in folders if (names := document_names(folder))]
    if near is not None or not there:
        return near
    folder, names = there[0]
    return Words(f"{folder} 里有：{'、'.join(names)}", f"in {folder} there are: {', '.join(names)}")


def empty_result(run_id: str, status: str, error: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the object that `--json` prints when no run came about."""
    return {
        "run_id": run_id,
        "status": status,
        "partial": None,
        "dry_run": False,
        "state": "",
        "outputs": {},
        "waiting": [],
        "blocked": None,
        "error": error,
    }

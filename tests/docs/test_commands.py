"""Every command that a page names is one that is taken as it stands there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from interpreter.cli.arguments import build_parser
from interpreter.cli.parser import BadArguments
from tests.docs.readme_kit import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_NAMED = re.compile(r"`(interpreter [^`]+)`")
_TYPED = re.compile(r"^\$ (interpreter .+)$", re.MULTILINE)
#: What the shell makes of a command comes behind it.
_OF_THE_SHELL = re.compile(r" (?:2?>|[|;]|&&).*")
#: A page may speak of a verb or an option without all that belongs to it.
_NOT_WHOLE = re.compile(r"the following arguments are required: |.*: expected one argument")


def _words(command: str) -> list[str]:
    return [word for word in shlex.split(_OF_THE_SHELL.sub("", command))[1:] if word != "…"]


def _problem(words: list[str]) -> str:
    """Return why a command is not taken, '' where it is."""
    if "--version" in words or words[:1] == ["help"]:
        return ""
    try:
        build_parser("en", words[0]).parse_args(words)
    except BadArguments as error:
        return error.problem
    except SystemExit:
        pass  # the help was asked for
    return ""


def _wrong_in(text: str) -> Iterator[tuple[str, str]]:
    for found in _TYPED.finditer(text):
        if problem := _problem(_words(found[1])):
            yield found[1], problem
    for found in _NAMED.finditer(text):
        problem = _problem(_words(found[1]))
        if problem and not _NOT_WHOLE.match(problem):
            yield found[1], problem


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_is_taken(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(_wrong_in(page.read_text("utf-8"))) == []


#: A command that nobody takes, as it is typed and as it is spoken of.
@pytest.mark.parametrize(
    "text",
    [
        "`interpreter lnit specs`",
        "`interpreter lint --fixx specs`",
        "`interpreter run x.yaml --budget calls=+1`",
        "$ interpreter answer first\n",
        "$ interpreter show first --format html | head\n",
        "$ interpreter resume\n",
    ],
)
def test_a_command_that_is_not_taken_is_found(text: str) -> None:
    assert len(list(_wrong_in(text))) == 1


@pytest.mark.parametrize(
    "text", ["`interpreter answer`", "`interpreter runs --prune`", "`interpreter run … --dry-run`"]
)
def test_a_command_may_be_spoken_of_in_part(text: str) -> None:
    assert list(_wrong_in(text)) == []

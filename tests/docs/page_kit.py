"""Examples of the pages about diagnostics: written into their hosts, and what is found in them."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

from interpreter.adapters.written_settings import check_written_settings
from interpreter.diagnostics import Diagnostic
from interpreter.documents.loading import FOLDERS
from interpreter.lint import lint_paths
from interpreter.model import DOCUMENT_KINDS
from interpreter.pages import Example
from interpreter.source import Source
from interpreter.yaml_tree import Mapping, Scalar, Sequence, read_tree
from rules.expr import parse_expression
from rules.values import CannotEvaluate

HOSTS = Path(__file__).parent / "page_hosts"
#: What the examples use stands beside them.
BESIDE = ("types", "tools", "rules", "tidy_up.yaml")
#: A part of a document declares more than it uses.
OF_A_PART = ("name/unused-", "name/unread-output", "rule/unread-input")
_MARK = re.compile(r"(error|warning|note): \[([\w/-]+)\]")
_BELOW = re.compile(r"# (?:error|warning|note) (?:(\d) )?below: \[([\w/-]+)\]$")

Found = Counter[tuple[int, str]]


def write_world(folder: Path) -> None:
    """Copy the documents that examples use."""
    for name in BESIDE:
        place = HOSTS / name
        if place.is_dir():
            shutil.copytree(place, folder / name)
        else:
            shutil.copy(place, folder / name)


def marks_of(text: str) -> Found:
    """Return what an example says is found in it: line and code. Units: lines of the example, from 1."""
    found: Found = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        below = _BELOW.search(line)
        if below is not None:
            found[number + int(below[1] or 1), below[2]] += 1
            continue
        _, _, comment = line.rpartition("  # ")
        found.update((number, code) for _, code in _MARK.findall(comment))
    return found


def found_in(example: Example, code: str, world: Path) -> Found:
    """Return what is really found in an example: line and code; what a host declares unused is left out."""
    text = example.text
    if example.host == "plain":
        return _places(read_tree(Source("plain.yaml", text))[1], 0, len(text.splitlines()), code)
    if example.host == "values":
        return _evaluated(text)
    if not example.host:
        kind = _kind_of(text)
        named = re.search(rf"^{kind}: *(\S+)", text, re.MULTILINE)
        path = world / FOLDERS.get(kind, ".") / f"{named[1] if named else 'unnamed'}.yaml"
        return _linted(path, text, 0, len(text.splitlines()), code)
    brought = set(re.findall(r"^(\w+):", text, re.MULTILINE))
    host = without_keys((HOSTS / f"{example.host}.yaml").read_text("utf-8"), brought)
    before, _, after = host.partition("@here@\n")
    indent = before.rpartition("\n")[2]
    lines = "".join(f"{indent}{line}" if line.strip() else line for line in text.splitlines(keepends=True))
    kind, _, name = host.partition("\n")[0].partition(":")
    before = before.removesuffix(indent)
    path = world / FOLDERS.get(kind, ".") / f"{name.strip()}.yaml"
    return _linted(path, before + lines + after, before.count("\n"), text.count("\n"), code)


def _kind_of(text: str) -> str:
    """Return the kind of a whole document."""
    for line in text.splitlines():
        word = line.partition(":")[0].strip()
        if word in DOCUMENT_KINDS:
            return word
    return "workflow"


def _linted(path: Path, text: str, skipped: int, lines: int, code: str) -> Found:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    try:
        return _places(lint_paths([path], check_settings=check_written_settings), skipped, lines, code)
    finally:
        path.unlink()


def _places(found: list[Diagnostic], skipped: int, lines: int, code: str) -> Found:
    """Return findings by line of the example. Outside of it only errors count."""
    places: Found = Counter()
    for one in found:
        line = one.span.begins.line - skipped if one.span is not None else 0
        if one.code.startswith(OF_A_PART) and one.code != code:
            continue
        if 0 < line <= lines or one.severity == "error":
            places[line, one.code] += 1
    return places


def _evaluated(text: str) -> Found:
    """Return what cannot be evaluated in steps that name values one after the other."""
    node, found = read_tree(Source("values.yaml", text))
    assert not found, found
    assert isinstance(node, Sequence)
    names: dict[str, object] = {}
    places: Found = Counter()
    for step in node.items:
        assert isinstance(step, Mapping)
        values = step.entries[0][1]
        assert isinstance(values, Mapping)
        for name, value in values.entries:
            assert isinstance(value, Scalar)
            line = value.span.begins.line
            expression, problems = parse_expression(value.text)
            for problem in problems:
                places[line, problem.code] += 1
            if expression is None:
                continue
            try:
                names[name.text] = expression.evaluate(names)
            except CannotEvaluate as failure:
                places[line, f"expression/{failure.code}"] += 1
    return places


def without_keys(document: str, keys: set[str]) -> str:
    """Return a document without the parts under some of its top keys."""
    parts = re.split(r"^(?=[\w@])", document, flags=re.MULTILINE)
    return "".join(part for part in parts if part.partition(":")[0] not in keys)

"""Everything that can be found in documents without running them: the entry for the command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from interpreter.check import check_contracts, check_documents
from interpreter.check.profiles import check_profile
from interpreter.diagnostics import Diagnostic, in_order
from interpreter.documents import FOLDERS, Loaded, Loader, folder_of, located_in, name_below
from interpreter.model import Profile, RuleText, ToolDocument, Workflow
from interpreter.parse import KINDS
from interpreter.reading import Disk, Reader
from rules.facts import Names

_KIND_BY_FOLDER = {folder: kind for kind, folder in FOLDERS.items()}
_LEFT_OUT = frozenset({"samples"})
"""Folders whose YAML files are inputs and answers, not documents."""


def lint_paths(paths: Iterable[str | PurePath], reader: Reader | None = None) -> list[Diagnostic]:
    """Return what is wrong in files and folders, each document with all that it uses, in order, without duplicates.

    Shapes: a folder stands for every document below it; its files that are no documents are left out quietly, a file
    that is named outright is not.
    """
    reader = reader or Disk()
    loaders: dict[PurePath, Loader] = {}
    found: list[Diagnostic] = []
    for path in paths:
        folder = Path(path)
        if folder.is_dir():
            for file in documents_below(folder):
                found.extend(_lint_file(file, reader, loaders))
        else:
            found.extend(_lint_file(PurePath(path), reader, loaders))
    return in_order(found)


def documents_below(folder: Path) -> list[Path]:
    """Return the files below a folder that are documents: their first key is a kind, or the folder says the kind."""
    files = (file for suffix in ("*.yaml", "*.yml") for file in folder.rglob(suffix))
    return sorted(file for file in files if _is_listed(file.relative_to(folder)) and _looks_like_document(file))


def _is_listed(path: PurePath) -> bool:
    return not any(part in _LEFT_OUT or part.startswith(".") for part in path.parts)


def _looks_like_document(file: Path) -> bool:
    if file.parent.name in _KIND_BY_FOLDER:
        return True
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as lines:
            for line in lines:
                word = line.strip()
                if word and not word.startswith(("#", "---")):
                    return word.partition(":")[0].strip("\"'") in KINDS
    except OSError:
        return True
    return False


def _lint_file(path: PurePath, reader: Reader, loaders: dict[PurePath, Loader]) -> Iterator[Diagnostic]:
    kind = _KIND_BY_FOLDER.get(path.parent.name)
    folder = folder_of(path, kind)
    loader = loaders.setdefault(folder, Loader(folder, reader))
    loaded = loader.load(name_below(path, folder), kind)
    yield from loader.all_diagnostics(loaded.name)
    yield from _check(loader, loaded)


def _check(loader: Loader, loaded: Loaded) -> Iterator[Diagnostic]:
    document = loaded.document
    if isinstance(document, Workflow):
        documents = loader.documents(loaded)
        if documents is not None:
            yield from check_documents(documents)
            values = {name: rules.values for name, rules in documents.rules.items()}
            for used in documents.loaded.values():
                yield from check_rule_document(used, values)
    elif isinstance(document, RuleText):
        yield from check_rule_document(loaded, {})
    elif isinstance(document, ToolDocument):
        others = loader.contracts_named_in(loaded)
        yield from check_contracts(loaded, others)
    elif isinstance(document, Profile):
        yield from check_profile(loaded, loader.contracts_for(document))


def check_rule_document(loaded: Loaded, values: Names) -> Iterator[Diagnostic]:
    """Yield what a rule document forgets or contradicts, in passing: what takes long is left to `rules check`."""
    if loaded.rules is None or loaded.node is None or not loaded.is_whole:
        return
    from rules.analysis.check import check_rules  # documents without rules start without it

    for found in check_rules(loaded.rules, values, in_passing=True):
        yield located_in(loaded.node, found)

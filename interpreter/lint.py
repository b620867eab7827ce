"""Everything that can be found in documents without running them: the entry for the command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path, PurePath

from interpreter.check import check_contracts, check_documents
from interpreter.check.defaults import check_defaults
from interpreter.check.profiles import check_profile
from interpreter.check.rules import check_rule_document
from interpreter.diagnostics import Diagnostic, has_errors, in_order, nearest
from interpreter.disk import Files, NoContent
from interpreter.documents.causes import without_consequences
from interpreter.documents.loading import FOLDERS, Loaded, Loader, folder_of, name_below
from interpreter.documents.profiles import WholeProfile, whole_profile
from interpreter.documents.reading import Disk, Reader
from interpreter.model import DOCUMENT_KINDS, Profile, RuleText, ToolDocument, Workflow

_KIND_BY_FOLDER = {folder: kind for kind, folder in FOLDERS.items()}
_LEFT_OUT = frozenset({"samples"})
"""Folders whose YAML files are inputs and answers, not documents."""
CheckTests = Callable[[Loader, Loaded], Iterable[Diagnostic]]
CheckSettings = Callable[[Loaded], Iterable[Diagnostic]]


def lint_paths(
    paths: Iterable[str | PurePath],
    files: Files | None = None,
    check_tests: CheckTests = lambda loader, loaded: (),
    check_settings: CheckSettings = lambda loaded: (),
) -> list[Diagnostic]:
    """Return what is wrong in files and folders, each document with all that it uses, in order, without duplicates.

    Shapes: a folder stands for every document below it; its files that are no documents are left out quietly, a file
    that is named outright is not. `check_tests` looks at tests documents, `check_settings` at what profiles write for
    adapters; what they need stands above this module.
    """
    files = files or Files()
    reader = Disk(files)
    loaders: dict[PurePath, Loader] = {}
    found: list[Diagnostic] = []
    analysed: set[int] = set()
    for path in paths:
        below = documents_below(path, files)
        listed = [Path(path)] if below is None else below
        # Workflows first: rules are looked at once, where it is known what they compare with.
        for file in sorted(listed, key=lambda file: file.parent.name in _KIND_BY_FOLDER):
            found.extend(_lint_file(file, reader, loaders, (check_tests, check_settings), analysed))
    return in_order(without_consequences(found))


def documents_below(folder: str | PurePath, files: Files | None = None) -> list[Path] | None:
    """Return the files below a folder that are documents, None for what is no folder.

    Their first key is a kind, or the folder that they stand in says the kind.
    """
    files = files or Files()
    below = files.below(str(folder))
    if below is None:
        return None
    places = sorted(map(Path, below))
    return [file for file in places if _is_listed(file.relative_to(folder)) and _looks_like_document(file, files)]


def _is_listed(path: PurePath) -> bool:
    return not any(part in _LEFT_OUT or part.startswith(".") for part in path.parts)


def _looks_like_document(file: PurePath, files: Files) -> bool:
    if file.parent.name in _KIND_BY_FOLDER:
        return True
    content = files.content(str(file))
    if isinstance(content, NoContent):
        return True
    for line in TextIOWrapper(BytesIO(content), encoding="utf-8-sig", errors="replace"):
        word = line.strip()
        if word and not word.startswith(("#", "---")):
            return word.partition(":")[0].strip("\"'") in DOCUMENT_KINDS
    return False


def _lint_file(
    path: PurePath,
    reader: Reader,
    loaders: dict[PurePath, Loader],
    given: tuple[CheckTests, CheckSettings],
    analysed: set[int],
) -> Iterator[Diagnostic]:
    check_tests, check_settings = given
    kind = _KIND_BY_FOLDER.get(path.parent.name)
    folder = folder_of(path, kind)
    loader = loaders.setdefault(folder, Loader(folder, reader))
    loaded = loader.load(name_below(path, folder), kind)
    yield from loader.all_diagnostics(loaded.name)
    if loaded.kind == "tests" and not has_errors(loaded.diagnostics):
        yield from check_tests(loader, loaded)
    if loaded.kind == "profile":
        yield from _profile(loader, whole_profile(loader, loaded), check_settings)
    yield from _check(loader, loaded, analysed)


def _check(loader: Loader, loaded: Loaded, analysed: set[int]) -> Iterator[Diagnostic]:
    """Yield what the checks of a document find. Shapes: `analysed` are documents that were looked at, by id."""
    document = loaded.document
    yield from _defaults(loader, loaded, analysed)
    if isinstance(document, Workflow):
        documents = loader.documents(loaded)
        if documents is not None:
            yield from check_documents(documents)
            values = {name: rules.values for name, rules in documents.rules.items()}
            for used in documents.loaded.values():
                yield from _defaults(loader, used, analysed)
                if id(used.rules) not in analysed:
                    analysed.add(id(used.rules))
                    yield from check_rule_document(used, values)
    elif isinstance(document, RuleText) and id(loaded.rules) not in analysed:
        analysed.add(id(loaded.rules))
        yield from check_rule_document(loaded, {})
    elif isinstance(document, ToolDocument):
        others = loader.contracts_named_in(loaded)
        yield from check_contracts(loaded, others)


def _profile(loader: Loader, whole: WholeProfile, check_settings: CheckSettings) -> Iterator[Diagnostic]:
    """Yield what is found in a profile and in those that it extends, each in its own document."""
    yield from whole.diagnostics
    for part in whole.parts:
        yield from check_settings(part.loaded)
        if part.profile is not None:
            yield from _tools_of_nobody(loader, part.loaded, part.own)
            yield from check_profile(part, loader.contracts_for(part.own))


def _tools_of_nobody(loader: Loader, loaded: Loaded, profile: Profile) -> Iterator[Diagnostic]:
    """Yield documents of tools that a profile nearly names; one that is nowhere near may be of another folder."""
    there = loader.names("tools")
    tools = loaded.places.value(profile.span, "tools")
    for adapted in profile.tools:
        name = adapted.tool.partition(".")[0]
        if name not in there and nearest(name, there) is not None:
            yield loader.missing("tools", name, loaded.places.key(tools, adapted.tool))


def _defaults(loader: Loader, loaded: Loaded, analysed: set[int]) -> Iterator[Diagnostic]:
    if id(loaded) not in analysed:
        analysed.add(id(loaded))
        yield from check_defaults(loaded, loader.shapes.definitions)

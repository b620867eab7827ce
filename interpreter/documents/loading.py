"""Load documents: find what a workflow uses by place, read, check shapes, parse, make references to types plain.

Documents are found by place, never by search: a workflow at `F/x.yaml` finds `F/rules/<name>.yaml` and so on. Every
document is read once, whoever asks for it. Nothing here starts, imports or contacts what a document names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from interpreter.diagnostics import Diagnostic, Words, did_you_mean, finding, has_errors, in_order, nearest
from interpreter.documents.causes import without_consequences
from interpreter.documents.public_suffixes import registrable_domain
from interpreter.documents.reading import Disk, Reader
from interpreter.model import Contract, Profile, RuleText, ToolDocument, TypeDocument, Workflow
from interpreter.parse import Document, Places, kind_of, parse_document
from interpreter.parse.context import key_of, words_of
from interpreter.parse.data_shapes import SchemaReader, Shapes, references
from interpreter.parse.values import located_finding, place_of
from interpreter.pointers import BUILT_IN
from interpreter.shape.checking import check_shape, kind_of_document
from interpreter.source import Place, Source, Span
from interpreter.yaml_tree import Mapping as MappingNode
from interpreter.yaml_tree import (
    Node,
    Scalar,
    Sequence,
    eaten_paths,
    look_alikes,
    read_tree,
    surprises,
    to_value,
    unseen,
)
from rules.findings import Finding
from rules.records import field, record, replace
from rules.values import digest

if TYPE_CHECKING:
    from rules.documents import RuleDocument

#: What stands under `uses`, by kind of document.
USED = {"types": "types", "tools": "tools", "rules": "rules", "workflow": "workflows"}
FOLDERS = {"types": "types", "tools": "tools", "rules": "rules", "profile": "profiles", "tests": "tests"}


#: Findings of the shape of a document after which a key or its value is left out.
_LOST = frozenset({"shape/unknown-key", "shape/wrong-kind", "shape/wrong-form", "shape/looks-like-another-kind"})


@record
class Loaded:
    """One document.

    Shapes: `name` is its place below the folder of workflows (`rules/limits.yaml`); `document` is None where nothing
    readable stands; `rules` is filled for a rule document that holds together; `refers` are the types documents that it
    refers to, '' for itself; those of a workflow stand in its `uses`.
    """

    name: str
    kind: str | None
    source: Source | None
    node: Node | None
    document: Document | None
    diagnostics: tuple[Diagnostic, ...]
    places: Places = field(default_factory=Places)
    doubtful: frozenset[str] = frozenset()
    rules: RuleDocument | None = None
    refers: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out, so that what is not found in it is really not there."""
        return self.document is not None and not has_errors(self.diagnostics)

    def may_be_lost(self, span: Span) -> bool:
        """Whether a key inside a place could not be read, so that one that seems missing there may only be misspelt."""
        return any(
            one.span is not None and one.code in _LOST and span.start <= one.span.start < span.end
            for one in self.diagnostics
        )


@record
class Documents:
    """A workflow with everything that it uses.

    Shapes: `tools` by full name; `types` and `rules` by the name of the document; `sources` and `digests` by place
    below the folder of workflows. A digest is that of the plain data: comments and layout do not count.
    """

    workflow: Workflow
    workflows: Mapping[str, Workflow]
    tools: Mapping[str, Contract]
    types: Mapping[str, TypeDocument]
    rules: Mapping[str, RuleDocument]
    sources: Mapping[str, Source]
    loaded: Mapping[str, Loaded]
    name: str
    beside: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What else stands in the folder, by kind: proposals are made of it, and nothing is read."""
    _digests: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def digests(self) -> Mapping[str, str]:
        """The digest of each document; a run asks for them, `lint` does not."""
        if not self._digests:
            nodes = {name: found.node for name, found in self.loaded.items()}
            self._digests.update((name, digest(to_value(node))) for name, node in nodes.items() if node is not None)
        return self._digests

    def of(self, kind: str, name: str) -> Loaded | None:
        """Return a used document by kind and name."""
        return self.loaded.get(place_below(kind, name))

    def is_whole(self, kind: str, name: str) -> bool:
        """Whether a used document was read without an error, so that what it says can be held against others."""
        loaded = self.of(kind, name)
        return loaded is not None and loaded.is_whole

    @property
    def main(self) -> Loaded:
        return self.loaded[self.name]


def place_below(kind: str, name: str) -> str:
    """Return where a document stands below the folder of workflows."""
    folder = FOLDERS.get(kind)
    return f"{folder}/{name}.yaml" if folder else f"{name}.yaml"


def load_workflow(path: str | PurePath, reader: Reader | None = None) -> tuple[Documents | None, list[Diagnostic]]:
    """Return a workflow with all that it uses, and every finding about reading them.

    Shapes: None where the file is no readable workflow; a workflow with errors is returned as far as it was read.
    Errors: findings of the phases yaml, shape, expression, rule, and `name/…` for documents and types.
    """
    path = PurePath(path)
    loader = Loader(path.parent, reader or Disk())
    main = loader.load(path.name, "workflow")
    return loader.documents(main), in_order(without_consequences(loader.all_diagnostics(main.name)))


def folder_of(path: PurePath, kind: str | None) -> PurePath:
    """Return the folder of workflows that a document belongs to."""
    return path.parent.parent if path.parent.name == FOLDERS.get(kind or "") else path.parent


def name_below(path: PurePath, folder: PurePath) -> str:
    return path.relative_to(folder).as_posix()


class Loader:
    """Reads the documents of one folder, each once."""

    def __init__(self, folder: PurePath, reader: Reader) -> None:
        self.folder = folder
        self.shapes = Shapes()
        self._reader = reader
        self._loaded: dict[str, Loaded] = {}
        self._loading: set[str] = set()
        self._refused: dict[str, Diagnostic] = {}

    def all_diagnostics(self, name: str) -> Iterator[Diagnostic]:
        """Yield what was found in reading a document and everything that it uses."""
        if name in self._refused:
            yield self._refused[name]
        for loaded in self._closure(self._loaded[name]).values():
            yield from loaded.diagnostics

    def load(self, name: str, wanted: str | None = None) -> Loaded:
        """Return the document at a place below the folder; `wanted` is the kind that the place asks for."""
        if name in self._loaded:
            return self._loaded[name]
        self._loading.add(name)
        loaded = self._read(name, wanted)
        self._loading.discard(name)
        self._loaded[name] = loaded
        return loaded

    def _read(self, name: str, wanted: str | None) -> Loaded:
        path = self.folder / name
        text = self._reader.read(path)
        if isinstance(text, Diagnostic):
            # Whoever asked for it says so, at the place where its name stands.
            self._refused[name] = text
            return Loaded(name, None, None, None, None, ())
        source = Source(str(path), text)
        node, problems = read_tree(source)
        problems.extend(unseen(source))
        if node is None:
            return Loaded(name, None, source, None, None, tuple(problems))
        problems.extend(look_alikes(node))
        kind, odd = kind_of_document(node)
        problems.extend(odd)
        if kind is not None and wanted is not None and kind != wanted:
            problems.append(finding("name/wrong-kind-of-document", _first_key(node), kind=kind, wanted=wanted))
        if kind is None or kind_of(node) is None or (wanted is not None and kind != wanted):
            return Loaded(name, kind, source, node, None, tuple(problems))
        problems.extend(check_shape(node, kind))
        problems.extend(_check_name(node, path))
        return self._parse(name, kind, source, node, problems)

    def _parse(self, name: str, kind: str, source: Source, node: Node, problems: list[Diagnostic]) -> Loaded:
        refers = tuple(dict.fromkeys(references(node))) if kind != "workflow" else ()
        schemas = self._schemas(kind, node, refers, problems)
        parsed = parse_document(node, source, schemas)
        problems.extend(parsed.diagnostics)
        rules = None
        if isinstance(parsed.document, RuleText):
            from rules.documents import load_rules  # not every workflow has rules

            rules, found = load_rules(parsed.document.body, parsed.document.name, registrable_domain)
            if not has_errors(problems):
                problems.extend(located_in(node, item) for item in found)
        problems.extend(eaten_paths(node))
        problems.extend(_surprises(node, problems))
        return Loaded(
            name=name,
            kind=kind,
            source=source,
            node=node,
            document=parsed.document,
            diagnostics=tuple(problems),
            places=parsed.places,
            doubtful=parsed.doubtful,
            rules=rules,
            refers=refers,
        )

    # --- types --------------------------------------------------------------------------------------------------------

    def _schemas(self, kind: str, node: Node, refers: Iterable[str], problems: list[Diagnostic]) -> SchemaReader:
        """Load the types that a document refers to, and everything else that it uses."""
        if kind == "workflow":
            used = list(self._load_used(node, problems))
            return SchemaReader(self.shapes, None, frozenset(name for name, of in used if of == "types"))
        own = _first_value(node) if kind == "types" else None
        for document in refers:
            if document and document != own and f"types/{document}.yaml" not in self._loading:
                self._load_types(document)
        if own is not None:
            self._define(own, node, is_whole=not has_errors(problems))
        return SchemaReader(self.shapes, own)

    def _load_used(self, node: Node, problems: list[Diagnostic]) -> Iterator[tuple[str, str]]:
        uses = node.get("uses") if isinstance(node, MappingNode) else None
        seen: set[tuple[str, str]] = set()
        for kind, group in USED.items():
            listed = uses.get(group) if isinstance(uses, MappingNode) else None
            items = listed.items if isinstance(listed, Sequence) else (listed,)
            for item in items:
                if isinstance(item, Scalar) and isinstance(item.value, str):
                    if (item.value, kind) in seen:
                        problems.append(finding("name/document-twice", item.span, name=item.value))
                    seen.add((item.value, kind))
                    self._load_one(kind, item.value, item.span, problems)
                    yield item.value, kind

    def _load_one(self, kind: str, document: str, span: Span, problems: list[Diagnostic]) -> None:
        name = place_below(kind, document)
        if name in self._loading:
            return
        if kind == "types":
            self._load_types(document)
        else:
            self.load(name, kind)
        loaded = self._loaded[name]
        if loaded.source is None:
            problems.append(self.missing(kind, document, span))
            self.shapes.unreadable.update({document} if kind == "types" else ())

    def _load_types(self, document: str) -> None:
        loaded = self.load(place_below("types", document), "types")
        if loaded.document is None and loaded.source is not None:
            self.shapes.unreadable.add(document)

    def _define(self, document: str, node: Node, *, is_whole: bool) -> None:
        """Make the types of a document known, before its own references are read.

        Of a document with errors the names are known and nothing else: a field may have slipped out of its type.
        """
        definitions = node.get("$defs") if isinstance(node, MappingNode) else None
        self.shapes.documents.add(document)
        self._doubt_strays(node)
        if not isinstance(definitions, MappingNode):
            return
        entries = [(key_of(key), value) for key, value in definitions.entries]
        for name, _ in entries:
            self.shapes.definitions.setdefault(f"{document}.{name}", {})
        if not is_whole:
            return
        # Read quietly: the types document itself reports what is wrong in it.
        reader = SchemaReader(self.shapes, document)
        for name, value in entries:
            if f"{document}.{name}" in BUILT_IN:
                continue
            schema, reached = reader.definition(value)
            self.shapes.definitions[f"{document}.{name}"] = schema
            self.shapes.reaches[f"{document}.{name}"] = reached

    def _doubt_strays(self, node: Node) -> None:
        """Remember names that stand where no type can stand: a line that slipped out of `$defs` is said there."""
        if isinstance(node, MappingNode):
            for key, value in node.entries:
                if key_of(key) not in ("types", "language", "title", "description", "labels", "$defs"):
                    self.shapes.doubtful.update((key_of(key), *words_of(value)))

    # --- results ------------------------------------------------------------------------------------------------------

    def documents(self, main: Loaded) -> Documents | None:
        """Return a loaded workflow with all that it uses, None for any other document."""
        if not isinstance(main.document, Workflow):
            return None
        used = self._closure(main)
        documents = [found.document for found in used.values()]
        return Documents(
            workflow=main.document,
            workflows={one.name: one for one in documents if isinstance(one, Workflow) and one is not main.document},
            tools={tool.name: tool for one in documents if isinstance(one, ToolDocument) for tool in one.contracts},
            types={one.name: one for one in documents if isinstance(one, TypeDocument)},
            rules={found.rules.name: found.rules for found in used.values() if found.rules is not None},
            sources={name: found.source for name, found in used.items() if found.source is not None},
            loaded=used,
            name=main.name,
            beside={kind: frozenset(self.names(kind)) for kind in ("rules", "tools", "types")},
        )

    def _closure(self, main: Loaded) -> dict[str, Loaded]:
        """Return a document and everything that it uses, also through others, in the order of first use."""
        found: dict[str, Loaded] = {}
        waiting = [main.name]
        while waiting:
            name = waiting.pop(0)
            loaded = self._loaded.get(name)
            if loaded is not None and name not in found:
                found[name] = loaded
                waiting.extend(_used_by(loaded))
        return found

    def contracts_named_in(self, loaded: Loaded) -> dict[str, Contract]:
        """Return the contracts of a tools document, and of those that its contracts call."""
        if not isinstance(loaded.document, ToolDocument):
            return {}
        named = [call.tool for each in loaded.document.contracts for call in (each.follow, each.verify_with) if call]
        documents = {loaded.document.name, *(name.partition(".")[0] for name in named)}
        return self._contracts_of(sorted(documents))

    def contracts_for(self, profile: Profile) -> dict[str, Contract] | None:
        """Return the contracts of the tools that a profile answers; None where one of the documents is not whole."""
        documents = sorted({adapted.tool.partition(".")[0] for adapted in profile.tools})
        contracts = self._contracts_of(documents)
        whole = all(self.load(place_below("tools", name), "tools").is_whole for name in documents)
        return contracts if whole else None

    def _contracts_of(self, documents: Iterable[str]) -> dict[str, Contract]:
        loaded = [self.load(place_below("tools", name), "tools").document for name in documents]
        return {each.name: each for found in loaded if isinstance(found, ToolDocument) for each in found.contracts}

    def missing(self, kind: str, document: str, span: Span, place: str | None = None) -> Diagnostic:
        """Return the finding of a document that is named and could not be read, with what stands there instead.

        Shapes: `place` is given where it does not follow from the kind.
        """
        place = place or place_below(kind, document)
        refused = self._refused.get(place)
        if refused is not None and refused.code != "yaml/file-missing":
            return replace(refused, span=span)
        hint = self._meant(kind, document, place)
        return finding("name/unknown-document", span, hint=hint, name=document, place=place)

    def _meant(self, kind: str, document: str, place: str) -> Words | None:
        """Return the document of the same folder that was meant, or of which other kind the name is."""
        there = {each: self.names(each) for each in USED} | {kind: self._names_beside(place)}
        near = nearest(document, there[kind])
        if near is not None:
            return did_you_mean(near, [near])
        group = next((USED[each] for each in USED if each != kind and document in there[each]), None)
        if group is None:
            return None
        return Words(f"{document} 写在 uses 的 {group} 下", f"{document} belongs under {group} of uses")

    def names(self, kind: str) -> list[str]:
        """Return the names of the documents of one kind that stand in the folder."""
        return self._names_beside(place_below(kind, "any"))

    def _names_beside(self, place: str) -> list[str]:
        return list(self._reader.names((self.folder / place).parent))

    def refused(self, name: str) -> Diagnostic | None:
        """Return why a document could not be read, None where it was read."""
        return self._refused.get(name)


def _used_by(loaded: Loaded) -> Iterator[str]:
    document = loaded.document
    if isinstance(document, Workflow):
        uses = document.uses
        for kind, names in (("types", uses.types), ("tools", uses.tools), ("rules", uses.rules)):
            yield from (place_below(kind, name) for name, _ in names)
        yield from (place_below("workflow", name) for name, _ in uses.workflows)
    elif isinstance(document, ToolDocument | TypeDocument):
        yield from (place_below("types", name) for name in loaded.refers if name)


# --- findings ---------------------------------------------------------------------------------------------------------


def _first_key(node: Node) -> Span:
    return node.entries[0][0].span if isinstance(node, MappingNode) and node.entries else node.span


def _surprises(node: Node, problems: list[Diagnostic]) -> list[Diagnostic]:
    """Return the warnings about texts that YAML 1.1 reads otherwise, but for those that are an error already.

    A text that is no expression has an error at a part of it; quotes around all of it would not mend that.
    """
    reported = [found for found in problems if found.span is not None]
    return [
        one for one in surprises(node) if one.span is None or not any(_covers(one.span, found) for found in reported)
    ]


def _covers(span: Span, found: Diagnostic) -> bool:
    other = found.span
    if other is None or (span.start, span.end) == (other.start, other.end):
        return other is not None
    return found.code.startswith("expression/") and span.start <= other.start and other.end <= span.end


def _check_name(node: Node, path: PurePath) -> Iterator[Diagnostic]:
    """A document carries the name of its file, since it is found by it."""
    if not isinstance(node, MappingNode) or not isinstance(node.entries[0][1], Scalar):
        return
    value = node.entries[0][1]
    if value.value != path.stem and isinstance(value.value, str):
        yield finding("name/document-name-differs", value.span, name=value.value, file=path.stem)


def _first_value(node: Node) -> str | None:
    value = node.entries[0][1] if isinstance(node, MappingNode) and node.entries else None
    return value.value if isinstance(value, Scalar) and isinstance(value.value, str) else None


def node_at(node: Node, path: Iterable[object]) -> Node:
    """Return the node that a path of keys and positions leads to, as far as it goes."""
    for key in path:
        inner = _step_into(node, key)
        if inner is None:
            break
        node = inner
    return node


def located_in(node: Node, found: Finding) -> Diagnostic:
    """Return a finding about plain data as a finding in the document that the data were read from."""
    target = node_at(node, found.path)
    if isinstance(target, Scalar):
        return located_finding(found, place_of(target))
    return located_finding(Finding(found.code, found.path, None, None, found.facts), Place(target.span))


def _step_into(node: Node, key: object) -> Node | None:
    if isinstance(node, MappingNode):
        return node.get(str(key))
    if isinstance(node, Sequence) and isinstance(key, int) and 0 <= key < len(node.items):
        return node.items[key]
    return None

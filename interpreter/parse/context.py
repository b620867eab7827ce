"""What all parsers of one document share: findings, places, and the names that a poisoned part may have declared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from interpreter.diagnostics import Diagnostic
from interpreter.model import Written
from interpreter.parse.data_shapes import SchemaReader, Shapes
from interpreter.source import Source, Span
from interpreter.yaml_tree import Mapping, Node, Scalar, Sequence, half_list
from rules.patterns import regex
from rules.records import field, record

NAMES = regex(r"[A-Za-z_][A-Za-z0-9_.]*")
_WORDS = regex(r"[^\W\d]\w*")


@record(frozen=False)
class Context:
    """Collects while one document is parsed.

    Shapes: `spans` gives the place of the value under a key (or at an index) of the node that starts at an offset;
    `key_spans` the place of the key itself; `doubtful` holds every word inside the parts that could not be read, so
    that names which those parts may have declared are not reported as unknown as well.
    """

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)
    spans: dict[tuple[int, str | int], Span] = field(default_factory=dict)
    key_spans: dict[tuple[int, str], Span] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)
    opened: list[Fields] = field(default_factory=list)
    schemas: SchemaReader = field(default_factory=lambda: SchemaReader(Shapes()))

    def fields(self, node: Node | None) -> Fields | None:
        """Return a reader of a mapping's keys, or None, quietly: its shape is reported by `shape`."""
        if not isinstance(node, Mapping):
            self.doubt(node)
            return None
        found = Fields(self, node)
        self.opened.append(found)
        return found

    def items(self, node: Node | None) -> tuple[Node, ...]:
        """Return the items of a list; a single value stands for a list of one; nothing gives an empty tuple."""
        if node is None or (isinstance(node, Scalar) and node.value is None):
            return ()
        if isinstance(node, Scalar) and half_list(node.text) is not None:
            self.doubtful.update(NAMES.findall(node.text))  # `【a，b】`: what it lists is said to be no list
            return ()
        if not isinstance(node, Sequence):
            return (node,)
        for index, item in enumerate(node.items):
            self.spans[node.span.start, index] = item.span
        return tuple(node.items)

    def entries(self, node: Node | None) -> Iterator[tuple[str, Node, Span]]:
        """Yield key, value and the key's place of a mapping whose keys are free names."""
        if not isinstance(node, Mapping):
            self.doubt(node)
            return
        for key, value in node.entries:
            name = key_of(key)
            if not name.startswith("x-"):
                self.spans[node.span.start, name] = value.span
                self.key_spans[node.span.start, name] = key.span
                yield name, value, key.span

    def doubt(self, node: Node | None) -> None:
        """Remember every word of a part that is left out."""
        if node is not None:
            self.doubtful.update(words_of(node))

    def close(self) -> None:
        """Remember the words under keys that nobody read: they are misspelled or misplaced, and reported as such."""
        self.diagnostics.extend(self.schemas.diagnostics)
        for fields in self.opened:
            for key, value in fields.unread():
                self.doubtful.add(key)
                self.doubt(value)


class Fields:
    """The fixed keys of one mapping; knows which were read."""

    def __init__(self, context: Context, node: Mapping) -> None:
        self.node = node
        self.span = node.span
        self._values: dict[str, Node] = {}
        self._read: set[str] = set()
        for key, value in node.entries:
            name = key_of(key)
            self._values.setdefault(name, value)
            context.spans.setdefault((node.span.start, name), value.span)
            context.key_spans.setdefault((node.span.start, name), key.span)
        self._context = context

    def get(self, key: str) -> Node | None:
        self._read.add(key)
        return self._values.get(key)

    def has(self, key: str) -> bool:
        return key in self._values

    def names(self) -> tuple[str, ...]:
        return tuple(self._values)

    def text(self, key: str) -> str | None:
        """Return a name or word; None where there is none, or where something else stands."""
        return text_of(self.get(key))

    def new_name(self, key: str) -> str | None:
        """Return a name that is given here; of one that cannot be a name no word is reported as unknown as well."""
        node = self.get(key)
        name = text_of(node)
        if node is not None and (name is None or not name.isidentifier()):
            for word in words_of(node):
                self._context.doubtful.update((word, *_WORDS.findall(word)))
        return name

    def flag(self, key: str) -> bool:
        """Say whether a word of yes or no says yes; `yes` and `on` mean it too, and `shape` says how it is written."""
        node = self.get(key)
        return isinstance(node, Scalar) and (node.value is True or _means_yes(node))

    def key_span(self, key: str) -> Span:
        return self._context.key_spans.get((self.span.start, key), self.span)

    def value_span(self, key: str) -> Span:
        node = self._values.get(key)
        return node.span if node is not None else self.span

    def ignore(self, *keys: str) -> None:
        """Say that these keys are known and mean nothing here."""
        self._read.update(keys)

    def unread(self) -> Iterator[tuple[str, Node]]:
        for key, value in self._values.items():
            if key not in self._read and not key.startswith("x-"):
                yield key, value


def key_of(key: Node) -> str:
    """Return the name that a key stands for; a number or word of YAML is taken as typed."""
    if not isinstance(key, Scalar):
        return ""
    return key.value if isinstance(key.value, str) else key.text


def _means_yes(node: Scalar) -> bool:
    return node.surprise == "boolean-word" and node.text.lower() in ("yes", "on", "y", "true")


def text_of(node: Node | None) -> str | None:
    if isinstance(node, Scalar) and isinstance(node.value, str) and not node.broken:
        return node.value
    return None


def words_of(node: Node) -> Iterator[str]:
    """Yield every text inside a node, keys included."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Scalar):
            yield found.value if isinstance(found.value, str) else found.text
        elif isinstance(found, Sequence):
            waiting.extend(found.items)
        else:
            for key, value in found.entries:
                waiting.extend((key, value))


class Common(TypedDict):
    """What every step has."""

    id: str | None
    key: str
    when: Written | None
    span: Span
    verb_span: Span

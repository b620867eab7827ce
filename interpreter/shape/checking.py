"""Check the shape of a located document against `schemas/<kind>.schema.json`, in words for people.

The schema files are the single source of truth: editors read them, and so does this small walker. It exists
because a general validator answers "not valid under any of the given schemas": here an alternative is picked
first, then only that one is reported, with a place, one finding for each cause, and all findings at once.

How an alternative of `anyOf` is picked: by the kind of node that stands there; among mappings by the key that
`x-picked-by` names (the verb of a step, the word of a gate entry); the one without that word takes the rest.
A key that is misspelled is checked as the key that was meant, so that what stands below it is reported too.

Words of JSON Schema 2020-12 that the schemas use; a test refuses all others:
  `type`, `enum`, `pattern`, `minLength`, `minimum`, `maximum`, `items`, `minItems`, `properties`, `required`,
  `patternProperties`, `propertyNames`, `additionalProperties`, `minProperties`, `dependentRequired`,
  `$ref` to `#/$defs/…`, beside titles only; `anyOf`: alternatives, or `required` alone: one of these keys;
  `not`, always `{}`: the key may not stand here, its description says why; `title`, `description`, both
  written `中文 / English`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from interpreter.diagnostics import Diagnostic, Words, in_order, nearest
from interpreter.kind_words import kind_of_value
from interpreter.model import DOCUMENT_KINDS
from interpreter.shape import messages
from interpreter.shape.hints import as_list, as_mapping, in_one_key, in_parts, meant_key, of_list, of_value
from interpreter.shape.messages import ALL_KINDS, DOCUMENT, Kinds, Named, Schema, admits, under
from interpreter.source import Span
from interpreter.yaml_tree import Mapping as MappingNode
from interpreter.yaml_tree import Node, Scalar, to_value
from interpreter.yaml_tree import Sequence as SequenceNode

#: How alike a key must be to a known one before what stands below it is checked as if it were that key.
_ALIKE = 0.75
_ANYTHING: Schema = {}
_NOTHING: Schema = {"not": {}}


# --- schema files -------------------------------------------------------------------------------------------


@cache
def schema_text(kind: str) -> str:
    """Return the text of the schema file of one kind of document.

    Errors: KeyError for a word that is no kind.
    """
    if kind not in DOCUMENT_KINDS:
        raise KeyError(kind)
    here = Path(__file__).parents[1]
    # A wheel holds the files inside the package, a clone beside it.
    folder = here / "schemas" if (here / "schemas").is_dir() else here.parent / "schemas"
    return (folder / f"{kind}.schema.json").read_text(encoding="utf-8")


@cache
def schema_for(kind: str) -> Schema:
    """Return the schema of one kind of document; callers do not change it."""
    schema: Schema = json.loads(schema_text(kind))
    return schema


# --- what is asked of this module ---------------------------------------------------------------------------


def kind_of_document(node: Node) -> tuple[str | None, list[Diagnostic]]:
    """Return which kind of document this is, by its first key; None where that cannot be told.

    Shapes: with a misspelled kind, or one that does not come first, the kind that was meant.
    Errors: `shape/not-a-document`, `shape/unknown-document`, `shape/kind-not-first`.
    """
    if not isinstance(node, MappingNode) or not node.entries:
        return None, [messages.not_a_document(node)]
    first = node.entries[0][0]
    if first.text in DOCUMENT_KINDS:
        return first.text, []
    near = nearest(first.text, DOCUMENT_KINDS)
    later = [key for key, _ in node.entries[1:] if key.text in DOCUMENT_KINDS]
    if near is None and later:
        # Profiles hold a key `tools`, tests a key `workflow`: those two kinds win over what they hold.
        key = next((key for key in later if key.text in ("profile", "tests")), later[0])
        return key.text, [messages.kind_not_first(key)]
    return near, [messages.unknown_document(first, DOCUMENT_KINDS)]


#: Keys whose expression gives a list, so that brackets may have been meant.
_LISTS = ("in", "rows")
#: Kinds that a word of YAML 1.1 may have meant.
_PLAIN_KINDS = frozenset({"boolean", "null", "integer", "number"})
_SHORT = 20_000
"""Up to so many characters the walker alone is done before the validator is loaded."""


def check_shape(node: Node, kind: str) -> list[Diagnostic]:
    """Return everything that is wrong with the shape of a document of one kind, in its order.

    Most documents are right, and a compiled validator says so in a hundredth of the time; only for the others the
    walker looks for the places and the words. A property test keeps the two of one mind.
    """
    schema = schema_for(kind)
    is_short = len(node.span.source.text) < _SHORT and "jsonschema_rs" not in sys.modules
    if not is_short and _is_right(to_value(node), kind):
        return []
    return in_order(_Walker(schema["$defs"], node).check(_with_kind(node, kind), schema, DOCUMENT))


def _is_right(value: object, kind: str) -> bool:
    try:
        return bool(_validator(kind).is_valid(value))
    except ValueError:
        # A value that the validator cannot take, such as a lone surrogate: the walker has the words.
        return False


@cache
def _validator(kind: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(dict(schema_for(kind)))


def _with_kind(node: Node, kind: str) -> Node:
    """Return a document with its first key spelled right; that it is not is said by `kind_of_document`."""
    if not isinstance(node, MappingNode) or not node.entries or any(key.text == kind for key, _ in node.entries):
        return node
    first, value = node.entries[0]
    return MappingNode(((Scalar(kind, kind, first.style, first.span), value), *node.entries[1:]), node.span)


# --- the walker ---------------------------------------------------------------------------------------------


class _Walker:
    """Walks one document beside its schema. Shapes: examples in hints are taken from `document`."""

    def __init__(self, definitions: Mapping[str, Schema], document: Node | None = None) -> None:
        self._definitions = definitions
        self._document = document
        self._kinds: dict[int, Kinds] = {}

    def check(self, node: Node, schema: Schema | bool, named: Named) -> Iterator[Diagnostic]:
        schema = self._plain(schema)
        if isinstance(node, Scalar) and node.broken:
            return  # the place has its finding already
        if _has_alternatives(schema):
            yield from self._check_alternatives(node, schema, named)
        elif isinstance(node, Scalar) and "enum" in schema:
            yield from self._check_choice(node, schema, named)
        elif not admits(self._kinds_of(schema), node):
            yield self._wrong_kind(node, schema, named)
        elif isinstance(node, Scalar):
            yield from self._check_scalar(node, schema, named)
        elif isinstance(node, SequenceNode):
            yield from self._check_entries(node, schema, named)
        else:
            yield from self._check_mapping(node, schema, named)

    # --- scalars and lists ---

    def _check_choice(self, node: Scalar, schema: Schema, named: Named) -> Iterator[Diagnostic]:
        if any(_is_same(node.value, value) for value in schema["enum"]):
            return
        kinds = self._kinds_of(schema)
        if node.surprise and "string" not in kinds:
            yield messages.looks_like_another_kind(node, kinds, named)
        else:
            yield messages.not_among(node, schema, named)

    def _check_scalar(self, node: Scalar, schema: Schema, named: Named) -> Iterator[Diagnostic]:
        value = node.value
        if isinstance(value, str):
            yield from self._check_text(node, value, schema, named)
        elif isinstance(value, int | Decimal) and not isinstance(value, bool):
            if "minimum" in schema and value < schema["minimum"]:
                yield messages.out_of_range(node, schema["minimum"], named, is_least=True)
            if "maximum" in schema and value > schema["maximum"]:
                yield messages.out_of_range(node, schema["maximum"], named, is_least=False)

    def _check_text(self, node: Scalar, text: str, schema: Schema, named: Named) -> Iterator[Diagnostic]:
        others = self._kinds_of(schema) - {"string"}
        if len(text) < schema.get("minLength", 0):
            yield messages.empty(node, named, schema)
        elif "pattern" in schema and not re.search(schema["pattern"], text):
            if node.surprise and others:
                yield messages.looks_like_another_kind(node, others, named)
            else:
                yield messages.wrong_form(node, schema, self._document)

    def _check_entries(self, node: SequenceNode, schema: Schema, named: Named) -> Iterator[Diagnostic]:
        if len(node.items) < schema.get("minItems", 0):
            yield messages.empty(node, named, schema)
        if "items" in schema:
            for number, item in enumerate(node.items, 1):
                yield from self.check(item, schema["items"], named.entry(number))

    # --- mappings ---

    def _check_mapping(self, node: MappingNode, schema: Schema, named: Named) -> Iterator[Diagnostic]:
        strays = self._strays(node, schema)
        outdented = {word for word, (key, is_lost) in strays.items() if is_lost}
        meant = self._meant(node, schema, strays)
        standing = {meant.get(key.text, key.text) for key, _ in node.entries} | _in_one_key(node, schema)
        for key, value in node.entries:
            lost = [word for word in outdented if strays[word][0] == key.text]
            if lost:
                hint = messages.belongs_under(key.text, [one.text for one, _ in node.entries if one.text in lost])
                yield self._wrong_kind(value, schema["properties"][key.text], under(key.text), hint)
            elif key.text not in outdented:
                below = strays[key.text][0] if key.text in strays else None
                yield from self._check_entry(key, value, schema, standing, meant.get(key.text), named, below)
        yield from self._check_required(node, schema, standing, named)

    def _strays(self, node: MappingNode, schema: Schema) -> dict[str, tuple[str, bool]]:
        """Return the unknown keys that belong under one beside them, and whether nothing stands under that one."""
        found: dict[str, tuple[str, bool]] = {}
        for key, value in node.entries:
            below = schema.get("properties", {}).get(key.text)
            for option in self._options(below) if below is not None else ():
                for other, _ in node.entries:
                    if other.text in option.get("properties", {}) and self._schema_below(other.text, schema) is None:
                        is_lost = isinstance(value, Scalar) and value.value is None
                        found.setdefault(other.text, (key.text, is_lost))
        return found

    def _check_entry(
        self,
        key: Scalar,
        value: Node,
        schema: Schema,
        standing: set[str],
        meant: str | None,
        named: Named,
        outer: str | None = None,
    ) -> Iterator[Diagnostic]:
        """Check one key and what stands under it. Shapes: `outer` is the key beside it that it belongs under."""
        known = _properties(schema)
        free = [word for word in known if word not in standing]
        below = self._schema_below(key.text, schema)
        form = self._form_of_names(schema) if below is None and meant is None and outer is None else None
        if form is not None and _is_text(key) and isinstance(value, MappingNode):
            yield messages.wrong_form(key, form)
        elif below is None:
            if _is_text(key):
                unused = [word for word in known if word not in standing or word == meant]
                written = self._as_meant(value, schema["properties"][meant]) if meant is not None else ""
                yield messages.unknown_key(key, value, unused or known, named, outer, written, meant)
            if meant is not None and _clearly_near(key.text, [meant]) is not None:
                yield from self.check(value, schema["properties"][meant], under(meant, free))
        elif "not" in below:
            yield messages.misplaced_key(key, below)
        else:
            if "propertyNames" in schema:
                yield from self._check_name(key, schema["propertyNames"])
            yield from self.check(value, below, under(key.text, free))

    def _form_of_names(self, schema: Schema) -> Schema | None:
        """Return the form of the names that an author chooses beside the fixed keys of a mapping, None without such."""
        patterns = schema.get("patternProperties", {})
        return next((form for form in self._definitions.values() if form.get("pattern") in patterns), None)

    def _as_meant(self, value: Node, schema: Schema) -> str:
        """Return how a text is written as the mapping that is wanted; '' where it may stand, or nobody can tell."""
        if not isinstance(value, Scalar) or admits(self._kinds_of(schema), value):
            return ""
        return _only_mapping(value, self._options(schema)) or ""

    def _check_name(self, key: Scalar, schema: Schema) -> Iterator[Diagnostic]:
        form = self._plain(schema)
        if _is_text(key) and not re.search(form["pattern"], key.text):
            yield messages.wrong_form(key, form)

    def _schema_below(self, word: str, schema: Schema) -> Schema | None:
        """Return the schema of what stands under a key; None for a key that may not stand there."""
        properties: Mapping[str, Schema] = schema.get("properties", {})
        if word in properties:
            return properties[word]
        for pattern, below in schema.get("patternProperties", {}).items():
            if re.search(pattern, word):
                return self._plain(below)
        rest: Schema | bool = schema.get("additionalProperties", True)
        return None if rest is False else self._plain(rest)

    def _meant(self, node: MappingNode, schema: Schema, strays: Iterable[str]) -> dict[str, str]:
        """Return what each unknown key must have been meant to be, where that is clear."""
        words = [key.text for key, _ in node.entries]
        free = [word for word in _properties(schema) if word not in words]
        unknown = {
            key.text: value
            for key, value in node.entries
            if key.text not in strays and self._schema_below(key.text, schema) is None
        }
        meant: dict[str, str] = {}
        for word in unknown:
            near = meant_key(word, free) or nearest(word, free)
            if near is not None:
                meant[word] = near
                free.remove(near)
        needed = [word for word in schema.get("required", ()) if word in free]
        others = [word for word in unknown if word not in meant]
        if len(needed) == len(others) == 1 and self._holds_the_like(
            unknown[others[0]], schema["properties"][needed[0]]
        ):
            meant[others[0]] = needed[0]
        return meant

    def _holds_the_like(self, node: Node, schema: Schema) -> bool:
        """Whether a list or mapping has nothing wrong where it would stand under another key."""
        return not isinstance(node, Scalar) and not any(self.check(node, schema, DOCUMENT))

    def _check_required(
        self, node: MappingNode, schema: Schema, standing: set[str], named: Named
    ) -> Iterator[Diagnostic]:
        if len(node.entries) < schema.get("minProperties", 0):
            yield messages.empty(node, named, schema)
            return
        span = _leading(node, schema)
        for word in schema.get("required", ()):
            if word not in standing:
                yield messages.missing_key(span, word, schema["properties"][word], named)
        one_of = [word for part in schema.get("anyOf", ()) for word in part["required"]]
        if one_of and not standing.intersection(one_of):
            yield messages.missing_one_of(span, one_of, named)
        for key, _ in node.entries:
            for needed in schema.get("dependentRequired", {}).get(key.text, ()):
                if needed not in standing:
                    yield messages.needs_key(key, needed, schema["properties"][needed])

    # --- alternatives ---

    def _check_alternatives(self, node: Node, schema: Schema, named: Named) -> Iterator[Diagnostic]:
        options = [self._plain(option) for option in schema["anyOf"]]
        fitting = [option for option in options if admits(self._kinds_of(option), node)]
        if not fitting:
            yield self._wrong_kind(node, schema, named)
        elif isinstance(node, MappingNode) and len(fitting) > 1:
            yield from self._check_picked(node, schema, fitting, named)
        elif isinstance(node, Scalar) and isinstance(node.value, str):
            yield from self._check_text_among(node, schema, fitting, named)
        else:
            yield from self.check(node, fitting[0], named)

    def _check_text_among(
        self, node: Scalar, schema: Schema, options: list[Schema], named: Named
    ) -> Iterator[Diagnostic]:
        findings = [list(self.check(node, option, named)) for option in options]
        others = self._kinds_of(schema) - {"string"}
        if not all(findings):
            return
        if node.surprise and others:
            yield messages.looks_like_another_kind(node, others, named)
        elif others & {"number", "integer"}:
            yield messages.wrong_form(node, schema)
        elif "enum" in options[0]:
            yield messages.not_among(node, options[0], named, self._better(node, schema, named))
        else:
            yield from findings[0]

    def _check_picked(
        self, node: MappingNode, schema: Schema, options: list[Schema], named: Named
    ) -> Iterator[Diagnostic]:
        by_verb = {option["x-picked-by"]: option for option in options if "x-picked-by" in option}
        rest = next((option for option in options if "x-picked-by" not in option), None)
        verbs = _standing_verbs(node, by_verb)
        if len(verbs) == 1:
            yield from self.check(node, by_verb[verbs[0].text], named)
        elif verbs:
            yield messages.several_verbs(verbs, schema, _loop_without_steps(node, verbs, by_verb))
            yield from self._check_below(node, [by_verb[verb.text] for verb in verbs])
        elif rest is not None:
            yield from self.check(node, rest, named)
        else:
            yield from self._check_verbless(node, schema, by_verb, named)

    def _check_below(self, node: MappingNode, options: list[Schema]) -> Iterator[Diagnostic]:
        """Check what stands under the keys of a mapping that several alternatives claim."""
        known: dict[str, Schema] = {}
        for option in reversed(options):
            known.update(option["properties"])
        for key, value in node.entries:
            if key.text in known:
                yield from self.check(value, known[key.text], under(key.text))

    def _check_verbless(
        self, node: MappingNode, schema: Schema, by_verb: Mapping[str, Schema], named: Named
    ) -> Iterator[Diagnostic]:
        """Report a mapping without any verb: a misspelled one where there is a key that nobody knows."""
        known = {word for option in by_verb.values() for word in option["properties"]}
        keys = [key for key, _ in node.entries]
        strange = [key for key in keys if key.text not in known and not key.text.startswith("x-")]
        misspelled = next((key for key in strange if _verb_meant(key.text, by_verb) is not None), None)
        if misspelled is None:
            fitting = [
                verb for verb, option in by_verb.items() if all(key.text in option["properties"] for key in keys)
            ]
            yield messages.no_verb(keys[0].span if keys else node.span, schema, fitting or by_verb)
            return
        yield messages.unknown_verb(misspelled, schema, by_verb)
        verb = meant_key(misspelled.text, by_verb) or _clearly_near(misspelled.text, by_verb)
        if verb is not None:
            yield from self._check_as(node, misspelled, verb, by_verb[verb], named)

    def _check_as(
        self, node: MappingNode, misspelled: Scalar, verb: str, schema: Schema, named: Named
    ) -> Iterator[Diagnostic]:
        """Check a mapping as if one of its keys were spelled as it was meant."""
        standing = {verb if key is misspelled else key.text for key, _ in node.entries}
        for key, value in node.entries:
            if key is not misspelled:
                yield from self._check_entry(key, value, schema, standing, None, named)
            elif _clearly_near(key.text, [verb]) is not None:
                yield from self.check(value, schema["properties"][verb], under(verb))
        yield from self._check_required(node, schema, standing, named)

    # --- schemas ---

    def _plain(self, schema: Schema | bool) -> Schema:
        """Return a schema with its reference followed; what stands beside a reference is for editors."""
        if isinstance(schema, bool):
            return _ANYTHING if schema else _NOTHING
        while "$ref" in schema:
            schema = self._definitions[schema["$ref"].rpartition("/")[2]]
        return schema

    def _kinds_of(self, schema: Schema) -> Kinds:
        known = self._kinds.get(id(schema))
        if known is None:
            known = self._kinds[id(schema)] = self._find_kinds(self._plain(schema))
        return known

    def _find_kinds(self, schema: Schema) -> Kinds:
        if _has_alternatives(schema):
            return frozenset().union(*(self._kinds_of(option) for option in schema["anyOf"]))
        if "enum" in schema:
            return frozenset(kind_of_value(value) for value in schema["enum"])
        declared = schema.get("type", ALL_KINDS)
        return frozenset([declared] if isinstance(declared, str) else declared)

    def _options(self, schema: Schema) -> list[Schema]:
        """Return the alternatives of a schema, or the schema itself."""
        plain = self._plain(schema)
        return [self._plain(option) for option in plain["anyOf"]] if _has_alternatives(plain) else [plain]

    def _better(self, node: Node, schema: Schema, named: Named) -> Words | None:
        """Return how what stands there is written as the list or mapping that is wanted; None where nobody knows."""
        if (said := of_value(named.key, node)) is not None:
            return said
        key = f"{named.key}: " if named.key else ""
        for option in self._options(schema):
            items = self._options(option["items"]) if option.get("type") == "array" and "items" in option else ()
            written = None
            if isinstance(node, MappingNode) and any("properties" in item for item in items):
                written = as_list(node, {key for item in items for key in item.get("properties", ())})
            elif isinstance(node, SequenceNode) and named.key not in _LISTS:
                is_text = "string" in self._kinds_of(option) and "enum" not in option
                written = (_only_text(node, option) if is_text else None) or of_list(node, option)
            elif isinstance(node, Scalar):
                fits = any(
                    "string" in self._kinds_of(item) and not any(self.check(node, item, named)) for item in items
                )
                inner = _only_mapping(node, items) if not fits else None
                written = f"[{inner}]" if inner is not None else _only_mapping(node, self._options(schema))
                written = written or (in_parts(named.key, node.text) if option.get("type") == "array" else None)
            if written is not None:
                return Words(f"写 {key}{written}", f"write {key}{written}")
        return None

    def _wrong_kind(self, node: Node, schema: Schema, named: Named, hint: Words | None = None) -> Diagnostic:
        kinds = self._kinds_of(schema)
        if isinstance(node, Scalar) and node.surprise and (kinds & _PLAIN_KINDS or node.text == "~"):
            return messages.looks_like_another_kind(node, kinds, named)
        may_be_quoted = self._may_be_quoted(node, schema)
        better = hint or self._better(node, schema, named)
        return messages.wrong_kind(node, kinds, schema, named, better, may_be_quoted=may_be_quoted)

    def _may_be_quoted(self, node: Node, schema: Schema) -> bool:
        """Whether what stands there would do as a text."""
        if not isinstance(node, Scalar):
            return True
        quoted = Scalar(node.text, node.text, "quoted", node.span)
        return "string" in self._kinds_of(schema) and not any(self.check(quoted, schema, DOCUMENT))


def _is_same(value: object, allowed: object) -> bool:
    """Whether two scalars are the same JSON value: `1` is `1.0`, `true` is not `1`."""
    return isinstance(value, bool) == isinstance(allowed, bool) and value == allowed


def _has_alternatives(schema: Schema) -> bool:
    """Whether `anyOf` stands for alternatives and not for "one of these keys"."""
    return "anyOf" in schema and any(set(part) != {"required"} for part in schema["anyOf"])


def _is_text(key: Scalar) -> bool:
    """Whether nothing was said yet about a key; `yaml_tree` reports those that are no text."""
    return isinstance(key.value, str) and not key.broken


def _properties(schema: Schema) -> list[str]:
    """Return the keys that may stand in a mapping with fixed keys."""
    return [word for word, below in schema.get("properties", {}).items() if "not" not in below]


def _standing_verbs(node: MappingNode, by_verb: Mapping[str, Schema]) -> list[Scalar]:
    """Return the keys of a mapping that are verbs, without what belongs to another one (`give` in `each`)."""
    verbs = [key for key, _ in node.entries if key.text in by_verb]
    return [
        verb
        for verb in verbs
        if not any(verb.text in by_verb[other.text]["properties"] for other in verbs if other is not verb)
    ]


def _loop_without_steps(node: MappingNode, verbs: list[Scalar], by_verb: Mapping[str, Schema]) -> str | None:
    """Return the one of two verbs that needs `do` or `give` and has neither: the other verb is what it repeats."""
    standing = {key.text for key, _ in node.entries}
    loops = [verb.text for verb in verbs if _one_of(by_verb[verb.text]) and not standing & _one_of(by_verb[verb.text])]
    return loops[0] if len(verbs) == 2 and len(loops) == 1 else None


def _one_of(schema: Schema) -> set[str]:
    """Return the keys of which a mapping needs one."""
    return {word for part in schema.get("anyOf", ()) for word in part.get("required", ())}


def _leading(node: MappingNode, schema: Schema) -> Span:
    """Return where a mapping says what it is: its verb, else its first key."""
    verb = schema.get("x-picked-by")
    keys = [key for key, _ in node.entries]
    leading = next((key for key in keys if key.text == verb), keys[0] if keys else None)
    return leading.span if leading is not None else node.span


def _in_one_key(node: MappingNode, schema: Schema) -> set[str]:
    """Return `in` where another key says it as well, as `each: row in rows` does."""
    said = any(
        key.text == "each" and isinstance(value, Scalar) and in_one_key(value.text) for key, value in node.entries
    )
    return {"in"} if said and "in" in schema.get("properties", {}) else set()


def _verb_meant(word: str, verbs: Iterable[str]) -> str | None:
    known = list(verbs)
    return meant_key(word, known) or nearest(word, known)


def _clearly_near(word: str, words: Iterable[str]) -> str | None:
    near = nearest(word, words)
    from difflib import SequenceMatcher  # only a misspelled key needs it

    return near if near is not None and SequenceMatcher(None, word.lower(), near).ratio() >= _ALIKE else None


def _only_mapping(node: Scalar, options: Iterable[Schema]) -> str | None:
    """Return a value written as a mapping; None where no mapping fits, or several may be meant."""
    fitting = [written for option in options if (written := as_mapping(node, option)) is not None]
    return fitting[0] if len(fitting) == 1 else None


def _only_text(node: SequenceNode, option: Schema) -> str | None:
    """Return the one entry of a list where a text is wanted; None where there are others, or it would not do."""
    only = node.items[0] if len(node.items) == 1 else None
    fits = isinstance(only, Scalar) and re.search(option.get("pattern", ""), only.text) is not None
    return only.text if fits and isinstance(only, Scalar) else None

"""What can be told of an expression before it runs: arguments that do not fit, kinds that cannot be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rules.expr import tree
from rules.expr.compile import evaluator_of
from rules.expr.kinds import LIST, VALUE_KINDS, Known, kinds_of, nothing_known
from rules.expr.signatures import KIND_WORDS_ZH, Function
from rules.failures import located
from rules.findings import Finding, expression_finding
from rules.values import ABSENT, CannotEvaluate, canonical_text, kind_facts

#: Functions that look for records by the values of fields.
COMPARING_FIELDS: Final = frozenset({"where", "where_not", "any", "all", "none", "find"})


class Inspection:
    """The list of findings that the looks at one text add to, and what is known of the names in it."""

    def __init__(self, findings: list[Finding], known: Known = nothing_known) -> None:
        self.findings = findings
        self.known = known

    def report(self, code: str, start: int, end: int, **facts: object) -> None:
        self.findings.append(expression_finding(code, start, end, **facts))

    def kinds_of(self, node: tree.Node) -> frozenset[str] | None:
        return kinds_of(node, self.known)

    def boolean(self, node: tree.Node) -> None:
        """Report a condition that is certainly not true or false."""
        kinds = self.kinds_of(node)
        if kinds is not None and "boolean" not in kinds:
            self.report("not-boolean", node.start, node.end, **kind_facts(found="/".join(sorted(kinds))))


def inspect_nodes(nodes: Iterable[tree.Node], inspection: Inspection) -> None:
    """Report what is certainly wrong in the nodes of an expression."""
    for node in nodes:
        look = _LOOKS.get(type(node))
        if look is not None:
            look(node, inspection)


def _inspect_logic(node: tree.Logic, inspection: Inspection) -> None:
    for part in node.parts:
        inspection.boolean(part)


def _inspect_comparison(node: tree.Comparison, inspection: Inspection) -> None:
    left = node.first
    for operator, right in node.steps:
        word = _nothing(left) or _nothing(right)
        if word is not None and operator not in ("in", "not in"):
            instead = f"is not {word}" if operator == "!=" else f"is {word}"
            inspection.report("compared-with-nothing", node.start, node.end, word=word, instead=instead)
        else:
            start = node.start if left is node.first else left.start
            end = node.end if right is node.steps[-1][1] else right.end
            _inspect_kinds(left, operator, right, (start, end), inspection)
        left = right


def _nothing(node: tree.Node) -> str | None:
    if isinstance(node, tree.Constant) and (node.value is ABSENT or node.value is None):
        return "absent" if node.value is ABSENT else "null"
    return None


def _inspect_kinds(
    left: tree.Node, operator: str, right: tree.Node, place: tuple[int, int], inspection: Inspection
) -> None:
    one, other = inspection.kinds_of(left), inspection.kinds_of(right)
    if operator in ("in", "not in"):
        if other is not None and not other & {"list", "text"}:
            inspection.report("not-in-list", right.start, right.end, **kind_facts(found="/".join(sorted(other))))
        return
    if operator not in ("==", "!="):
        for side, kinds in ((left, one), (right, other)):
            if kinds is not None and not kinds & {"number", "text"}:
                facts = kind_facts(found="/".join(sorted(kinds)))
                inspection.report("not-ordered", side.start, side.end, operator=operator, **facts)
                return
    if one is not None and other is not None and not one & other:
        facts = kind_facts(left="/".join(sorted(one)), right="/".join(sorted(other)))
        inspection.report("different-kinds", place[0], place[1], **facts)


def _inspect_arithmetic(node: tree.Arithmetic, inspection: Inspection) -> None:
    if node.operator == "+":
        one, other = inspection.kinds_of(node.left), inspection.kinds_of(node.right)
        if one == LIST and (other is None or "list" in other):
            return
        if other == LIST and (one is None or "list" in one):
            return
    for side in (node.left, node.right):
        _inspect_number(side, node.operator, inspection)


def _inspect_number(node: tree.Node, operator: str, inspection: Inspection) -> None:
    kinds = inspection.kinds_of(node)
    if kinds is not None and not kinds & ({"number", "list"} if operator == "+" else {"number"}):
        facts = kind_facts(found="/".join(sorted(kinds)))
        code = "text-plus" if operator == "+" and kinds == frozenset({"text"}) else "not-a-number"
        inspection.report(code, node.start, node.end, operator=operator, **facts)


def _inspect_item(node: tree.Item, inspection: Inspection) -> None:
    key = node.key
    kinds = inspection.kinds_of(key)
    if kinds is not None and not kinds & {"text", "number", "list"}:
        # A list is the key where several fields together are declared as one.
        facts = kind_facts(found="/".join(sorted(kinds)))
        inspection.report("bad-key", key.start, key.end, **facts)


_LOOKS: Final[dict[type, Callable[[Any, Inspection], None]]] = {
    tree.Comparison: _inspect_comparison,
    tree.Logic: _inspect_logic,
    tree.Not: lambda node, inspection: inspection.boolean(node.value),
    tree.Choice: lambda node, inspection: inspection.boolean(node.when),
    tree.Arithmetic: _inspect_arithmetic,
    tree.Negative: lambda node, inspection: _inspect_number(node.value, "-", inspection),
    tree.Item: _inspect_item,
}
INSPECTED: Final = (*_LOOKS, tree.Apply)
"""The nodes of which something can be told by the kinds of what stands in them."""


def inspect_constant(nodes: Sequence[tree.Node], text: str, inspection: Inspection) -> None:
    """Report an expression without names that has no value, whatever the run. Shapes: all its nodes, outside first."""
    node = nodes[0]
    if isinstance(node, tree.Constant) or not _are_constant(nodes):
        return
    try:
        evaluator_of(node)({})
    except (CannotEvaluate, KeyError, TypeError) as error:
        failure = located(error, text)
        start = node.start if failure.start is None else failure.start
        end = node.end if failure.end is None else failure.end
        inspection.report(failure.code, start, end, **failure.facts)


def is_constant(node: tree.Node) -> bool:
    """Return whether an expression asks for no name and for nothing of the host."""
    return _are_constant(tree.walk(node))


def _are_constant(nodes: Iterable[tree.Node]) -> bool:
    return not any(
        isinstance(node, tree.Name) or (isinstance(node, tree.Apply) and node.function.kind == "host") for node in nodes
    )


def inspect_known(nodes: Sequence[tree.Node], known: Known) -> list[Finding]:
    """Return what is certainly wrong in an expression by what is known of the names in it, and only by that.

    Shapes: `nodes` are those of the expression that are INSPECTED, outside first.
    """
    if not nodes:
        return []
    on_its_own, by_known = Inspection([]), Inspection([], known)
    for inspection in (by_known, on_its_own):
        inspect_nodes(nodes, inspection)
        for node in nodes:
            if isinstance(node, tree.Apply):
                _inspect_kinds_of_arguments(node, inspection)
        if not by_known.findings:
            return []
    said = {(finding.start, finding.end) for finding in on_its_own.findings}
    return [finding for finding in by_known.findings if (finding.start, finding.end) not in said]


def inspect_role(node: tree.Node, role: str, known: Known) -> list[Finding]:
    """Return what is wrong about a condition or a list in a text by what is known of the names in it."""
    wanted = {"condition": "boolean", "rows": "list"}.get(role)
    kinds = kinds_of(node, known)
    if wanted is None or kinds is None or wanted in kinds or kinds_of(node) is not None:
        return []
    code = "not-boolean" if role == "condition" else "not-a-list"
    return [expression_finding(code, node.start, node.end, **kind_facts(found="/".join(sorted(kinds))))]


# --- arguments --------------------------------------------------------------------------------------------------------


def inspect_apply(node: tree.Apply, start: int, end: int, inspection: Inspection) -> None:
    """Report arguments that do not fit the signature; `start` and `end` are the function's name."""
    function = node.function
    signature = {"function": function.name, "signature": function.signature}
    single, rest, fields = function.single, function.rest, function.fields
    if len(node.positional) > len(single) and rest is None:
        extra = node.positional[len(single)]
        inspection.report("too-many-arguments", extra.start, extra.end, **signature)
    given = {parameter.name for parameter, _ in zip(single, node.positional, strict=False)}
    for name, value in node.keywords:
        if name in given:
            inspection.report("argument-twice", value.start, value.end, argument=name, **signature)
        elif name not in {parameter.name for parameter in single} and fields is None:
            inspection.report("unknown-argument", value.start, value.end, argument=name, **signature)
        given.add(name)
    for parameter in single:
        if parameter.required and parameter.name not in given:
            inspection.report("missing-argument", start, end, argument=parameter.name, **signature)
            return
    if function.name in COMPARING_FIELDS and not node.positional and not node.keywords:
        inspection.report("missing-argument", start, end, argument="field=value", **signature)
    if rest is not None and rest.name == "fields" and len(node.positional) <= len(single) and function.name in _FIELDS:
        inspection.report("missing-argument", start, end, argument="'field'", **signature)
    _inspect_kinds_of_arguments(node, inspection)
    _inspect_conditions(node, inspection)


_FIELDS: Final = frozenset({"where_missing", "without", "pick"})


def _inspect_kinds_of_arguments(node: tree.Apply, inspection: Inspection) -> None:
    if node.subject is not None and not node.function.soft:
        _inspect_kind(node.function, "|", node.function.subject, node.subject, inspection)
    for parameter, value in zip(node.function.single, node.positional, strict=False):
        _inspect_kind(node.function, parameter.name, parameter.kinds, value, inspection)
    rest = node.function.rest
    for value in node.positional[len(node.function.single) :]:
        if rest is not None:
            _inspect_kind(node.function, rest.name, rest.kinds, value, inspection)
    for name, value in node.keywords:
        known = next((one for one in node.function.single if one.name == name), node.function.fields)
        if known is not None:
            _inspect_kind(node.function, name, known.kinds, value, inspection)


def _meant_as_fields(function: Function, node: tree.Node) -> str | None:
    """Return what to write where a function that takes fields by name was handed a comparison of one; None for else.

    What is no equality takes a loop in place of the whole value.
    """
    if function.fields is None or not isinstance(node, tree.Comparison) or not isinstance(node.first, tree.Name):
        return None
    operator, other = node.steps[0]
    if len(node.steps) > 1 or (operator != "==" and function.name != "where"):
        return None
    value = other.name if isinstance(other, tree.Name) else "…"
    if isinstance(other, tree.Constant):
        value = f"'{other.value}'" if isinstance(other.value, str) else canonical_text(other.value)
    field = node.first.name
    if operator != "==":
        return f"{{each: one, in: …, where: one.{field} {operator} {value}, give: '{{{{ one }}}}'}}"
    return f"{function.name}({field}={value})"


def _inspect_kind(
    function: Function, place: str, words: tuple[str, ...], node: tree.Node, inspection: Inspection
) -> None:
    kinds = inspection.kinds_of(node) if "any" not in words else None
    if kinds is None or kinds == {"absent"} or not kinds.isdisjoint(VALUE_KINDS.get(word) for word in words):
        return
    facts: dict[str, object] = {"function": function.name, "argument": place, "expected": " / ".join(words)}
    facts["expected_zh"] = " / ".join(KIND_WORDS_ZH[word] for word in words)
    code = "bad-subject" if place == "|" else "bad-argument"
    instead = _meant_as_fields(function, node) if code == "bad-argument" else None
    if instead is not None:
        inspection.report("compared-in-filter", node.start, node.end, function=function.name, instead=instead)
        return
    inspection.report(code, node.start, node.end, **facts, **kind_facts(found="/".join(sorted(kinds))))


def _inspect_conditions(node: tree.Apply, inspection: Inspection) -> None:
    if node.function.name not in COMPARING_FIELDS:
        return
    values = [(name, value) for name, value in node.keywords]
    if len(node.positional) == 2:
        values.append(("value", node.positional[1]))
    for name, value in values:
        if isinstance(value, tree.ListOf) and not value.items:
            inspection.report("never-matches", value.start, value.end, field=name, function=node.function.name)

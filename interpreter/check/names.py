"""Names that are not there, and texts that look like a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from interpreter.check.calls import is_there, to_use
from interpreter.check.placeholders import placeholders_in
from interpreter.check.unquoted import leads_somewhere, text_meant
from interpreter.diagnostics import Diagnostic, Related, Words, did_you_mean, finding, nearest
from interpreter.documents.loading import node_at
from interpreter.model import Budget, Text
from interpreter.parse.values import part_of, place_of
from interpreter.resolve import Plain, Resolved
from interpreter.source import Span
from interpreter.static.scopes import Scope
from interpreter.yaml_tree import Node, Scalar
from rules.expr.mistakes import CONSTANTS, stray_marks

if TYPE_CHECKING:
    from rules.gates import Gate

_KNOWN_EVERYWHERE = frozenset({"input", "data", "rules", "question"})
_NAMED_HERE = Words("在这里命名", "it is named here")
_MEANT = {**CONSTANTS, "now": "run.started_at", "today": "run.started_at | before('T')"}
"""Names that other languages have without anybody naming them, and what is written here."""
_IN_DEFAULT = Words(
    "缺省值读不到别的值：输入和数据的缺省值只能读 run，如 {{ run.started_at | before('T') }}；"
    "输出和 takes 的要写成常量。其他的在第一个状态里用 set 算",
    "a default reads no other values: that of an input or of data may read run alone, such as "
    "{{ run.started_at | before('T') }}; that of an output or of takes is written out. "
    "Compute anything else with set in the first state",
)


def check_names(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield names that are visible twice, reserved or unknown.

    Errors: name/visible-twice, name/reserved, name/unknown.
    """
    yield from resolved.diagnostics
    for use in resolved.uses:
        for name, start, end in use.names:
            if use.scope.get(name) is None:
                meant = text_meant(use, start, end)
                yield from _unknown(resolved, name, use.scope, use.part(start, end), meant)
    yield from _budgets(resolved)
    yield from _rule_gates(resolved)


def _unknown(
    resolved: Resolved, name: str, scope: Iterable[str], span: Span, meant: Words | None = None
) -> Iterator[Diagnostic]:
    """Yield the finding of a name that nobody knows. Shapes: `meant` is what to write where it was meant as a text."""
    if name in resolved.loaded.doubtful or nearest(name, unreadable_rules(resolved)) is not None:
        return
    elsewhere = next((binding for binding in resolved.bindings if binding.name == name and binding.span), None)
    if name == "run" or (elsewhere is not None and elsewhere.kind in _KNOWN_EVERYWHERE):
        related = [] if elsewhere is None or elsewhere.span is None else [Related(elsewhere.span, _NAMED_HERE)]
        yield finding("name/unknown", span, related=related, hint=_IN_DEFAULT, name=name)
        return
    near = nearest(name, scope)
    if elsewhere is None or elsewhere.span is None or near is not None:
        yield finding("name/unknown", span, hint=meant or _hint(resolved, name, scope), name=name)
        return
    hint = Words(
        f"{name} 只在它所在的那一列步骤里有效；要在别处用，就存进数据（set）或用 give 交出来",
        f"{name} is known only in its own list of steps; set it into data or hand it out with give",
    )
    related = [Related(elsewhere.span, _NAMED_HERE)]
    yield finding("name/unknown", span, related=related, hint=hint, name=name)


def unreadable_rules(resolved: Resolved) -> list[str]:
    """Return the rule documents that are listed and could not be read: names near them are said there."""
    return [name for name, _ in resolved.workflow.uses.rules if not is_there(resolved, "rules", name)]


def _hint(resolved: Resolved, name: str, scope: Iterable[str]) -> Words:
    documents = {tool.partition(".")[0] for tool in resolved.documents.tools}
    if name in documents and nearest(name, scope) is None:
        return Words("工具用 call 调用，不能在表达式里读", "a tool is used by call, an expression cannot read it")
    if name in resolved.documents.beside.get("rules", ()) and name not in dict(resolved.workflow.uses.rules):
        return to_use("rules", name, [used for used, _ in resolved.workflow.uses.rules])
    if name in _MEANT:
        return Words(f"写 {_MEANT[name]}", f"write {_MEANT[name]}")
    return did_you_mean(name, scope)


def check_budget_names(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield `left('…')` and `used('…')` of budgets that are not there. Errors: name/unknown-budget."""
    names = [budget.name for budget in resolved.workflow.budgets]
    for use in resolved.uses:
        for call in (call for expression in use.expressions for call in expression.calls_of("left", "used")):
            asked = call.constants[0] if call.constants else None
            if isinstance(asked, str) and asked not in names and asked not in resolved.loaded.doubtful:
                span = use.part(call.start, call.end)
                yield finding("name/unknown-budget", span, hint=did_you_mean(asked, names), name=asked)


def _budgets(resolved: Resolved) -> Iterator[Diagnostic]:
    """`per` is read where the counted call stands, so any local may be meant."""
    anywhere = {*resolved.everywhere, *(binding.name for binding in resolved.bindings)}
    for budget in resolved.workflow.budgets:
        yield from _budget(resolved, budget, anywhere)


def _budget(resolved: Resolved, budget: Budget, anywhere: set[str]) -> Iterator[Diagnostic]:
    if budget.per is None:
        return
    for name, start, end in budget.per.expression.names:
        if name not in anywhere:
            yield from _unknown(resolved, name, sorted(anywhere), budget.per.place.part(start, end))


def _rule_gates(resolved: Resolved) -> Iterator[Diagnostic]:
    """Gates of rule documents read the names of the workflow that uses them, and those of their own document."""
    for gate, node, own in _used_rule_gates(resolved):
        for condition in gate.conditions:
            that = node_at(node, (*condition.path, "that"))
            if condition.that is None or not isinstance(that, Scalar):
                continue
            place = part_of(place_of(that), 0, len(that.text))
            for name, start, end in condition.that.names:
                if resolved.everywhere.get(name) is None and name not in own:
                    yield from _unknown(resolved, name, [*resolved.everywhere, *own], place.part(start, end))


def _used_rule_gates(resolved: Resolved) -> Iterator[tuple[Gate, Node, frozenset[str]]]:
    """Yield the gates of rule documents that are used, with what each document itself names."""
    named = {gate.name for state in resolved.workflow.states for gate in state.enter}
    named |= {gate.name for state in resolved.workflow.states for road in state.next for gate in road.gates}
    for name in sorted(named):
        document, _, gate = name.partition(".")
        rules = resolved.documents.rules.get(document)
        loaded = resolved.documents.of("rules", document)
        if rules is not None and loaded is not None and gate in rules.gates and loaded.node is not None:
            yield rules.gates[gate], loaded.node, frozenset(rules.values)


def check_texts_like_names(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield texts that are equal to a name in scope, or to the way to a field, where the place does not want that text.

    Shapes: words for people may be equal to a name, since both are words; a way with a dot in it is no word.
    Errors: name/text-like-a-name.
    """
    for plain in (*resolved.plains, *resolved.words):
        text = plain.constant.value
        if not isinstance(text, str) or not leads_somewhere(text, plain.scope):
            continue
        if not _may_be_text(plain):
            continue  # an error of its own, which says how the value is written
        words = plain.expected.words() if plain.expected is not None else None
        if "." in text or (plain not in resolved.words and (words is None or text not in words)):
            yield finding("name/text-like-a-name", plain.constant.span, name=text, text=text)


def _may_be_text(plain: Plain) -> bool:
    """Whether the place takes a text, or one of some words."""
    kinds = plain.expected.kinds() if plain.expected is not None else None
    return kinds is None or "string" in kinds or (plain.expected is not None and plain.expected.words() is not None)


def check_placeholders(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield names that stand where other languages take their values, and braces that close what nothing opened.

    Errors: name/single-braces, name/text-like-a-name, expression/stray-mark.
    """
    for use in resolved.uses:
        if isinstance(use.value, Text):
            yield from placeholders_in(use.value, use.scope)
    for plain in (*resolved.plains, *resolved.words):
        text = plain.constant.value
        if _may_be_text(plain):
            yield from placeholders_in(plain.constant, plain.scope)
        for mark, _ in stray_marks([(0, text)]) if isinstance(text, str) and "}" in text else ():
            yield finding("expression/stray-mark", plain.constant.span, mark=mark)


def check_shown(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield locals in `shows`: an answer is compared with what was shown, so that must be data.

    Errors: name/local-where-data-only.
    """
    for use in resolved.uses:
        if use.field != "shows":
            continue
        for name, start, end in use.names:
            if _is_local(use.scope, name):
                yield finding("name/local-where-data-only", use.part(start, end), name=name)


def _is_local(scope: Scope, name: str) -> bool:
    binding = scope.get(name)
    return binding is not None and binding.kind not in ("input", "data", "rules")

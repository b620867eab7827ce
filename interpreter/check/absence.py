"""Names that hold nothing on some way to the place where they are read."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, Related, Words, finding
from interpreter.model import AskStep, Endings, LetStep
from interpreter.resolve import Resolved, Use
from interpreter.static.inference import names_in
from interpreter.static.scopes import Scope
from rules.expr import Expression, NameUse, parse_expression, tree

_HALVES = {"value": "{}.ok", "error": "not {}.ok"}
"""What an outcome holds only where the call went well, or did not."""


def check_absence(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield names that a step gives only under a condition, read where nothing asks for it.

    A condition on the way that speaks of the name, or of what that condition speaks of, is taken as asking for it.
    Errors: name/perhaps-absent, name/perhaps-unanswered.
    """
    yield from _of_forms(resolved)
    made_from = _made_from(resolved)
    for use in resolved.uses:
        bound = [(one, binding) for one in use.names if (binding := use.scope.get(one[0])) is not None]
        doubtful = [one for one, binding in bound if binding.only_when]
        said: set[str] = set()
        for found, name in _doubtful(use, doubtful) if doubtful else ():
            said.add(name)
            yield found
        kept = {one[0] for one, binding in bound if binding.kind == "outcome" and one[0] not in said}
        if kept:
            yield from _of_outcomes(use, kept, made_from)


def _made_from(resolved: Resolved) -> dict[str, set[str]]:
    """Return the names that each local value is made from: who asks about the one has asked about the others."""
    found: dict[str, set[str]] = {}
    for visit in resolved.visits:
        if isinstance(visit.step, LetStep):
            for name, value, _ in visit.step.values:
                found.setdefault(name, set()).update(names_in(value))
    return found


def _with_sources(names: set[str], made_from: dict[str, set[str]]) -> set[str]:
    known, waiting = set(names), list(names)
    while waiting:
        for name in made_from.get(waiting.pop(), set()) - known:
            known.add(name)
            waiting.append(name)
    return known


def _of_outcomes(use: Use, names: set[str], made_from: dict[str, set[str]]) -> Iterator[Diagnostic]:
    """Yield the value of a call that may have failed, and the error of one that may not have, where nothing asks."""
    asked = {_root_of(path) for condition in use.under for path in paths_in(condition.expression.tree)}
    for expression in use.expressions:
        asked |= {_root_of(path) for path in softly_read(expression)}
    asked = _with_sources(asked, made_from)
    for expression in use.expressions:
        for node in expression.nodes_of(tree.Field):
            if node.name not in _HALVES or not isinstance(node.base, tree.Name):
                continue
            name = node.base.name
            binding = use.scope.get(name)
            is_list = binding is not None and binding.shape is not None and binding.shape.is_list()
            if name in names and name not in asked and not is_list:
                asked.add(name)
                when = _HALVES[node.name].format(name)
                span = use.part(node.start, node.end)
                yield finding("name/perhaps-absent", span, name=f"{name}.{node.name}", when=when)


def _of_forms(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield the first field of each form that is read although the run goes on where nobody filled the form in.

    A workflow that reads the `ending` anywhere is taken as knowing about it.
    """
    shared = resolved.workflow.questions
    forms = {
        step.name: {field.name for field in step.form}
        for step in resolved.questions()
        if isinstance(step, AskStep) and step.otherwise is None and _goes_on(step.endings, shared)
    }
    read: dict[str, Diagnostic] = {}
    for use in resolved.uses if forms else ():
        asked = {path for condition in use.under for path in paths_in(condition.expression.tree)}
        for expression in use.expressions:
            known = asked.union(softly_read(expression))
            for node in expression.nodes_of(tree.Field):
                name = node.base.name if isinstance(node.base, tree.Name) else ""
                if name in forms and node.name == "ending":
                    del forms[name]
                elif name in forms and node.name in forms[name] and not any(_root_of(path) == name for path in known):
                    span = use.part(node.start, node.end)
                    read.setdefault(name, finding("name/perhaps-unanswered", span, question=name, field=node.name))
    yield from (one for name, one in read.items() if name in forms)


def _goes_on(own: Endings, shared: Endings) -> bool:
    refused, *others = (
        getattr(own, ending) or getattr(shared, ending) for ending in ("refused", "timed_out", "abandoned")
    )
    return "go_on" in (refused or "go_on", *others)


def _doubtful(use: Use, names: list[NameUse]) -> Iterator[tuple[Diagnostic, str]]:
    sure = {path for condition in use.under for path in paths_in(condition.expression.tree)}
    sure |= {path for expression in use.expressions for path in _looked_for(expression)}
    asked = sure | {path for expression in use.expressions for path in softly_read(expression)}
    seen = set(map(_root_of, sure))
    for name, start, end in names:
        binding = use.scope.get(name)
        # A condition that reads the name itself fails where it is absent; it does not ask for it.
        roots = {root for root in map(_root_of, asked) if root != name or root in seen}
        behind = {path for root in roots for path in _asked_for(root, use.scope)}
        known = asked | behind
        if binding is None or name in seen or name in map(_root_of, behind) or known & _paths_of(binding.only_when):
            continue
        seen.add(name)
        spans = [binding.span] if binding.span is not None else []
        related = [Related(span, Words("在这里命名", "it is named here")) for span in spans]
        when = binding.only_when
        yield finding("name/perhaps-absent", use.part(start, end), related=related, name=name, when=when), name


def _asked_for(name: str, scope: Scope, depth: int = 0) -> set[str]:
    """Return what was asked for where a name holds something: the paths in its own condition, and in theirs."""
    binding = scope.get(name)
    if binding is None or not binding.only_when or depth > 10:
        return set()
    named = _paths_of(binding.only_when)
    return named.union(*(_asked_for(_root_of(one), scope, depth + 1) for one in named))


def _paths_of(condition: str) -> set[str]:
    expression, _ = parse_expression(condition)
    return set(paths_in(expression.tree)) if expression is not None else set()


def paths_in(node: tree.Node) -> Iterator[str]:
    """Yield what an expression reads, as `name` or `name.field.field`."""
    path = tree.path_text(node)
    if path:
        yield path
        return
    for inner in tree.children(node):
        yield from paths_in(inner)


def _root_of(path: str) -> str:
    return path.partition(".")[0]


def _looked_for(expression: Expression) -> Iterator[str]:
    """Yield the paths that may be absent where they stand: `is present`, `default`."""
    for inner in expression.nodes_of(tree.Apply):
        if inner.function.soft and inner.subject is not None:
            yield from paths_in(inner.subject)


def softly_read(expression: Expression) -> Iterator[str]:
    """Yield the paths that an expression itself looks at for being there: `is present`, `default`, a choice by them."""
    for inner in expression.nodes_of(tree.Apply, tree.Choice, tree.Logic):
        match inner:
            case tree.Apply(function=function, subject=subject) if function.soft and subject is not None:
                yield from paths_in(subject)
            case tree.Choice(when=when):
                yield from paths_in(when)
            case tree.Logic(parts=parts):
                for part in parts[:-1]:
                    yield from paths_in(part)

"""Names that hold nothing on some way to the place where they are read."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.diagnostics import Diagnostic, Related, Words, finding
from interpreter.resolve import Resolved, Use
from interpreter.scopes import Scope
from rules.expr import NameUse, parse_expression, tree


def check_absence(resolved: Resolved) -> Iterator[Diagnostic]:
    """Yield names that a step gives only under a condition, read where nothing asks for it.

    A condition on the way that speaks of the name, or of what that condition speaks of, is taken as asking for it.
    Errors: name/perhaps-absent.
    """
    for use in resolved.uses:
        doubtful = [one for one in use.names if (binding := use.scope.get(one[0])) is not None and binding.only_when]
        if doubtful:
            yield from _doubtful(use, doubtful)


def _doubtful(use: Use, names: list[NameUse]) -> Iterator[Diagnostic]:
    asked = {path for condition in use.under for path in paths_in(condition.expression.tree)}
    asked |= {path for expression in use.expressions for path in _softly_read(expression.tree)}
    asked |= {path for one in asked for path in _asked_for(_root_of(one), use.scope)}
    seen = set(map(_root_of, asked))
    for name, start, end in names:
        binding = use.scope.get(name)
        if binding is None or name in seen or asked & _paths_of(binding.only_when):
            continue
        seen.add(name)
        spans = [binding.span] if binding.span is not None else []
        related = [Related(span, Words("在这里命名", "it is named here")) for span in spans]
        yield finding("name/perhaps-absent", use.part(start, end), related=related, name=name, when=binding.only_when)


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


def _softly_read(node: tree.Node) -> Iterator[str]:
    """Yield the paths that an expression itself looks at for being there: `is present`, `default`, a choice by them."""
    for inner in tree.walk(node):
        match inner:
            case tree.Apply(function=function, subject=subject) if function.soft and subject is not None:
                yield from paths_in(subject)
            case tree.Choice(when=when):
                yield from paths_in(when)
            case tree.Logic(parts=parts):
                for part in parts[:-1]:
                    yield from paths_in(part)

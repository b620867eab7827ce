"""Expressions and texts that were read without an error, ready to be evaluated any number of times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar, overload

from rules.expr import tree
from rules.expr.compile import evaluator_of
from rules.expr.inspect import is_constant
from rules.failures import located
from rules.ready import EVALUATION_ERRORS, Evaluator, For, If, Part, rendered
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate, Value

N = TypeVar("N", bound=tuple[Any, ...])


class NotConstant:
    """The type of NOT_CONSTANT."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOT_CONSTANT"


NOT_CONSTANT: Final = NotConstant()


class NameUse(NamedTuple):
    name: str
    start: int
    end: int


class PathUse(NamedTuple):
    """A path that stands in the text, as far as it is known.

    Shapes: `fields` holds names of fields, None for an entry of a list; `soft` says that it may be absent, because
    `default`, `is absent` or one like them looks at it.
    """

    root: str
    fields: tuple[str | None, ...]
    start: int
    end: int
    soft: bool


class FunctionUse(NamedTuple):
    """One use of a function, filter or test.

    Shapes: `positional` counts the positional arguments, `constants` holds the values of those that are constant and
    NOT_CONSTANT for the others.
    """

    name: str
    kind: str
    positional: int
    keywords: tuple[str, ...]
    start: int
    end: int
    constants: tuple[Value | NotConstant, ...]


class Expression:
    """One expression. Places count characters of `text`, which for a hole is the whole text around it."""

    __slots__ = ("_calls", "_constant", "_escapes", "_names", "_nodes", "_uses", "is_compiled", "run", "text", "tree")

    run: Evaluator
    """The compiled function, compiled on first use. What it raises is Python's own; `failed` turns it into words."""

    def __init__(self, text: str, node: tree.Node) -> None:
        self.text = text
        self.tree = node
        self.run = self._first_run
        self.is_compiled = False
        self._nodes: dict[tuple[type, ...], tuple[tree.Node, ...]] = {}
        self._names: tuple[NameUse, ...] | None = None
        self._uses: tuple[PathUse, ...] | None = None
        self._calls: tuple[FunctionUse, ...] | None = None
        self._escapes: frozenset[str] | None = None
        self._constant: Value | NotConstant = ABSENT

    def __repr__(self) -> str:
        return f"Expression({self.source!r})"

    @property
    def source(self) -> str:
        """The characters of the expression itself."""
        return self.text[self.tree.start : self.tree.end]

    @property
    def nodes(self) -> tuple[tree.Node, ...]:
        """Every node of the tree, outside first."""
        if () not in self._nodes:
            self._nodes[()] = tuple(tree.walk(self.tree))
        return self._nodes[()]

    @overload
    def nodes_of(self, kind: type[N], /) -> tuple[N, ...]: ...

    @overload
    def nodes_of(self, *kinds: type) -> tuple[tree.Node, ...]: ...

    def nodes_of(self, *kinds: type) -> tuple[Any, ...]:
        """Return the nodes of some kinds, outside first; kept, for one check after the other asks, at equal texts."""
        found = self._nodes.get(kinds)
        if found is None:
            found = self._nodes[kinds] = tuple([node for node in self.nodes if type(node) in kinds])
        return found

    @property
    def names(self) -> tuple[NameUse, ...]:
        """Every name that is read, in the order in which they are written."""
        if self._names is None:
            found = [NameUse(*node) for node in self.nodes_of(tree.Name)]
            self._names = tuple(sorted(found, key=lambda use: use.start))
        return self._names

    @property
    def uses(self) -> tuple[PathUse, ...]:
        if self._uses is None:
            self._uses = tuple(sorted(_paths(self.tree, False), key=lambda use: (use.start, use.end)))
        return self._uses

    @property
    def calls(self) -> tuple[FunctionUse, ...]:
        if self._calls is None:
            self._calls = tuple(map(_function_use, self.nodes_of(tree.Apply)))
        return self._calls

    def calls_of(self, *names: str) -> Iterable[FunctionUse]:
        """Yield the uses of some functions."""
        return (_function_use(node) for node in self.nodes_of(tree.Apply) if node.function.name in names)

    @property
    def escapes(self) -> frozenset[str]:
        """Names whose value, whole, the result may be or hold."""
        if self._escapes is None:
            whole, inside = _handed_out(self.tree)
            self._escapes = whole | inside
        return self._escapes

    @property
    def constant(self) -> Value | NotConstant:
        """The value where no name and no host is asked, else NOT_CONSTANT."""
        if self._constant is ABSENT:
            self._constant = constant_of(self.tree)
        return self._constant

    def evaluate(self, names: Mapping[str, Value]) -> Value:
        """Return the value for these names, ABSENT included.

        Shapes: `names` is a dict; a missing key is an absent name; what stands under '' answers host functions.
        Errors: CannotEvaluate, with its place, and nothing else.
        """
        try:
            return self.run(names)
        except EVALUATION_ERRORS as error:
            failure = located(error, self.text)
        raise failure

    def failed(self, error: Exception) -> CannotEvaluate:
        """Return what went wrong in `run`, with its place; what is a bug is raised again."""
        return located(error, self.text)

    def compiled(self) -> Evaluator:
        """Return the compiled function, made on first use."""
        if not self.is_compiled:
            self.use_compiled(evaluator_of(self.tree))
        return self.run

    def use_compiled(self, evaluator: Evaluator) -> None:
        """Take a function that was compiled together with others."""
        self.run = evaluator
        self.is_compiled = True

    def _first_run(self, names: Mapping[str, Value]) -> Value:
        return self.compiled()(names)


class Template:
    """A text with holes. A text that is exactly one hole keeps the value of its expression."""

    __slots__ = ("_free", "_names", "parts", "single", "text")

    def __init__(self, text: str, parts: tuple[tree.Part, ...]) -> None:
        self.text = text
        self.parts = tuple(_prepared(text, parts))
        only = self.parts[0] if len(self.parts) == 1 else None
        self.single = only if isinstance(only, Expression) else None
        self._free: tuple[tuple[Expression, frozenset[str]], ...] | None = None
        self._names: tuple[NameUse, ...] | None = None

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def _all(self) -> tuple[tuple[Expression, frozenset[str]], ...]:
        """Return every expression with the names that loops around it have made."""
        if self._free is None:
            self._free = tuple(_free(self.parts))
        return self._free

    @property
    def is_plain(self) -> bool:
        return all(isinstance(part, str) for part in self.parts)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Every expression in it, conditions and rows included, in the order in which they are written."""
        return tuple(expression for expression, _ in self._all())

    @property
    def loops(self) -> tuple[NameUse, ...]:
        """The names that `{% for %}` makes."""
        return tuple(_loops(self.parts))

    @property
    def names(self) -> tuple[NameUse, ...]:
        """Names that are read and that no loop of this text makes."""
        if self._names is None:
            own = self._all()
            self._names = tuple([use for expression, bound in own for use in expression.names if use.name not in bound])
        return self._names

    @property
    def uses(self) -> tuple[PathUse, ...]:
        return tuple(use for expression, bound in self._all() for use in expression.uses if use.root not in bound)

    @property
    def calls(self) -> tuple[FunctionUse, ...]:
        return tuple(call for expression in self.expressions for call in expression.calls)

    @property
    def escapes(self) -> frozenset[str]:
        return self.single.escapes if self.single is not None else frozenset()

    @property
    def constant(self) -> Value | NotConstant:
        if self.single is not None:
            return self.single.constant
        return self.text if self.is_plain else NOT_CONSTANT

    def render(self, names: Mapping[str, Value]) -> Value:
        """Return the value of the one hole, or else the text with every hole filled.

        Errors: CannotEvaluate, also for null, an absent value, and more characters than a text may have.
        """
        if self.single is not None:
            return self.single.evaluate(names)
        return rendered(self.parts, names)


def _prepared(text: str, parts: Sequence[tree.Part]) -> Iterable[Part]:
    for part in parts:
        match part:
            case tree.Words(text=words):
                yield words
            case tree.Hole(node=node):
                yield Expression(text, node)
            case tree.If(branches=branches, otherwise=otherwise):
                made = tuple((Expression(text, test), tuple(_prepared(text, body))) for test, body in branches)
                yield If(made, tuple(_prepared(text, otherwise)))
            case tree.For(name=name, start=start, end=end, rows=rows, body=body):
                yield For(NameUse(name, start, end), Expression(text, rows), tuple(_prepared(text, body)))


def _loops(parts: Sequence[Part]) -> Iterable[NameUse]:
    for part in parts:
        if isinstance(part, If):
            for _, body in part.branches:
                yield from _loops(body)
            yield from _loops(part.otherwise)
        elif isinstance(part, For):
            yield part.name
            yield from _loops(part.body)


def _free(parts: Sequence[Part], bound: frozenset[str] = frozenset()) -> Iterable[tuple[Expression, frozenset[str]]]:
    """Yield every expression with the names that loops around it have made."""
    for part in parts:
        if isinstance(part, Expression):
            yield part, bound
        elif isinstance(part, If):
            for test, body in part.branches:
                yield from _free((test, *body), bound)
            yield from _free(part.otherwise, bound)
        elif isinstance(part, For):
            yield part.rows, bound
            yield from _free(part.body, bound | {part.name.name})


# --- what stands in an expression -------------------------------------------------------------------------------------


def constant_of(node: tree.Node) -> Value | NotConstant:
    """Return the value of a node that asks no name and no host and can be evaluated, else NOT_CONSTANT."""
    if isinstance(node, tree.Constant):
        return node.value
    if not is_constant(node):
        return NOT_CONSTANT
    try:
        return evaluator_of(node)({})
    except CannotEvaluate:
        return NOT_CONSTANT


def _paths(node: tree.Node, soft: bool) -> Iterable[PathUse]:
    """Yield every longest path, those inside brackets too."""
    chain: list[str | None] = []
    base = node
    while isinstance(base, (tree.Field, tree.Item)):
        if isinstance(base, tree.Item):
            chain.append(None)
            yield from _paths(base.key, soft)
        else:
            chain.append(base.name)
        base = base.base
    if isinstance(base, tree.Name):
        yield PathUse(base.name, tuple(reversed(chain)), node.start, node.end, soft)
        return
    if base is not node:
        yield from _paths(base, soft)
        return
    looks = isinstance(node, tree.Apply) and node.function.soft
    for inner in tree.children(node):
        is_subject = isinstance(node, tree.Apply) and inner is node.subject
        yield from _paths(inner, (looks and is_subject) or (soft and isinstance(node, tree.Choice)))


def _function_use(node: tree.Apply) -> FunctionUse:
    function = node.function
    kind = "function" if function.kind == "host" else function.kind
    constants = tuple(map(constant_of, node.positional))
    keywords = tuple(name for name, _ in node.keywords)
    return FunctionUse(function.name, kind, len(node.positional), keywords, node.start, node.end, constants)


_NOTHING: Final[frozenset[str]] = frozenset()


def _handed_out(node: tree.Node) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names whose value the result may be, and those whose value it may hold somewhere inside."""
    match node:
        case tree.Name(name=name):
            return frozenset({name}), _NOTHING
        case tree.ListOf() | tree.MappingOf():
            return _NOTHING, _held(tree.children(node))
        case tree.Choice(then=then, otherwise=otherwise):
            return _either(then, otherwise)
        case tree.Field(base=base) | tree.Item(base=base):
            inside = _handed_out(base)[1]
            return inside, inside
        case tree.Arithmetic(operator="+", left=left, right=right):
            return _NOTHING, _handed_out(left)[1] | _handed_out(right)[1]
        case tree.Apply(function=function, subject=subject):
            return _handed_out_by(node, function.passes, subject)
        case _:
            return _NOTHING, _NOTHING


def _handed_out_by(node: tree.Apply, passes: bool, subject: tree.Node | None) -> tuple[frozenset[str], frozenset[str]]:
    if set(node.function.result) <= {"text", "whole", "number", "boolean", "texts", "numbers"}:
        return _NOTHING, _NOTHING
    whole, inside = _handed_out(subject) if subject is not None else (_NOTHING, _NOTHING)
    if not passes:
        return inside, inside
    arguments = _held((*node.positional, *(value for _, value in node.keywords)))
    if node.function.soft:
        return whole | arguments, inside | arguments
    return inside | arguments, inside | arguments


def _either(first: tree.Node, second: tree.Node) -> tuple[frozenset[str], frozenset[str]]:
    one, other = _handed_out(first), _handed_out(second)
    return one[0] | other[0], one[1] | other[1]


def _held(nodes: Iterable[tree.Node]) -> frozenset[str]:
    result = _NOTHING
    for node in nodes:
        whole, inside = _handed_out(node)
        result |= whole | inside
    return result

"""Nodes to one Python code object: common kinds are tested in place, everything odd goes to a helper that decides.

`a.b + 1 > 2` becomes `lambda d: … d['a']['b'] …` without a call. A missing field needs no guard: the KeyError is
caught once around the whole, and its place is read from the positions of the code, because every Python node carries
the range of characters of the node that it was made from. Numbers that are not integers are constants of the module
around the lambdas, so that the code can be stored with `marshal`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from decimal import Decimal
from types import CodeType
from typing import Any, Final

from rules.expr import operations, tree
from rules.expr.functions import FUNCTIONS
from rules.expr.kinds import kinds_of
from rules.failures import FILE_NAME
from rules.ready import Evaluator
from rules.values import ABSENT, NUMBER_LIMIT, Value

_HELPERS: Final[dict[str, object]] = {
    "__builtins__": {},
    "type": type,
    "int": int,
    "str": str,
    "dict": dict,
    "Decimal": Decimal,
    "ABSENT": ABSENT,
    "SCALARS": operations.SCALARS,
    "not_boolean": operations.not_boolean,
    "negative": operations.negative,
    "item": operations.item,
    "soft_field": operations.soft_field,
    "soft_item": operations.soft_item,
    "is_nothing": operations.is_nothing,
    "join_texts": operations.join_texts,
    "present_items": operations.present_items,
    "present_entries": operations.present_entries,
    "ask_host": operations.ask_host,
    "add": operations.add,
    "subtract": operations.subtract,
    "multiply": operations.multiply,
    "divide_whole": operations.divide_whole,
    "remainder": operations.remainder,
    "is_equal": operations.is_equal,
    "is_unequal": operations.is_unequal,
    "less": operations.less,
    "at_most": operations.at_most,
    "more": operations.more,
    "at_least": operations.at_least,
    "is_in": operations.is_in,
    "is_not_in": operations.is_not_in,
    **{f"{row.kind}_{row.name}": row.call for row in FUNCTIONS},
}
_ARITHMETIC: Final[dict[str, tuple[ast.operator | None, str]]] = {
    "+": (ast.Add(), "add"),
    "-": (ast.Sub(), "subtract"),
    "*": (ast.Mult(), "multiply"),
    "//": (None, "divide_whole"),
    "%": (None, "remainder"),
}
_COMPARISONS: Final[dict[str, tuple[ast.cmpop | None, str]]] = {
    "==": (ast.Eq(), "is_equal"),
    "!=": (ast.NotEq(), "is_unequal"),
    "<": (ast.Lt(), "less"),
    "<=": (ast.LtE(), "at_most"),
    ">": (ast.Gt(), "more"),
    ">=": (ast.GtE(), "at_least"),
    "in": (None, "is_in"),
    "not in": (None, "is_not_in"),
}
_BOOLEAN: Final = frozenset({"boolean"})
_LOAD: Final = ast.Load()
_STORE: Final = ast.Store()


def code_of(nodes: Sequence[tree.Node]) -> CodeType:
    """Return one code object for many expressions; `evaluators_of` makes functions of it."""
    lowering = _Lowering()
    lambdas = [lowering.whole(node) for node in nodes]
    result = ast.Assign([ast.Name("result", _STORE)], ast.Tuple(list(lambdas), _LOAD))
    module = ast.Module([*lowering.constants, result], [])
    return compile(ast.fix_missing_locations(module), FILE_NAME, "exec", dont_inherit=True)


def evaluators_of(code: CodeType) -> tuple[Evaluator, ...]:
    """Return the functions of a code object that `code_of` made, in order."""
    space = dict(_HELPERS)
    exec(code, space)
    result: tuple[Evaluator, ...] = space["result"]  # type: ignore[assignment]
    return result


def evaluator_of(node: tree.Node) -> Evaluator:
    return evaluators_of(code_of([node]))[0]


class _Lowering:
    """One module in the making. Every value that is looked at twice gets a name of its own, `_1`, `_2`, …"""

    def __init__(self) -> None:
        self.constants: list[ast.stmt] = []
        self.count = 0

    def whole(self, node: tree.Node) -> ast.Lambda:
        self.count = 0
        arguments = ast.arguments(posonlyargs=[], args=[ast.arg("d")], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.Lambda(arguments, self.lower(node))

    # -- small builders

    def _place(self, made: Any, node: tree.Node) -> Any:
        """Give a Python node the range of characters of ours: line 1, columns are characters."""
        made.lineno = made.end_lineno = 1
        made.col_offset, made.end_col_offset = node.start, node.end
        return made

    def _keep(self, value: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Return an expression that names a value, and one that reads it again."""
        if isinstance(value, ast.Constant):
            return value, value
        return self._named(value)

    def _named(self, value: ast.expr) -> tuple[ast.expr, ast.expr]:
        """The same for literals too; Python warns of `1 is None` and of `1['a']`, though not of `(_1 := 1)['a']`."""
        self.count += 1
        name = f"_{self.count}"
        return ast.NamedExpr(ast.Name(name, _STORE), value), ast.Name(name, _LOAD)

    def _call(self, name: str, arguments: Sequence[ast.expr], node: tree.Node) -> ast.expr:
        made: ast.expr = self._place(ast.Call(ast.Name(name, _LOAD), list(arguments), []), node)
        return made

    def _type_is(self, value: ast.expr, *names: str) -> ast.expr:
        return ast.Compare(self._type(value), [ast.Is() for _ in names], [ast.Name(name, _LOAD) for name in names])

    def _type(self, value: ast.expr) -> ast.expr:
        return ast.Call(ast.Name("type", _LOAD), [value], [])

    def _constant(self, value: Value) -> ast.expr:
        if value is ABSENT:
            return ast.Name("ABSENT", _LOAD)
        if type(value) is not Decimal:
            return ast.Constant(value)
        name = f"c{len(self.constants)}"
        made = ast.Call(ast.Name("Decimal", _LOAD), [ast.Constant(str(value))], [])
        self.constants.append(ast.Assign([ast.Name(name, _STORE)], made))
        return ast.Name(name, _LOAD)

    # -- nodes

    def lower(self, node: tree.Node) -> ast.expr:
        """Return Python for the value of a node; raises while it runs where there is none."""
        match node:
            case tree.Constant(value=value):
                return self._constant(value)
            case tree.Name(name=name):
                return self._subscript(ast.Name("d", _LOAD), name, node)
            case tree.Field(base=base, name=name, brackets=brackets):
                if brackets:
                    return self._entry(self.lower(base), name, node)
                return self._subscript(self.lower(base), name, node)
            case tree.Item(base=base, key=key):
                return self._call("item", [self.lower(base), self.lower(key)], node)
            case tree.ListOf(items=items):
                return self._list(items, node)
            case tree.MappingOf(entries=entries):
                return self._mapping(entries, node)
            case tree.Negative(value=value):
                return self._call("negative", [self.lower(value)], node)
            case tree.Arithmetic():
                return self._arithmetic(node)
            case tree.Join(parts=parts):
                return self._call("join_texts", [self.lower(part) for part in parts], node)
            case tree.Comparison():
                return self._comparison(node)
            case tree.Logic(operator=operator, parts=parts):
                made = ast.And() if operator == "and" else ast.Or()
                return ast.BoolOp(made, [self._boolean(part) for part in parts])
            case tree.Not(value=value):
                return ast.UnaryOp(ast.Not(), self._boolean(value))
            case tree.Choice(when=when, then=then, otherwise=otherwise):
                return ast.IfExp(self._boolean(when), self.lower(then), self.lower(otherwise))
            case tree.Apply():
                return self._apply(node)

    def _subscript(self, base: ast.expr, name: str, node: tree.Node) -> ast.expr:
        if isinstance(base, (ast.Constant, ast.List, ast.Dict)):
            base, _ = self._named(base)
        made: ast.expr = self._place(ast.Subscript(base, ast.Constant(name), _LOAD), node)
        return made

    def _entry(self, base: ast.expr, name: str, node: tree.Node) -> ast.expr:
        """`a['b']`: a field of a mapping in place; a list that declares a key has its entry looked up."""
        first, again = self._named(base)
        helped = self._call("item", [again, ast.Constant(name)], node)
        return ast.IfExp(self._type_is(first, "dict"), self._subscript(again, name, node), helped)

    def _list(self, items: Sequence[tree.Node], node: tree.Node) -> ast.expr:
        values = [self.lower(item) for item in items]
        if any(map(_may_be_absent, items)):
            return self._call("present_items", values, node)
        return ast.List(values, _LOAD)

    def _mapping(self, entries: Sequence[tuple[str, tree.Node]], node: tree.Node) -> ast.expr:
        keys: list[ast.expr | None] = [ast.Constant(key) for key, _ in entries]
        made = ast.Dict(keys, [self.lower(value) for _, value in entries])
        if any(_may_be_absent(value) for _, value in entries):
            return self._call("present_entries", [made], node)
        return made

    def _boolean(self, node: tree.Node) -> ast.expr:
        """Return Python for a value that must be true or false; no test where the node cannot give another."""
        value = self.lower(node)
        if kinds_of(node) == _BOOLEAN:
            return value
        first, again = self._named(value)
        is_one = ast.BoolOp(
            ast.Or(),
            [
                ast.Compare(first, [ast.Is()], [ast.Constant(True)]),
                ast.Compare(again, [ast.Is()], [ast.Constant(False)]),
            ],
        )
        return ast.IfExp(is_one, again, self._call("not_boolean", [again], node))

    def _arithmetic(self, node: tree.Arithmetic) -> ast.expr:
        operator, helper = _ARITHMETIC[node.operator]
        if operator is None:
            return self._call(helper, [self.lower(node.left), self.lower(node.right)], node)
        left, left_again = self._keep(self.lower(node.left))
        right, right_again = self._keep(self.lower(node.right))
        result, result_again = self._keep(ast.BinOp(left_again, operator, right_again))
        tests = [
            self._type_is(side, "int")
            for side, operand in ((left, node.left), (right, node.right))
            if not (isinstance(operand, tree.Constant) and type(operand.value) is int)
        ]
        helped = self._call(helper, [left_again, right_again], node)
        if not tests:
            return helped
        # Both sides are named before either is tested, so that a helper finds both: `&`, not `and`.
        both = tests[0] if len(tests) == 1 else ast.BinOp(tests[0], ast.BitAnd(), tests[1])
        limit = ast.Compare(ast.Constant(-NUMBER_LIMIT), [ast.Lt(), ast.Lt()], [result, ast.Constant(NUMBER_LIMIT)])
        return ast.IfExp(ast.BoolOp(ast.And(), [both, limit]), result_again, helped)

    def _comparison(self, node: tree.Comparison) -> ast.expr:
        if len(node.steps) == 1:
            operator, only = node.steps[0]
            return self._compare(operator, self.lower(node.first), node.first, self.lower(only), only, node)
        made: list[ast.expr] = []
        left, left_node = self.lower(node.first), node.first
        for operator, right_node in node.steps:
            # Every operand is evaluated once, though two comparisons look at it.
            right, again = self._keep(self.lower(right_node))
            made.append(self._compare(operator, left, left_node, right, right_node, node))
            left, left_node = again, right_node
        return ast.BoolOp(ast.And(), made)

    def _compare(
        self,
        operator: str,
        left: ast.expr,
        left_node: tree.Node,
        right: ast.expr,
        right_node: tree.Node,
        node: tree.Node,
    ) -> ast.expr:
        made, helper = _COMPARISONS[operator]
        if made is None and _are_texts(right_node):
            return self._in_texts(operator, left, right, node)
        left_kind, right_kind = _constant_kind(left_node), _constant_kind(right_node)
        if made is None or (left_kind and right_kind):
            return self._call(helper, [left, right], node)
        left, left_again = self._keep(left)
        right, right_again = self._keep(right)
        if right_kind:
            test = self._type_is(left, right_kind)
        elif left_kind:
            test = self._type_is(right, left_kind)
        else:
            # type(left) is type(right) in SCALARS
            operands = [self._type(right), ast.Name("SCALARS", _LOAD)]
            test = ast.Compare(self._type(left), [ast.Is(), ast.In()], operands)
            if operator not in ("==", "!="):
                # bool is a scalar, but it has no order.
                test = ast.BinOp(self._type_is(left, "int"), ast.BitAnd(), self._type_is(right, "int"))
        return ast.IfExp(
            test,
            ast.Compare(left_again, [made], [right_again]),
            self._call(helper, [left_again, right_again], node),
        )

    def _in_texts(self, operator: str, value: ast.expr, texts: ast.expr, node: tree.Node) -> ast.expr:
        """`x in ['a', 'b']`, with a tuple that Python keeps ready."""
        assert isinstance(texts, ast.List)
        _, helper = _COMPARISONS[operator]
        first, again = self._named(value)
        made = ast.In() if operator == "in" else ast.NotIn()
        fast = ast.Compare(again, [made], [ast.Tuple(texts.elts, _LOAD)])
        return ast.IfExp(self._type_is(first, "str"), fast, self._call(helper, [again, texts], node))

    # -- functions

    def _apply(self, node: tree.Apply) -> ast.expr:
        function = node.function
        if function.kind == "host":
            arguments = ast.List([self.lower(value) for value in node.positional], _LOAD)
            return self._call("ask_host", [ast.Name("d", _LOAD), ast.Constant(function.name), arguments], node)
        values: list[ast.expr] = []
        if node.subject is not None:
            values.append(self._soft(node.subject) if function.soft else self.lower(node.subject))
        if function.name in ("default", "or_else"):
            return self._instead(node, values[0])
        values.extend(self._arguments(node))
        return self._call(f"{function.kind}_{function.name}", values, node)

    def _instead(self, node: tree.Apply, subject: ast.expr) -> ast.expr:
        """`x | default(y)`, `x | or_else(y)`: y is evaluated only where it is needed."""
        first, again = self._named(subject)
        if node.function.name == "default":
            absent = ast.Compare(first, [ast.Is()], [ast.Name("ABSENT", _LOAD)])
            null = ast.Compare(again, [ast.Is()], [ast.Constant(None)])
            missing: ast.expr = ast.BoolOp(ast.Or(), [absent, null])
        else:
            missing = self._call("is_nothing", [first], node)
        value = node.positional[0] if node.positional else node.keywords[0][1]
        return ast.IfExp(missing, self.lower(value), again)

    def _arguments(self, node: tree.Apply) -> list[ast.expr]:
        """Return one Python value for each parameter: what is not given is ABSENT."""
        given = dict(node.keywords)
        positional = list(node.positional)
        values: list[ast.expr] = []
        for parameter in node.function.parameters:
            if parameter.many == "list":
                values.append(ast.List([self.lower(value) for value in positional], _LOAD))
            elif parameter.many == "fields":
                keys: list[ast.expr | None] = [ast.Constant(name) for name in given]
                values.append(ast.Dict(keys, [self.lower(value) for value in given.values()]))
            elif positional:
                values.append(self.lower(positional.pop(0)))
            elif parameter.name in given:
                values.append(self.lower(given.pop(parameter.name)))
            else:
                values.append(ast.Name("ABSENT", _LOAD))
        return values

    def _soft(self, node: tree.Node) -> ast.expr:
        """Return Python for a value, or ABSENT where a name or the way to a field is not there."""
        match node:
            case tree.Name(name=name):
                get = ast.Attribute(ast.Name("d", _LOAD), "get", _LOAD)
                return ast.Call(get, [ast.Constant(name), ast.Name("ABSENT", _LOAD)], [])
            case tree.Field(base=base, name=name, brackets=brackets):
                first, again = self._named(self._soft(base))
                get = ast.Attribute(again, "get", _LOAD)
                found = ast.Call(get, [ast.Constant(name), ast.Name("ABSENT", _LOAD)], [])
                helper = "soft_item" if brackets else "soft_field"
                helped = self._call(helper, [again, ast.Constant(name)], node)
                return ast.IfExp(self._type_is(first, "dict"), found, helped)
            case tree.Item(base=base, key=key):
                return self._call("soft_item", [self._soft(base), self._soft(key)], node)
            case tree.Choice(when=when, then=then, otherwise=otherwise):
                return ast.IfExp(self._boolean(when), self._soft(then), self._soft(otherwise))
            case _:
                return self.lower(node)


def _may_be_absent(node: tree.Node) -> bool:
    """Return whether a node may give ABSENT instead of raising."""
    match node:
        case tree.Constant(value=value):
            return value is ABSENT
        case tree.Choice(then=then, otherwise=otherwise):
            return _may_be_absent(then) or _may_be_absent(otherwise)
        case tree.Apply(function=function):
            return "any" in function.result or "absent" in function.result
        case tree.Name() | tree.Field() | tree.Item():
            return False
        case _:
            return False


def _are_texts(node: tree.Node) -> bool:
    """Return whether a node is a list literal of texts, and of nothing else."""
    if not isinstance(node, tree.ListOf) or not node.items:
        return False
    return all(isinstance(item, tree.Constant) and type(item.value) is str for item in node.items)


def _constant_kind(node: tree.Node) -> str | None:
    if isinstance(node, tree.Constant) and type(node.value) in (int, str):
        return "int" if type(node.value) is int else "str"
    return None

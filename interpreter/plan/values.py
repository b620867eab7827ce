"""What is written, as functions of names. An expression that could not be evaluated learns its place here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from interpreter import model
from interpreter.durations import SECONDS
from interpreter.engine.data import Declaration, Names
from interpreter.engine.frame import Condition, Evaluate, Target
from interpreter.engine.program import LocatedFailure, Where
from interpreter.flow.marks import found_in, inside_for, marks_of, marks_of_node
from interpreter.safety.masking import NOTHING, Marks, MaskedHole, mask
from interpreter.source import Place, Span
from rules.expr import Expression, NameUse, tree
from rules.patterns import regex
from rules.ready import EVALUATION_ERRORS, For, If, rendered
from rules.values import ABSENT, CannotEvaluate, cannot, kind_of, of_wrong_kind

_PLAIN_PATH = regex(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_DURATION = regex(r"(\d+)(ms|s|m|h|d)")


def where_of(span: Span) -> Where:
    begins, ends = span.begins, span.ends
    return Where(span.source.name, begins.line, begins.column, ends.line, ends.column)


class Compiler:
    """Compiles values of one workflow. `lists` are the data that must be taken back when they are handed out whole.

    Shapes: `sensitive` are the marks of what is masked where it is shown, `hidden` the names whose values no finding
    carries; both change from one state or block to the next. `touched` says that such a name was met. `tells_joins`
    says that the run has to know which texts were joined, because it admits evidence.
    """

    def __init__(self, lists: frozenset[str], data: Mapping[str, Declaration] = MappingProxyType({})) -> None:
        self._lists = lists
        self._data = data
        self.sensitive: Marks = NOTHING
        self.hidden: frozenset[str] = frozenset()
        self.touched = False
        self.tells_joins = False

    def _hides(self, names: Iterable[NameUse]) -> bool:
        hides = bool(self.hidden) and any(use.name in self.hidden for use in names)
        self.touched = self.touched or hides
        return hides

    def expression(self, written: model.Written) -> Evaluate:
        expression, place = written.expression, written.place
        handed_out = expression.escapes & self._lists
        hides = self._hides(expression.names)
        joins = _joins_in(expression) if self.tells_joins else ()

        def evaluate(names: Names) -> Any:
            try:
                return expression.run(names)
            except EVALUATION_ERRORS as error:
                failure = _located(expression.failed(error), expression.text, place, hides)
            raise failure

        if not handed_out and not joins:
            return evaluate

        def evaluate_and_tell(names: Names) -> Any:
            value = evaluate(names)
            for pieces, separator in joins:
                with suppress(*EVALUATION_ERRORS):  # it may stand where nobody came by, and joined nothing then
                    names[""].joined(pieces.run(names), separator.run(names) if separator is not None else "")
            if handed_out:
                names[""].hand_out(handed_out)
            return value

        return evaluate_and_tell

    def rows(self, written: model.Written) -> Evaluate:
        """Return what evaluates an expression that has to give a list."""
        evaluate = self.expression(written)
        text, place, hides = written.expression.text, written.place, self._hides(written.expression.names)

        def rows(names: Names) -> Any:
            found = evaluate(names)
            if isinstance(found, list):
                return found
            raise _located(of_wrong_kind("list-wanted", found), text, place, hides)

        return rows

    def condition(self, written: model.Written) -> Condition:
        expression, place = written.expression, written.place
        hides = self._hides(expression.names)

        def holds(names: Names) -> bool:
            try:
                value = expression.run(names)
                if value is True or value is False:
                    return value
                failure = of_wrong_kind("not-boolean", value)
            except EVALUATION_ERRORS as error:
                failure = expression.failed(error)
            raise _located(failure, expression.text, place, hides)

        return holds

    def optional_condition(self, written: model.Written | None) -> Condition | None:
        return self.condition(written) if written is not None else None

    def optional(self, value: model.Value | None) -> Evaluate | None:
        return self.value(value) if value is not None else None

    def value(self, value: model.Value) -> Evaluate:
        """Return what evaluates a value place; entries and fields that are absent are left out."""
        match value:
            case model.Constant(constant):
                return lambda names: constant
            case model.Written():
                return self.expression(value)
            case model.Text():
                return self._text(value)
            case model.ListOf(items):
                return self._list([self.value(item) for item in items])
            case model.MappingOf(entries):
                return self._mapping([(name, self.value(inner)) for name, inner, _ in entries])
            case model.EachOf():
                return self._each(value)
            case model.ChooseOf(branches):
                return self._choose(branches)
        raise TypeError(f"not a value: {value!r}")

    def named(self, entries: tuple[tuple[str, model.Value, Span], ...]) -> tuple[tuple[str, Evaluate], ...]:
        return tuple((name, self.value(value)) for name, value, _ in entries)

    def target(self, path: model.Path) -> Target:
        segments = tuple(segment if isinstance(segment, str) else self.expression(segment) for segment in path.segments)
        if path.root not in self._data or not all(isinstance(one, str) for one in segments):
            return Target(path.root, segments, _path_text(path))
        shape = self._data[path.root].shape
        for segment in segments:
            shape = shape.at(segment)
        return Target(path.root, segments, _path_text(path), shape)

    def place_of(self, written: model.Written) -> Target | None:
        """Return the place that an expression names outright (`data` or `data.field`), None for anything computed."""
        text = written.expression.text.strip()
        if not _PLAIN_PATH.fullmatch(text):
            return None
        root, *fields = text.split(".")
        return Target(root, tuple(fields), text)

    def whole(self, value: model.Value, least: int) -> Evaluate:
        """Return what evaluates a count; what a run computes is looked at each time."""
        return self._read(value, lambda found: _whole_of(found, least))

    def optional_whole(self, value: model.Value | None, least: int) -> Evaluate | None:
        return self.whole(value, least) if value is not None else None

    def at_once(self, value: model.Value | None) -> Evaluate | None:
        """Return what evaluates how many entries are worked on at once: a count, or `all`."""
        if value is None or isinstance(value, model.Constant):
            return self.optional(value)
        return self._read(value, lambda found: found if found == "all" else _whole_of(found, 1))

    def failures(self, value: model.Value | None) -> Evaluate | None:
        """Return what evaluates how many entries may fail: a count, or `{share: 0.2}`."""
        return self._read(value, _failures_of) if value is not None else None

    def factor(self, value: model.Value | None) -> Evaluate | None:
        """Return what evaluates a number to multiply with."""
        return self._read(value, _factor_of) if value is not None else None

    def seconds(self, value: model.Value | None) -> Evaluate | None:
        """Return what evaluates a duration, in seconds."""
        return self._read(value, seconds_of) if value is not None else None

    def duration(self, value: model.Value | None) -> Evaluate | None:
        """Return what evaluates a duration as it is written, such as `2s`."""
        return self._read(value, _duration_of) if value is not None else None

    def _read(self, value: model.Value, read: Callable[[Any], Any]) -> Evaluate:
        """Return what evaluates a value and reads it; a failure to read it has the place of the value."""
        inner = self.value(value)
        if isinstance(value, model.Constant):
            with suppress(CannotEvaluate):  # what cannot be read stops the run that comes to it
                known = read(value.value)
                return lambda names: known
        if not isinstance(value, model.Text):
            return lambda names: read(inner(names))
        text, place, hides = value.template.text, value.place, self._hides(value.template.names)

        def evaluate(names: Names) -> Any:
            found = inner(names)
            try:
                return read(found)
            except CannotEvaluate as error:
                raise _located(error, text, place, hides) from None

        return evaluate

    def _text(self, text: model.Text) -> Evaluate:
        template, place = text.template, text.place
        if template.single is not None:
            return self.expression(model.Written(template.single, place))
        return self._rendered(text, template.parts)

    def _rendered(self, text: model.Text, parts: Sequence[Any]) -> Evaluate:
        words, place = text.template.text, text.place
        hides = self._hides(text.template.names)

        def evaluate(names: Names) -> Any:
            try:
                return rendered(parts, names)
            except CannotEvaluate as error:
                raise _located(error, words, place, hides) from None

        return evaluate

    # --- what people read ---------------------------------------------------------------------------------------------

    def optional_shown(self, value: model.Value | None) -> Evaluate | None:
        return self.shown(value) if value is not None else None

    def shown(self, value: model.Value) -> Evaluate:
        """Return what evaluates words for people: sensitive values in them are masked, each hole by itself."""
        if not self.sensitive or not any(True for _ in found_in(value, self.sensitive)):
            return self.value(value)
        match value:
            case model.Text() if value.template.single is None:
                return self._rendered(value, tuple(_masked_parts(value.template.parts, self.sensitive)))
            case model.ListOf(items):
                return self._list([self.shown(item) for item in items])
            case model.MappingOf(entries):
                return self._mapping([(name, self.shown(inner)) for name, inner, _ in entries])
        evaluate, marks = self.value(value), marks_of(value, self.sensitive)
        return lambda names: mask(evaluate(names), marks)

    def marks(self, value: model.Value | None) -> Marks:
        """Return what of a value is sensitive."""
        return marks_of(value, self.sensitive)

    def _list(self, items: list[Evaluate]) -> Evaluate:
        def evaluate(names: Names) -> Any:
            return [value for item in items if (value := item(names)) is not ABSENT]

        return evaluate

    def _mapping(self, entries: list[tuple[str, Evaluate]]) -> Evaluate:
        def evaluate(names: Names) -> Any:
            return {name: value for name, part in entries if (value := part(names)) is not ABSENT}

        return evaluate

    def _each(self, each: model.EachOf) -> Evaluate:
        rows, give = self.rows(each.rows), self.value(each.give)
        where = self.optional_condition(each.where)
        variable, index, flat = each.name, each.index, each.flat

        def evaluate(names: Names) -> Any:
            inner = dict(names)
            result: list[Any] = []
            for number, row in enumerate(rows(names), start=1):
                inner[variable] = row
                if index is not None:
                    inner[index] = number
                if where is not None and not where(inner):
                    continue
                value = give(inner)
                if value is ABSENT:
                    continue
                if flat:
                    result.extend(value)
                else:
                    result.append(value)
            return result

        return evaluate

    def _choose(self, branches: tuple[model.BranchOf, ...]) -> Evaluate:
        planned = [(self.optional_condition(branch.when), self.value(branch.give)) for branch in branches]

        def evaluate(names: Names) -> Any:
            for when, give in planned:
                if when is None or when(names):
                    return give(names)
            return ABSENT

        return evaluate


def _joins_in(expression: Expression) -> tuple[tuple[Expression, Expression | None], ...]:
    """Return the lists of texts that an expression joins, each with what stands between them."""
    return tuple(
        (Expression(expression.text, node.subject), _separator_of(expression, node))
        for node in expression.nodes
        if isinstance(node, tree.Apply) and node.function.name == "join" and node.subject is not None
    )


def _separator_of(expression: Expression, node: tree.Apply) -> Expression | None:
    given = [*node.positional, *(value for _, value in node.keywords)]
    return Expression(expression.text, given[0]) if given else None


def constant_of(value: model.Value | None, otherwise: Any = ABSENT) -> Any:
    """Return a value that needs no names: a default, a title; `otherwise` for none, and for one that a run computes."""
    if value is None:
        return otherwise
    try:
        return Compiler(frozenset()).value(value)({})
    except CannotEvaluate:
        return otherwise


def _whole_of(found: Any, least: int) -> int:
    if kind_of(found) == "number" and found >= least and found == int(found):
        return int(found)
    raise cannot("not-a-count", least=least, found=found)


def _failures_of(found: Any) -> Any:
    if not isinstance(found, dict):
        return _whole_of(found, 0)
    share: Any = found.get("share")
    if kind_of(share) == "number" and 0 <= share <= 1:
        return found
    raise cannot("not-a-share", found=share)


def _factor_of(found: Any) -> Any:
    if kind_of(found) == "number" and found >= 0:
        return found
    raise cannot("not-a-factor", found=found)


def _duration_of(found: Any) -> str:
    seconds = seconds_of(found)
    return found if isinstance(found, str) else f"{int(seconds)}s"


def seconds_of(duration: Any) -> float:
    """Return a duration in seconds: a text such as `2s`, or a number of seconds."""
    if isinstance(duration, str):
        found = _DURATION.fullmatch(duration)
        if found is not None:
            return int(found[1]) * SECONDS[found[2]]
    elif isinstance(duration, int) and not isinstance(duration, bool):
        return float(duration)
    raise cannot("not-a-duration", found=duration)


def schema_of(schema: Mapping[str, object]) -> dict[str, Any]:
    """Return a declared schema without the words that are meant for people and for the language."""
    words = {"title", "description", "default", "private", "sensitive", "labels", "evidence"}
    return {name: value for name, value in schema.items() if name not in words}


def _masked_parts(parts: Sequence[Any], marks: Marks) -> Iterator[Any]:
    """Yield the parts of a text, with those holes masked that hand out something marked."""
    for part in parts:
        if isinstance(part, Expression):
            own = marks_of_node(part.tree, marks)
            yield MaskedHole(part, own) if own else part
        elif isinstance(part, If):
            branches = tuple((test, tuple(_masked_parts(body, marks))) for test, body in part.branches)
            yield If(branches, tuple(_masked_parts(part.otherwise, marks)))
        elif isinstance(part, For):
            inner = inside_for(marks, part.name.name, part.rows)
            yield For(part.name, part.rows, tuple(_masked_parts(part.body, inner)))
        else:
            yield part


def _located(failure: CannotEvaluate, text: str, place: Place, hides: bool) -> LocatedFailure:
    """Return a failure with its place in the document; a place that is already known stays."""
    if isinstance(failure, LocatedFailure):
        failure.hides = failure.hides or hides
        return failure
    start, end = failure.start, failure.end
    span = place.part(start, end) if start is not None and end is not None else place.span
    return LocatedFailure(failure, where_of(span), text, hides=hides)


def _path_text(path: model.Path) -> str:
    parts = [path.root]
    for segment in path.segments:
        parts.append(f".{segment}" if isinstance(segment, str) else f"[{segment.expression.text}]")
    return "".join(parts)

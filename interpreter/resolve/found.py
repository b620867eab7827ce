"""What the walk finds: uses, targets and steps, each with its scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interpreter.diagnostics import Diagnostic
from interpreter.documents.loading import Documents, Loaded
from interpreter.model import (
    AnyStep,
    AskStep,
    Block,
    ConfirmStep,
    Constant,
    ListOf,
    MappingOf,
    Path,
    State,
    Text,
    Value,
    Workflow,
    Written,
)
from interpreter.source import Span
from interpreter.static.inference import Seen, seen_in
from interpreter.static.scopes import Binding, Scope
from interpreter.static.values import Missing, Shape
from rules import records
from rules.expr import Expression, NameUse
from rules.records import field

Owner = State | Block | None


@records.record
class Use:
    """An expression or a text, with the names visible there.

    Shapes: `field` is the key that it stands under; `expected` what the place wants, None where nothing is known;
    `under` are the conditions that came out one way or the other before it is evaluated.
    """

    value: Written | Text
    scope: Scope
    field: str
    owner: Owner
    expected: Shape | None = None
    under: tuple[Written, ...] = ()
    _seen: list[Seen] = records.field(default_factory=list, compare=False, repr=False)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The expression, or all those that stand in the text."""
        if isinstance(self.value, Written):
            return (self.value.expression,)
        return self.value.template.expressions

    @property
    def names(self) -> tuple[NameUse, ...]:
        """The names that are read here; those that a loop of the text makes left out."""
        return self.value.expression.names if isinstance(self.value, Written) else self.value.template.names

    @property
    def seen(self) -> Sequence[Seen]:
        """The expressions, each with the names that are visible to it: those that a loop of the text makes as well."""
        if not self._seen:
            self._seen.extend(seen_in(self.value, self.scope))
        return self._seen

    def part(self, start: int, end: int) -> Span:
        """Return the place of some characters of it."""
        return self.value.place.part(start, end)


@records.record
class Plain:
    """A constant where a value stands. `expected` is what the place wants, None where nothing is known."""

    constant: Constant
    scope: Scope
    field: str
    expected: Shape | None


@records.record
class Target:
    """A path that is changed."""

    path: Path
    scope: Scope
    field: str
    value: Value | None


@records.record
class Visit:
    """A step where it stands. `around` are the steps that it stands in, outermost first."""

    step: AnyStep
    scope: Scope
    owner: Owner
    around: tuple[AnyStep, ...]
    siblings: tuple[AnyStep, ...]


@records.record(frozen=False)
class Resolved:
    """A workflow with everything bound."""

    documents: Documents
    workflow: Workflow
    loaded: Loaded
    everywhere: Scope = field(default_factory=Scope)
    uses: list[Use] = field(default_factory=list)
    plains: list[Plain] = field(default_factory=list)
    words: list[Plain] = field(default_factory=list)
    """Constants that people read."""
    targets: list[Target] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    gives: dict[str, Shape | None] = field(default_factory=dict)
    written: list[tuple[str, Missing, Span]] = field(default_factory=list)
    composed: list[tuple[ListOf | MappingOf, Shape]] = field(default_factory=list)
    one_language: list[tuple[str, Span]] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out in reading, so that what is unused is really unused."""
        return self.loaded.is_whole

    def questions(self) -> Iterator[ConfirmStep | AskStep]:
        return (visit.step for visit in self.visits if isinstance(visit.step, ConfirmStep | AskStep))

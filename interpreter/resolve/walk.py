"""The walk over a workflow that binds its names; the rules of scope stand here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from interpreter.diagnostics import Diagnostic, Related, Words, finding
from interpreter.documents.loading import Documents
from interpreter.model import (
    AdmitStep,
    AnyStep,
    AskStep,
    Assignment,
    Block,
    CallStep,
    ChooseOf,
    ChooseStep,
    CollectStep,
    ConfirmStep,
    Constant,
    Contract,
    DecideStep,
    Declared,
    EachOf,
    EachStep,
    FailStep,
    GiveStep,
    LetStep,
    ListOf,
    MappingOf,
    Message,
    MoveOnStep,
    Path,
    RepeatStep,
    SayStep,
    SetStep,
    State,
    Table,
    Text,
    UseStep,
    Value,
    Walk,
    Written,
)
from interpreter.pointers import CITATION, CITATION_FORMS, bound_schema, pointers_in
from interpreter.resolve.found import Owner, Plain, Resolved, Target, Use, Visit
from interpreter.source import Span
from interpreter.static.giving import counts_of, given_only_when
from interpreter.static.inference import loop_bindings, shape_of_kind, shape_of_node, shape_of_path, shape_of_value
from interpreter.static.own_shapes import (
    ERROR,
    RUN,
    UNIT,
    WALK,
    outcome_of,
    outputs_of,
    shape_of_answer,
    shape_of_question,
)
from interpreter.static.rule_shapes import shape_of_decision, shapes_of_facts
from interpreter.static.scopes import RESERVED, Binding, Scope
from interpreter.static.values import (
    BOOLEAN,
    LIST,
    MAPPING,
    NUMBER,
    TEXT,
    Missing,
    Shape,
    closed,
    either,
    list_of,
    record,
    shape_of,
)
from interpreter.steps import all_questions
from rules.expr import tree
from rules.records import replace


def resolve(documents: Documents) -> Resolved:
    """Return the workflow with every use, target and step in its scope.

    Errors: `name/visible-twice` and `name/reserved` in `diagnostics`; unknown names are for the checks.
    """
    resolved = Resolved(documents, documents.workflow, documents.main)
    _Resolver(resolved).run()
    return resolved


#: What a default may read: it is made when the run begins, before there is anything else.
_AT_BEGIN = Scope().extended(Binding("run", "reserved", None, RUN))
#: What a confirmation permits, where it is one expression or one text.
_PERMITTED = either((LIST, MAPPING))
_SET_INSTEAD = Words(
    "换一个名称；要改的就是这个数据时写 set: {{name}: …}",
    "choose another name; to change this data itself: set: {{name}: …}",
)


class _Resolver:
    def __init__(self, resolved: Resolved) -> None:
        self._resolved = resolved
        self._documents = resolved.documents
        self._counts = counts_of(resolved.documents.rules)
        self._workflow = resolved.workflow
        self._owner: Owner = None
        self._under: tuple[Written, ...] = ()
        self._at_end: tuple[Written, ...] = ()
        self._around: tuple[AnyStep, ...] = ()

    def run(self) -> None:
        scope = self._declare_everywhere()
        self._resolved.everywhere = scope
        self._head(scope)
        for block in self._workflow.blocks:
            self._block(block, scope)
        for state in self._workflow.states:
            self._state(state, scope)

    # --- names --------------------------------------------------------------------------------------------------------

    def _declare_everywhere(self) -> Scope:
        scope = _AT_BEGIN
        workflow = self._workflow
        for declared in workflow.inputs:
            scope = self._bind(scope, Binding(declared.name, "input", declared.name_span, self._shape_of(declared)))
        for declared in workflow.data:
            scope = self._bind(scope, Binding(declared.name, "data", declared.name_span, self._shape_of(declared)))
        for name, span in dict(reversed(workflow.uses.rules)).items():
            scope = self._bind(scope, Binding(name, "rules", span, self._shape_of_rules(name)))
        asked: dict[str, Binding] = {}
        for step in all_questions(workflow):
            # One question may be put at several places; it is one name.
            if step.name not in asked:
                shape = shape_of_question(step, scope, is_asked_once=self._asked_once(step))
                asked[step.name] = Binding(step.name, "question", step.name_span, shape)
                scope = self._bind(scope, asked[step.name])
        return scope

    def _bind(self, scope: Scope, binding: Binding) -> Scope:
        """Return the scope with one more name; a name that is visible already is an error."""
        if not binding.name:
            return scope
        before = scope.get(binding.name)
        if binding.name in RESERVED and binding.span is not None:
            self._report(finding("name/reserved", binding.span, name=binding.name))
            return scope
        if before is not None and before.span is not None and binding.span is not None and not before.fades:
            related = Related(before.span, Words("这里已经有这个名称", "it is declared here"))
            hint = _SET_INSTEAD if before.kind in ("input", "data") and binding.kind in ("local", "answer") else None
            self._report(finding("name/visible-twice", binding.span, related=[related], hint=hint, name=binding.name))
            # Which of the two is meant further down cannot be told, so nothing is said about its fields.
            binding = replace(binding, shape=None)
        self._resolved.bindings.append(binding)
        return scope.extended(binding)

    def _report(self, diagnostic: Diagnostic) -> None:
        self._resolved.diagnostics.append(diagnostic)

    def _shape_of(self, declared: Declared) -> Shape | None:
        if declared.run_of is not None:
            return self._shape_of_run(declared.run_of)
        return shape_of(declared.schema)

    def _shape_of_run(self, name: str) -> Shape | None:
        """Return what an input that reads an ended run holds."""
        workflow = self._workflow if name == self._workflow.name else self._documents.workflows.get(name)
        return record({"outputs": outputs_of(workflow), "id": TEXT, "run_id": TEXT}) if workflow is not None else None

    def _shape_of_rules(self, name: str) -> Shape | None:
        document = self._documents.rules.get(name)
        if document is None or not self._documents.is_whole("rules", name):
            return None
        return record({name: shape_of_kind(value) for name, value in document.values.items()})

    def _asked_once(self, step: ConfirmStep | AskStep) -> bool:
        return sum(each.name == step.name for each in all_questions(self._workflow)) == 1

    # --- head ---------------------------------------------------------------------------------------------------------

    def _head(self, scope: Scope) -> None:
        workflow = self._workflow
        for declared in (*workflow.inputs, *workflow.data):
            self._default(declared, _AT_BEGIN)
        for declared in workflow.outputs:
            self._default(declared, Scope())
            self._value(declared.value, scope, "value", expected=shape_of(declared.schema))
        for name, value, _ in workflow.every_call:
            self._value(value, scope, name)
        for name, value, _ in workflow.citation:
            self._value(value, self._unit_scope(), name)
        for name, value, _ in workflow.pools:
            self._value(value, scope, name, expected=NUMBER)
        for budget in workflow.budgets:
            self._value(budget.at_most, scope, "at_most", expected=NUMBER)
        for gate in workflow.gates:
            for condition in gate.conditions:
                self._written(condition.that, scope, "that")
                self._text(condition.message, scope, "message")
        for guarantee in workflow.guarantees:
            self._written(guarantee.condition, scope, "always" if guarantee.kind == "always" else "while")
            self._text(guarantee.message, scope, "message")
        if workflow.progress is not None:
            self._text(workflow.progress.text, scope, "text")
        self._text(workflow.questions.wait, scope, "wait")

    def _block(self, block: Block, scope: Scope) -> None:
        self._owner = block
        for declared in block.takes:
            scope = self._bind(scope, Binding(declared.name, "taken", declared.name_span, self._shape_of(declared)))
            self._default(declared, Scope())
        scope = self._steps(block.steps, scope)
        with self._behind():
            self._value(block.give, scope, "give")
        given = block.give if block.give is not None else _last_give(block.steps)
        self._resolved.gives[block.name] = shape_of_value(given, scope) if given is block.give else None
        self._owner = None

    def _state(self, state: State, scope: Scope) -> None:
        self._owner = state
        if state.progress is not None:
            self._text(state.progress.text, scope, "text")
        scope = self._steps(state.steps, scope)
        for transition in state.next:
            self._written(transition.when, scope, "when")
            self._add_condition(transition.when)
            self._value(transition.at_most, scope, "at_most", expected=NUMBER)
            self._text(transition.partial, scope, "partial")
        self._owner, self._under = None, ()

    # --- values -------------------------------------------------------------------------------------------------------

    def _written(self, written: Written | None, scope: Scope, name: str) -> None:
        if written is not None:
            self._resolved.uses.append(Use(written, scope, name, self._owner, None, self._under))

    def _text(self, value: Value | None, scope: Scope, name: str) -> None:
        """Words for people: a plain text there is never meant as a name."""
        self._value(value, scope, name, for_people=True)

    def _value(
        self,
        value: Value | None,
        scope: Scope,
        name: str,
        *,
        expected: Shape | None = None,
        for_people: bool = False,
    ) -> None:
        match value:
            case Written() | Text():
                self._resolved.uses.append(Use(value, scope, name, self._owner, expected, self._under))
            case Constant():
                kept = self._resolved.words if for_people else self._resolved.plains
                kept.append(Plain(value, scope, name, expected))
            case ListOf(items=items):
                self._compose(value, expected)
                inner = expected.item() if expected is not None else None
                for item in items:
                    self._value(item, scope, name, expected=inner, for_people=for_people)
            case MappingOf(entries=entries):
                in_words = for_people or is_bilingual(value)
                if in_words and len(entries) == 1 and not for_people:
                    self._resolved.one_language.append((entries[0][0], value.span))
                self._check_entries(value, expected)
                if not in_words:
                    self._compose(value, expected)
                if _stands_for_later(value):
                    return
                for key, part, _ in entries:
                    inner = _inside(expected, key)
                    self._value(part, scope, f".{key}", expected=inner, for_people=in_words)
            case EachOf():
                inner_scope = self._each_value(value, scope)
                inner = expected.item() if expected is not None and not value.flat else None
                with self._when(value.where):
                    self._value(value.give, inner_scope, "give", expected=inner, for_people=for_people)
            case ChooseOf(branches=branches):
                with self._when():
                    for branch in branches:
                        self._written(branch.when, scope, "when")
                        self._add_condition(branch.when)
                        self._value(branch.give, scope, "give", expected=expected, for_people=for_people)

    def _default(self, declared: Declared, scope: Scope) -> None:
        """Add a first value; one that is computed is there whole from the beginning, as any other value is."""
        name = "default" if isinstance(declared.default, Constant) else "value"
        self._value(declared.default, scope, name, expected=shape_of(declared.schema))

    def _compose(self, value: ListOf | MappingOf, expected: Shape | None) -> None:
        if expected is not None:
            self._resolved.composed.append((value, expected))

    def _check_entries(self, value: MappingOf, expected: Shape | None) -> None:
        if expected is None or _stands_for_later(value):
            return
        for key, _, span in value.entries:
            found = expected.field(key)
            if isinstance(found, Missing):
                self._resolved.written.append((key, found, span))

    def _entries(self, value: Value, scope: Scope, name: str, expected: Shape | None) -> None:
        """Walk arguments; which of them are taken at all is for the checks of calls."""
        if not isinstance(value, MappingOf):
            self._value(value, scope, name, expected=expected)
            return
        for key, part, _ in value.entries:
            self._value(part, scope, key, expected=_inside(expected, key))

    def _each_value(self, value: EachOf, scope: Scope) -> Scope:
        self._written(value.rows, scope, "in")
        for binding in loop_bindings(value.name, value.rows, value.index, value, scope):
            scope = self._bind(scope, binding)
        self._written(value.where, scope, "where")
        return scope

    def _path(self, path: Path, scope: Scope, name: str, value: Value | None) -> Shape | None:
        self._resolved.targets.append(Target(path, scope, name, value))
        for segment in path.segments:
            if isinstance(segment, Written):
                self._written(segment, scope, "[…]")
        return shape_of_path(path, scope)

    def _assignments(self, assignments: Iterable[Assignment], scope: Scope, name: str) -> None:
        for assignment in assignments:
            expected = self._path(assignment.path, scope, name, assignment.value)
            self._value(assignment.value, scope, name, expected=expected)

    # --- steps --------------------------------------------------------------------------------------------------------

    def _steps(self, steps: tuple[AnyStep, ...], scope: Scope) -> Scope:
        """Walk a list of steps; return the scope at its end."""
        with self._when():
            for step in steps:
                self._resolved.visits.append(Visit(step, scope, self._owner, self._around, steps))
                self._written(step.when, scope, "when")
                with self._when(step.when):
                    scope = self._step(step, scope)
                if isinstance(step, MoveOnStep | FailStep | GiveStep):
                    self._add_condition(step.when)  # whoever comes further knows how it came out
            self._at_end = self._under
        return scope

    @contextmanager
    def _behind(self) -> Iterator[None]:
        """Take note of what is known at the end of the steps that were walked last."""
        before, self._under = self._under, self._at_end
        yield
        self._under = before

    @contextmanager
    def _when(self, *conditions: Written | None) -> Iterator[None]:
        """Take note of conditions for everything that is walked inside."""
        before = self._under
        for condition in conditions:
            self._add_condition(condition)
        yield
        self._under = before

    def _add_condition(self, condition: Written | None) -> None:
        if condition is not None:
            self._under = (*self._under, condition)

    def _inner(self, step: AnyStep, steps: tuple[AnyStep, ...], scope: Scope) -> Scope:
        before = self._around
        self._around = (*before, step)
        scope = self._steps(steps, scope)
        self._around = before
        return scope

    def _step(self, step: AnyStep, scope: Scope) -> Scope:
        match step:
            case SetStep():
                self._assignments(step.assignments, scope, "set")
            case LetStep():
                return self._let(step, scope)
            case CallStep():
                return self._call(step, scope)
            case EachStep():
                return self._each(step, scope)
            case RepeatStep():
                return self._repeat(step, scope)
            case ChooseStep():
                return self._choose(step, scope)
            case CollectStep():
                return self._collect(step, scope)
            case AdmitStep():
                return self._admit(step, scope)
            case DecideStep():
                return self._decide(step, scope)
            case UseStep():
                return self._use(step, scope)
            case SayStep():
                self._message(step.message, scope)
            case ConfirmStep():
                self._confirm(step, scope)
            case AskStep():
                self._ask(step, scope)
            case GiveStep():
                self._value(step.value, scope, "give")
            case MoveOnStep():
                self._text(step.reason, scope, "move_on")
            case FailStep():
                self._text(step.code, scope, "code")
                self._text(step.message, scope, "message")
        return scope

    def _name(self, step: AnyStep, key: str) -> Span:
        return self._resolved.loaded.places.value(step.span, key)

    def _bind_result(self, step: AnyStep, scope: Scope, key: str, name: str | None, shape: Shape | None) -> Scope:
        if name is None:
            return scope
        kind = "outcome" if key in ("outcome", "outcomes") else "answer"
        inside = self._inside(step) if key == "as" else ((), None)
        only_when = given_only_when(step, inside, self._counts)
        binding = Binding(name, kind, self._name(step, key), shape, only_when=only_when)  # type: ignore[arg-type]
        return self._bind(scope, binding)

    def _inside(self, step: AnyStep) -> tuple[tuple[AnyStep, ...], Value | None]:
        """Return the steps of the block that a `use` runs, and what the block gives."""
        if isinstance(step, UseStep):
            for block in self._workflow.blocks:
                if block.name == step.block:
                    return block.steps, block.give
        return (), None

    def _let(self, step: LetStep, scope: Scope) -> Scope:
        only_when = given_only_when(step, ((), None), self._counts)
        for name, value, span in step.values:
            self._value(value, scope, "let")
            binding = Binding(name, "local", span, shape_of_value(value, scope), only_when=only_when)
            scope = self._bind(scope, binding)
        return scope

    def _each(self, step: EachStep, scope: Scope) -> Scope:
        self._written(step.rows, scope, "in")
        self._value(step.at_once, scope, "at_once", expected=NUMBER)
        self._value(step.failures_at_most, scope, "failures_at_most")
        rows = shape_of_node(step.rows.expression.tree, scope)
        item = rows.item() if rows is not None else None
        over_data = stands_in_data(step.rows.expression.tree, scope)
        inner = self._bind(scope, Binding(step.name, "loop", step.name_span, item, over_data=over_data))
        if step.index:
            inner = self._bind(inner, Binding(step.index, "index", self._name(step, "index"), NUMBER))
        self._written(step.where, inner, "where")
        self._written(step.until, inner, "until")
        with self._when(step.where):
            self._written(step.item_key, inner, "key")
            inner = self._inner(step, step.steps, inner)
            with self._behind():
                self._value(step.give, inner, "give")
        given = shape_of_value(step.give, inner)
        scope = self._bind_result(step, scope, "as", step.bind_as, list_of(given))
        return self._bind_result(step, scope, "outcomes", step.outcomes, list_of(outcome_of(given)))

    def _repeat(self, step: RepeatStep, scope: Scope) -> Scope:
        self._value(step.at_most, scope, "at_most", expected=NUMBER)
        self._text(step.every, scope, "every")
        inner = self._bind(scope, Binding(step.name, "counter", self._name(step, "repeat"), NUMBER))
        inner = self._inner(step, step.steps, inner)
        with self._behind():
            self._written(step.until, inner, "until")
            self._value(step.give, inner, "give")
        return self._bind_result(step, scope, "as", step.bind_as, shape_of_value(step.give, inner))

    def _choose(self, step: ChooseStep, scope: Scope) -> Scope:
        given: list[Shape | None] = []
        with self._when():
            for branch in step.branches:
                self._written(branch.when, scope, "when")
                self._add_condition(branch.when)
                inner = self._inner(step, branch.steps, scope)
                with self._behind():
                    self._value(branch.give, inner, "give")
                given.append(shape_of_value(branch.give, inner) if branch.give is not None else None)
        shape = either(given) if step.branches and all(branch.give for branch in step.branches) else None
        return self._bind_result(step, scope, "as", step.bind_as, shape)

    def _collect(self, step: CollectStep, scope: Scope) -> Scope:
        target = self._path(step.target, scope, "collect", None)
        item = target.item() if target is not None else None
        self._value(step.item, scope, "item", expected=item)
        put = record({"added": BOOLEAN, "item": item})
        return self._bind_result(step, scope, "as", step.bind_as, put)

    def _admit(self, step: AdmitStep, scope: Scope) -> Scope:
        self._value(step.source, scope, "source")
        self._value(step.texts, scope, "from")
        self._value(step.longer_than, scope, "longer_than", expected=NUMBER)
        return self._bind_result(step, scope, "admit", step.bind_as, list_of(UNIT))

    def _decide(self, step: DecideStep, scope: Scope) -> Scope:
        document = self._documents.rules.get(step.document)
        wanted = shapes_of_facts(document, step.rule) if document is not None else {}
        for name, value, _ in step.facts:
            self._value(value, scope, name, expected=wanted.get(name))
        return self._bind_result(step, scope, "as", step.bind_as, self._shape_of_decision(step))

    def _shape_of_decision(self, step: DecideStep) -> Shape | None:
        document = self._documents.rules.get(step.document)
        if document is None or not self._documents.is_whole("rules", step.document):
            return None
        return shape_of_decision(document, step.rule)

    def _use(self, step: UseStep, scope: Scope) -> Scope:
        takes = {declared.name: shape_of(declared.schema) for declared in self._taken_by(step.block)}
        for name, value, _ in step.arguments:
            self._value(value, scope, name, expected=takes.get(name))
        workflow = self._documents.workflows.get(step.block)
        given = outputs_of(workflow) if workflow is not None else self._resolved.gives.get(step.block)
        scope = self._bind_result(step, scope, "as", step.bind_as, given)
        return self._bind_result(step, scope, "outcome", step.outcome, outcome_of(given))

    def _taken_by(self, name: str) -> tuple[Declared, ...]:
        block = next((block for block in self._workflow.blocks if block.name == name), None)
        if block is not None:
            return block.takes
        workflow = self._documents.workflows.get(name)
        return workflow.inputs if workflow is not None else ()

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, step: CallStep, scope: Scope) -> Scope:
        contract = self._only_contract(step)
        answer = closed(self._answer(contract)) if contract is not None else None
        self._written(step.tool.by, scope, "by")
        inside = scope
        if step.pages is not None and step.pages.walk:
            walk = Binding(step.pages.walk, "walk", self._name(step, "walk"), WALK, fades=True)
            inside = scope = self._bind(scope, walk)
        expected = shape_of(contract.input) if contract is not None else None
        self._entries(step.arguments, inside, "with", expected)
        self._limits(step, scope)
        self._judges(step, scope, answer)
        if step.pages is None:
            return self._call_results(step, scope, answer)
        given = self._walk(step, step.pages, inside, answer)
        return self._call_results(step, scope, list_of(given))

    def _call_results(self, step: CallStep, scope: Scope, answer: Shape | None) -> Scope:
        self._value(step.otherwise, scope, "otherwise")
        known = answer if step.otherwise is None else None
        scope = self._bind_result(step, scope, "as", step.bind_as, known)
        return self._bind_result(step, scope, "outcome", step.outcome, outcome_of(answer))

    def _answer(self, contract: Contract) -> Shape | None:
        """Return what an answer is once its pointers are bound: citations as this workflow declares them."""
        if pointers_in(contract.output) is None:
            return shape_of(contract.output)
        bound = shape_of(bound_schema(contract.output))
        if bound is None:
            return None
        return Shape(bound.schema, {**bound.definitions, CITATION: self._citation().schema})

    def _citation(self) -> Shape:
        fields = {name: shape_of_value(value, self._unit_scope()) for name, value, _ in self._workflow.citation}
        return record({**(fields or {"path": TEXT, "quote": TEXT}), "form": Shape({"enum": [*CITATION_FORMS]}, {})})

    def _unit_scope(self) -> Scope:
        return self._resolved.everywhere.extended(Binding("unit", "reserved", None, UNIT))

    def _only_contract(self, step: CallStep) -> Contract | None:
        """Return the contract of a call; None where several tools may be meant."""
        if step.tool.by is not None or len(step.tool.among) != 1:
            return None
        return self._contract(step.tool.among[0][1])

    def _contract(self, tool: object) -> Contract | None:
        """Return the contract of a tool; None where there is none, or its document could not be read whole."""
        is_whole = isinstance(tool, str) and self._documents.is_whole("tools", tool.partition(".")[0])
        return self._documents.tools.get(tool) if isinstance(tool, str) and is_whole else None

    def _limits(self, step: CallStep, scope: Scope) -> None:
        if step.retry is not None:
            self._value(step.retry.at_most, scope, "at_most", expected=NUMBER)
            self._text(step.retry.wait, scope, "wait")
            self._value(step.retry.factor, scope, "factor", expected=NUMBER)
        if step.repair is not None:
            self._value(step.repair.at_most, scope, "at_most", expected=NUMBER)
            findings = Binding("findings", "reserved", None)
            inner = scope.extended(findings, Binding("error", "reserved", None, ERROR))
            for name, value, _ in step.repair.add:
                self._value(value, inner, name)
        self._text(step.timeout, scope, "timeout")

    def _judges(self, step: CallStep, scope: Scope, answer: Shape | None) -> None:
        inner = scope.extended(Binding("answer", "reserved", None, answer), Binding("sent", "reserved", None))
        for _, units, _ in step.bind.among if step.bind is not None else ():
            self._written(units, inner, "among")
        for judge in step.accept:
            scope = inner
            self._written(judge.rows, scope, "in")
            if judge.name and judge.rows is not None:
                rows = shape_of_node(judge.rows.expression.tree, scope)
                item = rows.item() if rows is not None else None
                span = self._resolved.loaded.places.value(judge.span, "each")
                scope = self._bind(scope, Binding(judge.name, "loop", span, item))
            self._written(judge.that, scope, "that")
            for name, value in (("at", judge.at), ("message", judge.message), ("details", judge.details)):
                self._text(value, scope, name)

    def _walk(self, step: CallStep, walk: Walk, scope: Scope, answer: Shape | None) -> Shape | None:
        self._value(walk.batch, scope, "batch", expected=NUMBER)
        self._value(walk.at_most, scope, "at_most", expected=NUMBER)
        scope = self._bind(scope, Binding(walk.page, "page", self._name(step, "pages"), answer))
        inner = self._inner(step, walk.steps, scope)
        self._assignments(walk.checkpoint, inner, "checkpoint")
        self._value(walk.give, inner, "give")
        return shape_of_value(walk.give, inner) if walk.give is not None else None

    # --- people -------------------------------------------------------------------------------------------------------

    def _message(self, message: Message | None, scope: Scope) -> None:
        if message is None:
            return
        self._text(message.done, scope, "done")
        self._text(message.next, scope, "next")
        for table in message.tables:
            self._table(table, scope)

    def _table(self, table: Table, scope: Scope) -> None:
        places = self._resolved.loaded.places
        if table.each and table.each_in is not None:
            self._written(table.each_in, scope, "in")
            item = _item_of(table.each_in, scope)
            scope = self._bind(scope, Binding(table.each, "loop", places.value(table.span, "each"), item))
        self._text(table.title, scope, "title")
        self._written(table.folded, scope, "folded")
        self._value(table.at_most, scope, "at_most", expected=NUMBER)
        self._written(table.rows, scope, "rows")
        row = Binding(table.row, "row", places.value(table.span, "row"), _item_of(table.rows, scope))
        scope = self._bind(scope, row)
        for column in table.columns:
            self._text(column.value, scope, column.name)
            self._text(column.heading, scope, column.name)

    def _confirm(self, step: ConfirmStep, scope: Scope) -> None:
        self._value(step.shows, scope, "shows")
        if step.permits is not None:
            self._permitted(step.permits.value, scope)
        self._message(step.text, scope)
        self._text(step.endings.wait, scope, "wait")
        for choice in step.choices:
            self._written(choice.when, scope, "when")
            self._text(choice.phrase, scope, "phrase")
            self._text(choice.label, scope, "label")

    def _permitted(self, value: Value, scope: Scope) -> None:
        """Walk what a confirmation permits: the arguments of an entry are those of the tool that it names."""
        match value:
            case ListOf(items=items):
                for item in items:
                    self._permitted(item, scope)
            case EachOf():
                inner = self._each_value(value, scope)
                with self._when(value.where):
                    self._permitted(value.give, inner)
            case ChooseOf(branches=branches):
                with self._when():
                    for branch in branches:
                        self._written(branch.when, scope, "when")
                        self._add_condition(branch.when)
                        self._permitted(branch.give, scope)
            case MappingOf(entries=entries):
                tool = next((part for key, part, _ in entries if key == "tool"), None)
                contract = self._contract(tool.value) if isinstance(tool, Constant) else None
                for key, part, _ in entries:
                    if key == "with" and contract is not None:
                        self._entries(part, scope, key, shape_of(contract.input))
                    else:
                        self._value(part, scope, f".{key}")
            case _:
                self._value(value, scope, "permits", expected=_PERMITTED)

    def _ask(self, step: AskStep, scope: Scope) -> None:
        self._message(step.text, scope)
        self._text(step.endings.wait, scope, "wait")
        filled: list[Binding] = []
        for each in step.form:
            # A field may depend on what was filled in above it.
            inner = scope.extended(*(binding for binding in filled if scope.get(binding.name) is None))
            self._text(each.title, inner, "title")
            self._written(each.when, inner, "when")
            self._text(each.start, inner, "start")
            self._written(each.rows, inner, "rows")
            for choice in each.choices:
                self._written(choice.when, inner, "when")
                self._text(choice.label, inner, "label")
            if each.rows is not None and each.row:
                span = self._resolved.loaded.places.value(each.span, "choices", "row")
                inner = self._bind(inner, Binding(each.row, "row", span, _item_of(each.rows, inner)))
            self._text(each.row_value, inner, "value")
            self._text(each.row_label, inner, "label")
            filled.append(Binding(each.name, "question", None))
        if step.otherwise is not None:
            self._value(step.otherwise, scope, "otherwise", expected=shape_of_answer(step))


# --- small questions --------------------------------------------------------------------------------------------------


def _stands_for_later(value: MappingOf) -> bool:
    """Say whether a mapping is `{made_by, field}`: its words name an entry and a field, nothing that stands here."""
    return {key for key, _, _ in value.entries} == {"made_by", "field"}


def is_bilingual(value: MappingOf) -> bool:
    """Whether a mapping is one text in both languages (or is meant as one)."""
    keys = {key for key, _, _ in value.entries}
    return bool(keys) and keys <= {"zh", "en"}


def stands_in_data(node: tree.Node, scope: Scope) -> bool:
    """Whether an expression is a path into declared data, so that its entries can be changed."""
    while isinstance(node, tree.Field | tree.Item):
        node = node.base
    if not isinstance(node, tree.Name):
        return False
    binding = scope.get(node.name)
    # An unknown name is reported where it is read; what was meant may well be data.
    return binding is None or binding.kind in ("input", "data") or binding.over_data


def _inside(expected: Shape | None, key: str) -> Shape | None:
    found = expected.field(key) if expected is not None else None
    return None if isinstance(found, Missing) else found


def _item_of(rows: Written, scope: Scope) -> Shape | None:
    shape = shape_of_node(rows.expression.tree, scope)
    return shape.item() if shape is not None else None


def _last_give(steps: tuple[AnyStep, ...]) -> Value | None:
    last = steps[-1] if steps else None
    return last.value if isinstance(last, GiveStep) else None

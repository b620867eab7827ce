"""One step object for each step of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from interpreter import model
from interpreter.engine import calls, judging, loops, questions, steps
from interpreter.engine.data import Declaration, Names
from interpreter.engine.frame import Condition, Evaluate, Target
from interpreter.engine.program import Program, Where
from interpreter.engine.uses import UseBlock, UseWorkflow
from interpreter.engine.walks import Walk
from interpreter.flow.marks import Marked, Owner, permits_marks, sent_marks
from interpreter.plan.messages import message_of
from interpreter.plan.shapes import problem_of
from interpreter.plan.values import Compiler, constant_of, where_of
from interpreter.ports import JsonObject
from interpreter.safety.masking import NOTHING, Marks, mask
from interpreter.static.inference import names_in
from rules.records import NamedTuple
from rules.values import ABSENT

_DEFAULT_ENDINGS = {"refused": "go_on", "timed_out": "block", "abandoned": "block"}


#: What every step has: its part of a key, its condition, its place.
_Common = tuple[str, Condition | None, Where]


class Hidden(NamedTuple):
    """The marked names of a workflow: what is masked where it is shown, and what no text may show."""

    sensitive: Marked
    private: Marked


class StepPlanner:
    """Plans the steps of one workflow.

    Shapes: `questions` collects every question by name as it is planned; `guaranteed` are the steps (`STATE.step`) that
    a guarantee speaks of.
    """

    def __init__(
        self,
        workflow: model.Workflow,
        data: Mapping[str, Declaration],
        schemas: Mapping[str, Mapping[str, Any]],
        programs: Mapping[str, Program],
        guaranteed: frozenset[str],
        hidden: Hidden,
    ) -> None:
        self._hidden = hidden
        self._marks: Marks = NOTHING
        self._workflow = workflow
        self._data = data
        self._schemas = schemas
        self._programs = programs
        self._guaranteed = guaranteed
        self._blocks = {block.name: block for block in workflow.blocks}
        self._planned: dict[str, tuple[steps.Sequence, Evaluate | None]] = {}
        self._state = ""
        self._loop_roots: dict[str, str] = {}
        self.compiler = Compiler(frozenset(data), data)
        self.questions: dict[str, questions.QuestionStep] = {}

    def enter(self, owner: Owner) -> None:
        """Take up the marked names of a state or block, or of the head of the workflow."""
        self.compiler.sensitive = self._hidden.sensitive.at(owner)
        self._marks = self.compiler.sensitive | self._hidden.private.at(owner)
        self.compiler.hidden = frozenset(mark[0] for mark in self._marks if mark[0] is not None)

    @contextmanager
    def within(self, owner: Owner) -> Iterator[None]:
        """Plan something that sees other names, then go on with those of before."""
        compiler = self.compiler
        before = compiler.sensitive, compiler.hidden, self._marks
        self.enter(owner)
        yield
        compiler.sensitive, compiler.hidden, self._marks = before

    def state(self, state: model.State) -> tuple[steps.Sequence, tuple[str, ...]]:
        """Return the steps of a state and the questions that it asks, also through the blocks that it uses."""
        self._state = state.name
        self.enter(state)
        sequence = self.sequence(state.steps)
        for step in sequence.steps:
            if f"{state.name}.{step.name}" in self._guaranteed:
                step.guaranteed = f"{state.name}.{step.name}"
        asked = (step.question for step in sequence.all_steps() if isinstance(step, questions.QuestionStep))
        return sequence, tuple(dict.fromkeys(asked))

    def sequence(self, written: tuple[model.AnyStep, ...]) -> steps.Sequence:
        planned = tuple(self._step(step) for step in written)
        return steps.Sequence(planned, tuple(_local_names(written)))

    def _step(self, step: model.AnyStep) -> steps.Step:
        compiler = self.compiler
        around, compiler.touched = compiler.touched, False
        common: Any = (step.key, compiler.optional_condition(step.when), where_of(step.span))
        planned = _PLANNERS[type(step)](self, step, common)
        planned.hides = compiler.touched
        compiler.touched = compiler.touched or around
        return planned

    # --- data ---------------------------------------------------------------------------------------------------------

    def _set(self, step: model.SetStep, common: _Common) -> steps.Step:
        return steps.Set(*common, self._assignments(step.assignments))

    def _let(self, step: model.LetStep, common: _Common) -> steps.Step:
        return steps.Let(*common, self.compiler.named(step.values))

    def _collect(self, step: model.CollectStep, common: _Common) -> steps.Step:
        target, item = self.compiler.target(step.target), self.compiler.value(step.item)
        return steps.Collect(*common, target, item, dict(step.merge), step.bind_as)

    def _admit(self, step: model.AdmitStep, common: _Common) -> steps.Step:
        from interpreter.engine.admitting import Admit  # not needed by every workflow

        compiler = self.compiler
        return Admit(
            *common,
            binds=step.bind_as,
            side=step.side,
            source=compiler.optional(step.source),
            texts=compiler.value(step.texts),
            path=_last_field(step.texts),
            longer_than=compiler.optional(step.longer_than),
        )

    def _decide(self, step: model.DecideStep, common: _Common) -> steps.Step:
        return steps.Decide(*common, step.document, step.rule, self.compiler.named(step.facts), step.bind_as)

    def _assignments(self, written: tuple[model.Assignment, ...]) -> tuple[tuple[Target, Evaluate], ...]:
        return tuple((self.compiler.target(one.path), self.compiler.value(one.value)) for one in written)

    # --- flow ---------------------------------------------------------------------------------------------------------

    def _each(self, step: model.EachStep, common: _Common) -> steps.Step:
        compiler = self.compiler
        place = compiler.place_of(step.rows)
        if place is not None:
            self._loop_roots[step.name] = self._loop_roots.get(place.root, place.root)
        return loops.Each(
            *common,
            items=loops.ItemsPlan(
                variable=step.name,
                index_variable=step.index,
                rows=compiler.rows(step.rows),
                place=self._place(step),
                where_each=compiler.optional_condition(step.where),
            ),
            pace=loops.PacePlan(
                at_once=compiler.at_once(step.at_once),
                until=compiler.optional_condition(step.until),
                failures_at_most=compiler.failures(step.failures_at_most),
            ),
            steps=self.sequence(step.steps),
            gather=loops.GatherPlan(
                give=compiler.optional(step.give),
                binds=step.bind_as,
                outcomes=step.outcomes,
                item_key=compiler.expression(step.item_key) if step.item_key is not None else None,
            ),
        )

    def _place(self, step: model.EachStep) -> Target | None:
        """Return the place of the list where the loop may change it, or what it is part of; else the items will do."""
        place = self.compiler.place_of(step.rows)
        if place is None:
            return None
        root = self._loop_roots.get(place.root, place.root)
        written = written_roots(step.steps)
        return place if written & {step.name, place.root, root, ANY_DATA} else None

    def _repeat(self, step: model.RepeatStep, common: _Common) -> steps.Step:
        compiler = self.compiler
        return loops.Repeat(
            *common,
            rounds=loops.RoundsPlan(
                variable=step.name,
                until=compiler.optional_condition(step.until),
                at_most=compiler.optional_whole(step.at_most, 0) or (lambda names: 1),
                every=compiler.seconds(step.every),
                on_end=step.otherwise,
            ),
            steps=self.sequence(step.steps),
            give=compiler.optional(step.give),
            binds=step.bind_as,
        )

    def _choose(self, step: model.ChooseStep, common: _Common) -> steps.Step:
        compiler = self.compiler
        branches = tuple(
            (
                compiler.optional_condition(branch.when),
                self.sequence(branch.steps),
                compiler.optional(branch.give),
            )
            for branch in step.branches
        )
        return steps.Choose(*common, branches, step.bind_as)

    def _give(self, step: model.GiveStep, common: _Common) -> steps.Step:
        return steps.Give(*common, self.compiler.value(step.value))

    def _move_on(self, step: model.MoveOnStep, common: _Common) -> steps.Step:
        return steps.LeaveState(*common, self.compiler.optional_shown(step.reason))

    def _fail(self, step: model.FailStep, common: _Common) -> steps.Step:
        return steps.Fail(*common, self.compiler.shown(step.code), self.compiler.optional_shown(step.message))

    def _use(self, step: model.UseStep, common: _Common) -> steps.Step:
        arguments = self.compiler.named(step.arguments)
        ends: dict[str, Any] = {"arguments": arguments, "binds": step.bind_as, "outcome": step.outcome}
        if step.block in self._blocks:
            sequence, give = self._block(step.block)
            taken = ((one.name, constant_of(one.default)) for one in self._blocks[step.block].takes)
            defaults = {name: value for name, value in taken if value is not ABSENT}
            return UseBlock(*common, steps=sequence, give=give, defaults=defaults, **ends)
        return UseWorkflow(*common, program=self._programs[step.block], **ends)

    def _block(self, name: str) -> tuple[steps.Sequence, Evaluate | None]:
        if name not in self._planned:
            block = self._blocks[name]
            with self.within(block):
                self._planned[name] = (self.sequence(block.steps), self.compiler.optional(block.give))
        return self._planned[name]

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, step: model.CallStep, common: _Common) -> steps.Step:
        compiler = self.compiler
        return calls.Call(
            *common,
            send=calls.SendPlan(
                by=compiler.expression(step.tool.by) if step.tool.by is not None else None,
                tools={value: tool for value, tool, _ in step.tool.among},
                arguments=compiler.value(step.arguments),
                needs=step.needs,
                pool=step.pool,
                timeout=compiler.seconds(step.timeout),
                marks=sent_marks(step, self._workflow, self._marks),
            ),
            repeat=calls.RepeatPlan(
                retry=self._retry(step.retry),
                repair=self._repair(step.repair),
                once_per_run=step.once_per_run,
                walk=self._walk(step.pages),
            ),
            result=calls.ResultPlan(
                accept=tuple(self._judge(judge, step.bind_as) for judge in step.accept),
                among=self._among(step.bind),
                binds=step.bind_as,
                outcome=step.outcome,
                otherwise=compiler.optional(step.otherwise),
            ),
        )

    def _retry(self, retry: model.Retry | None) -> calls.RetryPlan | None:
        if retry is None:
            return None
        compiler = self.compiler
        return calls.RetryPlan(
            frozenset(retry.errors),
            compiler.whole(retry.at_most, 0),
            compiler.seconds(retry.wait),
            compiler.factor(retry.factor),
        )

    def _among(self, bind: model.Bind | None) -> tuple[tuple[str, Evaluate], ...] | None:
        if bind is None:
            return None
        return tuple((side, self.compiler.expression(written)) for side, written, _ in bind.among)

    def _judge(self, judge: model.Judge, answer_name: str | None) -> judging.JudgePlan:
        compiler = self.compiler
        return judging.JudgePlan(
            judge.rule,
            compiler.condition(judge.that),
            judge.name,
            compiler.rows(judge.rows) if judge.rows is not None else None,
            compiler.optional(judge.at),
            compiler.optional_shown(judge.message),
            compiler.optional(judge.details),
            tuple(_places_read(judge.that, frozenset({"answer", answer_name or "answer"}))),
        )

    def _repair(self, repair: model.Repair | None) -> calls.RepairPlan | None:
        if repair is None:
            return None
        compiler = self.compiler
        return calls.RepairPlan(frozenset(repair.errors), compiler.whole(repair.at_most, 0), compiler.named(repair.add))

    def _walk(self, walk: model.Walk | None) -> Walk | None:
        if walk is None:
            return None
        compiler = self.compiler
        return Walk(
            page=walk.page,
            walk=walk.walk,
            batch=compiler.optional(walk.batch),
            at_most=compiler.optional_whole(walk.at_most, 0),
            restart_on=frozenset(walk.restart_on),
            checkpoint=self._assignments(walk.checkpoint),
            steps=self.sequence(walk.steps),
            give=compiler.optional(walk.give),
        )

    # --- people -------------------------------------------------------------------------------------------------------

    def _say(self, step: model.SayStep, common: _Common) -> steps.Step:
        return steps.Say(*common, message_of(self.compiler, step.message))

    def _confirm(self, step: model.ConfirmStep, common: _Common) -> steps.Step:
        permits = None
        if step.permits is not None:
            among = {value: tool for value, tool, _ in step.permits.among}
            permits = questions.PermitsPlan(self.compiler.value(step.permits.value), among)
        planned = questions.Confirm(
            *common,
            question=step.name,
            shows=self.compiler.optional(step.shows),
            shows_names=names_in(step.shows) if step.shows is not None else (),
            message=message_of(self.compiler, step.text),
            endings=self._endings(step.endings),
            shows_marks=self.compiler.marks(step.shows),
            permits_marks=permits_marks(step, self._workflow, self.compiler.sensitive),
            permits=permits,
            choices=tuple(self._choice(choice) for choice in step.choices),
        )
        self.questions[step.name] = planned
        return planned

    def _choice(self, choice: model.Choice) -> questions.ChoicePlan:
        compiler = self.compiler
        return questions.ChoicePlan(
            choice.id,
            choice.confirms,
            compiler.optional_condition(choice.when),
            compiler.optional(choice.phrase),
            compiler.optional_shown(choice.label),
            choice.to,
        )

    def _ask(self, step: model.AskStep, common: _Common) -> steps.Step:
        planned = questions.Ask(
            *common,
            question=step.name,
            shows=None,
            shows_names=(),
            message=message_of(self.compiler, step.text),
            endings=self._endings(step.endings),
            fields=tuple(self._field(field) for field in step.form),
            otherwise=self.compiler.optional(step.otherwise),
        )
        self.questions[step.name] = planned
        return planned

    def _endings(self, own: model.Endings) -> questions.EndingsPlan:
        common = self._workflow.questions
        actions = {
            ending: getattr(own, ending) or getattr(common, ending) or default
            for ending, default in _DEFAULT_ENDINGS.items()
        }
        return questions.EndingsPlan(actions, self.compiler.duration(own.wait or common.wait))

    def _field(self, field: model.Field) -> questions.FieldPlan:
        compiler = self.compiler
        declared: Mapping[str, Any] = self._schemas.get(field.name, {})
        schema = {**declared, **field.schema}
        fills = Target(field.name, (), field.name) if field.name in self._data else None
        hides = field.sensitive or field.name in compiler.hidden or bool(self._shown_marks(field))
        title = compiler.optional_shown(field.title)
        if title is None:
            words = next(
                (one.title for one in (*self._workflow.inputs, *self._workflow.data) if one.name == field.name),
                None,
            )
            title = compiler.optional_shown(words)
        return questions.FieldPlan(
            name=field.name,
            title=title,
            when=compiler.optional_condition(field.when),
            optional=field.optional,
            many=field.many,
            start=compiler.optional(field.start) or (_present_value(field.name) if fills is not None else None),
            choices=self._options(field),
            schema=schema,
            problem=problem_of(schema, hides) if not field.many or field.rows is None else (lambda value: None),
            fills=fills,
            hides=hides,
        )

    def _shown_marks(self, field: model.Field) -> Marks:
        """Return what is sensitive of the values that a field shows before anybody fills it."""
        marks = self.compiler.marks(field.start)
        if field.rows is not None:
            marks |= self.compiler.marks(field.row_value if field.row_value is not None else field.rows)
        return marks

    def _options(self, field: model.Field) -> Callable[[Names], list[JsonObject]] | None:
        compiler = self.compiler
        if field.rows is not None:
            rows, row = compiler.rows(field.rows), field.row or "row"
            value = compiler.optional(field.row_value)
            label = compiler.optional_shown(field.row_label)
            marks = self._shown_marks(field)

            def from_rows(names: Names) -> list[JsonObject]:
                inner = dict(names)
                result = []
                for entry in rows(names):
                    inner[row] = entry
                    chosen = value(inner) if value is not None else entry
                    result.append(
                        {"value": chosen, "label": label(inner) if label is not None else mask(chosen, marks)}
                    )
                return result

            return from_rows
        if not field.choices:
            return None
        planned = [(choice.value, self._choice(choice)) for choice in field.choices]

        def listed(names: Names) -> list[JsonObject]:
            return [
                {"value": value, "label": choice.label(names) if choice.label is not None else choice.id}
                for value, choice in planned
                if choice.when is None or choice.when(names)
            ]

        return listed


#: Stands for whatever a block may change.
ANY_DATA = "*"


def written_roots(written: tuple[model.AnyStep, ...]) -> set[str]:
    """Return the names through which steps may change data: of data, of loop variables, or ANY_DATA."""
    found: set[str] = set()
    for step in written:
        match step:
            case model.SetStep():
                found.update(one.path.root for one in step.assignments)
            case model.CollectStep():
                found.add(step.target.root)
            case model.AskStep():
                found.update(field.name for field in step.form)
            case model.UseStep():
                found.add(ANY_DATA)
            case model.CallStep() if step.pages is not None:
                found.update(one.path.root for one in step.pages.checkpoint)
                found |= written_roots(step.pages.steps)
            case model.RepeatStep():
                found |= written_roots(step.steps)
            case model.ChooseStep():
                for branch in step.branches:
                    found |= written_roots(branch.steps)
            case model.EachStep():
                inner = written_roots(step.steps)
                if step.name in inner:
                    found.update(use.name for use in step.rows.expression.names)
                found |= inner - {step.name}
            case _:
                pass
    return found


def _last_field(value: model.Value) -> str:
    """Return what a single text is called that is admitted: the field that it stands in."""
    if isinstance(value, model.Written):
        fields = [use.fields for use in value.expression.uses if use.fields]
        if len(fields) == 1 and fields[0][-1] is not None:
            return fields[0][-1]
    return "text"


def _places_read(written: model.Written, roots: frozenset[str]) -> Iterator[str]:
    """Yield the places of an answer that an expression reads, as findings name them."""
    for use in written.expression.uses:
        if use.root in roots:
            known = [name for name in takewhile(lambda name: name is not None, use.fields) if name is not None]
            if known:
                yield ".".join(known)


def _present_value(name: str) -> Evaluate:
    return lambda names: names.get(name, ABSENT)


def _local_names(written: tuple[model.AnyStep, ...]) -> list[str]:
    """Return the names that a list of steps gives to values; they are absent when the list is begun anew."""
    found: list[str] = []
    for step in written:
        if isinstance(step, model.LetStep):
            found += [name for name, _, _ in step.values]
        for attribute in ("bind_as", "outcome", "outcomes"):
            name = getattr(step, attribute, None)
            if name is not None:
                found.append(name)
        if isinstance(step, model.CallStep) and step.pages is not None:
            found += [name for name in (step.pages.page, step.pages.walk) if name is not None]
    return found


_PLANNERS: dict[type, Callable[[StepPlanner, Any, Any], steps.Step]] = {
    model.SetStep: StepPlanner._set,
    model.LetStep: StepPlanner._let,
    model.CallStep: StepPlanner._call,
    model.EachStep: StepPlanner._each,
    model.RepeatStep: StepPlanner._repeat,
    model.ChooseStep: StepPlanner._choose,
    model.CollectStep: StepPlanner._collect,
    model.AdmitStep: StepPlanner._admit,
    model.DecideStep: StepPlanner._decide,
    model.SayStep: StepPlanner._say,
    model.ConfirmStep: StepPlanner._confirm,
    model.AskStep: StepPlanner._ask,
    model.UseStep: StepPlanner._use,
    model.GiveStep: StepPlanner._give,
    model.MoveOnStep: StepPlanner._move_on,
    model.FailStep: StepPlanner._fail,
}

"""Where values that are marked `private` or `sensitive` may come to, found without running anything.

Names begin marked by their declaration, and pass it on through whatever is computed from them; what merely counts them
or asks a question of them (a count, a comparison, a test) is free. Names count for all of a state or a block, whatever
the order of its steps. What a run keeps of a call (`sent`, `attempts`) is marked like its arguments; so is what a read
answers to private data. The receipt of a write is not, nor is any answer to a sensitive value, which may be no more
than the password of a service. Marks are paths, see `masking`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from interpreter import model
from interpreter.documents.loading import Documents
from interpreter.safety.masking import NOTHING, WHOLE, Mark, Marks, below
from interpreter.source import Place
from interpreter.steps import steps_inside
from rules.expr import Expression, tree
from rules.ready import For, If
from rules.records import NamedTuple

Word = Literal["private", "sensitive"]
Owner = model.State | model.Block | None
#: Marks end here; a longer path is marked as a whole from this depth on.
_DEEPEST = 4
_COUNTS = frozenset({"count", "length"})
_SAME_ENTRIES = frozenset(
    {"where", "where_not", "where_missing", "take", "skip", "unique", "sort", "changed", "last_of_each"}
    | {"first", "last", "only", "find", "default", "or_else"}
)


class Found(NamedTuple):
    """An expression that hands out something marked, and the part of it that does."""

    place: Place
    start: int
    end: int
    name: str


class Marked:
    """The marked names of one workflow, for one word."""

    def __init__(self) -> None:
        self.everywhere: set[Mark] = set()
        self.local: dict[str, set[Mark]] = {}

    def at(self, owner: Owner) -> Marks:
        """Return the marks of all names that steps of a state or block may see; of no owner, those of the head."""
        return frozenset(self.everywhere | self.local.get(key_of(owner), set()))


def key_of(owner: Owner) -> str:
    if owner is None:
        return ""
    return f"{'state' if isinstance(owner, model.State) else 'block'} {owner.name}"


def marked_in(documents: Documents, workflow: model.Workflow, word: Word) -> Marked:
    """Return what is marked in a workflow."""
    flow = _Flow(documents, workflow, word, (), {})
    flow.run()
    return flow.marked


def outputs_marked(workflow: model.Workflow, marks: Marks, word: Word) -> dict[str, Marks]:
    """Return the marks of each output: the whole of a declared one, else what its value says."""
    found = {}
    for output in workflow.outputs:
        if getattr(output, word):
            found[output.name] = WHOLE
        elif output.value is not None and (own := marks_of(output.value, marks)):
            found[output.name] = own
    return found


def owned_steps(workflow: model.Workflow) -> Iterator[tuple[model.State | model.Block, model.AnyStep]]:
    """Yield every step with the state or block that it stands in."""
    for block in workflow.blocks:
        yield from ((block, step) for step in steps_inside(block.steps))
    for state in workflow.states:
        yield from ((state, step) for step in steps_inside(state.steps))


# --- what one value hands out -----------------------------------------------------------------------------------------


def marks_of(value: model.Value | None, marks: Marks) -> Marks:
    """Return the marks of a value that is written in terms of marked names."""
    if not marks:
        return NOTHING
    match value:
        case model.Written(expression=expression):
            return marks_of_node(expression.tree, marks)
        case model.Text(template=template):
            if template.single is not None:
                return marks_of_node(template.single.tree, marks)
            return WHOLE if any(True for _ in _holes(template.parts, marks)) else NOTHING
        case model.ListOf(items=items):
            return _union(marks_of(item, marks) for item in items)
        case model.MappingOf(entries=entries):
            return _union(_under(name, marks_of(part, marks)) for name, part, _ in entries)
        case model.EachOf():
            return marks_of(value.give, inside_each(value, marks))
        case model.ChooseOf(branches=branches):
            return _union(marks_of(branch.give, marks) for branch in branches)
    return NOTHING


def inside_each(value: model.EachOf, marks: Marks) -> Marks:
    """Return the marks of names inside an `each` that stands where a value stands."""
    return _bound(marks, value.name, marks_of_node(value.rows.expression.tree, marks))


def marks_of_node(node: tree.Node, marks: Marks) -> Marks:
    """Return the marks of the value of an expression, by the marks of the names in it."""
    match node:
        case tree.Name() | tree.Field() | tree.Item():
            return _marks_of_path(node, marks)
        case tree.Constant() | tree.Comparison() | tree.Logic() | tree.Not():
            return NOTHING
        case tree.ListOf(items=items):
            return _union(marks_of_node(item, marks) for item in items)
        case tree.MappingOf(entries=entries):
            return _union(_under(name, marks_of_node(part, marks)) for name, part in entries)
        case tree.Choice(then=then, otherwise=otherwise):
            return marks_of_node(then, marks) | marks_of_node(otherwise, marks)
        case tree.Apply():
            return _marks_of_apply(node, marks)
    return WHOLE if any(marks_of_node(child, marks) for child in tree.children(node)) else NOTHING


def _marks_of_apply(node: tree.Apply, marks: Marks) -> Marks:
    function = node.function
    if function.name in _COUNTS or function.kind == "test" or function.result == ("boolean",):
        return NOTHING
    arguments = [*node.positional, *(value for _, value in node.keywords)]
    subject = marks_of_node(node.subject, marks) if node.subject is not None else NOTHING
    if function.name in ("default", "or_else"):
        return subject | _union(marks_of_node(part, marks) for part in arguments)
    if any(marks_of_node(part, marks) for part in arguments):
        return WHOLE
    fields = {part.value for part in node.positional if isinstance(part, tree.Constant)}
    if function.name == "without":
        return frozenset(mark for mark in subject if mark[:1] == () or mark[0] not in fields)
    if function.name == "pick":
        return frozenset(mark for mark in subject if mark[:1] == () or mark[0] is None or mark[0] in fields)
    if function.name == "pluck" and len(fields) == 1:
        return below((str(*fields),), subject)
    if function.name in _SAME_ENTRIES:
        return subject
    return WHOLE if subject else NOTHING


def _marks_of_path(node: tree.Node, marks: Marks) -> Marks:
    """Return the marks of `a.b[c].d`; the marked key of an entry marks what is found by it."""
    fields: list[str | None] = []
    while isinstance(node, tree.Field | tree.Item):
        if isinstance(node, tree.Item):
            if marks_of_node(node.key, marks):
                return WHOLE
            fields.append(None)
        else:
            # In brackets a text may be the key of an entry of a list as well as a field.
            fields.append(None if node.brackets else node.name)
        node = node.base
    if isinstance(node, tree.Name):
        return below((node.name, *reversed(fields)), marks)
    return below(tuple(reversed(fields)), marks_of_node(node, marks))


def found_in(value: model.Value | None, marks: Marks) -> Iterator[Found]:
    """Yield every expression of a text or value that hands out something marked."""
    match value:
        case model.Written(expression=expression, place=place):
            yield from _found(expression, marks, place)
        case model.Text(template=template, place=place):
            for expression, inner in _holes(template.parts, marks):
                yield from _found(expression, inner, place)
        case model.ListOf(items=items):
            for item in items:
                yield from found_in(item, marks)
        case model.MappingOf(entries=entries):
            for _, part, _ in entries:
                yield from found_in(part, marks)
        case model.EachOf():
            yield from found_in(value.give, inside_each(value, marks))
        case model.ChooseOf(branches=branches):
            for branch in branches:
                yield from found_in(branch.give, marks)


def _found(expression: Expression, marks: Marks, place: Place) -> Iterator[Found]:
    if not marks_of_node(expression.tree, marks):
        return
    node = _innermost(expression.tree, marks)
    yield Found(place, node.start, node.end, expression.text[node.start : node.end])


def _innermost(node: tree.Node, marks: Marks) -> tree.Node:
    """Return the smallest part of an expression that hands out something marked."""
    if isinstance(node, tree.Name | tree.Field | tree.Item):
        return node
    inside = (child for child in tree.children(node) if marks_of_node(child, marks))
    child = next(inside, None)
    return _innermost(child, marks) if child is not None else node


def _holes(parts: Sequence[object], marks: Marks) -> Iterator[tuple[Expression, Marks]]:
    """Yield the holes of a text that hand out something marked; conditions and rows of loops are not handed out."""
    for part in parts:
        if isinstance(part, Expression):
            if marks_of_node(part.tree, marks):
                yield part, marks
        elif isinstance(part, If):
            for _, body in part.branches:
                yield from _holes(body, marks)
            yield from _holes(part.otherwise, marks)
        elif isinstance(part, For):
            yield from _holes(part.body, _bound(marks, part.name.name, marks_of_node(part.rows.tree, marks)))


def inside_for(marks: Marks, name: str, rows: Expression) -> Marks:
    return _bound(marks, name, marks_of_node(rows.tree, marks))


def _bound(marks: Marks, name: str, own: Marks) -> Marks:
    """Return the marks with one name bound anew."""
    return frozenset(mark for mark in marks if mark[:1] != (name,)) | _under(name, own)


def _under(name: str | None, marks: Marks) -> Marks:
    return frozenset((name, *mark)[:_DEEPEST] for mark in marks)


def _union(parts: Iterable[Marks]) -> Marks:
    return frozenset[Mark]().union(*parts)


# --- what flows where -------------------------------------------------------------------------------------------------


class _Flow:
    """How marks pass through one workflow.

    Shapes: `inside` are the workflows whose outputs are being looked at; `known` the outputs of those that were looked
    at to the end; `is_cut` says that one was not, since it is being looked at itself.
    """

    def __init__(
        self,
        documents: Documents,
        workflow: model.Workflow,
        word: Word,
        inside: tuple[str, ...],
        known: dict[str, dict[str, Marks]],
    ) -> None:
        self.marked = Marked()
        self.is_cut = False
        self._known = known
        self._documents = documents
        self._workflow = workflow
        self._word: Word = word
        self._inside = (*inside, workflow.name)
        self._blocks = {block.name: block for block in workflow.blocks}
        self._data = {one.name for one in (*workflow.inputs, *workflow.data)}
        self._booleans = {one.name for one in (*workflow.inputs, *workflow.data) if _is_boolean(one.schema)}
        # What is declared `private: false` is meant for whoever reads it: the mark ends there.
        self._released = {one.name for one in workflow.data if one.released and word == "private"}
        self._stands: dict[tuple[str, str], str] = {}
        self._owner: Owner = None
        self._changed = True

    def run(self) -> None:
        """Pass marks on until no step adds one; their number is bounded by the names and their depth."""
        self._declared()
        while self._changed:
            self._changed = False
            for owner, step in owned_steps(self._workflow):
                self._owner = owner
                self._step(step)

    def _declared(self) -> None:
        for declared in (*self._workflow.inputs, *self._workflow.data):
            if self._is_marked(declared):
                self.marked.everywhere.add((declared.name,))
            if declared.run_of is not None:
                for name, marks in self._outputs(declared.run_of).items():
                    self.marked.everywhere |= {(declared.name, "outputs", name, *mark)[:_DEEPEST] for mark in marks}
        for block in self._workflow.blocks:
            for declared in block.takes:
                if self._is_marked(declared):
                    self.marked.local.setdefault(key_of(block), set()).add((declared.name,))

    def _is_marked(self, declared: model.Declared) -> bool:
        return bool(getattr(declared, self._word))

    def _outputs(self, name: str) -> dict[str, Marks]:
        """Return the marks of the outputs of another workflow; one that is being looked at says what it declares."""
        workflow = self._workflow if name == self._workflow.name else self._documents.workflows.get(name)
        if workflow is None:
            return {}
        if name in self._inside:
            self.is_cut = True
            return outputs_marked(workflow, NOTHING, self._word)
        if name in self._known:
            return self._known[name]
        flow = _Flow(self._documents, workflow, self._word, self._inside, self._known)
        flow.run()
        outputs = outputs_marked(workflow, flow.marked.at(None), self._word)
        if flow.is_cut:
            self.is_cut = True
        else:
            self._known[name] = outputs
        return outputs

    # --- adding -------------------------------------------------------------------------------------------------------

    @property
    def _marks(self) -> Marks:
        return self.marked.at(self._owner)

    def _name(self, name: str | None, marks: Marks, *, owner: Owner = None) -> None:
        """Mark a name that is known in a state or block."""
        if name is not None and marks:
            self._add(self.marked.local.setdefault(key_of(owner or self._owner), set()), _under(name, marks))

    def _everywhere(self, name: str, marks: Marks) -> None:
        if name in self._booleans or name in self._released:
            return
        self._add(self.marked.everywhere, _under(name, marks))

    def _add(self, known: set[Mark], more: Marks) -> None:
        new = {mark for mark in more if not any(mark[:length] in known for length in range(1, len(mark) + 1))}
        if new:
            known |= new
            self._changed = True

    def _path(self, path: model.Path, marks: Marks) -> None:
        """Mark what is stored at a path: in data, and in the list that a loop's name stands for a place in."""
        if not marks:
            return
        for segment in reversed(path.segments):
            marks = _under(segment if isinstance(segment, str) else None, marks)
        if path.root in self._data:
            self._everywhere(path.root, marks)
            return
        self._name(path.root, marks)
        data = self._stands.get((key_of(self._owner), path.root))
        if data is not None:
            self._everywhere(data, WHOLE)

    # --- steps --------------------------------------------------------------------------------------------------------

    def _step(self, step: model.AnyStep) -> None:
        marks = self._marks
        match step:
            case model.SetStep():
                for one in step.assignments:
                    self._path(one.path, marks_of(one.value, marks))
            case model.LetStep():
                for name, value, _ in step.values:
                    self._name(name, marks_of(value, marks))
            case model.CallStep():
                self._call(step, marks)
            case model.EachStep():
                self._each(step, marks)
            case model.RepeatStep():
                self._name(step.bind_as, self._given(step.steps, step.give, marks))
            case model.ChooseStep():
                for branch in step.branches:
                    self._name(step.bind_as, self._given(branch.steps, branch.give, marks))
            case model.CollectStep():
                self._path(step.target, marks_of(step.item, marks))
                segments = tuple(part if isinstance(part, str) else None for part in step.target.segments)
                self._name(step.bind_as, _under("item", below((step.target.root, *segments), self._marks)))
            case model.AdmitStep():
                self._name(step.bind_as, _whole(marks_of(value, marks) for value in (step.texts, step.source)))
            case model.DecideStep():
                self._name(step.bind_as, _whole(marks_of(value, marks) for _, value, _ in step.facts))
            case model.UseStep():
                self._use(step, marks)
            case model.SayStep():
                self._message(step.message, marks)
            case model.ConfirmStep():
                self._message(step.text, marks)
                self._everywhere(step.name, _under("shown", marks_of(step.shows, marks)))
            case model.AskStep():
                self._ask(step, marks)

    def _given(self, steps: tuple[model.AnyStep, ...], give: model.Value | None, marks: Marks) -> Marks:
        """Return the marks of what a list of steps hands out, also by a `give` further inside."""
        inner = (step.value for step in steps_inside(steps) if isinstance(step, model.GiveStep))
        return _union(marks_of(value, marks) for value in (give, *inner))

    def _call(self, step: model.CallStep, marks: Marks) -> None:
        sent = sent_marks(step, self._workflow, marks)
        if sent:
            self._name(step.outcome, _under("sent", sent) | _under("attempts", WHOLE))
        answer = self._answer(step) if self._word == "private" and marks_of(step.arguments, marks) else NOTHING
        if step.bind is not None:
            answer |= _whole(marks_of(units, marks) for _, units, _ in step.bind.among)
        self._name(step.outcome, _under("value", answer))
        self._name(step.bind_as, answer | marks_of(step.otherwise, marks))
        seen = marks | _under("sent", sent) | _under("answer", answer)
        for judge in step.accept:
            self._name(judge.name, marks_of(judge.rows, seen))
            kept = _union(marks_of(value, seen) for value in (judge.at, judge.message, judge.details))
            self._name(step.outcome, _under("error", _whole([kept])))
        if step.pages is not None:
            self._name(step.pages.page, answer)
            given = self._given(step.pages.steps, step.pages.give, self._marks)
            self._name(step.bind_as, given)
            self._name(step.outcome, _under("value", given))
            for one in step.pages.checkpoint:
                self._path(one.path, marks_of(one.value, marks))

    def _answer(self, step: model.CallStep) -> Marks:
        """Return the marks of what a read answers to marked arguments: all its fields that are not true or false."""
        contracts = (self._documents.tools.get(tool) for _, tool, _ in step.tool.among)
        marks: Marks = NOTHING
        for contract in contracts:
            if contract is not None and contract.effect == "read":
                fields = contract.output.get("properties")
                known = fields if isinstance(fields, Mapping) else {}
                named = frozenset[Mark]((name,) for name, schema in known.items() if not _is_boolean(schema))
                marks |= named if known else WHOLE
        return marks

    def _each(self, step: model.EachStep, marks: Marks) -> None:
        rows = marks_of(step.rows, marks)
        self._name(step.name, rows)
        root = _root_of(step.rows.expression.tree)
        owner = key_of(self._owner)
        if root is not None:
            self._stands[owner, step.name] = self._stands.get((owner, root), root)
        given = self._given(step.steps, step.give, marks)
        self._name(step.bind_as, given)
        key = marks_of(step.item_key, marks)
        self._name(step.outcomes, _under("value", given) | _under("key", key))

    def _use(self, step: model.UseStep, marks: Marks) -> None:
        block = self._blocks.get(step.block)
        if block is None:
            given = _union(_under(name, part) for name, part in self._outputs(step.block).items())
        else:
            for name, value, _ in step.arguments:
                self._name(name, marks_of(value, marks), owner=block)
            given = self._given(block.steps, block.give, self.marked.at(block))
        self._name(step.bind_as, given)
        self._name(step.outcome, _under("value", given))

    def _message(self, message: model.Message | None, marks: Marks) -> None:
        for table in message.tables if message is not None else ():
            if table.each is not None and table.each_in is not None:
                self._name(table.each, marks_of(table.each_in, marks))
            self._name(table.row, marks_of(table.rows, self._marks))

    def _ask(self, step: model.AskStep, marks: Marks) -> None:
        self._message(step.text, marks)
        self._everywhere(step.name, marks_of(step.otherwise, marks))
        for field in step.form:
            if field.rows is not None:
                self._name(field.row, marks_of(field.rows, marks))
            filled = self._marks_of_field(field)
            self._everywhere(step.name, _under(field.name, filled))
            if field.name in self._data:
                self._everywhere(field.name, filled)

    def _marks_of_field(self, field: model.Field) -> Marks:
        marks = self._marks
        if (field.sensitive and self._word == "sensitive") or below((field.name,), marks):
            return WHOLE
        chosen = field.row_value if field.row_value is not None else field.rows
        return marks_of(chosen, marks) if field.rows is not None else marks_of(field.start, marks)


def sent_marks(step: model.CallStep, workflow: model.Workflow, marks: Marks) -> Marks:
    """Return the marks of the arguments of a call, those that `every_call` adds among them."""
    added = _union(_under(name, marks_of(value, marks)) for name, value, _ in workflow.every_call)
    return marks_of(step.arguments, marks) | added


def permits_marks(step: model.ConfirmStep, workflow: model.Workflow, marks: Marks) -> Marks:
    """Return the marks of the calls that a confirmation permits."""
    if step.permits is None:
        return NOTHING
    added = _union(_under(name, marks_of(value, marks)) for name, value, _ in workflow.every_call)
    return marks_of(step.permits.value, marks) | _under("with", added)


def _root_of(node: tree.Node) -> str | None:
    """Return the name that a path begins with, None for what is no path."""
    while isinstance(node, tree.Field | tree.Item):
        node = node.base
    return node.name if isinstance(node, tree.Name) else None


def _is_boolean(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "boolean"


def _whole(parts: Iterable[Marks]) -> Marks:
    return WHOLE if any(parts) else NOTHING


# --- what people read -------------------------------------------------------------------------------------------------


class Shown(NamedTuple):
    """A value that people read. Shapes: `kind` is text, phrase, start or decided."""

    value: model.Value
    owner: Owner
    kind: Literal["text", "phrase", "start", "decided"] = "text"


def shown_in(workflow: model.Workflow) -> Iterator[Shown]:
    """Yield every text and value of a workflow that people read."""
    head = [condition.message for gate in workflow.gates for condition in gate.conditions]
    head += [guarantee.message for guarantee in workflow.guarantees]
    head.append(workflow.progress.text if workflow.progress is not None else None)
    yield from _texts(None, head)
    for owner, step in owned_steps(workflow):
        yield from _of_step(step, owner)
    for state in workflow.states:
        yield from _texts(state, (transition.partial for transition in state.next))
        yield from _texts(state, [state.progress.text if state.progress is not None else None])


def _texts(owner: Owner, values: Iterable[model.Value | None]) -> Iterator[Shown]:
    return (Shown(value, owner) for value in values if value is not None)


def _of_step(step: model.AnyStep, owner: Owner) -> Iterator[Shown]:
    match step:
        case model.SayStep():
            yield from _texts(owner, _of_message(step.message))
        case model.ConfirmStep():
            yield from _texts(owner, _of_message(step.text))
            yield from _of_choices(step.choices, owner)
            decided = (step.shows, step.permits.value if step.permits is not None else None)
            yield from (Shown(value, owner, "decided") for value in decided if value is not None)
        case model.AskStep():
            yield from _texts(owner, _of_message(step.text))
            for field in step.form:
                values = (field.title, field.row_label, field.row_value)
                yield from _texts(owner, values)
                if field.rows is not None and field.row_value is None:
                    yield Shown(field.rows, owner)
                yield from _of_choices(field.choices, owner)
                if field.start is not None:
                    yield Shown(field.start, owner, "start")
        case model.CallStep():
            yield from _texts(owner, (judge.message for judge in step.accept))
        case model.MoveOnStep():
            yield from _texts(owner, [step.reason])
        case model.FailStep():
            yield from _texts(owner, [step.code, step.message])


def _of_choices(choices: tuple[model.Choice, ...], owner: Owner) -> Iterator[Shown]:
    for choice in choices:
        if choice.phrase is not None:
            yield Shown(choice.phrase, owner, "phrase")
        yield from _texts(owner, [choice.label])


def _of_message(message: model.Message | None) -> Iterator[model.Value | None]:
    if message is None:
        return
    yield from (message.done, message.next)
    for table in message.tables:
        yield table.title
        for column in table.columns:
            yield from (column.value, column.heading)

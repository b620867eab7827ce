"""Documents as records: what `parse` makes of located YAML; no behaviour.

Expressions and texts are kept as written, with their place; `resolve` and `check` read them, `plan` compiles them.
Every record carries the span of the node that it was made from. An empty tuple or None means that the document does
not say it; defaults of the language are filled in by `plan`, not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from interpreter.source import Place, Span
from rules.expr import Expression, Template
from rules.records import record

#: The first key of a document, which says what it is.
DOCUMENT_KINDS = ("workflow", "rules", "tools", "types", "profile", "tests")
Effect = Literal["read", "write", "destructive"]

# --- values -----------------------------------------------------------------------------------------------------------


@record
class Written:
    """A bare expression as it stands in the document. `place` maps its characters to the document."""

    expression: Expression
    place: Place


@record
class Constant:
    """A value without a hole in it, kept as it is."""

    value: object
    span: Span


@record
class Text:
    """A text with holes. A text that is exactly one hole keeps the native value."""

    template: Template
    place: Place


@record
class ListOf:
    items: tuple[Value, ...]
    span: Span


@record
class MappingOf:
    entries: tuple[tuple[str, Value, Span], ...]
    span: Span


@record
class EachOf:
    """`{each: name, in: list, where:, index:, give: value}` where a value stands."""

    name: str
    rows: Written
    where: Written | None
    index: str | None
    flat: bool
    give: Value
    span: Span
    name_span: Span


@record
class BranchOf:
    when: Written | None
    give: Value
    span: Span


@record
class ChooseOf:
    """`{choose: [{when:, give:}, …]}` where a value stands; a branch without `when` always holds."""

    branches: tuple[BranchOf, ...]
    span: Span


Value = Constant | Text | Written | ListOf | MappingOf | EachOf | ChooseOf


def span_of(value: Value) -> Span:
    """Return where a value is written."""
    return value.place.span if isinstance(value, Text | Written) else value.span


# --- paths ------------------------------------------------------------------------------------------------------------


@record
class Path:
    """`name(.field|[expression])*`, the left side of `set` and `checkpoint`, the target of `collect`.

    Shapes: a segment is a field's name, or the expression between brackets.
    """

    root: str
    segments: tuple[str | Written, ...]
    place: Place


# --- steps ------------------------------------------------------------------------------------------------------------


@record(kw_only=True)
class Step:
    """What all steps have. `key` names the step in keys: its `id`, else the verb and its ordinal in the block."""

    id: str | None
    key: str
    when: Written | None
    span: Span
    verb_span: Span


@record(kw_only=True)
class Assignment:
    path: Path
    value: Value


@record(kw_only=True)
class SetStep(Step):
    assignments: tuple[Assignment, ...]


@record(kw_only=True)
class LetStep(Step):
    values: tuple[tuple[str, Value, Span], ...]


@record
class ToolChoice:
    """A tool named outright (`by` is None, one entry), or chosen by a value from a closed list."""

    by: Written | None
    among: tuple[tuple[str, str, Span], ...]
    span: Span


@record
class Retry:
    errors: tuple[str, ...]
    at_most: Value
    wait: Value | None
    factor: Value | None
    span: Span


@record
class Judge:
    """One rule of `accept`: `that` must hold (for each `name` in `rows`, where given)."""

    rule: str
    that: Written
    name: str | None
    rows: Written | None
    at: Value | None
    message: Value | None
    details: Value | None
    span: Span


@record
class Bind:
    """The judge `bind` of `accept`: the units among which pointers are looked up, by side."""

    among: tuple[tuple[str, Written, Span], ...]
    span: Span


@record
class Repair:
    errors: tuple[str, ...]
    at_most: Value
    add: tuple[tuple[str, Value, Span], ...]
    span: Span


@record
class Walk:
    """`pages:` of a call. `page` names the page, `walk` the record of the walk."""

    page: str
    walk: str | None
    batch: Value | None
    at_most: Value | None
    restart_on: tuple[str, ...]
    checkpoint: tuple[Assignment, ...]
    steps: tuple[AnyStep, ...]
    give: Value | None
    span: Span


@record(kw_only=True)
class CallStep(Step):
    tool: ToolChoice
    arguments: Value
    bind_as: str | None
    outcome: str | None
    otherwise: Value | None
    needs: str | None
    retry: Retry | None
    accept: tuple[Judge, ...]
    bind: Bind | None
    repair: Repair | None
    pool: str | None
    once_per_run: bool
    timeout: Value | None
    pages: Walk | None


@record(kw_only=True)
class EachStep(Step):
    """`at_once` is None in order, 0 for `all`, else the number of bodies in flight."""

    name: str
    rows: Written
    where: Written | None
    index: str | None
    item_key: Written | None
    until: Written | None
    at_once: Value | None
    failures_at_most: Value | None
    steps: tuple[AnyStep, ...]
    give: Value | None
    bind_as: str | None
    outcomes: str | None
    name_span: Span


@record(kw_only=True)
class RepeatStep(Step):
    name: str
    until: Written | None
    at_most: Value | None
    every: Value | None
    otherwise: Literal["go_on", "block"]
    steps: tuple[AnyStep, ...]
    give: Value | None
    bind_as: str | None


@record
class Branch:
    when: Written | None
    steps: tuple[AnyStep, ...]
    give: Value | None
    span: Span


@record(kw_only=True)
class ChooseStep(Step):
    branches: tuple[Branch, ...]
    bind_as: str | None


@record(kw_only=True)
class CollectStep(Step):
    """`merge` maps a field to union, min, max or last; other fields keep what the first entry said."""

    target: Path
    item: Value
    merge: Mapping[str, str]
    bind_as: str | None


@record(kw_only=True)
class AdmitStep(Step):
    """Text that was read becomes units of evidence, a list under the name `bind_as`."""

    bind_as: str
    side: str
    source: Value | None
    texts: Value
    longer_than: Value | None


@record(kw_only=True)
class DecideStep(Step):
    document: str
    rule: str
    facts: tuple[tuple[str, Value, Span], ...]
    bind_as: str | None
    rule_span: Span


@record
class Column:
    """`heading` is None where the column is headed by its name."""

    name: str
    value: Value
    span: Span
    heading: Value | None = None


@record
class Table:
    """One table of a message; with `each` one table for each row of a list."""

    title: Value | None
    rows: Written
    row: str
    columns: tuple[Column, ...]
    folded: Written | None
    at_most: Value | None
    each: str | None
    each_in: Written | None
    span: Span


@record
class Message:
    """The parts of what a person reads: what is done, what comes next, whether that writes."""

    done: Value | None
    next: Value | None
    writes: bool | None
    tables: tuple[Table, ...]
    span: Span


@record(kw_only=True)
class SayStep(Step):
    message: Message


@record
class Endings:
    """What each ending of a question does: `block`, `go_on`, or the state it leads to. None: the default applies."""

    refused: str | None = None
    timed_out: str | None = None
    abandoned: str | None = None
    wait: Value | None = None


@record
class Choice:
    """One answer to choose. Shapes: `value` is what a field of a form gets, with its own kind; `id` is its text."""

    id: str
    confirms: bool
    when: Written | None
    phrase: Value | None
    label: Value | None
    to: str | None
    span: Span
    value: object = None


@record
class Permits:
    """The exact calls that a confirming answer permits: a list value of `{id, tool, with}`."""

    value: Value
    among: tuple[tuple[str, str, Span], ...]
    span: Span


@record(kw_only=True)
class ConfirmStep(Step):
    name: str
    name_span: Span
    shows: Value | None
    permits: Permits | None
    text: Message | None
    choices: tuple[Choice, ...]
    endings: Endings


@record
class Field:
    """One field of a form. `schema` is what stands there beside the words below, or of the data of the same name."""

    name: str
    title: Value | None
    when: Written | None
    optional: bool
    many: bool
    start: Value | None
    rows: Written | None
    row: str | None
    row_value: Value | None
    row_label: Value | None
    choices: tuple[Choice, ...]
    schema: Mapping[str, object]
    span: Span
    sensitive: bool = False


@record(kw_only=True)
class AskStep(Step):
    name: str
    name_span: Span
    text: Message | None
    form: tuple[Field, ...]
    otherwise: Value | None
    endings: Endings


@record(kw_only=True)
class UseStep(Step):
    """`block` is a block of this workflow, or a workflow of `uses`."""

    block: str
    block_span: Span
    arguments: tuple[tuple[str, Value, Span], ...]
    bind_as: str | None
    outcome: str | None


@record(kw_only=True)
class GiveStep(Step):
    value: Value


@record(kw_only=True)
class MoveOnStep(Step):
    reason: Value | None


@record(kw_only=True)
class FailStep(Step):
    code: Value
    message: Value | None


AnyStep = (
    SetStep
    | LetStep
    | CallStep
    | EachStep
    | RepeatStep
    | ChooseStep
    | CollectStep
    | AdmitStep
    | DecideStep
    | SayStep
    | ConfirmStep
    | AskStep
    | UseStep
    | GiveStep
    | MoveOnStep
    | FailStep
)

# --- workflow ---------------------------------------------------------------------------------------------------------


@record
class Declared:
    """An input, an entry of `data`, an output, or something that a block takes.

    Shapes: `schema` is JSON Schema without the words of the language; `key` the fields that an entry of a list is
    addressed by; `default` is None when the document gives none, a `Constant` or `Text` otherwise; `run_of` is the
    workflow whose ended run an input reads (`restore_of: {run: …}`); `released` says that `private: false` is written.
    """

    name: str
    schema: Mapping[str, object]
    key: tuple[str, ...]
    default: Value | None
    value: Value | None
    title: Value | None
    private: bool
    sensitive: bool
    run_of: str | None
    span: Span
    name_span: Span
    released: bool = False


@record
class Budget:
    """`calls` empty: every call counts. `per` counts by value. `when_spent` is block or fail."""

    name: str
    calls: tuple[str, ...]
    per: Written | None
    at_most: Value | None
    when_spent: Literal["block", "fail"]
    span: Span


@record
class Condition:
    """One condition of a gate: `that`, or `confirmed: <question>`."""

    that: Written | None
    confirmed: str | None
    message: Value | None
    span: Span


@record
class Gate:
    """`redo` is `(STATE, step)`."""

    name: str
    conditions: tuple[Condition, ...]
    redo: tuple[str, str] | None
    waivable: bool
    span: Span


@record
class NamedGate:
    """A gate where it is used; `document` is set for a gate of a rule document."""

    name: str
    span: Span


@record
class Transition:
    """`to` is a state or `end`; `partial` says why an ending is only in part."""

    to: str
    to_span: Span
    when: Written | None
    gates: tuple[NamedGate, ...]
    at_most: Value | None
    partial: Value | None
    span: Span


@record
class Progress:
    text: Value | None
    first: str | None
    every: str | None


@record
class State:
    """Shapes: `tools` is None where the document gives none; `lists_tools` is false where an entry of it is no tool, so
    that nobody knows what may be called."""

    name: str
    name_span: Span
    title: Value | None
    tools: tuple[tuple[str, Span], ...] | None
    lists_tools: bool
    enter: tuple[NamedGate, ...]
    resets: tuple[tuple[str, Span], ...]
    progress: Progress | None
    when_cancelled: tuple[str, Span] | None
    steps: tuple[AnyStep, ...]
    next: tuple[Transition, ...]
    span: Span


@record
class Block:
    name: str
    takes: tuple[Declared, ...]
    steps: tuple[AnyStep, ...]
    give: Value | None
    span: Span
    name_span: Span


@record
class Selector:
    """What a guarantee talks about. Exactly one of the first five is filled; `in_states` narrows it.

    Shapes: `states`, `steps` (`STATE.step`), `gates`, `confirms` are names; `calls` are tool names, `document.*`, or
    `*`; `effects` narrows calls.
    """

    states: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    confirms: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    in_states: tuple[str, ...] = ()
    span: Span | None = None


GuaranteeKind = Literal["comes_after", "directly_after", "while", "is_followed_by", "only_in", "always"]


@record
class Guarantee:
    """`subject` is the X of the sentence, `other` its Y, `since` its Z."""

    id: str
    kind: GuaranteeKind
    subject: Selector | None
    other: Selector | None
    since: Selector | None
    only_in: tuple[str, ...]
    condition: Written | None
    message: Value | None
    span: Span


@record
class Uses:
    types: tuple[tuple[str, Span], ...] = ()
    tools: tuple[tuple[str, Span], ...] = ()
    rules: tuple[tuple[str, Span], ...] = ()
    workflows: tuple[tuple[str, Span], ...] = ()


@record
class Unconfirmed:
    """Why writes need no confirmation. Shapes: `tool` is the one that this holds for, '' for every one."""

    tool: str
    reason: Value
    span: Span


@record
class Workflow:
    name: str
    version: str
    title: Value | None
    effect: str
    uses: Uses
    inputs: tuple[Declared, ...]
    data: tuple[Declared, ...]
    outputs: tuple[Declared, ...]
    budgets: tuple[Budget, ...]
    pools: tuple[tuple[str, Value, Span], ...]
    questions: Endings
    progress: Progress | None
    every_call: tuple[tuple[str, Value, Span], ...]
    citation: tuple[tuple[str, Value, Span], ...]
    writes_without_confirmation: tuple[Unconfirmed, ...]
    guarantees: tuple[Guarantee, ...]
    gates: tuple[Gate, ...]
    blocks: tuple[Block, ...]
    states: tuple[State, ...]
    span: Span


# --- contracts, types, profiles ---------------------------------------------------------------------------------------


@record
class ToolError:
    code: str
    kind: str
    happened: Literal["never", "perhaps"]
    title: Value | None


@record
class Paging:
    token_in: str
    token_out: str
    more: str
    items: str


@record
class Lookup:
    """`verify_with` of a write: the read that tells whether it happened. `pages` names all pages as one list.

    Shapes: `give` is the answer that a write found to have happened would have given.
    """

    tool: str
    arguments: Value
    happened: Written | None
    did_not: Written | None
    span: Span
    give: Value | None = None


@record
class Follow:
    tool: str
    arguments: Value
    span: Span


@record
class Prompt:
    """What a model is told of one task: texts over the fields of the contract's `input`."""

    system: Value | None
    user: Value | None
    span: Span


@record
class Contract:
    """One tool as workflows see it. `name` is `<document>.<tool>`."""

    name: str
    effect: Effect
    idempotent: bool
    input: Mapping[str, object]
    output: Mapping[str, object]
    example: object
    failed: Written | None
    pending: Written | None
    follow: Follow | None
    errors: Mapping[str, ToolError]
    verify_with: Lookup | None
    paging: Paging | None
    one_at_a_time: str | None
    timeout: str | None
    title: Value | None
    span: Span
    prompt: Prompt | None = None


@record
class ToolDocument:
    name: str
    contracts: tuple[Contract, ...]
    span: Span


@record
class TypeDocument:
    """`definitions` are JSON Schemas by name; `labels` maps a type to the words for each of its values."""

    name: str
    definitions: Mapping[str, Mapping[str, object]]
    labels: Mapping[str, Mapping[str, object]]
    span: Span


@record
class AdaptedError:
    """One entry of `errors`: which failure an answer means. Without `when` it always holds."""

    when: Written | None
    code: Value
    message: Value | None
    retry_after: Value | None
    details: Value | None
    span: Span


@record
class ForEach:
    """One request for each entry of an argument; `together` makes one answer of their `results`."""

    name: str
    rows: Written
    together: Value
    span: Span


@record
class Adapted:
    """How one tool is answered: `settings` may hold texts that read `settings.<name>` of the profile.

    Shapes: `let` and `answer` are read over the arguments of the call and `settings`; `success`, `errors`, `value`,
    `unsure_when`, and `let` with them, over `answer` and what the adapter adds; `request` is what is sent, as the
    adapter reads it; where `unsure_when` holds, no failure says that nothing has happened;
    `body` holds all the rest, and these too, as plain data. `of` is how the answers that a recorder records are made.
    """

    tool: str
    adapter: str
    use: str | None
    settings: Mapping[str, Value]
    body: Mapping[str, object]
    span: Span
    let: tuple[tuple[str, Value, Span], ...] = ()
    answer: Value | None = None
    request: tuple[tuple[str, Value, Span], ...] = ()
    success: Written | None = None
    value: Value | None = None
    errors: tuple[AdaptedError, ...] = ()
    unsure_when: Written | None = None
    for_each: ForEach | None = None
    of: Adapted | None = None


@record
class ProfileCheck:
    """A reading call that `tools check` makes, to see whether a service answers, and as whom."""

    tool: str
    arguments: Value
    title: Value | None
    span: Span


@record
class AsIn:
    """A tool that is answered as in one of the profiles that this one extends. `span` is where its name stands."""

    tool: str
    profile: str
    span: Span


@record
class Profile:
    """Shapes: `tools`, `settings` and `checks` are those of its own document; `whole_profile` adds those of others.

    `extends` are the names of the profiles that it stands on, with the place of each.
    """

    name: str
    title: Value | None
    tools: tuple[Adapted, ...]
    settings: tuple[Declared, ...]
    unattended_confirm: bool
    confirm_through: tuple[str, ...]
    span: Span
    tools_span: Span
    checks: tuple[ProfileCheck, ...] = ()
    extends: tuple[tuple[str, Span], ...] = ()
    as_in: tuple[AsIn, ...] = ()


@record
class RuleText:
    """A rule document before `rules` reads it: plain data, with the place of every node by its path."""

    name: str
    body: Mapping[str, object]
    places: Mapping[tuple[object, ...], Span]
    span: Span

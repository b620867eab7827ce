"""A workflow: what it declares, its gates and guarantees, blocks and states."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.model import (
    Block,
    Budget,
    Condition,
    Endings,
    Gate,
    Guarantee,
    GuaranteeKind,
    NamedGate,
    Progress,
    Selector,
    State,
    Transition,
    Unconfirmed,
    Uses,
    Workflow,
    span_of,
)
from interpreter.parse.context import Context, Fields, text_of
from interpreter.parse.declared import parse_declared_all
from interpreter.parse.questions import parse_endings
from interpreter.parse.steps import parse_steps
from interpreter.parse.values import (
    optional_value,
    parse_names,
    parse_words,
    parse_written,
    value_entries,
)
from interpreter.source import Span
from interpreter.yaml_tree import Mapping, Node, Scalar, Sequence

_KINDS: tuple[GuaranteeKind, ...] = (
    "comes_after",
    "directly_after",
    "while",
    "is_followed_by",
    "only_in",
    "always",
)


def parse_workflow_fields(context: Context, fields: Fields) -> Workflow:
    """Return a workflow; parts that cannot be read are left out."""
    fields.ignore("language", "description")
    questions = context.fields(fields.get("questions"))
    return Workflow(
        name=fields.text("workflow") or "",
        version=_version(fields.get("version")),
        title=optional_value(context, fields.get("title")),
        effect=fields.text("effect") or "read",
        uses=_parse_uses(context, fields.get("uses")),
        inputs=parse_declared_all(context, fields.get("inputs")),
        data=parse_declared_all(context, fields.get("data")),
        outputs=parse_declared_all(context, fields.get("outputs")),
        budgets=tuple(_parse_budgets(context, fields.get("budgets"))),
        pools=value_entries(context, fields.get("pools")),
        questions=parse_endings(context, questions) if questions is not None else Endings(),
        progress=_parse_progress(context, fields.get("progress")),
        every_call=value_entries(context, fields.get("every_call")),
        citation=value_entries(context, fields.get("citation")),
        writes_without_confirmation=tuple(_parse_unconfirmed(context, fields.get("writes_without_confirmation"))),
        guarantees=tuple(_parse_guarantees(context, fields.get("guarantees"))),
        gates=tuple(_parse_gates(context, fields.get("gates"))),
        blocks=tuple(_parse_blocks(context, fields.get("blocks"))),
        states=tuple(_parse_states(context, fields.get("states"))),
        span=fields.span,
    )


def _parse_unconfirmed(context: Context, node: Node | None) -> Iterator[Unconfirmed]:
    """Yield the reasons by tool; one reason alone, in one language or in both, is for every tool."""
    by_tool = value_entries(context, node) if isinstance(node, Mapping) else ()
    if any("." in tool for tool, _, _ in by_tool):
        yield from (Unconfirmed(tool, reason, span) for tool, reason, span in by_tool)
    elif (reason := optional_value(context, node)) is not None:
        yield Unconfirmed("", reason, span_of(reason))


def _version(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _parse_uses(context: Context, node: Node | None) -> Uses:
    fields = context.fields(node)
    if fields is None:
        return Uses()
    return Uses(
        types=parse_names(context, fields.get("types")),
        tools=parse_names(context, fields.get("tools")),
        rules=parse_names(context, fields.get("rules")),
        workflows=parse_names(context, fields.get("workflows")),
    )


def _parse_budgets(context: Context, node: Node | None) -> Iterator[Budget]:
    for name, value, _ in context.entries(node):
        fields = context.fields(value)
        if fields is None:
            continue
        yield Budget(
            name=name,
            calls=parse_words(context, fields.get("calls")),
            per=parse_written(context, fields.get("per")),
            at_most=optional_value(context, fields.get("at_most")),
            when_spent="fail" if fields.text("when_spent") == "fail" else "block",
            span=fields.span,
        )


def _parse_progress(context: Context, node: Node | None) -> Progress | None:
    if isinstance(node, Scalar):
        return Progress(optional_value(context, node), None, None)
    fields = context.fields(node)
    if fields is None:
        return None
    if not any(fields.has(key) for key in ("text", "first", "every")):
        return Progress(optional_value(context, node), None, None)
    return Progress(
        text=optional_value(context, fields.get("text")),
        first=fields.text("first"),
        every=fields.text("every"),
    )


# --- guarantees and gates ---------------------------------------------------------------------------------------------


def _parse_guarantees(context: Context, node: Node | None) -> Iterator[Guarantee]:
    for item in context.items(node):
        fields = context.fields(item)
        kind = next((kind for kind in _KINDS if fields is not None and fields.has(kind)), None)
        if fields is None or kind is None:
            context.doubt(item)
            continue
        other = kind in ("comes_after", "directly_after", "is_followed_by")
        yield Guarantee(
            id=fields.text("id") or "",
            kind=kind,
            subject=_parse_selector(context, fields.get("every") or fields.get("never")),
            other=_parse_selector(context, fields.get(kind)) if other else None,
            since=_parse_selector(context, fields.get("since")),
            only_in=parse_words(context, fields.get(kind)) if kind == "only_in" else (),
            condition=parse_written(context, fields.get(kind)) if kind in ("while", "always") else None,
            message=optional_value(context, fields.get("message")),
            span=fields.span,
        )


def _parse_selector(context: Context, node: Node | None) -> Selector | None:
    fields = context.fields(node)
    if fields is None:
        return None
    call = fields.get("call")
    effects: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    if isinstance(call, Mapping):
        by_effect = context.fields(call)
        effects = parse_words(context, by_effect.get("effect")) if by_effect is not None else ()
        calls = ("*",)
    else:
        calls = parse_words(context, call)
    return Selector(
        states=parse_words(context, fields.get("state")),
        calls=calls,
        confirms=parse_words(context, fields.get("confirm")),
        steps=parse_words(context, fields.get("step")),
        gates=parse_words(context, fields.get("gate")),
        effects=effects,
        in_states=parse_words(context, fields.get("in")),
        span=fields.span,
    )


def _parse_gates(context: Context, node: Node | None) -> Iterator[Gate]:
    for name, value, _ in context.entries(node):
        yield _parse_gate(context, name, value)


def _parse_gate(context: Context, name: str, node: Node) -> Gate:
    conditions: list[Condition] = []
    redo: tuple[str, str] | None = None
    waivable = False
    for item in context.items(node):
        fields = context.fields(item)
        if fields is None:
            continue
        if fields.has("redo"):
            state, _, step = (fields.text("redo") or "").partition(".")
            redo = (state, step)
        elif fields.has("waivable"):
            waivable = fields.flag("waivable")
        elif fields.has("that") or fields.has("confirmed"):
            conditions.append(_parse_condition(context, fields))
    return Gate(name, tuple(conditions), redo, waivable, node.span)


def _parse_condition(context: Context, fields: Fields) -> Condition:
    return Condition(
        that=parse_written(context, fields.get("that")),
        confirmed=fields.text("confirmed"),
        message=optional_value(context, fields.get("message")),
        span=fields.span,
    )


# --- blocks and states ------------------------------------------------------------------------------------------------


def _parse_blocks(context: Context, node: Node | None) -> Iterator[Block]:
    for name, value, span in context.entries(node):
        fields = context.fields(value)
        if fields is None:
            context.doubtful.add(name)
            continue
        fields.ignore("title", "description")
        yield Block(
            name=name,
            takes=parse_declared_all(context, fields.get("takes")),
            steps=parse_steps(context, fields.get("steps")),
            give=optional_value(context, fields.get("give")),
            span=fields.span,
            name_span=span,
        )


def _parse_states(context: Context, node: Node | None) -> Iterator[State]:
    for name, value, span in context.entries(node):
        fields = context.fields(value)
        if fields is None:
            context.doubtful.add(name)
            continue
        yield _parse_state(context, name, span, fields)


def _parse_state(context: Context, name: str, name_span: Span, fields: Fields) -> State:
    fields.ignore("description")
    tools = fields.get("tools")
    allowed = parse_names(context, tools) if tools is not None else ()
    return State(
        name=name,
        name_span=name_span,
        title=optional_value(context, fields.get("title")),
        tools=allowed if tools is not None else None,
        lists_tools=len(allowed) == len(context.items(tools)) and all("." in tool for tool, _ in allowed),
        enter=_named_gates(context, fields.get("enter")),
        resets=parse_names(context, fields.get("resets")),
        progress=_parse_progress(context, fields.get("progress")),
        when_cancelled=_named(fields.get("when_cancelled")),
        steps=parse_steps(context, fields.get("steps")),
        next=tuple(_parse_transitions(context, fields.get("next"))),
        span=fields.span,
    )


def _named(node: Node | None) -> tuple[str, Span] | None:
    name = text_of(node)
    return (name, node.span) if node is not None and name is not None else None


def _named_gates(context: Context, node: Node | None) -> tuple[NamedGate, ...]:
    return tuple(NamedGate(name, span) for name, span in parse_names(context, node))


def _parse_transitions(context: Context, node: Node | None) -> Iterator[Transition]:
    if isinstance(node, Scalar) and text_of(node) is not None:
        yield Transition(text_of(node) or "", node.span, None, (), None, None, node.span)
        return
    for item in context.items(node if isinstance(node, Sequence | Mapping) else None):
        fields = context.fields(item)
        if fields is None:
            continue
        yield Transition(
            to=fields.text("to") or "",
            to_span=fields.value_span("to"),
            when=parse_written(context, fields.get("when")),
            gates=_named_gates(context, fields.get("gates")),
            at_most=optional_value(context, fields.get("at_most")),
            partial=optional_value(context, fields.get("partial")),
            span=fields.span,
        )

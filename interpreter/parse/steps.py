"""Steps: one verb each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from interpreter.model import (
    AdmitStep,
    AnyStep,
    Assignment,
    Bind,
    Branch,
    CallStep,
    ChooseStep,
    CollectStep,
    Constant,
    DecideStep,
    EachStep,
    FailStep,
    GiveStep,
    Judge,
    LetStep,
    MappingOf,
    MoveOnStep,
    Repair,
    RepeatStep,
    Retry,
    SayStep,
    SetStep,
    ToolChoice,
    UseStep,
    Value,
    Walk,
    Written,
)
from interpreter.parse.context import Common, Context, Fields, key_of, text_of
from interpreter.parse.questions import parse_ask, parse_confirm, parse_message
from interpreter.parse.values import (
    optional_value,
    parse_among,
    parse_bare_value,
    parse_path_key,
    parse_value,
    parse_words,
    parse_written,
    required_written,
    value_entries,
)
from interpreter.source import Span
from interpreter.yaml_tree import Mapping, Node, Scalar


def parse_steps(context: Context, node: Node | None) -> tuple[AnyStep, ...]:
    """Return the steps of a list; one that cannot be read is left out."""
    steps: list[AnyStep] = []
    ordinals: Counter[str] = Counter()
    for item in context.items(node):
        step = _parse_step(context, item, ordinals)
        if step is None:
            context.doubt(item)
        else:
            steps.append(step)
    return tuple(steps)


def _parse_step(context: Context, node: Node, ordinals: Counter[str]) -> AnyStep | None:
    fields = context.fields(node)
    if fields is None:
        return None
    verb = next((verb for verb in VERBS if fields.has(verb)), None)
    if verb is None:
        return None
    ordinals[verb] += 1
    id = fields.text("id")
    common = Common(
        id=id,
        key=id if id is not None else f"{verb}#{ordinals[verb]}",
        when=parse_written(context, fields.get("when")),
        span=fields.span,
        verb_span=fields.key_span(verb),
    )
    return VERBS[verb](context, fields, common)


# --- data -------------------------------------------------------------------------------------------------------------


def _parse_set(context: Context, fields: Fields, common: Common) -> AnyStep:
    return SetStep(**common, assignments=_assignments(context, fields.get("set"), bare=False))


def _assignments(context: Context, node: Node | None, *, bare: bool) -> tuple[Assignment, ...]:
    """Return the pairs of a mapping whose keys are paths."""
    if not isinstance(node, Mapping):
        context.doubt(node)
        return ()
    parse = parse_bare_value if bare else parse_value
    found = []
    for key, value in node.entries:
        if key_of(key).startswith("x-"):
            continue
        path = parse_path_key(context, key) if isinstance(key, Scalar) else None
        parsed = parse(context, value)
        if path is not None:
            found.append(Assignment(path=path, value=parsed))
    return tuple(found)


def _parse_let(context: Context, fields: Fields, common: Common) -> AnyStep:
    return LetStep(**common, values=value_entries(context, fields.get("let"), bare=True))


def _parse_collect(context: Context, fields: Fields, common: Common) -> AnyStep | None:
    node = fields.get("collect")
    target = parse_path_key(context, node) if isinstance(node, Scalar) else None
    item = fields.get("item")
    merge = {name: text_of(value) or "" for name, value, _ in context.entries(fields.get("merge"))}
    if target is None:
        return None
    return CollectStep(
        **common,
        target=target,
        item=_or_null(context, item, fields),
        merge=merge,
        bind_as=fields.new_name("as"),
    )


def _or_null(context: Context, node: Node | None, fields: Fields) -> Value:
    return parse_value(context, node) if node is not None else Constant(None, fields.span)


# --- calls ------------------------------------------------------------------------------------------------------------


def _parse_call(context: Context, fields: Fields, common: Common) -> AnyStep:
    return CallStep(
        **common,
        tool=parse_tool_choice(context, fields.get("call"), fields.span),
        arguments=_or_empty(context, fields.get("with"), fields),
        bind_as=fields.new_name("as"),
        outcome=fields.new_name("outcome"),
        otherwise=optional_value(context, fields.get("otherwise")),
        needs=fields.text("needs"),
        retry=_parse_retry(context, fields.get("retry")),
        accept=tuple(_parse_judges(context, fields.get("accept"))),
        bind=_parse_bind(context, fields.get("accept")),
        repair=_parse_repair(context, fields.get("repair")),
        pool=fields.text("pool"),
        once_per_run=fields.flag("once_per_run"),
        timeout=optional_value(context, fields.get("timeout")),
        pages=_parse_walk(context, fields),
    )


def _or_empty(context: Context, node: Node | None, fields: Fields) -> Value:
    return parse_value(context, node) if node is not None else MappingOf((), fields.span)


def parse_tool_choice(context: Context, node: Node | None, around: Span) -> ToolChoice:
    """Return the tool that a call names, or the closed list that it chooses from; an empty one when unreadable."""
    name = text_of(node)
    if node is not None and name is not None:
        return ToolChoice(None, ((name, name, node.span),), node.span)
    fields = context.fields(node)
    if fields is None:
        return ToolChoice(None, (), around)
    among = parse_among(context, fields.get("among"))
    return ToolChoice(required_written(context, fields, "by"), among, fields.span)


def _parse_retry(context: Context, node: Node | None) -> Retry | None:
    fields = context.fields(node)
    if fields is None:
        return None
    return Retry(
        errors=parse_words(context, fields.get("errors")),
        at_most=_or_null(context, fields.get("at_most"), fields),
        wait=optional_value(context, fields.get("wait")),
        factor=optional_value(context, fields.get("factor")),
        span=fields.span,
    )


def _parse_judges(context: Context, node: Node | None) -> Iterator[Judge]:
    for item in context.items(node):
        fields = context.fields(item) if not _is_bind(item) else None
        if fields is None:
            continue
        yield Judge(
            rule=fields.text("rule") or "",
            that=required_written(context, fields, "that"),
            name=fields.new_name("each"),
            rows=parse_written(context, fields.get("in")),
            at=optional_value(context, fields.get("at")),
            message=optional_value(context, fields.get("message")),
            details=optional_value(context, fields.get("details")),
            span=fields.span,
        )


def _is_bind(node: Node) -> bool:
    return isinstance(node, Mapping) and node.get("bind") is not None


def _parse_bind(context: Context, node: Node | None) -> Bind | None:
    """Return the judge `bind` of a list of judges; what several of them say counts together."""
    among: list[tuple[str, Written, Span]] = []
    span: Span | None = None
    for item in context.items(node):
        fields = context.fields(item) if _is_bind(item) else None
        if fields is None:
            continue
        fields.ignore("bind")
        span = span or fields.span
        for side, value, place in context.entries(fields.get("among")):
            written = parse_written(context, value)
            if written is not None:
                among.append((side, written, place))
    return Bind(tuple(among), span) if span is not None else None


def _parse_repair(context: Context, node: Node | None) -> Repair | None:
    fields = context.fields(node)
    if fields is None:
        return None
    return Repair(
        errors=parse_words(context, fields.get("errors")),
        at_most=_or_null(context, fields.get("at_most"), fields),
        add=value_entries(context, fields.get("add")),
        span=fields.span,
    )


def _parse_walk(context: Context, fields: Fields) -> Walk | None:
    """Return the walk over all pages that a call makes, None for a call without `pages`."""
    if fields.get("pages") is None:
        return None
    return Walk(
        page=fields.new_name("pages") or "",
        walk=fields.new_name("walk"),
        batch=optional_value(context, fields.get("batch")),
        at_most=optional_value(context, fields.get("at_most")),
        restart_on=parse_words(context, fields.get("restart_on")),
        checkpoint=_assignments(context, fields.get("checkpoint"), bare=True),
        steps=parse_steps(context, fields.get("do")),
        give=optional_value(context, fields.get("give")),
        span=fields.span,
    )


# --- loops and branches -----------------------------------------------------------------------------------------------


def _parse_each(context: Context, fields: Fields, common: Common) -> AnyStep:
    return EachStep(
        **common,
        name=fields.new_name("each") or "",  # `each: row in rows` names something, and is reported as no name
        rows=required_written(context, fields, "in"),
        where=parse_written(context, fields.get("where")),
        index=fields.new_name("index"),
        item_key=parse_written(context, fields.get("key")),
        until=parse_written(context, fields.get("until")),
        at_once=_parse_at_once(context, fields.get("at_once")),
        failures_at_most=optional_value(context, fields.get("failures_at_most")),
        steps=parse_steps(context, fields.get("do")),
        give=optional_value(context, fields.get("give")),
        bind_as=fields.new_name("as"),
        outcomes=fields.new_name("outcomes"),
        name_span=fields.value_span("each"),
    )


def _parse_at_once(context: Context, node: Node | None) -> Value | None:
    """Return how many bodies run at once; the word `all` becomes 0."""
    if node is not None and text_of(node) == "all":
        return Constant(0, node.span)
    return optional_value(context, node)


def _parse_repeat(context: Context, fields: Fields, common: Common) -> AnyStep:
    return RepeatStep(
        **common,
        name=fields.new_name("repeat") or "",
        until=parse_written(context, fields.get("until")),
        at_most=optional_value(context, fields.get("at_most")),
        every=optional_value(context, fields.get("every")),
        otherwise="go_on" if fields.text("otherwise") == "go_on" else "block",
        steps=parse_steps(context, fields.get("do")),
        give=optional_value(context, fields.get("give")),
        bind_as=fields.new_name("as"),
    )


def _parse_choose(context: Context, fields: Fields, common: Common) -> AnyStep:
    return ChooseStep(
        **common,
        branches=tuple(_parse_branches(context, fields.get("choose"))),
        bind_as=fields.new_name("as"),
    )


def _parse_branches(context: Context, node: Node | None) -> Iterator[Branch]:
    for item in context.items(node):
        fields = context.fields(item)
        if fields is None:
            continue
        yield Branch(
            when=parse_written(context, fields.get("when")),
            steps=parse_steps(context, fields.get("do")),
            give=optional_value(context, fields.get("give")),
            span=fields.span,
        )


# --- evidence ---------------------------------------------------------------------------------------------------------


def _parse_admit(context: Context, fields: Fields, common: Common) -> AnyStep:
    split = context.fields(fields.get("split"))
    texts = fields.get("from")
    return AdmitStep(
        **common,
        bind_as=fields.new_name("admit") or "",
        side=fields.text("side") or "",
        source=optional_value(context, fields.get("source")),
        texts=parse_bare_value(context, texts) if texts is not None else Constant(None, fields.span),
        longer_than=optional_value(context, split.get("longer_than")) if split is not None else None,
    )


# --- rules, messages, blocks, endings ---------------------------------------------------------------------------------


def _parse_decide(context: Context, fields: Fields, common: Common) -> AnyStep:
    document, _, rule = (fields.text("decide") or "").partition(".")
    return DecideStep(
        **common,
        document=document,
        rule=rule,
        facts=value_entries(context, fields.get("with"), bare=True),
        bind_as=fields.new_name("as"),
        rule_span=fields.value_span("decide"),
    )


def _parse_say(context: Context, fields: Fields, common: Common) -> AnyStep | None:
    message = parse_message(context, fields.get("say"))
    return SayStep(**common, message=message) if message is not None else None


def _parse_use(context: Context, fields: Fields, common: Common) -> AnyStep:
    return UseStep(
        **common,
        block=fields.text("use") or "",
        block_span=fields.value_span("use"),
        arguments=value_entries(context, fields.get("with")),
        bind_as=fields.new_name("as"),
        outcome=fields.new_name("outcome"),
    )


def _parse_give(context: Context, fields: Fields, common: Common) -> AnyStep:
    return GiveStep(**common, value=_or_null(context, fields.get("give"), fields))


def _parse_move_on(context: Context, fields: Fields, common: Common) -> AnyStep:
    return MoveOnStep(**common, reason=optional_value(context, fields.get("move_on")))


def _parse_fail(context: Context, fields: Fields, common: Common) -> AnyStep | None:
    parts = context.fields(fields.get("fail"))
    if parts is None:
        return None
    return FailStep(
        **common,
        code=_or_null(context, parts.get("code"), parts),
        message=optional_value(context, parts.get("message")),
    )


Parser = Callable[[Context, Fields, Common], AnyStep | None]

# `give` stands last: beside another verb it is a part of that step, alone it is a step.
VERBS: dict[str, Parser] = {
    "set": _parse_set,
    "let": _parse_let,
    "call": _parse_call,
    "each": _parse_each,
    "repeat": _parse_repeat,
    "choose": _parse_choose,
    "collect": _parse_collect,
    "admit": _parse_admit,
    "decide": _parse_decide,
    "say": _parse_say,
    "confirm": parse_confirm,
    "ask": parse_ask,
    "use": _parse_use,
    "move_on": _parse_move_on,
    "fail": _parse_fail,
    "give": _parse_give,
}

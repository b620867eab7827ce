"""`serve-mcp`: each workflow as a tool of a Model Context Protocol server, over standard input and output.

For a workflow `x` a host gets `x` (start), `answer_x` (a question that permits nothing), `resume_x` and `result_x`.
What permits a write has no tool: the result is `waiting`, with the command that a person types elsewhere. A host that
can put a form before a person is asked through it instead of waiting for `answer_x`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.cli.arriving import Arriving, own_standard_input
from interpreter.cli.context import Context, Refused
from interpreter.cli.given import pairs
from interpreter.cli.hosting import Runs, refused_result
from interpreter.cli.trust import check_trust_in
from interpreter.diagnostics import did_you_mean, errors_of, finding, has_errors
from interpreter.ports import JsonObject
from interpreter.report.words import shown
from interpreter.session.planned import DeclaredInput
from interpreter.session.prepared import Options
from interpreter.session.sessions import Session
from rules.records import NamedTuple
from rules.values import canonical_text, loads

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.lowlevel import Server

#: How long runs get to stop when the host goes away. Units: seconds.
_LAST_SECONDS = 5.0
#: No tool has a longer name; what a host makes up is cut there before it is compared and told. Units: characters.
_LONGEST_NAME = 100


class Offered(NamedTuple):
    """One workflow that is offered."""

    name: str
    title: str
    effect: str
    inputs: JsonObject
    runs: Runs


def serve_mcp(context: Context) -> int:
    """Offer workflows until the host closes standard input."""
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        return context.refuse([finding("command/extra-missing", None, package="mcp", extra="mcp")])
    offered: dict[str, Offered] = {}
    for spec in context.arguments.specs:
        found = _offered(context, spec)
        offered[found.name] = found
    names = [name for one in offered for name in names_of(one)]
    if len(set(names)) < len(names) or len(offered) < len(context.arguments.specs):
        return context.refuse([finding("command/tools-of-the-same-name", None, names=", ".join(sorted(names)))])
    import asyncio

    asyncio.run(_serve(context, offered))
    return 0


def names_of(workflow: str) -> tuple[str, str, str, str]:
    """Return the tools of a workflow: start, answer, go on, look."""
    return workflow, f"answer_{workflow}", f"resume_{workflow}", f"result_{workflow}"


def _offered(context: Context, spec: Path) -> Offered:
    """Return a workflow as a host is offered it. Errors: Refused."""
    from interpreter.documents.loading import load_workflow
    from interpreter.plan.values import constant_of
    from interpreter.session.preparing import plan_from_disk

    arguments = context.arguments
    sets = pairs(arguments.set, "--set")
    profile = context.profile(arguments.profile, spec)
    profile_path = profile or spec.parent / "profiles" / "local.yaml"
    planned, found = plan_from_disk(spec, profile_path, sets)
    if planned is None or planned.program is None or has_errors(found):
        raise Refused(*errors_of(found))
    check_trust_in(context, planned.profile.name, planned.profile_texts, planned.adapters)
    documents, _ = load_workflow(spec)
    assert documents is not None
    workflow = documents.workflow
    options = Options(profile, {}, {}, sets, context.language, context.timezone)
    return Offered(
        name=planned.program.name,
        title=shown(constant_of(workflow.title, ""), context.language),
        effect=workflow.effect or "destructive",
        inputs=input_schema(planned.inputs),
        runs=Runs(context, spec, options, planned.program.name, planned.profile_texts),
    )


def input_schema(inputs: tuple[DeclaredInput, ...]) -> JsonObject:
    """Return the inputs of a workflow as the JSON Schema of a tool's arguments."""
    from interpreter.adapters.model.schema import schema_for_model

    properties: JsonObject = {}
    for one in inputs:
        if one.run_of is not None:
            properties[one.name] = {"type": "string", "description": f"the id of an ended run of {one.run_of}"}
        else:
            schema = schema_for_model(one.schema)
            properties[one.name] = schema if one.schema else {}
    needed = [one.name for one in inputs if not one.is_optional and one.run_of is None]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


# --- the protocol -----------------------------------------------------------------------------------------------------


async def _serve(context: Context, offered: Mapping[str, Offered]) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    server = make_server(context, offered)
    limiter = anyio.CapacityLimiter(64)
    server.limiter = limiter  # type: ignore[attr-defined]
    words = context.say(
        "这条消息读不懂：不是 JSON，或嵌套太深，或有重复的字段、半个字符、过大的数",
        "this message cannot be taken: it is no JSON, nests too deeply, or holds a field twice, half a character "
        "or a number that is too large",
    )
    with own_standard_input() as file:
        arriving = Arriving(file, words)
        async with stdio_server(stdin=arriving) as (read, write):  # type: ignore[arg-type]
            arriving.answer_through(write)
            await server.run(read, write, server.create_initialization_options())
    for one in offered.values():
        one.runs.interrupt()
    with anyio.move_on_after(_LAST_SECONDS):
        while limiter.borrowed_tokens:
            await anyio.sleep(0.01)


def make_server(context: Context, offered: Mapping[str, Offered]) -> Server[Any]:
    """Return a server that offers the workflows."""
    import logging

    import mcp_types as types
    from mcp.server.lowlevel import Server

    from interpreter import __version__

    logging.getLogger("mcp").addHandler(logging.NullHandler())
    tools = {tool.name: tool for one in offered.values() for tool in _tools(context, one)}
    owners = {name: one for one in offered.values() for name in names_of(one.name)}

    async def list_tools(request: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(tools.values()))

    async def call_tool(request: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            owner = owners.get(params.name)
            if owner is None:
                name = params.name[:_LONGEST_NAME]
                raise Refused(finding("command/unknown-tool", None, hint=did_you_mean(name, owners), name=name))
            done = await _called(server, request, owner, params.name, dict(params.arguments or {}))
        except Refused as refused:
            return _result(refused_result(context, refused), is_error=True)
        return _result(done, is_error=done["status"] == "failed")

    server: Server[Any] = Server(
        "workflow-interpreter", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool
    )
    return server


def _tools(context: Context, one: Offered) -> list[types.Tool]:
    import mcp_types as types

    start, answer, resume, result = names_of(one.name)
    say = context.say
    run = {"run_id": {"type": "string", "description": say("运行编号", "the id of the run")}}
    reads = one.effect == "read"

    def tool(name: str, description: str, schema: JsonObject, *, only_reads: bool) -> types.Tool:
        notes = types.ToolAnnotations(read_only_hint=only_reads, destructive_hint=one.effect == "destructive")
        return types.Tool(name=name, description=description, input_schema=schema, annotations=notes)

    about_waiting = say(
        "结果是一个对象：status 为 waiting 时，waiting 里是问题；会写入的确认只能由人用其中的 command 在别处回答。",
        "The result is one object. Where status is waiting, the questions stand in waiting; a confirmation that "
        "permits writes is answered by a person elsewhere, with the command that stands there.",
    )
    return [
        tool(start, f"{one.title} {about_waiting}".strip(), one.inputs, only_reads=reads),
        tool(
            answer,
            say(
                f"回答 {start} 的一个问题（不许可写入的），然后继续",
                f"Answer a question of {start} that permits no write, and go on.",
            ),
            {
                "type": "object",
                "properties": {
                    **run,
                    "question": {"type": "string", "description": say("问题的名称", "the name of the question")},
                    "answer": {
                        "description": say("表单是一个对象，选择是它的 id", "a form is an object, a choice its id"),
                        "anyOf": [{"type": "object"}, {"type": "string"}],
                    },
                },
                "required": ["run_id", "question", "answer"],
                "additionalProperties": False,
            },
            only_reads=reads,
        ),
        tool(
            resume,
            say(f"继续 {start} 停下的一次运行", f"Go on with a run of {start} that stopped."),
            {"type": "object", "properties": run, "required": ["run_id"], "additionalProperties": False},
            only_reads=reads,
        ),
        tool(
            result,
            say(f"查看 {start} 的一次运行", f"Look at how a run of {start} stands."),
            {"type": "object", "properties": run, "required": ["run_id"], "additionalProperties": False},
            only_reads=True,
        ),
    ]  # fmt: skip


async def _called(server: Any, request: Any, owner: Offered, name: str, arguments: JsonObject) -> JsonObject:
    """Walk in a thread of its own and return how the run stands; a host that gives a call up leaves it resumable.

    Errors: Refused.
    """
    import anyio

    walking: list[Session] = []
    person = _Person(request.session)
    ask = person.ask if person.can_be_asked else None
    start, answer, resume, _ = names_of(owner.name)
    runs = owner.runs
    work: Callable[[], Any]
    if name == start:
        work = partial(runs.start, _exact(arguments), ask, person.tell, walking.append)
    else:
        run_id = _text(name, arguments, "run_id")
        if name == answer:
            question, value = _text(name, arguments, "question"), _exact(arguments.get("answer"))
            work = partial(runs.answer, run_id, question, value, ask, person.tell, walking.append)
        elif name == resume:
            work = partial(runs.go_on, run_id, ask, person.tell, walking.append)
        else:
            work = partial(runs.result, run_id)
    limiter = getattr(server, "limiter", None)
    try:
        done: JsonObject = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)
    except anyio.get_cancelled_exc_class():
        for session in walking:
            session.interrupt()
        raise
    return done


def _text(tool: str, arguments: JsonObject, name: str) -> str:
    """Return an argument that is a text. Errors: Refused."""
    value = arguments.get(name)
    if not isinstance(value, str):
        raise Refused(finding("command/argument-not-text", None, tool=tool, name=name))
    return value


def _exact(value: Any) -> Any:
    """Return a value of the protocol with numbers as the language has them."""
    import json

    return loads(json.dumps(value))


def _result(value: JsonObject, *, is_error: bool) -> types.CallToolResult:
    import json

    import mcp_types as types

    text = canonical_text(value)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=json.loads(text), is_error=is_error
    )


class _Person:
    """The person at the host, reached from the thread of a run."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._told = 0
        capabilities = session.client_capabilities
        has_forms = capabilities is not None and capabilities.elicitation is not None
        self.can_be_asked = bool(has_forms and session.can_send_request)

    def ask(self, message: str, form: JsonObject) -> JsonObject | None:
        """Put a form before the person; None where it was not filled in."""
        import anyio
        from mcp.shared.exceptions import MCPError
        from pydantic import ValidationError

        try:
            given = anyio.from_thread.run(self._session.elicit_form, message, form)
        except (MCPError, ValidationError):
            return None
        if given.action != "accept" or not isinstance(given.content, dict):
            return None
        exact = _exact(given.content)
        assert isinstance(exact, dict)
        return exact

    def tell(self, text: str) -> None:
        import anyio

        self._told += 1
        anyio.from_thread.run(self._session.report_progress, float(self._told), None, text)

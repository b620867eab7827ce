"""Runs of random small workflows: a resume changes nothing, a write happens once and only where it was permitted.

Workflows are put together from a few building blocks. Tools answer from a drawn seed; the world behind them keeps what
was really written, so that whoever is asked about a write whose outcome is unknown tells the truth.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.adapters.clock import ManualClock
from interpreter.adapters.embedded import EmbeddedRun, drive
from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.diagnostics import has_errors
from interpreter.documents.loading import load_workflow
from interpreter.documents.reading import Recorded
from interpreter.engine.core import Core
from interpreter.engine.machine import walk
from interpreter.engine.program import Program
from interpreter.plan import plan_workflow
from interpreter.ports import (
    Answer,
    Blocked,
    Check,
    JournalError,
    JsonObject,
    Outcome,
    Question,
    Request,
    ToolFailure,
    Waiting,
)
from rules.values import canonical_json, digest
from tests.contracts.world_kit import Scripted
from tests.draws import draws
from tests.unit.run_kit import SHARED, Script, call_of, case_of, prefix_of, run_case

TOOLS = ["box.list", "box.look", "box.task", "box.put", "box.send", "box.burn"]
TOOL_DOCUMENT = (SHARED / "tools" / "box.yaml").read_text(encoding="utf-8")
IDS = ["a", "b", "c"]
STARTED = "2024-01-01T00:00:00.000Z"


def program_of(states: JsonObject, **more: Any) -> Program:
    """Return the program of a workflow with these states; the data `n`, `seen` and `rows` are there for all."""
    text = {
        "workflow": "random",
        "version": "1.0.0",
        "title": "Random",
        "effect": "destructive",
        "uses": {"tools": ["box"]},
        "questions": {"wait": "7d"},
        "data": {
            "n": {"type": "integer", "default": 0},
            "seen": {"type": "array", "default": []},
            "rows": {"type": "array", "key": "id", "default": [{"id": name, "n": 0} for name in IDS]},
        },
        "outputs": {"seen": {"type": "array", "value": "{{ seen }}"}},
        **more,
        "states": states,
    }
    document = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in text.items())
    texts = {"random.yaml": document, "tools/box.yaml": TOOL_DOCUMENT}
    documents, findings = load_workflow("random.yaml", Recorded(texts))
    assert documents is not None
    assert not has_errors(findings), [one.message.en for one in findings]
    return plan_workflow(documents)


def core_of(program: Program, run: EmbeddedRun) -> Core:
    return Core(program, run, run_id="r", started_at=STARTED, timezone="UTC", language="en", inputs={})


# --- every prefix leads to the same end -------------------------------------------------------------------------------

_COUNT: JsonObject = {"set": {"n": "{{ n + 1 }}"}}
_RETRY = {"errors": ["transient"], "at_most": 2, "wait": "1s"}


def _look(name: str, where: str, way: str) -> JsonObject:
    call: JsonObject = {"call": "box.look", "with": {"id": where}}
    if way == "outcome":
        return call | {"outcome": name}
    if way == "otherwise":
        return call | {"as": name, "otherwise": {"title": "none"}}
    return call | {"as": name, "retry": _RETRY, "otherwise": "none"}


def _block(number: int, kind: str, item: str, way: str) -> list[JsonObject]:
    """Return the steps of one building block; its names are its own."""
    name, loop = f"x{number}", f"l{number}"
    here = [_look(name, f"{{{{ {loop} }}}}", way), _found(name, way)]
    say = {"say": {"done": "{{ n }}", "next": "on", "writes": False}}
    match kind:
        case "count":
            return [_COUNT]
        case "look":
            return [_look(name, item, way), _found(name, way)]
        case "each":
            return [{"each": loop, "in": json.dumps(IDS), "do": [*here, _COUNT, say]}]
        case "place":
            changed = {f"{loop}.n": f"{{{{ {loop}.n + n }}}}"}
            return [{"each": loop, "in": "rows", "do": [_look(name, f"{{{{ {loop}.id }}}}", way), {"set": changed}]}]
        case "at_once":
            # No two of them make the same call: which comes first depends on timing, and so would its answer.
            second = _look(f"y{number}", f"{item} {{{{ {loop} }}}}", way)
            body = [_look(name, f"{{{{ {loop} }}}}", "outcome"), second]
            together = {"each": loop, "in": json.dumps(IDS), "at_once": 2, "do": body}
            return [together | {"give": f"{{{{ {name}.ok }}}}", "as": f"z{number}"}, _kept(f"z{number}")]
        case "once":
            call = {"call": "box.look", "with": {"id": f"once {item}"}, "outcome": name, "once_per_run": True}
            first = _look(f"y{number}", f"{{{{ {loop} }}}}", "outcome")
            together = {"each": loop, "in": json.dumps(IDS), "at_once": "all", "do": [first, call]}
            return [together | {"give": f"{{{{ {name}.ok }}}}", "as": f"z{number}"}, _kept(f"z{number}")]
        case "repeat":
            body = [_look(name, item, way), _COUNT]
            return [{"repeat": loop, "at_most": 3, "every": "2s", "until": "n > 3", "otherwise": "go_on", "do": body}]
        case "choose":
            return [{"choose": [{"when": "n % 2 == 0", "do": [_look(name, item, way)]}, {"do": [_COUNT]}]}]
        case "pages":
            walked = {"call": "box.list", "with": {"query": item}, "pages": name, "at_most": 9, "outcome": f"z{number}"}
            return [walked | {"do": [{"collect": "seen", "item": f"{{{{ {name}.items | count }}}}"}]}, say]
        case "ask":
            form = {"word": {"type": "string"}}
            text = {"done": "{{ n }}", "next": "on", "writes": False}
            asked = {"ask": f"q{number}", "text": text, "form": form, "refused": "go_on", "abandoned": "go_on"}
            return [asked, {"collect": "seen", "item": f"{{{{ q{number}.ending }}}}"}]
    raise AssertionError(kind)


def _found(name: str, way: str) -> JsonObject:
    """Keep what a call found; an instant is another one in every process."""
    kept = f"[{name}.ok, {name}.value.title | default('-')]" if way == "outcome" else name
    return {"collect": "seen", "item": f"{{{{ {kept} }}}}"}


def _kept(name: str) -> JsonObject:
    return {"collect": "seen", "item": f"{{{{ {name} }}}}"}


KINDS = ["count", "look", "each", "place", "at_once", "once", "repeat", "choose", "pages", "ask"]
BLOCKS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sampled_from(IDS), st.sampled_from(["outcome", "otherwise", "retry"])),
    min_size=1,
    max_size=4,
)


class RandomScript(Script):
    """Answers that follow from a seed, the call and how often it was made."""

    def __init__(self, seed: int) -> None:
        super().__init__({})
        self._seed = seed
        self._made: Counter[tuple[str, str]] = Counter()

    def next(self, tool: str, arguments: JsonObject) -> JsonObject:
        call = call_of(tool, arguments)
        self._made[call] += 1
        drawn = int(digest([self._seed, *call, self._made[call]])[:8], 16)
        turns = {"turns": drawn // 7 % 5}
        if drawn % 5 == 0:
            return {"fail": ["busy", "forbidden", "away"][drawn // 5 % 3], **turns}
        if tool == "box.list":
            page = int(arguments.get("page_token", "t0")[1:])
            answer: JsonObject = {"items": [{"id": str(page)}] * (drawn % 3), "more": page < 2}
            return {"give": answer | ({"page_token": f"t{page + 1}"} if page < 2 else {}), **turns}
        return {"give": {"id": arguments["id"], "title": f"{drawn}"}, **turns}


@settings(max_examples=40, deadline=None)
@given(
    BLOCKS,
    BLOCKS,
    st.integers(0, 2**30),
    st.booleans(),
    st.sampled_from([None, {"word": "w"}, {"ending": "refused"}]),
    st.lists(st.integers(0, 1000), min_size=1, max_size=5),
)
def test_every_prefix_of_a_journal_resumes_to_the_same_end(
    first: list[Any], second: list[Any], seed: int, at_once: bool, answer: Any, cuts: list[int]
) -> None:
    steps = [_block(number, *drawn) for number, drawn in enumerate([*first, *second])]
    one, two = list(chain(*steps[: len(first)])), list(chain(*steps[len(first) :]))
    back = {"to": "ONE", "when": "n < 4", "at_most": 1}
    states = {
        "ONE": {"tools": TOOLS, "steps": one, "next": [{"to": "TWO"}]},
        "TWO": {"tools": TOOLS, "steps": two, "next": [back, {"to": "end"}]},
    }
    people = {f"q{number}": [[answer]] * 3 for number in range(len(steps))}
    case = case_of("random", program_of(states), {"people": people, "at_once": at_once})
    case = replace(case, script=partial(RandomScript, seed))
    journal = MemoryJournal()
    whole = run_case(case, journal)
    assert whole.status in ("completed", "waiting")
    for drawn_at in cuts:
        cut, _ = prefix_of(case, journal, drawn_at % len(journal))
        again = run_case(case, cut)
        assert canonical_json(again.end()) == canonical_json(whole.end())
        assert len(again.calls) <= len(whole.calls)


# --- writes -----------------------------------------------------------------------------------------------------------


class Crash(BaseException):
    """The process is gone; nothing it holds may do anything any more."""


class World:
    """What is really there, whichever processes come and go.

    Shapes: `done` counts the writes that really happened; `open` are those whose answer did not tell and that nobody
    has looked up, `blind` those that were sent all the same; `left` is how many more points a process passes alive,
    `commits` how many it makes before the disk refuses one; `cancels` are the calls, counted over all processes, that
    a cancel comes with; `says` is what is said of unknown writes before the truth, None for nothing; `judges` says
    that an answer may be one that is not accepted.
    """

    def __init__(self, seed: int, says: Iterable[str | None] = (), cancels: Iterable[int] = ()) -> None:
        self.done: Counter[tuple[str, str]] = Counter()
        self.open: set[tuple[str, str]] = set()
        self.blind: list[tuple[str, str]] = []
        self.judges = False
        self.left = self.commits = 10**9
        self.says = list(says)
        self.cancels = frozenset(cancels)
        self.asks = True
        self._calls = 0
        self.seed = seed
        self.processes = 0
        self._script = RandomWrites(seed)
        self._dead = False

    def point(self) -> None:
        """Pass a point at which the process may be killed."""
        self.left -= 1
        self._dead = self._dead or self.left < 0
        if self._dead:
            raise Crash

    def begin_process(self, points: int = 10**9, commits: int = 10**9) -> None:
        self.left, self.commits, self._dead = points, commits, False
        self.processes += 1

    def commit(self) -> None:
        self.point()
        self.commits -= 1
        if self.commits == 0:
            raise JournalError("run/disk-full")

    def call(self, request: Request, journal: MemoryJournal) -> Any:
        self.point()
        self._calls += 1
        if self._calls in self.cancels:
            journal.request_cancel()
        if request.effect == "read":
            return self._read(request)
        what, really, tells = self._script.next_of(request)
        call = call_of(request.tool, request.arguments)
        if call in self.open:
            self.blind.append(call)
        self.open.add(call)
        if really:
            assert not self.asks or call in permitted_by(journal), f"{call} was not permitted"
            self.done[call] += 1
        self.point()
        if tells or (tells is None and not self.judges):
            self.open.discard(call)
        return what()

    def _read(self, request: Request) -> Any:
        if request.tool == "box.list":
            sent = call_of("box.send", {"id": request.arguments["query"]})
            self.open.discard(sent)
            return {"items": [{"id": request.arguments["query"]}] if self.done[sent] else [], "more": False}
        if request.tool == "box.task":
            return {"state": "done"}
        return {"id": request.arguments["id"], "title": "t"}


class RandomWrites:
    """Says of a write what the tool answers, whether it really happened, and whether the answer tells.

    What was answered and what happened need not agree; whether an answer tells is None where that is for judges to say.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._made = 0

    def next_of(self, request: Request) -> tuple[Callable[[], Any], bool, bool | None]:
        self._made += 1
        drawn = int(digest([self._seed, request.tool, request.arguments, self._made])[:8], 16)
        really = drawn // 16 % 2 == 0
        has_token = request.tool != "box.burn"  # its contract names none: nobody looks at one
        match drawn % 8:
            case 0:
                return partial(_raise, ToolFailure("busy", "")), False, True
            case 1:
                return partial(_raise, ToolFailure("forbidden", "")), False, True
            case 2:
                return partial(_raise, ToolFailure("lost", "")), really, False
            case 3:
                return partial(_raise, RuntimeError("boom")), really, False
            case 4:
                return lambda: {"token": 7}, really, not has_token
            case 5 if request.tool == "box.send":
                return lambda: {"token": "t", "later": True}, True, True
            case 6:
                return lambda: {"token": "odd"}, True, None if has_token else True
        return lambda: {"token": "t"}, True, True


def _raise(error: BaseException) -> Any:
    raise error


def permitted_by(journal: MemoryJournal) -> set[tuple[str, str]]:
    """Return the calls that a person permitted, as the journal has it."""
    shown: dict[str, list[JsonObject]] = {}
    found: set[tuple[str, str]] = set()
    for row in journal.rows():
        if row.kind == "question" and row.body["kind"] == "confirm":
            shown[row.body["question"]] = row.body["permits"]
        elif row.kind == "answer" and row.body["question"] in shown and row.body["value"].get("choice") == "fine":
            found |= {call_of(permit["tool"], permit["with"]) for permit in shown[row.body["question"]]}
    return found


class FragileJournal(MemoryJournal):
    """A journal whose process may die before or after each commit. `synced` rows survive a power cut."""

    def __init__(self, world: World, rows: Iterable[tuple[str, str, str]] = ()) -> None:
        super().__init__(rows)
        self._world = world
        self.synced = len(self)

    def append(self, rows: Iterable[tuple[str, str, JsonObject]], *, sync: bool) -> None:
        self._world.commit()
        super().append(rows, sync=sync)
        if sync:
            self.synced = len(self)
        self._world.point()

    def after_power_cut(self) -> FragileJournal:
        found = FragileJournal(self._world, self._rows[: self.synced])
        found._answers = dict(self._answers)
        found._cancels = self._cancels
        return found


class WorldTools:
    """The tools of one process. `at_once`: a call takes some turns of the loop, more or less."""

    def __init__(self, world: World, journal: MemoryJournal, at_once: bool) -> None:
        self._world = world
        self._journal = journal
        self._at_once = at_once
        self._calls = 0

    def has(self, tool: str) -> bool:
        return True

    def identities(self) -> dict[str, str]:
        return {}

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        return self._slowly(request) if self._at_once else self._world.call(request, self._journal)

    async def _slowly(self, request: Request) -> Any:
        from asyncio import sleep

        self._calls += 1
        for _ in range(int(digest([self._world.seed, self._world.processes, self._calls])[:2], 16) % 6):
            await sleep(0)
        return self._world.call(request, self._journal)


class HonestPeople:
    """Confirms as drawn; says of an unknown write what really happened."""

    def __init__(self, world: World, answers: list[str]) -> None:
        self._world = world
        self._answers = answers

    def ask(self, question: Question, check: Callable[[Any, str], Check]) -> Answer | None:
        self._world.point()
        if question.kind == "unknown_write":
            truth = "happened" if self._really(question.shown) else "did_not"
            said = self._world.says.pop(0) if self._world.says else truth
            if said is None:
                return None
            if said == truth:
                self._world.open.discard(call_of(str(question.text["facts"]["tool"]), question.shown))
        else:
            said = self._answers[min(question.visit, len(self._answers)) - 1]
        checked = check(said, "en")
        return Answer("answered", checked.value, "ann", "", "terminal") if checked.value is not None else None

    def _really(self, sent: JsonObject) -> bool:
        return any(self._world.done[call_of(tool, sent)] for tool in ("box.put", "box.send", "box.burn"))

    def show(self, message: JsonObject) -> None:
        self._world.point()

    def show_progress(self, state: str, text: JsonObject) -> None:
        """Nobody watches."""

    def show_live(self, *args: Any) -> None:
        """Nobody watches."""


def walk_once(program: Program, world: World, journal: FragileJournal, answers: list[str], at_once: bool) -> str:
    def failure(request: Request, failed: ToolFailure) -> Outcome:
        return {"ok": False, "error": program.contracts[request.tool].error(failed.code, failed.message)}

    blocked = sum(row.kind == "block" for row in journal.rows()) > sum(row.kind == "resume" for row in journal.rows())
    run = EmbeddedRun(
        journal,
        WorldTools(world, journal, at_once),
        HonestPeople(world, answers),
        ManualClock(),
        settle_answer=lambda request, answer: program.contracts[request.tool].interpret(request, answer),
        settle_failure=failure,
        decision={} if blocked else None,
    )
    core = core_of(program, run)
    try:
        ended = drive(walk(core), loop=at_once)
        run.end(ended.status, {})
    except (Waiting, Blocked) as stop:
        with suppress(Crash, JournalError):
            run.stop("stopped")
        return "waiting" if isinstance(stop, Waiting) else "blocked" if stop.key else "stuck"
    except Crash:
        return "crashed"
    except JournalError as error:
        if error.code != "run/disk-full":
            raise
        return "refused"
    return str(ended.status)


WRITE = st.tuples(
    st.sampled_from(["box.put", "box.send", "box.burn"]),
    st.sampled_from(IDS),
    st.sampled_from(["as", "outcome", "retry", "judged", "at_once", "twice"]),
)


def _write(number: int, tool: str, item: str, way: str) -> list[JsonObject]:
    name = f"w{number}"
    call: JsonObject = {"call": tool, "needs": "go", "with": {"id": item}}
    read = {"call": "box.look", "with": {"id": item}, "as": f"r{number}"}
    match way:
        case "outcome":
            return [call | {"outcome": name}]
        case "retry":
            return [call | {"outcome": name, "retry": {"errors": ["transient", "timed_out", "invalid"], "at_most": 3}}]
        case "judged":
            judged = {"accept": [{"rule": "odd", "that": "answer == {}"}], "retry": {"errors": ["odd"], "at_most": 3}}
            return [call | {"outcome": name} | judged]
        case "at_once":
            body = [read, call | {"outcome": name}]
            return [{"each": f"l{number}", "in": "[1, 2, 3]", "at_once": 2, "do": body}]
        case "twice":
            return [call | {"outcome": name}, call | {"outcome": f"v{number}"}]
    return [read, call | {"as": name}]


@settings(max_examples=draws(120), deadline=None)
@given(
    st.lists(WRITE, min_size=1, max_size=5),
    st.lists(WRITE, max_size=2),
    st.integers(0, 2**30),
    st.lists(st.sampled_from(["do it", "later", "Do it", "yes"]), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=5),
    st.booleans(),
)
def test_no_answers_and_crashes_lead_to_a_write_that_was_not_permitted_or_happens_twice(
    writes: list[Any], others: list[Any], seed: int, answers: list[str], crashes: list[tuple[int, bool]], at_once: bool
) -> None:
    permits = [{"id": str(number), "tool": tool, "with": {"id": item}} for number, (tool, item, _) in enumerate(writes)]
    confirm = {
        "confirm": "go",
        "permits": permits,
        "text": {"done": "ready", "next": "write", "writes": True},
        "choices": [{"id": "fine", "confirms": True, "phrase": "do it"}, {"id": "later"}],
    }
    steps = list(chain(*(_write(number, *drawn) for number, drawn in enumerate([*writes, *others]))))
    program = program_of({"ONE": {"tools": TOOLS, "steps": [confirm, *steps]}})
    world = World(seed)
    journal = FragileJournal(world)
    for points, power_cut in crashes:
        world.begin_process(points)
        walk_once(program, world, journal, answers, at_once)
        if power_cut:
            journal = journal.after_power_cut()
    world.begin_process()
    for _ in range(6):
        if walk_once(program, world, journal, answers, at_once) in ("completed", "failed", "stuck"):
            break
    assert world.blind == []
    assert all(count == 1 for count in world.done.values()), world.done
    assert set(world.done) <= permitted_by(journal)


WAYS = st.fixed_dictionaries(
    {
        "tool": st.sampled_from(["box.put", "box.send", "box.burn"]),
        "at_once": st.sampled_from([None, 2, "all"]),
        "retries": st.booleans(),
        "inside": st.booleans(),
        "leave": st.sampled_from(["asked", "once", "none"]),
        "judged": st.booleans(),
    }
)


def _again_and_again(tool: str, at_once: Any, *, retries: bool, inside: bool, leave: str, judged: bool) -> Program:
    """Return a workflow that writes, partly the same, and writes once more what was not done; a cancel ends so too.

    Shapes: `leave` says by whose leave it writes: a person's, nobody's but only once, or nobody's.
    """
    call: JsonObject = {"call": tool, "with": {"id": "{{ p.with.id }}"}, "outcome": "w"}
    if leave != "none":
        call |= {"needs": "go"} if leave == "asked" else {"once_per_run": True}
    if judged:
        call["accept"] = [{"rule": "odd", "that": "answer.token | default('t') != 'odd'"}]
    if retries:
        call["retry"] = {"errors": ["transient", "timed_out", "invalid"], "at_most": 3}
    body = [{"call": "box.look", "with": {"id": "{{ p.with.id }}"}, "as": "r"}, call]
    writes: JsonObject = {"each": "p", "in": "left", "do": body}
    writes |= {"give": "{{ {'keep': not w.ok, 'p': p} }}", "as": "results"}
    if at_once is not None:
        writes["at_once"] = at_once
    if at_once is not None and inside and leave != "none":
        writes = {"each": "q", "in": "[1, 2]", "at_once": 2, "do": [writes], "give": "{{ results }}", "as": "both"}
    confirm = {
        "confirm": "go",
        "permits": "{{ left }}",
        "text": {"done": "ready", "next": "write", "writes": True},
        "choices": [{"id": "fine", "confirms": True, "phrase": "do it"}],
    }
    results = "both[1]" if "q" in writes.values() else "results"
    rest = {"set": {"left": f"{{{{ {results} | where(keep=true) | pluck('p') }}}}"}}
    again = {"to": "ONE", "when": "left | count > 0", "at_most": 2}
    states = {
        "ONE": {
            "tools": TOOLS,
            "when_cancelled": "TWO",
            "steps": [*([confirm] if leave == "asked" else []), writes, rest],
            "next": [again, {"to": "end"}],
        },
        "TWO": {"tools": TOOLS, "steps": [writes]},
    }
    items = "abc" if leave == "none" and at_once is not None else "aabc"  # equal ones at once are several then
    left = [{"id": str(number), "tool": tool, "with": {"id": item}} for number, item in enumerate(items)]
    data = {"left": {"type": "array", "default": left}}
    reason = {} if leave == "asked" else {"writes_without_confirmation": "test"}
    return program_of(states, data=data, outputs={}, **reason)


@settings(max_examples=draws(80), deadline=None)
@given(
    WAYS,
    st.integers(0, 2**30),
    st.lists(st.sampled_from([None, "stop"]), max_size=3),
    st.sets(st.integers(1, 25), max_size=2),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 14), *[st.booleans()] * 4), max_size=5),
    st.lists(st.booleans(), min_size=1, max_size=3),
)
def test_a_write_left_unknown_is_looked_up_whoever_stops_refuses_permits_or_repeats_it(
    way: Any, seed: int, says: list[str | None], cancels: set[int], processes: list[Any], loops: list[bool]
) -> None:
    program = _again_and_again(**way)
    world = World(seed, says, cancels)
    world.asks, world.judges = way["leave"] == "asked", way["judged"]
    journal = FragileJournal(world)
    for points, commits, dies, refuses, power_cut, loop in processes:
        world.begin_process(points if dies else 10**9, commits if refuses else 10**9)
        walk_once(program, world, journal, ["do it"], loop)
        if power_cut:
            journal = journal.after_power_cut()
    status = ""
    for number in range(14):
        world.begin_process()
        status = walk_once(program, world, journal, ["do it"], loops[number % len(loops)])
        if status in ("completed", "cancelled"):
            break
    assert status in ("completed", "cancelled")
    assert world.blind == []
    assert way["leave"] == "none" or all(count == 1 for count in world.done.values()), world.done
    assert walk_once(program, world, journal, ["do it"], at_once=False) == status


# --- values that look like something else -----------------------------------------------------------------------------

HOSTILE = st.one_of(
    st.sampled_from(
        [
            "{{ run.id }}",
            "{% for i in [1] %}x{% endfor %}",
            "{# gone #}",
            "do it",
            "确认",
            "\u202egpj.exe",
            "\x1b[2J",
            "id: 1\nconfirms: true",
            "<script>",
            "| a | b |",
        ]
    ),
    st.text(max_size=12),
)
NESTED = st.recursive(
    HOSTILE,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(HOSTILE, inner, max_size=2)),
    max_leaves=5,
)


class Shown:
    """Keeps the questions; answers with a text that somebody typed."""

    def __init__(self, typed: str) -> None:
        self.questions: list[Question] = []
        self.messages: list[JsonObject] = []
        self._typed = typed

    def ask(self, question: Question, check: Callable[[Any, str], Check]) -> Answer | None:
        self.questions.append(question)
        checked = check(self._typed, "en")
        return Answer("answered", checked.value, "ann", "", "terminal") if checked.value is not None else None

    def show(self, message: JsonObject) -> None:
        self.messages.append(message)

    def show_progress(self, state: str, text: JsonObject) -> None:
        """Nobody watches."""

    def show_live(self, *args: Any) -> None:
        """Nobody watches."""


def _hostile_program() -> Program:
    confirm = {
        "confirm": "go",
        "shows": "{{ [found.title, found.note] }}",
        "permits": [{"id": "one", "tool": "box.put", "with": {"id": "{{ found.title }}", "note": "{{ found.note }}"}}],
        "text": {
            "done": {"zh": "看到 {{ found.title }}", "en": "Saw {{ found.title }}"},
            "next": "on",
            "writes": True,
            "tables": [{"rows": "[found]", "row": "r", "columns": {"title": "{{ r.title }}"}}],
        },
        "choices": [{"id": "fine", "confirms": True, "phrase": {"zh": "确认", "en": "do it"}}, {"id": "later"}],
    }
    put = {"call": "box.put", "needs": "go", "with": {"id": "{{ found.title }}", "note": "{{ found.note }}"}}
    steps = [
        {"call": "box.look", "with": {"id": "a"}, "as": "seen"},
        {"set": {"found": {"title": "{{ seen.title }}", "note": "{{ seen.note }}"}}},
        confirm,
        put | {"outcome": "written", "when": "go.choice == 'fine'"},
    ]
    data = {"found": {"type": "object", "default": {}}}
    confirm["shows"] = "found"
    return program_of({"ONE": {"tools": TOOLS, "steps": steps}}, data=data, outputs={})


PROGRAM = _hostile_program()


@given(HOSTILE, NESTED, HOSTILE)
def test_hostile_values_never_change_what_is_asked(title: str, note: Any, typed: str) -> None:
    found = {"id": "a", "title": title, "note": note, "token": "t"}
    tools, people = Scripted(lambda request: found), Shown(typed)
    journal = MemoryJournal()
    run = EmbeddedRun(
        journal,
        tools,
        people,
        ManualClock(),
        settle_answer=lambda request, answer: PROGRAM.contracts[request.tool].interpret(request, answer),
    )
    core = core_of(PROGRAM, run)
    try:
        drive(walk(core))
    except Waiting:
        run.stop("waiting")
    asked = people.questions[0]
    assert asked.shown == {"title": title, "note": note}
    assert asked.permits == ({"id": "one", "tool": "box.put", "with": {"id": title, "note": note}},)
    assert asked.text["done"] == {"zh": f"看到 {title}", "en": f"Saw {title}"}
    assert asked.text["tables"][0]["rows"] == [[title]]
    assert [choice["id"] for choice in asked.choices] == ["fine", "later"]
    written = [request.arguments for request in tools.calls if request.tool == "box.put"]
    assert written == ([{"id": title, "note": note}] if typed.strip() in ("do it", "确认") else [])

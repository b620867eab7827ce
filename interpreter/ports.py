"""What the engine asks of the world, and the records that cross; no behaviour.

The core (`interpreter/engine`) awaits `Run` and nothing else. `Journal`, `Tools`, `People`, `Clock` and `Progress` are
what the embedded `Run` is made of; another durable engine brings its own.

Keys: `STATE#visit/step[index]/p<page>/a<attempt>`. A key names one effect for ever; the same key with other arguments
is an error (`run/journal-mismatch`), never a new effect.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from rules.records import NamedTuple, field, record

JsonObject = dict[str, Any]

# --- control: how a run stops. These are no errors; they unwind the core to whoever drives it. ------------------------


class Stop(BaseException):
    """The run stops here with a status; everything acknowledged is kept."""


class Waiting(Stop):
    """A person has to answer. Shapes: `keys` are the keys of the open questions."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = tuple(keys)
        super().__init__(", ".join(self.keys))


class Blocked(Stop):
    """Something that can be mended stands in the way; `key` is where a resume goes on."""

    def __init__(self, key: str, finding: JsonObject) -> None:
        self.key = key
        self.finding = finding
        super().__init__(f"{key}: {finding.get('code')}")


class Cancelled(Stop):
    """A cancel request took effect at `key`."""

    def __init__(self, key: str, count: int) -> None:
        self.key = key
        self.count = count
        super().__init__(key)


class Interrupted(Stop):
    """The person pressed Ctrl-C, or the process was asked to end; the run can be resumed."""


class JournalError(Exception):
    """The journal cannot be trusted or written. Shapes: `code` is a `run/journal-*` code, `facts` fill its texts."""

    def __init__(self, code: str, **facts: object) -> None:
        self.code = code
        self.facts = facts
        super().__init__(f"{code} {facts}")


# --- effects ----------------------------------------------------------------------------------------------------------

Effect = Literal["read", "write", "destructive"]
ERROR_KINDS = (
    "invalid",
    "transient",
    "permanent",
    "unreachable",
    "person",
    "timed_out",
    "budget",
    "refused",
    "cancelled",
)


class Request(NamedTuple):
    """One attempt of a tool call, ready to be sent.

    Shapes: `arguments` is JSON with exact numbers; `identity` is the idempotency key (a hash of run and step key
    without its attempt number). `pool` is the name of the pool whose place is held while this attempt is in flight;
    `exclusive` names what never has two attempts in flight.
    Units: `timeout` in seconds.
    """

    tool: str
    arguments: JsonObject
    effect: Effect
    identity: str
    idempotent: bool = False
    timeout: float | None = None
    pool: str | None = None
    pool_size: int | None = None
    exclusive: str | None = None
    digest: str = ""


#: The recorded outcome of one attempt, plain JSON:
#:   {"ok": true, "value": …, "at": instant, "sent": arguments}
#:   {"ok": false, "error": {"code", "kind", "message", "happened": "never" | "perhaps", "details"?, "retry_after"?},
#:    "at": instant, "sent": arguments}
Outcome = JsonObject


@record
class Question:
    """A question as it is published and recorded.

    Shapes: `name` is what the workflow calls it, `visit` counts its askings in the run; `text` is a message with both
    languages ({"done", "next", "writes", "tables"}); `shown` the value that the person decides about; `digest` its
    digest; `choices` a list of {"id", "label", "phrase", "confirms"}; `form` a list of fields ({"name", "title",
    "schema", "optional", "many", "start", "choices": [{"value", "label"}]}), each with `when` already decided or a
    `depends` marker; `permits` the exact calls ({"id", "tool", "with"}). `kind` is `confirm`, `ask` or `unknown_write`.
    `may_be_unanswered`: where nobody is there, the run goes on with an `abandoned` answer instead of waiting. `masked`
    names what of `shown` and `permits` is masked where it is shown (marks as in `masking.as_json`); a field of a form
    with `masked` shows neither its start nor its answer. The digest is that of the real values.
    """

    name: str
    visit: int
    kind: Literal["confirm", "ask", "unknown_write"]
    text: JsonObject
    shown: Any
    digest: str
    choices: tuple[JsonObject, ...] = ()
    form: tuple[JsonObject, ...] = ()
    permits: tuple[JsonObject, ...] = ()
    wait: str | None = None
    writes: bool = False
    may_be_unanswered: bool = False
    masked: JsonObject = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What people and journals call it: `name#visit`."""
        return f"{self.name}#{self.visit}"

    def as_json(self) -> JsonObject:
        """Return it in the form in which it is recorded."""
        result: JsonObject = {name: getattr(self, name) for name in _RECORDED}
        result |= {name: list(getattr(self, name)) for name in ("choices", "form", "permits")}
        return result | ({"masked": self.masked} if self.masked else {})


_RECORDED = ("name", "visit", "kind", "text", "shown", "digest", "wait", "writes")


#: So many digits of a digest are shown and suffice.
SEEN_DIGITS = 12


def is_digest(seen: object, digest: str) -> bool:
    """Say whether somebody names a digest, or its beginning as it is shown; digits alone may have come as a number."""
    text = str(seen)
    return len(text) >= SEEN_DIGITS and digest.startswith(text)


def recorded_key(question: JsonObject) -> str:
    """Return the key of a question as it was recorded."""
    return f"{question['name']}#{question['visit']}"


def taken_by(choice: JsonObject, language: str = "en") -> str:
    """Return what is typed to take a choice: its phrase, else its id."""
    phrase = choice.get("phrase")
    if isinstance(phrase, dict):
        return str(phrase[language])
    return str(phrase if phrase is not None else choice["id"])


@record
class Answer:
    """What ended a question.

    Shapes: `ending` is answered, refused, timed_out or abandoned; `value` is `{"choice": id}` for a confirmation and
    the filled form for an ask; `who`, `at`, `through` (terminal, answer-command, prepared, host) say whence it came.
    """

    ending: Literal["answered", "refused", "timed_out", "abandoned"]
    value: JsonObject
    who: str = ""
    at: str = ""
    through: str = ""
    claimed: bool = False
    saw_digest: bool = False


class Check(NamedTuple):
    """What a core says of an answer that somebody gave: a value to keep, or why the question stays open."""

    value: JsonObject | None
    code: str = ""
    facts: Mapping[str, object] = {}


class Run(Protocol):
    """Inside a run; the engine core awaits nothing else.

    Every method raises `Stop` where the run stops, `JournalError` where the journal is wrong.
    """

    async def step(self, key: str, request: Request) -> Outcome:
        """Return the outcome of one attempt, from the record or by making the call."""

    async def settle(self, key: str, outcome: Outcome) -> Outcome:
        """Return the final outcome of a write whose outcome was unknown, as recorded first.

        An intention found without an outcome makes `step` return an error with the code `unknown_outcome`; the core
        looks it up with steps of other keys, then settles. A replay goes the same way: unknown, lookups, settled.
        """

    async def map(self, key: str, bodies: Sequence[Callable[[], Awaitable[Any]]], limit: int) -> list[Any]:
        """Run bodies, at most `limit` at once (0: all), and return their results in list order."""

    async def wait(self, key: str, question: Question, check: Callable[[Any, str], Check]) -> Answer:
        """Publish a question and return its answer; `check(body, language)` decides whether a given answer fits."""

    async def sleep(self, key: str, seconds: float) -> None:
        """Pause durably."""

    async def now(self, key: str) -> str:
        """Return a recorded instant, ISO 8601 in UTC, never earlier than the last one."""

    async def block(self, key: str, finding: JsonObject) -> JsonObject:
        """Stop as blocked, or return the recorded decision (a resume, with waivers and budgets) that goes on here.

        Shapes: `restarts` in it: a walk whose place is lost may begin again.
        """

    def turn(self, after_calls: bool = True) -> Awaitable[None] | None:
        """Return what lets other bodies go on where it is awaited, None where there are none.

        This is also where a cancel is seen: at every turn after calls, now and then at others.
        """

    def put_off(self, stop: Cancelled) -> None:
        """Let a cancel that was caught, because something had to be found out first, take effect at the next effect."""

    def look_up(self, key: str) -> None:
        """Look up from a long stretch of pure steps; raises `Interrupted` where the process was asked to end."""

    def message(self, key: str, message: JsonObject) -> None:
        """Show a message once; never again when the run is walked anew."""

    def record(self, key: str, value: Any) -> Any:
        """Return the value recorded under a key, or record this one with the next effect."""

    def note(self, body: JsonObject) -> None:
        """Add a row to the trace; it rides in the next effect's transaction. Nothing while the record is replayed.

        Shapes: `note` in it says what kind it is; nobody changes it afterwards, so that one may be noted many times.
        """

    def progress(self, state: str, render: Callable[[], JsonObject] | None, first: float, every: float) -> None:
        """Say how the present state describes its progress; `render` is called only when it is shown."""


# --- what the embedded run is made of ---------------------------------------------------------------------------------


class Row(NamedTuple):
    """One entry of a journal.

    Shapes: `kind` is start, intention, outcome, settled, question, answer, now, sleep, block, resume, cancel, stopped
    (which bodies of a failed `map` had begun), edited, message, trace or end; `key` the effect's key ('' for rows
    without one); `body` plain JSON.
    """

    sequence: int
    key: str
    kind: str
    body: JsonObject


class Holds(Protocol):
    """Which programs that a run has started are still at work; they may outlive the process that started them."""

    def take(self, identity: str) -> int | None:
        """Return a descriptor that a program inherits: as long as it is open anywhere, its call is at work.

        Shapes: `identity` is that of the call, '' for a server that answers many; None where nothing can tell.
        """

    def let_go(self, identity: str) -> None:
        """Forget a call that has been answered."""

    def is_at_work(self, identity: str) -> bool:
        """Tell whether a program of an earlier process may still do what this call asked for."""


class Journal(Protocol):
    """An append-only log of one run, owned by one process at a time."""

    @property
    def holds(self) -> Holds: ...

    def append(self, rows: Iterable[tuple[str, str, JsonObject]], *, sync: bool) -> None:
        """Add (key, kind, body) rows in one commit; with `sync` they survive a power cut before this returns.

        Errors: JournalError(`run/journal-not-written`) when the disk refuses; the run stops.
        """

    def rows(self, without: frozenset[str] = frozenset()) -> Iterator[Row]:
        """Return every row in order, read ahead lazily; those of the kinds in `without` are checked, not returned."""

    def of_kinds(self, *kinds: str) -> Iterator[Row]:
        """Return the rows of some kinds in order, of a journal that was read whole before, or written by this process.

        They are few among very many, and looked up; the chain over all rows is not followed again.
        """

    def notes_at_end(self) -> int:
        """Return how many rows without a key stand at the end, behind the last one that is no trace."""

    def answers(self) -> Mapping[str, JsonObject]:
        """Return the answers given so far, by key of the question (`name#visit`)."""

    def offer_answer(self, question: str, body: JsonObject) -> JsonObject:
        """Give an answer to a question; return the answer that won, which is the first one given by anybody."""

    def refuse_answer(self, question: str, reason: JsonObject) -> None:
        """Void the answer given so far, because it does not fit; the question is open again."""

    def cancels(self) -> int:
        """Return how many times somebody asked to cancel."""

    def request_cancel(self) -> None:
        """Ask once more to cancel."""

    def set_status(self, status: JsonObject) -> None:
        """Replace the small record that `runs` and `show` read."""

    def close(self) -> None: ...


class Tools(Protocol):
    """Adapters behind names."""

    def has(self, tool: str) -> bool: ...

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any | Awaitable[Any]:
        """Make one call. Returns the answer (perhaps as `Answered`), or raises `ToolFailure`.

        Shapes: `cancelled` tells a long call whether to end early, with a failure of the code `cancelled`.
        """

    def identities(self) -> Mapping[str, str]:
        """Return what each adapter resolved to (root folder, address, account), by tool."""


class ToolFailure(Exception):
    """A call that did not succeed, in the contract's words.

    Shapes: `is_unsure` says that a write may have happened all the same, whatever its code means elsewhere.
    """

    def __init__(
        self,
        code: str,
        message: str,
        details: JsonObject | None = None,
        retry_after: float | None = None,
        *,
        is_unsure: bool = False,
    ) -> None:
        self.code = code
        self.message = message
        self.details: JsonObject = details if details is not None else {}
        self.retry_after = retry_after
        self.is_unsure = is_unsure
        super().__init__(code, message, details, retry_after)


class Answered(NamedTuple):
    """An answer of a tool with something to keep beside it, which no workflow sees: tokens that were used.

    Shapes: both are JSON.
    """

    value: Any
    details: JsonObject


class People(Protocol):
    """Whoever can be asked right now."""

    def ask(self, question: Question, check: Callable[[Any, str], Check]) -> Answer | None:
        """Return an answer given now, or None when nobody is there."""

    def show(self, message: JsonObject) -> None: ...

    def show_progress(self, state: str, text: JsonObject) -> None: ...

    def show_live(self, state: str, render: Callable[[], JsonObject] | None) -> None:
        """Show how far a state is where whatever comes next replaces it; nothing where that cannot be done."""


class Clock(Protocol):
    def now(self) -> str:
        """Return the instant, ISO 8601 in UTC with milliseconds."""

    def monotonic(self) -> float: ...

    def pause(self, seconds: float) -> None: ...

"""The world of a case: tools that answer what it declares, and people who say what it lets them say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from interpreter.adapters.clock import ManualClock
from interpreter.ports import Answer, Check, Holds, JsonObject, Question, Request, ToolFailure
from interpreter.testing.cases import Case, DeclaredAnswer, tries_of
from rules.records import NamedTuple
from rules.values import ABSENT, CannotEvaluate

#: How a question may end without an answer.
ENDINGS = ("refused", "timed_out", "abandoned")
#: A case in which more is asked goes round for ever: its last answers are given again and again.
MOST_ASKED = 1_000


class Called(NamedTuple):
    """One call that was made. Shapes: `error` is the code that the case declared for it, '' for an answer."""

    tool: str
    sent: JsonObject
    error: str


class Computing(Protocol):
    """What answers tools by computation alone."""

    def has(self, tool: str) -> bool: ...

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any: ...


class DeclaredTools:
    """Each answer of a case is given once, in order, to a call that it fits, one that says `always` to every such call;
    the last one that fits is given again.

    Shapes: `called` are the calls made; `undeclared` those for which nothing fits. `stop` ends the run there,
    `cancel` is what a person does who cancels it. A recorded answer comes at the instant at which it was recorded.
    """

    needs_loop = False

    def __init__(
        self,
        case: Case,
        known: frozenset[str],
        examples: Mapping[str, Any],
        computing: Computing | None,
        clock: ManualClock,
    ) -> None:
        self.called: list[Called] = []
        self.undeclared: list[Called] = []
        self.stop: Callable[[], None] = lambda: None
        self.cancel: Callable[[], None] = lambda: None
        self._case = case
        self._known = known
        self._examples = examples
        self._computing = computing
        self._clock = clock
        self._given: Counter[tuple[str, int]] = Counter()

    def has(self, tool: str) -> bool:
        return tool in self._known

    def names(self) -> frozenset[str]:
        return self._known

    def identities(self) -> Mapping[str, str]:
        return {}

    def invoke(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        answer = self._answer(request)
        if answer is None:
            if self._computing is not None and self._computing.has(request.tool):
                self.called.append(Called(request.tool, request.arguments, ""))
                return self._computing.invoke(request, cancelled)
            self.undeclared.append(Called(request.tool, request.arguments, "undeclared"))
            self.stop()
            raise ToolFailure("undeclared", "the case declares no answer")
        if answer.at:
            self._clock.turn_to(answer.at)
        if answer.cancels:
            self.cancel()
        if answer.error is None:
            self.called.append(Called(request.tool, request.arguments, ""))
            return answer.value(self._examples.get(request.tool))
        code = str(answer.error["code"])
        self.called.append(Called(request.tool, request.arguments, code))
        raise ToolFailure(code, str(answer.error.get("message", "")), retry_after=answer.error.get("retry_after"))

    def hold_programs(self, holds: Holds) -> None:
        """Nothing is started."""

    async def close(self) -> None:
        """Nothing is open."""

    def _answer(self, request: Request) -> DeclaredAnswer | None:
        fitting = [
            (number, answer)
            for number, answer in enumerate(self._case.tools.get(request.tool, ()))
            if fits(answer, request.arguments)
        ]
        for number, answer in fitting:
            if answer.always or not self._given[request.tool, number]:
                self._given[request.tool, number] += 1
                return answer
        return fitting[-1][1] if fitting else None


def fits(answer: DeclaredAnswer, sent: JsonObject) -> bool:
    """Say whether an answer is declared for a call with these arguments."""
    if answer.when is None:
        return True
    try:
        return answer.when.evaluate({"sent": sent}) is True
    except CannotEvaluate:
        return False


class DeclaredPeople:
    """Shapes: `shown` are the messages and the texts of questions; `unfit` the answers that did not fit, each with why;
    `taken` the answers that should have been refused; `unanswered` the questions that nobody answered; `endless` the
    question at which it became clear that the run does not end.
    """

    def __init__(self, case: Case, clock: ManualClock) -> None:
        self.shown: list[JsonObject] = []
        self.unfit: list[tuple[str, Check]] = []
        self.taken: list[tuple[str, Any]] = []
        self.unanswered: list[str] = []
        self.endless = ""
        self._case = case
        self._clock = clock
        self._asked = 0

    def ask(self, question: Question, check: Callable[[Any, str], Check]) -> Answer | None:
        self._asked += 1
        if self._asked > MOST_ASKED:
            self.endless = question.name
            return None
        if question.key in self._case.answered_at:
            self._clock.turn_to(self._case.answered_at[question.key])
        self.shown.append(question.text)
        wrong, said, who = tries_of(self._said(question))
        for one in wrong:
            if check(one, self._case.language).value is not None:
                self.taken.append((question.name, one))
                return None
        if said is ABSENT:
            if question.may_be_unanswered:
                return Answer("abandoned", {}, "", "", "terminal")
            self.unanswered.append(question.name)
            return None
        if isinstance(said, dict) and set(said) == {"ending"} and said["ending"] in ENDINGS:
            return Answer(said["ending"], {}, who, "", "terminal")
        checked = check(said, self._case.language)
        if checked.value is None:
            self.unfit.append((question.name, checked))
            return None
        return Answer("answered", checked.value, who, "", "terminal")

    def show(self, message: JsonObject) -> None:
        self.shown.append(message)

    def show_progress(self, state: str, text: JsonObject) -> None:
        """Progress is nothing that a case speaks of."""

    def show_live(self, state: str, render: Any) -> None:
        """Nobody watches."""

    def _said(self, question: Question) -> Any:
        said = self._case.answers.get(question.name, ABSENT)
        if isinstance(said, list):
            return said[question.visit - 1] if question.visit <= len(said) else ABSENT
        return said

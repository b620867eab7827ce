"""A person at the terminal: questions asked one after another, answered by number, by phrase or by typing."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from interpreter.adapters.people import AskedFirst, Checks, Render
from interpreter.diagnostics import finding
from interpreter.ports import Answer, Check, Journal, JsonObject, People, Question
from interpreter.report.terminal import Terminal
from interpreter.report.words import instant, safe, shown
from interpreter.safety.masking import MASK
from interpreter.session.arguments import value_of
from interpreter.session.questions import YES_OR_NO, by_number, field_problem

_LONG_LIST = 12
_ALL = frozenset({"all", "全部"})
_NONE = frozenset({"none", "无"})
#: Units: seconds.
_LOOK_UP_EVERY = 0.25


class TerminalPeople:
    """Asks whoever sits at the terminal. An empty line or end of input leaves the question open.

    It stops asking where the question is answered elsewhere meanwhile, or the run is to be cancelled.

    Shapes: `interactive` False: questions are shown and stay open.
    """

    def __init__(self, terminal: Terminal, interactive: bool, who: str, claimed: bool) -> None:
        self._terminal = terminal
        self._interactive = interactive
        self._who = who
        self._claimed = claimed
        self._journal: Journal | None = None
        self._is_over: Callable[[], bool] = _never
        self.is_asking = False

    def watch(self, journal: Journal) -> None:
        """Look there for what others answer while a question stands at the terminal."""
        self._journal = journal

    def show(self, message: JsonObject) -> None:
        self._terminal.message(message)

    def show_progress(self, state: str, text: JsonObject) -> None:
        self._terminal.progress(state, text)

    def show_live(self, state: str, render: Render) -> None:
        if self._terminal.is_live:
            self._terminal.live(state, render() if render is not None else {})

    def ask(self, question: Question, check: Checks) -> Answer | None:
        if not self._interactive and question.may_be_unanswered:
            return None
        self._terminal.question(question.as_json(), with_fields=not self._interactive)
        if not self._interactive:
            return None
        given, self._is_over = self._watched(question.key)
        try:
            answer = self._answer(question, check)
        except _IsOver:
            self._terminal.line()
            answer = None
        finally:
            self._is_over = _never
        elsewhere = given()
        if elsewhere is None:
            return answer
        # The first answer stands, also where another one was typed at the same time.
        self._say_who_answered(question, elsewhere, check)
        return None

    def _watched(self, key: str) -> tuple[Callable[[], JsonObject | None], Callable[[], bool]]:
        """Return what tells the answer that somebody else gave, and whether there is nothing to ask any more."""
        journal = self._journal
        if journal is None:
            return lambda: None, _never
        cancels = journal.cancels()
        return lambda: journal.answers().get(key), lambda: key in journal.answers() or journal.cancels() > cancels

    def _say_who_answered(self, question: Question, given: JsonObject, check: Checks) -> None:
        language = self._terminal.language
        text = "已经在别处回答了，以先到的回答为准：" if language == "zh" else "Answered elsewhere before; that stands:"
        self._terminal.words(text, "yellow")
        value = check(given["value"], language).value if given["ending"] == "answered" else {}
        if value is not None:
            self._terminal.given(question.as_json(), {**given, "value": value}, how_given(self._terminal, given))

    def _answer(self, question: Question, check: Checks) -> Answer | None:
        while True:
            body = self._form(question, check) if question.kind == "ask" else self._choice(question)
            if body is None:
                return None
            checked = check(body, self._terminal.language)
            if checked.value is not None:
                return Answer("answered", checked.value, self._who, "", "terminal", claimed=self._claimed)
            self._say_wrong(checked, question.form)

    def _choice(self, question: Question) -> str | None:
        while (typed := self._read("> ")) == "":
            self._say_needed()
        if typed is None:
            return None
        return str(by_number(question.as_json(), typed, has_seen=True))

    def _form(self, question: Question, check: Checks) -> JsonObject | None:
        """Ask for one visible field after another; conditions of later fields see earlier answers."""
        filled: JsonObject = {}
        asked: set[str] = set()
        visible: Callable[[JsonObject], list[JsonObject]] | None = getattr(check, "fields", None)
        while True:
            fields = visible(filled) if visible is not None else list(question.form)
            field = next((one for one in fields if one["name"] not in asked), None)
            if field is None:
                return filled
            asked.add(field["name"])
            value = self._fitting(field)
            if value is _STOP:
                return None
            if value is not _NOTHING:
                filled[field["name"]] = value

    def _fitting(self, field: JsonObject) -> Any:
        """Ask for a field until what is typed fits it."""
        while True:
            value = self._field(field)
            if value is _STOP or value is _NOTHING:
                return value
            problem = field_problem(field, {field["name"]: value})
            if problem is None:
                return value
            self._say_wrong(problem, [field])

    def _say_wrong(self, check: Check, fields: Sequence[JsonObject]) -> None:
        """Say why an answer is not taken; a field is named by its title, as the question names it here."""
        name = check.facts.get("field")
        title = next((field["title"] for field in fields if field["name"] == name and "title" in field), name)
        named = check._replace(facts={**check.facts, "field": title}) if name is not None else check
        self._terminal.words("  " + check_text(named, self._terminal.language), "yellow")

    def _field(self, field: JsonObject) -> Any:
        language = self._terminal.language
        title = shown(field.get("title", field["name"]), language)
        choices = _choices(field)
        if choices:
            self._list(title, choices, field["many"])
        while True:
            wanted = "" if choices else self._wanted(field)
            typed = self._read(f"{'  ' if choices else title}{wanted}{self._hint(field, choices)} > ")
            if typed is None:
                return _STOP
            if typed == "":
                if "start" in field:
                    return field["start"]
                if field["optional"]:
                    return _NOTHING
                self._say_needed()
                continue
            if not choices:
                return _typed(typed, field)
            picked = self._picked(typed, choices, field["many"])
            if picked is not _NOTHING:
                return picked

    def _say_needed(self) -> None:
        is_zh = self._terminal.language == "zh"
        text = "这里不能留空；按 Ctrl-D 可以以后再回答" if is_zh else "this cannot be left empty; Ctrl-D puts it off"
        self._terminal.words(f"  {text}", "yellow")

    def _list(self, title: str, choices: list[JsonObject], many: bool) -> None:
        language = self._terminal.language
        tail = ""
        if many:
            tail = (
                "（可多选，用逗号分隔；或 全部、无）" if language == "zh" else " (several, with commas; or all, none)"
            )
        self._terminal.line(f"» {title}{tail}", "bold")
        for number, choice in enumerate(choices, start=1):
            self._terminal.line(f"  {number:>3}. {shown(choice['label'], language)}")

    def _wanted(self, field: JsonObject) -> str:
        """Return what may be typed in a field, in brackets; nothing for any text."""
        from interpreter.engine.problems import wanted_by  # not every run asks for a form

        wanted = wanted_by(field["schema"])
        if wanted is None:
            return ""
        is_list = field["schema"].get("type") == "array"
        if self._terminal.language == "zh":
            return f"（{wanted.zh}{'，用逗号分隔' if is_list else ''}）"
        return f" ({wanted.en}{', with commas' if is_list else ''})"

    def _hint(self, field: JsonObject, choices: list[JsonObject]) -> str:
        language = self._terminal.language
        if "start" in field and field["start"] not in ("", [], None):
            label = next((choice["label"] for choice in choices if choice["value"] == field["start"]), field["start"])
            return f" [{MASK if field.get('masked') else shown(label, language)}]"
        if field["optional"]:
            return "（可不填）" if language == "zh" else " (may be left empty)"
        return ""

    def _picked(self, typed: str, choices: list[JsonObject], many: bool) -> Any:
        """Return the value(s) named by numbers, values or labels; several may be all or none."""
        if many and typed.strip().casefold() in _ALL:
            return [choice["value"] for choice in choices]
        if many and typed.strip().casefold() in _NONE:
            return []
        parts = [part.strip() for part in typed.replace("，", ",").split(",")] if many else [typed.strip()]
        values = []
        for part in parts:
            found = self._one(part, choices)
            if found is None:
                return _NOTHING
            values.append(found["value"])
        return values if many else values[0]

    def _one(self, part: str, choices: list[JsonObject]) -> JsonObject | None:
        language = self._terminal.language
        if part.isdecimal() and 1 <= int(part) <= len(choices):
            return choices[int(part) - 1]
        wanted = part.casefold()
        if [choice["value"] for choice in choices] == [True, False] and wanted in YES_OR_NO:
            return choices[0 if YES_OR_NO[wanted] else 1]
        labels = [shown(choice["label"], language) for choice in choices]
        exact = [
            choice
            for choice, label in zip(choices, labels, strict=True)
            if part == choice["value"] or wanted == label.casefold()
        ]
        if exact:
            return exact[0]
        # A part of a label, its beginning too, is a way to look for it and never an answer: `all` stands in “call”.
        near = [number for number, label in enumerate(labels, start=1) if wanted in label.casefold()]
        for number in near[:_LONG_LIST]:
            self._terminal.line(f"  {number:>3}. {labels[number - 1]}")
        if near:
            text = "请输入编号或完整的名称" if language == "zh" else "type a number or a whole name of these"
        else:
            text = (
                f"没有“{safe(part)}”；请输入上面的编号或名称"
                if language == "zh"
                else f"there is no “{safe(part)}”; type a number or a name from the list"
            )
        self._terminal.line(f"  {text}", "yellow")
        return None

    def _read(self, prompt: str) -> str | None:
        self.is_asking = True
        try:
            line = self._line(prompt)
        except KeyboardInterrupt:
            # The question stays open, as when nothing is typed; who interrupted is told how to go on.
            self._terminal.line()
            return None
        finally:
            self.is_asking = False
        return line.rstrip("\n") if line else None

    def _line(self, prompt: str) -> str:
        """Return what is typed, '' at the end of input.

        Errors: KeyboardInterrupt and _IsOver, which come out of a signal.
        """
        try:
            return self._typed_line(prompt)
        except SystemError as error:
            # Where two signals come at once CPython runs the second while the first raises already, and says this.
            if isinstance(error.__cause__, KeyboardInterrupt | _IsOver):
                raise error.__cause__ from None
            raise

    def _typed_line(self, prompt: str) -> str:
        """Return a line as it is typed; a terminal lets it be edited where that can be done."""
        if _can_edit():
            try:
                with _LookingUp(self._is_over):
                    return input(prompt) + "\n"
            except EOFError:
                return ""
        sys.stderr.write(prompt)
        sys.stderr.flush()
        with _LookingUp(self._is_over):
            return sys.stdin.readline()


class _IsOver(Exception):
    """There is nothing to ask any more."""


def _never() -> bool:
    return False


class _LookingUp:
    """Looks up now and then while a key is waited for, and ends the wait, with `_IsOver`, where there is no need to.

    It also lets a Ctrl-C be seen that comes just before the wait; else only the next key would end it.
    """

    def __init__(self, is_over: Callable[[], bool]) -> None:
        self._is_over = is_over
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, _LOOK_UP_EVERY, _LOOK_UP_EVERY)

    def __exit__(self, *unused: object) -> None:
        self._is_over = _never
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def _look(self, number: int, frame: FrameType | None) -> None:
        if self._is_over():
            self._is_over = _never  # it may come on the way out too, and is raised once
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise _IsOver


def _can_edit() -> bool:
    """Say whether a line can be edited with the keys of a terminal; nothing that is typed is kept for later lines."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        return False
    try:
        import readline
    except ImportError:
        return False
    readline.set_auto_history(False)
    if "libedit" not in (readline.__doc__ or ""):
        readline.parse_and_bind("tab: self-insert")
        readline.parse_and_bind("set enable-bracketed-paste off")
    return True


class ShownAnswers(AskedFirst):
    """Shows each question that a file answers together with its answer, so that nothing is agreed to unseen.

    Shapes: `not_taken` are the questions whose prepared answer cannot permit writes under this profile.
    """

    def __init__(self, inner: People, terminal: Terminal, not_taken: frozenset[str], profile: str) -> None:
        super().__init__(inner)
        self._terminal = terminal
        self._not_taken = not_taken
        self._profile = profile

    def ask(self, question: Question, check: Checks) -> Answer | None:
        answer = self._inner.ask(question, check)
        through = answer.through if answer is not None else ""
        is_prepared = not self._not_taken.isdisjoint((question.name, question.key))
        if question.writes and is_prepared and through != "prepared":
            refused = finding("command/not-unattended", None, name=question.name, profile=self._profile)
            self._terminal.diagnostics([refused])
        if answer is not None and through == "prepared":
            through = self._terminal.word("prepared")
            self._terminal.answered(question.as_json(), {"ending": answer.ending, "value": answer.value}, through)
        return answer


_STOP: Any = object()
_NOTHING: Any = object()


def _choices(field: JsonObject) -> list[JsonObject]:
    found = field.get("choices")
    if found is not None:
        return list(found)
    schema = field["schema"]
    if "enum" in schema:
        return [{"value": value, "label": value} for value in schema["enum"]]
    if schema.get("type") == "boolean":
        return [
            {"value": True, "label": {"zh": "是", "en": "yes"}},
            {"value": False, "label": {"zh": "否", "en": "no"}},
        ]
    return []


def _typed(text: str, field: JsonObject) -> Any:
    schema = field["schema"]
    if schema.get("type") == "string":
        return text
    if schema.get("type") == "array" and not text.lstrip().startswith("["):
        return [part.strip() for part in text.replace("，", ",").split(",") if part.strip()]
    return value_of(text)


def how_given(terminal: Terminal, answer: JsonObject) -> str:
    """Return who gave an answer, through what and when."""
    who = safe(str(answer.get("who", "")))
    if answer.get("claimed"):
        who += "（自称）" if terminal.language == "zh" else " (claimed)"
    through = terminal.word(answer.get("through") or "nobody")
    return ", ".join(part for part in (who, through, instant(str(answer.get("at", "")))) if part)


def check_text(check: Check, language: str) -> str:
    """Return why an answer leaves its question open, in words."""
    from interpreter.codes import CODES

    code = CODES[check.code]
    facts = {name: shown(value, language) for name, value in check.facts.items()}
    text = code.message.filled(facts)[language]
    if code.advice is None:
        return text
    advice = code.advice.filled(facts)[language]
    return f"{text}. {advice[:1].upper()}{advice[1:]}" if language == "en" else f"{text}。{advice}"

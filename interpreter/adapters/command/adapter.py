"""The adapter `command`: one process for one attempt.

It repeats nothing: `retry` of the call does. The program, what it is given of the environment, and the form of each
argument are the profile's; only values come from data. Its version is asked for once, before the first call.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from interpreter.adapters.command.arguments import arguments_of, refuse_files
from interpreter.adapters.command.output import NotText, as_lines, parsed, report_in, text_of
from interpreter.adapters.command.planning import CommandCall
from interpreter.adapters.command.settings import CommandSettings, environment_of, found_program, no_program
from interpreter.adapters.holds import NoHolds
from interpreter.adapters.mapping import ends_of, failure, said, value_of
from interpreter.adapters.own_words import own_words
from interpreter.adapters.reasons import reason_of, system_words
from interpreter.diagnostics import Words
from interpreter.ports import Answered, Holds, JsonObject, Request, ToolFailure
from interpreter.safety.secrets import Secrets
from rules.json_problems import json_problem
from rules.patterns import regex
from rules.values import ABSENT, CannotEvaluate, dumps

#: How long a program may take where neither step nor contract says so. Units: seconds.
ANSWER_WITHIN = 300.0
_VERSION_WITHIN = 30.0
#: So much more of standard error is kept until secrets are masked: a secret that is cut is none that is found.
_LONGEST_SECRET = 25_000
_SIGNALS = {one.value: one.name for one in signal.Signals}
_SKIP_NOISE = Words(
    "；JSON 前后还有别的内容，请写 skip_noise: true", "; there is JSON among it: write skip_noise: true"
)
_SAID_NOTHING = Words("，什么也没有说", " and said nothing")
_NO_REMEDY = Words("", "")
_VERSION = regex(r"[0-9]+(?:\.[0-9]+)+")


class CommandAdapter:
    """`toolbox.LaterAdapter` over one program.

    Shapes: `secrets` by the name of their variable; `calls` by tool; `settings_of_profile` is what mappings read.
    """

    is_asynchronous = True

    def __init__(
        self,
        settings: CommandSettings,
        secrets: Mapping[str, str],
        calls: Mapping[str, CommandCall],
        settings_of_profile: Mapping[str, Any],
    ) -> None:
        self._settings = settings
        self.secrets = Secrets(secrets.values())
        self._calls = calls
        self._known = dict(settings_of_profile)
        self._environment = environment_of(settings, secrets, os.environ)
        self._place: str | None = None
        self._version: str | None = None
        self._holds: Holds = NoHolds()

    def hold_programs(self, holds: Holds) -> None:
        self._holds = holds

    def resolved_identity(self) -> str:
        known = {name: value for name, value in self._known.items() if value not in ("", None)}
        return f"{self._settings.program} {dumps(known)}" if known else self._settings.program

    async def call(self, request: Request, cancelled: Callable[[], bool]) -> Answered:
        """Make one attempt.

        Errors: ToolFailure with a code of the contract or of `codes.service`; TimeoutError.
        """
        from asyncio import timeout

        call = self._calls[request.tool]
        names = {**request.arguments, "idempotency_key": request.identity, "settings": self._known}
        words = arguments_of(call.argv, names)
        text = self._stdin(call, names)
        await self.installed()
        held = self._holds.take(request.identity) if request.effect != "read" else None
        async with timeout(request.timeout if request.timeout is not None else ANSWER_WITHIN):
            status, output, errors = await self._run(words, text, held)
        return self._read(call, request, status, output, errors)

    async def close(self) -> None:
        """Nothing stays open: every process ends with its call."""

    async def installed(self) -> str:
        """Return the version of the program, '' where the profile asks for none.

        Errors: ToolFailure(`program_missing`, `program_not_executable`, `program_too_old`, `program_not_started`).
        """
        settings = self._settings
        if self._place is None:
            self._place = found_program(settings, os.environ)
        if self._place is None:
            raise self._not_found()
        if not settings.version_from or self._version is not None:
            return self._version or ""
        from asyncio import timeout

        async with timeout(_VERSION_WITHIN):
            _, output, errors = await self._run(list(settings.version_from), None)
        told = _VERSION.search(output.decode("utf-8", "replace")) or _VERSION.search(errors.decode("utf-8", "replace"))
        version = told.group() if told is not None else ""
        if settings.at_least and _numbers(version) < _numbers(settings.at_least):
            raise failure(
                "program_too_old", program=settings.program, version=version or "?", at_least=settings.at_least
            )
        self._version = version
        return version

    # --- the way there and back ---

    def _stdin(self, call: CommandCall, names: dict[str, Any]) -> bytes | None:
        try:
            value = call.stdin(names) if call.stdin is not None else ABSENT
        except CannotEvaluate as error:
            reason = reason_of(error)
            raise failure("request_not_made", reason_zh=reason.zh, reason_en=reason.en) from None
        if value is ABSENT:
            return None
        if isinstance(value, str):
            return value.encode(self._settings.encoding, "replace")
        if call.stdin_has_data:
            refuse_files(value)
        return dumps(value).encode("utf-8", "replace")

    async def _run(self, words: list[str], text: bytes | None, held: int | None = None) -> tuple[int, bytes, bytes]:
        from interpreter.adapters.command.process import run

        settings = self._settings
        assert self._place is not None
        try:
            ended = await run(
                [self._place, *words],
                text=text,
                environment=self._environment,
                folder=settings.folder,
                most_output=settings.largest_answer,
                most_errors=settings.largest_errors + _LONGEST_SECRET,
                is_whole=self._is_whole,
                held=held,
            )
        except OSError as error:
            raise self._not_started(error) from None
        if ended.is_too_large:
            raise failure("answer_too_large", at_most=settings.largest_answer)
        return ended.status, ended.output, ended.errors

    def _is_whole(self, output: bytes) -> bool:
        """Say whether output is an answer to which nothing can be added: one JSON object, or one list."""
        settings = self._settings
        if settings.output != "json" or settings.skip_noise:
            return False
        try:
            return isinstance(parsed(text_of(output, settings.encoding), "json", skip_noise=False), dict | list)
        except (NotText, ValueError):
            return False

    def _read(self, call: CommandCall, request: Request, status: int, output: bytes, errors: bytes) -> Answered:
        settings, secrets = self._settings, self.secrets
        stderr = secrets.without(errors.decode(settings.encoding, "replace"))[-settings.largest_errors :]
        names: dict[str, Any] = {
            "exit": status,
            "stderr": stderr,
            "sent": request.arguments,
            "settings": self._known,
        }
        details: JsonObject = {"exit": status}
        words = ends_of(as_lines(stderr), secrets)
        if words:
            details["program_says"] = words
        problem: ToolFailure | None = None
        stdout = ""
        try:
            stdout = secrets.without(text_of(output, settings.encoding))
            names["stdout"] = stdout
            names["answer"] = secrets.cleared(parsed(stdout, settings.output, skip_noise=settings.skip_noise))
        except NotText:
            problem = failure("output_not_text", details=details, encoding=settings.encoding)
        except ValueError as error:
            problem = self._not_json(stdout, words, details, error)
        report = report_in(stderr)
        if report is not None:
            names["report"] = secrets.cleared(report)
        elif isinstance(names.get("answer"), dict):
            names["report"] = names["answer"]
        if status != 0:
            told = said(own_words(names.get("report")), secrets) or words or ends_of(as_lines(stdout), secrets)
            problem = self._failed(status, told, details)
        try:
            return Answered(value_of(call.meaning, names, secrets, problem), {"exit": status})
        except ToolFailure as failed:
            # What was ended in the middle said nothing of what it had done by then.
            failed.is_unsure = failed.is_unsure or status < 0
            raise

    def _failed(self, status: int, told: str, details: JsonObject) -> ToolFailure:
        ended = f"{status} ({_SIGNALS.get(-status, '?')})" if status < 0 else status
        silence = _NO_REMEDY if told else _SAID_NOTHING
        return failure(
            "program_failed",
            details=details,
            status=ended,
            program=self._settings.program,
            told=told,
            silence_zh=silence.zh,
            silence_en=silence.en,
        )

    def _not_json(self, stdout: str, words: str, details: JsonObject, error: ValueError) -> ToolFailure:
        """Return that output is no JSON: why, where it begins as some, or the setting that would find some in it."""
        settings = self._settings
        remedy = _NO_REMEDY
        if stdout.lstrip().startswith(("{", "[")):
            zh, en = json_problem(error)
            remedy = Words(f"；{zh}", f"; {en}")
        if not settings.skip_noise:
            with suppress(ValueError):
                parsed(stdout, settings.output, skip_noise=True)
                remedy = _SKIP_NOISE
        return failure(
            "output_not_json",
            details=details,
            program=settings.program,
            told=ends_of(as_lines(stdout), self.secrets) or words,
            remedy_zh=remedy.zh,
            remedy_en=remedy.en,
        )

    # --- a program that cannot be started ---

    def _not_found(self) -> ToolFailure:
        program = self._settings.program
        if os.path.isabs(program) and os.path.exists(program):
            return failure("program_not_executable", program=program, reason=system_words(errno.EACCES))
        return no_program(program)

    def _not_started(self, error: OSError) -> ToolFailure:
        program, folder = self._settings.program, self._settings.folder
        self._place = None  # looked for anew by the next attempt
        if error.errno == errno.E2BIG:
            return failure("argument_refused", reason_zh="参数总长超过系统上限", reason_en="all arguments are too long")
        if not os.path.isdir(folder):
            return failure("program_folder_missing", folder=folder)
        reason = system_words(error.errno) if error.errno else type(error).__name__
        if error.errno in (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.EPERM):
            return failure("program_not_executable", program=program, reason=reason)
        return failure("program_not_started", program=program, reason=reason)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part[:9]) for part in version.split(".")) if version else ()

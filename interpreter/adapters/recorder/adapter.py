"""The adapter `recorder`: what another adapter answers is written down, or given again in the order it was written.

A line of the file is one call: `tool`, `arguments`, and `answer` or `failure`. Secrets that the other adapter knows
are taken out before anything is written. A replay opens, starts and contacts nothing. A call is found by its tool and
its arguments; equal calls get their answers in the order in which they were recorded, and none twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from interpreter.adapters.holds import hand_down
from interpreter.adapters.mapping import failure
from interpreter.adapters.reasons import failure_in_words
from interpreter.adapters.recorder.settings import RecorderSettings
from interpreter.adapters.waiting import seconds_in
from interpreter.diagnostics import Words
from interpreter.ports import Answered, Holds, JsonObject, Request, ToolFailure
from interpreter.safety.secrets import Secrets
from rules.values import canonical_json, dumps, loads

_MOST_DIFFERENCES = 3
_MOST_SHOWN = 80
#: Only so many recorded calls of a tool are compared with one that was not found.
_MOST_COMPARED = 500


class RecorderAdapter:
    """`toolbox.LaterAdapter` over a file. Shapes: `inner` are the adapters that answer, by tool; none in a replay."""

    is_asynchronous = True

    def __init__(self, settings: RecorderSettings, inner: Mapping[str, Any]) -> None:
        self._settings = settings
        self._inner = inner
        self._kept: dict[tuple[str, str], list[JsonObject]] | None = None
        self._used: dict[tuple[str, str], int] = {}

    def resolved_identity(self) -> str:
        """Return whose answers they are; a recording stands for the place that it was made at."""
        inner = sorted({adapter.resolved_identity() for adapter in self._inner.values()})
        return f"recording {self._settings.file}" if not inner else ", ".join(inner)

    def hold_programs(self, holds: Holds) -> None:
        hand_down(self._inner.values(), holds)

    async def call(self, request: Request, cancelled: Callable[[], bool]) -> Any:
        """Make one attempt, or find what came of it.

        Errors: ToolFailure; TimeoutError.
        """
        if not self._settings.records:
            return self._found(request)
        adapter = self._inner[request.tool]
        try:
            answer = await _answered(adapter, request, cancelled)
        except ToolFailure as failed:
            self._write(adapter, request, {"failure": _as_json(failed)})
            raise
        self._write(adapter, request, {"answer": answer.value if isinstance(answer, Answered) else answer})
        return answer

    async def close(self) -> None:
        for adapter in {id(one): one for one in self._inner.values()}.values():
            if getattr(adapter, "is_asynchronous", False):
                await adapter.close()

    # --- writing ---

    def _write(self, adapter: Any, request: Request, outcome: JsonObject) -> None:
        known = getattr(adapter, "secrets", None)
        secrets = known if isinstance(known, Secrets) else Secrets()
        line = {"tool": request.tool, "arguments": request.arguments, **outcome}
        if not _can_be_read(line):
            # No value of the language: the run refuses it as well, and one line must not spoil all others.
            unreadable = failure("answer_garbled", reason=Words("不是这个语言的值", "no value of the language"))
            line = {"tool": request.tool, "arguments": request.arguments, "failure": _as_json(unreadable)}
        path = Path(self._settings.file)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            place = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with os.fdopen(place, "wb") as file:
                file.write(dumps(secrets.cleared(line)).encode("utf-8", "replace") + b"\n")
        except OSError as error:
            reason = error.strerror or ""
            words = Words(f"记录不能写入 {path}：{reason}", f"the recording cannot be written to {path}: {reason}")
            raise failure_in_words("recording_not_written", words) from None

    # --- playing ---

    def _found(self, request: Request) -> Any:
        kept = self._read()
        key = (request.tool, canonical_json(request.arguments))
        entries = kept.get(key, [])
        used = self._used.get(key, 0)
        if used >= len(entries):
            raise self._missed(kept, request, len(entries))
        self._used[key] = used + 1
        entry = entries[used]
        if "failure" in entry:
            failed = entry["failure"]
            raise ToolFailure(
                failed["code"],
                failed["message"],
                failed.get("details"),
                seconds_in(failed.get("retry_after")),
                is_unsure=failed.get("unsure") is True,
            )
        return entry["answer"]

    def _read(self) -> dict[tuple[str, str], list[JsonObject]]:
        if self._kept is not None:
            return self._kept
        path = self._settings.file
        try:
            text = Path(path).read_text("utf-8")
        except OSError as error:
            words = Words(
                f"没有记录 {path}：{error.strerror}；先用 mode: record 录一次",
                f"there is no recording {path}: {error.strerror}; make one with mode: record",
            )
            raise failure_in_words("recording_missing", words) from None
        except ValueError:
            raise _broken(path, 1) from None
        kept: dict[tuple[str, str], list[JsonObject]] = {}
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                entry = _entry(line)
                if entry is None:
                    raise _broken(path, number)
                kept.setdefault((entry["tool"], canonical_json(entry["arguments"])), []).append(entry)
        self._kept = kept
        return kept

    def _missed(self, kept: dict[tuple[str, str], list[JsonObject]], request: Request, times: int) -> ToolFailure:
        if times:
            return failure(
                "not_recorded",
                nearest_zh=f"相同的调用录了 {times} 次，都已经用过",
                nearest_en=f"equal calls were recorded {times} times, and all of them are used",
            )
        asked = canonical_json(request.arguments)
        others = [arguments for tool, arguments in kept if tool == request.tool][:_MOST_COMPARED]
        if not others:
            return failure(
                "not_recorded",
                nearest_zh=f"没有录过 {request.tool}",
                nearest_en=f"nothing of {request.tool} was recorded",
            )
        nearest = max(others, key=lambda other: SequenceMatcher(None, other[:2000], asked[:2000]).quick_ratio())
        differing = list(_differences(loads(nearest), request.arguments, ""))
        zh = "；".join(
            f"{place}：录的是 {before}，现在是 {now}" for place, before, now in differing[:_MOST_DIFFERENCES]
        )
        en = "; ".join(
            f"{place}: {before} was recorded, {now} is asked" for place, before, now in differing[:_MOST_DIFFERENCES]
        )
        return failure(
            "not_recorded",
            nearest_zh=f"最接近的一次不同在于 {zh}",
            nearest_en=f"the nearest one differs in {en}",
            details={"nearest": loads(nearest)},
        )


async def _answered(adapter: Any, request: Request, cancelled: Callable[[], bool]) -> Any:
    if getattr(adapter, "is_asynchronous", False):
        return await adapter.call(request, cancelled)
    answer = adapter.invoke(request.tool, request.arguments, request.identity)
    return await answer if hasattr(answer, "__await__") else answer


def _can_be_read(line: JsonObject) -> bool:
    try:
        loads(dumps(line))
    except (TypeError, ValueError):
        return False
    return True


def _as_json(failed: ToolFailure) -> JsonObject:
    made: JsonObject = {"code": failed.code, "message": failed.message, "details": failed.details}
    seconds = seconds_in(failed.retry_after)
    if seconds is not None:
        made["retry_after"] = f"{seconds:.6f}"
    if failed.is_unsure:
        made["unsure"] = True
    return made


def _broken(path: str, number: int) -> ToolFailure:
    words = Words(f"记录 {path} 的第 {number} 行读不懂", f"line {number} of the recording {path} cannot be read")
    return failure_in_words("recording_broken", words)


def _entry(line: str) -> JsonObject | None:
    """Return one recorded call, None for a line that is none."""
    try:
        value = loads(line)
    except ValueError:
        return None
    is_one = isinstance(value, dict) and isinstance(value.get("tool"), str) and isinstance(value.get("arguments"), dict)
    if not is_one or not isinstance(value, dict) or ("answer" in value) == ("failure" in value):
        return None
    failed = value.get("failure")
    if "failure" in value and not (isinstance(failed, dict) and isinstance(failed.get("code"), str)):
        return None
    if isinstance(failed, dict):
        failed.setdefault("message", "")
    return dict(value)


def _differences(before: Any, now: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(before, dict) and isinstance(now, dict):
        for name in sorted({*before, *now}):
            inside = f"{place}.{name}" if place else name
            if name not in before or name not in now:
                yield inside, _shown(before.get(name, "-")), _shown(now.get(name, "-"))
            else:
                yield from _differences(before[name], now[name], inside)
    elif canonical_json(before) != canonical_json(now):
        yield place or "-", _shown(before), _shown(now)


def _shown(value: Any) -> str:
    text = dumps(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"

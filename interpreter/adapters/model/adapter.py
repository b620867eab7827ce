"""The adapter `model`: one request for one attempt, over connections that are kept.

It repeats nothing: `retry` and `repair` of the call do. Two things it remembers between attempts of this process: a
form of output that the server refused, after which the next form of the setting is asked for; and calls whose answer
was cut, which are never sent with the same `max_tokens` again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from interpreter.adapters.mapping import said
from interpreter.adapters.model import response as responses
from interpreter.adapters.model.answer import value_in
from interpreter.adapters.model.failures import failure
from interpreter.adapters.model.settings import ModelSettings
from interpreter.adapters.model.task import Output, Task, messages_of, response_format
from interpreter.adapters.origins import take_location
from interpreter.adapters.own_words import own_words
from interpreter.adapters.reasons import BROKEN_COMPRESSION, system_reason
from interpreter.adapters.waiting import seconds_to_wait, wait_words
from interpreter.ports import Answered, JsonObject, Request, ToolFailure
from interpreter.safety.secrets import Secrets
from rules.values import dumps

if TYPE_CHECKING:
    import httpx

#: Units: seconds.
CONNECT_WITHIN = 10.0
#: How long an answer may take where neither step nor contract says so. Units: seconds.
ANSWER_WITHIN = 300.0
#: A stream looks this often whether the run was cancelled. Units: seconds.
_LOOK_UP_EVERY = 0.25


class ModelAdapter:
    """`toolbox.LaterAdapter` over one endpoint. Shapes: `tasks` by tool; `key` is sent and told nobody."""

    is_asynchronous = True

    def __init__(
        self,
        settings: ModelSettings,
        key: str | None,
        tasks: Mapping[str, Task],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = settings
        self._key = key
        self.secrets = Secrets([key] if key is not None else [])
        self._tasks = tasks
        self._now = now
        self._client: httpx.AsyncClient | None = None
        self._form = 0
        self._cut: dict[str, int | None] = {}

    def resolved_identity(self) -> str:
        return f"{self._settings.address} {self._settings.model}"

    async def call(self, request: Request, cancelled: Callable[[], bool]) -> Answered:
        """Make one attempt.

        Errors: ToolFailure with a code of `codes.model`; TimeoutError.
        """
        from asyncio import timeout

        output = self._settings.output[self._form]
        limit = self._limit(request)
        body = self._body(self._tasks[request.tool], request.arguments, output, limit)
        try:
            async with timeout(request.timeout if request.timeout is not None else ANSWER_WITHIN):
                reply = await self._ask(body, output, limit, cancelled)
        except ToolFailure as failed:
            self._remember(failed.code, request.identity, limit)
            raise
        details: JsonObject = {"output": output}
        if reply.usage:
            details["usage"] = reply.usage
        return Answered(value_in(reply.text), details)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    # --- what is sent ---

    def _limit(self, request: Request) -> int | None:
        """Return how many tokens an answer may have.

        Errors: ToolFailure(`output_cut`) where the same request was cut before, and no higher limit is set.
        """
        settings = self._settings
        if request.identity not in self._cut:
            return settings.max_tokens
        before = self._cut[request.identity]
        raised = settings.max_tokens_when_cut
        if raised is None or before == raised:
            raise responses.cut({}, before, is_sent=False)
        return raised

    def _remember(self, code: str, identity: str, limit: int | None) -> None:
        if code == "output_cut":
            self._cut[identity] = limit
        elif code == "output_form_refused" and self._form + 1 < len(self._settings.output):
            self._form += 1

    def _body(self, task: Task, arguments: Mapping[str, Any], output: Output, limit: int | None) -> bytes:
        settings = self._settings
        messages = messages_of(task, arguments, output, has_system=settings.system_message)
        body: JsonObject = {"model": settings.model, "messages": messages}
        form = response_format(task, output, strict=settings.strict)
        for name, value in (
            ("response_format", form),
            ("temperature", settings.temperature),
            (settings.max_tokens_as, limit),
            ("stream", settings.stream or None),
        ):
            if value is not None:
                body[name] = value
        return dumps({**body, **(settings.extra or {})}).encode("utf-8", "replace")

    # --- the way there and back ---

    async def _ask(
        self, body: bytes, output: Output, limit: int | None, cancelled: Callable[[], bool]
    ) -> responses.Reply:
        import httpx

        if self._client is None:
            self._client = self._open()
        has_begun = False
        try:
            async with self._client.stream("POST", self._settings.endpoint, content=body) as response:
                has_begun = True
                return await self._reply(response, output, limit, cancelled)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise failure("unreachable", address=self._settings.address, reason=system_reason(error)) from None
        except httpx.DecodingError:
            raise failure("response_garbled", reason=BROKEN_COMPRESSION) from None
        except httpx.HTTPError:
            raise failure("stream_cut" if has_begun else "connection_lost") from None

    def _open(self) -> httpx.AsyncClient:
        import httpx

        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key}"
        return httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(None, connect=CONNECT_WITHIN),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=30),
            trust_env=self._settings.environment_proxies,
            follow_redirects=False,
            event_hooks={"response": [take_location]},
        )

    async def _reply(
        self, response: httpx.Response, output: Output, limit: int | None, cancelled: Callable[[], bool]
    ) -> responses.Reply:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not response.is_success:
            raise self._refused(response, responses.alone(await self._error_body(response)), output)
        if kind == "text/event-stream":  # some servers stream whatever they are asked for
            return await self._streamed(response, output, limit, cancelled)
        data = await self._read(response, self._settings.largest_answer)
        try:
            body = responses.parsed(data)
        except ToolFailure:
            if kind and kind != "application/json" and not kind.endswith("+json"):
                raise failure("response_not_json", content_type=kind[:60]) from None
            raise
        error = responses.error_body(body)
        if error is not None:
            raise self._refused(response, error, output)
        return responses.reply_of(body, limit, said(own_words(body), self.secrets))

    async def _read(self, response: httpx.Response, at_most: int) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in response.aiter_bytes():
            size += len(piece)
            if size > at_most:
                raise failure("answer_too_large", at_most=at_most)
            pieces.append(piece)
        return b"".join(pieces)

    async def _error_body(self, response: httpx.Response) -> Any:
        """Return the body of an error as far as it says something; the status says the rest."""
        try:
            return responses.parsed(await self._read(response, 100_000))
        except ToolFailure:
            return None

    async def _streamed(
        self, response: httpx.Response, output: Output, limit: int | None, cancelled: Callable[[], bool]
    ) -> responses.Reply:
        stream = responses.Stream()
        size = 0
        look_up = time.monotonic() + _LOOK_UP_EVERY
        async for piece in response.aiter_bytes():
            size += len(piece)
            if size > self._settings.largest_answer:
                raise failure("answer_too_large", at_most=self._settings.largest_answer)
            stream.take(piece)
            if stream.error is not None:
                raise self._refused(response, stream.error, output)
            if stream.is_done:
                break
            if time.monotonic() >= look_up:
                look_up = time.monotonic() + _LOOK_UP_EVERY
                if cancelled():
                    raise failure("cancelled")
        return stream.reply(limit)

    def _refused(self, response: httpx.Response, body: Any, output: Output) -> ToolFailure:
        status = response.status_code
        wait = seconds_to_wait(response.headers, self._now)
        if wait is None:
            wait = responses.wait_in(body)
        return responses.failure_of(
            responses.status_in(body, 500 if response.is_success else status),
            body,
            address=self._settings.address,
            model=self._settings.model,
            output=output,
            said=said(own_words(body), self.secrets),
            wait=wait,
            wait_words=wait_words(wait, self._now),
        )

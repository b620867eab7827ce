"""The adapter `http`: one request for one attempt, over connections that are kept.

It repeats nothing: `retry` of the call does. A write has a connection of its own: on a kept one its answer may be what
a service that answered twice has left there. Credentials go to the origin of the profile's address and nowhere else;
a redirect is followed only where the profile declares it, and only to that same origin. Proxies of the environment are
used only where the profile says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from interpreter.adapters.http import response as responses
from interpreter.adapters.http.request import EachPlan, HttpCall, Prepared, prepared, rows_of, together
from interpreter.adapters.http.settings import Credentials, HttpSettings
from interpreter.adapters.mapping import failure, said, value_of
from interpreter.adapters.origins import host_in, led_to, location_of, take_location
from interpreter.adapters.own_words import own_words
from interpreter.adapters.reasons import BROKEN_COMPRESSION, system_reason
from interpreter.ports import Answered, JsonObject, Request, ToolFailure
from interpreter.safety.secrets import Secrets

if TYPE_CHECKING:
    import httpx

#: Units: seconds.
CONNECT_WITHIN = 10.0
KEPT_CONNECTIONS = 64
_MOST_OF_AN_ERROR = 100_000
_ENCODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
#: The same method and body go on; after the others a service wants another request than the one that was permitted.
_SAME_REQUEST = frozenset({307, 308})
#: What holds for every request to the same service.
_OF_ALL = frozenset({"unreachable", "key_refused", "access_denied", "rate_limited", "redirected"})


class _Way:
    """How a request went. Shapes: `was_passed_on` where a redirect led it on."""

    was_passed_on = False


class HttpAdapter:
    """`toolbox.LaterAdapter` over one service. Shapes: `calls` by tool; `settings_of_profile` is what mappings read."""

    is_asynchronous = True

    def __init__(
        self,
        settings: HttpSettings,
        credentials: Credentials,
        calls: Mapping[str, HttpCall],
        settings_of_profile: Mapping[str, Any],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = settings
        self._secrets = credentials.secrets
        self._signed = credentials.headers
        self._secret_query = credentials.query
        self._signed_names = frozenset(name.lower() for name, _ in credentials.headers)
        self._calls = calls
        self._known = dict(settings_of_profile)
        self._now = now
        parts = urlsplit(settings.address)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._base = parts.path
        self._clients: dict[bool, httpx.AsyncClient] = {}
        self._loop: Any = None

    @property
    def secrets(self) -> Secrets:
        """Return what finds the credentials in the words of others; a recorder takes them out."""
        return self._secrets

    def resolved_identity(self) -> str:
        return self._settings.address

    async def call(self, request: Request, cancelled: Callable[[], bool]) -> Answered:
        """Make one attempt.

        Errors: ToolFailure with a code of the contract or of `codes.service`; TimeoutError.
        """
        from asyncio import timeout

        call = self._calls[request.tool]
        async with timeout(request.timeout if request.timeout is not None else self._settings.seconds):
            if call.for_each is not None:
                return Answered(await self._each(call, call.for_each, request, cancelled), {})
            value, status = await self._one(call, request.arguments, request, cancelled)
        return Answered(value, {"status": status})

    async def close(self) -> None:
        while self._clients:
            _, client = self._clients.popitem()
            await client.aclose()

    # --- one request, and several ---

    async def _one(
        self, call: HttpCall, arguments: Mapping[str, Any], request: Request, cancelled: Callable[[], bool]
    ) -> tuple[Any, int]:
        sent = prepared(call, self._base, {**arguments, "settings": self._known}, self._secret_query)
        for name, _ in sent.headers:
            if name.lower() in self._signed_names:
                raise failure(
                    "request_not_made",
                    reason_zh=f"请求头 {name} 属于凭据",
                    reason_en=f"the header {name} belongs to the credentials",
                )
        way = _Way()
        try:
            client = self._opened(is_write=request.effect != "read")
            status, headers, body, found = await self._exchange(client, sent, self._extra(request), cancelled, way)
            return self._meant(call, arguments, status, headers, body, found), status
        except ToolFailure as failed:
            # Whoever passed the request on may have acted: what another one says decides nothing of that.
            failed.is_unsure = failed.is_unsure or way.was_passed_on
            raise

    def _meant(
        self,
        call: HttpCall,
        arguments: Mapping[str, Any],
        status: int,
        headers: Mapping[str, str],
        body: Any,
        found: ToolFailure | None,
    ) -> Any:
        """Return the value that an answer means.

        Errors: ToolFailure.
        """
        names = {
            "answer": self._secrets.cleared(body),
            "status": status,
            "headers": {name: self._secrets.without(value) for name, value in headers.items()},
            "sent": arguments,
            "settings": self._known,
        }
        return value_of(call.meaning, names, self._secrets, found)

    async def _each(self, call: HttpCall, each: EachPlan, request: Request, cancelled: Callable[[], bool]) -> Any:
        """Make one request after another; where the service as a whole does not answer, the rest is not asked for.

        Errors: ToolFailure, that of the last one where all fail.
        """
        names: dict[str, Any] = {**request.arguments, "settings": self._known}
        results: list[JsonObject] = []
        problem: ToolFailure | None = None
        for item in rows_of(each, names):
            try:
                if problem is not None and problem.code in _OF_ALL:
                    raise problem
                value, _ = await self._one(call, {**request.arguments, each.name: item}, request, cancelled)
                results.append({"item": item, "ok": True, "value": value, "error": None})
            except ToolFailure as failed:
                if failed.code == "cancelled":
                    raise
                problem = failed
                error = {"code": failed.code, "message": failed.details["message"]}
                results.append({"item": item, "ok": False, "value": None, "error": error})
        if problem is not None and not any(result["ok"] for result in results):
            raise problem
        return together(each, {**names, "results": results})

    # --- the way there and back ---

    def _extra(self, request: Request) -> tuple[tuple[str, str], ...]:
        """Return the idempotency key of a write as a header, so that a service can know it again."""
        if request.effect == "read" or not request.identity:
            return ()
        return ((self._settings.idempotency_header, request.identity),)

    async def _exchange(
        self,
        client: httpx.AsyncClient,
        sent: Prepared,
        extra: tuple[tuple[str, str], ...],
        cancelled: Callable[[], bool],
        way: _Way,
    ) -> tuple[int, dict[str, str], Any, ToolFailure | None]:
        """Return status, headers and body, and what the status means by itself."""
        import httpx

        has_begun = False
        target = sent.target
        seen = {target}
        try:
            while True:
                has_begun = False
                async with client.stream(
                    sent.method,
                    f"{self._origin}{target}",
                    headers=[*self._signed, *sent.headers, *extra],
                    content=sent.body,
                ) as response:
                    has_begun = True
                    location = location_of(response)
                    if location is None:
                        return await self._read_answer(response, cancelled)
                    target = self._followed(response.status_code, location, sent.method, target)
                    if target in seen or len(seen) > self._settings.redirects:
                        raise failure("too_many_redirects", at_most=self._settings.redirects)
                    seen.add(target)
                    way.was_passed_on = True
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise failure("unreachable", address=self._origin, reason=system_reason(error)) from None
        except httpx.DecodingError:
            raise failure("answer_garbled", reason=BROKEN_COMPRESSION) from None
        except (httpx.LocalProtocolError, httpx.InvalidURL, httpx.UnsupportedProtocol):
            if has_begun:
                raise failure("answer_cut") from None
            raise failure(
                "request_not_made", reason_zh="地址或请求头不合规范", reason_en="address or headers are not well formed"
            ) from None
        except httpx.HTTPError:
            raise failure("answer_cut" if has_begun else "connection_lost") from None

    def _opened(self, *, is_write: bool) -> httpx.AsyncClient:
        """Return the client of this loop; connections of a loop that is gone are no longer of use."""
        from asyncio import get_running_loop

        loop = get_running_loop()
        if self._loop is not loop:
            self._clients, self._loop = {}, loop
        if is_write not in self._clients:
            self._clients[is_write] = self._open(kept=0 if is_write else KEPT_CONNECTIONS)
        return self._clients[is_write]

    def _open(self, kept: int) -> httpx.AsyncClient:
        from http.cookiejar import CookieJar, DefaultCookiePolicy

        import httpx

        headers = {"accept-encoding": "identity", "user-agent": "workflow-interpreter", **self._settings.headers}
        if self._settings.answers == "json":
            headers.setdefault("accept", "application/json")
        return httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(None, connect=CONNECT_WITHIN),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=kept, keepalive_expiry=30),
            # What one call was told is no part of the next one.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            trust_env=self._settings.environment_proxies,
            follow_redirects=False,
            event_hooks={"response": [take_location]},
        )

    def _followed(self, status: int, location: str, method: str, target: str) -> str:
        """Return where a redirect leads on this origin.

        Errors: ToolFailure(`redirected`) for any other place, and where nothing may be followed.
        """
        is_allowed = self._settings.redirects > 0 and (method in ("GET", "HEAD") or status in _SAME_REQUEST)
        found = led_to(f"{self._origin}{target}", location) if is_allowed else None
        if found is None:
            where = said(host_in(f"{self._origin}{target}", location), self._secrets)[:120] or "-"
            raise failure("redirected", details={"status": status}, status=status, target=where)
        return found

    async def _read_answer(
        self, response: httpx.Response, cancelled: Callable[[], bool]
    ) -> tuple[int, dict[str, str], Any, ToolFailure | None]:
        status = response.status_code
        headers = dict(response.headers)
        failed = responses.failure_of(status, headers, self._settings.secret_variables, self._now)
        if headers.get("content-encoding", "").strip().lower() not in _ENCODINGS:
            raise failed or failure("answer_garbled", reason=responses.OTHER_ENCODING)
        kind = responses.kind_of(headers)
        fits = responses.fits_kind(kind, self._settings.content_types, self._settings.answers)
        if failed is not None:
            body, told = await self._error_body(response, kind, fits, cancelled)
            failed = responses.failure_of(status, headers, self._settings.secret_variables, self._now, told)
            return status, headers, body, failed
        if not fits and status != 204:
            raise responses.of_other_kind(said(kind, self._secrets), self._settings.answers)
        data = await self._read(response, self._settings.largest_answer, cancelled)
        return status, headers, self._body(data, headers), None

    def _body(self, data: bytes, headers: Mapping[str, str]) -> Any:
        if not data.strip():
            return None
        text = responses.text_in(data, headers)
        return text if self._settings.answers == "text" else responses.json_in(text)

    async def _read(self, response: httpx.Response, at_most: int, cancelled: Callable[[], bool]) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in response.aiter_bytes():
            size += len(piece)
            if size > at_most:
                raise failure("answer_too_large", at_most=at_most)
            if pieces and cancelled():
                raise failure("cancelled")
            pieces.append(piece)
        return b"".join(pieces)

    async def _error_body(
        self, response: httpx.Response, kind: str, fits: bool, cancelled: Callable[[], bool]
    ) -> tuple[Any, str]:
        """Return the body of an error as far as it can be read, and its own words; the status stands for the rest."""
        if not fits and kind not in responses.WITH_WORDS:
            return None, ""
        import httpx

        body: Any = None
        told: Any = None
        try:
            data = await self._read(response, min(_MOST_OF_AN_ERROR, self._settings.largest_answer), cancelled)
            told = responses.text_in(data, response.headers)
            body = self._body(data, response.headers) if fits else None
            told = responses.json_in(told)
        except ToolFailure as problem:
            if problem.code == "cancelled":
                raise
        except httpx.HTTPError:
            pass  # the status came whole
        return body, said(own_words(told), self._secrets)

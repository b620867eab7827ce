"""Pages of the web: one request over a connection to exactly the addresses that were checked.

httpcore is used rather than httpx on top of it: it sends one request and gives the raw answer, and has no redirects,
cookies, proxies or unpacking that would have to be switched off; its network backend is where the checked address takes
the place of the name, while certificate, SNI and Host stay those of the name. No connection is used twice.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from threading import Thread
from typing import TYPE_CHECKING, Any

from interpreter.adapters.web.addresses import OwnAddresses, Target, check_addresses, check_name, literal_address
from interpreter.adapters.web.bodies import BrokenOff
from interpreter.adapters.web.source import Answer, Unreachable

if TYPE_CHECKING:
    import ssl

    import httpcore

Resolve = Callable[[str, int, float], Sequence[str]]

_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.1",
    "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}


def resolve(host: str, port: int, timeout: float) -> Sequence[str]:
    """Return the addresses of a name. The system's own look-up cannot be timed, so it gets a thread of its own.

    Errors: Unreachable.
    """
    found: list[Any] = []

    def look_up() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.append(list(dict.fromkeys(str(row[4][0]) for row in rows)))
        except (OSError, UnicodeError) as error:
            found.append(error)

    thread = Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(timeout)
    if not found:
        raise Unreachable("timed_out", "name_lookup")
    if isinstance(found[0], Exception):
        raise Unreachable("page_unreachable", "name_not_found")
    addresses: list[str] = found[0]
    return addresses


class LivePages:
    """Shapes: `resolve` gives the addresses of a host. Units: seconds, of the monotonic clock for deadlines."""

    def __init__(self, own: OwnAddresses, user_agent: str, connect_seconds: float, look_up: Resolve = resolve) -> None:
        self._own = own
        self._user_agent = user_agent
        self._connect_seconds = connect_seconds
        self._look_up = look_up

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        import ssl

        import certifi

        context = ssl.create_default_context()
        context.load_verify_locations(certifi.where())
        return context

    @contextmanager
    def get(self, target: Target, deadline: float) -> Iterator[Answer]:
        """Ask for a page.

        Errors: Refused before anything is sent; Unreachable.
        """
        check_name(target, self._own)
        with _in_our_words():
            addresses = self._checked(target, deadline)
            backend = _pinned(addresses, deadline, self._connect_seconds)
            with self._pool(backend, target) as pool, pool.stream(**self._request(target)) as response:
                headers = [(_text(name).lower(), _text(value)) for name, value in response.headers]
                yield Answer(response.status, headers, _chunks(response), None)

    def identity(self) -> str:
        return "the web"

    def _checked(self, target: Target, deadline: float) -> list[str]:
        literal = literal_address(target)
        if literal is not None:
            return check_addresses(target, [str(literal)], self._own)
        found = self._look_up(target.host, target.port, max(0.0, deadline - time.monotonic()))
        if not found:
            raise Unreachable("page_unreachable", "name_not_found")
        return check_addresses(target, found, self._own)

    def _pool(self, backend: Any, target: Target) -> httpcore.ConnectionPool:
        import httpcore

        trust = self._trust if target.scheme == "https" else None
        return httpcore.ConnectionPool(ssl_context=trust, network_backend=backend, max_connections=1, retries=0)

    def _request(self, target: Target) -> dict[str, Any]:
        import httpcore

        url = httpcore.URL(
            scheme=target.scheme.encode(), host=target.host.encode(), port=target.port, target=target.path.encode()
        )
        headers = {"Host": target.authority, "User-Agent": self._user_agent, **_HEADERS}
        return {"method": "GET", "url": url, "headers": list(headers.items())}


def _chunks(response: httpcore.Response) -> Iterable[bytes]:
    import httpcore

    try:
        yield from response.iter_stream()
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise BrokenOff(type(error).__name__) from None


@contextmanager
def _in_our_words() -> Iterator[None]:
    import httpcore

    try:
        yield
    except httpcore.TimeoutException as error:
        raise Unreachable("timed_out", type(error).__name__) from None
    except httpcore.ProtocolError as error:
        raise Unreachable("page_unreachable", "protocol", str(error)) from None
    except (httpcore.NetworkError, OSError) as error:
        reason = "certificate" if "CERTIFICATE" in str(error).upper() else "connection"
        raise Unreachable("page_unreachable", reason, str(error)) from None


def _pinned(addresses: Sequence[str], deadline: float, connect_seconds: float) -> httpcore.NetworkBackend:
    """Return a backend that connects to the checked addresses, one after another, whatever name it is told."""
    import httpcore

    plain = httpcore.SyncBackend()

    class Pinned(httpcore.NetworkBackend):
        def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Iterable[Any] | None = None,
        ) -> httpcore.NetworkStream:
            problem: Exception = httpcore.ConnectTimeout("no time left")
            for address in addresses:
                left = min(connect_seconds, deadline - time.monotonic())
                if left <= 0:
                    break
                try:
                    stream = plain.connect_tcp(address, port, left, local_address, socket_options)
                except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                    problem = error
                    continue
                return Timed(stream)
            raise problem

        def connect_unix_socket(self, *arguments: Any, **more: Any) -> httpcore.NetworkStream:
            raise httpcore.ConnectError("no pages stand behind a local socket")

        def sleep(self, seconds: float) -> None:
            raise httpcore.ConnectError("nothing is tried again here")

    class Timed(httpcore.NetworkStream):
        """A stream whose every wait ends with the deadline of the whole page."""

        def __init__(self, stream: httpcore.NetworkStream) -> None:
            self._stream = stream

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            return self._stream.read(max_bytes, _left(httpcore.ReadTimeout))

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            self._stream.write(buffer, _left(httpcore.WriteTimeout))

        def close(self) -> None:
            self._stream.close()

        def start_tls(
            self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
        ) -> httpcore.NetworkStream:
            return Timed(self._stream.start_tls(ssl_context, server_hostname, _left(httpcore.ConnectTimeout)))

        def get_extra_info(self, info: str) -> Any:
            return self._stream.get_extra_info(info)

    def _left(too_late: type[Exception]) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise too_late("the deadline of the page")
        return left

    return Pinned()


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")

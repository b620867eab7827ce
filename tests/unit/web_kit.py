"""What the tests of the web share: an adapter whose calls are checked against the contract, and where names lead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.children import Unreadable
from interpreter.adapters.web import WebAdapter
from interpreter.adapters.web import page as page_task
from interpreter.adapters.web.wording import plain_wording, read_wording
from interpreter.ports import ToolFailure
from tests.unit.checked_calls import check_failure, validator

HERE = "127.0.0.1"
NO_PLACE = "/dev/null/nowhere"  # so that no index is left behind
READ_AT = 1_790_000_000.0  # 2026-09-21T13:33:20Z
PAGE_READ_AT = "2026-10-20T01:00:00Z"
WORDING = plain_wording(read_wording(""))

_opened: list[WebAdapter] = []


@pytest.fixture(autouse=True)
def close_web() -> Iterator[None]:
    """End the child processes that a test started."""
    yield
    while _opened:
        _opened.pop().close()


class Web:
    """Shapes: `names` says where each host leads; what is not in it leads to this machine."""

    def __init__(self, names: Mapping[str, Sequence[str]] | None = None, **settings: Any) -> None:
        self.asked: list[str] = []
        self._names = dict(names or {})
        self.adapter = WebAdapter({"state": NO_PLACE, **settings}, lambda: READ_AT, self._look_up)
        _opened.append(self.adapter)

    def lasting(self) -> Web:
        """Return itself, to be closed by whoever made it: a child process costs a second."""
        _opened.remove(self.adapter)
        return self

    def _look_up(self, host: str, port: int, timeout: float) -> Sequence[str]:
        self.asked.append(host)
        return self._names.get(host, (HERE,))

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        name = f"web.{tool}"
        validator(name, "input").validate(arguments)
        try:
            answer = self.adapter.invoke(name, arguments)
        except ToolFailure as failure:
            check_failure(name, failure)
            raise
        validator(name, "output").validate(answer)
        return answer

    def fetch(self, url: str) -> dict[str, Any]:
        return self("web_fetch", url=url)

    def fails(self, code: str, url: str) -> ToolFailure:
        with pytest.raises(ToolFailure) as caught:
            self.fetch(url)
        assert caught.value.code == code, caught.value
        return caught.value

    def urls(self, query: str, **arguments: Any) -> list[str]:
        return [hit["url"] for hit in self("web_search", query=query, **arguments)["hits"]]


def own_web(port: int, *hosts: str, names: Mapping[str, Sequence[str]] | None = None, **settings: Any) -> Web:
    """Return an adapter that may read these hosts at a port of this machine, and nothing else here."""
    return Web(names, own_addresses=[f"{host}:{port}" for host in hosts], **settings)


def page(text: str, head: str = "") -> str:
    return f"<html><head><title>标题</title>{head}</head><body><article><h1>标题</h1>{text}</article></body></html>"


LONG = (
    "<p>"
    + "</p><p>".join(f"第{number}段说的是数据治理工作的安排，各单位按照要求执行。" for number in range(30))
    + "</p>"
)


def linked(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


def saved(folder: Path, pages: Mapping[str, Mapping[str, Any]]) -> Path:
    """Write saved pages into a folder, by the name of each. Shapes: `body` is text or bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, fields in pages.items():
        body = fields.get("body")
        lines = [f"url: {fields['url']}", f"status: {fields.get('status', 200)}", 'fetched_at: "2026-09-21T00:00:00Z"']
        lines.append("headers:")
        headers = {"content-type": "text/html; charset=utf-8", **fields.get("headers", {})}
        lines += [f"  {key}: '{value}'" for key, value in headers.items()]
        if body is not None:
            (folder / f"{name}.html").write_bytes(body if isinstance(body, bytes) else body.encode())
            lines.append(f"body: {name}.html")
        lines += [f"{key}: {fields[key]}" for key in ("search", "fails") if key in fields]
        (folder / f"{name}.yaml").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def read(body: str | bytes, address: str = "https://www.example.com/news/1", **parameters: Any) -> dict[str, Any]:
    """Return what the child makes of a page, whose limits are the usual ones."""
    given: dict[str, Any] = {
        "address": address,
        "content_type": "text/html; charset=utf-8",
        "kind": "text/html",
        "read_at": PAGE_READ_AT,
        "markup_characters": 1 << 20,
        "markup_elements": 50_000,
        "text_characters": 200_000,
        "wording": WORDING,
        **parameters,
    }
    return page_task.read(given, body.encode() if isinstance(body, str) else body)


def refusal(body: str | bytes, **parameters: Any) -> str:
    """Return why a page is not read."""
    with pytest.raises(Unreadable) as caught:
        read(body, **parameters)
    return caught.value.code

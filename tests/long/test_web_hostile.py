"""Pages and sites made to cost time and memory: each is read, cut or refused, within the limits."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from interpreter.adapters.children import ChildFailure, Children
from tests.servers.web_server import web_server
from tests.unit.web_kit import HERE, WORDING

pytestmark = pytest.mark.long

SIZE = 1_200_000
SECONDS = 25.0

SITES = """
import json, resource, sys
from interpreter.adapters.web import WebAdapter
from interpreter.ports import ToolFailure
web = WebAdapter({"own_addresses": [sys.argv[1]]})
found = {}
for path in ("/bomb", "/big", "/many", "/endless"):
    try:
        answer = web.invoke("web.web_fetch", {"url": f"http://{sys.argv[1]}{path}"})
        found[path] = ["read", answer["truncated"]]
    except ToolFailure as failure:
        found[path] = [failure.code]
web.close()
children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
# What getrusage says of the process itself begins with what the tests took that started it.
lines = dict(line.split(":", 1) for line in open("/proc/self/status", encoding="utf-8"))
json.dump([found, int(lines["VmHWM"].split()[0]) // 1024, children], sys.stdout)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is counted in other units elsewhere")
def test_the_engine_stays_small_whatever_a_site_sends() -> None:
    script = {
        "/bomb": {"kind": "bomb", "megabytes": 1024},
        "/big": {"kind": "big", "megabytes": 50},
        "/many": {"kind": "big", "megabytes": 5, "line": "<p>短。</p>"},
        "/endless": {"kind": "endless"},
    }
    with web_server(script) as running:
        done = subprocess.run(
            [sys.executable, "-c", SITES, f"{HERE}:{running.port}"], capture_output=True, check=True, encoding="utf-8"
        )
    found, own_mb, child_mb = json.loads(done.stdout)
    assert found.pop("/bomb") == ["too_large"]
    assert list(found.values()) == [["read", True]] * 3
    assert own_mb < 150
    assert child_mb < 512


def repeated(unit: str) -> str:
    return unit * (SIZE // len(unit))


PAGES = {
    "short paragraphs": "".join(f"<p>短{number}</p>" for number in range(100_000)),
    "headings": repeated("<h1>标题</h1>"),
    "rows": "<table>" + "".join(f"<tr><td>{number}</td><td>b</td></tr>" for number in range(40_000)),
    "nested elements": repeated("<div>a"),
    "nested tables": repeated("<table><tr><td>x"),
    "links": "".join(f"<a href='/x{number}'>原文链接{number}</a>" for number in range(40_000)),
    "labels": repeated("<p>发布时间：</p>"),
    "labels in one line": repeated("发布时间："),
    "days": repeated("发布时间：2099-01-01 "),
    "one word": repeated("文"),
    "lists of lists": "<script type='application/ld+json'>" + "[" * 200_000 + "</script>",
    "nodes": "<script type='application/ld+json'>[" + '{"@type":"Article","headline":"x"},' * 40_000 + "{}]</script>",
    "metas": repeated("<meta name=author content=x>"),
    "attributes": "<p " + repeated('a="b" ') + ">x",
    "hidden elements": repeated('<p style="display:none">x</p>'),
    "line breaks": repeated("x<br>"),
    "open tags": repeated("<"),
    "open comments": repeated("<!--"),
    "open scripts": repeated("<script "),
    "open drawings": repeated("<svg><a>"),
    "credit lines": repeated("据某社"),
    "brackets": repeated("("),
    "walls": repeated("订阅后阅读全文。"),
    "title": "<title>" + repeated("x - "),
    "lines": "<pre>" + repeated("x\n"),
    "dates in a footer": "<div class=footer>" + repeated("<i class=date>2024-01-01</i>"),
    "times in a footer": "<footer>" + repeated("<time>2024-01-01</time>"),
    "footers": repeated("<div class=footer><p>x</p>"),
    "terms": repeated("<dt>发布日期</dt><dd>x</dd>"),
}


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    made = Children()
    yield made
    made.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_made_to_be_slow_ends_within_the_limits(children: Children, name: str) -> None:
    parameters = {
        "address": "https://www.example.com/1",
        "content_type": "text/html; charset=utf-8",
        "kind": "text/html",
        "read_at": "2026-10-20T01:00:00Z",
        "markup_characters": 1 << 20,
        "markup_elements": 50_000,
        "text_characters": 200_000,
        "wording": WORDING,
    }
    start = time.monotonic()
    try:
        ended = "read" if children.read("web.page", parameters, f"<html><body>{PAGES[name]}".encode())["text"] else ""
    except ChildFailure as failure:
        ended = failure.code
    assert ended in ("read", "unreadable", "out_of_memory")
    assert time.monotonic() - start < SECONDS

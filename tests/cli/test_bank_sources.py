"""Cases of the bank about sources: pointers to what was read, pages, tiers, notes."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.cli.bank_kit import ROOT, Desk, listed
from tests.cli.kit import Ended

# --- evidence ---------------------------------------------------------------------------------------------------------


EVIDENCE_TOOLS = {
    "read": "  output: {type: object, required: [text], properties: {text: {type: string, evidence: body}}}\n"
    "  example: {text: a}\n",
    "point": "  output: {type: object, required: [citations], "
    "properties: {citations: {type: array, items: {pointer: policy, forms: [id, object]}}, "
    "next_actions: {type: array}}}\n  example: {citations: []}\n",
}
POINTING = """  A:
    tools: [desk.read, desk.point]
    steps:
      - {call: desk.read, with: {id: one}, as: first}
      - {call: desk.read, with: {id: two}, as: second}
      - {admit: earlier, side: policy, source: {id: one}, from: first.text}
      - {admit: units, side: policy, source: {id: two}, from: second.text}
      - {admit: subject, side: subject, source: {id: three}, from: first.text}
      - set: {ids: "{{ [earlier[0].evidence_id, units[0].evidence_id, subject[0].evidence_id] }}"}
      - call: desk.point
        with: {list: "{{ units }}"}
        accept:
          - {bind: answer, among: {policy: units}}
          - {rule: no_citation, that: "answer.citations != []", at: citations, message: none}
        repair: {errors: [invalid], at_most: 2, add: {}}
        as: pointed
      - set: {got: "{{ pointed }}"}
"""
TEXTS = ("First body.\n", "Zweiter \u201cBody\u201d, letter\u00a0for letter. ")


def pointed(desk: Desk, citations: list[Any], name: str) -> tuple[Ended, list[str]]:
    """Let a tool point at what was read; returns the end and the ids of the three units."""
    desk.forget()
    desk.tools(
        EVIDENCE_TOOLS,
        read=[{"give": {"text": text}} for text in TEXTS],
        point=[{"give": {"citations": citations, "next_actions": ["act"]}}],
    )
    desk.workflow(
        POINTING,
        "uses: {tools: [desk]}\ncitation: {from: '{{ unit.source.id }}', quote: '{{ unit.text }}'}\n"
        "data: {got: {type: object, default: {}}, ids: {type: array, default: []}}\n"
        "outputs: {got: {type: object, value: '{{ got }}'}, ids: {type: array, value: '{{ ids }}'}}",
    )
    ended = desk.run("--run-id", name)
    return ended, ended.json["outputs"]["ids"]


def refused_pointers(desk: Desk, wrong: list[list[Any]]) -> None:
    for number, citations in enumerate(wrong):
        ended, _ = pointed(desk, citations, f"wrong{number}")
        assert (citations, ended.json["status"], ended.json["outputs"]["got"]) == (citations, "blocked", {})
        assert ended.json["blocked"]["facts"]["error_code"] in ("invalid_evidence_id", "no_citation", "invalid_answer")
        assert [tool for tool, _ in desk.sent].count("point") == 2


def test_k01_a_pointer_that_is_not_exact_is_refused(desk: Desk) -> None:
    _, (_, known, _) = pointed(desk, ["e9"], "first")
    wrong: list[Any] = [
        "e9",
        known.upper(),
        f"[{known}]",
        f"{known}-{known}",
        f"0{known}",
        known[:-1],
        "doc-1",
        "",
        None,
    ]
    refused_pointers(desk, [[one] for one in wrong] + [[], [known, "e9"]])
    assert pointed(desk, [known], "right")[0].json["status"] == "completed"


def test_k02_a_pointer_reaches_only_what_was_offered(desk: Desk) -> None:
    _, (earlier, known, subject) = pointed(desk, ["e9"], "first")
    quoted = {"evidence_id": earlier, "path": "text", "quote": TEXTS[1]}
    refused_pointers(desk, [[earlier], [subject], [known, earlier], [quoted]])
    given = {"evidence_id": known, "path": "elsewhere", "quote": "made up"}
    ended, _ = pointed(desk, [given], "right")
    assert ended.json["outputs"]["got"]["citations"] == [{"from": "two", "quote": TEXTS[1]}]


# --- the web ----------------------------------------------------------------------------------------------------------


class Canary:
    """A site on this machine: what it sends somebody on to, and who came."""

    def __init__(self, answers: Mapping[str, tuple[int, dict[str, str]]]) -> None:
        self.came: list[str] = []
        canary = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                canary.came.append(self.path)
                status, headers = answers.get(self.path, (200, {"content-type": "text/plain"}))
                self.send_response(status)
                for name, value in {**headers, "content-length": "0"}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def fetched(desk: Desk, settings: str, addresses: list[str]) -> list[dict[str, Any]]:
    """Read pages one after another; returns what came of each."""
    for place in ("tools/web.yaml", "types"):
        source = ROOT / "specs" / place
        if source.is_file():
            desk.write(place, source.read_text("utf-8"))
    desk.write(
        "profiles/local.yaml",
        f"profile: local\ntools:\n  web.*: {{adapter: python, use: web, settings: {{{settings}}}}}\n",
    )
    desk.workflow(
        """  A:
    tools: [web.web_fetch]
    steps:
      - each: url
        in: given
        do: [{call: web.web_fetch, with: {url: "{{ url }}"}, outcome: one}, {collect: all, item: "{{ one }}"}]
""",
        listed("web", given=addresses, all=[]),
    )
    found: list[dict[str, Any]] = desk.outputs()["all"]
    return found


def test_f01_an_inner_address_is_refused_at_every_hop(desk: Desk) -> None:
    inside = Canary({})
    away = [
        "http://10.0.0.5/",
        "file:///etc/passwd",
        "data:text/plain,x",
        "gopher://a.example/",
        f"http://[::1]:{inside.port}/",
        f"http://127.0.0.1:{inside.port}/",
        f"http://localhost:{inside.port}/",
        "http://169.254.169.254/latest",
    ]
    site = Canary({f"/{number}": (302, {"location": address}) for number, address in enumerate(away)})
    direct = [
        "http://169.254.169.254/",
        f"http://localhost:{inside.port}/",
        f"http://127.1:{inside.port}/",
        "http://[::1]/",
        f"http://2130706433:{inside.port}/",
        "http://metadata.google.internal/",
        "file:///etc/passwd",
        "http://0x7f.1/",
    ]
    redirects = [f"http://127.0.0.1:{site.port}/{number}" for number in range(len(away))]
    try:
        ended = fetched(desk, f"pages: '', robots: false, own_addresses: '127.0.0.1:{site.port}'", direct + redirects)
    finally:
        inside.close()
        site.close()
    assert [one["error"]["code"] for one in ended] == ["address_refused"] * len(direct + redirects)
    assert all(one["error"]["message"] for one in ended)
    assert inside.came == []
    assert len(site.came) == len(away)


def test_f03_a_page_is_read_in_its_own_encoding(desk: Desk) -> None:
    sentence, traditional = (
        "朱镕基与赵堃在会上说，资料治理要在年底之前完成。",
        "會議紀錄與價格公告，資料治理工作將於年底前完成。",
    )

    def html(head: str, text: str, encoding: str) -> bytes:
        body = f"<html><head>{head}<title>x</title></head><body><p>{text}</p><p>{text}</p></body></html>"
        return body.encode(encoding)

    pages = [
        ("text/html", html("<meta charset=gb2312>", sentence, "gbk"), sentence),
        ("text/html; charset=ISO-8859-1", html("<meta charset=gbk>", sentence, "gbk"), sentence),
        ("text/html; charset=utf-8", html("", sentence * 3, "gbk"), sentence),
        ("text/html", html("", sentence, "utf-16"), sentence),
        ("text/html", b'<?xml version="1.0" encoding="GBK"?>' + html("", sentence, "gbk"), sentence),
        ("text/html; charset=big5", html("", traditional, "big5"), traditional),
        ("text/html; charset=utf8mb4", html("", sentence, "utf-8"), sentence),
        ("text/html", b"<!--" + b"x" * 2500 + b"-->" + html("<meta charset=gbk>", sentence, "gbk"), sentence),
        ("text/html; charset=utf-8", bytes(range(128, 256)) * 30, None),
    ]
    for number, (content_type, body, _) in enumerate(pages):
        head = f'url: https://www.example.com/{number}\nstatus: 200\nheaders: {{content-type: "{content_type}"}}\n'
        desk.write(f"pages/{number}.yaml", f'{head}fetched_at: "2026-01-16T08:00:00Z"\nbody: {number}.html\n')
        (desk.folder / "pages" / f"{number}.html").write_bytes(body)
    folder = desk.folder / "pages"
    ended = fetched(
        desk,
        f"pages: '{folder}', state: '{desk.home}/index'",
        [f"https://www.example.com/{n}" for n in range(len(pages))],
    )
    for one, (_, _, wanted) in zip(ended, pages, strict=True):
        assert (one["ok"], wanted is None or wanted in one["value"]["text"]) == (wanted is not None, True)
        if wanted is not None:
            assert one["value"]["encoding"]
            assert one["value"]["encoding_from"] in ("mark", "header", "page", "detected")


def test_t01_a_domain_that_looks_like_another_gets_no_tier_of_it(desk: Desk) -> None:
    desk.write(
        "rules/it.yaml",
        """rules: it
tiers:
  source:
    inputs: {url: {type: string}}
    classes:
      - {tier: 1, rules: [{id: gov, suffix: [gov.cn, example.gov]}, {id: site, domain: [site.edu], not_path: ["/~"]}]}
      - {tier: 2, rules: [{id: rest, any: true}]}
""",
    )

    def tier(url: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(
            desk("rules", "explain", "rules/it.yaml", "--fact", f"url={url}", "--json").out
        )["answer"]
        return answer

    for url in ("https://www.gov.cn/", "https://WWW.GOV.CN./", "https://gov.cn:8443/"):
        assert (tier(url)["tier"], tier(url)["matched"]) == (1, "gov.cn")
    for url in (
        "https://notgov.cn/",
        "https://gov.cn.example.com/",
        "https://gov-cn.example/",
        "https://www.gov.cn@evil.example/",
        "https://evil.example/?u=www.gov.cn",
        "https://evil.example#.gov.cn",
        "https://xn--gov-9na.cn/",
        "https://www.g\u043ev.cn/",
        "https://site.edu/~name",
        "https://site.edu/%7Ename",
        "https://site.edu/x/../~name",
        "https://www.gov.cn\\@evil.example/",
    ):
        assert tier(url)["tier"] == 2, url
    desk.write(
        "rules/it.yaml",
        (desk.folder / "rules/it.yaml").read_text("utf-8").replace("domain: [site.edu]", "domain: [com.cn]"),
    )
    assert desk("lint", "rules/it.yaml").status == 1


def test_t02_copies_of_one_text_are_one_source(desk: Desk) -> None:
    desk.write("rules/source_tiers.yaml", (ROOT / "specs" / "rules" / "source_tiers.yaml").read_text("utf-8"))
    body = "海港市十月十八日电，星河智能今天公布企业版定价，每席每月九十九元，合同按年签订，试用三十天，支持退款。"
    agency = "新华社" + body

    def site(number: int, text: str, **more: Any) -> dict[str, Any]:
        url = f"https://paper{number}.example/a"
        return {
            "id": str(number),
            "url": url,
            "tier": 2,
            "publisher": f"报{number}",
            "credits": [],
            "text": text,
            **more,
        }

    copies = [site(n, agency) for n in range(3)]
    copies.append(site(3, agency.replace("今天公布", "昨天发布")))
    copies.append(site(4, "Galaxy announced a price of 99 yuan a seat today.", credits=["Xinhua"]))
    release = [site(n, body, credits=[]) for n in range(3)] + [
        site(9, body, url="https://galaxy-ai.example/news", tier=1)
    ]
    editions = [
        site(0, "甲" * 40, url="https://harbor-daily.example/a", publisher="海港日报"),
        site(1, "乙" * 40, url="https://m.harbor-daily.example/a", publisher="Harbor Daily Mobile"),
    ]
    pages: dict[str, list[Any]] = {"copies": copies, "release": release, "editions": editions}
    steps = "".join(
        f"      - {{decide: source_tiers.sources, with: {{pages: {name}}}, as: of_{name}}}\n"
        f"      - {{set: {{{name}: '{{{{ [of_{name}] }}}}'}}}}\n"
        for name in pages
    )
    desk.tools({})
    desk.workflow(f"  A:\n    steps:\n{steps}", listed(**pages).replace("tools: [desk]", "rules: [source_tiers]"))
    for name, (answer,) in desk.outputs().items():
        assert (name, answer["count"], [len(group["members"]) for group in answer["groups"]]) == (
            name,
            1,
            [len(pages[name])],
        )


# --- notes ------------------------------------------------------------------------------------------------------------


def test_n01_signs_are_searched_as_words_and_a_failure_is_not_nothing_found(desk: Desk) -> None:
    notes = {"gpt": "GPT-4 对比", "cpp": "C++ 笔记", "dont": "don't", "half": "50%", "who": "@张三"}
    for name, text in notes.items():
        desk.write(f"notes/{name}.md", f"---\nid: {name}\n---\n前面 {text} 后面\n")
    desk.write("tools/notes.yaml", (ROOT / "specs" / "tools" / "notes.yaml").read_text("utf-8"))
    queries = [
        "GPT-4",
        "C++",
        "don't",
        "50%",
        "@张三",
        "a OR",
        "NEAR(",
        "t:x",
        '"未闭合',
        "''",
        "word " * 2_000,
        "-",
        "a AND NOT b",
    ]

    def search(vault: str, name: str) -> list[dict[str, Any]]:
        desk.write(
            "profiles/local.yaml",
            "profile: local\ntools:\n"
            f"  notes.*: {{adapter: python, use: notes, settings: {{vault: '{vault}', index: ''}}}}\n",
        )
        desk.workflow(
            """  A:
    tools: [notes.search_notes]
    steps:
      - each: q
        in: given
        do: [{call: notes.search_notes, with: {keyword: "{{ q }}"}, outcome: one}, {collect: all, item: "{{ one }}"}]
""",
            listed("notes", given=queries, all=[]),
        )
        found: list[dict[str, Any]] = desk.outputs("--run-id", name)["all"]
        return found

    found = search(str(desk.folder / "notes"), "whole")
    assert [one["ok"] for one in found] == [True] * len(queries)
    assert [[note["note_id"] for note in one["value"]["notes"]] for one in found[:5]] == [[name] for name in notes]

    def fails(*_: Any) -> set[int]:
        raise sqlite3.OperationalError("disk I/O error")

    desk.patch.setattr("interpreter.adapters.notes.index.Index.matching", fails)
    broken = search(str(desk.folder / "notes"), "broken")
    assert [(one["ok"], one["error"]["code"]) for one in broken[:5]] == [(False, "INTERNAL_ERROR")] * 5

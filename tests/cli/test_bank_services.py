"""Cases of the bank about what answers: pages of lists, programs, models, servers of tools."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.cli.bank_kit import ROOT, Desk, listed
from tests.servers.kit import ModelServer
from tests.servers.services import MCP_PROGRAM, write

# --- pages ------------------------------------------------------------------------------------------------------------


def walked(desk: Desk, name: str, pages: list[dict[str, Any]]) -> tuple[str, dict[str, Any], int]:
    """Walk pages; returns the status of the run, its outputs and how many requests there were."""
    desk.forget()
    desk.tools(
        {
            "list": "  output: {type: object, required: [items, more], "
            "properties: {items: {type: array}, more: {type: boolean}, "
            "page_token: {type: string}, total: {type: integer}}}\n  example: {items: [], more: false}\n"
            "  pages: {token_in: page_token, token_out: page_token, more: more, items: items}\n"
        },
        list=[{"give": page} for page in pages],
    )
    desk.workflow(
        """  A:
    tools: [desk.list]
    steps:
      - call: desk.list
        pages: page
        walk: w
        at_most: 50
        checkpoint: {at.pages: w.pages, at.status: w.status, at.token: w.token}
        do: [{each: i, in: page.items, do: [{collect: rows, item: {id: "{{ i.id }}"}}]}]
""",
        "uses: {tools: [desk]}\ndata: {at: {type: object, default: {}}, "
        "rows: {type: array, key: id, items: {type: object}, default: []}}\n"
        "outputs: {n: {type: integer, value: '{{ rows | count }}'}, at: {type: object, value: '{{ at }}'}}",
    )
    ended = desk.run("--run-id", name).json
    return ended["status"], ended["outputs"], len(desk.sent)


def page(first: int, number: int, token: str | None, *, more: bool = True) -> dict[str, Any]:
    items = [{"id": f"i{place}"} for place in range(first, first + number)]
    return {"items": items, "more": more, **({"page_token": token} if token is not None else {})}


def test_p01_pages_that_come_again_end_a_walk(desk: Desk) -> None:
    same, turns = [page(20 * n, 20, "t1") for n in range(9)], [page(20 * n, 20, "AB"[n % 2]) for n in range(9)]
    random = [page(0, 20, f"t{n}") for n in range(9)]
    assert walked(desk, "same", same) == (
        "blocked",
        {"n": 20, "at": {"pages": 1, "status": "blocked", "token": "t1"}},
        2,
    )
    assert walked(desk, "turns", turns) == (
        "blocked",
        {"n": 40, "at": {"pages": 2, "status": "blocked", "token": "B"}},
        3,
    )
    assert walked(desk, "random", random) == (
        "blocked",
        {"n": 20, "at": {"pages": 3, "status": "blocked", "token": "t2"}},
        4,
    )


def test_p02_a_page_without_items_is_not_the_end(desk: Desk) -> None:
    gap = [{**page(0, 20, "t2"), "total": 500}, page(0, 0, "t3"), page(20, 5, None, more=False)]
    status, outputs, _ = walked(desk, "gap", gap)
    assert (status, outputs["n"], outputs["at"]["status"]) == ("completed", 25, "complete")
    status, outputs, requests = walked(desk, "empty", [page(0, 0, f"t{n}") for n in range(9)])
    assert (status, outputs["at"]["status"], requests) == ("blocked", "blocked", 3)


def test_l02_a_walk_that_was_cut_short_is_not_complete(desk: Desk) -> None:
    pages = [page(first, min(200, 705 - first), f"t{first}", more=first < 600) for first in range(0, 705, 200)]
    status, outputs, _ = walked(desk, "explicit", pages)
    assert (status, outputs["n"], outputs["at"]["status"]) == ("completed", 705, "complete")
    for name, cut in (("newer", page(0, 200, None)), ("none", page(0, 0, None)), ("blank", page(0, 200, ""))):
        status, outputs, _ = walked(desk, name, [cut])
        assert (status, outputs["at"]["status"]) == ("blocked", "blocked")
    # What the old one says cannot be told from the truth: no page of a profile may come from its own walk.
    assert "page-all" not in (ROOT / "specs" / "profiles" / "lark.yaml").read_text("utf-8")


# --- programs ---------------------------------------------------------------------------------------------------------


def test_l01_a_write_is_done_only_where_the_program_says_so(desk: Desk) -> None:
    outputs: dict[str, tuple[dict[str, Any], str]] = {
        "done": ({"raw": '{"ok": true, "identity": "user", "data": {"guid": "g1"}}'}, "completed"),
        "code_zero": ({"raw": '{"code": 0, "msg": "ok", "data": {}}'}, "waiting"),
        "not_ok": ({"raw": '{"ok": false}'}, "waiting"),
        "status": ({"raw": '{"ok": false, "error": {"type": "permission"}}', "exit": 1}, "waiting"),
        "nothing": ({"raw": ""}, "waiting"),
        "word": ({"raw": '{"ok": "true", "data": {}}'}, "waiting"),
        "one": ({"raw": '{"ok": 1, "data": {}}'}, "waiting"),
        "half": ({"raw": '{"ok": true, "data": {'}, "waiting"),
    }
    retry = "{errors: [transient, permanent], at_most: 3, wait: 1ms}"
    body = f"  A:\n    tools: [desk.file]\n    steps:\n      - {{call: desk.file, with: {{id: a}}, retry: {retry}}}\n"
    for name, (rule, status) in outputs.items():
        desk.forget()
        desk.tools({"file": "  effect: write\n"}, file=[rule])
        desk.workflow(body, "effect: write\nuses: {tools: [desk]}\nwrites_without_confirmation: a test")
        ended = desk.run("--run-id", name)
        assert (name, ended.json["status"], len(desk.sent)) == (name, status, 1)
        if status == "waiting":
            assert [one["id"] for one in ended.json["waiting"][0]["choices"]] == ["happened", "did_not", "stop"]


def test_x01_a_failed_answer_of_a_server_never_becomes_data(desk: Desk) -> None:
    pytest.importorskip("mcp")
    folder = desk.home / "server"
    folder.mkdir()
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    gives: list[tuple[dict[str, Any], bool]] = [
        ({"is_error": True, "text": '{"q": "as if"}'}, False),
        ({"text": "Error: 404 Not Found"}, False),
        ({"text": '{"status": "error", "q": "x"}'}, False),
        ({"error": {"code": -32603, "message": "boom"}}, False),
        ({"parts": []}, False),
        ({"structured": {"q": "fine"}}, True),
        ({"parts": [image]}, False),
    ]
    rules = [{"when": {"call": number}, "give": give} for number, (give, _) in enumerate(gives, start=1)]
    write(folder / "script.json", {"rules": rules})
    desk.tools(
        {"search": "  output: {type: object, required: [q], properties: {q: {type: string}}}\n  example: {q: a}\n"}
    )
    desk.write(
        "profiles/local.yaml",
        f"""profile: local
tools:
  desk.search:
    adapter: mcp
    settings: {{program: "{sys.executable}", argv: ["{MCP_PROGRAM}", "{folder}"]}}
    request: {{tool: echo, arguments: {{q: "{{{{ q }}}}"}}}}
    errors: [{{when: "answer.status is present and answer.status == 'error'", code: said_no}}]
    success: answer.q is present
""",
    )
    desk.workflow(
        """  A:
    tools: [desk.search]
    steps:
      - each: n
        in: given
        do: [{call: desk.search, with: {q: "{{ n | text }}"}, outcome: one}, {collect: all, item: "{{ one }}"}]
""",
        listed(given=list(range(len(gives))), all=[]),
    )
    assert desk("tools", "pin", "--profile", "profiles/local.yaml", "--accept", "--trust-profile").status == 0
    ended = desk.outputs()["all"]
    assert [one["ok"] for one in ended] == [fine for _, fine in gives]
    assert [one.get("value") for one in ended if not one["ok"]] == [None] * 6
    assert ended[5]["value"] == {"q": "fine"}


# --- models -----------------------------------------------------------------------------------------------------------


def thinking(
    desk: Desk, server: ModelServer, head: str = "", *, loop: range = range(1), call: str = "", more: str = ""
) -> None:
    """Write a workflow that asks a model, once or for each of a list."""
    desk.write(
        "tools/desk.yaml",
        "tools: desk\ndesk.think:\n  effect: read\n"
        "  input: {type: object, properties: {n: {type: integer}}}\n"
        "  output: {type: object, required: [a], additionalProperties: false, properties: {a: {type: integer}}}\n"
        "  example: {a: 1}\n  prompt: {user: 'Question {{ n | default(0) }}'}\n",
    )
    desk.write(
        "profiles/model.yaml",
        "profile: model\ntools:\n  desk.think: {adapter: model, settings: "
        f'{{address: "{server.address}", model: small, max_tokens: 64{more}}}}}\n',
    )
    desk.workflow(
        f"""  A:
    tools: [desk.think]
    steps:
      - each: n
        in: given
        at_once: 8
        outcomes: results
        do:
          - {{call: desk.think, with: {{n: "{{{{ n }}}}"}}, as: answer{call}}}
        give: "{{{{ answer.a }}}}"
      - set:
          left_out: "{{{{ results | where(ok=false) | pluck('error.code') }}}}"
          said: "{{{{ results | where('ok') | pluck('value') }}}}"
""",
        listed(given=list(loop), left_out=[], said=[]) + head,
    )


def thought(
    desk: Desk, server: ModelServer, give: list[dict[str, Any]], **how: Any
) -> tuple[dict[str, Any], list[Any]]:
    """Run the workflow; returns its outputs and the bodies of the requests."""
    thinking(desk, server, **how)
    server.answers(*({"give": one, "times": 1} for one in give))
    before = len(server.requests)
    ended = desk.run("--profile", "profiles/model.yaml")
    assert ended.status != 2, ended.err
    assert "SECRET" not in ended.out + ended.err + desk.everything_kept()
    return ended.json["outputs"], [request["body"] for request in server.requests[before:]]


RETRIED = (
    ", retry: {errors: [rate_limited, server_error, output_cut], at_most: 3, wait: 1ms}, "
    "repair: {errors: [invalid], at_most: 2, add: {}}"
)


def test_b01_calls_at_once_stay_within_their_budget(desk: Desk, shared_model_server: ModelServer) -> None:
    thinking(
        desk,
        shared_model_server,
        "budgets: {asked: {calls: [desk.think], at_most: 32, when_spent: fail}}",
        loop=range(39),
    )
    shared_model_server.answers({"give": {"json": {"a": 1}}})
    before = len(shared_model_server.requests)
    outputs = desk.outputs("--profile", "profiles/model.yaml")
    assert len(shared_model_server.requests) - before == 32
    assert outputs["left_out"] == ["budget_spent"] * 7


def test_m01_an_answer_that_was_cut_is_never_used(desk: Desk, shared_model_server: ModelServer) -> None:
    for give in (
        {"text": '{"a": "cut'},
        {"json": {"a": 1}},
        {"message": {"content": "", "reasoning_content": "SECRET"}},
    ):
        cut = {**give, "finish": "length"}
        outputs, requests = thought(desk, shared_model_server, [cut, cut, cut], call=RETRIED)
        assert (outputs["left_out"], outputs["said"], len(requests)) == (["output_cut"], [], 1)
        outputs, requests = thought(
            desk, shared_model_server, [cut, {"json": {"a": 2}}], call=RETRIED, more=", max_tokens_when_cut: 256"
        )
        assert (outputs["said"], [one["max_tokens"] for one in requests]) == ([2], [64, 256])


def test_m03_a_model_is_asked_again_when_it_says_so(desk: Desk, shared_model_server: ModelServer) -> None:
    def limited(status: int = 429, code: str | None = None, **headers: str) -> dict[str, Any]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return {"status": status, "headers": named, "body": {"error": {"message": "no", "code": code}}}

    good = {"json": {"a": 1}}
    for first, number, said in (
        (limited(retry_after="0"), 2, [1]),
        (limited(x_ratelimit_reset_requests="5ms"), 2, [1]),
        (limited(retry_after="abc"), 2, [1]),
        (limited(retry_after="-5"), 2, [1]),
        (limited(503, retry_after="0"), 2, [1]),
        (limited(retry_after="900"), 1, []),
        (limited(x_ratelimit_reset_requests="2m59s"), 1, []),
        (limited(code="insufficient_quota", retry_after="0"), 1, []),
    ):
        outputs, requests = thought(desk, shared_model_server, [first, good], call=RETRIED)
        assert (first["headers"], outputs["said"], len(requests)) == (first["headers"], said, number)
    outputs, requests = thought(desk, shared_model_server, [limited()] * 9, call=RETRIED)
    assert (outputs["left_out"], len(requests)) == (["rate_limited"], 3)


def test_m05_thoughts_of_a_model_are_no_part_of_its_answer(desk: Desk, shared_model_server: ModelServer) -> None:
    for text in (
        '<think>SECRET {"draft": true}</think>{"a":1}',
        'SECRET...</think>{"a":1}',
        '<THINK>SECRET<think>SECRET</think></THINK>\n{"a":1}',
        '＜think＞SECRET＜/think＞{"a":1}',
        '<thinking>SECRET</thinking>\n```json\n{"a":1}\n```',
        '[THINK]SECRET[/THINK]{"a":1}',
    ):
        assert thought(desk, shared_model_server, [{"text": text}])[0]["said"] == [1], text
    outputs, _ = thought(desk, shared_model_server, [{"text": '<think>SECRET {"a":2}'}])
    assert outputs["left_out"] == ["thoughts_unclosed"]

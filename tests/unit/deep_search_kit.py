"""The deep search walked in memory: what its tools answer, and a question put to it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from interpreter.adapters.memory_journal import MemoryJournal
from interpreter.check import check_documents
from interpreter.documents import load_workflow
from interpreter.engine.program import Program
from interpreter.plan import plan_workflow
from interpreter.reading import Disk
from tests.unit.run_kit import Told, case_of, run_case

SPEC = Path(__file__).parents[2] / "specs" / "wps_deep_search.yaml"
#: A Tuesday.
NOW = "2026-10-20T09:00:00Z"
Answers = dict[str, list[dict[str, Any]]]
#: Services that find nothing, and no language model.
SILENT: Answers = {
    "notes.find_tags": [{"give": {"tags": []}}],
    "notes.search_notes": [{"give": {"notes": [], "meta": {"total": 0, "has_more": False}}}],
    "web.batch_web_search": [{"give": {"answers": []}}],
    "reader.decompose": [{"fail": "unavailable"}],
    "reader.widen": [{"fail": "unavailable"}],
}


@cache
def program() -> Program:
    documents, findings = load_workflow(SPEC, Disk())
    assert documents is not None
    assert [one for one in [*findings, *check_documents(documents)] if one.severity == "error"] == []
    return plan_workflow(documents)


def ask(query: str, answers: Answers | None = None, **inputs: Any) -> Told:
    body = {
        "inputs": {"query": query, "now": NOW, **inputs},
        "answers": {**SILENT, **(answers or {})},
        "language": "zh",
        "people": {"which_meaning": [[{"sense": "苹果（水果）"}]]},
    }
    return run_case(case_of("deep", program(), body), MemoryJournal())


CLAIM = {"id": "a", "text": "星河智能降价", "subject": "星河智能", "predicate": "降价", "time_scope": None}
NOTE = {
    "note_id": "n1",
    "title": "星河智能",
    "create_time": "2026-10-19T00:00:00Z",
    "update_time": "2026-10-19T00:00:00Z",
    "tags": [],
    "starred": False,
}
BLOCK = {"id": "b1", "type": "paragraph", "text": "星河智能降价了。", "content": "<p>星河智能降价了。</p>"}
ONE_NOTE: Answers = {
    "notes.search_notes": [{"give": {"notes": [NOTE], "meta": {"total": 1, "has_more": False}}}],
    "notes.search_note_content": [{"give": {"hits": [{"block_id": "b1", "type": "paragraph", "preview": "…"}]}}],
    "notes.read_blocks": [{"give": {"blocks": [BLOCK]}}],
}
PAGE: dict[str, Any] = {
    "url": "https://site.example/a",
    "final_url": "https://site.example/a",
    "canonical_url": None,
    "redirects": [],
    "status": 200,
    "content_type": "text/html",
    "encoding": "utf-8",
    "encoding_from": "header",
    "title": "星河智能降价",
    "publisher": None,
    "author": None,
    "published": "2026-10-19",
    "published_from": "label",
    "modified": None,
    "fetched_at": "2026-10-20T01:00:00Z",
    "language": "zh",
    "text": "星河智能降价了。",
    "text_sha256": "",
    "truncated": False,
    "access": "open",
    "kind": "article",
    "credits": [],
    "source_url": None,
    "fingerprint": "",
}
HIT = {"url": "https://site.example/a", "title": "星河智能", "snippet": "", "published": None, "rank": 1}

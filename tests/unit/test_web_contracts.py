"""The contract of the web: complete, true to the adapter, and the sample pages behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.web import TOOLS
from interpreter.adapters.web.failures import _BY_CHILD, _BY_TASK
from interpreter.ports import ERROR_KINDS, ToolFailure
from tests.unit.checked_calls import document, error_codes, validator
from tests.unit.web_kit import Web, close_web

__all__ = ["close_web"]

CONTRACTS = {name: body for name, body in document("web").items() if "." in name}
SAMPLES = Path(__file__).parents[2] / "specs" / "samples" / "web"


def test_every_contract_has_a_tool_and_every_tool_a_contract() -> None:
    assert sorted(CONTRACTS) == sorted(TOOLS)


@pytest.mark.parametrize("tool", CONTRACTS)
def test_a_contract_reads_only_and_shows_an_example(tool: str) -> None:
    contract = CONTRACTS[tool]
    assert contract["effect"] == "read"
    assert set(contract["title"]) == set(contract["description"]) == {"zh", "en"}
    validator(tool, "output").validate(contract["example"])


@pytest.mark.parametrize("tool", CONTRACTS)
def test_every_error_has_a_kind_of_the_language_and_changed_nothing(tool: str) -> None:
    for code, error in {**document("web")["errors"], **CONTRACTS[tool]["errors"]}.items():
        assert error["kind"] in ERROR_KINDS, code
        assert error["happened"] == "never", code
        assert set(error["title"]) == {"zh", "en"}, code


def test_what_the_child_says_is_a_code_of_the_contract() -> None:
    codes = {code for code, _, _ in [*_BY_CHILD.values(), *_BY_TASK.values()]}
    assert codes <= error_codes("web.web_fetch")


def test_text_that_was_read_is_marked_as_such_and_what_a_search_shows_is_only_a_lead() -> None:
    hit = CONTRACTS["web.web_search"]["output"]["properties"]["hits"]["items"]["properties"]
    assert hit["snippet"]["evidence"] == hit["title"]["evidence"] == "lead"
    page = CONTRACTS["web.web_fetch"]["output"]["properties"]
    assert [name for name, field in page.items() if field.get("evidence") == "body"] == ["text"]


# --- the sample pages ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    web = Web(pages=str(SAMPLES), state=str(tmp_path_factory.mktemp("state"))).lasting()
    yield web
    web.adapter.close()


def test_every_sample_page_is_read_or_says_why_not(samples: Web) -> None:
    unread = {}
    for url in samples.adapter._saved.pages:  # type: ignore[union-attr]
        try:
            answer = samples.fetch(url)
        except ToolFailure as failure:
            unread[url] = failure.code
            continue
        assert answer["title"], url
        assert answer["text"], url
        assert not answer["truncated"], url
        assert "\ufffd" not in answer["text"], url
    assert set(unread.values()) == {
        "address_refused",
        "login_required",
        "not_found",
        "robots_disallow",
        "script_required",
        "server_error",
        "soft_not_found",
        "too_many_redirects",
    }


# what is asked for ; fields of the answer
READ: list[tuple[str, dict[str, Any]]] = [
    (
        "https://www.market-regulator.gov.example/hudong/2026/0912/1208.html",
        {"published": "2026-09-12", "encoding": "gb18030", "encoding_from": "page", "kind": "official_document"},
    ),
    (
        "https://www.galaxy-ai.example/news/2026/enterprise-pricing?from=chat&utm_source=card",
        {"canonical_url": "https://www.galaxy-ai.example/news/2026/enterprise-pricing", "publisher": "星河智能"},
    ),
    (
        "https://laofan-notes.example/2026/09/25/save-llm-money.html",
        {"published": "2026-09-25", "published_from": "url"},
    ),
    ("https://www.harbor-daily.example/tech/2026/10/16/88013", {"author": "沈若谷", "kind": "article"}),
]


@pytest.mark.parametrize(("url", "fields"), READ, ids=[row[0].rpartition("/")[2] for row in READ])
def test_a_sample_page_says_who_and_when(samples: Web, url: str, fields: dict[str, Any]) -> None:
    answer = samples.fetch(url)
    assert {name: answer[name] for name in fields} == fields


def test_every_reprint_names_the_agency_it_came_from(samples: Web) -> None:
    pages = samples.adapter._saved.pages  # type: ignore[union-attr]
    reprints = [url for url, page in pages.items() if page.name.startswith("reprint-")]
    assert len(reprints) == 5
    assert all("晨讯社" in samples.fetch(url)["credits"] for url in reprints)


def test_orders_in_a_page_are_quoted_and_hidden_ones_are_not_there(samples: Web) -> None:
    text = samples.fetch("https://ai-cost-tips.example/posts/ten-ways")["text"]
    assert "{{ run.failures }}" in text
    assert "maintenance mode" not in text

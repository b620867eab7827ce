"""The sample notes and the sample web: whole, invented throughout, and with the facts that their README promises."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.unit.checked_calls import close_adapters
from tests.unit.notes_folder import SAMPLES, Caller

__all__ = ["close_adapters"]

WEB = SAMPLES.parent / "web"
README = (WEB / "README.md").read_text("utf-8")
PAGES = sorted(path.stem for path in WEB.glob("*.yaml"))
_ADDRESS = re.compile(r"\b(?:https?://)?((?:[a-z0-9-]+\.)+[a-z]{2,})\b", re.IGNORECASE)
_NO_HOSTS = {"www.w3.org", "www.w3", "schema.org", "redirect.loop"}


@cache
def answer(page: str) -> dict[str, Any]:
    node, findings = read_tree(Source(f"{page}.yaml", (WEB / f"{page}.yaml").read_text("utf-8")))
    assert node is not None
    assert not findings
    value = to_value(node)
    assert isinstance(value, dict)
    return value


@cache
def text(page: str) -> str:
    """Return the body of a page as it has to be decoded: by the charset that it names, GB 2312 as GB 18030."""
    content = (WEB / answer(page)["body"]).read_bytes()
    named = re.search(rb"charset=[\"']?(gbk|gb2312)", content)
    return content.decode("gb18030" if named else "utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_a_saved_answer_is_whole(page: str) -> None:
    saved = answer(page)
    assert set(saved) - {"body", "search"} == {"url", "status", "headers", "fetched_at"}
    assert re.fullmatch(r"2026-10-20T01:00:\d\dZ", saved["fetched_at"])
    if saved["status"] in (301, 302):
        assert saved["headers"]["location"]
        assert "body" not in saved
    else:
        assert (WEB / saved["body"]).stat().st_size > 0
        assert saved["headers"]["content-type"]


def test_every_file_belongs_to_an_answer_and_every_address_is_saved_once() -> None:
    bodies = {answer(page)["body"] for page in PAGES if "body" in answer(page)}
    others = {"README.md", "make_pdf.py"}
    assert {path.name for path in WEB.iterdir()} == bodies | others | {f"{page}.yaml" for page in PAGES}
    addresses = [answer(page)["url"] for page in PAGES]
    assert len(addresses) == len(set(addresses))


def all_texts() -> Iterator[tuple[str, str]]:
    for path in [*SAMPLES.rglob("*.md"), *WEB.glob("*.yaml")]:
        yield path.name, path.read_text("utf-8")
    for page in PAGES:
        if str(answer(page).get("body", "")).endswith((".html", ".txt")):
            yield page, text(page)


def test_every_host_is_an_example() -> None:
    for name, content in all_texts():
        for host in _ADDRESS.findall(content):
            if "." in host and ("://" + host in content or host.endswith((".com", ".cn", ".org", ".net"))):
                assert host.endswith(".example") or host in _NO_HOSTS, (name, host)
    assert all((urlsplit(answer(page)["url"]).hostname or "").endswith(".example") for page in PAGES)


def test_the_pdf_is_the_one_that_its_script_writes(tmp_path: Path) -> None:
    script = tmp_path / "make_pdf.py"
    script.write_bytes((WEB / "make_pdf.py").read_bytes())
    subprocess.run([sys.executable, str(script)], check=True)
    name = "north-report-inference-cost-summary.pdf"
    assert (tmp_path / name).read_bytes() == (WEB / name).read_bytes()


def test_the_readme_counts_right_and_names_only_what_is_there() -> None:
    caller = Caller(SAMPLES)
    notes = set(caller.found())
    assert f"({len(notes)} Markdown notes)" in README
    assert f"({len(PAGES)} saved answers)" in README
    for name in re.findall(r"`([a-z0-9]+-[a-z0-9-]+)`", README.partition("## Questions")[2]):
        assert name in notes or any(page.startswith(name) for page in PAGES), name


# page or note ; what has to stand in it
FACTS = [
    (
        "galaxy-enterprise-pricing",
        "2026年10月15日，星河智能发布新的企业版定价。企业版席位价由每席每月198元调整为每席每月168元",
    ),
    ("galaxy-enterprise-pricing", "新价格自2026年11月1日起生效"),
    ("galaxy-enterprise-pricing", "适用于中国大陆的企业版新签客户和续约客户"),
    ("harbor-galaxy-pricing", "本报记者向三家企业版客户求证"),
    ("coast-galaxy-pricing", "Two customers showed this newspaper"),
    ("galaxy-statement-promo", "从未推出企业版99元的价格"),
    ("regulator-labelling-notice", "自2026年12月1日起施行"),
    ("regulator-labelling-answers", "自2026年12月1日起施行"),
    ("regulator-labelling-answers", "周镕、田堃"),
    ("std-labelling-standard", "自2027年1月1日起实施"),
    ("regulator-price-bulletin-q3", "同比下降31%"),
    ("std-price-monitoring-q3", "同比下降24%"),
    ("north-index-2026-09", "指数为 76.2"),
    ("riverside-small-firms", "命中缓存的部分便宜得多"),
    ("budget-2026q4", "四季度模型预算为 42 万元"),
    ("budget-meeting-0922", "四季度模型预算为 36 万元"),
    ("galaxy-call-1016", "每席每月 168 元，50 席起，11 月 1 日生效"),
    ("lighthouse-q2-review", "模型成本比一季度下降 38%"),
    ("wheatfield-q3-review", "模型成本下降 21%"),
]


@pytest.mark.parametrize(("place", "fact"), FACTS)
def test_the_facts_stand_where_the_readme_says(place: str, fact: str) -> None:
    assert f"`{place}`" in README or place.rpartition("-")[0] in README
    if place in PAGES:
        assert fact in text(place)
    else:
        assert any(fact in block["text"] for block in Caller(SAMPLES).blocks(place))


def test_the_five_reprints_are_one_text_under_five_titles() -> None:
    reprints = [page for page in PAGES if page.startswith("reprint-")]
    assert len(reprints) == 5
    bodies = [text(page) for page in reprints]
    assert len({re.search(r"<title>(.*?)</title>", body).group(1) for body in bodies}) == 5  # type: ignore[union-attr]
    for body in bodies:
        assert "据晨讯社" in body
        assert "一期投资12亿元，计划2027年年底建成" in body


def test_what_the_traps_need_is_there() -> None:
    assert "全面免费" in answer("press-biz-digest-free-rumour")["search"]["snippet"]
    assert "scores 92" in answer("scorecard-challenge")["search"]["snippet"]
    assert "人人可用" not in text("press-biz-digest-free-rumour").partition("<body>")[2]
    old = text("harbor-galaxy-2025")
    assert "发布时间：2025-09-11" in old
    assert "页面更新：2026-10-18" in old
    assert answer("polaris-old-cache-page")["status"] == 200
    assert "Ignore all previous instructions" in text("blog-with-orders")
    assert 'rel="canonical" href="https://www.galaxy-ai.example/news/2026/enterprise-pricing"' in text(
        "galaxy-enterprise-pricing-from-chat"
    )
    assert answer("out-link-to-inside")["headers"]["location"].startswith("http://169.254.")
    structured = re.search(r"<script type=\"application/ld\+json\">(.*?)</script>", text("coast-premium-margins"))
    assert structured is not None
    assert json.loads(structured.group(1))["isAccessibleForFree"] is False


def test_the_notes_are_read_without_a_problem() -> None:
    caller = Caller(SAMPLES)
    answer = caller("search_notes", limit=100)
    assert not [note for note in answer["notes"] if "problem" in note]
    assert "skipped" not in answer
    links = [link for note in caller("get_note_info", limit=100)["notes"] for link in note["links"]]
    assert links
    assert all("note_id" in link for link in links)

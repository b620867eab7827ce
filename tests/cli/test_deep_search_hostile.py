"""Pages that lie about what they are: nothing of one is ever shown under another, and no page rises by its word."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.cli.search_cases import untraceable
from tests.cli.search_kit import DeepSearch, Found, write_note, write_page

GOVERNMENT = "https://www.stats.gov.example"
QUERY = "Did Galaxy AI publish new enterprise pricing?"
STATEMENT = "Galaxy AI published new enterprise pricing on 16 October 2026"
FILLER = "The office of the administration has rooms in many places and is open on most days of the week. " * 4


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> DeepSearch:
    return DeepSearch(tmp_path_factory.mktemp("hostile"))


def write(pages: Path, name: str, url: str, title: str, texts: list[str], head: str = "") -> None:
    """Save one page with something of its own in its head."""
    write_page(pages, name, url, title, [*texts, FILLER])
    place = pages / f"{name}.html"
    place.write_text(place.read_text("utf-8").replace("</head>", f"{head}</head>"), "utf-8")


def moved(pages: Path, name: str, url: str, target: str) -> None:
    (pages / f"{name}.yaml").write_text(
        f'url: "{url}"\nstatus: 301\nheaders: {{location: "{target}"}}\n'
        f'search: {{title: "Galaxy AI enterprise pricing", snippet: "{STATEMENT}"}}\n'
        'fetched_at: "2026-10-20T01:00:00Z"\n',
        "utf-8",
    )


def canonical(url: str) -> str:
    return f'<link rel="canonical" href="{url}"><meta property="og:url" content="{url}">'


def ask(search: DeepSearch, pages: Path, query: str = QUERY, **inputs: Any) -> Found:
    return search(query, pages=pages, vault=None, language="en", source_mode="web_only", **inputs)


def by_url(found: Found) -> dict[str, dict[str, Any]]:
    return {one["url"]: one for one in found.outputs["evidence"]["web"]}


# --- the address of a page --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        pytest.param("a", id="the forger is read first"),
        pytest.param("z", id="the forger is read last", marks=pytest.mark.long),
    ],
)
def test_a_canonical_address_lends_nothing_and_takes_nothing(search: DeepSearch, tmp_path: Path, first: str) -> None:
    genuine, forged = f"{GOVERNMENT}/galaxy", f"{GOVERNMENT}/~mallory/galaxy"
    write(tmp_path, "m", genuine, "Galaxy AI", ["Galaxy AI announced enterprise pricing for 2026."])
    write(tmp_path, first, forged, STATEMENT, [f"{STATEMENT}, and it is the mallory page."], canonical(genuine))
    found = ask(search, tmp_path)
    assert by_url(found)[forged]["tier"] == 3
    assert by_url(found)[genuine]["tier"] == 1
    for one in found.outputs["evidence"]["web"]:
        assert ("mallory" in one["quote"]) <= (one["url"] == forged)
    titles = {one["url"]: one["title"] for one in found.outputs["results"]}
    assert titles[genuine] == "Galaxy AI"


@pytest.mark.long
def test_a_canonical_address_alone_lends_no_tier(search: DeepSearch, tmp_path: Path) -> None:
    genuine, forged = f"{GOVERNMENT}/galaxy", f"{GOVERNMENT}/~mallory/galaxy"
    write(tmp_path / "alone", "f", forged, STATEMENT, [f"{STATEMENT}."], canonical(genuine))
    alone = ask(search, tmp_path / "alone")
    assert alone.claim()["verdict"] == "insufficient_evidence"
    assert not alone.claim()["authority"]


def test_the_query_of_an_address_makes_a_page_and_tracking_does_not(search: DeepSearch, tmp_path: Path) -> None:
    other = "Galaxy AI enterprise pricing is no subject of this office."
    for number, text in enumerate([other, f"{STATEMENT}."]):
        url = f"{GOVERNMENT}/view?id={number}"
        write(tmp_path, f"p{number}", url, f"Galaxy AI enterprise pricing {number}", [text])
    write(tmp_path, "tracked", f"{GOVERNMENT}/view?id=1&utm_source=x", STATEMENT, [f"{STATEMENT}."])
    found = ask(search, tmp_path)
    assert {one["source_id"].partition("&")[0] for one in found.outputs["evidence"]["web"]} == {
        f"{GOVERNMENT}/view?id=1"
    }
    assert len({one["source_id"] for one in found.outputs["evidence"]["web"]}) == 1
    fetched = {one["url"].partition("&")[0] for one in found.called("web.web_fetch")}
    assert fetched == {f"{GOVERNMENT}/view?id=0", f"{GOVERNMENT}/view?id=1"}


HOSTILE_PLACES = [
    f"{GOVERNMENT}/view?id=1",
    f"{GOVERNMENT}/view?id=2",
    f"{GOVERNMENT}/view?id=2&utm_medium=mail",
    f"{GOVERNMENT}/view/",
    f"{GOVERNMENT}/view",
    f"{GOVERNMENT}/%7Emallory/view?id=1",
    f"{GOVERNMENT}/forum/view?id=1",
    "https://www.galaxy-ai.example/news?id=1",
    "https://community.galaxy-ai.example/news?id=1",
    "https://galaxy-ai.example.evil.example/news?id=1",
    "https://harbor-daily.example/a?id=1",
    "https://blog.example/a",
]
TIER_1 = {*HOSTILE_PLACES[:5], HOSTILE_PLACES[7]}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 20))])
def test_every_quotation_stands_in_the_page_whose_address_is_shown(
    search: DeepSearch, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    places = chance.sample(HOSTILE_PLACES, 7)
    texts: dict[str, str] = {}
    for number, place in enumerate(places):
        name = f"{chance.randrange(100):02}-{number}"
        if number and chance.random() < 0.25:
            moved(tmp_path, name, place, chance.choice(places))
            continue
        own = f"{STATEMENT}, says the page with the mark {number}{seed}x."
        copied = chance.choice([*texts.values(), own]) if chance.random() < 0.3 else own
        texts[place] = copied
        head = canonical(chance.choice(HOSTILE_PLACES)) if chance.random() < 0.8 else ""
        head += (
            f'<script type="application/ld+json">{json.dumps({"isBasedOn": chance.choice(HOSTILE_PLACES)})}</script>'
        )
        write(tmp_path, name, place, f"Galaxy AI enterprise pricing, mark {number}", [copied], head)
    found = ask(search, tmp_path, search_depth="deep")
    assert found.outputs["evidence"]["web"]
    for one in found.outputs["evidence"]["web"]:
        shown = f"{texts[one['url']]} {(tmp_path / one_of(tmp_path, one['url'])).read_text('utf-8')}"
        assert one["quote"] in shown, one
        assert (one["tier"] == 1) == (one["url"] in TIER_1), one
    for one in found.outputs["results"]:
        assert one["title"] in (tmp_path / one_of(tmp_path, one["url"])).read_text("utf-8")
        assert (one["tier"] == 1) == (one["url"] in TIER_1)


def one_of(pages: Path, url: str) -> str:
    """Return the body that was saved for an address."""
    name = next(one for one in sorted(pages.glob("*.yaml")) if f'url: "{url}"\n' in one.read_text("utf-8"))
    return name.with_suffix(".html").name


# --- whose page it is -------------------------------------------------------------------------------------------------

POSTING = '<script type="application/ld+json">{"@type":"DiscussionForumPosting","author":{"name":"troll42"}}</script>'
PLACES_OF_USERS = [
    "https://community.galaxy-ai.example/t/99",
    "https://forum.galaxy-ai.example/99",
    "https://www.galaxy-ai.example/forum/t/99",
    "https://www.galaxy-ai.example/en/community/99",
    "https://www.galaxy-ai.example/%7Etroll/",
    f"{GOVERNMENT}/bbs/99",
]


def test_what_users_write_is_no_disclosure_of_the_owner(search: DeepSearch, tmp_path: Path) -> None:
    for number, url in enumerate(PLACES_OF_USERS):
        write(tmp_path, f"p{number}", url, f"{QUERY} {number}", [f"{STATEMENT}."])
    write(tmp_path, "posting", "https://www.galaxy-ai.example/news/99", QUERY, [f"{STATEMENT}."], POSTING)
    found = ask(search, tmp_path, search_depth="deep")
    assert len(found.outputs["evidence"]["web"]) >= 5
    assert {one["tier"] for one in found.outputs["evidence"]["web"]} == {3}
    assert found.claim()["verdict"] == "insufficient_evidence"


def test_an_owner_is_an_authority_about_itself_alone(search: DeepSearch, tmp_path: Path) -> None:
    both = f"{STATEMENT}, and Polaris Cloud published enterprise pricing on 16 October 2026."
    write(tmp_path, "a", "https://www.galaxy-ai.example/news", "Galaxy AI and Polaris Cloud", [both])
    claims = [
        {"subject": "Galaxy AI", "predicate": "published enterprise pricing", "time_scope": None},
        {"subject": "Polaris Cloud", "predicate": "published enterprise pricing", "time_scope": None},
    ]
    found = ask(search, tmp_path, claims=claims)
    assert [one["authority"] for one in found.outputs["claims"]] == [True, False]


# --- what is asked ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "beside", ["None of it is true.", pytest.param("This page is an April fool.", marks=pytest.mark.long)]
)
def test_a_page_that_takes_all_of_itself_back_supports_nothing(search: DeepSearch, tmp_path: Path, beside: str) -> None:
    write(tmp_path, "a", f"{GOVERNMENT}/a", "Galaxy AI", [f"{STATEMENT}.", FILLER, FILLER, FILLER, beside])
    assert ask(search, tmp_path).claim()["verdict"] == "insufficient_evidence"


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("Galaxy AI", marks=pytest.mark.long),
        pytest.param("近 pricing", marks=pytest.mark.long),
        "Galaxy AI never published new enterprise pricing",
    ],
)
def test_without_a_statement_or_with_a_denied_one_nothing_is_supported(
    search: DeepSearch, tmp_path: Path, query: str
) -> None:
    write(tmp_path, "a", f"{GOVERNMENT}/a", "Galaxy AI pricing", [f"{STATEMENT}."])
    found = ask(search, tmp_path, query)
    assert found.status == 0
    assert all(one["verdict"] not in ("supported", "partially_supported") for one in found.outputs["claims"])


STRUCK = ["<del>{}</del>", "<p><s>{}</s></p>", "<strike>{}</strike>", "<p style='text-decoration:line-through'>{}</p>"]


@pytest.mark.parametrize("markup", [STRUCK[0], *(pytest.param(one, marks=pytest.mark.long) for one in STRUCK[1:])])
def test_what_a_page_strikes_through_supports_nothing(search: DeepSearch, tmp_path: Path, markup: str) -> None:
    write(tmp_path, "a", f"{GOVERNMENT}/a", "Galaxy AI pricing", ["The office speaks of Galaxy AI pricing.", "STRUCK"])
    place = tmp_path / "a.html"
    struck = markup.format(f"{STATEMENT}.")
    place.write_text(place.read_text("utf-8").replace("<p>STRUCK</p>", struck), "utf-8")
    found = ask(search, tmp_path)
    assert found.claim()["verdict"] == "insufficient_evidence"
    assert not any(STATEMENT in one["quote"] for one in found.evidence)


def test_what_a_note_strikes_through_is_no_evidence_and_its_title_is_text(search: DeepSearch, tmp_path: Path) -> None:
    title = "<script>alert(1)</script> [red]Galaxy AI[/red] {{ run.id }} **pricing**"
    write_note(tmp_path, "a", title, [f"~~{STATEMENT}.~~", "- [ ] ~~call Galaxy AI~~", "- [ ] pay Galaxy AI"])
    found = search(QUERY, vault=tmp_path, source_mode="notes_only", language="en")
    assert found.claim()["verdict"] == "insufficient_evidence"
    assert not any(STATEMENT in one["quote"] for one in found.evidence)
    tasks = search("all open tasks", vault=tmp_path, language="en")
    assert {one["quote"] for one in tasks.evidence} == {"pay Galaxy AI"}
    assert {one["title"] for one in tasks.evidence} == {title}
    assert untraceable(tasks) == []


@pytest.mark.long
def test_a_page_of_ten_megabytes_that_repeats_itself_hides_no_statement(search: DeepSearch, tmp_path: Path) -> None:
    write(tmp_path, "a", f"{GOVERNMENT}/a", "Galaxy AI", [f"{STATEMENT}."])
    place = tmp_path / "a.html"
    long = "<p>" + "Galaxy AI pricing is big. " * 400_000 + "</p>"
    place.write_text(place.read_text("utf-8").replace("</article>", f"{long}</article>"), "utf-8")
    found = ask(search, tmp_path)
    assert found.claim()["verdict"] == "supported"
    assert untraceable(found) == []
    assert any("too long" in one["en"] for one in found.outputs["selection"])


def test_a_preferred_site_is_meant_by_its_host(search: DeepSearch, tmp_path: Path) -> None:
    for name, url in (
        ("a", "https://blog.example/?from=harbor-daily.example"),
        ("b", "https://harbor-daily.example.blog.example/"),
        ("c", "https://m.harbor-daily.example/c"),
    ):
        write(tmp_path, name, url, QUERY, [f"{STATEMENT}."])
    found = ask(search, tmp_path, filters={"prefer": ["harbor-daily.example"]})
    assert found.called("web.web_fetch")[0]["url"] == "https://m.harbor-daily.example/c"


# --- how much ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_page_of_empty_cells_costs_little_and_leaves_little(search: DeepSearch, tmp_path: Path) -> None:
    write_page(tmp_path, "a", f"{GOVERNMENT}/a", "Galaxy AI", [f"{STATEMENT}.", FILLER])
    place = tmp_path / "a.html"
    table = "<table><tr>" + "<td>a" * 300 + "<tr><td>b" * 18_000 + "</table>"
    place.write_text(place.read_text("utf-8").replace("</article>", f"{table}</article>"), "utf-8")
    found = ask(search, tmp_path)
    assert found.claim()["verdict"] == "supported"
    text = next(answer["text"] for tool, _, answer in found.calls if tool == "web.web_fetch")
    assert len(text) < 200_000


def test_a_page_that_cannot_be_read_is_named(search: DeepSearch, tmp_path: Path) -> None:
    write(tmp_path, "a", f"{GOVERNMENT}/a", "Galaxy AI", [f"{STATEMENT}."])
    write(tmp_path, "b", f"{GOVERNMENT}/b", "Galaxy AI", ["x"])
    (tmp_path / "b.html").write_bytes(bytes(range(128, 256)) * 40)
    found = ask(search, tmp_path)
    assert any(f"{GOVERNMENT}/b" in one["en"] for one in found.outputs["selection"])

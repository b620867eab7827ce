"""Who writes at an address, and which tier that leaves it: users never speak for the site that they write on."""

from __future__ import annotations

import pytest

from tests.unit.deep_search_kit import CLAIM, HIT, PAGE, Answers, ask

GOVERNMENT = "https://www.city.gov.cn"
STANDARDS = "https://www.iso.org"
OWNER = "https://www.galaxy-ai.example"
PRESS = "https://www.people.com.cn"
SITES = (GOVERNMENT, "https://www.gov.uk", STANDARDS, OWNER, PRESS)

_STEPS = """
forum forums Forums2 forum-34-1.html forum.php FORUM.JSP;jsessionid=1 bbs bbs1 bbs_2 %62bs BBS.shtml ＢＢＳ
luntan tieba community communities discussion discussions-3 thread-12-1-1.html viewthread.php showtopic,123.0.html
message-board user-forums comment comments comments.html pinglun gentie liuyan liuyanban petition petitions
e-petitions wiki users u u123 uid-7.html space-uid-7.html ~li %7Eli @li 论坛 论坛2 %E8%AE%BA%E5%9D%9B 强国论坛 社区
贴吧 网友留言 留言板 网友评论 百科
"""
_HOSTS = """
forum forums forums2 bbs bbs1 BBS community forum-en dev-community luntan tieba petition petitions comments
liuyan wiki 论坛 xn--kfsr23j 社区
"""
STEPS_OF_USERS = _STEPS.split()
HOSTS_OF_USERS = _HOSTS.split()


def tiers_of(*urls: str) -> dict[str, int]:
    """Return the tiers of addresses as a search lists them; none of the pages can be read."""
    hits = [{**HIT, "url": url, "rank": rank, "published": "2026-10-19"} for rank, url in enumerate(urls, 1)]
    answers: Answers = {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": hits, "error": None}]}}],
        "web.web_fetch": [{"fail": "not_found"}],
        "reader.widen": [{"give": {"queries": []}}],
    }
    told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="web_only")
    return {lead["url"]: lead["tier"] for lead in told.data["leads"]}


def test_a_path_of_users_is_no_authority_on_any_site() -> None:
    sites = (GOVERNMENT, f"{GOVERNMENT}/hudong", STANDARDS, f"{OWNER}/en", PRESS)
    urls = [f"{site}/{step}{behind}" for step in STEPS_OF_USERS for site in sites for behind in ("", "/1")]
    found = tiers_of(*urls)
    assert len(found) > len(urls) // 2  # some ways of writing name one page
    assert {url: tier for url, tier in found.items() if tier != 3} == {}


def test_a_host_of_users_is_no_authority_below_any_domain() -> None:
    below = ("gov.cn", "city.gov.cn", "gov.uk", "iso.org", "galaxy-ai.example", "people.com.cn")
    urls = [f"https://{host}.{domain}/a/1" for host in HOSTS_OF_USERS for domain in below]
    found = tiers_of(*urls)
    assert len(found) > len(urls) // 2  # some ways of writing name one page
    assert {url: tier for url, tier in found.items() if tier != 3} == {}


# what it is ; address ; tier, where author and day of publication are known
PLACES: list[tuple[str, str, int]] = [
    *((f"the site itself: {site}", f"{site}/news/2026/1.html", 2 if site == PRESS else 1) for site in SITES),
    ("a search for a word of users", f"{GOVERNMENT}/search?q=forum", 1),
    ("a title that names a forum", f"{GOVERNMENT}/news/world-economic-forum-2026.html", 1),
    ("a title that names users", f"{GOVERNMENT}/news/user-fees-and-comments-of-the-minister", 1),
    ("a department that answers", f"{GOVERNMENT}/hudong/2026/0912/1208.html", 1),
    # words that mean users elsewhere
    ("the board of an authority", "https://www.reserve.gov/about/board/chair.htm", 1),
    ("a member of a body of standards", f"{STANDARDS}/member/1511.html", 1),
    ("a subject of an authority", "https://www.europarl.europa.eu/topics/en/article/1", 1),
    ("a working group of a government", "https://www.gov.uk/government/groups/pricing", 1),
    ("questions that a department answers", "https://www.gov.uk/questions", 1),
    ("a member of a company's site", f"{OWNER}/members/7", 3),
    ("a question on a company's site", f"{OWNER}/questions/7", 3),
    ("a subject on a paper's site", f"{PRESS}/topics/7", 3),
    # blogs
    ("the newsroom of a company", f"{OWNER}/blog/pricing", 1),
    ("the newsroom of a company, as a host", "https://blog.galaxy-ai.example/pricing", 1),
    ("a user of a company's blog", f"{OWNER}/blog/users/7", 3),
    ("the forum beside a company's blog", f"{OWNER}/blog/community/7", 3),
    ("somebody else's newsroom", "https://www.polaris-cloud.example/blog/pricing", 3),
    ("the staff of an authority", "https://blog.ons.gov.uk/2026/10/19/prices", 2),
    ("the staff of an authority, as a path", "https://www.labor.gov/blog/prices", 2),
    ("a blog below a government where anybody may write", "https://blog.city.gov.cn/li/1", 3),
    ("a blog there as a path", f"{GOVERNMENT}/boke/1", 3),
    ("a blog there in Chinese", f"{GOVERNMENT}/博客/1", 3),
    ("a blog of a body of standards", f"{STANDARDS}/blog/1", 3),
    ("a blog of a paper", "https://blog.people.com.cn/1", 3),
    ("a numbered blog of a paper", "https://blog2.people.com.cn/1", 3),
]


def test_a_place_decides_with_its_owner() -> None:
    found = tiers_of(*(url for _, url, _ in PLACES))
    assert {why: found[url] for why, url, _ in PLACES} == {why: tier for why, _, tier in PLACES}


@pytest.mark.parametrize(
    ("author", "published", "tier"), [("Ann", "2026-10-19", 2), (None, "2026-10-19", 3), ("Ann", None, 3)]
)
def test_the_blog_of_an_authority_needs_an_author_and_a_day(
    author: str | None, published: str | None, tier: int
) -> None:
    url = "https://www.labor.gov/blog/prices"
    page = {**PAGE, "url": url, "final_url": url, "author": author, "published": published}
    answers: Answers = {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [{**HIT, "url": url}], "error": None}]}}],
        "web.web_fetch": [{"give": page}],
        "reader.judge": [{"give": {"findings": []}}],
        "reader.widen": [{"give": {"queries": []}}],
    }
    told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="web_only")
    assert [one["tier"] for one in told.data["sources"]] == [tier]


def test_hits_without_an_address_are_counted_over_all_searches() -> None:
    skipped = [{"url": "javascript:alert(1)", "code": "no_address"}, {"url": "", "code": "no_address"}]
    answer = {"answers": [{"query": "q", "hits": [HIT], "error": None}], "skipped": skipped, "skipped_total": 2}
    answers: Answers = {
        "web.batch_web_search": [{"give": answer}],
        "web.web_fetch": [{"give": PAGE}],
        "reader.judge": [{"give": {"findings": []}}],
        "reader.widen": [{"give": {"queries": []}}],
    }
    told = ask("星河智能降价了吗", answers, claims=[CLAIM], source_mode="web_only")
    searches = len([call for call in told.calls if call.tool == "web.batch_web_search"])
    assert told.data["odd_hits"] == 2 * searches
    assert any(f"{2 * searches} 条没有可读的网址" in said["zh"] for said in told.data["selection"])
    assert "javascript:" not in str(told.outputs)

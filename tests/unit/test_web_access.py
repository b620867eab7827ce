"""Whether a page was read at all: pages that lead elsewhere, do not exist, or stand behind a wall."""

from __future__ import annotations

import pytest

from tests.unit.web_kit import LONG, linked, page, read, refusal

# --- pages that send their reader on ---------------------------------------------------------------------------------

# what it is ; the content of the element ; where it leads, from https://www.example.com/news/1
REFRESHES: list[tuple[str, str, str | None]] = [
    ("as most write it", "0;url=/a", "https://www.example.com/a"),
    ("with blanks, in capitals", " 0 ; URL = /a ", "https://www.example.com/a"),
    ("in quotes", "0;url='/a'x", "https://www.example.com/a"),
    ("a comma", "0,url=/a", "https://www.example.com/a"),
    ("a blank alone", "0 url=/a", "https://www.example.com/a"),
    ("without url=", "0;/a", "https://www.example.com/a"),
    ("a broken number", ".5;url=/a", "https://www.example.com/a"),
    ("five seconds", "5.9;url=/a", "https://www.example.com/a"),
    ("another site", "0;url=//other.example/a", "https://other.example/a"),
    ("what is no address of the web goes on to be refused", "0;url=file:///etc/passwd", "file:///etc/passwd"),
    ("a backslash too", "0;url=http://a\\b", "http://a\\b"),
    ("six seconds", "6;url=/a", None),
    ("as long as there are digits", "9" * 5000 + ";url=/a", None),
    ("no number", ";url=/a", None),
    ("letters for a number", "x;url=/a", None),
    ("to itself", "0;url=/news/1", None),
    ("to a part of itself", "0;url=#part", None),
    ("made anew", "0", None),
    ("made anew, with an empty address", "0;url=", None),
    ("a script", "0;url=javascript:alert(1)", None),
    *(("no address", f"0;url={target}", None) for target in ("http://[", "http://[::", "//[x")),
]


@pytest.mark.parametrize(("content", "target"), [row[1:] for row in REFRESHES], ids=[row[0] for row in REFRESHES])
def test_a_page_that_sends_its_reader_on_is_a_redirect_whatever_it_holds(content: str, target: str | None) -> None:
    markup = page(LONG, f'<meta http-equiv="Refresh" content="{content}">')
    assert read(markup).get("refresh") == target
    bare = f'<html><head><meta http-equiv=refresh content="{content}"></head><body></body></html>'
    seconds_are_few = not content.startswith(("6;", "99"))
    if target is None and seconds_are_few:
        assert refusal(bare) == "no_text"
    else:
        assert set(read(bare)) == {"refresh"}


NOTICE = "<p>The page that you look for is elsewhere now, and you get there by yourself.</p>"
# what it is ; body ; head ; whether it is a redirect
LATER: list[tuple[str, str, str, bool]] = [
    ("a notice that is left after a while", NOTICE, '<meta http-equiv=refresh content="10;url=/a">', True),
    ("a text that is left after a while", LONG, '<meta http-equiv=refresh content="10;url=/a">', False),
    ("a notice that is left late", NOTICE, '<meta http-equiv=refresh content="300;url=/a">', False),
    (
        "a reader without scripts",
        LONG,
        '<noscript><meta http-equiv=refresh content="0;url=/plain"></noscript>',
        False,
    ),
    (
        "a reader without scripts, and nothing else to read",
        "",
        '<noscript><meta http-equiv=refresh content="0;url=/plain"></noscript>',
        True,
    ),
    (
        "both readers",
        LONG,
        '<noscript><meta http-equiv=refresh content="0;url=/plain"></noscript>'
        '<meta http-equiv=refresh content="0;url=/a">',
        True,
    ),
    ("in the body", LONG + '<meta http-equiv=refresh content="0;url=/a">', "", True),
]


@pytest.mark.parametrize(("body", "head", "leads"), [row[1:] for row in LATER], ids=[row[0] for row in LATER])
def test_who_is_sent_on_later_or_without_scripts_may_read_first(body: str, head: str, leads: bool) -> None:
    assert ("refresh" in read(f"<html><head>{head}</head><body>{body}</body></html>")) is leads


# --- notices and walls -----------------------------------------------------------------------------------------------

SHORT = (
    "<p>这是正文的第一句话，说的是事情的起因，后面还有更多内容，这里交代了时间和地点，也交代了人物和他们说的话。</p>"
)
MORE = SHORT.replace("第一句", "第二句")
# what it is ; page ; the code, or the access
ACCESS: list[tuple[str, str, str]] = [
    ("an article", page(LONG), "open"),
    (
        "a title that says not found",
        "<title>页面不存在</title><h1>页面不存在</h1><p>抱歉，您访问的页面不存在或已被移动。</p>",
        "soft_not_found",
    ),
    ("404 in the heading", "<title>Site</title><h1>404</h1><p>Sorry.</p>", "soft_not_found"),
    (
        "english not found",
        "<title>Oops</title><h1>Page not found</h1><p>The page could not be found.</p>",
        "soft_not_found",
    ),
    ("a removed article", "<title>某网</title><p>该文章已被删除。</p>", "soft_not_found"),
    ("an article about error 404", page("<p>错误 404 的意思是页面不存在。</p>" + LONG), "open"),
    (
        "a sign-in form",
        "<title>登录</title><h1>请登录</h1><form><input name=u><input type=password></form>",
        "login_required",
    ),
    (
        "sign in to continue",
        "<title>Report</title><p>Sign in to continue reading this report.</p><form><input type=password></form>",
        "login_required",
    ),
    ("only a pay wall", "<title>t</title><h1>t</h1><p>Subscribe to continue reading.</p>", "payment_required"),
    ("a beginning before a pay wall", page(SHORT + MORE + "<p>订阅后阅读全文</p>"), "teaser"),
    ("a beginning before a sign-in", page(SHORT + MORE + "<p>登录后查看全文</p>"), "teaser"),
    ("a long text that ends at a wall", page(LONG + "<p>剩余内容仅限会员阅读，开通会员后继续。</p>"), "teaser"),
    (
        "json-ld says that it is paid for",
        page(LONG, linked('{"@type":"NewsArticle","isAccessibleForFree":"False"}')),
        "teaser",
    ),
    ("a wall by its class", page(LONG + '<div class="paywall-banner">Subscribe now to read</div>'), "teaser"),
    ("an article about subscriptions", page("<p>他们的口号是“订阅后阅读全文”。</p>" + LONG + LONG), "open"),
    (
        "scripts are asked for",
        "<title>App</title><noscript>You need JavaScript.</noscript><p>Please enable JavaScript.</p>",
        "script_required",
    ),
    ("an empty page of scripts", "<title>App</title><div id=app></div><script src=/a.js></script>", "script_required"),
    (
        "a page that scripts fill, with words for those who have none",
        "<title>App</title><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>"
        "<script src=/a.js></script>",
        "script_required",
    ),
    ("a challenge", "<title>Just a moment...</title><h1>Checking your browser</h1>", "script_required"),
    ("a slider", "<title>安全验证</title><p>请拖动滑块完成验证</p>", "script_required"),
    ("nothing at all", "<title>t</title><body></body>", "no_text"),
    ("a redirect by script", page("<p>页面正在跳转，如果没有自动跳转，请点击这里。</p>"), "only_redirects"),
    (
        "a redirect by hand",
        "<title>301 Moved Permanently</title><h1>Moved Permanently</h1>"
        "<p>The document has moved <a href=/a>here</a>.</p>",
        "only_redirects",
    ),
    (
        "a redirect with what stands beside",
        page(
            "<p>You will be redirected in a moment.</p><p>Please wait…</p><p>© 2026 Example. All rights reserved.</p>"
        ),
        "only_redirects",
    ),
    ("an article that redirects money", page(f"<p>The council is redirecting 5 million.</p>{SHORT}"), "open"),
    ("a notice that says what is elsewhere", page(f"<p>This page has moved to /a.</p>{SHORT}"), "open"),
    (
        "a request for consent",
        page("<p>We value your privacy. We and our partners store cookies. Accept all / Reject all</p>"),
        "only_consent",
    ),
    (
        "a request for consent in its parts",
        page(
            "<h2>Your privacy choices</h2><p>This site uses cookies to measure how it is read.</p>"
            "<p>Our 842 partners store and access information on a device.</p>"
            "<button>Accept all</button><button>Manage options</button><p>Privacy policy | Imprint</p>"
        ),
        "only_consent",
    ),
    (
        "a long request for consent, by its title",
        "<title>Before you continue to the search</title><h1>Before you continue</h1><p>We use cookies and data to</p>"
        "<ul>"
        + "".join(f"<li>Measure how many people come to part {n} of it, and what they do there</li>" for n in range(9))
        + "</ul>"
        "<p>If you choose “Accept all”, we will also use them to develop new services.</p>",
        "only_consent",
    ),
    (
        "a request for consent in Chinese",
        page("<p>本网站使用 Cookie 来改善浏览体验，并与合作伙伴共享统计数据。</p><p>全部接受　全部拒绝　隐私设置</p>"),
        "only_consent",
    ),
    (
        "an article with a banner",
        page(LONG + "<div><p>We value your privacy. We use cookies.</p><button>Accept all</button></div>"),
        "open",
    ),
    (
        "a short notice with a banner",
        page(
            "<p>企业版价格自十一月一日起调整为每席每月一百六十八元。</p><p>本网站使用 Cookie。全部接受 / 全部拒绝</p>"
        ),
        "open",
    ),
    (
        "a banner in front of a short notice",
        "<title>Prices</title><h2>We value your privacy</h2><p>We use cookies.</p><button>Accept all</button>"
        "<h1>Prices</h1><p>The enterprise price is 168 yuan a seat from 1 November.</p>",
        "open",
    ),
    (
        "an article about such requests",
        page(
            "<p>The regulator fined the company: its page said “We use cookies”, “Accept all”, and no “Reject all”.</p>"
            "<p>The fine is 5 million yuan, and the company has thirty days to pay it.</p>"
        ),
        "open",
    ),
    (
        "a policy of cookies",
        page("<p>We use cookies to count readers. Accept all or reject all of them.</p>" + LONG),
        "open",
    ),
    ("not even markup", "", "no_text"),
]


@pytest.mark.parametrize(("body", "outcome"), [row[1:] for row in ACCESS], ids=[row[0] for row in ACCESS])
def test_a_page_that_was_not_read_is_told_from_one_that_was(body: str, outcome: str) -> None:
    if outcome in ("open", "teaser"):
        assert read(body)["access"] == outcome
    else:
        assert refusal(body) == outcome

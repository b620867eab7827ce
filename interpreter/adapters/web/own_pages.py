"""Pages of our own that have one of everything that pages of the web have.

The child reads them before it forks: a pattern or a list that reading makes for them is made once, and not in every
fork again for its one page.
"""

from __future__ import annotations

_SENTENCE = "这是一个用来准备的句子，它和别的句子一样长。A sentence that is as long as the others. "

#: A little text before a form that asks for a password.
SHORT_PAGE = f"""<!doctype html>
<html lang="zh"><head><title>一 - 二</title><!-- 三 -->
<meta property="og:site_name" content="二">
<link rel="canonical" href="https://other.example.com/1">
<style>/* 四 */
@media print {{ p {{ color: red }} }}
main > p.five, #six {{ font: 12px/1 "seven"; color: #fff !important }}
</style>
<script>eight()</script>
<script type="application/ld+json">{{"@type": "WebPage", "headline": "一"}}</script>
</head><body class="nine-ten" style="opacity: 1">
<nav><a href="/3">三</a></nav>
<div id="main" class="main-part"><h1>一</h1>
<p>发布时间：2026年1月15日 10:00 更新时间：2026-01-16 来源：二 作者：三</p>
<p>Published: 15 January 2026</p>
<p style="color: rgb(0 0 0); background: #fff; transform: translate(1px); filter: opacity(1)">五</p>
<p class="eleven" style="clip: rect(1px); clip-path: inset(1%)">{_SENTENCE}</p>
<table><tr><td>一</td><td>二</td></tr></table><ul><li>三</li></ul></div>
<div class="part twelve"><p>四</p></div>
<form><input type="password"></form><a href="/2">二</a>
</body></html>"""
OPEN_PAGE = SHORT_PAGE.replace(_SENTENCE, _SENTENCE * 20)

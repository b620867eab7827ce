"""drive.search: what matches, what the account may see of it, in which order, page by page.

A body counts only for those who may read it: where the account may not, the thing is found by its title
alone. Order: things with more of the words in their title first, then by path; so it never depends on when
files were copied here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from interpreter.adapters.drive.core import Drive, PageToken
from interpreter.adapters.drive.failures import invalid, invalid_page_token, not_found
from interpreter.adapters.drive.kinds import address, kind_of, plain_title
from interpreter.adapters.drive.listing import canonical, instant
from interpreter.adapters.drive.paths import Entry, is_within, shown
from interpreter.adapters.drive.query import LONGEST, Query, index_query, parse_query
from interpreter.adapters.drive.registry import Everything, Item
from interpreter.adapters.drive.rights import DENIED, Rights
from interpreter.adapters.drive.words import first_span, marked, one_line, pattern, spans
from interpreter.ports import ToolFailure

PAGE, LARGEST_PAGE = 15, 20
QUERY_TOO_LONG = 99992402
_PAGING = ("page_token", "page_size")
_UNKNOWN_HERE = ("opened_since", "opened_until")
_EXCERPT_BEFORE, _EXCERPT = 30, 120
_UNITS = {"d": 1, "w": 7, "m": 30, "y": 365}


def search(drive: Drive, arguments: Mapping[str, Any]) -> dict[str, Any]:
    text = arguments["query"]
    if len(text) > LONGEST:
        raise invalid(
            f"查询有 {len(text)} 个字符，最多 {LONGEST} 个；请拆分或缩短",
            f"the query has {len(text)} characters, at most {LONGEST} are allowed; split or shorten it",
            code=QUERY_TOO_LONG,
        )
    asked = {key: value for key, value in arguments.items() if key not in _PAGING}
    request = f"search\n{drive.account.name}\n{canonical(asked)}"
    size = min(int(arguments.get("page_size") or PAGE), LARGEST_PAGE)
    token = arguments.get("page_token")
    if token:
        name, _, offset = PageToken.read(request, token).partition(":")
        order = drive.index.kept_search(name, request, drive.now(), drive.limits.page_token)
        if order is None:
            raise invalid_page_token()
        return _Page(drive, arguments, request, name).read(order, int(offset), size)
    everything = drive.refresh()
    drive.index.update(drive.stamps.of(everything), lambda token: drive.body(everything[token][1]))
    order = _ordered(drive, arguments, parse_query(text), everything)
    return _Page(drive, arguments, request, "").read(order, 0, size, everything)


# --- matching ----------------------------------------------------------------------------------------------


def _ordered(drive: Drive, arguments: Mapping[str, Any], query: Query, everything: Everything) -> list[str]:
    rights = drive.rights_over(everything)
    matching = _matching(drive, arguments, query, everything, rights)
    tests = _tests(drive, arguments, rights, everything)
    kept = [token for token in matching if all(test(token, *everything[token]) for test in tests)]
    order = arguments.get("sort", "default")
    if order in ("edit_time", "edit_time_asc"):
        sign = -1 if order == "edit_time" else 1
        return sorted(kept, key=lambda token: (sign * everything[token][1].modified, everything[token][1].path))
    if order == "create_time":
        return sorted(kept, key=lambda token: (-everything[token][0].created, everything[token][1].path))
    in_title = _title_hits(drive, query)
    return sorted(kept, key=lambda token: (-in_title.get(token, 0), everything[token][1].path))


def _matching(
    drive: Drive, arguments: Mapping[str, Any], query: Query, everything: Everything, rights: Rights
) -> list[str]:
    only_title, only_comment = bool(arguments.get("only_title")), bool(arguments.get("only_comment"))
    if only_title and only_comment:
        raise invalid("only_title 与 only_comment 不能同时使用", "only_title and only_comment exclude each other")
    if only_title:
        return _found(drive, query, "title", everything)
    fully = set(_found(drive, query, "comments" if only_comment else "title body", everything))
    by_title = set() if only_comment else set(_found(drive, query, "title", everything))
    return [
        token for token in fully | by_title if token in (fully if _may_read(rights, token, everything) else by_title)
    ]


def _may_read(rights: Rights, token: str, everything: Everything) -> bool:
    return rights.readable(everything[token][1], token).state != DENIED


def _found(drive: Drive, query: Query, columns: str, everything: Everything) -> list[str]:
    written = index_query(query, columns)
    found = drive.index.matching(written) if written else set()
    if not query.groups:
        return [token for token in everything if token not in found]
    return [token for token in found if token in everything]


def _title_hits(drive: Drive, query: Query) -> dict[str, int]:
    """Return how many groups of the query each title holds."""
    hits: dict[str, int] = {}
    for group in query.groups:
        written = index_query(Query((group,), ()), "title")
        for token in drive.index.matching(written) if written else ():
            hits[token] = hits.get(token, 0) + 1
    return hits


Window = tuple[float, float]
Test = Callable[[str, Item, Entry], bool]


def _tests(drive: Drive, arguments: Mapping[str, Any], rights: Rights, everything: Everything) -> list[Test]:
    """Return what a hit has to pass beside the words of the query; only what was asked for is looked at."""
    tests: list[Test] = [lambda _token, _item, entry: rights.visible(entry)]
    now = drive.now()
    if kinds := frozenset(arguments.get("doc_types") or ()):
        tests.append(lambda _token, _item, entry: kind_of(entry) in kinds)
    if (owners := _owners(drive, arguments)) is not None:
        tests.append(lambda token, _item, entry: rights.owner(entry, token) in owners)
    if (folders := _folders(arguments, everything)) is not None:
        tests.append(lambda _token, _item, entry: any(is_within(entry.parent, folder) for folder in folders))
    if edited := _window(arguments, "edited", now):
        tests.append(lambda _token, _item, entry: _is_in(edited, entry.modified / 1e9))
    if created := _window(arguments, "created", now):
        tests.append(lambda _token, item, _entry: _is_in(created, item.created / 1e9))
    if commented := _window(arguments, "commented", now):
        tests.append(lambda token, _item, entry: _is_commented(drive.comments.of(token, entry.path), commented))
    if arguments.get("space_ids"):
        tests.append(lambda _token, _item, _entry: False)  # a folder has no wiki spaces
    return tests


def _owners(drive: Drive, arguments: Mapping[str, Any]) -> frozenset[str] | None:
    owners = arguments.get("creator_ids")
    if not arguments.get("mine"):
        return frozenset(owners) if owners else None
    if owners:
        raise invalid("mine 与 creator_ids 不能同时使用", "mine and creator_ids exclude each other")
    return frozenset((drive.account.name,))


def _folders(arguments: Mapping[str, Any], everything: Everything) -> list[str] | None:
    """Return the paths of the folders that a search is narrowed to, or None for all."""
    tokens = arguments.get("folder_tokens") or ()
    for token in tokens:
        if token and token not in everything:
            raise not_found(token)
    return [everything[token][1].path for token in tokens] if tokens and "" not in tokens else None


def _is_commented(comments: Iterable[Mapping[str, Any]], window: Window) -> bool:
    for comment in comments:
        try:
            if _is_in(window, _seconds(str(comment.get("at")), "at", 0.0)):
                return True
        except ToolFailure:
            continue  # a comment without a time that can be read
    return False


def _window(arguments: Mapping[str, Any], what: str, now: float) -> Window | None:
    since, until = arguments.get(f"{what}_since"), arguments.get(f"{what}_until")
    if since is None and until is None:
        return None
    start = _seconds(since, f"{what}_since", now) if since is not None else float("-inf")
    end = _seconds(until, f"{what}_until", now) if until is not None else float("inf")
    if until is not None and len(until.strip()) == 10 and "-" in until:
        end += 86_400  # a date alone means to the end of that day
    return (start, end)


def _is_in(window: Window, seconds: float) -> bool:
    return window[0] <= seconds < window[1]


def _seconds(text: str, argument: str, now: float) -> float:
    """Return a time as seconds since 1970: `7d`, `1m`, `1y`, a date, a date with time, or seconds
    themselves.
    """
    text = text.strip()
    if text.isdecimal() and text.isascii() and len(text) >= 10:
        return float(text)
    if text[:-1].isdecimal() and text.isascii() and text[-1:] in _UNITS:
        return now - timedelta(days=min(int(text[:-1]), 100_000) * _UNITS[text[-1]]).total_seconds()
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise invalid(
            f"{argument} 不是可识别的时间：{text}；请写 7d、2026-01-31 或带时区的日期时间",
            f"{argument} is no time: {text}; write 7d, 2026-01-31, or a date with time and zone",
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


# --- pages -------------------------------------------------------------------------------------------------


class _Page:
    """One page of a search; `name` is where its order is kept, '' on the first page."""

    def __init__(self, drive: Drive, arguments: Mapping[str, Any], request: str, name: str) -> None:
        self._drive = drive
        self._arguments = arguments
        self._request = request
        self._name = name

    def read(self, order: list[str], offset: int, size: int, everything: Everything | None = None) -> dict[str, Any]:
        """Return the page; what has vanished since the first page is passed over and the page filled from
        later ones.
        """
        drive = self._drive
        rights = drive.rights_over(everything) if everything is not None else drive.rights()
        chosen: list[tuple[str, Item, Entry]] = []
        place = offset
        while place < len(order) and len(chosen) < size:
            found = everything.get(order[place]) if everything is not None else self._look(order[place])
            if found is not None:
                chosen.append((order[place], *found))
            place += 1
        answer: dict[str, Any] = {
            "total": len(order),
            "has_more": place < len(order),
            "results": self._results(chosen, rights),
        }
        if place < len(order):
            name = self._name or drive.index.keep_search(self._request, order, drive.now(), drive.limits.page_token)
            answer["page_token"] = PageToken.make(self._request, f"{name}:{place}")
        unknown = [key for key in _UNKNOWN_HERE if self._arguments.get(key) is not None]
        if self._arguments.get("sort") == "open_time":
            unknown.append("sort: open_time")
        if unknown:
            answer["notice"] = f"not known to this drive and not applied: {', '.join(unknown)}"
        return answer

    def _look(self, token: str) -> tuple[Item, Entry] | None:
        place = self._drive.find(token)
        return (place.item, place.entry) if place is not None and place.item is not None else None

    def _results(self, chosen: list[tuple[str, Item, Entry]], rights: Rights) -> list[dict[str, Any]]:
        query = parse_query(self._arguments["query"])
        texts = self._drive.index.texts(token for token, _, _ in chosen)
        everywhere = pattern(term.text for group in query.groups for term in group)
        in_body = pattern(term.text for group in query.groups for term in group if not term.in_title)
        results = []
        for token, item, entry in chosen:
            body, comments = texts.get(token, ("", ""))
            name = shown(entry.name)
            title = plain_title(name)
            if self._arguments.get("only_comment"):
                shown_title, summary = name, _excerpt(one_line(comments), everywhere)
            else:
                ranges = spans(title, everywhere) if everywhere else []
                shown_title = marked(title, ranges) + name[len(title) :]
                readable = rights.readable(entry, token).state != DENIED
                wanted = None if self._arguments.get("only_title") else in_body
                summary = _excerpt(body, wanted) if readable else ""
            results.append(
                {
                    "entity_type": "DOC",
                    "title_highlighted": shown_title,
                    "summary_highlighted": summary,
                    "result_meta": _meta(token, item, entry, rights.owner(entry, token)),
                }
            )
        return results


def _meta(token: str, item: Item, entry: Entry, owner: str) -> dict[str, Any]:
    kind = kind_of(entry)
    return {
        "doc_types": kind.upper(),
        "token": token,
        "url": address(kind, token),
        "owner_id": owner,
        "owner_name": owner,
        "create_time_iso": instant(item.created),
        "update_time_iso": instant(entry.modified),
    }


def _excerpt(text: str, wanted: re.Pattern[str] | None) -> str:
    """Return the passage around the first hit, marked; without a hit the beginning."""
    first = first_span(text, wanted) if wanted is not None else None
    if first is None or wanted is None:
        return text[:_EXCERPT]
    start = max(0, first[0] - _EXCERPT_BEFORE)
    passage = text[start : max(first[1], start + _EXCERPT)]
    return marked(passage, spans(passage, wanted))

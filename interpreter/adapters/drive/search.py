"""drive.search: what matches, what the account may see of it, in which order, page by page.

A body counts only for those who may read it: where the account may not, the thing is found by its title
alone. Order: things with more of the words in their title first, then by path; so it never depends on when
files were copied here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from interpreter.adapters.drive.core import Drive, PageToken
from interpreter.adapters.drive.index import Stamp
from interpreter.adapters.drive.listing import canonical
from interpreter.adapters.drive.query import LONGEST, Query, index_query, parse_query
from interpreter.adapters.drive.shelves import DriveShelf, Shelf
from interpreter.adapters.folders.failures import invalid, invalid_page_token, not_found
from interpreter.adapters.search.words import first_span, marked, one_line, pattern, spans
from interpreter.ports import ToolFailure

PAGE, LARGEST_PAGE = 15, 20
QUERY_TOO_LONG = 99992402
_PAGING = ("page_token", "page_size")
_UNKNOWN_HERE = ("opened_since", "opened_until")
_EXCERPT_BEFORE, _EXCERPT = 30, 120
_UNITS = {"d": 1, "w": 7, "m": 30, "y": 365}


def search(
    drive: Drive, arguments: Mapping[str, Any], wiki_shelf: Callable[[bool], Shelf] | None = None
) -> dict[str, Any]:
    """Return one page of what matches, in the drive and in the wiki beside it.

    Shapes: `wiki_shelf` is told whether everything has to be looked at, or only what a further page names.
    """
    text = arguments["query"]
    if len(text) > LONGEST:
        raise invalid(
            f"查询有 {len(text)} 个字符，最多 {LONGEST} 个；请拆分或缩短",
            f"the query has {len(text)} characters, at most {LONGEST} are allowed; split or shorten it",
            code=QUERY_TOO_LONG,
        )
    if arguments.get("folder_tokens") and arguments.get("space_ids"):
        raise invalid("folder_tokens 与 space_ids 不能同时使用", "folder_tokens and space_ids exclude each other")
    asked = {key: value for key, value in arguments.items() if key not in _PAGING}
    request = f"search\n{drive.account.name}\n{canonical(asked)}"
    size = min(int(arguments.get("page_size") or PAGE), LARGEST_PAGE)
    token = arguments.get("page_token")
    beside = [] if wiki_shelf is None else [wiki_shelf(not token)]
    if token:
        name, _, offset = PageToken.read(request, token).partition(":")
        order = drive.index.kept_search(name, request, drive.now(), drive.limits.page_token)
        if order is None:
            raise invalid_page_token()
        shelves = Shelves([DriveShelf(drive, None), *beside])
        return _Page(drive, arguments, request, name, shelves).read(order, int(offset), size)
    shelves = Shelves([DriveShelf(drive, drive.refresh()), *beside])
    drive.index.update(shelves.stamps(), lambda token: shelves.of(token).body(token))
    order = _ordered(drive, arguments, parse_query(text), shelves)
    return _Page(drive, arguments, request, "", shelves).read(order, 0, size)


class Shelves:
    """All shelves that one search goes over."""

    def __init__(self, shelves: list[Shelf]) -> None:
        self._shelves = shelves
        self._only = shelves[0] if len(shelves) == 1 else None

    def of(self, token: str) -> Shelf:
        if self._only is not None:
            return self._only
        for shelf in self._shelves:
            if shelf.holds(token):
                return shelf
        raise KeyError(token)

    def holds(self, token: str) -> bool:
        return any(shelf.holds(token) for shelf in self._shelves)

    def tokens(self) -> Iterator[str]:
        for shelf in self._shelves:
            yield from shelf.tokens()

    def stamps(self) -> Mapping[str, Stamp]:
        if len(self._shelves) == 1:
            return self._shelves[0].stamps()
        return {token: stamp for shelf in self._shelves for token, stamp in shelf.stamps().items()}


# --- matching ----------------------------------------------------------------------------------------------


def _ordered(drive: Drive, arguments: Mapping[str, Any], query: Query, shelves: Shelves) -> list[str]:
    matching = _matching(drive, arguments, query, shelves)
    tests = _tests(drive, arguments, shelves)
    kept = [token for token in matching if _passes(token, shelves.of(token), tests)]
    order = arguments.get("sort", "default")
    if order in ("edit_time", "edit_time_asc"):
        sign = -1 if order == "edit_time" else 1
        return sorted(kept, key=lambda token: (sign * shelves.of(token).edited(token), shelves.of(token).path(token)))
    if order == "create_time":
        return sorted(kept, key=lambda token: (-shelves.of(token).created(token), shelves.of(token).path(token)))
    in_title = _title_hits(drive, query)
    return sorted(kept, key=lambda token: (-in_title.get(token, 0), shelves.of(token).path(token)))


def _passes(token: str, shelf: Shelf, tests: list[Test]) -> bool:
    return all(test(token, shelf) for test in tests)


def _matching(drive: Drive, arguments: Mapping[str, Any], query: Query, shelves: Shelves) -> list[str]:
    only_title, only_comment = bool(arguments.get("only_title")), bool(arguments.get("only_comment"))
    if only_title and only_comment:
        raise invalid("only_title 与 only_comment 不能同时使用", "only_title and only_comment exclude each other")
    if only_title:
        return _found(drive, query, "title", shelves)
    if not only_comment and query.groups and not query.excluded:
        found = _found(drive, query, "title body", shelves)
        if all(shelves.of(token).may_read(token) for token in found):
            return found  # nothing that could be found by its title alone
    fully = set(_found(drive, query, "comments" if only_comment else "title body", shelves))
    by_title = set() if only_comment else set(_found(drive, query, "title", shelves))
    return [token for token in fully | by_title if token in (fully if shelves.of(token).may_read(token) else by_title)]


def _found(drive: Drive, query: Query, columns: str, shelves: Shelves) -> list[str]:
    written = index_query(query, columns)
    found = drive.index.matching(written) if written else set()
    if not query.groups:
        return [token for token in shelves.tokens() if token not in found]
    return [token for token in found if shelves.holds(token)]


def _title_hits(drive: Drive, query: Query) -> dict[str, int]:
    """Return how many groups of the query each title holds."""
    hits: dict[str, int] = {}
    for group in query.groups:
        written = index_query(Query((group,), ()), "title")
        for token in drive.index.matching(written) if written else ():
            hits[token] = hits.get(token, 0) + 1
    return hits


Window = tuple[float, float]
Test = Callable[[str, Shelf], bool]


def _tests(drive: Drive, arguments: Mapping[str, Any], shelves: Shelves) -> list[Test]:
    """Return what a hit has to pass beside the words of the query; only what was asked for is looked at."""
    tests: list[Test] = [lambda token, shelf: shelf.visible(token)]
    now = drive.now()
    if kinds := frozenset(arguments.get("doc_types") or ()):
        tests.append(lambda token, shelf: not kinds.isdisjoint(shelf.kinds(token)))
    if (owners := _owners(drive, arguments)) is not None:
        tests.append(lambda token, shelf: shelf.owner(token) in owners)
    if folders := _folders(arguments, shelves):
        tests.append(lambda token, shelf: any(shelf.is_in_folder(token, folder) for folder in folders))
    if edited := _window(arguments, "edited", now):
        tests.append(lambda token, shelf: _is_in(edited, shelf.edited(token) / 1e9))
    if created := _window(arguments, "created", now):
        tests.append(lambda token, shelf: _is_in(created, shelf.created(token) / 1e9))
    if commented := _window(arguments, "commented", now):
        tests.append(lambda token, shelf: _is_commented(shelf.comments(token), commented))
    if spaces := arguments.get("space_ids"):
        tests.append(lambda token, shelf: any(shelf.is_in_space(token, space) for space in spaces))
    return tests


def _owners(drive: Drive, arguments: Mapping[str, Any]) -> frozenset[str] | None:
    owners = arguments.get("creator_ids")
    if not arguments.get("mine"):
        return frozenset(owners) if owners else None
    if owners:
        raise invalid("mine 与 creator_ids 不能同时使用", "mine and creator_ids exclude each other")
    return frozenset((drive.account.name,))


def _folders(arguments: Mapping[str, Any], shelves: Shelves) -> list[str]:
    """Return the tokens of the folders that a search is narrowed to, none for all."""
    tokens: list[str] = arguments.get("folder_tokens") or []
    for token in tokens:
        if token and not shelves.holds(token):
            raise not_found(token)
    return [] if "" in tokens else tokens


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

    def __init__(self, drive: Drive, arguments: Mapping[str, Any], request: str, name: str, shelves: Shelves) -> None:
        self._drive = drive
        self._arguments = arguments
        self._request = request
        self._name = name
        self._shelves = shelves

    def read(self, order: list[str], offset: int, size: int) -> dict[str, Any]:
        """Return the page; what has vanished since the first page is passed over and the page filled from
        later ones.
        """
        drive = self._drive
        chosen: list[str] = []
        place = offset
        while place < len(order) and len(chosen) < size:
            if self._shelves.holds(order[place]):
                chosen.append(order[place])
            place += 1
        answer: dict[str, Any] = {
            "total": len(order),
            "has_more": place < len(order),
            "results": self._results(chosen),
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

    def _results(self, chosen: list[str]) -> list[dict[str, Any]]:
        query = parse_query(self._arguments["query"])
        texts = self._drive.index.texts(chosen)
        everywhere = pattern(term.text for group in query.groups for term in group)
        in_body = pattern(term.text for group in query.groups for term in group if not term.in_title)
        results = []
        for token in chosen:
            shelf = self._shelves.of(token)
            body, comments = texts.get(token, ("", ""))
            title, ending = shelf.name(token)
            if self._arguments.get("only_comment"):
                shown_title, summary = title + ending, _excerpt(one_line(comments), everywhere)
            else:
                ranges = spans(title, everywhere) if everywhere else []
                shown_title = marked(title, ranges) + ending
                wanted = None if self._arguments.get("only_title") else in_body
                summary = _excerpt(body, wanted) if shelf.may_read(token) else ""
            owner = shelf.owner(token)
            results.append(
                {
                    "entity_type": shelf.entity,
                    "title_highlighted": shown_title,
                    "summary_highlighted": summary,
                    "result_meta": {**shelf.told(token), "owner_id": owner, "owner_name": owner},
                }
            )
        return results


def _excerpt(text: str, wanted: re.Pattern[str] | None) -> str:
    """Return the passage around the first hit, marked; without a hit the beginning."""
    first = first_span(text, wanted) if wanted is not None else None
    if first is None or wanted is None:
        return text[:_EXCERPT]
    start = max(0, first[0] - _EXCERPT_BEFORE)
    passage = text[start : max(first[1], start + _EXCERPT)]
    return marked(passage, spans(passage, wanted))

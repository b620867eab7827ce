"""An HTML page or a plain text, read in the child: bytes to text, main text, what the page says of itself."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import Any

from interpreter.adapters.children import Unreadable
from interpreter.adapters.web.access import Seen
from interpreter.adapters.web.charset import Decoded, decode
from interpreter.adapters.web.facts import Facts
from interpreter.adapters.web.main_text import main_text
from interpreter.adapters.web.markup import plain_markup
from interpreter.adapters.web.own_pages import OPEN_PAGE, SHORT_PAGE
from interpreter.adapters.web.refresh import Refresh, refresh_of
from interpreter.adapters.web.tree import Element, asides, cut_text, lines_of, parse, text_of
from interpreter.adapters.web.wording import Wording
from interpreter.adapters.web.wrapped import unwrapped

__all__ = ["prepare", "read"]

#: Then the page may lead to one that holds a text.
_NOTHING_READ = frozenset({"no_text", "script_required", "only_redirects"})
_MARKUP = ("text/html", "application/xhtml+xml")


def read(parameters: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Return what `answered` of `pages.py` makes an answer from.

    Shapes: parameters are `address`, `content_type`, `kind` (its plain form), `read_at`, `markup_characters`,
    `markup_elements`, `text_characters`, `wording`.
    Errors: Unreadable with a code of the contract, or one of `failures.py`.
    """
    wording: Wording = parameters["wording"]
    is_markup = parameters["kind"] in _MARKUP
    share = wording["numbers"]["unreadable_share"]
    decoded = decode(body, parameters["content_type"], share, is_markup=is_markup)
    if not is_markup:
        return _plain_text(decoded, parameters)
    return _Page(decoded, parameters).answer()


def prepare(parameters: dict[str, Any]) -> None:
    """Read pages of our own under the same words: it loads the list of public suffixes and makes the patterns."""
    own = {"address": "https://www.example.com/1", "content_type": "text/html", "kind": "text/html"}
    for page in (OPEN_PAGE, SHORT_PAGE):
        with suppress(Unreadable):
            read({**parameters, **own}, page.encode("gb18030"))


class _Page:
    def __init__(self, decoded: Decoded, parameters: dict[str, Any]) -> None:
        self._decoded = decoded
        self._parameters = parameters
        self._wording: Wording = parameters["wording"]
        limits = (parameters["markup_characters"], parameters["markup_elements"])
        self._markup = plain_markup(decoded.text, *limits)
        found = parse(self._markup.text, self._markup.styles, self._wording["hidden_names"])
        if found is None:
            raise Unreadable("no_text")
        self._tree, self._is_cut = found.root, found.is_cut or self._markup.is_cut

    def answer(self) -> dict[str, Any]:
        tree, wording = self._tree, self._wording
        all_lines = lines_of(tree, lambda _: False)
        facts = Facts(
            tree,
            self._markup.linked,
            asides(wording["aside"], wording["aside_names"]),
            self._parameters["address"],
            self._parameters["read_at"],
            wording,
        )
        is_forum = facts.kind("") == "forum"
        text = main_text(tree, wording, is_forum=is_forum)
        refresh = refresh_of(tree, self._parameters["address"])
        if refresh is not None and self._is_left(refresh, text):
            return {"refresh": refresh.target}
        seen = Seen([facts.title, facts.window_title, *_headings(tree)], all_lines, text, tree, wording)
        try:
            access = seen.access(is_for_payers=facts.is_for_payers, has_scripts=self._markup.scripts > 0)
        except Unreadable as error:
            if refresh is not None and error.code in _NOTHING_READ:
                return {"refresh": refresh.target}
            # A search shows what the page says of itself, also where the page is not read.
            raise Unreadable(error.code, title=facts.title, description=facts.description) from None
        published = facts.published
        return {
            **_common(text, self._decoded, self._is_cut, self._parameters["text_characters"]),
            "canonical_url": facts.canonical,
            "title": facts.title,
            "publisher": facts.publisher,
            "author": facts.author,
            "published": published.day,
            "published_from": published.source,
            "modified": facts.modified,
            "language": facts.language,
            "access": access,
            "kind": facts.kind(text),
            "credits": facts.credits(text),
            "source_url": facts.source_url,
            "description": facts.description,
        }

    def _is_left(self, refresh: Refresh, text: str) -> bool:
        """Tell whether a reader, who has scripts, is sent on before the page is read."""
        numbers = self._wording["numbers"]
        within = numbers["refresh_soon" if len(text) < numbers["short_text"] else "refresh_at_once"]
        return not refresh.for_no_scripts and refresh.seconds <= int(within)


def _common(text: str, decoded: Decoded, is_cut: bool, at_most: int) -> dict[str, Any]:
    is_cut = is_cut or len(text) > at_most
    text = cut_text(text, at_most)
    return {
        "encoding": decoded.encoding,
        "encoding_from": decoded.encoding_from,
        "text": text,
        "text_sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "truncated": is_cut,
    }


def _plain_text(decoded: Decoded, parameters: dict[str, Any]) -> dict[str, Any]:
    wording: Wording = parameters["wording"]
    text = decoded.text[: parameters["markup_characters"]]
    numbers = wording["numbers"]
    lines = unwrapped(text.splitlines(), numbers["full_line"], numbers["wrapped_width"])
    joined = "\n".join(lines)
    if len(joined) < numbers["shortest_text"]:
        raise Unreadable("no_text")
    return {
        **_common(joined, decoded, len(text) < len(decoded.text), parameters["text_characters"]),
        **NOTHING_SAID,
        "title": lines[0][:200],
    }


#: What a document says of itself that says nothing.
NOTHING_SAID: dict[str, Any] = {
    "canonical_url": None,
    "title": "",
    "publisher": None,
    "author": None,
    "published": None,
    "published_from": "unknown",
    "modified": None,
    "language": None,
    "access": "open",
    "kind": "unknown",
    "credits": [],
    "source_url": None,
    "description": "",
}


def _headings(tree: Element) -> list[str]:
    return [text_of(element) for element in tree.iter("h1", "h2")][:3]

"""Whether a page was read at all: pages that say that they do not exist, or show their text only behind a wall.

A wall is believed where little text stands before it, or where it stands at the end of the text or in an element named
for it; so an article about walls is an article. A request for consent, and a notice that leads elsewhere, are believed
where nothing else is on the page; so a page with a banner is a page.
"""

from __future__ import annotations

from collections.abc import Iterable

from interpreter.adapters.children import Unreadable
from interpreter.adapters.web.tree import Element
from interpreter.adapters.web.wording import Wording, found_words

#: Characters; a longer line says something of its own.
_BESIDE = 60


class Seen:
    """What of a page can be told: its title and headings, all of its visible lines, its main text."""

    def __init__(
        self, titles: Iterable[str], lines: list[str], text: str, tree: Element | None, wording: Wording
    ) -> None:
        listed = list(titles)
        self._title = listed[0] if listed else ""
        self._titles = "\n".join(listed)
        self._lines = lines
        self._text = text
        self._tree = tree
        self._wording = wording
        self._numbers = wording["numbers"]

    def access(self, *, is_for_payers: bool, has_scripts: bool) -> str:
        """Return `open` or `teaser`.

        Errors: Unreadable with `soft_not_found`, `login_required`, `payment_required`, `script_required`,
        `only_consent`, `only_redirects`, `no_text`.
        """
        is_short = len(self._text) < self._numbers["short_text"]
        if is_short:
            self._refuse_notices()
            if self._says("redirect") and self._holds_nothing_beside("redirect"):
                raise Unreadable("only_redirects")
        if len(self._text) < self._numbers["consent_text"] and self._only_asks_for_consent():
            raise Unreadable("only_consent")
        if is_for_payers or self._has_wall("pay"):
            return self._teaser("payment_required")
        if self._has_wall("login"):
            return self._teaser("login_required")
        if len(self._text) < self._numbers["shortest_text"]:
            raise Unreadable("script_required" if has_scripts else "no_text")
        return "open"

    def _refuse_notices(self) -> None:
        walls = self._wording["walls"]
        visible = "\n".join(self._lines)
        if found_words(walls["not_found"], self._titles):
            raise Unreadable("soft_not_found")
        if found_words(walls["script"], f"{self._titles}\n{visible}"):
            raise Unreadable("script_required")
        if self._asks_password() and (found_words(walls["login"], visible) or self._is_tiny()):
            raise Unreadable("login_required")
        if found_words(walls["login"], self._titles):
            raise Unreadable("login_required")
        if self._is_tiny() and found_words(walls["not_found"], visible):
            raise Unreadable("soft_not_found")
        if self._is_tiny() and self._asks_password():
            raise Unreadable("login_required")

    def _only_asks_for_consent(self) -> bool:
        if not (self._says("consent") and self._says("choices")):
            return False
        walls = self._wording["walls"]
        return bool(found_words(walls["consent"], self._title)) or self._holds_nothing_beside("consent", "choices")

    def _says(self, kind: str) -> bool:
        return bool(found_words(self._wording["walls"][kind], "\n".join([self._titles, *self._lines])))

    def _holds_nothing_beside(self, *kinds: str) -> bool:
        """Tell whether the lines that hold no words of these kinds, titles and what stands beside, are no text."""
        walls = self._wording["walls"]
        titles = self._titles.split("\n")
        rest = 0
        for line in self._text.split("\n"):
            is_beside = len(line) <= _BESIDE and found_words(walls["beside"], line)
            if line not in titles and not is_beside and not any(found_words(walls[kind], line) for kind in kinds):
                rest += len(line)
        return rest < int(self._numbers["shortest_text"])

    def _is_tiny(self) -> bool:
        return len(self._text) < int(self._numbers["notice_text"])

    def _teaser(self, code: str) -> str:
        words = [*self._wording["walls"]["pay"], *self._wording["walls"]["login"]]
        before = [line for line in self._text.split("\n") if not found_words(words, line)]
        if sum(map(len, before)) < self._numbers["teaser_text"]:
            raise Unreadable(code)
        return "teaser"

    def _has_wall(self, kind: str) -> bool:
        words = self._wording["walls"][kind]
        if found_words(words, self._text[-self._numbers["tail_characters"] :]):
            return True
        if len(self._text) < self._numbers["short_text"] and found_words(words, "\n".join(self._lines)):
            return True
        return any(found_words(words, text) for text in self._walls())

    def _walls(self) -> Iterable[str]:
        if self._tree is None:
            return
        names = [name.lower() for name in self._wording["wall_names"]]
        for element in self._tree.iter("div", "section", "aside", "p"):
            own = f"{element.get('class') or ''} {element.get('id') or ''}".lower()
            if own != " " and any(name in own for name in names):
                yield " ".join(element.itertext())

    def _asks_password(self) -> bool:
        if self._tree is None:
            return False
        return any((element.get("type") or "").lower() == "password" for element in self._tree.iter("input"))

"""Where search looks: a shelf answers about the things of one container by their tokens.

The drive is one shelf, a wiki beside it another; both are found through one index, and one order goes over both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from interpreter.adapters.drive.core import Drive
from interpreter.adapters.drive.index import Stamp
from interpreter.adapters.drive.kinds import address, kind_of, plain_title
from interpreter.adapters.drive.listing import instant
from interpreter.adapters.drive.registry import Everything, Item
from interpreter.adapters.drive.rights import DENIED
from interpreter.adapters.folders.paths import Entry, is_within, shown


class Shelf(Protocol):
    """Errors: KeyError for a token that it does not hold.

    Units: nanoseconds since 1970.
    """

    entity: str

    def tokens(self) -> Iterable[str]:
        """Return everything that stands here now."""

    def holds(self, token: str) -> bool: ...

    def stamps(self) -> Mapping[str, Stamp]: ...

    def body(self, token: str) -> str | None: ...

    def may_read(self, token: str) -> bool: ...

    def visible(self, token: str) -> bool: ...

    def kinds(self, token: str) -> tuple[str, ...]:
        """Return the types under which it is looked for."""

    def owner(self, token: str) -> str: ...

    def path(self, token: str) -> str: ...

    def edited(self, token: str) -> int: ...

    def created(self, token: str) -> int: ...

    def comments(self, token: str) -> list[Mapping[str, Any]]: ...

    def is_in_folder(self, token: str, folder: str) -> bool:
        """Is it below the folder of that token?"""

    def is_in_space(self, token: str, space: str) -> bool: ...

    def name(self, token: str) -> tuple[str, str]:
        """Return the part of the name that is searched, and what follows it."""

    def told(self, token: str) -> dict[str, Any]:
        """Return `result_meta` of a hit but the owner."""


class DriveShelf:
    """The drive; `everything` is a walk that was just made, None to look at each thing when it is asked for."""

    entity = "DOC"

    def __init__(self, drive: Drive, everything: Everything | None) -> None:
        self._drive = drive
        self._everything = everything
        self._seen: dict[str, tuple[Item, Entry]] = everything if everything is not None else {}
        self._rights = drive.rights_over(everything) if everything is not None else drive.rights()

    def tokens(self) -> Iterable[str]:
        return self._seen

    def holds(self, token: str) -> bool:
        if token in self._seen:
            return True
        if self._everything is not None or self._drive.registry.get(token) is None:
            return False
        place = self._drive.find(token)
        if place is None or place.item is None:
            return False
        self._seen[token] = (place.item, place.entry)
        return True

    def stamps(self) -> Mapping[str, Stamp]:
        return self._drive.stamps.of(self._seen)

    def body(self, token: str) -> str | None:
        return self._drive.body(self._seen[token][1])

    def may_read(self, token: str) -> bool:
        return self._rights.readable(self._seen[token][1], token).state != DENIED

    def visible(self, token: str) -> bool:
        return self._rights.visible(self._seen[token][1])

    def kinds(self, token: str) -> tuple[str, ...]:
        return (kind_of(self._seen[token][1]),)

    def owner(self, token: str) -> str:
        return self._rights.owner(self._seen[token][1], token)

    def path(self, token: str) -> str:
        return self._seen[token][1].path

    def edited(self, token: str) -> int:
        return self._seen[token][1].modified

    def created(self, token: str) -> int:
        return self._seen[token][0].created

    def comments(self, token: str) -> list[Mapping[str, Any]]:
        return self._drive.comments.of(token, self._seen[token][1].path)

    def is_in_folder(self, token: str, folder: str) -> bool:
        place = self._seen.get(folder)
        return place is not None and is_within(self._seen[token][1].parent, place[1].path)

    def is_in_space(self, token: str, space: str) -> bool:
        return False

    def name(self, token: str) -> tuple[str, str]:
        name = shown(self._seen[token][1].name)
        title = plain_title(name)
        return title, name[len(title) :]

    def told(self, token: str) -> dict[str, Any]:
        item, entry = self._seen[token]
        kind = kind_of(entry)
        return {
            "doc_types": kind.upper(),
            "token": token,
            "url": address(kind, token),
            "create_time_iso": instant(item.created),
            "update_time_iso": instant(entry.modified),
        }

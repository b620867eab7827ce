"""A list that is addressed by a key of its entries, as data with `key:` declares it.

To every function, filter and comparison it is a list. Its index is built when it is first asked for and kept while
entries are added; changing it in place is for whoever owns it (`interpreter.engine.frame`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.values import cannot, of_wrong_kind


class KeyedList(list[Any]):
    """Shapes: `key` names the fields that together are unique; entries are mappings."""

    __slots__ = ("_index", "key")

    def __init__(self, entries: Iterable[Any], key: tuple[str, ...]) -> None:
        super().__init__(entries)
        self.key = key
        self._index: dict[Any, int] | None = None

    def copy(self) -> KeyedList:
        result = KeyedList(self, self.key)
        if self._index is not None:
            result._index = dict(self._index)
        return result

    def position(self, segment: Any) -> int | None:
        """Return where the entry with this key stands; several key fields are addressed by a list of their values."""
        if len(self.key) == 1:
            wanted = segment
        elif isinstance(segment, list) and len(segment) == len(self.key):
            wanted = tuple(segment)
        else:
            return None
        try:
            return self._positions().get(wanted)
        except TypeError:
            return None

    def position_of_entry(self, entry: Any, path: str) -> int | None:
        return self._positions().get(self._key_of(entry, path))

    def append(self, entry: Any) -> None:
        if self._index is not None:
            self._index[self._key_of(entry, "")] = len(self)
        super().append(entry)

    def replace_at(self, position: int, entry: Any, path: str) -> None:
        """Put another entry in a place. Errors: CannotEvaluate(`duplicate-key`) when its key stands elsewhere."""
        if self._index is not None:
            before, after = self._key_of(self[position], path), self._key_of(entry, path)
            if before != after:
                if after in self._index:
                    raise cannot("duplicate-key", path=path, key=after)
                del self._index[before]
                self._index[after] = position
        self[position] = entry

    def check_unique(self, path: str) -> None:
        self._index = {self._key_of(entry, path): position for position, entry in enumerate(self)}
        if len(self._index) != len(self):
            seen: set[Any] = set()
            for entry in self:
                key = self._key_of(entry, path)
                if key in seen:
                    raise cannot("duplicate-key", path=path, key=key)
                seen.add(key)

    def _positions(self) -> dict[Any, int]:
        if self._index is None:
            self._index = {self._key_of(entry, ""): position for position, entry in enumerate(self)}
        return self._index

    def _key_of(self, entry: Any, path: str) -> Any:
        if not isinstance(entry, dict):
            raise of_wrong_kind("entry-not-a-mapping", entry, path=path)
        try:
            if len(self.key) == 1:  # nearly always; a generator would cost as much as all the rest
                found = entry[self.key[0]]
                if found is None:
                    raise cannot("key-missing", path=path, field=self.key[0])
                is_plain = not isinstance(found, (dict, list))
            else:
                found = tuple(entry[name] for name in self.key)
                is_plain = not any(isinstance(part, (dict, list)) for part in found)
        except KeyError as missing:
            raise cannot("key-missing", path=path, field=str(missing.args[0])) from None
        if not is_plain:
            raise cannot("key-not-plain", path=path)
        return found

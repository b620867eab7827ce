"""Who owns a thing and what the account may do with it, from owner, group and mode bits, or from stated
evidence.

An answer is `confirmed`, `denied` or `unknown`. Nothing is asked of the process: it may run as the
administrator, who may do everything, while the account may not; so bits are computed, and user 0 is a user
like any other. An account without a user on this machine has no bits at all: everything is unknown that no
evidence states.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from functools import cache

from interpreter.adapters.drive.evidence_file import Evidence
from interpreter.adapters.folders.failures import failure
from interpreter.adapters.folders.paths import Entry
from rules.records import NamedTuple

CONFIRMED, DENIED, UNKNOWN = "confirmed", "denied", "unknown"
_READ, _WRITE, _ENTER = 4, 2, 1


class Account(NamedTuple):
    """Whose rights count. Shapes: `user` is None for a name that this machine does not know."""

    name: str
    user: int | None
    groups: frozenset[int]


class Answer(NamedTuple):
    state: str
    basis: str


def read_account(text: str) -> Account:
    """Return the account a setting names: '' (who runs this), a login name, a number, or `user:group,group`.

    Errors: ToolFailure `unavailable` for group numbers that are no numbers.
    """
    if not text:
        user = os.geteuid()
        return Account(_login(user), user, frozenset({os.getegid(), *os.getgroups()}))
    number, _, groups = text.partition(":")
    if number.isdecimal():
        parts = [part for part in groups.split(",") if part]
        if not all(part.isdecimal() for part in parts):
            raise failure(
                "unavailable",
                f"账号设置 {text} 的组不是数字",
                f"the groups of the account setting {text} are no numbers",
            )
        known = frozenset(int(part) for part in parts) or _groups_of(int(number))
        return Account(_login(int(number)), int(number), known)
    user_number = _user_of(text)
    if user_number is None:
        return Account(text, None, frozenset())
    return Account(text, user_number, _groups_of(user_number))


@cache
def _login(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user-{user}"


def _user_of(name: str) -> int | None:
    import pwd

    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        return None


def _groups_of(user: int) -> frozenset[int]:
    import pwd

    try:
        found = pwd.getpwuid(user)
        return frozenset(os.getgrouplist(found.pw_name, found.pw_gid))
    except KeyError:
        return frozenset()


class Rights:
    """The answers for one account at one moment; `look` returns the entry and the token of a path."""

    def __init__(self, account: Account, evidence: Evidence, look: Callable[[str], tuple[Entry, str] | None]) -> None:
        self._account = account
        self._evidence = evidence
        self._look = look
        self._reachable: dict[str, str] = {}
        self._listable: dict[str, bool] = {}
        self._computed: dict[tuple[int, int, int, int, str], Answer] = {}

    def owner(self, entry: Entry, token: str) -> str:
        stated = self._evidence.stated(token, entry.path).get("owner")
        return stated if stated is not None else _login(entry.user)

    def is_mine(self, entry: Entry, token: str) -> bool:
        return self.owner(entry, token) == self._account.name

    def readable(self, entry: Entry, token: str) -> Answer:
        """May the account read it: its bits, and a way to it through every folder above."""
        stated = self._evidence.stated(token, entry.path).get("readable")
        if stated is not None:
            return Answer(stated, "stated")
        needed = _READ | _ENTER if entry.is_folder else _READ
        return self._compute(entry, needed)

    def visible(self, entry: Entry) -> bool:
        """May the account see that it is there: the folder it is in can be listed."""
        if not entry.path:
            return True
        parent = entry.parent
        known = self._listable.get(parent)
        if known is None:
            found = self._look(parent)
            known = found is None or self.readable(*found).state != DENIED
            self._listable[parent] = known
        return known

    def editable(self, entry: Entry, token: str) -> Answer:
        stated = self._evidence.stated(token, entry.path).get("write")
        if stated is not None:
            return Answer(stated, "stated")
        return self._compute(entry, _WRITE)

    def writable(self, folder: Entry, token: str) -> Answer:
        """May the account add to a folder and take from it."""
        stated = self._evidence.stated(token, folder.path).get("write")
        if stated is not None:
            return Answer(stated, "stated")
        way = self._way_to(folder.parent) if folder.path else CONFIRMED
        return Answer(worst((self._bits(folder, _WRITE | _ENTER), way)), "mode bits")

    def source(self, entry: Entry, token: str) -> Answer:
        """May the account move the thing itself: its owner may; of anybody else's nothing is known."""
        stated = self._evidence.stated(token, entry.path)
        if "source" in stated:
            return Answer(stated["source"], "stated")
        mine = self.is_mine(entry, token)
        if self._is_kept_by_sticky_bit(entry):
            return Answer(DENIED, "sticky bit")
        if not mine:
            return Answer(UNKNOWN, "owned by somebody else")
        if entry.is_folder and "owner" not in stated:
            return Answer(self._bits(entry, _WRITE), "owner and mode bits")
        return Answer(CONFIRMED, "owner")

    def move_in(self, entry: Entry, token: str) -> Answer:
        """May the account move it into a wiki: only where it is stated; that it owns the thing is not enough."""
        stated = self._evidence.stated(token, entry.path).get("move_in")
        if stated is not None:
            return Answer(stated, "stated")
        if self._is_kept_by_sticky_bit(entry):
            return Answer(DENIED, "sticky bit")
        parent = self.source_parent(entry, token)
        return parent if parent.state == DENIED else Answer(UNKNOWN, "not stated")

    def source_parent(self, entry: Entry, token: str) -> Answer:
        stated = self._evidence.stated(token, entry.path).get("source_parent")
        if stated is not None:
            return Answer(stated, "stated")
        found = self._look(entry.parent)
        return self.writable(*found) if found is not None else Answer(UNKNOWN, "no parent")

    def _compute(self, entry: Entry, needed: int) -> Answer:
        key = (entry.mode, entry.user, entry.group, needed, entry.parent)
        known = self._computed.get(key)
        if known is None:
            known = Answer(worst((self._bits(entry, needed), self._way_to(entry.parent))), "mode bits")
            self._computed[key] = known
        return known

    def _is_kept_by_sticky_bit(self, entry: Entry) -> bool:
        found = self._look(entry.parent)
        user = self._account.user
        if found is None or user is None or not found[0].mode & stat.S_ISVTX:
            return False
        return user not in (entry.user, found[0].user)

    def _way_to(self, folder: str) -> str:
        """May the account enter a folder and every folder above it."""
        known = self._reachable.get(folder)
        if known is None:
            found = self._look(folder)
            if found is None:
                known = UNKNOWN
            else:
                above = self._way_to(found[0].parent) if folder else CONFIRMED
                known = worst((above, self._bits(found[0], _ENTER)))
            self._reachable[folder] = known
        return known

    def _bits(self, entry: Entry, needed: int) -> str:
        account = self._account
        if account.user is None:
            return UNKNOWN
        if entry.user == account.user:
            given = entry.mode >> 6
        elif entry.group in account.groups:
            given = entry.mode >> 3
        else:
            given = entry.mode
        return CONFIRMED if given & needed == needed else DENIED


_WORSE = {CONFIRMED: 0, UNKNOWN: 1, DENIED: 2}


def worst(states: Iterable[str]) -> str:
    """Return denied if any is, else unknown if any is, else confirmed."""
    return max(states, key=_WORSE.__getitem__)

"""What is known about rights in the wiki: what `.wiki/evidence.yaml` states, and nothing else that would be a yes.

Mode bits can say no, for then the system will; they never say yes: rights of a wiki come from its spaces, of which a
folder knows nothing. What is stated of a space holds for every node in it that states nothing of its own.
"""

from __future__ import annotations

from interpreter.adapters.drive.evidence_file import Evidence
from interpreter.adapters.drive.registry import Registry
from interpreter.adapters.drive.rights import DENIED, UNKNOWN, Account, Answer, Rights
from interpreter.adapters.folders.paths import Entry, Tree
from interpreter.adapters.wiki.places import Node, Space

_STATED = "stated"
_NOTHING = Answer(UNKNOWN, "nothing states it")


class WikiRights:
    """The answers for one account at one moment."""

    def __init__(self, account: Account, evidence: Evidence, tree: Tree, registry: Registry) -> None:
        self._evidence = evidence
        self._tree = tree
        self._registry = registry
        self._bits = Rights(account, evidence, self._look)
        self._spaces: dict[str, bool] = {}

    def _look(self, path: str) -> tuple[Entry, str] | None:
        entry = self._tree.entry(path)
        if entry is None:
            return None
        return entry, (self._registry.token_at(path, entry) or "") if path else ""

    def owner(self, node: Node) -> str:
        """Return who owns a node: what is stated, else what its card says, '' where nobody says."""
        return self._own("owner", node) or node.card.owner or node.card.creator

    def may_read(self, place: Node | Space) -> bool:
        """May the account read it: not where it is stated that it may not, or the system says so."""
        if isinstance(place, Space):
            known = self._spaces.get(place.token)
            if known is None:
                known = self._spaces[place.token] = self._bits.readable(place.entry, place.token).state != DENIED
            return known
        stated = self._own("readable", place)
        if stated:
            return stated != DENIED
        if not self.may_read(place.space) or self._bits.readable(place.entry, place.token).state == DENIED:
            return False
        return place.body is None or self._bits.readable(place.body, place.object_token).state != DENIED

    def write(self, place: Node | Space) -> Answer:
        """May the account put something below it."""
        return self._stated("write", place) or self._no_by_bits(place.entry, place.token) or _NOTHING

    def move(self, node: Node, field: str) -> Answer:
        """May the account move a node: `source` within the wiki, `move_out` to the drive."""
        above = self._look(node.entry.parent)
        refused = self._no_by_bits(*above) if above is not None else None
        return self._stated(field, node) or refused or _NOTHING

    def _no_by_bits(self, folder: Entry, token: str) -> Answer | None:
        answer = self._bits.writable(folder, token)
        return answer if answer.state == DENIED and answer.basis != _STATED else None

    def _stated(self, field: str, place: Node | Space) -> Answer | None:
        stated = self._own(field, place)
        if not stated and not isinstance(place, Space):
            stated = self._own(field, place.space)
        return Answer(stated, _STATED) if stated else None

    def _own(self, field: str, place: Node | Space) -> str:
        return self._evidence.stated(place.token, place.entry.path).get(field, "")

"""What changed since a run began, its documents and its profile, and taking it up.

Comments and layout do not count. Taken up, the present state begins anew under what stands in the files now, and what
was permitted and not made yet is void. Where such a permission was given in an earlier state, and nothing has been
written since it was asked for, that state begins anew, so that a person is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from interpreter.adapters.holds import NoHolds
from interpreter.adapters.opening import open_planned
from interpreter.adapters.people import Nobody
from interpreter.diagnostics import Diagnostic, finding, has_errors
from interpreter.ports import Clock, Journal, JsonObject, Row
from interpreter.session.beginnings import Beginning, beginning_of, place_of, profile_texts
from interpreter.session.prepared import NoTools, Prepared, check_identities, places_apart, reopen
from interpreter.session.sessions import Session
from interpreter.session.writes import begun_writes, has_written_in
from interpreter.source import Source
from rules.records import NamedTuple


class Edit(NamedTuple):
    """A document that no longer says what a run recorded. Shapes: `name` is its place below the folder of workflows,
    where it stands there; `before` is '' where it was not there.
    """

    name: str
    path: Path
    before: str

    @property
    def is_gone(self) -> bool:
        return not self.path.exists()


def changed_documents(start: JsonObject) -> list[Edit]:
    """Return the documents of a run that say something else now; one that is gone is among them.

    Shapes: its profile and those that it extends come last.
    """
    spec = place_of(start, start["spec"])
    found = [Edit(name, spec.parent / name, start["documents"].get(name, "")) for name in _changed_names(spec, start)]
    return [*found, *_changed_profile(start)]


def _changed_names(spec: Path, start: JsonObject) -> list[str]:
    if all(_says(spec.parent / place, text) for place, text in start["documents"].items()):
        return []
    from interpreter.session.preparing import digests_now

    now, before = digests_now(spec), start["digests"]
    if not now:
        # It cannot be loaded, so that nothing says which other documents belong to it: each is looked at by itself.
        return sorted(place for place, text in start["documents"].items() if not _means(spec.parent / place, text))
    return sorted(name for name in {*now, *before} if now.get(name) != before.get(name))


def _means(path: Path, text: str) -> bool:
    """Say whether a file holds the same document as a text; comments and layout do not count."""
    from interpreter.session.preparing import says_the_same

    return _says(path, text) or says_the_same(_text_now(path), text)


def _changed_profile(start: JsonObject) -> Iterator[Edit]:
    profile, texts = place_of(start, start["profile"]["path"]), profile_texts(start)
    needs_none = not start["identities"] and not profile.exists()
    if needs_none or all(_says(_beside(profile, name), text) for name, text in texts.items()):
        return
    from interpreter.session.preparing import profile_digests_now

    folder, now = place_of(start, start["spec"]).parent, profile_digests_now(profile)
    # Where they cannot be read, nothing says which others belong to them: each is looked at by itself.
    for name in {**texts, **now}:
        path, before = _beside(profile, name), texts.get(name, "")
        if not _means(path, before) and (not now or name in now):
            yield Edit(str(path.relative_to(folder) if path.is_relative_to(folder) else path), path, before)


def _beside(profile: Path, name: str) -> Path:
    return profile.with_name(f"{name}.yaml") if name != profile.stem else profile


def changed_lines(edits: Sequence[Edit]) -> Iterator[tuple[str, str]]:
    """Yield the lines in which changed documents differ from those that the run recorded, with secrets masked.

    Shapes: a mark (`-` recorded, `+` now, a blank for the name of a document) and the line, with its number; of a
    document that is gone none.
    """
    from difflib import SequenceMatcher

    from interpreter.safety.written_secrets import masked_line

    for name, path, before in (one for one in edits if not one.is_gone):
        text = _text_now(path)
        now, was = text.splitlines(), before.splitlines()
        if now != was:
            yield " ", name
        after, earlier = Source(name, text), Source(name, before)
        for kind, first, last, begins, ends in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
            if kind != "equal":
                for number in range(first + 1, last + 1):
                    yield "-", f"{number}: {masked_line(earlier, number, was[number - 1])}"
                for number in range(begins + 1, ends + 1):
                    yield "+", f"{number}: {masked_line(after, number, now[number - 1])}"


def _text_now(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError:
        return ""


def _says(path: Path, text: str) -> bool:
    try:
        return path.read_bytes().decode("utf-8-sig") == text
    except (OSError, ValueError):
        return False


def edited(start: JsonObject) -> tuple[Prepared | None, list[Diagnostic]]:
    """Return the workflow of a run under its documents and profile as they are now, or why that cannot be walked.

    Errors: findings of the documents; `command/place-changed` where the profile says the same and its tools work on
    another place; `command/run-of-another-place` where an earlier run was read that worked on another one.
    """
    from interpreter.session.preparing import plan_from_disk

    spec, profile_path = place_of(start, start["spec"]), place_of(start, start["profile"]["path"])
    planned, found = plan_from_disk(spec, profile_path, start["sets"])
    if planned is None or planned.program is None or has_errors(found):
        return None, found
    toolbox, of_tools = open_planned(planned.adapters)
    if toolbox is None:
        return None, of_tools
    prepared = Prepared(spec, planned, profile_path, toolbox, planned.program, start["inputs"], start["sets"])
    refused = check_identities(prepared)
    moved = places_apart(start, prepared)
    if moved and not list(_changed_profile(start)):
        refused = [finding("command/place-changed", None, tools="; ".join(moved))]
    return (None if refused else prepared), [*found, *refused]


def take_up(
    run_id: str, journal: Journal, begun: Beginning, now: Prepared, clock: Clock, who: str, budgets: JsonObject
) -> tuple[Beginning | None, list[Diagnostic]]:
    """Record that a run goes on under `edited` documents and profile, and where it begins anew.

    Shapes: `budgets` says by name how many more calls there may be from there.
    Errors: findings where that state is gone, its visit has begun a write, or the run has written at another place.
    """
    before, found = reopen(begun.start, tools=NoTools())
    if before is None:
        return None, found
    snapshot = _begins_anew(run_id, journal, begun, before, clock)
    if snapshot is None:
        return None, [finding("command/write-begun", None, run=run_id)]
    if snapshot["state"] not in now.program.states:
        return None, [finding("command/state-gone", None, state=snapshot["state"], run=run_id)]
    written = {row.body["tool"] for row in begun_writes(journal)}
    elsewhere = places_apart(begun.start, now, written)
    if elsewhere:
        return None, [finding("command/written-elsewhere", None, tools="; ".join(elsewhere), run=run_id)]
    body = {
        "at": clock.now(),
        "who": who,
        "documents": dict(now.planned.texts),
        "digests": dict(now.planned.digests),
        "profile": now.planned.recorded_profile(begun.start["profile"]["path"]),
        "identities": dict(now.toolbox.identities()),
        "snapshot": snapshot,
        "budgets": budgets,
    }
    journal.append([("", "edited", body)], sync=True)
    return beginning_of(journal), []


def _begins_anew(run_id: str, journal: Journal, begun: Beginning, before: Prepared, clock: Clock) -> JsonObject | None:
    """Return how things stood where the run is to begin anew; None where that visit has begun a write."""

    def stand(rows: Journal) -> tuple[Session, JsonObject]:
        session = Session(run_id, before, rows, begun, Nobody(), clock, only_replay=True)
        return session, session.stand()

    session, present = stand(journal)
    asked = _asked_last(journal, begun.after, session.core.permissions.left())
    if asked is not None and not any(row.sequence > asked.sequence for row in begun_writes(journal)):
        _, earlier = stand(_Until(journal, asked.sequence))
        if earlier["state"] != present["state"] and not _wrote_in(earlier, journal):
            # Visits count on, so that no key is made twice.
            return {**earlier, "visits": present["visits"], "question_visits": present["question_visits"]}
    return None if _wrote_in(present, journal) else present


def _asked_last(journal: Journal, after: int, questions: frozenset[str]) -> Row | None:
    """Return the row with which the last one of these questions was asked; None where there is none."""
    rows = (row for row in journal.of_kinds("question") if row.sequence > after and row.body["name"] in questions)
    return max(rows, key=lambda row: row.sequence, default=None)


def _wrote_in(snapshot: JsonObject, journal: Journal) -> bool:
    """Say whether the visit that follows a snapshot has begun a write."""
    state = snapshot["state"]
    return has_written_in(journal, state, snapshot["visits"][state])


class _Until:
    """A journal as it was before a row; nobody writes to it."""

    def __init__(self, journal: Journal, sequence: int) -> None:
        self._journal = journal
        self._sequence = sequence
        self.holds = NoHolds()

    def rows(self, without: frozenset[str] = frozenset()) -> Iterator[Row]:
        return takewhile(lambda row: row.sequence < self._sequence, self._journal.rows(without))

    def of_kinds(self, *kinds: str) -> Iterator[Row]:
        return (row for row in self._journal.of_kinds(*kinds) if row.sequence < self._sequence)

    def notes_at_end(self) -> int:
        return 0

    def append(self, rows: Any, *, sync: bool) -> None:
        """Nothing new is said of the past."""

    def answers(self) -> Mapping[str, JsonObject]:
        return {}

    def offer_answer(self, question: str, body: JsonObject) -> JsonObject:
        return body

    def refuse_answer(self, question: str, reason: JsonObject) -> None: ...

    def cancels(self) -> int:
        return 0

    def request_cancel(self) -> None: ...

    def set_status(self, status: JsonObject) -> None: ...

    def close(self) -> None: ...

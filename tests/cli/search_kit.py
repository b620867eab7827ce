"""The deep search through the real command: on the sample world, on small worlds of a test's own, and graded."""

from __future__ import annotations

import atexit
import html
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interpreter.adapters.sqlite_journal import SqliteJournal
from tests.cli.kit import Command, Ended
from tests.cli.warm import standing, warmed

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "specs" / "wps_deep_search.yaml"
NOTES = ROOT / "specs" / "samples" / "notes"
PAGES = ROOT / "specs" / "samples" / "web"
NOW = "2026-10-20T09:00:00Z"
"""The day of the sample world, a Tuesday."""
INDEX = Path(tempfile.mkdtemp())
"""The index of saved pages, for all searches of these tests."""
OWN_INDEX = INDEX / "own"
"""The index of the pages of one test."""
atexit.register(shutil.rmtree, INDEX, ignore_errors=True)


def settings_of(vault: Path | None, pages: Path | None) -> list[str]:
    """Return the settings for notes and pages; they name the same places whatever stands there: one plan serves all."""
    index = INDEX
    if pages not in (PAGES, None):
        index = OWN_INDEX
        shutil.rmtree(index, ignore_errors=True)
    index.mkdir(exist_ok=True)
    places = {"vault": vault, "pages": pages, "web_index": index}
    stand = {name: standing(name, place) if place and place.is_dir() else place for name, place in places.items()}
    return [part for name, place in stand.items() for part in ("--set", f"settings.{name}={place or ''}")]


FIRST = (
    *("run", str(SPEC), "--inputs", str(SPEC.parent / "samples" / "deep_search_pricing.yaml")),
    *(*settings_of(NOTES, PAGES), "--json"),
)


@dataclass(frozen=True)
class Found:
    """How a search ended, what it answered, and the calls that it made: (tool, arguments, answer or None)."""

    status: int
    outputs: dict[str, Any]
    partial: Any
    page: str
    calls: tuple[tuple[str, dict[str, Any], Any], ...]

    def called(self, tool: str) -> list[dict[str, Any]]:
        return [arguments for name, arguments, _ in self.calls if name == tool or name.startswith(tool.rstrip("*"))]

    def claim(self, number: int = 0) -> dict[str, Any]:
        claim = self.outputs["claims"][number]
        assert isinstance(claim, dict)
        return claim

    @property
    def evidence(self) -> list[dict[str, Any]]:
        return [*self.outputs["evidence"]["notes"], *self.outputs["evidence"]["web"]]


class DeepSearch:
    """Runs searches in one home; the same search is run once.

    Shapes: without `pages` no search service is set, without `vault` no folder of notes.
    """

    def __init__(self, folder: Path) -> None:
        self.command = Command(folder)
        self._known: dict[str, Found] = {}
        self._runs = 0

    def arguments(
        self, run_id: str, query: str, vault: Path | None, pages: Path | None, inputs: Mapping[str, Any]
    ) -> list[str]:
        given = {"query": query, "now": NOW, **inputs}
        if not given["now"]:
            del given["now"]
        texts = ("query", "now", "search_depth", "source_mode")
        return [
            *("run", str(SPEC), "--run-id", run_id),
            *settings_of(vault, pages),
            *(("--trust-profile",) if pages is None else ()),
            *(
                part
                for name, value in given.items()
                for part in ("--input", f"{name}={value if name in texts else json.dumps(value, ensure_ascii=False)}")
            ),
        ]

    def __call__(
        self, query: str, *, vault: Path | None = NOTES, pages: Path | None = PAGES, language: str = "zh", **inputs: Any
    ) -> Found:
        key = json.dumps([query, str(vault), str(pages), language, inputs], ensure_ascii=False)
        if key not in self._known:
            self._runs += 1
            run_id = f"search-{self._runs}"
            arguments = [*self.arguments(run_id, query, vault, pages, inputs), "--json"]
            ended = self.told(*arguments, language=language)
            answer = json.loads(ended.out)
            self._known[key] = Found(
                ended.status, answer["outputs"], answer["partial"], ended.err, tuple(self.calls(run_id))
            )
        return self._known[key]

    def told(self, *arguments: str, language: str = "en") -> Ended:
        """Give the command these arguments; a warm process runs them."""
        return warmed(*FIRST)(self.command, arguments, language)

    def calls(self, run_id: str) -> Iterator[tuple[str, dict[str, Any], Any]]:
        journal = SqliteJournal(self.command.home / "runs" / run_id, run_id, lock=False)
        try:
            for row in journal.rows():
                if row.kind == "outcome" and "tool" in row.body:
                    yield row.body["tool"], row.body["sent"], row.body.get("value")
        finally:
            journal.close()


# --- small worlds -----------------------------------------------------------------------------------------------------


def write_page(
    pages: Path,
    name: str,
    url: str,
    title: str,
    paragraphs: list[str],
    *,
    published: str = "2026-10-18",
    author: str = "记者 甲",
    description: str = "",
    status: int = 200,
) -> None:
    """Save one page as the folder of pages keeps it."""
    pages.mkdir(parents=True, exist_ok=True)
    head = f'<title>{html.escape(title)}</title><meta name="author" content="{author}">'
    if published:
        head += f'<meta property="article:published_time" content="{published}">'
    if description:
        head += f'<meta name="description" content="{html.escape(description)}">'
    body = "".join(f"<p>{html.escape(one)}</p>" for one in paragraphs)
    (pages / f"{name}.html").write_text(
        f'<!DOCTYPE html><html lang="zh"><head><meta charset="utf-8">{head}</head>'
        f"<body><article><h1>{html.escape(title)}</h1>{body}</article></body></html>",
        encoding="utf-8",
    )
    (pages / f"{name}.yaml").write_text(
        f'url: "{url}"\nstatus: {status}\nheaders:\n  content-type: "text/html; charset=utf-8"\n'
        f'fetched_at: "2026-10-20T01:00:00Z"\nbody: {name}.html\n',
        encoding="utf-8",
    )


def write_note(
    vault: Path, note_id: str, title: str, paragraphs: list[str], *, tags: list[str] | None = None, updated: str = ""
) -> None:
    """Write one note as the folder of notes keeps it."""
    vault.mkdir(parents=True, exist_ok=True)
    head = {"id": note_id, "title": title, "tags": tags or []}
    if updated:
        head |= {"created": updated, "updated": updated}
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
    text = "---\n" + "\n".join(lines) + "\n---\n\n" + "\n\n".join(paragraphs) + "\n"
    (vault / f"{note_id}.md").write_text(text, encoding="utf-8")


def state_of(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, to see whether anything changed."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# --- grading by the difference of two states --------------------------------------------------------------------------

_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_MISSING = object()


def value_at(state: Any, path: str) -> Any:
    """Return what stands at `a.b[0]` of a state, `_MISSING` where nothing does."""
    for name, number in _PART.findall(path):
        if name and isinstance(state, dict) and name in state:
            state = state[name]
        elif number and isinstance(state, list) and int(number) < len(state):
            state = state[int(number)]
        else:
            return _MISSING
    return state


def holds(check: Mapping[str, Any], before: Any, after: Any) -> bool:
    """Say whether one assertion about two states holds; a path that is missing makes every comparison false."""
    path, kind = check["path"], check["kind"]
    old, new = value_at(before, path), value_at(after, path)
    match kind:
        case "path_exists":
            return new is not _MISSING
        case "path_missing":
            return new is _MISSING
        case "path_changed":
            return bool(old != new)
        case "path_unchanged":
            return bool(old == new)
    if new is _MISSING:
        return False
    match kind:
        case "value_equals":
            return bool(new == check["value"])
        case "value_contains":
            return _contains(new, check["value"])
        case "value_contains_all":
            return all(_contains(new, one) for one in check["values"])
        case "value_not_contains":
            return not _contains(new, check["value"])
        case "count_equals":
            return len(new) == int(check["value"])
        case "count_at_least":
            return len(new) >= int(check["value"])
        case "count_between":
            return int(check["min"]) <= len(new) <= int(check["max"])
        case "set_equals":
            return bool(set(new) == set(check["values"]))
        case "regex_matches":
            return re.search(check["pattern"], str(new)) is not None
    raise AssertionError(f"no such assertion: {kind}")


def _contains(whole: Any, part: Any) -> bool:
    """A list holds an entry that is equal, or, since evidence is whole paragraphs, a text that contains it."""
    if isinstance(whole, list):
        return any(one == part or (isinstance(one, str) and isinstance(part, str) and part in one) for one in whole)
    return str(part) in str(whole)


def failed_checks(case: Mapping[str, Any], before: Any, after: Any) -> list[str]:
    """Return what a case expects and does not find, and what it forbids and finds."""
    expected = case["expected_state"]
    wrong = [str(one) for one in expected["required_changes"] if not holds(one, before, after)]
    wrong += [str(one) for one in expected["forbidden_changes"] if holds(one, before, after)]
    for path in expected["entities_expected_unchanged"]:
        if value_at(before, path) != value_at(after, path):
            wrong.append(f"{path} changed")
    return wrong


def response_of(found: Found) -> dict[str, Any]:
    """Return an answer in the shape that the cases grade."""
    outputs = found.outputs
    return {
        "text": outputs["summary"]["zh"] + found.page,
        "hits": [one["note_id"] for one in outputs["results"] if one["kind"] == "note"],
        "evidence": [one["quote"] for one in found.evidence if one["counts"]],
        "search_dimensions": outputs["search_dimensions"],
        "uncovered_gaps": [one["text"]["zh"] for one in outputs["conflicts"]],
    }

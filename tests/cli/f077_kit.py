"""Candidate analysis through the real command: records on disk, a scripted model, and what came of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.records.store import seal
from interpreter.adapters.runs import RunStore
from interpreter.evidence import Evidence
from rules.expr.functions.texts import paragraphs
from tests.cli.kit import Command, Ended
from tests.cli.warm import standing, warmed
from tests.servers.kit import ModelServer

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "specs" / "f077_analysis.yaml"
MODEL_PROFILE = ROOT / "specs" / "profiles" / "model.yaml"
SAMPLES = ROOT / "specs" / "samples"
WARM = ("run", str(SPEC), "--inputs", str(SAMPLES / "f077_shop.yaml"), "--json")

Json = dict[str, Any]
Rule = dict[str, Any]
#: A unit as it stands in a prompt: its id, its path, its text.
UNIT = re.compile(
    r'<<<(?P<mark>[0-9a-f]+) "(?P<id>[ps]-[0-9a-f]+)"\n(?P<path>[^\n]*)\n(?P<text>.*?)\n(?P=mark)>>>', re.S
)


def write_record(
    folder: Path,
    record: str,
    title: str,
    *segments: str,
    summary: str | None = None,
    sha256: str | None = None,
    **head: Any,
) -> None:
    """Write one record; its hash is right unless another one is given."""
    place = folder / record
    place.mkdir(parents=True, exist_ok=True)
    said = {"record": record, "title": title, "segments": len(segments), **head}
    if summary is not None:
        said["summary"] = summary
    said["sha256"] = sha256 if sha256 is not None else seal(title, "".join(segments))
    text = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in said.items())
    (place / "record.yaml").write_text(text, "utf-8")
    for number, segment in enumerate(segments, start=1):
        (place / f"{number}.md").write_text(segment, "utf-8")


def fields(**texts: str) -> str:
    """Return the text of a record with one paragraph under each heading."""
    return "".join(f"# {heading}\n{text}\n\n" for heading, text in texts.items())


class Ids:
    """The ids that the units of records get; a run gives the same text at the same place the same one."""

    def __init__(self) -> None:
        self._policy: dict[tuple[str, str], str] = {}
        self._subject: dict[str, str] = {}

    def add_record(self, record: str, title: str, text: str) -> None:
        found = [("title", title), *((one["path"], one["text"]) for one in paragraphs(text))]
        for path, identity in _ids("policy", {"id": record, "kind": "record", "title": title}, [title, text], found):
            self._policy.setdefault((title, path), identity)

    def add_facts(self, facts: list[dict[str, str]]) -> None:
        found = [(fact["path"], fact["text"]) for fact in facts]
        self._subject.update(_ids("subject", {"kind": "asker"}, [fact["text"] for fact in facts], found))

    def policy(self, title: str, path: str) -> str:
        return self._policy[title, path]

    def subject(self, path: str) -> str:
        return self._subject[path]


def _ids(side: str, source: Json, bodies: list[str], texts: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    evidence = Evidence()
    evidence.read("", "2026-01-01T00:00:00.000Z", bodies, lambda value: [((), text) for text in value])
    for admitted in evidence.admit(side, source, texts, 1000):
        yield admitted.unit["path"], admitted.unit["evidence_id"]


def answer(**parts: Any) -> Json:
    """Return what a model says of a chunk; without parts: that it has nothing to do with the question."""
    nothing: Json = {
        "relevant": False,
        "explanation": "unrelated",
        "citations": [],
        "conditions": [],
        "match_basis": [],
        "card": None,
    }
    return {**nothing, **parts}


def of_chunk(title: str, part: int | None = None, **when: Any) -> Json:
    """Return the condition under which a rule answers for the chunks of a record (`part` counts from 1)."""
    wanted = [f'"title"\n{title}\n'] + ([f"Part {part} of "] if part is not None else [])
    return {"contains": [*wanted, *when.pop("contains", [])], **when}


FIRST = {"lacks": "Your last answer was refused"}
AGAIN = {"contains": ["Your last answer was refused"]}


def screening(**levels: str) -> Rule:
    said = [{"record_id": record, "level": level, "reason": "because"} for record, level in levels.items()]
    return {"when": {"system_contains": "You screen candidate records"}, "give": {"json": {"levels": said}}}


SYNTHESIS = "You write for a person"


def synthesis(sources: list[int], **more: Any) -> Rule:
    """Return a rule for the synthesis: one statement with these sources."""
    said = {
        "statements": [{"text": "SYNTHESIS", "sources": sources}],
        "highlights": [{"text": "HIGHLIGHT", "sources": sources}],
        "next_actions": ["ACT"],
        "follow_up_questions": ["ASK?"],
    }
    when = {"system_contains": SYNTHESIS, **more.pop("when", {})}
    return {"when": when, "give": {"json": said}, **more}


def first_of(rows: Iterable[Any], ids: Iterable[str], everyday: int = 1) -> list[Any]:
    """Return the rows of a table as parameters of a test; those behind the first ones are long."""
    return [
        pytest.param(
            *(row if isinstance(row, tuple) else (row,)), id=name, marks=[] if nth < everyday else [pytest.mark.long]
        )
        for nth, (row, name) in enumerate(zip(rows, ids, strict=True))
    ]


class Analysis:
    """The workflow with a server that plays the model."""

    def __init__(self, command: Command, server: ModelServer, records: Path) -> None:
        self.command = command
        self.server = server
        self.records = records
        self.ids = Ids()
        records.mkdir(exist_ok=True)

    def write(self, record: str, title: str, *segments: str, **head: Any) -> None:
        write_record(self.records, record, title, *segments, **head)
        self.ids.add_record(record, title, "".join(segments))

    def words(self, *more: str, run_id: str = "one", inputs: Mapping[str, Any] | None = None) -> list[str]:
        settings = {
            "settings.model_address": self.server.address,
            "settings.model": "small",
            "settings.records": standing("records", self.records),
        }
        sets = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        given = {"need": "QUESTION", **(inputs or {})}
        told = [
            word
            for name, value in given.items()
            for word in (
                "--input",
                f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}",
            )
        ]
        profile = ["--profile", str(MODEL_PROFILE), "--trust-profile"]
        return ["run", str(SPEC), *profile, *sets, *told, "--run-id", run_id, *more]

    def sent(self, run_id: str) -> list[Json]:
        """Return the arguments of every call of a run, as its journal holds them."""
        journal = RunStore(self.command.home, release="", sequence=0).open(run_id, lock=False)
        try:
            return [row.body["sent"] for row in journal.rows() if row.kind == "outcome"]
        finally:
            journal.close()

    def run(self, *more: str, **given: Any) -> Done:
        return Done(warmed(*WARM)(self.command, self.words("--json", *more, **given)))


class Done:
    """How a run ended and what it recommends."""

    def __init__(self, ended: Ended) -> None:
        self.ended = ended
        self.status = ended.status

    @property
    def recommendation(self) -> Json:
        found = self.ended.json["outputs"]["data"]["recommendation"]
        assert isinstance(found, dict)
        return found

    @property
    def summary(self) -> Json:
        found = self.recommendation["summary"]
        assert isinstance(found, dict)
        return found

    def candidate(self, record: str) -> Json:
        (found,) = [one for one in self.recommendation["candidate_diagnostics"] if one["record_id"] == record]
        assert isinstance(found, dict)
        return found

    def used(self) -> list[str]:
        return [item["record_id"] for item in self.recommendation["items"]]


def blocks_of(request: Json) -> Iterator[str]:
    """Yield the titles of what one synthesis was told."""
    prompt = request["body"]["messages"][-1]["content"]
    for name in re.findall(r'<<<[0-9a-f]+ ("(?:[^"\\]|\\.)*")\n', prompt):
        title = json.loads(name)
        if title not in ("need", "feedback"):
            yield title


def inputs_of(name: str) -> Path:
    return SAMPLES / f"f077_{name}.yaml"

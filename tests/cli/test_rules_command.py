"""`rules`: what is typed, what is answered, in both languages and as one object; tables through a spreadsheet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from interpreter.report.columns import width_of
from interpreter.source import Source
from interpreter.yaml_tree import read_tree, to_value
from tests.cli.kit import Command, Ended

_FILE = Path(__file__).parent.parent / "cases" / "rules_command.yaml"


def cases() -> list[dict[str, Any]]:
    node, problems = read_tree(Source(_FILE.name, _FILE.read_text(encoding="utf-8")))
    assert node is not None
    assert [problem for problem in problems if problem.severity == "error"] == []
    return list(to_value(node))


def typed(command: Command, case: dict[str, Any], language: str, *more: str) -> Ended:
    return command("rules", *case["typed"].split(" "), *more, language=language)


ANSWERED = [case for case in cases() if "en" in case]
REFUSED = [case for case in cases() if "codes" in case]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["typed"])
def test_an_answer_begins_with_one_sentence_and_fits_eighty_columns(
    looking: Command, case: dict[str, Any], language: str
) -> None:
    ended = typed(looking, case, language)
    assert (ended.status, ended.err) == (case["status"], "")
    if language in case:
        assert ended.out.startswith(case[language])
    for part in case.get("holds", ()) if language == "en" else ():
        assert part in ended.out
    is_yaml = case["typed"].startswith("boundaries")
    wide = [line for line in ended.out.splitlines() if width_of(line) > 80 and not is_yaml and " | " not in line[:9]]
    assert wide == []


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["typed"])
def test_for_machines_it_is_one_object(looking: Command, case: dict[str, Any]) -> None:
    ended = typed(looking, case, "en", "--json")
    assert ended.status == case["status"]
    assert ended.json


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["typed"])
def test_what_cannot_be_answered_is_a_finding(looking: Command, case: dict[str, Any]) -> None:
    ended = typed(looking, case, "en")
    assert (ended.status, ended.out) == (2, "")
    assert re.findall(r"\[([a-z]+/[a-z-]+)\]$", ended.err, re.MULTILINE) == case["codes"]
    assert [one["code"] for one in typed(looking, case, "zh", "--json").json["diagnostics"]] == case["codes"]


def test_a_finding_for_machines_has_example_region_and_row(looking: Command) -> None:
    listed = looking("rules", "check", "rules/first_wording.yaml", "--json").json["diagnostics"]
    gap = next(one for one in listed if one["code"] == "rule/gap")
    assert gap["example"]["score"] == 79.5
    assert gap["region"] == {"score": "above 79 to under 80", "conflict": False}
    assert gap["row"].startswith("- {when: {score: above 79 to under 80, conflict: false}")
    assert gap["line"] == 11


def test_boundary_cases_notice_everything_and_pass(command: Command) -> None:
    made = command("rules", "boundaries", "rules/grade.yaml")
    (command.folder / "tests" / "grade.yaml").write_text(made.out, "utf-8")
    assert command("lint", "tests/grade.yaml").out == "nothing found\n"
    tested = command("rules", "test", "rules/grade.yaml", "--json").json
    assert all(case["passed"] for case in tested["cases"])
    assert [(one["live"], one["noticed"]) for one in tested["changes"]] == [(10, 10)]


def test_decisions_of_a_run_are_weighed(command: Command) -> None:
    (command.folder / "graded.yaml").write_text(_GRADED, "utf-8")
    run = str(command("run", "graded.yaml", "--json").json["run_id"])
    compared = command("rules", "diff", "rules/grade.yaml", "later/rules/grade.yaml", "--decisions", run)
    assert "grade: 1 of 4 recorded decisions would change (25%)" in compared.out.replace("\n  ", " ")
    both = command("rules", "diff", "rules/grade.yaml", "later/rules/grade.yaml", "--decisions", run, run, "--json")
    assert both.json["recorded"] == [{"rule": "grade", "total": 8, "changed": [2, 6]}]


_GRADED = """workflow: graded
version: 1.0.0
title: {zh: 评级, en: Grading}
effect: read
uses: {rules: [grade]}
data:
  levels: {type: array, default: []}
states:
  ONLY:
    steps:
      - each: score
        in: "[50, 79, 82, 90]"
        do:
          - decide: grade.grade
            with: {score: score, sources: "2", disputed: "false"}
            as: graded
          - {collect: levels, item: "{{ graded.level }}"}
    next: [{to: end}]
"""


# --- spreadsheets -----------------------------------------------------------------------------------------------------


def test_a_table_comes_back_from_a_spreadsheet_as_it_went(command: Command) -> None:
    assert command("rules", "table", "rules/grade.yaml", "--csv", "out.csv").status == 0
    content = (command.folder / "out.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    before = command("rules", "table", "rules/grade.yaml", "--json").json
    for encoding in ("utf-8-sig", "utf-8", "utf-16", "utf-16-le", "gbk"):
        text = content.decode("utf-8-sig")
        (command.folder / "in.csv").write_bytes(text.encode(encoding))
        read = command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv", "--json")
        assert (read.status, read.json["diagnostics"]) == (0, [])
        assert (read.json["rows"], read.json["otherwise"]) == (before["rows"], before["otherwise"])


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("4,,at least 5,1,true,Low,", []),
        ("4;;at least 5;1;false;Low;", []),
        ("4,,2024/3/4,,,Low,", ["command/csv-date", "rule/wrong-kind"]),
        ("4,,at least 5,1,TRUE,Low,", []),
        ("4,,1E+05,,,Low,", ["command/csv-exponent", "rule/wrong-kind"]),
        ("4,,at least 5,,,7,", ["command/csv-zeros", "rule/wrong-kind"]),
        ("4,,at lest 5,,,Low,", ["rule/wrong-kind"]),
    ],
)
def test_what_a_spreadsheet_did_is_found(command: Command, line: str, codes: list[str]) -> None:
    heading = "#,id,score,sources,disputed,→ level,because"
    separator = ";" if ";" in line else ","
    text = f"{heading.replace(',', separator)}\r\n{line}\r\n"
    (command.folder / "in.csv").write_text(text, "utf-8")
    read = command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv", "--json")
    assert [one["code"] for one in read.json["diagnostics"]] == codes
    assert read.status == (1 if codes else 0)


def test_columns_of_another_table_and_other_files_are_found(command: Command) -> None:
    (command.folder / "in.csv").write_text("id,scroe,→ level\r\n1,2,Low\r\n", "utf-8")
    read = command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv")
    assert "did you mean score?" in read.err
    (command.folder / "in.csv").write_text("id,score\r\n1,2\r\n", "utf-8")
    assert "command/csv-column-missing" in command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv").err
    (command.folder / "in.csv").write_bytes(b"")
    assert command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv").code == "command/csv-empty"
    (command.folder / "in.csv").write_bytes(b"\xff\xff\xff\xff")
    assert command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv").code == "command/csv-encoding"

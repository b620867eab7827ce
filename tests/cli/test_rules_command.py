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
        ("4,,at least 5,1,true,Low,#N/A", ["command/csv-error"]),
        ("4,,at least 5,1,true,#REF!,", ["command/csv-error"]),
        ("4,,at least 5,1,true,Low,#####", ["command/csv-error"]),
        ("4,,at least 5,1,true,Low,#1 of them", []),
        ("4,,at least 5,,,7,", ["command/csv-zeros", "rule/wrong-kind"]),
        ("4,,at lest 5,,,Low,", ["rule/wrong-kind"]),
        ("4,,3-4 10:00,,,Low,", ["command/csv-date", "rule/wrong-kind"]),
        ("4,,2024-05 10:00,,,Low,", ["command/csv-date", "rule/wrong-kind"]),
        ("4,,60-79,,,Low,", ["rule/other-words"]),
        ("4,,-,,,Low,", ["rule/other-words"]),
        ("4,,at least 5,1,true,Low,to: all", []),
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


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("#,id,score,score,→ level\n1,,at least 5,under 9,Low", ["command/csv-column-twice"]),
        ("#,id,score,→ level,→ level\n1,,at least 5,High,Low", ["command/csv-column-twice"]),
        ("#,id,score,,→ level\n1,,at least 5,true,Low", ["command/csv-without-heading"]),
        ("#,id,score,→ level\n1,,at least 5,Low,more,,", ["command/csv-without-heading"]),
        ("#,id,score,→ level\n1,,[5, 7],Low", ["command/csv-without-heading"]),
        ("#，id，score，→ level\n1，，5，Low", ["command/csv-separator"]),
        ("#|id|score|→ level\n1||5|Low", ["command/csv-separator"]),
        ('#,id,score,→ level,because\n1,,5,Low,"little\n2,,6,Low,more', ["command/csv-quotes"]),
        ('#,id,score,→ level,because\n1,,5,Low,"little" and more', ["command/csv-quotes"]),
        ('#,id,score,→ level,because\n1,,5,Low,"a ""b"" c" \n2,,6,Low,so "so"', []),
        ("#,id,分数,独立二级来源,→level\n1,,5,1,Low", []),
        ("#,id,score,level\n1,,5,Low", []),
        ("#,id,score,level,→ level\n1,,5,Low,Low", ["command/csv-column-twice"]),
        ("sep=;\n#;id;score;→ level\n1;;[5, 7];Low", []),
        ("Grades,,\n#,id,score,→ level\n1,,5,Low", ["command/csv-column", "command/csv-column-missing"]),
        ("#,id,score,→ level\n1,,5,Low\notherwise,,6,Low", ["command/csv-otherwise"]),
        ("#,id,score,→ level\n1,,5,Low\notherwise,,,Low\notherwise,,,High", ["command/csv-otherwise-twice"]),
    ],
)
def test_nothing_that_a_file_holds_is_lost(command: Command, text: str, codes: list[str]) -> None:
    (command.folder / "in.csv").write_text(text, "utf-8")
    read = command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv", "--json")
    found = [one["code"] for one in read.json["diagnostics"] if one["code"] != "rule/unread-input"]
    assert sorted(found) == sorted(codes)


@pytest.mark.parametrize("indent", [2, 4, 8])
def test_rows_of_a_spreadsheet_are_printed_as_they_stand_in_the_document(command: Command, indent: int) -> None:
    """Put in place of the old ones they are read, and give the same CSV again."""
    place = command.folder / "rules" / "grade.yaml"
    lines = place.read_text("utf-8").split("\n")
    deeper = [" " * ((len(line) - len(line.lstrip())) * indent // 2) + line.lstrip() for line in lines]
    place.write_text("\n".join(deeper), "utf-8")
    command("rules", "table", "rules/grade.yaml", "--csv", "out.csv")
    read = command("rules", "table", "rules/grade.yaml", "--from-csv", "out.csv")
    said, *rows = read.out.splitlines()
    assert said == " " * 2 * indent + "# for rules/grade.yaml: tables: grade, in place of its rows and otherwise"
    before = next(line for line in deeper if line.strip() == "rows:")
    assert rows[0] == before
    at = deeper.index(before)
    place.write_text("\n".join([*deeper[:at], said, *rows, ""]), "utf-8")
    assert command("rules", "table", "rules/grade.yaml", "--csv", "again.csv").status == 0
    assert (command.folder / "again.csv").read_bytes() == (command.folder / "out.csv").read_bytes()


def test_columns_of_another_table_and_other_files_are_found(command: Command) -> None:
    (command.folder / "in.csv").write_text("id,scroe,→ level\r\n1,2,Low\r\n", "utf-8")
    read = command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv")
    assert "did you mean score?" in read.err
    (command.folder / "in.csv").write_text("id,score\r\n1,2\r\n", "utf-8")
    assert "command/csv-column-missing" in command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv").err
    (command.folder / "in.csv").write_bytes(b"")
    assert command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv").code == "command/csv-empty"
    others = ("José a, Renée b".encode("latin-1"), "名字,標題,說明".encode("big5"), "日本語の表".encode("shift_jis"))
    for content in (b"\xff\xff\xff\xff", b"PK\x03\x04 a workbook", b"\xd0\xcf\x11\xe0 an old one", *others):
        (command.folder / "in.csv").write_bytes(content)
        assert command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv").code == "command/csv-encoding"


def test_what_is_wrong_in_a_spreadsheet_has_its_place_there(command: Command) -> None:
    """The place is that of the cell with its quotes; blank lines and line breaks in a cell count as lines."""
    lines = [
        "#,id,score,sources,disputed,→ level,because",
        '1,a,"1,234",2,true,High,',
        "",
        '2,b,more than 5,,,Hihg,"two',
        'lines"',
        "3,,,,yes,Low",
        "otherwise,,,,,Lov,",
    ]
    (command.folder / "in.csv").write_text("\r\n".join(lines), "utf-8-sig")
    read = command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv", "--json")
    found = [(one["file"], one["line"], one["column"], one["code"]) for one in read.json["diagnostics"]]
    assert found == [
        ("in.csv", 2, 5, "rule/other-words"),
        ("in.csv", 4, 5, "rule/other-words"),
        ("in.csv", 4, 19, "rule/not-in-enum"),
        ("in.csv", 6, 6, "rule/other-words"),
        ("in.csv", 7, 15, "rule/not-in-enum"),
    ]
    shown = command("rules", "table", "rules/grade.yaml", "--from-csv", "in.csv")
    assert "in.csv:2:5: error" in shown.err
    assert "hint: write without quotes: 1234" in shown.err


def test_a_number_that_is_too_long_says_how_long_it_may_be(looking: Command) -> None:
    digits = "1234567890" * 4
    ended = looking("rules", "explain", "rules/grade.yaml", "--fact", f"score={digits}")
    assert (ended.status, ended.code) == (2, "rule/number-too-long")
    assert "at most 34 digits" in ended.err


def large_table(folder: Path, rows: int) -> str:
    """Write a table whose combinations are too many to go through, and return its place."""
    lines = ["rules: large", "tables:", "  t:", "    hit: first", "    inputs:"]
    lines += [f"      n{at}: {{type: number, range: 0..1000}}" for at in range(8)]
    lines += ["    outputs: {a: {type: integer}}", "    rows:"]
    for row in range(rows):
        when = ", ".join(f"n{at}: {(row * 7 + at * 31) % 500} to {500 + (row * 13 + at * 17) % 500}" for at in range(8))
        lines.append(f"      - {{when: {{{when}}}, then: {{a: {row}}}}}")
    (folder / "rules" / "large.yaml").write_text("\n".join(lines) + "\n", "utf-8")
    return "rules/large.yaml"


@pytest.mark.long
def test_of_a_large_table_nothing_is_claimed_that_was_not_looked_at(command: Command) -> None:
    place = large_table(command.folder, 60)
    assert "[rule/too-large]" in command("rules", "check", place).out
    linted = command("lint", place).out
    assert "[rule/looked-at-in-passing]" in linted
    assert "interpreter rules check rules/large.yaml" in " ".join(linted.split())
    assert command("rules", "diff", place, place).out == "large: both versions answer alike everywhere.\n"
    facts = [part for at in range(8) for part in ("--fact", f"n{at}=500")]
    nearest = command("rules", "why-not", place, "t=5", *facts)
    assert (nearest.status, nearest.err) == (0, "")
    none = command("rules", "why-not", place, "t=5", "--json")
    assert (none.json["changes"], none.json["looked_at_all"]) == (None, False)
    (command.folder / "tests" / "large.yaml").write_text(
        "tests: large\nrules: large\ncases: [{id: one, rule: t, facts: {n0: 1}, expect: null}]\n", "utf-8"
    )
    tested = command("rules", "test", place)
    assert tested.out.splitlines()[0] == "large: 1 of 1 case passes."
    assert "too large, the one-step changes of its limits were not tried" in tested.out
    assert "no cases were written" in command("rules", "boundaries", place).out


def test_a_gate_or_a_rule_of_a_document_that_is_not_used_says_where_to_name_it(command: Command) -> None:
    text = _GRADED.replace("uses: {rules: [grade]}", "uses: {rules: [limits]}")
    (command.folder / "graded.yaml").write_text(
        text.replace("    steps:", "    enter: [places.known]\n    steps:"), "utf-8"
    )
    linted = " ".join(command("lint", "graded.yaml").out.split())
    assert "where known stands in the rule document places, write rules: [limits, places] under uses" in linted
    assert "where grade stands in the rule document grade, write rules: [limits, grade] under uses" in linted

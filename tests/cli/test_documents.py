"""`lint`, `graph`, `schema`, `explain`, `new`: documents alone."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from interpreter.codes import CODES, PHASES
from interpreter.diagnostics import Related, Words, finding
from interpreter.report.columns import width_of
from interpreter.report.diagnostics import as_json, as_text
from interpreter.report.sarif import as_github, as_sarif
from interpreter.report.words import safe
from interpreter.safety.written_secrets import secrets_in
from interpreter.source import Source, Span
from interpreter.yaml_tree import read_tree
from tests.cli.kit import Command

FINDING = ["code", "severity", "file", "line", "column", "end_line", "end_column", "message", "hint"]
SPECS = Path(__file__).parents[2] / "specs"
KINDS = ["workflow", "rules", "tools", "types", "profile", "tests"]


def full_width(text: str) -> str:
    return "".join(chr(ord(mark) + 0xFEE0) for mark in text)


@pytest.mark.parametrize(("language", "says"), [("en", "nothing found\n"), ("zh", "没有发现问题\n")])
def test_clean_documents_leave_status_0(looking: Command, language: str, says: str) -> None:
    ended = looking("lint", "boxes.yaml", "pause.yaml", "survey.yaml", "profiles/local.yaml", language=language)
    assert (ended.status, ended.out, ended.err) == (0, says, "")


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_documents_that_are_known_to_be_clean_are_told_like_others(looking: Command, form: str) -> None:
    told = [looking("lint", "boxes.yaml", "--format", form, *more) for more in ((), (), ("--no-cache",))]
    assert len({(one.status, one.out, one.err) for one in told}) == 1


def test_every_mistake_is_listed_at_its_place(command: Command) -> None:
    spec = command.folder / "boxes.yaml"
    text = spec.read_text("utf-8")
    for right, wrong in (
        ("to: FILL", "to: FIL"),
        ("box.fill]", "box.fil]"),
        ("needs: go", "needs: og"),
        ("{{ color }}", "{{ colour }}"),
        ("limits.most", "limits.mots"),
        ("{zh: 准备, en: Prepare}", "{zh: 准备}"),
    ):
        text = text.replace(right, wrong)
    spec.write_text(text, "utf-8")
    ended = command("lint", "boxes.yaml", "--format", "json")
    assert ended.status == 1
    assert ended.err == ""
    assert list(ended.json) == ["diagnostics"]
    found = ended.json["diagnostics"]
    assert all(list(one) == FINDING for one in found)
    assert len({(one["line"], one["column"]) for one in found}) >= 6
    for one in found:
        line = text.split("\n")[one["line"] - 1]
        assert line[one["column"] - 1 :].strip()
        assert one["hint"] is None or one["hint"]
    assert any("did you mean FILL?" in str(one["hint"]) for one in found)
    assert command("run", "boxes.yaml", "--input", "owner=a", "--input", "number=1").status == 2


def test_the_text_shows_the_line_and_marks_the_place(command: Command) -> None:
    (command.folder / "boxes.yaml").write_text("workflow: boxes\nversion: 1.0.0\nstatess: {}\n", "utf-8")
    ended = command("lint", "boxes.yaml")
    assert ended.status == 1
    assert "boxes.yaml:3:1: error:" in ended.out
    assert "    3 | statess: {}\n      | ^^^^^^^" in ended.out
    assert "did you mean states?" in ended.out


@pytest.mark.parametrize("before", ["", "short ", "long " * 40, "很长的文字" * 20])
@pytest.mark.parametrize("behind", ["", " short", " long" * 40, "很长的文字" * 20])
@pytest.mark.parametrize("named", ["x", "named_at_length" * 12])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_an_excerpt_is_as_wide_as_the_terminal_with_its_place_in_it(
    before: str, behind: str, named: str, width: int
) -> None:
    line = before + named + behind
    span = Span(Source("x.yaml", f"{line}\n"), len(before), len(before) + len(named))
    lines = list(as_text([finding("name/unknown", span, name="x")], "en", width))
    code, marks = (next(text for kind, text in lines if kind == wanted) for wanted in ("code", "mark"))
    assert width_of(code) <= width
    assert width_of(marks) <= width
    shown = code.removeprefix("    1 | ")
    assert line.startswith(shown.rstrip("…")) or shown.startswith("…")
    assert line.endswith(shown.lstrip("…")) or shown.endswith("…")
    assert shown.strip("…") in line
    at = marks.index("^")
    below = code
    while width_of(below) > at:
        below = below[:-1]
    assert code[len(below) :].startswith(named[:10])
    if width_of(line) <= width - 8:
        assert shown == line


@pytest.mark.parametrize(
    "document",
    [
        'request: {headers: {Authorization: "Bearer SECRET"}, path: [a]}',
        "headers: {accept: a/b, X-Api-Key: 'SECRET', x-odd: a}  # as given",
        "      Proxy-Authorization: Basic SECRET  # ours",
        "\t  Authorization: Bearer SECRET",
        '{"cookie": "SECRET", "path": "a"}',
        "settings: {api_key: SECRET, root: a}",
        "settings: {token: {type: string, default: SECRET}}",
        "settings:\n  token: SECRET\n",
        "settings:\n  shop_api_key:\n    type: string\n\n  # ours\n    default: SECRET",
        "query:\n  - {q: a, key: SECRET}",
        "client_secret: SECRET",
        "bearer_from: SECRET",
        "settings: {address: https://shop.example, key_from: SECRET, model: m}",
        "settings: {secret_headers: {X-Odd: 'SECRET'}, address: https://shop.example}",
        "secret_query:\n  odd: SECRET",
        "secrets: [NAME_OF_ONE, SECRET]",
        'argv: [--header, "Authorization: Bearer SECRET", --verbose]',
        "address: https://ann:SECRET@shop.example/a",
        "address: https://shop.example/a?q=b&api_key=SECRET&c=d",
        'password: "SECRET',
        '{"path":"a","password":"SECRET"}',
        "api_key:SECRET",
        'argv: [send, "--api-key=SECRET"]',
    ],
)
def test_no_form_of_a_finding_repeats_a_secret_that_was_written_down(document: str) -> None:
    secret = "sk-Proj_0002"
    source = Source("x.yaml", document.replace("SECRET", secret))
    start = source.text.index(secret)
    span = Span(source, start, start + len(secret))
    found = [finding("name/unknown", span, hint=Words(f"写 {secret}", f"write {secret}"), name=secret)]
    told = [line for _, line in as_text(found, "en", 200)]
    data = json.dumps([as_json(found, "zh"), as_sarif(found, "zh", "1")], ensure_ascii=False)
    assert secret not in "\n".join([*told, *as_github(found, "en"), data])
    excerpt = next(line.partition("| ")[2] for line in told if " | " in line)
    assert len(excerpt) == len(safe(source.line_text(span.begins.line)))


@pytest.mark.parametrize(
    "line",
    [
        "headers: {api_key:SECRET, b: c}",
        "  bearer_from: !odd SECRET",
        "headers: {authorization：SECRET}",
    ],
)
def test_no_line_is_shown_mended_with_a_secret_that_was_written_down(line: str) -> None:
    secret = "sk-Proj_0002"
    _, found = read_tree(Source("x.yaml", line.replace("SECRET", secret)))
    assert found
    assert secret not in json.dumps(as_json(found, "zh"), ensure_ascii=False)
    assert secret not in "\n".join(told for _, told in as_text(found, "en", 200))


@pytest.mark.parametrize(
    "line",
    [
        "let: {token: hit.result_meta.token, key: token}",
        'with: {api_key: "{{ settings.api_key }}", file_token: doxg5fai3q73ncm9cad3m9p}',
        "settings: {bearer_from: SHOP_TOKEN, secret_headers: {X-Api-Key: SHOP_KEY}, address: https://shop.example:8080}",
        "text: basic authentication, bearer of news",
        "authorization: required",
        "password:whatever, see key:board12 and token=item12",
        'settings: {key_from: {type: string, default: ""}, bearer_from: null}',
        "settings: {key_from: {type: string, default: MODEL_KEY, title: {zh: 变量, en: The variable with the key}}}",
        "settings: {documents: {default: [{token: fldTarget00001, path: /a/b}]}}",
        "secret_headers: {X-Shop-Key-2: SHOP_KEY_2}",
        "done: a password of board12 stands in SHOP_KEY_2, see https://shop.example/keys/board12",
        "- {id: token_board12, key: board12, secret: hit.secret}",
    ],
)
def test_names_expressions_and_words_are_no_secrets(line: str) -> None:
    told = as_text([finding("name/unknown", Span(Source("x.yaml", line), 0, 4), name="x")], "en", 200)
    assert f"    1 | {line}" in [text for _, text in told]


def test_no_shipped_document_has_words_that_are_taken_for_secrets() -> None:
    documents = sorted(SPECS.rglob("*.yaml"))
    taken = {path.name: secrets_in(Source(path.name, path.read_text("utf-8"))) for path in documents}
    assert len(taken) > 40
    assert not any(taken.values()), taken


@pytest.mark.parametrize(
    "fact", ["sk-Proj_0002Zq7", "--set api_key=Proj_0002Zq7", "https://ann:Proj_0002Zq7@shop.example/"]
)
def test_a_finding_without_a_place_repeats_no_secret_that_it_was_given(fact: str) -> None:
    (told,) = as_json([finding("name/unknown", None, name=fact)], "en")["diagnostics"]
    assert "Proj_0002Zq7" not in told["message"]
    assert "•••" in told["message"]


@pytest.mark.parametrize("name", ["::error::x.yaml", "##[error]x.yaml"])
def test_no_line_of_a_finding_is_a_command_because_of_the_name_of_a_file(name: str) -> None:
    span = Span(Source(name, "a: b\n"), 0, 1)
    lines = as_text([finding("name/unknown", span, name="x", related=[Related(span, Words("a", "a"))])], "en")
    assert not [line for _, line in lines if line.lstrip().startswith(("::", "##["))]


def test_long_findings_are_wrapped_at_words_with_a_hanging_indent(command: Command) -> None:
    spec = command.folder / "boxes.yaml"
    spec.write_text(spec.read_text("utf-8").replace("needs: go, ", ""), "utf-8")
    lines = command("lint", "boxes.yaml").out.splitlines()
    assert all(len(line) <= 80 for line in lines if " | " not in line)
    assert lines[0].startswith("boxes.yaml:")
    assert lines[1] == "    it [tool/write-without-confirmation]"


def test_lines_that_yaml_ate_are_mended_in_place(command: Command) -> None:
    spec = command.folder / "boxes.yaml"
    right = spec.read_text("utf-8")
    wrong = right.replace('en: "fill them, all"}', "en: @all}")
    spec.write_text(wrong, "utf-8")
    assert command("lint", "boxes.yaml").status == 1
    assert command("lint", "boxes.yaml", "--fix").status == 0
    mended = spec.read_text("utf-8")
    assert mended != wrong
    assert "@all" in mended


def test_lint_writes_nothing_and_starts_nothing(looking: Command) -> None:
    before = sorted(looking.folder.rglob("*"))
    looking("lint", ".")
    looking("graph", "boxes.yaml")
    assert sorted(looking.folder.rglob("*")) == before
    assert not looking.home.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_printed_for_every_kind(looking: Command, kind: str) -> None:
    schema = json.loads(looking("schema", kind).out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(("language", "title"), [("en", "FILL — Fill"), ("zh", "FILL — 装箱")])
def test_the_graph_shows_states_and_ways(looking: Command, language: str, title: str) -> None:
    lines = looking("graph", "boxes.yaml", language=language).out.splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert any(title in line for line in lines)
    assert any(line.strip().startswith("PREPARE --> FILL") for line in lines)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_code_is_explained(looking: Command, language: str) -> None:
    ended = looking("explain", "flow/walk-without-bound", language=language)
    assert ended.status == 0
    severity = {"en": "error, found when states and steps are checked", "zh": "错误，检查状态和步骤时发现"}[language]
    assert ended.out.startswith(f"flow/walk-without-bound: {severity}\n  ")
    assert {"en": "hint: ", "zh": "改法: "}[language] in ended.out


@pytest.mark.parametrize("wanted", ["{}", "[{}]", "【{}】", "error[{}]:", "`{}`", "no number is too long [{}]"])
@pytest.mark.parametrize("written", [str.lower, str.upper, full_width])
def test_a_code_is_explained_as_it_was_copied(looking: Command, wanted: str, written: Callable[[str], str]) -> None:
    ended = looking("explain", wanted.format(written("yaml/number-too-long")))
    assert ended.status == 0
    assert ended.out.startswith("yaml/number-too-long: ")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("code", ["run/budget-spent", "command/run-exists", "tool/effect-too-strong"])
def test_what_a_code_leaves_open_is_shown_as_dots(looking: Command, code: str, language: str) -> None:
    out = looking("explain", code, language=language).out
    words, _, _ = out.partition({"en": "\nwrong", "zh": "\n错的写法"}[language])
    assert "…" in words
    assert not set(words) & set("{}")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("write-not-confirmed", "there are flow/write-not-confirmed, run/write-not-confirmed"),
        ("unknown", "there are name/unknown, tool/unknown"),
        ("gap", "did you mean rule/gap?"),
        ("rows-agre", "did you mean rule/rows-agree?"),
        ("rule/rows-agre", "did you mean rule/rows-agree?"),
        ("flow/rows-agree", "there are flow/branch-never-taken,"),
        ("rule/xx", "there are rule/absent-name,"),
        ("flow", "there are flow/branch-never-taken,"),
        ("xyzzy", "allowed: command, evidence,"),
    ],
)
def test_a_code_that_is_none_proposes_all_that_may_be_meant(looking: Command, name: str, hint: str) -> None:
    ended = looking("explain", name)
    assert (ended.status, ended.code) == (2, "command/unknown-code")
    assert hint in " ".join(ended.err.split())


@pytest.mark.parametrize(
    ("name", "own"),
    [("invoice-reminder", "invoice_reminder"), ("file papers", "file_papers"), ("1st", "source_items")],
)
def test_a_name_that_is_none_is_written_as_one_in_the_hint(command: Command, name: str, own: str) -> None:
    text = f"workflow: {name}\nversion: 1.0.0\ntitle: {{zh: 例, en: E}}\neffect: read\nstates: {{A: {{}}}}\n"
    (command.folder / f"{name}.yaml").write_text(text, "utf-8")
    ended = command("lint", f"{name}.yaml")
    assert "[shape/wrong-form]" in ended.out
    assert f"such as {own}" in " ".join(ended.out.split())


def test_every_code_has_a_phase() -> None:
    assert {code.partition("/")[0] for code in CODES} == set(PHASES)


def test_a_new_workflow_is_clean_proved_tested_and_runs(command: Command) -> None:
    made = command("new", "errands", "--in", "mine")
    assert made.status == 0
    assert command("lint", "mine").status == 0
    assert command("prove", "mine/errands.yaml").status == 0
    assert command("test", "mine/tests", "--min-coverage", "75").status == 0
    waiting = command("run", "mine/errands.yaml", "--input", "topic=move", "--run-id", "one")
    assert waiting.status == 3
    assert command("answer", "one", 'next_task={"task": "boxes", "more": false}').status == 3
    assert command("answer", "one", "save=save", "--json").json["outputs"] == {"saved": [5]}
    again = command("new", "errands", "--in", "mine")
    assert (again.status, again.code) == (2, "command/file-exists")


def test_a_profile_that_is_there_is_left_alone(command: Command) -> None:
    before = (command.folder / "profiles" / "local.yaml").read_text("utf-8")
    made = command("new", "errands", "--in", ".")
    assert made.status == 0
    assert "errands.save: {adapter: compute" in made.out
    assert (command.folder / "profiles" / "local.yaml").read_text("utf-8") == before


def test_every_guarantee_is_proved_or_the_way_that_breaks_it_is_shown(command: Command) -> None:
    spec = command.folder / "boxes.yaml"
    guarantees = (
        "guarantees:\n"
        "  - {id: filled-only-when-confirmed, every: {call: {effect: [write]}}, comes_after: {confirm: go}}\n"
        "  - {id: never-filled, every: {call: box.fill}, only_in: [PREPARE]}\n"
        "states:\n"
    )
    spec.write_text(spec.read_text("utf-8").replace("states:\n", guarantees, 1), "utf-8")
    ended = command("prove", "boxes.yaml")
    assert ended.status == 1
    lines = ended.out.splitlines()
    assert lines[0] == "3 guarantees: 2 proved, 1 broken"
    assert "✓ filled-only-when-confirmed: proved" in lines
    assert "✗ never-filled: broken" in lines
    assert "    call of box.fill only in PREPARE" in lines
    assert any(line.endswith(": call box.fill") and line.startswith("      boxes.yaml:") for line in lines)
    assert "✓ needs: go: proved" in lines
    told = command("prove", "boxes.yaml", "--json").json["guarantees"]
    assert [one["verdict"] for one in told] == ["proved", "broken", "proved"]
    assert told[1]["way"][-1]["what"] == "call box.fill"
    assert command("prove", "boxes.yaml", language="zh").out.startswith("3 条保证：2 已证明，1 不成立\n")


#: What stands in a workflow ; what is put there ; the code of what keeps it from being run.
WRONG = [
    ("to: FILL", "to: FIL", "name/unknown-state"),
    ("\ndata:\n", "\ndata:\n  few: {type: integer, default: many}\n", "type/wrong-kind"),
]


@pytest.mark.parametrize(("was", "put", "code"), WRONG)
def test_nothing_is_proved_of_documents_that_cannot_be_run(command: Command, was: str, put: str, code: str) -> None:
    spec = command.folder / "boxes.yaml"
    spec.write_text(spec.read_text("utf-8").replace(was, put, 1), "utf-8")
    for verb in ("run", "prove"):
        ended = command(verb, "boxes.yaml", "--lang", "en")
        assert (ended.status, ended.out, ended.code) == (2, "", code), ended


def test_findings_are_told_to_a_code_host(command: Command) -> None:
    spec = command.folder / "boxes.yaml"
    spec.write_text(spec.read_text("utf-8").replace("to: FILL", "to: FIL"), "utf-8")
    log = command("lint", "boxes.yaml", "--format", "sarif").json
    run = log["runs"][0]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == sorted({one["ruleId"] for one in run["results"]})
    result = next(one for one in run["results"] if one["ruleId"] == "name/unknown-state")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "boxes.yaml"}
    line = spec.read_text("utf-8").split("\n")[place["region"]["startLine"] - 1]
    assert line[place["region"]["startColumn"] - 1 : place["region"]["endColumn"] - 1] == "FIL"
    assert "did you mean FILL?" in result["message"]["text"]


def test_findings_are_told_to_a_workflow_of_a_code_host(command: Command) -> None:
    spec = command.folder / "boxes.yaml"
    spec.write_text(spec.read_text("utf-8").replace("to: FILL", "to: FIL"), "utf-8")
    ended = command("lint", "boxes.yaml", "--format", "github")
    assert ended.status == 1
    told = [line for line in ended.out.splitlines() if "name/unknown-state" in line]
    assert told[0].startswith("::error file=boxes.yaml,line=")
    assert told[0].endswith("::there is no state FIL%0Adid you mean FILL?")
    assert all(line.startswith("::") for line in ended.out.splitlines())


def test_a_graph_marks_questions_writes_gates_and_the_way_of_a_run(command: Command) -> None:
    command("run", "boxes.yaml", "--input", "owner=ann", "--input", "number=2", "--run-id", "first")
    command("answer", "first", "go=leave")
    drawn = command("graph", "boxes.yaml", "--highlight", "first").out
    assert "    PREPARE --> FILL : ✓ #91;few_enough#93;" in drawn
    assert "    class FILL asks" in drawn
    assert "    class FILL writes" in drawn
    assert "    class PREPARE,FILL visited" in drawn
    assert "visited" not in command("graph", "boxes.yaml").out
    assert command("graph", "boxes.yaml", "--highlight", "nobody").status == 2


@pytest.mark.parametrize("title", ["</text><script>alert(1)</script>", "a & b \"c\" 'd'", "\u202e\u0007"])
def test_an_svg_holds_texts_of_a_document_as_text_alone(command: Command, title: str) -> None:
    spec = command.folder / "boxes.yaml"
    quoted = json.dumps(title)
    spec.write_text(spec.read_text("utf-8").replace("title: {zh: 准备, en: Prepare}", f"title: {quoted}"), "utf-8")
    drawn = command("graph", "boxes.yaml", "--format", "svg")
    assert drawn.status == 0
    root = ElementTree.fromstring(drawn.out)
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert kinds <= {"svg", "style", "defs", "marker", "path", "rect", "text", "circle", "g", "title"}
    assert not any(name.startswith("on") or "href" in name for element in root.iter() for name in element.attrib)


def test_every_way_of_an_svg_ends_at_a_box_or_at_the_end_of_all(command: Command) -> None:
    with (command.folder / "survey.yaml").open("a", encoding="utf-8") as spec:
        spec.write("  MORE: {}\n  LAST: {}\n")
    root = ElementTree.fromstring(command("graph", "survey.yaml", "--format", "svg").out)
    shapes = {kind: [one for one in root.iter() if one.tag.endswith(kind)] for kind in ("rect", "circle", "path")}
    circle = next(one for one in shapes["circle"] if one.get("r") == "9")
    ways = [one.get("d", "") for one in shapes["path"] if (one.get("class") or "").startswith("way")]
    for way in ways:
        numbers = [int(number) for number in re.findall(r"\d+", way)]
        x, y = numbers[-2:] if "C" in way else (numbers[0], numbers[-1])
        ends = [
            int(one.get("x", "")) <= x <= int(one.get("x", "")) + int(one.get("width", ""))
            and int(one.get("y", "")) <= y <= int(one.get("y", "")) + int(one.get("height", ""))
            for one in shapes["rect"]
        ]
        away = math.dist((x, y), (int(circle.get("cx", "")), int(circle.get("cy", ""))))
        assert any(ends) or away <= 12, way
    assert len(ways) > 2


@pytest.mark.parametrize("verb", ["run", "lint", "prove", "graph", "fuzz"])
@pytest.mark.parametrize(
    ("typed", "meant"), [("boxes", "boxes.yaml"), ("bxoes.yaml", "boxes.yaml"), ("sub/pause", "sub/specs/pause.yaml")]
)
def test_a_name_without_its_file_proposes_the_file(command: Command, verb: str, typed: str, meant: str) -> None:
    folder = command.folder / "sub" / "specs"
    folder.mkdir(parents=True)
    (command.folder / "pause.yaml").rename(folder / "pause.yaml")
    ended = command(verb, typed)
    assert (ended.status, ended.code) == (2, "yaml/file-missing")
    assert f"did you mean {meant}?" in ended.err


def test_a_tests_document_is_proposed_where_they_are_kept(command: Command) -> None:
    (command.folder / "tests").mkdir(exist_ok=True)
    (command.folder / "tests" / "pack.yaml").write_text("tests: pack\nworkflow: boxes\ncases: []\n", "utf-8")
    assert "did you mean tests/pack.yaml?" in command("test", "pack").err


def test_several_workflows_and_folders_are_proved(command: Command) -> None:
    alone = command("prove", "boxes.yaml", "--json")
    several = command("prove", "boxes.yaml", "pause.yaml", "--json")
    told = several.json["workflows"]
    assert [one["file"] for one in told] == ["boxes.yaml", "pause.yaml"]
    assert told[0]["guarantees"] == alone.json["guarantees"]
    assert all(set(one) == {"file", "guarantees"} for one in told)
    assert several.status == alone.status
    lines = command("prove", "boxes.yaml", "pause.yaml").out.splitlines()
    assert [line for line in lines if line.endswith(".yaml:")] == ["boxes.yaml:", "pause.yaml:"]
    files = [one["file"] for one in command("prove", ".", "--json").json["workflows"]]
    assert {"boxes.yaml", "pause.yaml"} <= set(files)
    assert not any("tools/" in file or "rules/" in file for file in files)


def test_a_workflow_that_is_wrong_keeps_no_other_from_being_proved(command: Command) -> None:
    (command.folder / "wrong.yaml").write_text("workflow: wrong\n", "utf-8")
    ended = command("prove", "wrong.yaml", "pause.yaml", "--json")
    assert ended.status == 2
    wrong, right = ended.json["workflows"]
    assert wrong["error"]["code"].startswith("shape/")
    assert "error" not in right


def test_a_folder_without_workflows_is_said(command: Command) -> None:
    assert command("prove", "tools").code == "command/no-workflows"


#: Thirty of them, of which each uses the next one twice: the last one stands more often than anybody could count.
_DEPTH = 30
_NESTED = """\
workflow: {name}
version: 1.0.0
title: {{zh: 嵌套, en: Nested}}
effect: read
uses: {{workflows: [{uses}]}}
data:
  rows: {{type: array, items: {{type: object}}, default: []}}
  total: {{type: integer, default: 0}}
outputs: {{total: {{type: integer, value: "{{{{ total }}}}"}}}}
{blocks}
states:
  ONLY:
    title: {{zh: 一, en: One}}
    steps: [{{each: row, in: rows, do: [{steps}]}}, {{set: {{total: "{{{{ total + (rows | count) }}}}"}}}}]
    next: [{{to: end}}]
"""


def _nested_blocks() -> dict[str, str]:
    blocks = "\n".join(f"  b{n}: {{steps: [{{use: b{n + 1}}}, {{use: b{n + 1}}}]}}" for n in range(_DEPTH))
    last = f'  b{_DEPTH}: {{steps: [{{set: {{total: "{{{{ total + 1 }}}}"}}}}]}}'
    return {"n0": _NESTED.format(name="n0", uses="", blocks=f"blocks:\n{blocks}\n{last}", steps="{use: b0}")}


def _nested_workflows() -> dict[str, str]:
    made = {}
    for number in range(_DEPTH):
        used = f"n{number + 1}" if number + 1 < _DEPTH else ""
        steps = f"{{id: a, use: {used}}}, {{id: b, use: {used}}}" if used else "{set: {total: 1}}"
        made[f"n{number}"] = _NESTED.format(name=f"n{number}", uses=used, blocks="", steps=steps)
    return made


@pytest.mark.parametrize("nested", [_nested_blocks, _nested_workflows], ids=["blocks", "workflows"])
@pytest.mark.parametrize(
    "words",
    [("lint", "--no-cache"), ("prove",), ("graph",), ("run", "--run-id", "one"), ("fuzz", "--runs", "1")],
    ids=lambda words: words[0],
)
def test_what_uses_each_other_costs_no_more_than_there_are(
    command: Command, words: tuple[str, ...], nested: Callable[[], dict[str, str]]
) -> None:
    for name, text in nested().items():
        (command.folder / f"{name}.yaml").write_text(text, "utf-8")
    ended = command(words[0], "n0.yaml", *words[1:])
    assert ended.status == 0, ended.err + ended.out

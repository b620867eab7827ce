"""Command lines that cannot be carried out: each says what is wrong and what to write, and changes nothing."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from interpreter.cli.arguments import build_parser
from interpreter.cli.verbs import handler_of
from tests.cli.kit import Command

NEEDED = ("run", "boxes.yaml", "--input", "owner=a", "--input", "number=2")

#: The arguments, the language, and what standard error must say.
REFUSED: list[tuple[str, tuple[str, ...], str, tuple[str, ...]]] = [
    ("no verb", (), "en", ("usage:", "lint", "explain")),
    ("a verb misspelt", ("rnu",), "en", ("there is no command rnu", "did you mean run?")),
    ("a verb misspelt", ("rnu",), "zh", ("没有命令 rnu", "是不是想写 run？", "用法：")),
    ("a verb like none", ("xyz",), "en", ("there is no command xyz", "interpreter help lists all of them")),
    ("a question about rules like none", ("rules", "xyz"), "zh", ("没有命令 xyz", "check")),
    ("a verb of other programs", ("list",), "en", ("there is no command list", "did you mean runs?")),
    ("a verb of other programs", ("prune",), "en", ("there is no command prune", "did you mean runs?")),
    ("a verb of other programs", ("report",), "en", ("there is no command report", "did you mean show?")),
    ("a verb of other programs", ("status", "one"), "zh", ("没有命令 status", "是不是想写 show？")),
    ("an option misspelt", (*NEEDED, "--dry-rnu"), "en", ("--dry-rnu is not known here", "did you mean --dry-run?")),
    ("an option misspelt", (*NEEDED, "--dry-rnu"), "zh", ("不认识 --dry-rnu", "是不是想写 --dry-run？")),
    (
        "an option without its value",
        ("run", "boxes.yaml", "--profile"),
        "en",
        ("--profile needs a value; write --profile FILE",),
    ),
    ("an option without its value", ("run", "boxes.yaml", "--profile"), "zh", ("--profile 后面要写一个值",)),
    ("no document", ("run",), "zh", ("还缺少 SPEC（流程文件）",)),
    ("no run and no answer", ("answer",), "en", ("RUN (the id of a run), QUESTION=VALUE (", "is missing")),
    ("no question about rules", ("rules",), "zh", ("还缺少 check|test|explain|",)),
    ("no question about tools", ("tools",), "en", ("check|pin is missing",)),
    ("no rules and no facts", ("rules", "explain"), "en", ("FILE (a rule document) is missing",)),
    ("no profile", ("tools", "check"), "en", ("--profile (the file of a profile",)),
    ("a dash in the place of two hyphens", ("run", "boxes.yaml", "—input", "owner=a"), "en", ("write --input\n",)),
    ("a dash before the document", ("run", "–input", "owner=a", "boxes.yaml"), "zh", ("写成 --input\n",)),
    ("full-width hyphens and a value", ("runs", "－－prune=30d"), "zh", ("半角连字符：写成 --prune=30d",)),
    ("two roads at once", ("resume", "r", "--as-recorded", "--with-edits"), "en", ("exclude each other",)),
    (
        "a format that is none",
        ("lint", "--format", "xml", "boxes.yaml"),
        "en",
        ("--format cannot be xml", "sarif, text"),
    ),
    (
        "a number that is none",
        ("fuzz", "boxes.yaml", "--runs", "many"),
        "zh",
        ("--runs 不能是 many：要一个整数，例如 --runs 10",),
    ),
    (
        "an input without value",
        ("run", "boxes.yaml", "--input", "owner"),
        "en",
        ("--input owner: there is no =", "write name=value", "--input owner=… or --input topic=tea"),
    ),
    (
        "an input without value",
        ("run", "boxes.yaml", "--input", "owner"),
        "zh",
        ("--input owner 里没有 =", "写成 名称=值", "--input owner=…"),
    ),
    (
        "an input without name",
        ("run", "boxes.yaml", "--input", "=a"),
        "zh",
        ("--input =a 的 = 前面没有名称", "名称=值"),
    ),
    ("a threshold without value", (*NEEDED, "--set", "limits.most"), "en", ("there is no =", "--set limits.most=5")),
    (
        "a full-width sign between name and value",
        ("rules", "explain", "rules/grade.yaml", "--fact", "score＝80"),
        "zh",
        ("--fact score＝80 里的 ＝ 是全角：写成 --fact score=80",),
    ),
    ("a colon between name and value", (*NEEDED, "--input", "owner：b"), "zh", ("用了冒号：写成 --input owner=b",)),
    (
        "a fact without its option",
        ("rules", "explain", "rules/grade.yaml", "grade", "score=80", "sources=2"),
        "en",
        ("score=80 sources=2 is not known here; write --fact score=80",),
    ),
    (
        "a fact in the place of a rule",
        ("rules", "explain", "rules/grade.yaml", "score=80"),
        "zh",
        ("写成 --fact score=80", "[command/no-such-rule]"),
    ),
    ("an input without its option", (*NEEDED, "owner＝b"), "zh", ("不认识 owner＝b；写成 --input owner=b",)),
    (
        "facts in other words",
        ("rules", "explain", "rules/grade.yaml", "--fact", "score=８０", "--fact", "disputed=否"),
        "en",
        ("did you mean 80?", "did you mean false?"),
    ),
    ("a fact of another kind", ("rules", "explain", "rules/grade.yaml", "--fact", "score=x"), "zh", ("写成 80 这样",)),
    ("an input given twice", (*NEEDED, "--input", "owner=b"), "en", ("--input owner is given twice",)),
    ("an input given twice", (*NEEDED, "--input", "owner=b"), "zh", ("--input owner 给了两次",)),
    ("an option of another verb", (*NEEDED, "--budget", "calls=+1"), "en", ("it is an option of resume",)),
    ("an option of another verb", (*NEEDED, "--budget=calls=1"), "zh", ("它是 resume 的选项",)),
    ("an option of another verb", ("doctor", "--profile", "a"), "en", ("it is an option of run,", "tools check")),
    ("a switch with a value", (*NEEDED, "--dry-run=yes"), "zh", ("--dry-run 后面不写值",)),
    ("an input without its value", ("run", "boxes.yaml", "--input"), "zh", ("例如 --input topic=tea",)),
    ("a workflow that is not there", ("run", "boxs.yaml"), "en", ("there is no file boxs.yaml",)),
    ("a workflow that is not there", ("run", "boxs.yaml"), "zh", ("boxs.yaml", "[yaml/file-missing]")),
    ("a profile that is not there", (*NEEDED, "--profile", "profiles/lokal.yaml"), "en", ("profiles/lokal.yaml",)),
    ("a profile misspelt", (*NEEDED, "--profile", "lokal"), "en", ("did you mean profiles/local.yaml?",)),
    ("a profile of another name", (*NEEDED, "--profile", "mine"), "en", ("in profiles there are: library, local",)),
    ("a profile of another name", (*NEEDED, "--profile", "mine"), "zh", ("profiles 里有：library、local",)),
    ("a folder misspelt", ("test", "profile"), "en", ("did you mean profiles?",)),
    ("answers that are not there", (*NEEDED, "--answers", "none.yaml"), "en", ("there is no file none.yaml",)),
    ("an input misspelt", (*NEEDED, "--input", "colr=red"), "en", ("there is no input colr", "did you mean color?")),
    ("a threshold misspelt", (*NEEDED, "--set", "limts.most=3"), "en", ("limts.most", "did you mean limits.most?")),
    ("a threshold out of its range", (*NEEDED, "--set", "limits.most=900"), "en", ("limits.most", "900", "1..50")),
    ("a threshold out of its range", (*NEEDED, "--set", "limits.most=900"), "zh", ("limits.most", "900", "1..50")),
    ("a setting misspelt", (*NEEDED, "--set", "settings.prefx=a"), "en", ("no setting prefx", "did you mean prefix?")),
    ("an id that leads elsewhere", (*NEEDED, "--run-id", "../x"), "en", ("“../x” cannot be the id of a run",)),
    ("an id that a variable left empty", (*NEEDED, "--run-id", ""), "en", ("“” cannot be the id of a run",)),
    ("a run that is not there", (*NEEDED, "--input", "earlier=none"), "en", ("there is no run none",)),
    ("a run that is not there", ("show", "none"), "zh", ("没有名为 none 的运行",)),
    ("a run that is not there", ("answer", "none", "go=x"), "en", ("there is no run none", "interpreter runs")),
    ("a run that is not there", ("resume", "none"), "en", ("there is no run none",)),
    ("a run that is not there", ("cancel", "none"), "en", ("there is no run none",)),
    ("a kind misspelt", ("schema", "workflw"), "en", ("workflw", "did you mean workflow?")),
    ("a code misspelt", ("explain", "flow/walk-without-boun"), "en", ("did you mean flow/walk-without-bound?",)),
    ("nothing to lint", ("lint", "none.yaml"), "en", ("none.yaml",)),
    ("an age that is none", ("runs", "--prune", "soon"), "en", ("--prune soon: no age", "--prune 30d")),
    ("an age that is none", ("runs", "--prune", "soon"), "zh", ("--prune soon 不是时长", "--prune 30d")),
    ("a share that is none", ("test", "tests", "--min-coverage", "most"), "en", ("a number is wanted", "80")),
    ("a share that is none", ("test", "tests", "--min-coverage", "most"), "zh", ("要一个数", "80")),
    ("a plan in two forms", ("show", "r", "--plan", "--format", "csv", "--json"), "en", ("exclude each other",)),
    (
        "a budget that is no number",
        ("resume", "r", "--budget", "calls=many"),
        "en",
        ("“many” is no number to add", "for example --budget calls=+100"),
    ),
    (
        "a budget that is no number",
        ("resume", "r", "--budget", "calls=many"),
        "zh",
        ("“many”不是要增加的数", "--budget calls=+100"),
    ),
    (
        "a budget that is set",
        ("resume", "r", "--budget", "calls=5"),
        "en",
        ("is not set to", "write --budget calls=+5"),
    ),
    ("a budget that is set", ("resume", "r", "--budget", "calls=5"), "zh", ("只能增加", "--budget calls=+5")),
    ("a budget in full width", ("resume", "r", "--budget", "calls=＋５"), "zh", ("--budget calls=+5",)),
    ("a budget with two signs", ("resume", "r", "--budget", "calls=++5"), "en", ("--budget calls=+5",)),
    ("a budget that falls", ("resume", "r", "--budget", "calls=-5"), "en", ("“-5” is no number to add",)),
    ("a budget beyond measure", ("resume", "r", "--budget", "calls=+" + "9" * 5000), "en", ("no number to add",)),
    ("a budget without amount", ("resume", "r", "--budget", "calls"), "zh", ("里没有 =", "--budget calls=+100")),
    ("a waiver without reason", ("resume", "r", "--waive", "few_enough"), "zh", ("--reason",)),
    ("an answer without value", ("answer", "r", "go"), "en", ("QUESTION=VALUE",)),
    ("a name that cannot be one", ("new", "My Flow"), "zh", ("小写英文字母", "interpreter new my_flow")),
    ("a name in Chinese", ("new", "周报"), "en", ("“周报” cannot be the name", "interpreter new my_workflow")),
    ("a setting without its settings.", (*NEEDED, "--set", "prefix=a"), "en", ("did you mean settings.prefix?",)),
    ("a format without a plan", ("show", "none", "--format", "csv"), "en", ("--plan --format csv",)),
    ("a code of a phase", ("explain", "command/run-is-there"), "en", ("[command/unknown-code]", "command/run-")),
]


@pytest.mark.parametrize(
    ("arguments", "language", "says"),
    [case[1:] for case in REFUSED],
    ids=[f"{case[0]} ({case[2]})" for case in REFUSED],
)
def test_what_cannot_be_carried_out_is_refused_with_a_hint(
    looking: Command, arguments: tuple[str, ...], language: str, says: tuple[str, ...]
) -> None:
    ended = looking(*arguments, language=language)
    assert ended.status == 2, ended
    assert ended.out == ""
    for part in says:
        assert part in ended.err
    assert "Traceback" not in ended.err
    assert looking("runs").out in ("no runs\n",)


@pytest.mark.parametrize(
    "arguments",
    [
        (*NEEDED, "--set", "sk-Proj_0002Zq7"),
        (*NEEDED, "--set", "settings.bearer_from=sk-Proj_0002Zq7"),
        (*NEEDED, "--budget", "password=Proj_0002Zq7"),
        ("runs", "--input", "api_key=Proj_0002Zq7"),
        ("lint", "--token=Proj_0002Zq7", "boxes.yaml"),
    ],
    ids=lambda arguments: arguments[0] + " " + arguments[-1],
)
def test_no_secret_of_an_argument_is_repeated(looking: Command, arguments: tuple[str, ...]) -> None:
    ended = looking(*arguments)
    assert ended.status == 2, ended
    assert "Proj_0002" not in ended.out + ended.err


@pytest.mark.parametrize(
    ("language", "message", "hint"),
    [
        ("en", "inputs are missing: owner, number", "add --input owner=… --input number=…"),
        ("zh", "缺少输入：owner, number", "加上 --input owner=… --input number=…"),
    ],
)
def test_all_missing_inputs_stand_in_one_message(looking: Command, language: str, message: str, hint: str) -> None:
    ended = looking("run", "boxes.yaml", language=language)
    assert ended.status == 2
    assert message in ended.err
    assert hint in ended.err


def test_everything_wrong_with_what_was_given_is_said_at_once(looking: Command) -> None:
    given = ("ownr=a", "number=three", "color=green")
    words = [word for pair in given for word in ("--input", pair)]
    ended = looking("run", "boxes.yaml", *words, "--set", "limits.mst=3")
    assert ended.status == 2
    for part in ("owner", "ownr", "“three” is not a whole number", "red | blue", "limits.mst"):
        assert part in ended.err


@pytest.mark.parametrize(
    ("sets", "code", "hint"),
    [
        ((), "tool/setting-missing", "add --set settings.prefix=…"),
        (("--set", "prefix=a"), "command/unknown-threshold", "did you mean settings.prefix?"),
    ],
    ids=["missing", "without settings."],
)
def test_a_setting_that_many_tools_read_is_one_finding(
    command: Command, sets: tuple[str, ...], code: str, hint: str
) -> None:
    profile = command.folder / "profiles" / "local.yaml"
    text = profile.read_text("utf-8").replace(", default: box", "")
    reads = 'box.fill: {adapter: python, use: drive, settings: {root: "{{ settings.prefix }}"}}'
    profile.write_text(f"{text.partition('tools:')[0]}tools:\n  {reads}\n", "utf-8")
    ended = command(*NEEDED, *sets)
    assert (ended.status, ended.code) == (2, code)
    assert hint in ended.err


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", ("cannot be used: there is no such folder", "it comes from settings.prefix; --set settings.prefix=…")),
        ("zh", ("不能使用：没有这个文件夹", "它来自 settings.prefix")),
    ],
)
def test_a_folder_that_is_not_there_is_said_once_with_the_setting_that_names_it(
    command: Command, language: str, says: tuple[str, ...]
) -> None:
    profile = command.folder / "profiles" / "local.yaml"
    text = profile.read_text("utf-8")
    reads = '{adapter: python, use: drive, settings: {root: "{{ settings.prefix }}"}}'
    profile.write_text(f"{text.partition('tools:')[0]}tools:\n  box.fill: {reads}\n  box.list: {reads}\n", "utf-8")
    with (command.folder / "tools" / "box.yaml").open("a", encoding="utf-8") as tools:
        tools.write("box.list: {effect: read, input: {type: object}, output: {type: object}, example: {}}\n")
    ended = command(*NEEDED, "--set", "settings.prefix=nowhere", language=language)
    assert (ended.status, ended.err.count("[tool/adapter-refused]")) == (2, 1)
    told = " ".join(ended.err.split())
    assert all(part in told or part in told.replace(" ", "") for part in says), ended.err


def test_a_profile_is_found_by_its_name(command: Command) -> None:
    ended = command(*NEEDED, "--profile", "local", "--run-id", "one")
    assert ended.status == 3, ended


def test_the_language_may_stand_before_the_verb(looking: Command) -> None:
    ended = looking("--lang", "zh", "runs", language="en")
    assert (ended.status, ended.out + ended.err) == (0, "没有运行\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("owner: a\nowner: b\n", "inputs.yaml:2:1"),
        ("owner: a\nnumber: 0x2\n", "inputs.yaml:2:9: error: input number does not fit"),
        ("owner: a\nnumber: 2\nnumbr: 2\n", "inputs.yaml:3:8: error: there is no input numbr"),
        ("owner: >5\n", "inputs.yaml:1:8"),
        ("- owner\n", "must be a mapping"),
        ("owner: [a\n", "inputs.yaml:"),
        ("", "write name: value"),
        ("\ufeff# nothing yet\n", "write name: value"),
    ],
    ids=[
        "a key twice",
        "not a number here",
        "an unknown name",
        "eaten by YAML",
        "a list",
        "cut off",
        "empty",
        "a comment alone",
    ],
)
def test_a_file_of_inputs_is_read_as_strictly_as_documents(command: Command, text: str, says: str) -> None:
    (command.folder / "inputs.yaml").write_text(text, "utf-8")
    ended = command("run", "boxes.yaml", "--inputs", "inputs.yaml", "--json")
    assert ended.status == 2
    assert says in ended.err
    assert ended.json["error"]["code"]


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ('{"owner": "a",\n "number": NaN}', "2:12", "no value can be read here"),
        ('{"owner": "a",\n "number": tru}', "2:12", "a value is wanted here"),
        ('{"owner": "a",\n "number": 1e400}', "2:12", "too long or too large"),
        ('{"owner": ["a", {"b": 1e400}]}', "1:23", "too long or too large"),
        ('{"owner": "a", "owner": "b"}', "1:16", "the name owner stands twice"),
        ('{"owner": {"a": 1, "a": 2}}', "1:11", "a name stands twice in it"),
        ("{'owner': 'a'}", "1:2", "a name in double quotes is wanted here"),
        ("owner: a", "1:1", "{ is wanted at the beginning"),
        ('{"owner" "a"}', "1:10", "a colon is wanted"),
        ('{"owner": "a" "number": 1}', "1:15", "a comma or } is wanted here"),
        ('{"owner": "a",}', "1:15", "a name in double quotes"),
        ('{"owner": "a}', "1:11", "the double quote that opens here has no end"),
        ('{"owner": "a"} # mine', "1:16", "nothing may follow the last }"),
    ],
)
def test_a_file_of_inputs_that_is_named_json_is_read_as_json(
    looking: Command, text: str, place: str, says: str
) -> None:
    (looking.folder / "inputs.json").write_text(text, "utf-8")
    ended = looking("run", "boxes.yaml", "--inputs", "inputs.json", "--json")
    assert (ended.status, ended.json["error"]["code"]) == (2, "command/not-json")
    assert f"inputs.json:{place}: error: this is no JSON" in ended.err
    assert says in " ".join(ended.err.split())


@pytest.mark.parametrize("arguments", [("show",), ("resume",), ("cancel",), ("answer", "go=x")], ids=" ".join)
def test_a_refusal_as_json_names_the_run_that_it_is_about(looking: Command, arguments: tuple[str, ...]) -> None:
    verb, *more = arguments
    ended = looking(verb, "none", *more, "--json")
    assert (ended.status, ended.json["run_id"], ended.json["error"]["code"]) == (2, "none", "run/unknown")


@pytest.mark.parametrize(
    ("name", "text"), [("inputs.yaml", 'owner: "007"\nnumber: 1\n'), ("inputs.json", '{"owner": "007", "number": 1}')]
)
def test_inputs_of_a_file_keep_their_kinds(command: Command, name: str, text: str) -> None:
    (command.folder / name).write_text(text, "utf-8")
    shown = command("run", "boxes.yaml", "--inputs", name, "--json").json["waiting"][0]["shown"]
    assert shown == [{"id": "007-0", "note": ""}]


def test_an_input_is_text_where_text_is_declared(command: Command) -> None:
    ended = command("run", "boxes.yaml", "--input", "owner=007", "--input", "number=1", "--json")
    assert ended.json["waiting"][0]["shown"] == [{"id": "007-0", "note": ""}]


def test_an_answers_file_names_questions_of_the_workflow(command: Command) -> None:
    (command.folder / "answers.yaml").write_text("goo: leave\n", encoding="utf-8")
    ended = command(*NEEDED, "--answers", "answers.yaml")
    assert ended.status == 3
    assert "there is no question goo; its answer is not used" in ended.err
    assert "did you mean go?" in ended.err


def _verbs(parser: argparse.ArgumentParser, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every verb of the command, with those below it."""
    yield before
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from _verbs(below, (*before, name))


HELPS = [(*verb, "--help") for verb in _verbs(build_parser("en"))]


def test_something_runs_every_verb_that_the_parser_knows() -> None:
    assert all(callable(handler_of(verb)) for verb in _choices(build_parser("en")))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_parser_of_one_verb_is_that_of_the_whole_command(language: str) -> None:
    whole = _choices(build_parser(language))
    for name, parser in whole.items():
        alone = _choices(build_parser(language, name))
        assert list(alone) == [name]
        below = [(_choices(each), each.format_help()) for each in (parser, alone[name])]
        assert below[0][1] == below[1][1]
        assert list(below[0][0]) == list(below[1][0])
    assert list(_choices(build_parser(language, "--lang"))) == list(whole)


def _choices(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = [one.choices for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return dict(found[0]) if found else {}


@pytest.mark.parametrize("arguments", [("--version",), ("lint", "--version"), ("doctor",), *HELPS], ids=" ".join)
def test_asking_for_help_is_no_mistake(looking: Command, arguments: tuple[str, ...]) -> None:
    ended = looking(*arguments)
    assert ended.status == 0
    assert ended.out
    assert ended.err == ""


@pytest.mark.parametrize("verb", [(), ("run",), ("rules", "explain")], ids=str)
def test_help_is_asked_for_with_a_word_as_well(looking: Command, verb: tuple[str, ...]) -> None:
    assert looking("help", *verb).out == looking(*verb, "--help").out != ""
    assert looking("--lang", "zh", "help", *verb).out == looking("--lang=zh", *verb, "--help").out


def test_a_home_in_which_nothing_can_be_written_is_no_good_one(command: Command) -> None:
    (command.folder / "taken").write_text("", "utf-8")
    ended = command("doctor", "--home", str(command.folder / "taken" / "runs"))
    assert ended.status == 1
    assert "✗ runs would be kept in" in ended.out


def test_a_working_folder_that_is_gone_is_said(command: Command) -> None:
    ended = command.paste("mkdir gone && cd gone && rmdir ../gone && interpreter run x.yaml")
    assert ended.status == 2
    assert "the folder you are in is gone" in ended.err
    assert "Traceback" not in ended.err

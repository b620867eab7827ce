"""The adapter `command` with real programs: how arguments are written, what output means, how processes end."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.adapters.command.arguments import arguments_of, refuse_files
from interpreter.adapters.command.output import parsed, report_in
from interpreter.adapters.command.planning import call_of
from interpreter.adapters.command.settings import SETTINGS, read_settings
from interpreter.adapters.toolbox import trusted_with
from interpreter.adapters.waiting import LONGEST
from interpreter.check.profiles import ADAPTER_SETTINGS
from interpreter.documents import load_profile
from interpreter.ports import ToolFailure
from rules.values import canonical_text
from tests.unit.command_kit import answer, asked, box, failed, opened, plans_of, python, script, wait_until
from tests.unit.test_toolbox import Text

SECRET = "sk-never-to-be-seen-4711"


# --- arguments --------------------------------------------------------------------------------------------------------


def words(argv: str, **arguments: Any) -> list[str]:
    """Return what a program is given for an `argv` and arguments; nothing is started."""
    text = f"""\
profile: here
settings: {{x: {{type: string, default: set}}}}
tools:
  desk.read: {{adapter: command, settings: {{program: p}}, request: {{argv: {argv}}}}}
"""
    profile, found = load_profile(Path("profiles/here.yaml"), Text(text))
    assert profile is not None
    assert found == [], [one.message.en for one in found]
    call, refused = call_of(profile.tools[0])
    assert call is not None, [one.message.en for one in refused]
    return arguments_of(call.argv, {**arguments, "settings": {"x": "set"}, "idempotency_key": "key-1"})


FORMS: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("literals", "[drive, +search, -l, '@file']", {}, ["drive", "+search", "-l", "@file"]),
    ("a number and a boolean", "[1, true]", {}, ["1", "true"]),
    ("a text with a hole", "['{{ id }}']", {"id": "a b"}, ["a b"]),
    ("a flag and its value", "[{flag: --id, value: '{{ id }}'}]", {"id": "x"}, ["--id=x"]),
    ("a value that looks like a flag", "[{flag: --id, value: '{{ id }}'}]", {"id": "--yes"}, ["--id=--yes"]),
    ("written by hand with =", "['--id={{ id }}']", {"id": "--yes"}, ["--id=--yes"]),
    ("after --", "[--, '{{ id }}']", {"id": "-rf"}, ["--", "-rf"]),
    ("flag and value apart", "[{flag: -q, value: '{{ id }}', apart: true}]", {"id": "x"}, ["-q", "x"]),
    ("an empty value stays", "[{flag: --id, value: '{{ id }}'}]", {"id": ""}, ["--id="]),
    ("a list repeats its flag", "[{flag: --id, value: '{{ ids }}'}]", {"ids": ["a", "-b"]}, ["--id=a", "--id=-b"]),
    ("an empty list is nothing", "[{flag: --id, value: '{{ ids }}'}]", {"ids": []}, []),
    ("a list as JSON", "[{flag: --id, json: '{{ ids }}'}]", {"ids": ["a", 1, None]}, ['--id=["a",1,null]']),
    (
        "JSON leaves out what is absent",
        "[{flag: --j, json: {a: '{{ id }}', b: '{{ no | default(absent) }}'}}]",
        {"id": "@x"},
        ['--j={"a":"@x"}'],
    ),
    ("absent leaves out the flag", "[{flag: --id, value: '{{ id | default(absent) }}'}]", {}, []),
    ("absent leaves out a text", "['{{ id | default(absent) }}']", {}, []),
    ("a flag where something holds", "[{flag: --yes, when: '{{ id == 1 }}'}]", {"id": 1}, ["--yes"]),
    (
        "and not where it does not",
        "[{flag: --yes, when: '{{ id == 1 }}'}, {flag: --no, value: a, when: '{{ id == 1 }}'}]",
        {"id": 2},
        [],
    ),
    ("numbers keep their digits", "[{flag: --n, value: '{{ id }}'}]", {"id": 10**20}, [f"--n={10**20}"]),
    (
        "a setting is the author's",
        "['{{ settings.x }}', {flag: --file_file, value: '{{ settings.x }}'}]",
        {},
        ["set", "--file_file=set"],
    ),
    (
        "an address of a person",
        "[{flag: --to, value: '{{ id }}'}, 'x={{ id }}']",
        {"id": "a.b@c.example"},
        ["--to=a.b@c.example", "x=a.b@c.example"],
    ),
    ("a sign between words", "[{flag: --text, value: 'to {{ id }}'}]", {"id": "@you <me>"}, ["--text=to @you <me>"]),
    ("a tag", "[{flag: --text, value: '{{ id }}'}, '{{ id }}']", {"id": "<b>x</b>"}, ["--text=<b>x</b>", "<b>x</b>"]),
    ("the idempotency key", "[{flag: --key, value: '{{ idempotency_key }}'}]", {}, ["--key=key-1"]),
    ("shell signs are only signs", "['{{ id }}']", {"id": "$(reboot); `x` | y > z"}, ["$(reboot); `x` | y > z"]),
    ("markup is only text", "['{{ id }}']", {"id": "{{ settings.x }}"}, ["{{ settings.x }}"]),
]


@pytest.mark.parametrize(("why", "argv", "arguments", "expected"), FORMS, ids=[row[0] for row in FORMS])
def test_an_argument_is_written_as_declared(
    why: str, argv: str, arguments: dict[str, Any], expected: list[str]
) -> None:
    assert words(argv, **arguments) == expected


HOSTILE: list[tuple[str, str, dict[str, Any]]] = [
    ("a flag from data", "['{{ id }}']", {"id": "--yes"}),
    ("a single dash", "['{{ id }}']", {"id": "-"}),
    ("the end of options from data does not count", "['{{ a }}', '{{ id }}']", {"a": "x", "id": "--"}),
    ("a flag apart", "[{flag: -q, value: '{{ id }}', apart: true}]", {"id": "-x"}),
    ("a file", "['{{ id }}']", {"id": "@/etc/passwd"}),
    ("a file after a flag", "[{flag: --id, value: '{{ id }}'}]", {"id": "@/etc/passwd"}),
    ("a file in a list", "[{flag: --id, value: '{{ id }}'}]", {"id": ["a", "@b"]}),
    ("a file after =", "['--id={{ id }}']", {"id": "@/etc/passwd"}),
    ("a file after --", "[--, '{{ id }}']", {"id": "@/etc/passwd"}),
    ("a parameter that names a file", "[{flag: --j, json: '{{ id }}'}]", {"id": {"image_file": "/etc/passwd"}}),
    ("the arguments file", "[{flag: --j, json: '{{ id }}'}]", {"id": {"a": [{"__args_file": "/etc/passwd"}]}}),
    ("spelt with a dash", "[{flag: --j, json: '{{ id }}'}]", {"id": {"Args-File": "x"}}),
    ("a file as the value of a field", "[{flag: -F, value: 'file={{ id }}', apart: true}]", {"id": "@/etc/passwd"}),
    ("its content", "[{flag: --form, value: 'file={{ id }}'}]", {"id": "</etc/passwd"}),
    ("written by hand", "['--form=file={{ id }}']", {"id": "</etc/passwd"}),
    ("after a comma", "['a,{{ id }}']", {"id": "@b"}),
    ("after a colon", "[{flag: -H, value: 'x:{{ id }}', apart: true}]", {"id": "@b"}),
    ("in the second hole", "[{flag: -F, value: '{{ a }}={{ id }}', apart: true}]", {"a": "file", "id": "@b"}),
    ("across two holes", "[{flag: -F, value: 'x{{ a }}{{ id }}', apart: true}]", {"a": "=", "id": "@b"}),
    ("the whole form from data", "[{flag: -F, value: '{{ id }}', apart: true}]", {"id": "file=@/etc/passwd"}),
    ("the whole form, its content", "[{flag: --form, value: '{{ id }}'}]", {"id": "file=</etc/passwd"}),
    ("as JSON of another program", "['{{ id }}']", {"id": "file:=@/etc/passwd"}),
    ("a name and a path", "[{flag: --data-urlencode, value: '{{ id }}'}]", {"id": "name@/etc/passwd"}),
    ("the same by hand", "['--x={{ id }}']", {"id": "name@/etc/passwd"}),
    ("in a list, as a form", "[{flag: -F, value: '{{ id }}'}]", {"id": ["a=b", "c=@d"]}),
    ("a null character", "[{flag: --id, value: '{{ id }}'}]", {"id": "a\0b"}),
    ("half a character", "[{flag: --id, value: '{{ id }}'}]", {"id": "\ud800"}),
    ("more than the system takes", "[{flag: --id, value: '{{ id }}'}]", {"id": "a" * 200_000}),
    ("a list without a flag", "['{{ id }}']", {"id": ["a"]}),
]


@pytest.mark.parametrize(("why", "argv", "arguments"), HOSTILE, ids=[row[0] for row in HOSTILE])
def test_a_hostile_value_is_refused_in_words(why: str, argv: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolFailure) as refused:
        words(argv, **arguments)
    assert refused.value.code == "argument_refused"
    assert refused.value.details["message"]["zh"]


def test_what_cannot_be_written_is_a_failure_with_its_place() -> None:
    for argv, arguments in (("['{{ nothing }}']", {}), ("[{flag: --a, value: '{{ id }}'}]", {"id": None})):
        with pytest.raises(ToolFailure) as refused:
            words(argv, **arguments)
        assert refused.value.code == "request_not_made"


@given(st.text(max_size=20), st.lists(st.text(max_size=6), max_size=3))
def test_no_value_becomes_another_argument_or_flag(value: str, values: list[str]) -> None:
    flags = "{flag: --a, value: '{{ id }}'}, {flag: --b, value: '{{ ids }}'}, {flag: --c, json: '{{ ids }}'}"
    argv = f"[go, {flags}, '{{{{ id }}}}', --, '{{{{ id }}}}']"
    try:
        made = words(argv, id=value, ids=values)
    except ToolFailure:
        return
    assert len(made) == 6 + len(values)
    assert made[0] == "go"
    assert made[1] == f"--a={value}"
    assert [one.startswith("--b=") for one in made[2 : 2 + len(values)]] == [True] * len(values)
    assert not made[-3].startswith(("-", "@"))
    assert made[-2:] == ["--", value]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(JSON, st.sampled_from(["text_file", "__args_file", "IMAGE_FILE", "a-file"]))
def test_a_field_that_names_a_file_is_found_at_any_depth(value: Any, name: str) -> None:
    refuse_files(value)
    for hidden in ({name: value}, [value, [{name: 1}]], {"a": {"b": {name: value}}}):
        with pytest.raises(ToolFailure):
            refuse_files(hidden)


def test_settings_are_those_that_the_linter_knows() -> None:
    assert ADAPTER_SETTINGS["command"] == set(SETTINGS)


UNFIT = [
    {"program": ""},
    {"program": 7},
    {"program": "a", "environment": "HOME"},
    {"program": "a", "secrets": ["a b"]},
    {"program": "a", "output": "xml"},
    {"program": "a", "encoding": "no-such"},
    {"program": "a", "encoding": "zlib_codec"},
    {"program": "a", "encoding": "punycode"},
    {"program": "a", "largest_answer": 1},
    {"program": "a", "at_least": "new"},
    {"program": "a", "variables": {"a b": "c"}},
    {"program": "a", "version_from": []},
    {"program": "a", "skip_noise": 1},
    {},
    {"program": "a", "porgram": "b"},
]


@pytest.mark.parametrize("values", UNFIT, ids=str)
def test_settings_that_do_not_fit_are_findings(values: dict[str, Any]) -> None:
    settings, problems = read_settings(values)
    assert settings is None
    assert len(problems) == 1


# --- what it prints ---------------------------------------------------------------------------------------------------


DONE = "    success: exit == 0 and answer.ok == true\n    value: '{{ answer.data }}'\n"
#: The five outputs of case L01 of the bank, and what else a program may print.
OUTPUTS: list[tuple[str, str, Any]] = [
    ("success without a code", """echo '{"ok": true, "identity": "user", "data": {"guid": "g1"}}'""", {"guid": "g1"}),
    ("a code of 0 is not ok", """echo '{"code": 0, "msg": "ok", "data": {}}'""", "answer_unexpected"),
    ("ok: false and status 0", """echo '{"ok": false}'""", "not_successful"),
    (
        "an error on standard error",
        """echo '{"ok": false, "error": {"code": 99991672}}' >&2; exit 1""",
        "missing_scope",
    ),
    ("an error on standard output", """echo '{"ok": false, "error": {"code": 99991672}}'; exit 1""", "missing_scope"),
    ("nothing at all", "exit 0", "output_not_json"),
    ("nothing, and a status", "exit 3", "program_failed"),
    ("no JSON", "echo '<html>sign in</html>'", "output_not_json"),
    ("JSON that is cut", """printf '{"ok": true, "data": {"a": '""", "output_not_json"),
    ("two values", """echo '{"ok": true, "data": 1}{"ok": true}'""", "output_not_json"),
    ("NaN", """echo '{"ok": true, "data": NaN}'""", "output_not_json"),
    ("noise on standard error", """echo '{"a": 1}' >&2; echo '{"ok": true, "data": 7}'""", 7),
    ("noise before the JSON", """echo loading; echo '{"ok": true, "data": 7}'""", "output_not_json"),
    ("a byte order mark", """printf '\\357\\273\\277{"ok": true, "data": 7}'""", 7),
    ("another encoding", """printf '{"ok": true, "data": "\\312\\375"}'""", "output_not_text"),
    ("ended by a signal", "kill -9 $$", "program_failed"),
    ("a good answer and a bad status", """echo '{"ok": true, "data": 7}'; exit 9""", "program_failed"),
    ("a missing field", """echo '{"ok": true}'""", "answer_unexpected"),
    ("an exact number", """echo '{"ok": true, "data": 0.10000000000000000001}'""", "0.10000000000000000001"),
]
ERRORS = """\
    errors:
      - code: missing_scope
        when: (report.error.code | default(0)) == 99991672
        message: "{{ report.error.message }}"
"""


@pytest.mark.parametrize(("why", "text", "expected"), OUTPUTS, ids=[row[0] for row in OUTPUTS])
def test_success_is_what_the_profile_says_and_nothing_else(why: str, text: str, expected: Any, tmp_path: Path) -> None:
    toolbox = box(script(tmp_path, text), rest=DONE + ERRORS)
    if isinstance(expected, str) and "_" in expected:
        failure = failed(toolbox)
        assert failure.code == expected
        assert failure.details["message"]["zh"]
    else:
        value = answer(toolbox)
        assert (canonical_text(value) if isinstance(expected, str) else value) == expected


# what a program does ; the code ; what is told of it in its own words
SAID: list[tuple[str, str, str, str]] = [
    (
        "an error in its JSON",
        """echo '{"error": {"message": "q is long", "code": 77}}'; exit 1""",
        "program_failed",
        "q is long (77)",
    ),
    ("an error in words", "echo 'no such page' >&2; exit 2", "program_failed", "no such page"),
    ("words on the wrong side", "echo 'no such page'; exit 2", "program_failed", "no such page"),
    ("not done", """echo '{"ok": false, "msg": "page 2 is missing"}'""", "not_successful", "page 2 is missing"),
    ("not JSON", "echo 'Please update first'", "output_not_json", "Please update first"),
    ("not JSON, said beside it", "echo 'cannot print' >&2", "output_not_json", "cannot print"),
    ("a template", """echo '{"ok": false, "msg": "{{ settings.key }}"}'""", "not_successful", "{{ settings.key }}"),
    ("nothing", "exit 3", "program_failed", ""),
]


@pytest.mark.parametrize(("why", "text", "code", "words"), SAID, ids=[row[0] for row in SAID])
def test_what_a_program_says_itself_is_told(why: str, text: str, code: str, words: str, tmp_path: Path) -> None:
    failure = failed(box(script(tmp_path, text), rest="    success: answer.ok == true\n"))
    assert failure.code == code
    assert failure.message.partition("; in its own words: ")[2] == words
    assert failure.details["message"]["zh"].partition("；原话：")[2] == words


def test_other_forms_of_output(tmp_path: Path) -> None:
    lines = script(tmp_path, "echo '{\"a\": 1}'; echo; echo '{\"a\": 2}'", "lines")
    assert answer(box(lines, settings="output: json_lines")) == [{"a": 1}, {"a": 2}]
    assert answer(box(lines, settings="output: text")) == '{"a": 1}\n\n{"a": 2}\n'
    noisy = script(tmp_path, "echo loading; echo '[1]'; echo '{\"a\": 2}'", "noisy")
    assert answer(box(noisy, settings="skip_noise: true")) == {"a": 2}
    assert answer(box(noisy, settings="output: json_lines, skip_noise: true")) == [[1], {"a": 2}]
    chinese = script(tmp_path, 'printf \'{"a": "\\312\\375\\276\\335"}\'', "chinese")
    assert answer(box(chinese, settings="encoding: gb18030")) == {"a": "数据"}


def test_the_last_object_among_other_lines_is_the_report() -> None:
    noise = (
        'notice\n{not json}\n{"ok": false,\n "error": {"code": 1}}\n[{"in": "a list"}]\n  {"not": "at the margin"}\n'
    )
    assert report_in(noise) is None or report_in(noise) == {"ok": False, "error": {"code": 1}}
    assert report_in('{"a": {"b": 1}}\n{"c": 2}') == {"c": 2}
    assert report_in("") is None
    assert parsed('x\n{"a": 1}\ny', "json", skip_noise=True) == {"a": 1}


def test_an_error_may_ask_to_wait_and_carries_details(tmp_path: Path) -> None:
    rows = """\
    errors:
      - code: busy
        when: report.wait is present
        message: "{{ report.text }}"
        retry_after: "{{ report.wait }}"
        details: {scopes: "{{ report.scopes }}"}
"""
    text = """echo '{"wait": 7, "text": "later, please", "scopes": ["a"]}' >&2; exit 1"""
    failure = failed(box(script(tmp_path, text), rest=rows))
    assert (failure.code, failure.message, failure.retry_after) == ("busy", "later, please", 7.0)
    assert failure.details["scopes"] == ["a"]
    assert failure.details["exit"] == 1


@pytest.mark.parametrize(
    ("wait", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ('"30"', 30.0),
        ("0", 0.0),
        ("-1", None),
        ('"-1"', None),
        ("9" * 30, LONGEST),
        ("1e400", None),
        ('"' + "9" * 300 + '"', LONGEST),
        ('"nan"', None),
        ('"inf"', None),
        ('"' + "9" * 3000 + '"', None),
        ("true", None),
        ("[7]", None),
    ],
)
def test_what_a_program_says_of_waiting_is_a_time_or_nothing(tmp_path: Path, wait: str, seconds: float | None) -> None:
    rows = "    errors: [{code: busy, retry_after: '{{ report.wait }}'}]\n"
    failure = failed(box(script(tmp_path, f"""echo '{{"wait": {wait}}}' >&2; exit 1"""), rest=rows))
    assert (failure.code, failure.retry_after) == ("busy", seconds)


TRUST: list[tuple[str, str, str]] = [
    ("a word of the command", "['{{ settings.x }}']", ""),
    ("a flag of it", "[{flag: --to, value: '{{ settings.x }}'}]", ""),
    ("the folder", "[]", "folder: '/srv/{{ settings.x }}'"),
    ("a variable", "[]", "variables: {QUIET: '{{ settings.x }}'}"),
]


@pytest.mark.parametrize(("why", "argv", "settings"), TRUST, ids=[row[0] for row in TRUST])
def test_whatever_settings_make_of_a_command_is_part_of_what_is_trusted(why: str, argv: str, settings: str) -> None:
    trusted = [trusted_with(plans_of("clerk", argv, settings, given={"x": x})[0]) for x in ("a", "a", "b")]
    assert trusted[0] == trusted[1] != trusted[2]


def test_standard_input_is_text_or_json_and_names_no_file_from_data(tmp_path: Path) -> None:
    cat = script(tmp_path, "cat")
    assert answer(_with_stdin(cat, "'{{ id }}'", "output: text"), id="数据") == "数据"
    assert answer(_with_stdin(cat, "{a: '{{ id }}', b: '{{ no | default(absent) }}'}"), id=["x"]) == {"a": ["x"]}
    assert failed(_with_stdin(cat, "{a: '{{ id }}'}"), id={"x_file": "y"}).code == "argument_refused"
    many = {"a": ["数" * 1000] * 2000}
    assert answer(_with_stdin(cat, "'{{ id }}'"), id=many) == many


def _with_stdin(program: str, stdin: str, settings: str = "") -> Any:
    return box(program, f"[], stdin: {stdin}", settings)


def test_a_program_that_does_not_read_its_input_is_no_failure(tmp_path: Path) -> None:
    assert answer(_with_stdin(script(tmp_path, "exec 0<&-; echo '[1]'"), "'{{ id }}'"), id="x" * 1_000_000) == [1]


# --- the environment --------------------------------------------------------------------------------------------------


def test_a_program_is_given_what_is_named_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAMED", "given")
    monkeypatch.setenv("OTHER", "kept")
    monkeypatch.setenv("TOKEN_OF_IT", SECRET)
    text = "import os, json; print(json.dumps(dict(os.environ)))"
    toolbox = box(
        python(tmp_path, text),
        settings="environment: [NAMED, NOT_THERE], secrets: [TOKEN_OF_IT], variables: {QUIET: '1'}",
    )
    seen = answer(toolbox)
    assert sorted(set(seen) - {"LC_CTYPE", "PWD"}) == ["LANG", "NAMED", "PATH", "QUIET", "TOKEN_OF_IT"]
    assert seen["TOKEN_OF_IT"] == "•••"
    assert seen["NAMED"] == "given"


def test_a_secret_is_masked_wherever_the_program_repeats_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_IT", SECRET)
    escaped = "".join(f"\\\\u{ord(mark):04x}" for mark in SECRET)
    fields = f"""{{\\"plain\\": \\"$TOKEN_OF_IT\\", \\"escaped\\": \\"{escaped}\\", \\"$TOKEN_OF_IT\\": 1}}"""
    text = f"""echo "{fields}"; echo "bad token $TOKEN_OF_IT" >&2"""
    settings = "secrets: [TOKEN_OF_IT]"
    value = answer(
        box(
            script(tmp_path, text),
            settings=settings,
            rest="    value: {a: '{{ answer }}', out: '{{ stdout }}', err: '{{ stderr }}'}\n",
        )
    )
    assert SECRET not in str(value)
    failure = failed(box(script(tmp_path, text + "; exit 1", "bad"), settings=settings))
    assert SECRET not in str((failure.message, failure.details))
    assert SECRET[:8] not in failure.message
    rows = "    errors: [{code: x, message: '{{ stderr }}', details: {all: '{{ answer }}'}}]\n"
    failure = failed(box(script(tmp_path, text, "row"), settings=settings, rest=rows))
    assert SECRET not in str((failure.message, failure.details))


@pytest.mark.parametrize("secret", ["clé-d'été", "two words", "密码😀一二三"])
def test_a_program_is_given_a_secret_in_any_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv("TOKEN_OF_IT", secret)
    text = (
        "import os, json; t = os.environ['TOKEN_OF_IT']; print(json.dumps({'all': t, 'signs': len(t), 'again': [t]}))"
    )
    assert answer(box(python(tmp_path, text), settings="secrets: [TOKEN_OF_IT], variables: {PYTHONUTF8: '1'}")) == {
        "all": "•••",
        "signs": len(secret),
        "again": ["•••"],
    }


@pytest.mark.parametrize("secret", ["a\nb", "a\x1bb", "a\x85b"])
def test_a_secret_of_several_lines_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    monkeypatch.setenv("TOKEN_OF_IT", secret)
    toolbox, found = opened(script(tmp_path, "echo 1"), settings="secrets: [TOKEN_OF_IT]")
    assert toolbox is None
    assert [one.code for one in found] == ["tool/key-unfit"]


def test_a_missing_secret_is_a_finding_that_names_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOKEN_OF_IT", raising=False)
    toolbox, found = opened(script(tmp_path, "echo 1"), settings="secrets: [TOKEN_OF_IT]")
    assert toolbox is None
    assert [one.code for one in found] == ["tool/key-missing"]


def test_a_program_runs_in_the_folder_that_the_profile_names(tmp_path: Path) -> None:
    pwd = script(tmp_path, "pwd")
    assert answer(box(pwd, settings="output: text")) == "/\n"
    assert answer(box(pwd, settings=f"output: text, folder: {tmp_path}")) == f"{tmp_path}\n"
    assert failed(box(pwd, settings=f"folder: {tmp_path}/gone")).code == "program_folder_missing"


def test_a_folder_of_the_search_path_that_stands_nowhere_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, "echo 1", "only-here")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert failed(box("only-here")).code == "program_missing"
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert answer(box("only-here")) == 1


# --- programs that are not as they should be --------------------------------------------------------------------------


def test_a_program_that_cannot_be_started_says_what_to_do(tmp_path: Path) -> None:
    assert failed(box("no-such-program")).code == "program_missing"
    assert failed(box(str(tmp_path / "none"))).code == "program_missing"
    plain = tmp_path / "plain"
    plain.write_text("echo")
    assert failed(box(str(plain))).code == "program_not_executable"
    orphan = tmp_path / "orphan"
    orphan.write_text("#!/no/such/interpreter\n")
    orphan.chmod(0o755)
    assert failed(box(str(orphan))).code == "program_not_executable"
    empty = tmp_path / "broken"
    empty.write_bytes(b"\x7fELFbroken")
    empty.chmod(0o755)
    assert failed(box(str(empty))).code == "program_not_executable"
    for failure in (failed(box("no-such-program")), failed(box(str(plain)))):
        assert failure.details["message"]["zh"] != failure.details["message"]["en"]


VERSIONS = [
    ("tool 1.2.10", "1.2.9", True),
    ("v1.2", "1.2", True),
    ("1.10.0", "1.9", True),
    ("1.2.3", "1.10", False),
    ("none", "1.0", False),
]


@pytest.mark.parametrize(("told", "wanted", "fits"), VERSIONS)
def test_a_version_is_asked_for_once_and_compared(told: str, wanted: str, fits: bool, tmp_path: Path) -> None:
    text = f'echo "$1" >> {tmp_path}/calls; [ "$1" = --version ] && echo "{told}" && exit; echo 1'
    toolbox = box(script(tmp_path, text), "[go]", f"version_from: [--version], at_least: '{wanted}'")
    if not fits:
        assert failed(toolbox).code == "program_too_old"
        return
    assert [answer(toolbox), answer(toolbox)] == [1, 1]
    assert (tmp_path / "calls").read_text().split() == ["--version", "go", "go"]


def test_output_has_a_bound(tmp_path: Path) -> None:
    started = time.monotonic()
    assert failed(box(script(tmp_path, "yes & wait"), settings="largest_answer: 100000")).code == "answer_too_large"
    assert time.monotonic() - started < 10


def test_much_on_standard_error_ends_no_program_and_its_end_is_kept(tmp_path: Path) -> None:
    flood = "yes warning | head -c 3000000 >&2; echo '{\"code\": 7}' >&2; echo '[1]'"
    assert answer(box(script(tmp_path, flood))) == [1]
    rows = "    errors: [{code: busy, when: report.code == 7, details: {size: '{{ stderr | length }}'}}]\n"
    failure = failed(box(script(tmp_path, f"{flood}; exit 1", "bad"), settings="largest_errors: 5000", rest=rows))
    assert (failure.code, failure.details["size"]) == ("busy", 5000)


def test_a_secret_that_the_bound_of_standard_error_would_cut_is_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_OF_IT", SECRET)
    rows = "    errors: [{code: busy, details: {all: '{{ stderr }}'}}]\n"
    for cut in (3, 12, len(SECRET) - 3):
        text = f'printf "%0{5000}d$TOKEN_OF_IT%0{5000 - cut}d" 0 0 >&2; exit 1'
        settings = "secrets: [TOKEN_OF_IT], largest_errors: 5000"
        told = failed(box(script(tmp_path, text, f"p{cut}"), settings=settings, rest=rows)).details["all"]
        assert len(told) == 5000
        assert set(told) <= {"0", "•"}


# --- output that is not whole -----------------------------------------------------------------------------------------

LATER = """(sleep 0.8; echo '{"id": 2}') & echo '{"id": 1}'"""


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("output: json_lines", [{"id": 1}, {"id": 2}]),
        ("output: text", '{"id": 1}\n{"id": 2}\n'),
        ("skip_noise: true", {"id": 2}),
        ("output: json", {"id": 1}),
    ],
)
def test_what_a_child_still_writes_belongs_to_an_answer_that_more_may_come_to(
    tmp_path: Path, settings: str, expected: Any
) -> None:
    assert answer(box(script(tmp_path, LATER), settings=settings)) == expected


@pytest.mark.parametrize("settings", ["output: json_lines", "output: text", "skip_noise: true"])
def test_output_that_stays_open_is_no_answer(tmp_path: Path, settings: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interpreter.adapters.command.process.GRACE", 0.2)
    toolbox = box(script(tmp_path, "sleep 600 & echo '{\"id\": 1}'"), settings=settings)
    with pytest.raises(TimeoutError):
        asyncio.run(asked(toolbox, timeout=1.0))


def test_a_program_that_leaves_one_behind_which_holds_nothing_answers_at_once(tmp_path: Path) -> None:
    text = f"sleep 600 >/dev/null 2>&1 & echo $! > {tmp_path}/pids; echo '{{\"id\": 1}}'"
    for number, settings in enumerate(("output: json_lines", "output: text", "skip_noise: true")):
        started = time.monotonic()
        assert answer(box(script(tmp_path, text, f"p{number}"), settings=settings))
        assert time.monotonic() - started < 5
        for child in children_of(tmp_path):
            os.kill(child, signal.SIGKILL)


def test_a_program_that_was_ended_in_the_middle_proves_nothing(tmp_path: Path) -> None:
    rows = "    errors: [{code: never_done, when: report.code == 1}]\n"
    text = "echo '{\"code\": 1}' >&2;"
    assert failed(box(script(tmp_path, f"{text} exit 1"), rest=rows)).is_unsure is False
    assert failed(box(script(tmp_path, f"{text} kill -9 $$", "ended"), rest=rows)).is_unsure is True


@pytest.mark.parametrize(
    ("condition", "is_unsure"),
    [("sent.query is absent", True), ("exit == 9", False), ("report.nothing.at.all == 1", True), ("exit == 1", True)],
)
def test_a_profile_may_take_back_that_nothing_happened(tmp_path: Path, condition: str, is_unsure: bool) -> None:
    rows = f"    unsure_when: {condition}\n    errors: [{{code: rate_limited}}]\n"
    assert failed(box(script(tmp_path, "exit 1"), rest=rows)).is_unsure is is_unsure


def test_both_sides_are_read_at_once(tmp_path: Path) -> None:
    text = """\
import sys
for _ in range(40):
    sys.stderr.write('e' * 1000)
    sys.stdout.write(' ' * 20000)
sys.stdout.write('[1]')
"""
    assert answer(box(python(tmp_path, text))) == [1]


# --- how processes end ------------------------------------------------------------------------------------------------


def is_running(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


def children_of(folder: Path) -> list[int]:
    file = folder / "pids"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


SLEEPERS = {
    "one that ends when asked": "sleep 600 & echo $! >> {folder}/pids; echo $$ >> {folder}/pids; wait",
    "one that does not": (
        "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >> {folder}/pids; while :; do sleep 600; done' & "
        "echo $$ >> {folder}/pids; while :; do sleep 600; done"
    ),
}


@pytest.mark.parametrize("text", SLEEPERS.values(), ids=list(SLEEPERS))
def test_a_time_out_ends_the_program_and_its_children(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interpreter.adapters.command.process.GRACE", 0.2)
    toolbox = box(script(tmp_path, text.replace("{folder}", str(tmp_path))))

    async def run() -> None:
        task = asyncio.ensure_future(asked(toolbox, timeout=None))
        while len(children_of(tmp_path)) < 2:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert wait_until(lambda: not any(map(is_running, children_of(tmp_path))))


def test_a_call_has_the_time_that_its_request_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interpreter.adapters.command.process.GRACE", 0.2)
    toolbox = box(script(tmp_path, "exec sleep 600"))
    with pytest.raises(TimeoutError):
        asyncio.run(asked(toolbox, timeout=0.05))


def test_what_a_program_leaves_behind_is_not_waited_for(tmp_path: Path) -> None:
    text = f"sleep 600 & echo $! > {tmp_path}/pids; echo '[1]'"
    started = time.monotonic()
    assert answer(box(script(tmp_path, text))) == [1]
    assert time.monotonic() - started < 10
    for number in children_of(tmp_path):
        assert is_running(number)
        os.kill(number, signal.SIGKILL)


def test_calls_overlap(tmp_path: Path) -> None:
    """Each waits for the other one: none would end alone."""
    text = f"echo x >> {tmp_path}/here; while [ $(wc -l < {tmp_path}/here) -lt 3 ]; do sleep 0.01; done; echo 1"
    toolbox = box(script(tmp_path, text))

    async def run() -> list[Any]:
        return await asyncio.gather(*(asked(toolbox) for _ in range(3)))

    assert asyncio.run(run()) == [1, 1, 1]


def _calls_leave_nothing_behind(toolbox: Any, times: int) -> None:
    async def run() -> None:
        await asked(toolbox)
        gc.collect()
        before = len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks()), _children()
        for _ in range(times):
            await asked(toolbox)
        gc.collect()
        assert (len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks()), _children()) == before

    asyncio.run(run())


def _children() -> set[int]:
    """Return the processes that this one started and has not reaped."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(entry.read_text("utf-8").rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(entry.parent.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_calls_leave_no_process_file_or_task_behind(tmp_path: Path) -> None:
    _calls_leave_nothing_behind(box(script(tmp_path, "echo 1")), 50)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_thousand_calls_leave_nothing_behind(tmp_path: Path) -> None:
    _calls_leave_nothing_behind(box(script(tmp_path, "echo 1")), 1000)


def test_a_cancel_at_any_moment_of_the_start_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interpreter.adapters.command.process.GRACE", 0.2)
    text = f"sleep 600 & echo $! >> {tmp_path}/pids; echo $$ >> {tmp_path}/pids; wait"
    toolbox = box(script(tmp_path, text))

    async def run() -> None:
        for turns in range(10):
            task = asyncio.ensure_future(asked(toolbox))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())
    assert wait_until(lambda: not any(map(is_running, children_of(tmp_path))))


# --- programs that run code, or start others --------------------------------------------------------------------------

RUN: list[tuple[str, str, str]] = [
    ("bash", "[-c, ': {{ id }}']", ""),
    ("bash", "[-lc, ': {{ id }}']", ""),
    ("/usr/bin/bash", "[-ec, ': {{ id }}']", ""),
    ("bash", "[-o, pipefail, -c, ': {{ id }}']", ""),
    ("sh", "[{flag: -lc, value: '{{ id }}', apart: true}]", ""),
    ("bash5.2", "['{{ id }}']", ""),
    ("sh", "[]", "'{{ id }}'"),
    ("sh", "[-s, x]", "'{{ id }}'"),
    ("bash", "[/dev/stdin]", "'{{ id }}'"),
    ("bash", "[--rcfile, x.sh, '{{ id }}']", ""),
    ("env", "[python3, -c, '{{ id }}']", ""),
    ("env", "['{{ id }}']", ""),
    ("env", "['PATH={{ id }}', helper.sh]", ""),
    ("env", "['A={{ id }}', printenv, A]", ""),
    ("env", "[{flag: --split-string, value: '{{ id }}'}]", ""),
    ("env", "[-S, 'sh -x', '{{ id }}']", ""),
    ("env", "[-u, A, '{{ id }}']", ""),
    ("env", "[{value: ls, when: '{{ id == 1 }}'}, '{{ id }}']", ""),
    ("env", "[nice, -n, 5, sudo, -u, bob, '{{ id }}']", ""),
    ("env", "[-, nohup, perl, -le, '{{ id }}']", ""),
    ("timeout", "[5, '{{ id }}']", ""),
    ("timeout", "[-s, KILL, '{{ id }}']", ""),
    ("nice", "[-n, 5, '{{ id }}']", ""),
    ("sudo", "['{{ id }}']", ""),
    ("xargs", "['-I{}', sh, -c, 'echo {}']", "'{{ id }}'"),
    ("xargs", "[rm]", "'{{ id }}'"),
    ("ssh", "[host, ls, '{{ id }}']", ""),
    ("busybox", "[sh, '{{ id }}']", ""),
    ("busybox", "[awk, '{{ id }}']", ""),
    ("npx", "['{{ id }}']", ""),
    ("python3", "[-Ic, '{{ id }}']", ""),
    ("python3.11", "['-c{{ id }}']", ""),
    ("python3", "[-W, ignore, '{{ id }}']", ""),
    ("python3", "[-m, timeit, '{{ id }}']", ""),
    ("python3", "[-m, '{{ id }}']", ""),
    ("python3", "['-']", "'{{ id }}'"),
    ("python3", "[]", "{a: '{{ id }}'}"),
    ("perl", "[-le, '{{ id }}']", ""),
    ("perl", "[-ne, 'print', '{{ id }}']", ""),
    ("ruby", "[-ne, '{{ id }}']", ""),
    ("node", "[{flag: --eval, value: '{{ id }}'}]", ""),
    ("node", "[--require, '{{ id }}', a.js]", ""),
    ("php", "[-r, '{{ id }}']", ""),
    ("awk", "['{{ id }}']", ""),
    ("gawk", "['BEGIN { {{ id }} }']", ""),
    ("awk", "[-v, 'x={{ id }}', '{ print }']", ""),
    ("sed", "['s/a/{{ id }}/e']", ""),
    ("sed", "[-e, '{{ id }}']", ""),
    ("sed", "['s/a/b/', {flag: -e, value: '{{ id }}', apart: true}]", ""),
    ("jq", "['{{ id }}']", ""),
    ("find", "[., -exec, '{{ id }}', ';']", ""),
    ("find", "[., -exec, sh, '{{ id }}', ';']", ""),
    ("find", "[., -execdir, ls, '-l', '{{ id }}', ';']", ""),
    ("git", "[{flag: -c, value: '{{ id }}', apart: true}, x]", ""),
    ("git", "[-c, '{{ id }}', log]", ""),
    ("git", "['{{ id }}']", ""),
    ("git", "[clone, {flag: --upload-pack, value: '{{ id }}'}, x]", ""),
    ("tar", "[cf, /dev/null, {flag: --checkpoint-action, value: '{{ id }}'}, --checkpoint=1, /etc/hostname]", ""),
    ("tar", "[-cf, x.tar, -I, '{{ id }}', b]", ""),
    ("tar", "['{{ id }}']", ""),
    ("make", "['{{ id }}']", ""),
    ("make", "[all, 'X={{ id }}']", ""),
    ("docker", "[run, image, '{{ id }}']", ""),
    ("sqlite3", "[a.db]", "'{{ id }}'"),
    ("rsync", "[{flag: --rsh, value: '{{ id }}'}, a, b]", ""),
    ("clerk", "[{flag: --exec, value: '{{ id }}'}]", ""),
    ("perl", "[-e, 'print', {flag: -e, value: '{{ id }}', apart: true}]", ""),
    ("ruby", "[-e, 'p 1', -e, '{{ id }}']", ""),
    ("node", "[-e, '1', {flag: --require, value: '{{ id }}'}]", ""),
    ("php", "[-r, 'echo 1;', -d, '{{ id }}']", ""),
    ("sh", "[-e, '-']", "'{{ id }}'"),
    ("sh", "[-e, -s]", "'{{ id }}'"),
    ("sed", "[-r, -n, '{{ id }}']", ""),
    ("sed", "['s/a/b/', -e, '{{ settings.x }}', '{{ id }}']", ""),
    ("sed", "['s/a/b/', '{{ settings.x }}', '{{ id }}']", ""),
    ("sed", "['s/a/b/', -e, {value: p, when: '{{ id == 1 }}'}, '{{ id }}']", ""),
    ("jq", "[-r, -c, '{{ id }}']", ""),
    ("jq", "[.a, -f, '{{ id }}']", ""),
    ("m4", "['{{ id }}']", ""),
    ("/usr/bin/sqlite3", "[a.db, '{{ id }}']", ""),
    ("git", "[bisect, run, '{{ id }}']", ""),
    ("git", "[submodule, foreach, '{{ id }}']", ""),
    ("git", "[config, core.pager, '{{ id }}']", ""),
    ("git", "[an-alias, '{{ id }}']", ""),
    ("git", "[grep, '-O{{ id }}', x]", ""),
    ("tar", "[cfI, x.tar, '{{ id }}', b]", ""),
    ("tar", "[-cf, x.tar, -T, '-']", "'{{ id }}'"),
    ("sftp", "[host]", "'{{ id }}'"),
    ("erl", "[x, -run, '{{ id }}']", ""),
    ("ipython", "[run.py, {flag: --InteractiveShellApp.exec_lines, value: '{{ id }}'}]", ""),
    ("python3", "[-m, IPython, '{{ id }}']", ""),
    ("python3", "[-m, asyncio]", "'{{ id }}'"),
    ("timeout", "[5, sh, -e, '-']", "'{{ id }}'"),
    ("rg", "[{flag: --pre, value: '{{ id }}'}, x]", ""),
    ("env", "['{{ settings.x }}']", ""),
    ("python3", "['{{ settings.x }}']", ""),
]


@pytest.mark.parametrize(("program", "argv", "stdin"), RUN, ids=[f"{row[0]} {row[1]} < {row[2]}" for row in RUN])
def test_data_is_never_given_where_a_program_may_run_it(program: str, argv: str, stdin: str) -> None:
    toolbox, found = opened(program, f"{argv}, stdin: {stdin}" if stdin else argv)
    assert toolbox is None
    assert {one.code for one in found} & {"tool/data-as-code", "tool/command-through-shell", "tool/data-as-flag"}, found


GOOD: list[tuple[str, str, str]] = [
    ("clerk", "[go, {flag: --id, value: '{{ id }}'}, '{{ id }}']", "{a: '{{ id }}'}"),
    ("sh", "[script.sh, '{{ id }}']", "'{{ id }}'"),
    ("bash", "[-eu, script.sh, -c, -lc, {flag: --id, value: '{{ id }}'}]", ""),
    ("env", "[-i, A=1, python3, -I, run.py, '{{ id }}']", "'{{ id }}'"),
    ("env", "[clerk, '{{ id }}']", "'{{ id }}'"),
    ("nice", "[-n, 5, timeout, --signal=KILL, 30s, clerk, {flag: --id, value: '{{ id }}'}]", ""),
    ("python3", "[-c, 'import sys', '{{ id }}']", "'{{ id }}'"),
    ("python3", "[-I, -m, clerk, '{{ id }}']", ""),
    ("node", "[--no-warnings, run.js, {flag: --id, value: '{{ id }}'}]", ""),
    ("jq", "[-r, .items, '--', '{{ id }}']", "'{{ id }}'"),
    ("jq", "[.items]", "{a: '{{ id }}'}"),
    ("awk", "['{ print $1 }', '{{ id }}']", ""),
    ("find", "['{{ id }}', -name, '{{ id }}']", ""),
    ("git", "[commit, {flag: --message, value: '{{ id }}'}, --, '{{ id }}']", ""),
    ("git", "[log, --, '{{ id }}']", ""),
    ("git", "[--no-pager, show, '{{ id }}']", ""),
    ("python", "[script.py, {flag: --name, value: '{{ id }}'}]", ""),
    ("python3", "[script.py, '--name={{ id }}', {flag: -e, value: '{{ id }}', apart: true}]", "'{{ id }}'"),
    ("node", "[tool.js, --, '{{ id }}']", ""),
    ("perl", "[-e, 'print @ARGV', --, '{{ id }}']", ""),
    ("sh", "[-e, run.sh, {flag: --id, value: '{{ id }}'}]", "'{{ id }}'"),
    ("jq", "[.name]", "'{{ id }}'"),
    ("jq", "[-r, .items, --arg, it, '{{ id }}']", ""),
    ("lark-cli", "[drive, +search, {flag: --query, value: '{{ id }}'}]", "{a: '{{ id }}'}"),
    ("sudo", "[-n, clerk, '{{ settings.x }}', '{{ id }}']", ""),
    ("git", "[-C, '{{ settings.x }}', log]", ""),
    ("busybox", "[tar, -c, b]", ""),
    ("env", "[-S, 'sh -x']", ""),
]


@pytest.mark.parametrize(("program", "argv", "stdin"), GOOD, ids=[f"{row[0]} {row[1]}" for row in GOOD])
def test_data_behind_a_script_that_is_written_out_is_given(program: str, argv: str, stdin: str) -> None:
    toolbox, found = opened(program, f"{argv}, stdin: {stdin}" if stdin else argv)
    assert toolbox is not None, [(one.code, one.message.en) for one in found]


UNSAFE: list[tuple[str, str, str]] = [
    ("tool/data-after-file-mark", "['--x=name@{{ id }}']", ""),
    ("tool/data-after-file-mark", "[{flag: -F, value: 'a=<{{ id }}', apart: true}]", ""),
    ("tool/data-after-file-mark", "['@{{ id }}']", ""),
    ("tool/data-as-file", "[{flag: --file, value: '{{ id }}'}]", ""),
    ("tool/data-as-file", "['--file={{ id }}']", ""),
    ("tool/file-beside-data", "[], stdin: {a: '{{ id }}', b_file: x}", ""),
    ("tool/file-beside-data", "[], stdin: {a: '{{ id }}', c: [{b_file: x}]}", ""),
    ("tool/file-beside-data", "[{flag: --j, json: {a: '{{ id }}', b: {c_file: x}}}]", ""),
    ("tool/variable-not-literal", "[]", "variables: {LD_PRELOAD: '{{ settings.x }}'}"),
    ("tool/variable-not-literal", "[]", "variables: {PATH: '/usr/bin:{{ settings.x }}'}"),
    ("tool/variable-not-literal", "[]", "variables: {PYTHONPATH: '{{ settings.x }}'}"),
    ("tool/variable-not-literal", "[]", "variables: {DYLD_INSERT_LIBRARIES: '{{ settings.x }}'}"),
    ("tool/variable-not-literal", "[]", "variables: '{{ settings.x }}'"),
]


@pytest.mark.parametrize(("code", "argv", "settings"), UNSAFE, ids=[f"{row[1]} {row[2]}" for row in UNSAFE])
def test_what_would_always_be_unsafe_is_a_finding(code: str, argv: str, settings: str) -> None:
    toolbox, found = opened("clerk", argv, settings)
    assert toolbox is None
    assert [one.code for one in found] == [code]


def test_files_beside_written_values_and_harmless_variables_are_fine() -> None:
    assert opened("clerk", "[], stdin: {a: x, b_file: b}")[0] is not None
    assert opened("clerk", "[]", "variables: {QUIET: '{{ settings.x }}', LD_PRELOAD: ''}")[0] is not None


# --- output that is hostile -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "[\n" * 199 + "1,\n" * 400_000,
        "[" * 100_000 + "\n" + "[\n" * 100_000,
        '{"a":\n' * 50_000,
        "{\n" * 100_000,
        '["' + "x\n[" * 100_000,
        '{"a": 1}\n' * 100_000,
    ],
    ids=["many lists", "nested", "objects", "braces", "a text that never ends", "many values"],
)
def test_noise_of_any_kind_is_read_in_a_time_that_grows_with_it(text: str) -> None:
    started = time.process_time()
    with suppress(ValueError):
        parsed(text, "json", skip_noise=True)
    report_in(text)
    assert time.process_time() - started < 10


def test_many_lines_of_noise_do_not_hide_the_answer() -> None:
    noise = "[info] starting\n{debug}\n" * 5_000
    assert parsed(noise + '{"a": 1}\n', "json", skip_noise=True) == {"a": 1}
    assert report_in(noise + '{"a": 1}\n' + "[info]\n") == {"a": 1}


@pytest.mark.parametrize("form", ["json", "json_lines"])
@pytest.mark.parametrize("skip_noise", [False, True])
def test_a_field_that_stands_twice_is_no_answer(form: str, skip_noise: bool) -> None:
    for text in ('{"ok": true, "ok": false}', '{"ok": true}\n{"ok": true, "ok": false}'):
        with pytest.raises(ValueError, match=r"stands twice|Extra data|no JSON"):
            parsed(text, form, skip_noise=skip_noise)
    assert report_in('{"ok": true, "ok": false}') is None


def test_only_a_line_feed_ends_a_json_line() -> None:
    lines = ['{"a": "x\u2028y\u2029z\u0085"}', '{"a": 2}']
    assert parsed("\r\n".join(lines) + "\n", "json_lines", skip_noise=False) == [
        {"a": "x\u2028y\u2029z\u0085"},
        {"a": 2},
    ]

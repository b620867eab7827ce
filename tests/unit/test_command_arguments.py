"""The adapter `command`: how arguments and standard input are written, and what is refused there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.adapters.command.arguments import arguments_of, refuse_files
from interpreter.adapters.command.planning import call_of
from interpreter.documents.profiles import load_profile
from interpreter.ports import ToolFailure
from tests.unit.command_kit import answer, box, failed, script
from tests.unit.toolbox_kit import Text


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

"""The adapter `command`: settings that fit, and commands that are refused because data would become code."""

from __future__ import annotations

from typing import Any

import pytest

from interpreter.adapters.command.settings import read_settings
from interpreter.adapters.trusted import trusted_with
from tests.unit.command_kit import opened, plans_of

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

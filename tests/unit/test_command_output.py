"""The adapter `command`: what the output of a program means, and when it is whole."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.command.output import parsed, report_in
from interpreter.adapters.waiting import LONGEST
from rules.values import canonical_text
from tests.unit.command_kit import answer, asked, box, children_of, failed, python, script

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
    (
        "words on the wrong side, and a line cleared again and again",
        "printf '%5000s' >&2; echo 'no such page'; exit 2",
        "program_failed",
        "no such page",
    ),
    ("words, and a line cleared", "printf 'no such page%5000s' >&2; exit 2", "program_failed", "no such page"),
    ("not done", """echo '{"ok": false, "msg": "page 2 is missing"}'""", "not_successful", "page 2 is missing"),
    ("not JSON", "echo 'Please update first'", "output_not_json", "Please update first"),
    ("not JSON, said beside it", "echo 'cannot print' >&2", "output_not_json", "cannot print"),
    ("a template", """echo '{"ok": false, "msg": "{{ settings.key }}"}'""", "not_successful", "{{ settings.key }}"),
    ("a key that nobody declared", "echo 'denied: ghp_0123456789abcdef' >&2; exit 1", "program_failed", "denied: •••"),
    ("a sign-in in JSON", """echo '{"msg": "Bearer aB3dE6gH9jK1"}'; exit 1""", "program_failed", "Bearer •••"),
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
        "\x1b]0;" * 200_000,
        "\x1b[0" * 200_000,
    ],
    ids=["many lists", "nested", "objects", "braces", "a text that never ends", "many values", "titles", "colours"],
)
def test_noise_of_any_kind_is_read_in_a_time_that_grows_with_it(text: str) -> None:
    started = time.process_time()
    with suppress(ValueError):
        parsed(text, "json", skip_noise=True)
    report_in(text)
    assert time.process_time() - started < 10


# what a program prints for somebody who sits before it ; whether its answer is found
FOR_EYES: list[tuple[str, str, bool]] = [
    ("colours", '\x1b[32m{"a": 1}\x1b[0m\n', True),
    ("a line that is cleared", '\r\x1b[K{"a": 1}\n', True),
    ("a bar of progress", 'Reading 10%\rReading 100%\r{"a": 1}\n', True),
    ("a title of the window", '\x1b]0;clerk\x07{"a": 1}', True),
    ("a link", 'see \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n{"a": 1}', True),
    ("a byte order mark behind a notice", 'notice\n\ufeff{"a": 1}', True),
    ("a prompt behind the answer", '{"a": 1}\n? sign in (Y/n) ', True),
    ("steps in brackets", '[1/2] reading\n[2/2] done\n{"a": 1}\n', True),
    ("an object inside one that is cut", '{"items": [\n  {"a": 1},\n', False),
    ("an object behind words", 'Warning: old {"a": 1}', False),
]


@pytest.mark.parametrize(("why", "text", "is_found"), FOR_EYES, ids=[row[0] for row in FOR_EYES])
def test_an_answer_is_found_among_what_is_meant_for_eyes(why: str, text: str, is_found: bool) -> None:
    assert report_in(text) == ({"a": 1} if is_found else None)
    if is_found:
        assert parsed(text, "json", skip_noise=True) == {"a": 1}
    else:
        with pytest.raises(ValueError, match="no JSON"):
            parsed(text, "json", skip_noise=True)


@pytest.mark.parametrize(
    ("text", "settings", "code", "remedy"),
    [
        ("echo loading; echo '{\"a\": 1}'", "", "output_not_json", "write skip_noise: true"),
        ("echo loading", "", "output_not_json", "or nothing at all"),
        ('echo \'{"a": 1, "a": 2}\'', "", "output_not_json", "; a field stands twice in one object"),
        ("echo '{\"a\": NaN}'", "", "output_not_json", "; NaN and Infinity are no numbers of JSON"),
        ("echo '{\"a\": '; exit 0", "", "output_not_json", "; it ends in the middle"),
        ("echo '[1 2]'", "output: json_lines", "output_not_json", "; Expecting ',' delimiter (character 4)"),
        ("printf '\\312\\375'", "", "output_not_text", "such as encoding: gb18030"),
        ("kill -9 $$", "", "program_failed", "status -9 (SIGKILL) and said nothing"),
        ("exit 1", "", "program_failed", "status 1 and said nothing"),
        ("printf '%5000s' >&2; exit 1", "", "program_failed", "status 1 and said nothing"),
        ("echo no >&2; exit 1", "", "program_failed", "status 1"),
    ],
)
def test_a_failure_says_which_setting_would_help(
    text: str, settings: str, code: str, remedy: str, tmp_path: Path
) -> None:
    failure = failed(box(script(tmp_path, text), settings=settings))
    assert (failure.code, failure.message.partition("; in its own words")[0].endswith(remedy)) == (code, True)


def test_of_a_long_text_both_ends_are_told(tmp_path: Path) -> None:
    for number, (first, last) in enumerate((("Error: no such page", "--help"), ("Traceback:", "KeyError: 'page'"))):
        noise = f'echo \'{first}\' >&2; for n in $(seq 900); do echo "  line $n" >&2; done; echo "{last}" >&2; exit 1'
        told = failed(box(script(tmp_path, noise, f"p{number}"))).message.partition("in its own words: ")[2]
        assert (told.startswith(first), told.endswith(last), len(told) <= 310) == (True, True, True)


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

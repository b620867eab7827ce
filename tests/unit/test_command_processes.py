"""The adapter `command`: what a program is given of its surroundings, and how it starts and ends."""

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

from tests.unit.command_kit import (
    answer,
    asked,
    box,
    children_of,
    failed,
    is_running,
    opened,
    python,
    script,
    wait_until,
)

SECRET = "sk-never-to-be-seen-4711"


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


# --- how processes end ------------------------------------------------------------------------------------------------


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


def test_calls_of_one_program_run_at_the_same_time(tmp_path: Path) -> None:
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

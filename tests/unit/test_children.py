"""The child process for foreign bodies: what each way to end is called, and that nothing of it stays."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interpreter.adapters.children import ChildFailure, Children, Limits, Unreadable
from interpreter.adapters.children.limits import limits_of
from interpreter.adapters.children.unpacking import Archive

TASKS = {"odd": "tests.unit.child_tasks", "gone": "tests.unit.no_such_module"}
Make = Callable[..., Children]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Children] = []

    def children(**limits: Any) -> Children:
        made.append(Children(Limits(**limits), TASKS))
        return made[-1]

    yield children
    for one in made:
        one.close()


def failure(children: Children, do: str) -> ChildFailure:
    with pytest.raises(ChildFailure) as caught:
        children.read("odd", {"do": do}, b"")
    return caught.value


def test_a_body_comes_back_as_what_the_task_made_of_it(make: Make) -> None:
    body = bytes(range(256)) * 20_000
    assert make().read("odd", {"do": "echo", "text": "数据\n\0"}, body) == {"size": len(body), "text": "数据\n\0"}


# what the task does ; limits ; the code ; what the facts hold
ENDS: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("spin", {"cpu_seconds": 1}, "took_too_long", {}),
    ("wait", {"wall_seconds": 0.2}, "took_too_long", {}),
    ("hold", {"memory_bytes": 256 << 20}, "out_of_memory", {}),
    ("crash", {}, "crashed", {}),
    ("die", {}, "crashed", {}),
    ("leave", {}, "crashed", {}),
    ("deep", {}, "crashed", {"error": "RecursionError"}),
    ("raise", {}, "crashed", {"error": "KeyError"}),
    ("much", {"answer_bytes": 1 << 20}, "answer_too_large", {}),
    ("refuse", {}, "unreadable", {"code": "odd", "place": 7}),
]


@pytest.mark.parametrize(("do", "limits", "code", "facts"), ENDS, ids=[row[0] for row in ENDS])
def test_every_bad_end_has_a_code_and_the_next_body_is_read(
    make: Make, do: str, limits: dict[str, Any], code: str, facts: dict[str, Any]
) -> None:
    children = make(**limits)
    found = failure(children, do)
    assert found.code == code
    assert facts.items() <= dict(found.facts).items()
    assert children.read("odd", {"do": "echo"}, b"x")["size"] == 1


def test_memory_that_one_body_took_is_there_again_for_the_next(make: Make) -> None:
    children = make()
    assert [children.read("odd", {"do": "keep"}, b"") for _ in range(4)] == [1, 1, 1, 1]


def test_what_a_task_prints_is_no_answer(make: Make) -> None:
    assert make().read("odd", {"do": "print"}, b"") == "answered"


def test_a_missing_library_is_named(make: Make) -> None:
    with pytest.raises(ChildFailure) as caught:
        make().read("gone", {}, b"")
    assert (caught.value.code, caught.value.facts["module"]) == ("missing", "tests.unit.no_such_module")


def test_a_child_that_the_system_does_not_start_says_nothing_of_the_body(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = make()
    for path in ("/nowhere/python", "/"):
        monkeypatch.setattr(sys, "executable", path)
        assert failure(children, "echo").code == "not_started"
    monkeypatch.undo()
    assert children.read("odd", {"do": "echo", "text": "a"}, b"") == {"size": 0, "text": "a"}


def test_a_child_has_its_own_group_and_nothing_of_the_environment(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example")
    monkeypatch.setenv("A_SECRET", "value")
    children = make()
    first, second = (children.read("odd", {"do": "where"}, b"") for _ in range(2))
    assert first["pid"] != second["pid"]
    assert first["session"] == second["session"] != os.getsid(0)
    assert not {"A_SECRET", "HTTPS_PROXY"} & set(first["environment"])
    assert first["folder"] == os.sep


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_closing_ends_the_whole_group(make: Make) -> None:
    children = make()
    left = children.read("odd", {"do": "leave_behind"}, b"")
    assert _is_running(left)
    children.close()
    deadline = time.monotonic() + 10
    while _is_running(left) and time.monotonic() < deadline:
        os.sched_yield()
    assert not _is_running(left)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_nothing_stays_when_the_engine_is_killed(tmp_path: Path) -> None:
    told = tmp_path / "told"
    code = f"""
from interpreter.adapters.children import Children
children = Children(tasks={TASKS!r})
where = children.read("odd", {{"do": "where"}}, b"")
open({str(told)!r}, "w").write(str(where["group"]))
children.read("odd", {{"do": "wait"}}, b"")
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2]) as engine:
        deadline = time.monotonic() + 30
        while not (told.exists() and told.read_text()) and time.monotonic() < deadline:
            os.sched_yield()
        group = int(told.read_text())
        assert _is_running(group)
        engine.kill()
    while _is_running(group) and time.monotonic() < deadline:
        os.sched_yield()
    assert not _is_running(group)


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_a_closed_child_is_started_again_where_it_is_needed(make: Make) -> None:
    children = make()
    assert children.read("odd", {"do": "echo"}, b"ab")["size"] == 2
    children.close()
    children.close()
    assert children.read("odd", {"do": "echo"}, b"abc")["size"] == 3


# --- settings and archives -----------------------------------------------------------------------------------------


def test_limits_are_settings() -> None:
    assert limits_of({}) == Limits()
    given = {"cpu_seconds": 5, "wall_seconds": 6, "memory_mb": 300, "unpacked_mb": 2, "ratio": 10}
    assert limits_of(given) == Limits(5, 6.0, 300 << 20, 2 << 20, 10)


@pytest.mark.parametrize("value", [0, -1, "20", 1.5, True])
def test_a_limit_is_a_number_of_at_least_one(value: object) -> None:
    with pytest.raises(ValueError, match="cpu_seconds"):
        limits_of({"cpu_seconds": value})


def packed(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_the_parts_of_an_archive_are_read_by_name() -> None:
    archive = Archive(packed({"a.xml": b"<a/>", "b/c.xml": "数据".encode()}), Limits())
    assert archive.names() == ["a.xml", "b/c.xml"]
    assert archive.part("b/c.xml") == "数据".encode()
    assert archive.part("no.xml") is None


@pytest.mark.parametrize(
    ("parts", "limits"),
    [
        ({"a": bytes(3 << 20)}, Limits()),  # the ratio alone
        ({name: os.urandom(1 << 20) for name in "abcd"}, Limits(unpacked_bytes=3 << 20)),  # all parts together
    ],
    ids=["ratio", "size"],
)
def test_an_archive_that_unpacks_to_too_much_is_left_in_the_middle(parts: dict[str, bytes], limits: Limits) -> None:
    archive = Archive(packed(parts), limits)
    with pytest.raises(Unreadable) as caught:
        [archive.part(name) for name in parts]
    assert caught.value.code == "unpacked_too_large"


def test_a_size_that_the_archive_claims_is_not_believed() -> None:
    body = packed({"a": bytes(3 << 20)}).replace((3 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    with pytest.raises(Unreadable) as caught:
        Archive(body, Limits()).part("a")
    assert caught.value.code in ("unpacked_too_large", "damaged")


@pytest.mark.parametrize("body", [b"", b"PK", b"no archive at all", b"PK\x03\x04" + bytes(100)])
def test_what_is_no_archive_is_said_to_be_none(body: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        Archive(body, Limits())
    assert caught.value.code == "not_an_archive"

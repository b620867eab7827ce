"""Cases that users of other tools met: what each asks for, done with the whole command in the place of its user.

The cases stand outside of this project. Where they are there, every one of them must have a check here, and where an
input can be used as it stands, it is. What a check needs of the world is a program, a model or a page of its own.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from interpreter.cli.main import run_command
from tests.cli.kit import PATIENCE, Ended
from tests.logs import logged
from tests.servers.kit import ModelServer
from tests.servers.services import MCP_PROGRAM, write

ROOT = Path(__file__).parents[2]
BANK = Path(__file__).parents[3] / "shared" / "cases" / "bank.jsonl"
CASES = {case["id"]: case for case in map(json.loads, BANK.read_text("utf-8").splitlines())} if BANK.exists() else {}
SECRET = "sk-never-to-be-seen-4711"

#: A program that answers what its script says, in order, the last one again, and writes down what it was sent. `dies`
#: kills whoever started it: before anything is written down, or behind.
CLERK = """#!{python} -S
import json, os, sys
here, tool, sent = {here!r}, sys.argv[1], json.load(sys.stdin)
log = here + "/log.jsonl"
dies = json.load(open(here + "/dies.json")).get(tool)
if dies == "before": sys.exit(os.kill(os.getppid(), 9))
with open(log, "a") as lines: lines.write(json.dumps({{"tool": tool, "sent": sent}}) + "\\n")
if dies == "behind": os.kill(os.getppid(), 9)
number = sum(json.loads(line)["tool"] == tool for line in open(log))
script = json.load(open(here + "/script.json"))[tool]
rule = script[min(number, len(script)) - 1]
sys.stdout.write(rule["raw"] if "raw" in rule else json.dumps({{"ok": True, "data": rule["give"]}}))
sys.exit(rule.get("exit", 0))
"""
FIELDS = ("id", "q", "page_token", "title", "text", "list")
_TEXTS = ", ".join(f"{name}: {{type: string}}" for name in FIELDS if name not in ("title", "list"))
ANY = f"{{type: object, properties: {{title: {{}}, list: {{type: array}}, {_TEXTS}}}}}"


class Desk:
    """The command in a folder of documents, in this process, which saves starting one for each call."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, printed: pytest.CaptureFixture[str]) -> None:
        self.folder = folder / "specs"
        self.folder.mkdir()
        self._printed = printed
        self.patch = patch
        self.home = folder
        patch.setenv("INTERPRETER_HOME", str(folder / "home"))
        patch.setenv("HOME", str(folder))
        patch.setenv("TZ", "UTC")
        patch.setenv("API_TOKEN", SECRET)
        patch.chdir(self.folder)
        program = folder / "clerk"
        program.write_text(CLERK.format(python=sys.executable, here=str(folder)), "utf-8")
        program.chmod(0o755)
        self.clerk_dies()

    def write(self, place: str, text: str) -> Path:
        path = self.folder / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def workflow(self, body: str, head: str = "") -> None:
        text = f"workflow: it\nversion: 1.0.0\ntitle: It\nquestions: {{wait: 1d}}\n{head}\nstates:\n{body}"
        self.write("it.yaml", text)

    def tools(self, contracts: Mapping[str, str], **script: list[dict[str, Any]]) -> None:
        """Declare tools and let the clerk answer them; a contract is what it says beside any input and output."""
        text = "tools: desk\n"
        for name, more in contracts.items():
            effect = "" if "effect:" in more else "  effect: read\n"
            shape = "" if "output:" in more else "  output: {type: object}\n  example: {}\n"
            text += f"desk.{name}:\n{effect}  input: {ANY}\n{shape}{more}"
        self.write("tools/desk.yaml", text)
        given = ", ".join(f'{name}: "{{{{ {name} | default(absent) }}}}"' for name in FIELDS)
        self.write(
            "profiles/local.yaml",
            "profile: local\ntools:"
            + ("\n" if contracts else " {}\n")
            + "".join(
                f"  desk.{name}:\n    adapter: command\n    settings: {{program: {self.home}/clerk}}\n"
                f"    request: {{argv: [{name}], stdin: {{{given}}}}}\n"
                '    success: exit == 0 and answer.ok == true\n    value: "{{ answer.data }}"\n'
                for name in contracts
            ),
        )
        (self.home / "script.json").write_text(json.dumps(script), "utf-8")

    def clerk_dies(self, **when: str) -> None:
        (self.home / "dies.json").write_text(json.dumps(when), "utf-8")

    def forget(self) -> None:
        (self.home / "log.jsonl").unlink(missing_ok=True)

    @property
    def sent(self) -> list[tuple[str, dict[str, Any]]]:
        """Return what the clerk was sent: tool and arguments."""
        lines = logged(self.home / "log.jsonl")
        return [(line["tool"], line["sent"]) for line in lines]

    def __call__(self, *arguments: str, language: str = "en") -> Ended:
        self.patch.setenv("LANG", "zh_CN.UTF-8" if language == "zh" else "en_US.UTF-8")
        walks = ["--trust-profile"] if arguments[0] in ("run", "resume", "answer", "cancel") else []
        self._printed.readouterr()
        status = run_command([*arguments, *walks])
        out, err = self._printed.readouterr()
        return Ended(status, out, err)

    def run(self, *more: str) -> Ended:
        return self("run", "it.yaml", "--json", *more)

    def outputs(self, *more: str) -> dict[str, Any]:
        ended = self.run(*more)
        assert ended.status != 2, ended.err
        outputs: dict[str, Any] = ended.json["outputs"]
        return outputs

    def lint(self, text: str | None = None, language: str = "en") -> Ended:
        if text is not None:
            self.write("it.yaml", text)
        return self("lint", "it.yaml", language=language)

    def elsewhere(self, *arguments: str) -> int:
        """Run the command as a process of its own, for what would kill this one."""
        words = [sys.executable, "-m", "interpreter", *arguments, "--trust-profile", "--quiet"]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode

    def everything_kept(self) -> str:
        """Return all bytes of the runs that are kept."""
        files = [path for path in (self.home / "home").rglob("*") if path.is_file()]
        return "".join(path.read_bytes().decode("utf-8", "replace") for path in files)


Check = Callable[[Desk, dict[str, Any]], None]
CHECKS: dict[str, Check] = {}
WITH_MODEL: dict[str, Callable[[Desk, ModelServer], None]] = {}


def check(check_of: Check) -> Check:
    CHECKS[check_of.__name__.removeprefix("_").upper()] = check_of
    return check_of


def check_with_model(check_of: Callable[[Desk, ModelServer], None]) -> Callable[[Desk, ModelServer], None]:
    WITH_MODEL[check_of.__name__.removeprefix("_").upper()] = check_of
    return check_of


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, monkeypatch, capsys)


def places(ended: Ended) -> list[str]:
    """Return line and code of every finding, in order."""
    found = " ".join(ended.err.split()) if ended.err else " ".join(ended.out.split())
    parts = found.split("it.yaml:")[1:]
    return [f"{part.split(':')[0]} {part.split('[', 1)[1].split(']')[0]}" for part in parts if ": error:" in part]


def listed(use: str = "desk", /, **data: list[Any]) -> str:
    """Return the head of a workflow with lists as data, each of which is an output too."""
    written = ", ".join(f"{name}: {{type: array, default: {json.dumps(value)}}}" for name, value in data.items())
    handed = ", ".join(f"{name}: {{type: array, value: '{{{{ {name} }}}}'}}" for name in data)
    return f"uses: {{tools: [{use}]}}\ndata: {{{written}}}\noutputs: {{{handed}}}\n"


# --- documents --------------------------------------------------------------------------------------------------------


@check
def _y01(desk: Desk, case: dict[str, Any]) -> None:
    words = ["NO", "no", "off", "Yes", "on", "True", "FALSE", "y", "~"]
    head = f"data: {{regions: {{type: array, default: [CN, US, {', '.join(words)}]}}}}\n"
    head += 'outputs: {regions: {type: array, value: "{{ regions }}"}}'
    desk.tools({})
    desk.workflow(
        f"  A:\n    steps: [{{let: {{same: [{', '.join(words)}]}}}}, {{set: {{regions: '{{{{ regions }}}}'}}}}]\n", head
    )
    assert desk.outputs()["regions"] == ["CN", "US", *words]
    desk.workflow("  A: {steps: [{say: {done: d, next: n, writes: no}}]}\n")
    assert places(desk.lint()) == ["7 shape/looks-like-another-kind"]


@check
def _y02(desk: Desk, case: dict[str, Any]) -> None:
    desk.tools({"search": ""}, search=[{"give": {}}])
    twice = """  A:
    tools: [desk.search]
    steps:
      - id: recall
        call: desk.search
        with: {q: a, id: mine}
        with: {q: a}
      - {id: recall, say: {done: d, next: n, writes: false}}
  A: {}
"""
    desk.workflow(twice, "uses: {tools: [desk]}")
    found = desk.lint()
    assert found.status == 1
    assert places(found)[::2] == ["13 yaml/duplicate-key", "15 yaml/duplicate-key"]
    assert "lines 12 and 13" in " ".join(found.out.split() + found.err.split())
    assert desk.run().status == 2
    assert desk.sent == []
    head = "x-base: &base {type: integer, default: 1}\n"
    head += 'data: {a: *base, b: {<<: *base, default: 2}}\noutputs: {both: {type: array, value: "{{ [a, b] }}"}}'
    desk.workflow("  A: {}\n", head)
    assert desk.outputs()["both"] == [1, 2]


@check
def _y08(desk: Desk, case: dict[str, Any]) -> None:
    desk.tools({})
    for value, mended in {
        "{{ x }}": "v: '{{ x }}'",
        "{{ x }} 副本": "v: '{{ x }} 副本'",
        "{{ x | default('y') }}": "v: \"{{ x | default('y') }}\"",
        "{% if x == '' %}a{% endif %}": "v: \"{% if x == '' %}a{% endif %}\"",
        "{a: {{ x }}, b: 1}": "v: {a: '{{ x }}', b: 1}",
        "[{{ x }}]": "v: ['{{ x }}']",
    }.items():
        desk.workflow(
            f"  A:\n    steps:\n      - set:\n          m:\n            v: {value}\n",
            "data: {x: {type: string, default: a}, m: {type: object, default: {}}}\n"
            "outputs: {m: {type: object, value: '{{ m }}'}}",
        )
        found = desk.lint()
        assert places(found) == ["12 yaml/value-needs-quotes"]
        assert mended in " ".join((found.out + found.err).split()), found
        assert desk.run().status == 2
        assert desk("lint", "--fix", "it.yaml").status == 0
        assert desk.run().status == 0


@check
def _y10(desk: Desk, case: dict[str, Any]) -> None:
    found = desk.lint(case["input"]["value"])
    assert [one for one in places(found) if "full-width" in one] == [
        f"{line} yaml/full-width" for line in (1, 3, 4, 5, 6)
    ]
    desk.tools({})
    desk.workflow(
        '  A: {steps: [{say: {done: "注意：“引用”（内容），要保留！", next: 完成。就这样？, writes: false}}]}\n'
    )
    assert desk.lint().status == 0


# --- expressions ------------------------------------------------------------------------------------------------------


@check
def _j02(desk: Desk, case: dict[str, Any]) -> None:
    titles = ["1e5", "2024", "None", "True", "[草稿]", '{"a": 1}', "1_000", "0x10", "007", "null", "", " x ", "NaN"]
    values: list[Any] = [*titles, 5, 1.5, [1, "2"], {"items": []}, False]
    desk.tools(
        {"search": "", "note": ""}, search=[{"give": {"found": [{"t": one} for one in values]}}], note=[{"give": {}}]
    )
    desk.workflow(
        "  A:\n    tools: [desk.search, desk.note]\n    steps:\n      - {call: desk.search, as: answer}\n"
        "      - each: hit\n        in: answer.found\n"
        '        do: [{call: desk.note, with: {title: "{{ hit.t }}", text: "{{ hit.t }}!", list: ["{{ hit.t }}"]}}]\n',
        "uses: {tools: [desk]}",
    )
    assert desk.run().status == 0
    sent = [arguments for tool, arguments in desk.sent if tool == "note"]
    assert [(type(one["title"]), one["title"], one["list"]) for one in sent] == [(type(v), v, [v]) for v in values]
    assert all(isinstance(one["text"], str) for one in sent)
    assert [one["text"] for one in sent[: len(titles)]] == [f"{title}!" for title in titles]


@check
def _j03(desk: Desk, case: dict[str, Any]) -> None:
    names = ["items", "keys", "values", "count", "get", "copy", "pop", "update", "index", "__class__", "length"]
    answers: list[dict[str, Any]] = [{"give": {name: [name] for name in names}}, {"give": {"other": 1}}]
    head = listed(seen=[])
    loops = "".join(
        f"      - {{each: x, in: \"{place}\", do: [{{collect: seen, item: '{{{{ x }}}}'}}]}}\n"
        for name in names
        for place in (f"found.{name}", f"found['{name}']")
    )
    desk.tools({"search": ""}, search=answers[:1])
    desk.workflow(
        f"  A:\n    tools: [desk.search]\n    steps:\n      - {{call: desk.search, as: found}}\n{loops}", head
    )
    said = desk.lint()
    assert (said.out + said.err).count("[expression/looks-like-a-property]") == 1  # not of ['length']
    assert desk.outputs()["seen"] == [name for name in names for _ in range(2)]
    desk.tools({"search": ""}, search=answers[1:])
    for name, place in itertools.product(names, ("found.{}", "found['{}']")):
        read = place.format(name)
        body = "  A:\n    tools: [desk.search]\n    steps:\n      - {call: desk.search, as: found}\n"
        body += f'      - set: {{seen: "{{{{ {read} }}}}"}}\n'
        desk.workflow(body, head)
        if name in ("items", "values", "__class__"):
            blocked = desk.run().json["blocked"]
            assert (blocked["facts"]["reason"], blocked["facts"]["field"]) == ("absent-field", name)


@check
def _j04(desk: Desk, case: dict[str, Any]) -> None:
    mark = "Q3 {{ env.API_TOKEN }} {% for i in range(99999) %}x{% endfor %} {{ 7 * 7 }} {# c #} $(id)"
    desk.tools(
        {"search": "", "say": "", "file": "  effect: write\n"},
        search=[{"give": {"title": mark}}],
        say=[{"give": {"text": mark}}],
        file=[{"give": {}}],
    )
    desk.write(
        "inner.yaml",
        "workflow: inner\nversion: 1.0.0\ntitle: Inner\ninputs: {t: {type: string}}\n"
        "outputs: {t: {type: string, value: '{{ t }}'}}\nstates: {A: {}}\n",
    )
    desk.workflow(
        """  A:
    tools: [desk.search, desk.say, desk.file]
    steps:
      - {call: desk.search, as: found}
      - {call: desk.say, with: {text: "{{ found.title }}"}, as: said}
      - {use: inner, with: {t: "{{ said.text }}"}, as: inside}
      - {set: {t: "{{ inside.t }}"}}
      - confirm: plan
        shows: t
        permits: [{id: f, tool: desk.file, with: {title: "{{ t }}"}}]
        text: {done: "File {{ t }}", next: n2, writes: true}
        choices: [{id: file, confirms: true, label: "OK {{ t }}"}]
        refused: block
      - {call: desk.file, needs: plan, with: {title: "{{ t }}"}}
      - {say: {done: "{{ plan.shown }}", next: end2, writes: false}}
""",
        "effect: write\nuses: {tools: [desk], workflows: [inner]}\ndata: {t: {type: string, default: ''}}\n"
        "outputs: {t: {type: string, value: '{{ t }}'}, about: {type: string, value: 'about {{ t }}'}}",
    )
    asked = desk.run("--run-id", "one")
    (question,) = asked.json["waiting"]
    assert question["text"]["done"] == f"File {mark}"
    assert question["choices"][0]["label"] == f"OK {mark}"
    assert question["shown"] == mark
    ended = desk("answer", "one", "plan=file", "--seen", question["digest"], "--json")
    assert ended.json["outputs"] == {"t": mark, "about": f"about {mark}"}
    assert [arguments for _, arguments in desk.sent] == [{}, {"text": mark}, {"title": mark}]
    shown = desk("show", "one")
    assert SECRET not in asked.out + asked.err + ended.out + ended.err + shown.out + shown.err + desk.everything_kept()


# --- shapes -----------------------------------------------------------------------------------------------------------


@check
def _s01(desk: Desk, case: dict[str, Any]) -> None:
    desk.tools({"search": ""}, search=[{"give": {}}])
    desk.workflow(
        """  A:
    tools: [desk.search]
    steps:
      - {id: a, call: desk.search, wth: {q: a}}
      - {id: b, cal: desk.search}
      - {id: c, call: 123}
      - {id: d, call: desk.serch}
""",
        "uses: {tools: [desk]}",
    )
    found = desk.lint()
    assert places(found) == ["10 shape/unknown-key", "11 shape/unknown-verb", "12 shape/wrong-kind", "13 tool/unknown"]
    said = " ".join((found.out + found.err).split())
    for near in ("did you mean with?", "did you mean call?", "did you mean desk.search?"):
        assert near in said
    assert "given schema" not in said


@check
def _s02(desk: Desk, case: dict[str, Any]) -> None:
    desk.tools({"move": ""}, move=[{"give": {}}])
    retry = "{max_attempt: 1, at_most: 2, errors: [transient]}"
    step = f"{{id: move, call: desk.move, require_confrim: true, roll_back: x, retry: {retry}}}"
    desk.workflow(f"  A:\n    tools: [desk.move]\n    steps:\n      - {step}\n", "uses: {tools: [desk]}")
    found = desk.lint()
    assert places(found) == ["10 shape/unknown-key"] * 3
    for name in ("require_confrim", "roll_back", "max_attempt"):
        assert name in found.out + found.err
    assert desk.run().status == 2
    assert desk.sent == []
    desk.write("it.yaml", "workflow: it\nversion: 1.0.0\nx-note: {anything: [1]}\nstates: {A: {x-why: because}}\n")
    assert "x-" not in desk.lint().err


# --- runs -------------------------------------------------------------------------------------------------------------

TWO_WRITES = """  MOVE:
    tools: [desk.a, desk.b, desk.look]
    steps:
      - {call: desk.a, with: {id: x}}
      - {ask: first, text: &said {done: d, next: n2, writes: true}, form: &form {c: {type: string, title: C}}}
      - {ask: second, text: *said, form: *form}
      - {call: desk.b, with: {id: "{{ first.c }}{{ second.c }}"}}
"""
LOOK = (
    "  verify_with: {call: desk.look, with: {q: '{{ sent.id }}'}, "
    "happened: found.there == true, did_not: found.there == false}\n"
)


@check
def _e01(desk: Desk, case: dict[str, Any]) -> None:
    def walk(run_id: str, *, there: bool) -> list[tuple[str, dict[str, Any]]]:
        desk.tools(
            {"a": "  effect: write\n" + LOOK, "b": "  effect: write\n" + LOOK, "look": ""},
            a=[{"give": {}}],
            b=[{"give": {}}],
            look=[{"give": {"there": there}}],
        )
        desk.workflow(TWO_WRITES, "effect: write\nuses: {tools: [desk]}\nwrites_without_confirmation: a test")
        desk.elsewhere("run", "it.yaml", "--run-id", run_id)
        desk.clerk_dies()
        if json.loads(desk("show", run_id, "--json").out)["status"] != "waiting":
            desk("resume", run_id, "--json")
        desk("answer", run_id, 'first={"c": "y"}')
        assert desk("answer", run_id, 'second={"c": "z"}', "--json").json["status"] == "completed"
        return [one for one in desk.sent if one[0] != "look"]

    wanted = [("a", {"id": "x"}), ("b", {"id": "yz"})]
    assert walk("whole", there=True) == wanted
    for when, there in (("before", False), ("behind", True)):
        desk.forget()
        desk.clerk_dies(a=when)
        assert walk(when, there=there) == wanted


@check
def _e04(desk: Desk, case: dict[str, Any]) -> None:
    desk.tools({"a": "  effect: write\n"}, a=[{"give": {}}])
    body = "  A:\n    tools: [desk.a]\n    steps:\n      - {call: desk.a, with: {id: x}}\n"
    body += "      - {ask: q, text: {done: d, next: n2, writes: false}, form: {c: {type: string, title: C}}}\n"
    desk.workflow(body, "effect: write\nuses: {tools: [desk]}\nwrites_without_confirmation: a test")
    desk.run("--run-id", "one")
    files = [
        path
        for path in (desk.home / "home" / "runs" / "one").iterdir()
        if path.suffix in (".db", ".sqlite", ".sqlite3")
    ]
    assert files, list((desk.home / "home" / "runs" / "one").iterdir())
    journal, whole = files[0], files[0].read_bytes()
    for spoiled in (b"", whole[: len(whole) // 2], whole[:-1], b'{"status": "completed"}', b"\0" * len(whole)):
        journal.write_bytes(spoiled)
        stopped = desk("resume", "one", "--json")
        again = desk("run", "it.yaml", "--run-id", "one", "--json")
        assert (stopped.status not in (0, 3) and again.status not in (0, 3)) or stopped.status == 3
        assert len(desk.sent) == 1
        assert journal.read_bytes() == spoiled or stopped.status == 3
    journal.write_bytes(whole)
    assert desk("answer", "one", 'q={"c": "y"}', "--json").json["status"] == "completed"
    assert len(desk.sent) == 1


ONE_WRITE = """  PLAN:
    steps:
      - confirm: plan
        permits: [{id: f, tool: desk.file, with: {id: a1, q: x}}]
        text: {done: d, next: n2, writes: true}
        choices: [{id: file, confirms: true, label: F}, {id: leave, label: L, to: end}]
        refused: block
    next: [{to: FILE}]
  FILE:
    tools: [desk.file]
    steps:
      - {call: desk.file, needs: plan, with: {id: a1, q: x}}
"""


def one_write(desk: Desk, run_id: str) -> str:
    """Start the workflow with one write; returns the digest of its question."""
    desk.tools({"file": "  effect: write\n"}, file=[{"give": {}}])
    desk.workflow(ONE_WRITE, "effect: write\nuses: {tools: [desk]}")
    return str(desk.run("--run-id", run_id).json["waiting"][0]["digest"])


@check
def _e05(desk: Desk, case: dict[str, Any]) -> None:
    begins, say = "    steps:\n      - confirm", "      - say: {done: d, next: n2, writes: false}"
    sends = "      - {call: desk.file, needs: plan, with: {id: a1, q: %s}}"
    for name, old, new, line in (
        ("insert", begins, f"    steps:\n{say}\n      - confirm", f"+ 10: {say}"),
        ("rename", "PLAN:", "PLANNING:", "+ 8:   PLANNING:"),
        ("other", sends % "x", sends % "y", f"+ 19: {sends % 'y'}"),
    ):
        seen = one_write(desk, name)
        path = desk.folder / "it.yaml"
        path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
        for words in (("resume", name), ("answer", name, "plan=file", "--seen", seen)):
            refused = desk(*words)
            assert (refused.status, refused.code) == (2, "command/documents-changed")
            assert line in refused.err
        assert desk.sent == []
        ended = desk("answer", name, "plan=file", "--seen", seen, "--as-recorded", "--json")
        assert ended.json["status"] == "completed"
        assert desk.sent == [("file", {"id": "a1", "q": "x"})]
        desk.forget()
    seen = one_write(desk, "comment")
    path = desk.folder / "it.yaml"
    path.write_text("# why\n" + path.read_text("utf-8").replace("title: It", "title: 'It'   # so"), "utf-8")
    assert desk("answer", "comment", "plan=file", "--seen", seen, "--json").json["status"] == "completed"
    seen = one_write(desk, "permission")
    path.write_text(
        path.read_text("utf-8").replace("needs: plan, with: {id: a1, q: x}", "needs: plan, with: {id: a1, q: y}"),
        "utf-8",
    )
    desk.forget()
    desk("resume", "permission", "--with-edits")
    desk("answer", "permission", "plan=file")
    assert desk.sent == []


@check
def _c01(desk: Desk, case: dict[str, Any]) -> None:
    seen = one_write(desk, "one")
    assert desk("answer", "one", "plan=file", "--seen", seen).status == 0
    for answer, language, says in (
        ("plan=file", "en", "already with file, by"),
        ("plan#1=leave", "zh", "回答（file）"),
    ):
        second = desk("answer", "one", answer, "--seen", seen, language=language)
        assert (second.status, second.code) == (2, "run/answer-already")
        assert says in " ".join(second.err.split())
    assert desk("answer", "one", "plan#2=file").status == 2
    assert len(desk.sent) == 1
    desk.forget()
    seen = one_write(desk, "race")
    words = [sys.executable, "-m", "interpreter", "answer", "race", "plan=file", "--seen", seen, "--trust-profile"]
    both = [subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert sorted(one.wait(PATIENCE) for one in both) == [0, 2]
    assert len(desk.sent) == 1


@check
def _c02(desk: Desk, case: dict[str, Any]) -> None:
    desk.tools(
        {"list": "", "file": "  effect: write\n"},
        list=[
            {"give": {"found": [{"id": f"d{n}"} for n in range(1, 13)]}},
            {"give": {"found": [{"id": "d13"}, {"id": "d1"}]}},
        ],
        file=[{"give": {}}],
    )
    planned = """  PLAN:
    tools: [desk.list, desk.file]
    steps:
      - {call: desk.list, as: answer}
      - {set: {rows: "{{ answer.found }}"}}
      - confirm: plan
        shows: rows
        permits: {each: r, in: rows, give: {id: "m-{{ r.id }}", tool: desk.file, with: {id: "{{ r.id }}"}}}
        text: {done: d, next: n2, writes: true}
        choices: [{id: file, confirms: true, label: F}]
        refused: block
%s      - {each: r, in: rows, do: [{call: desk.file, needs: plan, with: {id: "{{ r.id }}"}}]}
"""
    head = (
        "effect: write\nuses: {tools: [desk]}\ndata: {rows: {type: array, key: id, items: {type: object}, default: []}}"
    )
    desk.workflow(planned % "", head)
    asked = desk.run("--run-id", "one")
    assert asked.status == 3, asked.err
    question = asked.json["waiting"][0]
    assert desk("answer", "one", "plan=file", "--seen", question["digest"], "--json").json["status"] == "completed"
    assert [sent["id"] for tool, sent in desk.sent if tool == "file"] == [f"d{n}" for n in range(1, 13)]
    # What was shown changes before the writes: such a document does not even begin.
    desk.forget()
    later = "      - {call: desk.list, as: later}\n"
    desk.workflow(planned % (later + '      - {set: {rows: "{{ later.found }}"}}\n'), head)
    ended = desk.run("--run-id", "two")
    assert (ended.status, ended.json["error"]["code"]) == (2, "flow/write-not-confirmed")
    assert desk.sent == []
    # Another list than the one that was shown: refused before it is sent.
    desk.workflow(planned.replace("each: r, in: rows, do", "each: r, in: later.found, do") % later, head)
    question = desk.run("--run-id", "three").json["waiting"][0]
    ended = desk("answer", "three", "plan=file", "--seen", question["digest"], "--json")
    assert ended.json["status"] == "failed"
    assert [sent for tool, sent in desk.sent if tool == "file"] == []


@check_with_model
def _b01(desk: Desk, server: ModelServer) -> None:
    thinking(desk, server, "budgets: {asked: {calls: [desk.think], at_most: 32, when_spent: fail}}", loop=range(39))
    server.answers({"give": {"json": {"a": 1}}})
    before = len(server.requests)
    outputs = desk.outputs("--profile", "profiles/model.yaml")
    assert len(server.requests) - before == 32
    assert outputs["left_out"] == ["budget_spent"] * 7


# --- pages ------------------------------------------------------------------------------------------------------------


def walked(desk: Desk, name: str, pages: list[dict[str, Any]]) -> tuple[str, dict[str, Any], int]:
    """Walk pages; returns the status of the run, its outputs and how many requests there were."""
    desk.forget()
    desk.tools(
        {
            "list": "  output: {type: object, required: [items, more], "
            "properties: {items: {type: array}, more: {type: boolean}, "
            "page_token: {type: string}, total: {type: integer}}}\n  example: {items: [], more: false}\n"
            "  pages: {token_in: page_token, token_out: page_token, more: more, items: items}\n"
        },
        list=[{"give": page} for page in pages],
    )
    desk.workflow(
        """  A:
    tools: [desk.list]
    steps:
      - call: desk.list
        pages: page
        walk: w
        at_most: 50
        checkpoint: {at.pages: w.pages, at.status: w.status, at.token: w.token}
        do: [{each: i, in: page.items, do: [{collect: rows, item: {id: "{{ i.id }}"}}]}]
""",
        "uses: {tools: [desk]}\ndata: {at: {type: object, default: {}}, "
        "rows: {type: array, key: id, items: {type: object}, default: []}}\n"
        "outputs: {n: {type: integer, value: '{{ rows | count }}'}, at: {type: object, value: '{{ at }}'}}",
    )
    ended = desk.run("--run-id", name).json
    return ended["status"], ended["outputs"], len(desk.sent)


def page(first: int, number: int, token: str | None, *, more: bool = True) -> dict[str, Any]:
    items = [{"id": f"i{place}"} for place in range(first, first + number)]
    return {"items": items, "more": more, **({"page_token": token} if token is not None else {})}


@check
def _p01(desk: Desk, case: dict[str, Any]) -> None:
    same, turns = [page(20 * n, 20, "t1") for n in range(9)], [page(20 * n, 20, "AB"[n % 2]) for n in range(9)]
    random = [page(0, 20, f"t{n}") for n in range(9)]
    assert walked(desk, "same", same) == (
        "blocked",
        {"n": 20, "at": {"pages": 1, "status": "blocked", "token": "t1"}},
        2,
    )
    assert walked(desk, "turns", turns) == (
        "blocked",
        {"n": 40, "at": {"pages": 2, "status": "blocked", "token": "B"}},
        3,
    )
    assert walked(desk, "random", random) == (
        "blocked",
        {"n": 20, "at": {"pages": 3, "status": "blocked", "token": "t2"}},
        4,
    )


@check
def _p02(desk: Desk, case: dict[str, Any]) -> None:
    gap = [{**page(0, 20, "t2"), "total": 500}, page(0, 0, "t3"), page(20, 5, None, more=False)]
    status, outputs, _ = walked(desk, "gap", gap)
    assert (status, outputs["n"], outputs["at"]["status"]) == ("completed", 25, "complete")
    status, outputs, requests = walked(desk, "empty", [page(0, 0, f"t{n}") for n in range(9)])
    assert (status, outputs["at"]["status"], requests) == ("blocked", "blocked", 3)


# --- programs and services --------------------------------------------------------------------------------------------


@check
def _l01(desk: Desk, case: dict[str, Any]) -> None:
    outputs: dict[str, tuple[dict[str, Any], str]] = {
        "done": ({"raw": '{"ok": true, "identity": "user", "data": {"guid": "g1"}}'}, "completed"),
        "code_zero": ({"raw": '{"code": 0, "msg": "ok", "data": {}}'}, "waiting"),
        "not_ok": ({"raw": '{"ok": false}'}, "waiting"),
        "status": ({"raw": '{"ok": false, "error": {"type": "permission"}}', "exit": 1}, "waiting"),
        "nothing": ({"raw": ""}, "waiting"),
        "word": ({"raw": '{"ok": "true", "data": {}}'}, "waiting"),
        "one": ({"raw": '{"ok": 1, "data": {}}'}, "waiting"),
        "half": ({"raw": '{"ok": true, "data": {'}, "waiting"),
    }
    retry = "{errors: [transient, permanent], at_most: 3, wait: 1ms}"
    body = f"  A:\n    tools: [desk.file]\n    steps:\n      - {{call: desk.file, with: {{id: a}}, retry: {retry}}}\n"
    for name, (rule, status) in outputs.items():
        desk.forget()
        desk.tools({"file": "  effect: write\n"}, file=[rule])
        desk.workflow(body, "effect: write\nuses: {tools: [desk]}\nwrites_without_confirmation: a test")
        ended = desk.run("--run-id", name)
        assert (name, ended.json["status"], len(desk.sent)) == (name, status, 1)
        if status == "waiting":
            assert [one["id"] for one in ended.json["waiting"][0]["choices"]] == ["happened", "did_not", "stop"]


class Canary:
    """A site on this machine: what it sends somebody on to, and who came."""

    def __init__(self, answers: Mapping[str, tuple[int, dict[str, str]]]) -> None:
        self.came: list[str] = []
        canary = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                canary.came.append(self.path)
                status, headers = answers.get(self.path, (200, {"content-type": "text/plain"}))
                self.send_response(status)
                for name, value in {**headers, "content-length": "0"}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@check
def _l02(desk: Desk, case: dict[str, Any]) -> None:
    pages = [page(first, min(200, 705 - first), f"t{first}", more=first < 600) for first in range(0, 705, 200)]
    status, outputs, _ = walked(desk, "explicit", pages)
    assert (status, outputs["n"], outputs["at"]["status"]) == ("completed", 705, "complete")
    for name, cut in (("newer", page(0, 200, None)), ("none", page(0, 0, None)), ("blank", page(0, 200, ""))):
        status, outputs, _ = walked(desk, name, [cut])
        assert (status, outputs["at"]["status"]) == ("blocked", "blocked")
    # What the old one says cannot be told from the truth: no page of a profile may come from its own walk.
    assert "page-all" not in (ROOT / "specs" / "profiles" / "lark.yaml").read_text("utf-8")


def thinking(
    desk: Desk, server: ModelServer, head: str = "", *, loop: range = range(1), call: str = "", more: str = ""
) -> None:
    """Write a workflow that asks a model, once or for each of a list."""
    desk.write(
        "tools/desk.yaml",
        "tools: desk\ndesk.think:\n  effect: read\n"
        "  input: {type: object, properties: {n: {type: integer}}}\n"
        "  output: {type: object, required: [a], additionalProperties: false, properties: {a: {type: integer}}}\n"
        "  example: {a: 1}\n  prompt: {user: 'Question {{ n | default(0) }}'}\n",
    )
    desk.write(
        "profiles/model.yaml",
        "profile: model\ntools:\n  desk.think: {adapter: model, settings: "
        f'{{address: "{server.address}", model: small, max_tokens: 64{more}}}}}\n',
    )
    desk.workflow(
        f"""  A:
    tools: [desk.think]
    steps:
      - each: n
        in: given
        at_once: 8
        outcomes: results
        do:
          - {{call: desk.think, with: {{n: "{{{{ n }}}}"}}, as: answer{call}}}
        give: "{{{{ answer.a }}}}"
      - set:
          left_out: "{{{{ results | where(ok=false) | pluck('error.code') }}}}"
          said: "{{{{ results | where('ok') | pluck('value') }}}}"
""",
        listed(given=list(loop), left_out=[], said=[]) + head,
    )


def thought(
    desk: Desk, server: ModelServer, give: list[dict[str, Any]], **how: Any
) -> tuple[dict[str, Any], list[Any]]:
    """Run the workflow; returns its outputs and the bodies of the requests."""
    thinking(desk, server, **how)
    server.answers(*({"give": one, "times": 1} for one in give))
    before = len(server.requests)
    ended = desk.run("--profile", "profiles/model.yaml")
    assert ended.status != 2, ended.err
    assert "SECRET" not in ended.out + ended.err + desk.everything_kept()
    return ended.json["outputs"], [request["body"] for request in server.requests[before:]]


RETRIED = (
    ", retry: {errors: [rate_limited, server_error, output_cut], at_most: 3, wait: 1ms}, "
    "repair: {errors: [invalid], at_most: 2, add: {}}"
)


@check_with_model
def _m01(desk: Desk, server: ModelServer) -> None:
    for give in (
        {"text": '{"a": "cut'},
        {"json": {"a": 1}},
        {"message": {"content": "", "reasoning_content": "SECRET"}},
    ):
        cut = {**give, "finish": "length"}
        outputs, requests = thought(desk, server, [cut, cut, cut], call=RETRIED)
        assert (outputs["left_out"], outputs["said"], len(requests)) == (["output_cut"], [], 1)
        outputs, requests = thought(
            desk, server, [cut, {"json": {"a": 2}}], call=RETRIED, more=", max_tokens_when_cut: 256"
        )
        assert (outputs["said"], [one["max_tokens"] for one in requests]) == ([2], [64, 256])


@check_with_model
def _m03(desk: Desk, server: ModelServer) -> None:
    def limited(status: int = 429, code: str | None = None, **headers: str) -> dict[str, Any]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return {"status": status, "headers": named, "body": {"error": {"message": "no", "code": code}}}

    good = {"json": {"a": 1}}
    for first, number, said in (
        (limited(retry_after="0"), 2, [1]),
        (limited(x_ratelimit_reset_requests="5ms"), 2, [1]),
        (limited(retry_after="abc"), 2, [1]),
        (limited(retry_after="-5"), 2, [1]),
        (limited(503, retry_after="0"), 2, [1]),
        (limited(retry_after="900"), 1, []),
        (limited(x_ratelimit_reset_requests="2m59s"), 1, []),
        (limited(code="insufficient_quota", retry_after="0"), 1, []),
    ):
        outputs, requests = thought(desk, server, [first, good], call=RETRIED)
        assert (first["headers"], outputs["said"], len(requests)) == (first["headers"], said, number)
    outputs, requests = thought(desk, server, [limited()] * 9, call=RETRIED)
    assert (outputs["left_out"], len(requests)) == (["rate_limited"], 3)


@check_with_model
def _m05(desk: Desk, server: ModelServer) -> None:
    for text in (
        '<think>SECRET {"draft": true}</think>{"a":1}',
        'SECRET...</think>{"a":1}',
        '<THINK>SECRET<think>SECRET</think></THINK>\n{"a":1}',
        '＜think＞SECRET＜/think＞{"a":1}',
        '<thinking>SECRET</thinking>\n```json\n{"a":1}\n```',
        '[THINK]SECRET[/THINK]{"a":1}',
    ):
        assert thought(desk, server, [{"text": text}])[0]["said"] == [1], text
    assert thought(desk, server, [{"text": '<think>SECRET {"a":2}'}])[0]["left_out"] == ["thoughts_unclosed"]


# --- evidence ---------------------------------------------------------------------------------------------------------

EVIDENCE_TOOLS = {
    "read": "  output: {type: object, required: [text], properties: {text: {type: string, evidence: body}}}\n"
    "  example: {text: a}\n",
    "point": "  output: {type: object, required: [citations], "
    "properties: {citations: {type: array, items: {pointer: policy, forms: [id, object]}}, "
    "next_actions: {type: array}}}\n  example: {citations: []}\n",
}
POINTING = """  A:
    tools: [desk.read, desk.point]
    steps:
      - {call: desk.read, with: {id: one}, as: first}
      - {call: desk.read, with: {id: two}, as: second}
      - {admit: earlier, side: policy, source: {id: one}, from: first.text}
      - {admit: units, side: policy, source: {id: two}, from: second.text}
      - {admit: subject, side: subject, source: {id: three}, from: first.text}
      - set: {ids: "{{ [earlier[0].evidence_id, units[0].evidence_id, subject[0].evidence_id] }}"}
      - call: desk.point
        with: {list: "{{ units }}"}
        accept:
          - {bind: answer, among: {policy: units}}
          - {rule: no_citation, that: "answer.citations != []", at: citations, message: none}
        repair: {errors: [invalid], at_most: 2, add: {}}
        as: pointed
      - set: {got: "{{ pointed }}"}
"""
TEXTS = ("First body.\n", "Zweiter \u201cBody\u201d, letter\u00a0for letter. ")


def pointed(desk: Desk, citations: list[Any], name: str) -> tuple[Ended, list[str]]:
    """Let a tool point at what was read; returns the end and the ids of the three units."""
    desk.forget()
    desk.tools(
        EVIDENCE_TOOLS,
        read=[{"give": {"text": text}} for text in TEXTS],
        point=[{"give": {"citations": citations, "next_actions": ["act"]}}],
    )
    desk.workflow(
        POINTING,
        "uses: {tools: [desk]}\ncitation: {from: '{{ unit.source.id }}', quote: '{{ unit.text }}'}\n"
        "data: {got: {type: object, default: {}}, ids: {type: array, default: []}}\n"
        "outputs: {got: {type: object, value: '{{ got }}'}, ids: {type: array, value: '{{ ids }}'}}",
    )
    ended = desk.run("--run-id", name)
    return ended, ended.json["outputs"]["ids"]


def refused_pointers(desk: Desk, wrong: list[list[Any]]) -> None:
    for number, citations in enumerate(wrong):
        ended, _ = pointed(desk, citations, f"wrong{number}")
        assert (citations, ended.json["status"], ended.json["outputs"]["got"]) == (citations, "blocked", {})
        assert ended.json["blocked"]["facts"]["error_code"] in ("invalid_evidence_id", "no_citation", "invalid_answer")
        assert [tool for tool, _ in desk.sent].count("point") == 2


@check
def _k01(desk: Desk, case: dict[str, Any]) -> None:
    _, (_, known, _) = pointed(desk, ["e9"], "first")
    wrong: list[Any] = [
        "e9",
        known.upper(),
        f"[{known}]",
        f"{known}-{known}",
        f"0{known}",
        known[:-1],
        "doc-1",
        "",
        None,
    ]
    refused_pointers(desk, [[one] for one in wrong] + [[], [known, "e9"]])
    assert pointed(desk, [known], "right")[0].json["status"] == "completed"


@check
def _k02(desk: Desk, case: dict[str, Any]) -> None:
    _, (earlier, known, subject) = pointed(desk, ["e9"], "first")
    quoted = {"evidence_id": earlier, "path": "text", "quote": TEXTS[1]}
    refused_pointers(desk, [[earlier], [subject], [known, earlier], [quoted]])
    given = {"evidence_id": known, "path": "elsewhere", "quote": "made up"}
    ended, _ = pointed(desk, [given], "right")
    assert ended.json["outputs"]["got"]["citations"] == [{"from": "two", "quote": TEXTS[1], "form": "id"}]


# --- the web ----------------------------------------------------------------------------------------------------------


def fetched(desk: Desk, settings: str, addresses: list[str]) -> list[dict[str, Any]]:
    """Read pages one after another; returns what came of each."""
    for place in ("tools/web.yaml", "types"):
        source = ROOT / "specs" / place
        if source.is_file():
            desk.write(place, source.read_text("utf-8"))
    desk.write(
        "profiles/local.yaml",
        f"profile: local\ntools:\n  web.*: {{adapter: python, use: web, settings: {{{settings}}}}}\n",
    )
    desk.workflow(
        """  A:
    tools: [web.web_fetch]
    steps:
      - each: url
        in: given
        do: [{call: web.web_fetch, with: {url: "{{ url }}"}, outcome: one}, {collect: all, item: "{{ one }}"}]
""",
        listed("web", given=addresses, all=[]),
    )
    found: list[dict[str, Any]] = desk.outputs()["all"]
    return found


@check
def _f01(desk: Desk, case: dict[str, Any]) -> None:
    inside = Canary({})
    away = [
        "http://10.0.0.5/",
        "file:///etc/passwd",
        "data:text/plain,x",
        "gopher://a.example/",
        f"http://[::1]:{inside.port}/",
    ]
    away += [f"http://127.0.0.1:{inside.port}/", f"http://localhost:{inside.port}/", "http://169.254.169.254/latest"]
    site = Canary({f"/{number}": (302, {"location": address}) for number, address in enumerate(away)})
    direct = [
        "http://169.254.169.254/",
        f"http://localhost:{inside.port}/",
        f"http://127.1:{inside.port}/",
        "http://[::1]/",
    ]
    direct += [
        f"http://2130706433:{inside.port}/",
        "http://metadata.google.internal/",
        "file:///etc/passwd",
        "http://0x7f.1/",
    ]
    redirects = [f"http://127.0.0.1:{site.port}/{number}" for number in range(len(away))]
    try:
        ended = fetched(desk, f"pages: '', robots: false, own_addresses: '127.0.0.1:{site.port}'", direct + redirects)
    finally:
        inside.close()
        site.close()
    assert [one["error"]["code"] for one in ended] == ["address_refused"] * len(direct + redirects)
    assert all(one["error"]["message"] for one in ended)
    assert inside.came == []
    assert len(site.came) == len(away)


@check
def _f03(desk: Desk, case: dict[str, Any]) -> None:
    sentence, traditional = (
        "朱镕基与赵堃在会上说，资料治理要在年底之前完成。",
        "會議紀錄與價格公告，資料治理工作將於年底前完成。",
    )

    def html(head: str, text: str, encoding: str) -> bytes:
        body = f"<html><head>{head}<title>x</title></head><body><p>{text}</p><p>{text}</p></body></html>"
        return body.encode(encoding)

    pages = [
        ("text/html", html("<meta charset=gb2312>", sentence, "gbk"), sentence),
        ("text/html; charset=ISO-8859-1", html("<meta charset=gbk>", sentence, "gbk"), sentence),
        ("text/html; charset=utf-8", html("", sentence * 3, "gbk"), sentence),
        ("text/html", html("", sentence, "utf-16"), sentence),
        ("text/html", b'<?xml version="1.0" encoding="GBK"?>' + html("", sentence, "gbk"), sentence),
        ("text/html; charset=big5", html("", traditional, "big5"), traditional),
        ("text/html; charset=utf8mb4", html("", sentence, "utf-8"), sentence),
        ("text/html", b"<!--" + b"x" * 2500 + b"-->" + html("<meta charset=gbk>", sentence, "gbk"), sentence),
        ("text/html; charset=utf-8", bytes(range(128, 256)) * 30, None),
    ]
    for number, (content_type, body, _) in enumerate(pages):
        head = f'url: https://www.example.com/{number}\nstatus: 200\nheaders: {{content-type: "{content_type}"}}\n'
        desk.write(f"pages/{number}.yaml", f'{head}fetched_at: "2026-01-16T08:00:00Z"\nbody: {number}.html\n')
        (desk.folder / "pages" / f"{number}.html").write_bytes(body)
    folder = desk.folder / "pages"
    ended = fetched(
        desk,
        f"pages: '{folder}', state: '{desk.home}/index'",
        [f"https://www.example.com/{n}" for n in range(len(pages))],
    )
    for one, (_, _, wanted) in zip(ended, pages, strict=True):
        assert (one["ok"], wanted is None or wanted in one["value"]["text"]) == (wanted is not None, True)
        if wanted is not None:
            assert one["value"]["encoding"]
            assert one["value"]["encoding_from"] in ("mark", "header", "page", "detected")


@check
def _t01(desk: Desk, case: dict[str, Any]) -> None:
    desk.write(
        "rules/it.yaml",
        """rules: it
tiers:
  source:
    inputs: {url: {type: string}}
    classes:
      - {tier: 1, rules: [{id: gov, suffix: [gov.cn, example.gov]}, {id: site, domain: [site.edu], not_path: ["/~"]}]}
      - {tier: 2, rules: [{id: rest, any: true}]}
""",
    )

    def tier(url: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(
            desk("rules", "explain", "rules/it.yaml", "--fact", f"url={url}", "--json").out
        )["answer"]
        return answer

    for url in ("https://www.gov.cn/", "https://WWW.GOV.CN./", "https://gov.cn:8443/"):
        assert (tier(url)["tier"], tier(url)["matched"]) == (1, "gov.cn")
    for url in (
        *(
            "https://notgov.cn/",
            "https://gov.cn.example.com/",
            "https://gov-cn.example/",
            "https://www.gov.cn@evil.example/",
        ),
        *(
            "https://evil.example/?u=www.gov.cn",
            "https://evil.example#.gov.cn",
            "https://xn--gov-9na.cn/",
            "https://www.g\u043ev.cn/",
        ),
        *(
            "https://site.edu/~name",
            "https://site.edu/%7Ename",
            "https://site.edu/x/../~name",
            "https://www.gov.cn\\@evil.example/",
        ),
    ):
        assert tier(url)["tier"] == 2, url
    desk.write(
        "rules/it.yaml",
        (desk.folder / "rules/it.yaml").read_text("utf-8").replace("domain: [site.edu]", "domain: [com.cn]"),
    )
    assert desk("lint", "rules/it.yaml").status == 1


@check
def _t02(desk: Desk, case: dict[str, Any]) -> None:
    desk.write("rules/source_tiers.yaml", (ROOT / "specs" / "rules" / "source_tiers.yaml").read_text("utf-8"))
    body = "海港市十月十八日电，星河智能今天公布企业版定价，每席每月九十九元，合同按年签订，试用三十天，支持退款。"
    agency = "新华社" + body

    def site(number: int, text: str, **more: Any) -> dict[str, Any]:
        url = f"https://paper{number}.example/a"
        return {
            "id": str(number),
            "url": url,
            "tier": 2,
            "publisher": f"报{number}",
            "credits": [],
            "text": text,
            **more,
        }

    copies = [site(n, agency) for n in range(3)]
    copies.append(site(3, agency.replace("今天公布", "昨天发布")))
    copies.append(site(4, "Galaxy announced a price of 99 yuan a seat today.", credits=["Xinhua"]))
    release = [site(n, body, credits=[]) for n in range(3)] + [
        site(9, body, url="https://galaxy-ai.example/news", tier=1)
    ]
    editions = [
        site(0, "甲" * 40, url="https://harbor-daily.example/a", publisher="海港日报"),
        site(1, "乙" * 40, url="https://m.harbor-daily.example/a", publisher="Harbor Daily Mobile"),
    ]
    pages: dict[str, list[Any]] = {"copies": copies, "release": release, "editions": editions}
    steps = "".join(
        f"      - {{decide: source_tiers.sources, with: {{pages: {name}}}, as: of_{name}}}\n"
        f"      - {{set: {{{name}: '{{{{ [of_{name}] }}}}'}}}}\n"
        for name in pages
    )
    desk.tools({})
    desk.workflow(f"  A:\n    steps:\n{steps}", listed(**pages).replace("tools: [desk]", "rules: [source_tiers]"))
    for name, (answer,) in desk.outputs().items():
        assert (name, answer["count"], [len(group["members"]) for group in answer["groups"]]) == (
            name,
            1,
            [len(pages[name])],
        )


@check
def _n01(desk: Desk, case: dict[str, Any]) -> None:
    notes = {"gpt": "GPT-4 对比", "cpp": "C++ 笔记", "dont": "don't", "half": "50%", "who": "@张三"}
    for name, text in notes.items():
        desk.write(f"notes/{name}.md", f"---\nid: {name}\n---\n前面 {text} 后面\n")
    desk.write("tools/notes.yaml", (ROOT / "specs" / "tools" / "notes.yaml").read_text("utf-8"))
    queries = [
        "GPT-4",
        "C++",
        "don't",
        "50%",
        "@张三",
        "a OR",
        "NEAR(",
        "t:x",
        '"未闭合',
        "''",
        "word " * 2_000,
        "-",
        "a AND NOT b",
    ]

    def search(vault: str, name: str) -> list[dict[str, Any]]:
        desk.write(
            "profiles/local.yaml",
            "profile: local\ntools:\n"
            f"  notes.*: {{adapter: python, use: notes, settings: {{vault: '{vault}', index: ''}}}}\n",
        )
        desk.workflow(
            """  A:
    tools: [notes.search_notes]
    steps:
      - each: q
        in: given
        do: [{call: notes.search_notes, with: {keyword: "{{ q }}"}, outcome: one}, {collect: all, item: "{{ one }}"}]
""",
            listed("notes", given=queries, all=[]),
        )
        found: list[dict[str, Any]] = desk.outputs("--run-id", name)["all"]
        return found

    found = search(str(desk.folder / "notes"), "whole")
    assert [one["ok"] for one in found] == [True] * len(queries)
    assert [[note["note_id"] for note in one["value"]["notes"]] for one in found[:5]] == [[name] for name in notes]

    def fails(*_: Any) -> set[int]:
        raise sqlite3.OperationalError("disk I/O error")

    desk.patch.setattr("interpreter.adapters.notes.index.Index.matching", fails)
    broken = search(str(desk.folder / "notes"), "broken")
    assert [(one["ok"], one["error"]["code"]) for one in broken[:5]] == [(False, "INTERNAL_ERROR")] * 5


@check
def _x01(desk: Desk, case: dict[str, Any]) -> None:
    pytest.importorskip("mcp")
    folder = desk.home / "server"
    folder.mkdir()
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    gives: list[tuple[dict[str, Any], bool]] = [
        ({"is_error": True, "text": '{"q": "as if"}'}, False),
        ({"text": "Error: 404 Not Found"}, False),
        ({"text": '{"status": "error", "q": "x"}'}, False),
        ({"error": {"code": -32603, "message": "boom"}}, False),
        ({"parts": []}, False),
        ({"structured": {"q": "fine"}}, True),
        ({"parts": [image]}, False),
    ]
    rules = [{"when": {"call": number}, "give": give} for number, (give, _) in enumerate(gives, start=1)]
    write(folder / "script.json", {"rules": rules})
    desk.tools(
        {"search": "  output: {type: object, required: [q], properties: {q: {type: string}}}\n  example: {q: a}\n"}
    )
    desk.write(
        "profiles/local.yaml",
        f"""profile: local
tools:
  desk.search:
    adapter: mcp
    settings: {{program: "{sys.executable}", argv: ["{MCP_PROGRAM}", "{folder}"]}}
    request: {{tool: echo, arguments: {{q: "{{{{ q }}}}"}}}}
    errors: [{{when: "answer.status is present and answer.status == 'error'", code: said_no}}]
    success: answer.q is present
""",
    )
    desk.workflow(
        """  A:
    tools: [desk.search]
    steps:
      - each: n
        in: given
        do: [{call: desk.search, with: {q: "{{ n | text }}"}, outcome: one}, {collect: all, item: "{{ one }}"}]
""",
        listed(given=list(range(len(gives))), all=[]),
    )
    assert desk("tools", "pin", "--profile", "profiles/local.yaml", "--accept", "--trust-profile").status == 0
    ended = desk.outputs()["all"]
    assert [one["ok"] for one in ended] == [fine for _, fine in gives]
    assert [one.get("value") for one in ended if not one["ok"]] == [None] * 6
    assert ended[5]["value"] == {"q": "fine"}


# --- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not CASES, reason="the cases in ../shared/cases/bank.jsonl are not here")
def test_every_case_has_a_check() -> None:
    assert sorted(CHECKS | WITH_MODEL) == sorted(CASES)


@pytest.mark.skipif(not CASES, reason="the cases in ../shared/cases/bank.jsonl are not here")
@pytest.mark.parametrize("name", CHECKS)
def test_what_users_met_elsewhere_does_not_happen(desk: Desk, name: str) -> None:
    CHECKS[name](desk, CASES[name])


@pytest.mark.skipif(not CASES, reason="the cases in ../shared/cases/bank.jsonl are not here")
@pytest.mark.parametrize("name", WITH_MODEL)
def test_what_users_met_with_models_does_not_happen(desk: Desk, shared_model_server: ModelServer, name: str) -> None:
    WITH_MODEL[name](desk, shared_model_server)

"""What starting costs: fresh processes of a compiled copy, beside bare Python of the same run.

Run: python bench/start.py [--no-peers]. Exit 1 when a ratio of SPEED 1 is missed. The copy stands for an installed
wheel: its `.pyc` files are there, and nothing of the clone is on its path before it.
"""

from __future__ import annotations

import compileall
import gc
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import kit
import peers

ROOT = Path(__file__).parents[1]
ROUNDS = 11
NOWHERE = "/dev/null/nowhere"
"""A cache directory that cannot be made."""

_PROFILE = """\
profile: local
title: {zh: 本机, en: This machine}
tools: {box.*: {adapter: compute, answer: {}}}
"""
_CONTRACT = """\
box.look{number}:
  title: {{zh: 看, en: Look}}
  effect: read
  idempotent: true
  input:
    type: object
    properties: {{name: {{type: string}}, count: {{type: integer, minimum: 0}}}}
    required: [name]
  output:
    type: object
    properties: {{found: {{type: boolean}}, items: {{type: array, items: {{type: string}}}}}}
    required: [found, items]
  example: {{found: true, items: [a]}}
  errors:
    busy: {{kind: transient, happened: never, title: {{zh: 忙, en: Busy}}}}
"""
_HEAD = """\
workflow: bench
version: 0.1.0
title: {zh: 测量, en: Bench}
effect: read
USES
data:
  count: {type: integer, default: 0}
  names: {type: array, items: {type: string}, default: []}
  notes: {type: array, items: {type: object, properties: {name: {type: string}, size: {type: integer}}}, default: []}
outputs:
  count: {type: integer, value: "{{ count }}", default: 0}
  notes: {type: integer, value: "{{ notes | count }}", default: 0}
gates:
  few:
    - {that: count < 1000000, message: {zh: "太多：{{ count }}", en: "Too many: {{ count }}"}}
states:
  FIRST:
    title: {zh: 开始, en: Begin}
    steps:
      - set: {count: "{{ count + 1 }}"}
    next:
      - {when: count > 0, to: end}
      - {to: STATE1}
"""
_STATE = """\
  STATE{number}:
    title: {{zh: 第 {number} 步, en: Step {number}}}
    tools: [box.look{tool}]
    enter: [few]
    steps:
      - let:
          many: names | count
          first: names | first | default('x')
      - when: many > 3
        set:
          count: "{{{{ count + many }}}}"
      - each: name
        in: names
        where: name != first
        do:
          - call: box.look{tool}
            with:
              name: "{{{{ name }}}}"
              count: "{{{{ count }}}}"
            retry: {{errors: [busy], at_most: 3, wait: 1s}}
            as: looked
          - collect: notes
            item:
              name: "{{{{ name }}}}"
              size: "{{{{ looked.items | count }}}}"
        give: "{{{{ looked.found }}}}"
        as: found
      - say:
          done: {{zh: "看了 {{{{ found | count }}}} 个", en: "Looked at {{{{ found | count }}}}"}}
          next: {{zh: 继续, en: Going on}}
          writes: false
    next:
      - {{when: count > 10 and names | count > 3, to: STATE{next}, at_most: 5}}
      - {{to: end}}
"""


class Specs:
    """Workflows of a given length, each in a folder of its own with its profile and contracts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, lines: int) -> Path:
        """Return a workflow of some lines, its contracts counted."""
        folder = self._folder / str(lines)
        (folder / "profiles").mkdir(parents=True)
        (folder / "tools").mkdir()
        (folder / "profiles" / "local.yaml").write_text(_PROFILE, encoding="utf-8")
        tools = max(1, lines // 150)
        contracts = "".join(_CONTRACT.format(number=number) for number in range(1, tools + 1))
        text = _HEAD.replace("USES", "uses: {tools: [box]}")
        total = contracts.count("\n") + text.count("\n")
        each = _STATE.count("\n")
        count = max(1, (lines - total) // each)
        states = [_STATE.format(number=n, next=n % count + 1, tool=(n - 1) % tools + 1) for n in range(1, count + 1)]
        title = "tools: box\ntitle: {zh: 盒子, en: Box}\n"
        (folder / "tools" / "box.yaml").write_text(title + contracts, encoding="utf-8")
        path = folder / "bench.yaml"
        path.write_text(text + "".join(states), encoding="utf-8")
        return path


class Command:
    """The command as it runs from the copy."""

    def __init__(self, folder: Path) -> None:
        self._copy = folder / "copy"
        for package in ("interpreter", "rules"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, self._copy / package, ignore=ignored)
        shutil.copytree(ROOT / "schemas", self._copy / "interpreter" / "schemas", dirs_exist_ok=True)
        compileall.compile_dir(self._copy, quiet=1, workers=1)
        self._entry = f"import sys; sys.path.insert(0, {str(self._copy)!r}); from interpreter.cli.entry import main"
        self._folder = folder

    def cost(self, *words: str | Path, cache: str = NOWHERE) -> Callable[[], float]:
        command = [sys.executable, "-I", "-c", f"{self._entry}; sys.exit(main())", *words]
        return lambda: kit.child(command, self._folder, XDG_CACHE_HOME=cache)


def bare() -> float:
    return kit.child([sys.executable, "-I", "-c", "pass"])


def starts(table: kit.Table, command: Command, specs: Specs, folder: Path) -> None:
    small, middle, large = specs.of(100), specs.of(1500), specs.of(5000)
    home, cache = folder / "home", folder / "cache"

    def run(spec: Path, where: str = NOWHERE) -> Callable[[], float]:
        return command.cost("run", spec, "--home", home, "--quiet", "--json", cache=where)

    run(small, str(cache))()
    figures = {
        "--version": (command.cost("--version"), 0.03),
        "start to first step, plan in the cache": (run(small, str(cache)), 0.08),
        "the same, no cache, 100 lines": (run(small), 0.15),
        "the same, no cache, 1,500 lines, checked": (run(middle), 0.25),
        "lint, 1,500 lines": (command.cost("lint", middle), 0.25),
        "lint, 5,000 lines": (command.cost("lint", large), 0.45),
    }
    for cost, _ in figures.values():
        cost()
    least, *ours = kit.alternately(bare, *(cost for cost, _ in figures.values()), rounds=ROUNDS)
    for (name, (_, seconds)), mine in zip(figures.items(), ours, strict=True):
        table.add(name, mine, "bare Python", least, "s", seconds / kit.BARE_SECONDS)
    tree(table, middle)


def tree(table: kit.Table, spec: Path) -> None:
    """The located tree, a line, beside the render that all microseconds are compared with."""
    from interpreter.source import Source
    from interpreter.yaml_tree import read_tree

    text = spec.read_text(encoding="utf-8")
    lines = text.count("\n")
    read_tree(Source("bench", text))
    gc.disable()  # as the command has it until a run walks
    line, render = kit.alternately(
        lambda: kit.cpu(lambda: read_tree(Source("bench", text))) / lines * 1e6, kit.render_cost, rounds=3 * kit.ROUNDS
    )
    gc.enable()
    table.add("located tree, a line", line, "sandboxed render", render, "µs", 10 / kit.RENDER_MICROSECONDS)


def main() -> int:
    table = kit.Table()
    folder = Path(tempfile.mkdtemp(prefix="bench-start-"))
    try:
        table.head()
        command, specs = Command(folder), Specs(folder)
        starts(table, command, specs, folder)
        if "--no-peers" not in sys.argv:
            path, home = Specs(folder / "peers").of(100), folder / "home"
            peers.starts(table, command.cost("run", path, "--home", home, "--quiet", "--json"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return table.exit_status()


if __name__ == "__main__":
    sys.exit(main())

"""What checking costs its author: `lint` with types and proofs, one proof over many states, two hundred test cases.

Run: python bench/lint.py. Exit 1 where a target is missed. Processes run from a compiled copy, as an installed wheel
would; the workflows of a given length are those of `start.py`, to which guarantees are added. Everything is checked
anew each time, but for the one line that says that nothing changed since `lint` found nothing.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import kit
from start import ROOT, Command, Specs, bare

ROUNDS = 5
_GUARANTEES = """\
guarantees:
  - id: first-comes-first
    every: {call: box.*}
    comes_after: {state: FIRST}
  - id: nothing-is-written
    every: {call: {effect: [write, destructive]}}
    only_in: [FIRST]
  - id: never-back
    never: {state: FIRST}
    directly_after: {state: STATE1}
gates:
"""
_CASE = """\
  - id: c{number}
    inputs: {{name: "n{number}"}}
    expect: {{status: completed, outputs: {{greeting: "Hello, n{number}!"}}}}
"""
_GREETING = """\
workflow: greet
version: 1.0.0
title: {zh: 问候, en: A greeting}
inputs: {name: {type: string, minLength: 1, title: {zh: 姓名, en: Name}}}
outputs: {greeting: {type: string, value: "Hello, {{ name }}!"}}
states:
  GREET:
    title: {zh: 问候, en: Greet}
    steps:
      - say: {done: {zh: "{{ name }}", en: "{{ name }}"}, next: {zh: 结束, en: The end}, writes: false}
"""
_STATES = 500


def lints(table: kit.Table, command: Command, folder: Path) -> None:
    specs = Specs(folder)
    middle, large = specs.of(1500), specs.of(5000)
    for path in (middle, large):
        path.write_text(path.read_text("utf-8").replace("gates:\n", _GUARANTEES, 1), encoding="utf-8")
    figures = {
        "lint with types and proofs, 1,500 lines": (command.cost("lint", middle), 0.40),
        "lint with types and proofs, 5,000 lines": (command.cost("lint", large), 0.9),
        "lint, all shipped specs": (command.cost("lint", ROOT / "specs"), 1.0),
        "lint, all shipped specs, clean before, unchanged": (
            command.cost("lint", ROOT / "specs", cache=str(folder / "cache")),
            0.1,
        ),
        "200 test cases": (command.cost("test", cases(folder)), 5.0),
    }
    for cost, _ in figures.values():
        cost()
    least, *ours = kit.alternately(bare, *(cost for cost, _ in figures.values()), rounds=ROUNDS)
    for (name, (_, seconds)), mine in zip(figures.items(), ours, strict=True):
        table.add(name, mine, "bare Python", least, "s", seconds / kit.BARE_SECONDS)


def cases(folder: Path) -> Path:
    """Write a workflow with two hundred cases; returns their document."""
    place = folder / "cases"
    (place / "tests").mkdir(parents=True)
    (place / "greet.yaml").write_text(_GREETING, encoding="utf-8")
    text = "tests: greet\nworkflow: greet\ncases:\n"
    path = place / "tests" / "greet.yaml"
    path.write_text(text + "".join(_CASE.format(number=number) for number in range(200)), encoding="utf-8")
    return path


def proof(table: kit.Table, folder: Path) -> None:
    """One guarantee over a chain of states that also lead back, in this process."""
    from interpreter.check.proofs import prove
    from interpreter.documents.loading import load_workflow
    from interpreter.resolve import resolve

    chain = "".join(
        f"  S{number}:\n    steps: [{{set: {{count: {number}}}}}]\n    next:\n"
        f"      - {{when: count > {number}, to: S{max(0, number - 1)}, at_most: 3}}\n      - {{to: S{number + 1}}}\n"
        for number in range(_STATES - 1)
    )
    text = (
        "workflow: chain\nversion: 1.0.0\ndata: {count: {type: integer, default: 0}}\n"
        f"guarantees:\n  - {{id: in-order, every: {{state: S{_STATES - 1}}}, comes_after: {{state: S250}}}}\n"
        f"states:\n{chain}  S{_STATES - 1}: {{title: {{zh: 完, en: End}}}}\n"
    )
    path = folder / "chain.yaml"
    path.write_text(text, encoding="utf-8")
    documents, _ = load_workflow(path)
    assert documents is not None
    resolved = resolve(documents)
    assert [one.verdict for one in prove(resolved)] == ["proved"]
    mine, least = kit.alternately(lambda: kit.cpu(lambda: prove(resolved)), bare)
    table.add("proof of a guarantee, 500 states", mine, "bare Python", least, "s", 0.2 / kit.BARE_SECONDS)


def main() -> int:
    table = kit.Table()
    folder = Path(tempfile.mkdtemp(prefix="bench-lint-"))
    try:
        table.head()
        lints(table, Command(folder), folder)
        proof(table, folder)
    finally:
        shutil.rmtree(folder)
    return table.exit_status()


if __name__ == "__main__":
    sys.exit(main())

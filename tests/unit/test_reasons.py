"""Every reason why something could not be evaluated has words, and every hole of these words has its fact.

So has every failure of a call: it is made with words in both languages.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from interpreter.codes import CODES
from interpreter.codes.run import REASONS
from interpreter.diagnostics import holes_of

ROOT = Path(__file__).parents[2]
RAISED_BY = {"cannot", "of_wrong_kind", "CannotEvaluate"}
#: Failures that somebody always catches and turns into a value; nobody reads them.
CAUGHT = {"no-public-suffixes"}
#: Where failures of calls are made; the rest hands on a recorded one.
MADE_IN_WORDS = "adapters/reasons.py"
NOT_MADE = {"adapters/recorder/adapter.py"}


def _kinds(call: ast.Call) -> Iterator[str]:
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.arg
            yield f"{keyword.arg}_zh"


def _facts_in(node: ast.AST | None) -> Iterator[str]:
    """Yield the facts that a mapping names; '*' where some of them are not written there."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "kind_facts":
        yield from _kinds(node)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                yield from _facts_in(value)
            else:
                assert isinstance(key, ast.Constant)
                yield str(key.value)
    elif node is not None:
        yield "*"


def _raised(call: ast.Call) -> Iterator[str]:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name == "of_wrong_kind":
        yield from ("found", "found_zh")
    if name == "CannotEvaluate" and len(call.args) > 1:
        yield from _facts_in(call.args[1])
    for keyword in call.keywords:
        if keyword.arg is None:
            yield from _facts_in(keyword.value)
        else:
            yield keyword.arg


def _all_raised() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for folder in ("rules", "interpreter/engine", "interpreter/plan"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in RAISED_BY or not node.args:
                    continue
                code = node.args[0]
                if isinstance(code, ast.Constant) and code.value not in CAUGHT:
                    yield str(code.value), f"{path.relative_to(ROOT)}:{node.lineno}", tuple(sorted(set(_raised(node))))


def _faults(code: str, place: str, facts: tuple[str, ...]) -> Iterator[str]:
    found = [CODES[name].message for name in (f"rule/{code}", f"expression/{code}") if name in CODES]
    known = [REASONS[code], *found] if code in REASONS else found
    if not known:
        yield f"{place}: {code} has no words"
    elif "*" not in facts and not any(holes_of(words) <= set(facts) for words in known):
        yield f"{place}: {code} with {facts}"


def test_every_reason_has_words_and_all_their_facts() -> None:
    raised = list(_all_raised())
    assert len({code for code, _, _ in raised}) > 50
    assert [fault for one in raised for fault in _faults(*one)] == []


def test_every_failure_of_a_call_is_made_in_both_languages() -> None:
    made = set()
    for folder in ("adapters", "session"):
        for path in (ROOT / "interpreter" / folder).rglob("*.py"):
            calls = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
            if any(getattr(call.func, "id", "") == "ToolFailure" for call in calls):
                made.add(path.relative_to(ROOT / "interpreter").as_posix())
    assert made - NOT_MADE == {MADE_IN_WORDS}

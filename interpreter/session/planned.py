"""What documents, a profile and settings come to before inputs are read and adapters are opened.

These records are what the cache of plans keeps: nothing here, and nothing that they hold, needs the planner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from interpreter.adapters.planning import AdapterPlan
from interpreter.diagnostics import Diagnostic, Words, finding
from interpreter.engine.program import Program
from interpreter.source import Span
from rules.records import NamedTuple, record


class DeclaredInput(NamedTuple):
    """One input. Shapes: `problem` says why a value does not fit, `wanted` what would, in a few words."""

    name: str
    schema: Mapping[str, Any]
    run_of: str | None
    is_optional: bool
    problem: Callable[[Any], Words | None]
    wanted: str


def unfit_input(declared: DeclaredInput, problem: Words, span: Span | None) -> Diagnostic:
    """Return the finding of a value that an input does not take, with what it takes where that can be said."""
    wanted = declared.wanted
    hint = Words(f"需要：{wanted}", f"wanted: {wanted}") if wanted else None
    return finding(
        "command/input-unfit", span, hint=hint, name=declared.name, problem_zh=problem.zh, problem_en=problem.en
    )


class ProfileTool(NamedTuple):
    adapter: str


class ProfileFacts(NamedTuple):
    """What is still asked of a profile once its adapters are planned."""

    name: str
    unattended_confirm: bool
    tools: tuple[ProfileTool, ...]


@record
class Planned:
    """A workflow as it is planned under a profile and settings.

    Shapes: `texts` and `digests` by place below the folder of workflows; `questions` are the names of all questions.

    `sets` are what a person set, as texts, with paths that mean the same place wherever the run goes on.
    `program` is None where a setting was refused, which a finding says.
    """

    texts: Mapping[str, str]
    digests: Mapping[str, str]
    questions: tuple[str, ...]
    inputs: tuple[DeclaredInput, ...]
    profile: ProfileFacts
    profile_text: str
    adapters: tuple[AdapterPlan, ...]
    program: Program | None
    sets: Mapping[str, str]
    warnings: tuple[Diagnostic, ...] = ()

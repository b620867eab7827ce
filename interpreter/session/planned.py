"""What documents, a profile and settings come to before inputs are read and adapters are opened.

These records are what the cache of plans keeps: nothing here, and nothing that they hold, needs the planner.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from interpreter.adapters.planning import AdapterPlan
from interpreter.diagnostics import Diagnostic, Words, finding, nearest
from interpreter.engine.program import Program
from interpreter.ports import JsonObject
from interpreter.source import Span
from rules.columns import is_too_long
from rules.patterns import regex
from rules.records import NamedTuple, record
from rules.values import dumps

_PARTED: Final = regex(r"[,，;；、]")


class DeclaredInput(NamedTuple):
    """One input. Shapes: `problem` says why a value does not fit, `wanted` what would, in a few words."""

    name: str
    schema: Mapping[str, Any]
    run_of: str | None
    is_optional: bool
    problem: Callable[[Any], Words | None]
    wanted: str
    hides: bool = False


def unfit_input(declared: DeclaredInput, problem: Words, span: Span | None, value: Any = None) -> Diagnostic:
    """Return the finding of a value that an input does not take, with how it is written, else with what is taken."""
    wanted, meant = declared.wanted, _as_wanted(declared, value)
    hint = Words(f"需要：{wanted}", f"wanted: {wanted}") if wanted else None
    if meant is not None:
        hint = Words(f"写 {meant}", f"write {meant}")
    return finding(
        "command/input-unfit", span, hint=hint, name=declared.name, problem_zh=problem.zh, problem_en=problem.en
    )


def not_misspelt(missing: list[str], unknown: Collection[str]) -> list[str]:
    """Return the inputs that nobody gave, without those for which an unknown name most likely stands."""
    meant = {nearest(name, missing) for name in unknown}
    return [name for name in missing if name not in meant]


def _as_wanted(declared: DeclaredInput, value: Any) -> str | None:
    """Return a text as it is written where a truth, a number or a list of texts is wanted; None where nobody knows."""
    if not isinstance(value, str) or declared.hides:
        return None
    from interpreter.shape.messages import plain_spelling  # most values fit

    kinds = declared.schema.get("type", ())
    kinds = frozenset({kinds}) if isinstance(kinds, str) else frozenset(kinds)
    plain = plain_spelling(value, kinds)
    is_of_texts = declared.schema.get("items", {}).get("type", "string") == "string"
    if plain is None and kinds == {"array"} and is_of_texts and value.strip() and value.lstrip()[0] not in "[{":
        return dumps([part.strip() for part in _PARTED.split(value)])
    return None if plain is None or is_too_long(plain) else plain


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

    Shapes: `texts` and `digests` by place below the folder of workflows; `questions` are the names of all questions;
    `profile_texts` by the name of the file, that of the profile first and then those that it extends.

    `sets` are what a person set, as texts, with paths that mean the same place wherever the run goes on.
    `program` is None where a setting was refused, which a finding says.
    """

    texts: Mapping[str, str]
    digests: Mapping[str, str]
    questions: tuple[str, ...]
    inputs: tuple[DeclaredInput, ...]
    profile: ProfileFacts
    profile_texts: Mapping[str, str]
    adapters: tuple[AdapterPlan, ...]
    program: Program | None
    sets: Mapping[str, str]
    warnings: tuple[Diagnostic, ...] = ()

    def recorded_profile(self, path: str) -> JsonObject:
        """Return the profile as a run records it. Shapes: `extended` are the texts of those that it extends."""
        own, *extended = self.profile_texts.items()
        recorded = {"path": path, "name": self.profile.name, "text": own[1]}
        return {**recorded, "extended": dict(extended)} if extended else recorded

"""Contracts of tools, ready to be called."""

from __future__ import annotations

from typing import Literal

from interpreter import model
from interpreter.codes.model import MODEL_ERRORS
from interpreter.codes.service import SERVICE_ERRORS
from interpreter.engine.program import ContractPlan, ErrorMeaning, FollowPlan, LookupPlan, PagingPlan
from interpreter.engine.validation import Validator
from interpreter.plan.shapes import problem_of, pruned
from interpreter.plan.values import Compiler, constant_of, seconds_of
from interpreter.pointers import bodies_in, pointers_in

#: What the engine itself may say of any tool, beside what a contract declares.
_ENGINE_ERRORS = {
    "unknown_outcome": ErrorMeaning("timed_out", "perhaps"),
    "timed_out": ErrorMeaning("timed_out", "perhaps"),
    "cancelled": ErrorMeaning("cancelled", "perhaps"),
    "adapter_failed": ErrorMeaning("permanent", "perhaps"),
    "invalid_answer": ErrorMeaning("invalid", "perhaps"),
    "unreachable": ErrorMeaning("unreachable", "never"),
    "no_example": ErrorMeaning("permanent", "never"),
}


#: What the adapters of services may say of any tool; nothing has happened where a tool only reads.
_SERVICE_ERRORS = {code: ErrorMeaning(error.kind, error.happened) for code, error in SERVICE_ERRORS.items()}
_SERVICE_ERRORS_OF_READS = {code: ErrorMeaning(error.kind, "never") for code, error in SERVICE_ERRORS.items()}


def _model_errors(contract: model.Contract) -> dict[str, ErrorMeaning]:
    """Return what the adapter `model` may say of a task that has a prompt."""
    if contract.prompt is None:
        return {}
    happened: Literal["never", "perhaps"] = "never" if contract.effect == "read" else "perhaps"
    return {code: ErrorMeaning(error.kind, happened) for code, error in MODEL_ERRORS.items()}


def contract_of(contract: model.Contract) -> ContractPlan:
    """Return a contract as the engine calls it: its checks compiled, its errors with what they mean."""
    compiler = Compiler(frozenset())
    paging = contract.paging
    lookup = contract.verify_with
    follow = contract.follow
    properties = contract.input.get("properties")
    is_open = contract.input.get("additionalProperties", False) is not False
    return ContractPlan(
        name=contract.name,
        effect=contract.effect,
        idempotent=contract.idempotent,
        check_input=problem_of(contract.input),
        check_answer=problem_of(contract.output),
        prune=pruned(contract.output),
        takes=frozenset(properties) if isinstance(properties, dict) and not is_open else None,
        example=contract.example,
        failed=compiler.optional_condition(contract.failed),
        pending=compiler.optional_condition(contract.pending),
        follow=FollowPlan(follow.tool, compiler.value(follow.arguments)) if follow is not None else None,
        errors={
            **(_SERVICE_ERRORS_OF_READS if contract.effect == "read" else _SERVICE_ERRORS),
            **_ENGINE_ERRORS,
            **_model_errors(contract),
            **{
                code: ErrorMeaning(error.kind, error.happened, constant_of(error.title, None))
                for code, error in contract.errors.items()
            },
        },
        lookup=LookupPlan(
            lookup.tool,
            compiler.value(lookup.arguments),
            compiler.optional_condition(lookup.happened),
            compiler.optional_condition(lookup.did_not),
            compiler.value(lookup.give) if lookup.give is not None else None,
        )
        if lookup is not None
        else None,
        paging=PagingPlan(paging.token_in, paging.token_out, paging.more, paging.items) if paging is not None else None,
        one_at_a_time=contract.one_at_a_time,
        timeout=seconds_of(contract.timeout) if contract.timeout is not None else None,
        problems=Validator(contract.output).problems,
        pointers=pointers_in(contract.output),
        bodies=bodies_in(contract.output),
    )

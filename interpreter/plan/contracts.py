"""Contracts of tools, ready to be called."""

from __future__ import annotations

from interpreter import model
from interpreter.engine.program import ContractPlan, ErrorMeaning, FollowPlan, LookupPlan, PagingPlan
from interpreter.plan.shapes import problem_of, pruned
from interpreter.plan.values import Compiler, constant_of, seconds_of

#: What the engine itself may say of any tool, beside what a contract declares.
_ENGINE_ERRORS = {
    "unknown_outcome": ErrorMeaning("timed_out", "perhaps"),
    "timed_out": ErrorMeaning("timed_out", "perhaps"),
    "cancelled": ErrorMeaning("cancelled", "perhaps"),
    "adapter_failed": ErrorMeaning("permanent", "perhaps"),
    "invalid_answer": ErrorMeaning("invalid", "perhaps"),
    "unreachable": ErrorMeaning("unreachable", "never"),
}


def contract_of(contract: model.Contract) -> ContractPlan:
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
            **_ENGINE_ERRORS,
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
    )

"""The prompt of a contract, ready to be asked of a model."""

from __future__ import annotations

from interpreter import model
from interpreter.adapters.model.schema import schema_for_model
from interpreter.adapters.model.task import Task, language_of
from interpreter.plan.values import Compiler


def task_of(contract: model.Contract) -> Task | None:
    """Return what a model is asked for, None where the contract has no prompt."""
    prompt = contract.prompt
    if prompt is None or prompt.user is None:
        return None
    compiler = Compiler(frozenset())
    texts = [text_of(one) for one in (prompt.system, prompt.user)]
    return Task(
        name=contract.name,
        system=compiler.optional(prompt.system),
        user=compiler.value(prompt.user),
        schema=schema_for_model(contract.output),
        language=language_of("".join(texts)),
        has_fences=any("fence(" in text for text in texts),
    )


def text_of(value: model.Value | None) -> str:
    """Return a prompt as it is written."""
    match value:
        case model.Text(template=template):
            return template.text
        case model.Constant(value=str(text)):
            return text
    return ""

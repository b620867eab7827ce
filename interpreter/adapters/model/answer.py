"""From the text of a model to the value that it says.

Strictly parsed first, so that a text which happens to hold a fence or a tag stays as it is. Where that fails, a fence
around the whole is taken off, or thoughts at its beginning: complete blocks, else everything up to a closing tag that
was never opened. Then it is strictly parsed again. Nothing is searched, cut out or mended: what is not JSON then is a
fault, and so are thoughts without an end. The text itself stands in no failure.
"""

from __future__ import annotations

import re
from typing import Any

from interpreter.adapters.model.failures import failure
from interpreter.diagnostics import Words
from interpreter.json_texts import strict_json
from rules.json_problems import json_problem
from rules.patterns import regex

#: How models mark thoughts: `<think>`, `<reasoning>`, `[THINK]`, `◁think▷`, full-width too. A tag is written closely;
#: a run of blanks of any length inside it would be looked through again from each mark.
_TAG = regex(
    r"[<＜\[◁]\s{0,2}([/／]?)\s{0,2}(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning)\s{0,2}[>＞\]▷]", re.IGNORECASE
)
_FENCE = regex(r"```[ \t]*(?:json)?[ \t]*\r?\n(.*)\r?\n[ \t]*```", re.IGNORECASE | re.DOTALL)


_ONLY_THOUGHTS = Words("一段思考接着一段思考", "thoughts after thoughts")
#: So many blocks of thoughts are taken off; each is a look at the whole text.
_MOST_THOUGHTS = 20


def value_in(text: str) -> Any:
    """Return the value that a model's text says.

    Errors: ToolFailure(`empty_answer`, `thoughts_unclosed`, `answer_not_json`).
    """
    problem: Words | None = None
    for _ in range(_MOST_THOUGHTS):
        if not text.strip():
            raise failure("empty_answer")
        for candidate in (text, _inside_fence(text)):
            if candidate is None:
                continue
            try:
                return strict_json(candidate)
            except ValueError as error:
                problem = problem or Words(*json_problem(error))
        rest = _after_thoughts(text)
        if rest is None:
            raise failure("answer_not_json", reason=problem)
        if not rest.strip():
            raise failure("thoughts_unclosed")
        text, problem = rest, None
    raise failure("answer_not_json", reason=_ONLY_THOUGHTS)


def _inside_fence(text: str) -> str | None:
    found = _FENCE.fullmatch(text.strip())
    return found[1] if found is not None else None


def _after_thoughts(text: str) -> str | None:
    """Return what follows the thoughts at the beginning of a text, None where there are none.

    Errors: ToolFailure(`thoughts_unclosed`) for thoughts that never end.
    """
    first = _TAG.search(text)
    if first is None:
        return None
    if first[1]:  # closed and never opened: some servers leave the opening tag to the prompt
        return text[first.end() :]
    if text[: first.start()].strip():
        return None
    depth = 0
    for tag in _TAG.finditer(text):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return text[tag.end() :]
    raise failure("thoughts_unclosed")

"""From the text of a model to the value that it says.

Strictly parsed first, so that a text which happens to hold a fence or a tag stays as it is. Where that fails, a fence
around the whole is taken off, the mark of a model for its end, or thoughts at its beginning: complete blocks, else
everything up to a closing tag that was never opened, or up to the channel of the answer. Then it is strictly parsed
again. Nothing is searched, cut out or mended: what is not JSON then is a fault, and so are thoughts without an end. The
text itself stands in no failure.
"""

from __future__ import annotations

import re
from typing import Any

from interpreter.adapters.model.failures import failure
from interpreter.diagnostics import Words
from rules.json_problems import json_problem
from rules.json_texts import strict_json
from rules.patterns import regex

#: How models mark thoughts: `<think>`, `<reasoning>`, `[THINK]`, `◁think▷`, full-width too. A tag is written closely;
#: a run of blanks of any length inside it would be looked through again from each mark.
_TAG = regex(
    r"[<＜\[◁]\s{0,2}([/／]?)\s{0,2}(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning)\s{0,2}[>＞\]▷]", re.IGNORECASE
)
#: The mark, a word for the language where it ends its line or is `json`, what is inside, the mark again. A longer mark
#: is none: each place where it could end would be compared with all of it.
_FENCE = regex(r"(`{3,20}|~{3,20})[ \t]*(?:[\w.+-]*[ \t]*\r?\n|json\b)(.*)\1", re.IGNORECASE | re.DOTALL)
#: Some servers leave the marks in with which a model parts its thoughts from its answer, and ends it.
_CHANNELS = ("<|channel|>", "<|start|>")
_FINAL = regex(r"<\|channel\|>final(?:\s?<\|constrain\|>\w{1,20})?<\|message\|>")
_END = regex(r"\s{0,9}(?:<\|(?:end|return|im_end|eot_id|end_of_text|endoftext)\|>|</s>|<end_of_turn>)\Z")
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
        for candidate in (text, _unwrapped(text)):
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


def _unwrapped(text: str) -> str | None:
    """Return a text without a mark for its end and the fence around it, None where it has neither."""
    whole = text.strip()
    bare = _END.sub("", whole)
    found = _FENCE.fullmatch(bare)
    if found is not None:
        return found[2]
    return bare if bare != whole else None


def _after_thoughts(text: str) -> str | None:
    """Return what follows the thoughts at the beginning of a text, None where there are none.

    Errors: ToolFailure(`thoughts_unclosed`) for thoughts that never end.
    """
    if text.lstrip().startswith(_CHANNELS):
        final = _FINAL.search(text)
        if final is None:
            raise failure("thoughts_unclosed")
        return text[final.end() :]
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

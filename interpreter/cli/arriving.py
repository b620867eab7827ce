"""Messages of a host as they arrive, a line each; one that cannot be taken is answered, so that nobody waits for it.

The SDK passes over a line that is no message: a host that sends half a character, or nests too deeply, would never hear
of it. Which request it was is read from the line all the same, by its first level alone.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

from rules.patterns import regex

_TOKENS = regex(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:]|(?<![\w.+-])-?\d{1,15}(?![\w.])')
_PARSE_ERROR = -32700


class Arriving:
    """Lines of standard input for `stdio_server`. Shapes: `answers` takes messages to the host, once it is there."""

    def __init__(self, file: BinaryIO, words: str) -> None:
        import anyio

        self._file = file
        self._words = words
        self._can_answer = anyio.Event()
        self._answers: Any = None

    def answer_through(self, answers: Any) -> None:
        self._answers = answers
        self._can_answer.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        import anyio

        while line := await anyio.to_thread.run_sync(self._file.readline):
            if not line.strip():
                continue
            text = line.decode("utf-8", "surrogateescape")
            if is_message(text):
                yield text
            else:
                await self._refuse(number_in(text))

    async def _refuse(self, number: int | str | None) -> None:
        import mcp_types as types
        from mcp.shared.message import SessionMessage

        await self._can_answer.wait()
        error = types.ErrorData(code=_PARSE_ERROR, message=self._words)
        await self._answers.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=number, error=error)))


def own_standard_input() -> BinaryIO:
    """Return standard input, and leave an empty one to whatever else runs in this process."""
    own = os.fdopen(os.dup(0), "rb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return own


def is_message(text: str) -> bool:
    """Say whether a line is one message: JSON that the language can take and that the protocol knows."""
    import mcp_types as types

    from rules.json_texts import strict_json

    try:
        text.encode()
        strict_json(text)
        types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError:
        return False
    return True


def number_in(text: str) -> int | str | None:
    """Return the `id` of a message, None where none is found; whatever else is wrong with it."""
    depth, name, before = 0, "", ""
    for token in _TOKENS.finditer(text):
        word = token[0]
        if word in "{[":
            depth += 1
        elif word in "}]":
            depth -= 1
        elif depth == 1 and word == ":":
            name = before
        elif depth == 1 and name == '"id"':
            return _number(word)
        before, name = word, name if word == ":" else ""
    return None


def _number(word: str) -> int | str | None:
    if not word.startswith('"'):
        return int(word)
    return word[1:-1] if word.isascii() and "\\" not in word else None

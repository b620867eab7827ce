"""How requests and answers cross the pipes: a line of JSON that says how many bytes follow, then these bytes."""

from __future__ import annotations

import json
import os
import select
import time
from typing import Any, BinaryIO

_LONGEST_HEAD = 1 << 20


def written(head: dict[str, Any], body: bytes = b"") -> bytes:
    return json.dumps({**head, "bytes": len(body)}, ensure_ascii=True).encode() + b"\n" + body


def read_request(source: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Return the next request, or None where the other side has gone."""
    line = source.readline()
    if not line.endswith(b"\n"):
        return None
    head = json.loads(line)
    body = source.read(head["bytes"])
    return (head, body) if len(body) == head["bytes"] else None


class Broken(Exception):
    """The other side ended in the middle."""


class Late(Exception):
    """The deadline came first."""


class TooLong(Exception):
    """More was sent than is taken."""


def read_answer(descriptor: int, deadline: float, longest: int) -> tuple[dict[str, Any], bytes]:
    """Return one head with its body.

    Errors: Broken, Late, TooLong.
    """
    taken = b""
    while b"\n" not in taken:
        if len(taken) > _LONGEST_HEAD:
            raise Broken
        taken += _some(descriptor, deadline)
    line, _, rest = taken.partition(b"\n")
    head = json.loads(line)
    if head["bytes"] > longest:
        raise TooLong
    parts, missing = [rest], head["bytes"] - len(rest)
    while missing > 0:
        parts.append(_some(descriptor, deadline))
        missing -= len(parts[-1])
    return head, b"".join(parts)


def _some(descriptor: int, deadline: float) -> bytes:
    ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
    if not ready:
        raise Late
    found = os.read(descriptor, 1 << 20)
    if not found:
        raise Broken
    return found

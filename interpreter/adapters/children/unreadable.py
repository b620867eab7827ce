"""How a task says that a body cannot be read."""

from __future__ import annotations


class Unreadable(Exception):
    """`code` is the task's own word; `facts` say more."""

    def __init__(self, code: str, **facts: object) -> None:
        self.code = code
        self.facts = facts
        super().__init__(code, facts)

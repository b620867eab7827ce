"""Regular expressions that are compiled when they are first used.

Compiling costs 0.3 to 7 ms each, and a command needs few of those that its modules name.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Later:
    """Stands for a compiled pattern; each method is kept once it was asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._made = (text, flags)

    def __reduce__(self) -> Any:
        return _Later, self._made

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._made), name)
        self.__dict__[name] = value
        return value


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return what behaves like `re.compile(text, flags)`, except that `re`'s own functions do not take it."""
    return cast("re.Pattern[str]", _Later(text, flags))

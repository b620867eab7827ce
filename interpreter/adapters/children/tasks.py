"""The tasks that a child can do, by name.

A task is a module with `read(parameters, body)`, which returns JSON. A `prepare(parameters)` beside it does,
before the first fork, what every body would otherwise wait for; it never sees a body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TASKS: Final[Mapping[str, str]] = {
    "web.page": "interpreter.adapters.web.page",
    "web.pdf": "interpreter.adapters.web.pdf",
    "web.robots": "interpreter.adapters.web.robots_file",
}

"""Foreign bodies are read in a child process with limits: pages, PDF, office documents, robots.txt.

`Children.read` sends a body with the name of a task and gives back what the task returned. One process (`worker`) is
started when it is first needed and kept; it loads the libraries once and forks for each body, so that every body begins
with the same clean memory and its own CPU time, whatever was read before it, and can take nothing down but itself.
"""

from __future__ import annotations

from interpreter.adapters.children.children import ChildFailure, Children
from interpreter.adapters.children.limits import Limits
from interpreter.adapters.children.unreadable import Unreadable

__all__ = ["ChildFailure", "Children", "Limits", "Unreadable"]

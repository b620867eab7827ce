"""Bind every name of a workflow to its declaration: walk it once, with the scope of each place.

The walk follows the rules of the language: inputs, data, rule documents and questions are visible everywhere; locals
live to the end of their list of steps, those of a state also in its `next`; every item of a loop starts clean. What
it finds is a list of uses, targets and steps, each with its scope; the checks read these lists and never walk again.
"""

from __future__ import annotations

from interpreter.resolve.found import Plain, Resolved, Target, Use, Visit
from interpreter.resolve.walk import resolve, stands_in_data

__all__ = ["Plain", "Resolved", "Target", "Use", "Visit", "resolve", "stands_in_data"]

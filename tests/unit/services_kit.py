"""Tools of a profile as a run uses them: planned from documents, opened, called one after another."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interpreter.adapters.opening import open_planned
from interpreter.adapters.planning import plan_adapters
from interpreter.adapters.toolbox import Toolbox
from interpreter.diagnostics import Diagnostic
from interpreter.documents.loading import Loader
from interpreter.documents.profiles import load_profile
from interpreter.documents.reading import Disk
from interpreter.model import ToolDocument
from interpreter.ports import Answered, Request, ToolFailure

DESK = """\
tools: desk
desk.find:
  effect: read
  input:
    type: object
    additionalProperties: false
    properties:
      query: {type: string}
      page_token: {type: string}
      words: {type: array, items: {type: string}}
      number: {type: number}
  output:
    type: object
    properties:
      items: {type: array, items: {type: object, properties: {id: {type: integer}}}}
      next: {type: string}
      more: {type: boolean}
  example: {items: [], more: false}
  errors: {GONE: {kind: permanent, happened: never}, BUSY: {kind: transient, happened: never}}
  pages: {token_in: page_token, token_out: next, more: more, items: items}
desk.put:
  effect: write
  idempotent: true
  input: {type: object, additionalProperties: false, properties: {query: {type: string}}}
  output: {type: object, properties: {id: {type: integer}}}
  example: {id: 1}
"""


def opened(
    folder: Path, tools: str, *, settings: str = "", given: Mapping[str, Any] = {}
) -> tuple[Toolbox | None, list[Diagnostic]]:
    """Return the toolbox of a profile over the contracts of `desk`, or what is wrong with it."""
    (folder / "tools").mkdir(exist_ok=True)
    (folder / "profiles").mkdir(exist_ok=True)
    (folder / "tools" / "desk.yaml").write_text(DESK, "utf-8")
    path = folder / "profiles" / "p.yaml"
    path.write_text(f"profile: p\n{settings}tools:\n{tools}", "utf-8")
    profile, found = load_profile(path)
    if profile is None or found:
        return None, found
    loaded = Loader(folder, Disk()).load("tools/desk.yaml", "tools").document
    assert isinstance(loaded, ToolDocument)
    plans, found = plan_adapters(profile, {each.name: each for each in loaded.contracts}, given, path.parent)
    return open_planned(plans) if not found else (None, found)


def asked(toolbox: Toolbox, *requests: Request, cancelled: bool = False) -> list[Any]:
    """Return what each request came to, one after another: the value, or the failure."""

    async def ask() -> list[Any]:
        results: list[Any] = []
        for request in requests:
            try:
                answer = await toolbox.invoke(request, lambda: cancelled)  # type: ignore[misc]
                results.append(answer.value if isinstance(answer, Answered) else answer)
            except (ToolFailure, TimeoutError) as failed:
                results.append(failed)
        await toolbox.close()
        return results

    return asyncio.run(ask())


def find(timeout: float | None = 20, **arguments: Any) -> Request:
    return Request("desk.find", arguments, "read", "key-1", timeout=timeout)


def told(failed: Any, *hidden: str) -> ToolFailure:
    """Return a failure that is told in both languages, without holes left open and without what is hidden."""
    assert isinstance(failed, ToolFailure), failed
    assert failed.details["message"]["en"] == failed.message
    whole = json.dumps([failed.code, failed.message, failed.details], default=str, ensure_ascii=False)
    assert re.search(r"\{\w+\}", failed.message) is None, failed.message
    for secret in hidden:
        assert secret not in whole
    return failed

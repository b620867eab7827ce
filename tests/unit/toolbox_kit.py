"""Contracts of a few tools, and a profile that stands in no file."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.model import Contract, ToolDocument
from interpreter.parse import parse_document
from interpreter.source import Source
from interpreter.yaml_tree import read_tree

TOOLS = """\
tools: desk
desk.read:
  effect: read
  input: {type: object, properties: {id: {type: string}, notes: {type: array}}}
  output: {type: object, properties: {words: {type: string}}}
  example: {words: a}
desk.think:
  effect: read
  input: {type: object, properties: {id: {type: string}}}
  output: {type: object, properties: {words: {type: string}}}
  example: {words: a}
  prompt: {user: "{{ fence('id', id) }}"}
desk.weigh:
  effect: read
  input: {type: object, properties: {id: {type: string}}}
  output: {type: object, properties: {words: {type: string}}}
  example: {words: a}
  prompt: {user: "{{ fence('id', id) }}"}
"""


def contracts() -> Mapping[str, Contract]:
    source = Source("tools/desk.yaml", TOOLS)
    node, _ = read_tree(source)
    assert node is not None
    document = parse_document(node, source).document
    assert isinstance(document, ToolDocument)
    return {contract.name: contract for contract in document.contracts}


class Text:
    def __init__(self, text: str) -> None:
        self._text = text

    def read(self, path: object) -> str:
        return self._text

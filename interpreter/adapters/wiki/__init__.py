"""A folder of this machine as a wiki, behind the contracts of `wiki.yaml`; with the drive beside it, for moves
between the two.

A folder of the root with a `space.yaml` is a space; a folder below it with a `node.yaml` is a node. The document that
stands in a node is a file in its folder, named by `body:`; the nodes below it are its folders. A node is moved by
moving its folder, a document by moving its file.
"""

from __future__ import annotations

from interpreter.adapters.wiki.adapter import TOOLS, WikiAdapter

__all__ = ["TOOLS", "WikiAdapter"]

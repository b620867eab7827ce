"""Render findings and runs for people and machines.

`words` chooses the language and escapes, `diagnostics` renders findings, `terminal` everything that a person reads of a
run, `mermaid` the graph of a workflow, `plan` a plan as a table for other programs.
"""

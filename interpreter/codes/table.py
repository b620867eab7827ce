"""Every code of the project, written out by phase; nothing is found by import."""

from __future__ import annotations

from interpreter.codes import (
    adapter,
    analysis,
    command,
    evidence,
    expression,
    flow,
    fuzz,
    journal,
    name,
    rule,
    run,
    shape,
    test,
    tool,
    type_,
    yaml,
)
from interpreter.codes.declared import Code
from interpreter.words import Words

#: When codes are found, by what stands before their `/`.
PHASES: dict[str, Words] = {
    "yaml": Words("读取文档时发现", "found when a document is read"),
    "shape": Words("检查文档结构时发现", "found when the shape of a document is checked"),
    "expression": Words("检查或计算表达式时发现", "found when an expression is checked or evaluated"),
    "name": Words("检查名称时发现", "found when names are looked up"),
    "type": Words("检查值的类型时发现", "found when types of values are checked"),
    "flow": Words("检查状态和步骤时发现", "found when states and steps are checked"),
    "evidence": Words("检查证据和引用时发现", "found when evidence and citations are checked"),
    "rule": Words("检查规则文档时发现", "found when rule documents are checked"),
    "tool": Words("检查工具和 profile 时发现", "found when tools and the profile are checked"),
    "run": Words("运行时发现", "found while a run goes on"),
    "fuzz": Words("随机运行时发现", "found in runs that are drawn at random"),
    "test": Words("运行用例时发现", "found when cases are run"),
    "command": Words("检查命令的参数时发现", "found in what was given to the command"),
}

CODES: dict[str, Code] = {
    **yaml.CODES,
    **shape.CODES,
    **expression.CODES,
    **name.CODES,
    **type_.CODES,
    **flow.CODES,
    **rule.CODES,
    **analysis.CODES,
    **evidence.CODES,
    **tool.CODES,
    **adapter.CODES,
    **run.CODES,
    **journal.JOURNAL_CODES,
    **command.CODES,
    **test.CODES,
    **fuzz.CODES,
}

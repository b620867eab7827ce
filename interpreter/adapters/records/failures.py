"""How a call of the record store fails: the contract's codes, with words in both languages."""

from __future__ import annotations

from interpreter.adapters.folders.failures import failure
from interpreter.ports import ToolFailure


def unreadable(path: str, zh: str, en: str) -> ToolFailure:
    return failure("record_unreadable", f"{path} 不能使用：{zh}", f"{path} cannot be used: {en}")


def invalid_page_token() -> ToolFailure:
    return failure(
        "invalid_page_token",
        "翻页标记不属于这次查询；请从第一页重新开始",
        "the page token belongs to another query; begin again at the first page",
    )

"""How a call about a folder fails: the codes that its contracts share, with words in both languages."""

from __future__ import annotations

import errno

from interpreter.adapters.reasons import failure_in_words
from interpreter.diagnostics import Words
from interpreter.ports import ToolFailure


def failure(code: str, zh: str, en: str, /, **details: object) -> ToolFailure:
    """Return a failure in the contract's words; `details.message` holds both languages."""
    return failure_in_words(code, Words(zh, en), details)


def not_found(what: str) -> ToolFailure:
    return failure("not_found", f"找不到：{what}", f"there is no such item: {what}")


def denied(zh: str, en: str) -> ToolFailure:
    return failure("permission_denied", zh, en)


def unsupported(zh: str, en: str) -> ToolFailure:
    return failure("unsupported", zh, en)


def invalid(zh: str, en: str, /, **details: object) -> ToolFailure:
    return failure("invalid_arguments", zh, en, **details)


def invalid_page_token() -> ToolFailure:
    return failure(
        "invalid_page_token",
        "翻页标记已失效，或不属于这次查询；请从第一页重新开始",
        "the page token has expired or belongs to another query; begin again at the first page",
    )


#: What the system says, in the contract's codes. Everything here means that nothing was changed.
_BY_NUMBER = {
    errno.ENOENT: ("not_found", "找不到该项", "there is no such item"),
    errno.ENOTDIR: ("not_found", "路径中有一段不是文件夹", "a part of the path is no folder"),
    errno.EACCES: ("permission_denied", "系统不允许此操作", "the system does not allow it"),
    errno.EPERM: ("permission_denied", "系统不允许此操作", "the system does not allow it"),
    errno.EROFS: ("permission_denied", "所在磁盘是只读的", "the disk is read-only"),
    errno.ELOOP: ("unsupported", "不会跟随链接", "links are not followed"),
    errno.EXDEV: ("unsupported", "不能移动到另一个磁盘", "it cannot be moved to another disk"),
    errno.EEXIST: ("name_in_use", "目标位置已有同名项", "the name is taken at the target"),
    errno.ENOTEMPTY: ("name_in_use", "目标位置已有同名项", "the name is taken at the target"),
    errno.EINVAL: ("invalid_arguments", "系统不接受此操作", "the system refuses the operation"),
    errno.ENAMETOOLONG: ("invalid_arguments", "名称太长", "the name is too long"),
    errno.ENOSPC: ("quota_exceeded", "磁盘已满", "the disk is full"),
    errno.EDQUOT: ("quota_exceeded", "磁盘配额已用完", "the disk quota is used up"),
}


def from_system(error: OSError) -> ToolFailure:
    """Return the failure for an error of the system that left everything as it was."""
    code, zh, en = _BY_NUMBER.get(
        error.errno or 0, ("unavailable", "文件夹无法读写", "the folder cannot be read or written")
    )
    return failure(code, zh, en, system=error.strerror or str(error))

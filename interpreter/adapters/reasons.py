"""Why something went wrong, in both languages: a call, an expression without a value, a connection, a program."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

from interpreter.diagnostics import Words
from interpreter.ports import JsonObject, ToolFailure
from rules.values import CannotEvaluate

#: What the system says of connections and programs; it has English words for the rest.
_SYSTEM_ZH: Mapping[int, str] = {
    errno.ECONNREFUSED: "连接被拒绝",
    errno.ECONNRESET: "连接被重置",
    errno.EHOSTUNREACH: "没有到达这台主机的路由",
    errno.ENETUNREACH: "网络不可达",
    errno.ETIMEDOUT: "连接超时",
    errno.EPIPE: "管道已断开",
    errno.ENOENT: "没有这个文件或文件夹",
    errno.EACCES: "没有权限",
    errno.EPERM: "不允许这样做",
    errno.ENOEXEC: "文件不是可执行的格式",
    errno.EAGAIN: "资源暂时不可用",
    errno.ENOMEM: "内存不足",
    errno.EMFILE: "打开的文件太多",
}
BROKEN_COMPRESSION = Words("压缩内容已损坏", "broken compression")
_NO_ANSWER = Words("没有回应", "no answer")
_NOT_ACCEPTED = Words("域名或证书不被接受", "name or certificate not accepted")


def failure_in_words(
    code: str, words: Words, details: JsonObject | None = None, retry_after: float | None = None
) -> ToolFailure:
    """Return a failure whose details hold, beside what else is to be recorded, the words in both languages."""
    return ToolFailure(code, words.en, {**(details or {}), "message": words._asdict()}, retry_after)


def reason_of(error: CannotEvaluate) -> Words:
    """Return what went wrong and where it stands in the document, where that is known."""
    from interpreter.codes.reasons import reason_words

    words = reason_words(error.code, error.facts)
    where = getattr(error, "where", None)
    if where is None:
        return words
    place = f"{where.file}:{where.line}:{where.column}"
    return Words(f"{place}：{words.zh}", f"{place}: {words.en}")


def filled(words: Words, facts: Mapping[str, object], told: str = "") -> Words:
    """Return both texts with their holes filled; a fact in both languages gives each its own.

    Shapes: `told` is what the other side says itself, and stands at the end; no hole of it is filled.
    """
    zh = words.filled({name: fact.zh if isinstance(fact, Words) else fact for name, fact in facts.items()}).zh
    en = words.filled({name: fact.en if isinstance(fact, Words) else fact for name, fact in facts.items()}).en
    return Words(f"{zh}；原话：{told}", f"{en}; in its own words: {told}") if told else Words(zh, en)


def system_words(number: int) -> Words:
    """Return what the system calls an error of this number."""
    en = os.strerror(number)
    return Words(_SYSTEM_ZH.get(number, en), en)


def system_reason(error: BaseException) -> Words:
    """Return what the system says of a connection that could not be made, without addresses."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, TimeoutError):
            return _NO_ANSWER
        if isinstance(seen, OSError) and seen.errno is not None and seen.errno > 0:
            return system_words(seen.errno)
        seen = seen.__cause__ or seen.__context__
    return _NOT_ACCEPTED

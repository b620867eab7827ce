"""Codes of the durable record of a run: what is wrong with a journal, and what a person can do about it."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.codes.declared import Code
from interpreter.words import Words, filled

JOURNAL_CODES: dict[str, Code] = {
    "run/journal-cut": Code(
        "error",
        Words(
            "运行 {run} 的记录被截短：应有 {expected} 行，只找到 {found} 行",
            "the record of run {run} is cut: it should hold {expected} rows, {found} were found",
        ),
        Words(
            "没有执行任何操作，文件保持原样；请从完整的备份恢复整个文件夹（包括 journal.sqlite3-wal），不要重新开始",
            "nothing was done and the files were left as they are; restore the whole folder from a complete "
            "copy (journal.sqlite3-wal included) and do not start anew",
        ),
    ),
    "run/journal-damaged": Code(
        "error",
        Words("运行 {run} 的记录已损坏：{reason}", "the record of run {run} is damaged: {reason}"),
        Words(
            "没有执行任何操作，文件保持原样；请从完整的备份恢复整个文件夹（包括 journal.sqlite3-wal 和 head）",
            "nothing was done and the files were left as they are; restore the whole folder from a complete "
            "copy (journal.sqlite3-wal and head included)",
        ),
    ),
    "run/not-begun": Code(
        "error",
        Words("运行 {run} 的记录建不起来：{reason}", "the record of run {run} cannot be begun: {reason}"),
        Words(
            "什么也没有做；请腾出磁盘空间，或用 --home 指一个可以写的文件夹，再运行一次",
            "nothing was done; free some space, or name a folder that may be written to with --home, and run again",
        ),
    ),
    "run/journal-not-written": Code(
        "error",
        Words("运行 {run} 的记录写不进去：{reason}", "the record of run {run} cannot be written: {reason}"),
        Words(
            "运行已停下，已记录的内容都在；请腾出磁盘空间或恢复写权限，然后继续",
            "the run stopped and keeps all that was recorded; free some space or restore the right to write, "
            "then go on",
        ),
        "interpreter resume {run}",
    ),
    "run/journal-mismatch": Code(
        "error",
        Words(
            "运行 {run} 的记录与当前的步骤对不上：{key} 处{reason}",
            "the record of run {run} does not match the present steps: at {key} {reason}",
        ),
        Words(
            "没有重复任何操作；请恢复开始运行时的文档，或按记录的文本继续",
            "nothing was repeated; bring back the documents that the run began with, or go on with the recorded text",
        ),
        "interpreter resume {run} --as-recorded",
    ),
    "run/journal-of-another-sequence": Code(
        "error",
        Words(
            "运行 {run} 由版本 {release} 开始，它的调用顺序编号是 {recorded}，本程序的是 {own}",
            "run {run} was begun by release {release}, whose calling sequence is {recorded}; this program has {own}",
        ),
        Words("请用版本 {release} 把它做完", "finish it with release {release}"),
    ),
    "run/in-use": Code(
        "error",
        Words(
            "运行 {run} 正由另一个进程执行（进程号 {process}）",
            "another process (id {process}) is at work on run {run}",
        ),
        Words(
            "请等它结束（查看、回答和取消可以同时进行），或取消它",
            "wait until it ends (show, answer and cancel work beside it), or stop it",
        ),
        "interpreter cancel {run}",
    ),
    "run/unknown": Code(
        "error",
        Words("没有名为 {run} 的运行", "there is no run {run}"),
        Words("请检查 --home，再看有哪些运行", "check --home, and see which runs there are"),
        "interpreter runs",
    ),
    "run/exists": Code(
        "error",
        Words("运行 {run} 已经存在", "run {run} exists already"),
        Words("请另取一个编号，或继续那个运行", "choose another id, or go on with that run"),
        "interpreter resume {run}",
    ),
    "run/bad-id": Code(
        "error",
        Words("“{run}”不能用作运行编号", "“{run}” cannot be the id of a run"),
        Words(
            "只用英文字母、数字、点、连字符和下划线，以英文字母或数字开头，最多 100 个字符",
            "use letters a to z, digits, dots, hyphens and underscores, a letter or digit first, 100 at most",
        ),
    ),
}

#: Why a journal is damaged, does not match or cannot be written: words for the fact `reason`.
REASONS: dict[str, Words] = {
    "no-head": Words("缺少 head 文件，或它读不出来", "its head file is missing or unreadable"),
    "no-journal": Words("缺少 journal.sqlite3", "journal.sqlite3 is missing"),
    "empty": Words(
        "一行也没有，但 head 文件说有；可能复制时漏了 journal.sqlite3-wal",
        "it holds no row although its head file says so; perhaps it was copied without journal.sqlite3-wal",
    ),
    "chain": Words("第 {row} 行与前一行的校验值接不上", "row {row} does not follow from the row before it"),
    "shape": Words("第 {row} 行的形状不对", "row {row} has the wrong shape"),
    "blob": Words("第 {row} 行所指的大段内容不在或已改变", "the large value of row {row} is missing or changed"),
    "inbox": Words(
        "收到的回答和取消请求接不上校验值",
        "the answers and cancel requests received do not follow one another",
    ),
    "database": Words("数据库读不出来（{detail}）", "the database cannot be read ({detail})"),
    "start": Words("第一行不是运行的开始", "its first row is not the start of a run"),
    "copied": Words("它是运行 {original} 的副本", "it is a copy of the run {original}"),
    "arguments": Words("记录的参数与现在的不同", "the recorded arguments differ from the present ones"),
    "kind": Words("记录的是 {recorded}，现在要的是 {asked}", "a {recorded} is recorded, and {asked} is asked for"),
    "left-over": Words("还有没用到的记录 {left}", "the recorded entry {left} was not asked for"),
    "disk": Words("磁盘拒绝了（{detail}）", "the disk refuses ({detail})"),
    "stopped": Words("前一次写入失败了", "an earlier write failed"),
    "busy": Words("另一个进程占用数据库太久", "another process holds the database for too long"),
}


def told_of_journal_error(code: str, facts: Mapping[str, object]) -> Code:
    """Return what a code says of a journal, filled with the facts; the fact `reason` is put into words."""
    declared = JOURNAL_CODES[code]
    reason = REASONS.get(str(facts.get("reason")), Words("", "")).filled(facts)
    zh, en = ({**facts, "reason": text} for text in reason)
    message = Words(declared.message.filled(zh)["zh"], declared.message.filled(en)["en"])
    hint = declared.hint.filled(facts) if declared.hint is not None else None
    return Code(declared.severity, message, hint, filled(declared.command, facts))

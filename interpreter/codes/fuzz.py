"""Codes of the phase `fuzz`: what no run may do."""

from __future__ import annotations

from interpreter.codes.declared import Code
from interpreter.words import Words

CODES: dict[str, Code] = {
    "fuzz/broke": Code(
        "error",
        Words("运行中途出错：{detail}", "a run broke off: {detail}"),
        Words("这是解释器的错误；请附上这个用例报告", "this is a fault of the interpreter; report it with this case"),
    ),
    "fuzz/written-twice": Code(
        "error",
        Words("{detail} 的一次写入做了两次", "one write of {detail} was made twice"),
        Words("这是解释器的错误；请附上这个用例报告", "this is a fault of the interpreter; report it with this case"),
    ),
    "fuzz/does-not-end": Code(
        "error",
        Words("调用了 {detail} 次还没有结束", "after {detail} calls there is no end"),
        Words("给循环和回头的转移加上 at_most，或加一个预算", "give loops and roads back an at_most, or add a budget"),
    ),
}

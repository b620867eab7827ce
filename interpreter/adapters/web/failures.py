"""How a call of the web fails: the contract's codes, with words in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.children import ChildFailure
from interpreter.adapters.reasons import failure_in_words
from interpreter.adapters.web.addresses import REASONS, Refused
from interpreter.diagnostics import Words
from interpreter.ports import ToolFailure


def failure(code: str, zh: str, en: str, /, retry_after: float | None = None, **details: Any) -> ToolFailure:
    """Return a failure in the contract's words; `details.message` holds both languages."""
    return failure_in_words(code, Words(zh, en), details, retry_after)


def refused(url: str, hop: int, error: Refused) -> ToolFailure:
    """Return why an address is not read; `hop` counts redirects, 0 is the address that was asked for."""
    zh, en = REASONS[error.reason]
    where_zh = f"第 {hop} 次跳转的地址" if hop else "地址"
    where_en = f"the address of redirect {hop}" if hop else "the address"
    found = f"（{error.found}）" if error.found else ""
    found_en = f" ({error.found})" if error.found else ""
    return failure(
        "address_refused",
        f"{where_zh}不许访问：{zh}{found}",
        f"{where_en} is refused: {en}{found_en}",
        reason=error.reason,
        hop=hop,
        address=url,
    )


#: What the child says, in the contract's codes.
_BY_CHILD: Mapping[str, tuple[str, str, str]] = {
    "took_too_long": ("too_costly", "读取正文用时超过上限", "reading the text took more time than is allowed"),
    "out_of_memory": ("too_costly", "读取正文所需内存超过上限", "reading the text took more memory than is allowed"),
    "answer_too_large": ("too_costly", "正文太长", "the text is too long"),
    "crashed": ("unreadable", "读取正文的程序中断了", "what reads the text broke off"),
    "not_started": ("unavailable", "读取正文的程序无法启动", "what reads the text cannot be started"),
}
_BY_TASK: Mapping[str, tuple[str, str, str]] = {
    "charset": (
        "unreadable",
        "字符集对不上，无法辨认的字符太多",
        "the character set does not fit: too many characters cannot be made out",
    ),
    "binary": ("not_a_page", "内容不是文字", "the content is no text"),
    "not_a_pdf": ("unreadable", "PDF 已损坏，读不出来", "the PDF is damaged and cannot be read"),
    "encrypted": ("unreadable", "PDF 有密码", "the PDF has a password"),
    "soft_not_found": ("soft_not_found", "网页说自己不存在", "the page says that it does not exist"),
    "login_required": ("login_required", "登录后才能看到", "it is shown after signing in"),
    "payment_required": ("payment_required", "付费后才能看到", "it is shown to subscribers"),
    "script_required": ("script_required", "运行脚本或通过验证后才能看到", "it is shown after scripts or a check"),
    "only_consent": (
        "script_required",
        "只有征求同意（cookie）的内容，同意后才显示正文",
        "it only asks for consent to cookies and shows its text afterwards",
    ),
    "only_redirects": (
        "no_text",
        "只有跳转提示，没有正文",
        "it only says that it leads elsewhere, and holds no text",
    ),
    "no_text": ("no_text", "没有可读的正文", "there is no text to read"),
    "unpacked_too_large": ("too_large", "展开后过大", "it unpacks to far too much"),
}


def from_child(error: ChildFailure) -> ToolFailure:
    if error.code == "missing":
        return missing([str(error.facts.get("module"))])
    facts = dict(error.facts)
    table, key = (_BY_TASK, str(facts.pop("code", ""))) if error.code == "unreadable" else (_BY_CHILD, error.code)
    code, zh, en = table.get(key, ("unreadable", "正文读不出来", "its text cannot be read"))
    return failure(code, zh, en, reason=key, **facts)


def missing(modules: list[str]) -> ToolFailure:
    names = ", ".join(modules)
    return failure(
        "unavailable",
        f"读取网页还缺少 {names}；请安装附加包：pip install 'workflow-interpreter[web]'",
        f"reading pages needs {names} too; install the extra: pip install 'workflow-interpreter[web]'",
        modules=modules,
    )

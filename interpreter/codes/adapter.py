"""Codes about profiles and the adapters that they name."""

from __future__ import annotations

from interpreter.diagnostics import Code, Words

CODES: dict[str, Code] = {
    "tool/unknown-setting": Code(
        "error", Words("profile {profile} 没有设置 {name}", "profile {profile} has no setting {name}")
    ),
    "tool/setting-missing": Code(
        "error",
        Words("profile {profile} 需要设置 {name}", "profile {profile} needs the setting {name}"),
        Words("加上 --set settings.{name}=…", "add --set settings.{name}=…"),
    ),
    "tool/setting-not-evaluated": Code(
        "error", Words("{tool} 的设置无法求值：{reason}", "a setting of {tool} could not be evaluated: {reason}")
    ),
    "tool/adapter-not-available": Code(
        "error", Words("{tool} 的适配器 {adapter} 还不可用", "the adapter {adapter} of {tool} is not available")
    ),
    "tool/unknown-adapter": Code(
        "error", Words("没有适配器 {name}（用于 {tool}）", "there is no adapter {name} (for {tool})")
    ),
    "tool/adapter-refused": Code(
        "error", Words("{tool} 的适配器不接受设置：{reason}", "the adapter of {tool} refuses its settings: {reason}")
    ),
}

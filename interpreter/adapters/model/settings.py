"""What a profile says of a model: where it is, what it is called, how it answers.

A key is named, never written: `key_from` is the name of an environment variable, read when the adapter is opened and
kept nowhere else. A value that looks like the key itself is refused without being repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit

from interpreter.adapters.http.settings import plain_address
from interpreter.adapters.model.task import Output
from interpreter.diagnostics import Words, did_you_mean
from rules.patterns import regex
from rules.records import record

OUTPUTS: tuple[Output, ...] = ("schema", "object", "text")
#: Names of settings, and what each wants, in both languages.
WANTED: Mapping[str, tuple[str, str]] = {
    "address": (
        "http:// 或 https:// 开头的地址，不带账号、? 和 #",
        "an address that begins with http:// or https://, without user, ? and #",
    ),
    "model": ("模型的名称", "the name of a model"),
    "key_from": ("环境变量的名称，不是密钥本身", "the name of an environment variable, not the key itself"),
    "output": ("schema、object、text 之一，或它们的列表", "one of schema, object, text, or a list of them"),
    "temperature": ("0 到 2 的数", "a number from 0 to 2"),
    "max_tokens": ("正整数", "a whole number above 0"),
    "max_tokens_when_cut": ("比 max_tokens 大的整数", "a whole number above max_tokens"),
    "stream": ("true 或 false", "true or false"),
    "strict": ("true 或 false", "true or false"),
    "largest_answer": ("字节数，1000 到 100000000", "a number of bytes from 1000 to 100000000"),
    "environment_proxies": ("true 或 false", "true or false"),
    "extra": (
        "请求里另加的字段（对象），不能是适配器自己写的字段",
        "a mapping of further fields of the request, none that the adapter writes itself",
    ),
}
_REQUIRED = ("address", "model")
_OWN_FIELDS = frozenset({"model", "messages", "response_format", "stream", "temperature", "max_tokens", "tools"})
_VARIABLE = regex(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_KEY = regex(r"[!-~]{1,4000}")

Problem = tuple[str, dict[str, Any]]


@record
class ModelSettings:
    """Shapes: `output` are the forms to ask for, the next one only after the server refused the one before."""

    address: str
    model: str
    key_from: str | None = None
    output: tuple[Output, ...] = ("schema",)
    temperature: int | Decimal | None = None
    max_tokens: int | None = None
    max_tokens_when_cut: int | None = None
    stream: bool = False
    strict: bool = False
    largest_answer: int = 4_000_000
    environment_proxies: bool = False
    extra: Mapping[str, Any] | None = None

    @property
    def endpoint(self) -> str:
        return f"{self.address}/chat/completions"


def read_settings(values: Mapping[str, Any]) -> tuple[ModelSettings | None, list[Problem]]:
    """Return the settings, or every problem with them as the code of a finding and its facts."""
    given = {name: value for name, value in values.items() if value is not None}
    problems: list[Problem] = [
        ("tool/unknown-adapter-setting", {"name": name, "hint": did_you_mean(name, WANTED)})
        for name in values
        if name not in WANTED
    ]
    problems += [("tool/adapter-setting-missing", {"name": name}) for name in _REQUIRED if name not in given]
    made: dict[str, Any] = {}
    for name in WANTED:
        if name in given:
            value = _read(name, given[name], made)
            if value is None:
                zh, en = WANTED[name]
                problems.append(("tool/adapter-setting-unfit", {"name": name, "wanted_zh": zh, "wanted_en": en}))
            else:
                made[name] = value
    return (None if problems else ModelSettings(**made)), problems


def _read(name: str, value: Any, made: Mapping[str, Any]) -> Any:
    """Return a setting as it is used, None where the value does not fit."""
    match name:
        case "address":
            return _address(value)
        case "model":
            return value if isinstance(value, str) and value.strip() and value.isprintable() else None
        case "key_from":
            return value if isinstance(value, str) and _VARIABLE.fullmatch(value) else None
        case "output":
            forms = value if isinstance(value, list) else [value]
            fits = bool(forms) and len(set(map(str, forms))) == len(forms) and all(form in OUTPUTS for form in forms)
            return tuple(forms) if fits else None
        case "temperature":
            is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
            return value if is_number and 0 <= value <= 2 else None
        case "max_tokens":
            return _whole(value, 1, 10**9)
        case "max_tokens_when_cut":
            return _whole(value, cast(int, made.get("max_tokens", 0)) + 1, 10**9)
        case "largest_answer":
            return _whole(value, 1_000, 100_000_000)
        case "extra":
            return value if isinstance(value, dict) and not _OWN_FIELDS & set(value) else None
    return value if isinstance(value, bool) else None


def _whole(value: Any, least: int, most: int) -> int | None:
    return value if type(value) is int and least <= value <= most else None


def _address(value: Any) -> str | None:
    address = plain_address(value)
    return address.removesuffix("/chat/completions") if address is not None else None


def read_key(settings: ModelSettings, environment: Mapping[str, str]) -> tuple[str | None, list[Problem]]:
    """Return the key, None where none is wanted; a problem names the variable and never what is in it."""
    if settings.key_from is None:
        return None, []
    key = environment.get(settings.key_from, "").strip()
    if not key:
        return None, [("tool/key-missing", {"name": settings.key_from})]
    if not _KEY.fullmatch(key):
        return None, [("tool/key-unfit", {"name": settings.key_from})]
    return key, []


def contacts_of(settings: ModelSettings) -> Words:
    """Return in a few words whom the adapter contacts and what it takes along."""
    zh = f"{settings.endpoint}（模型 {settings.model}"
    en = f"{settings.endpoint} (model {settings.model}"
    if settings.key_from is not None:
        zh += f"，密钥取自环境变量 {settings.key_from}"
        en += f", key from the environment variable {settings.key_from}"
    if settings.environment_proxies:
        zh += "，经环境变量里的代理"
        en += ", through the proxies of the environment"
    if settings.address.startswith("http://") and not _is_this_machine(settings.address):
        zh += "，不加密"
        en += ", not encrypted"
    return Words(f"{zh}）", f"{en})")


def _is_this_machine(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

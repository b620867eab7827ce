"""What a profile says of a model: where it is, what it is called, how it answers.

A key is named, never written: `key_from` is the name of an environment variable, read when the adapter is opened and
kept nowhere else. A value that looks like the key itself is refused without being repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

from interpreter.adapters.contacts import ADDRESS, contact, plain_address
from interpreter.adapters.model.task import Output
from interpreter.adapters.settings import (
    FLAG,
    Problem,
    Setting,
    is_number,
    number_of_bytes,
    one_of,
    read_all,
    unfit,
    variable,
    whole,
)
from interpreter.diagnostics import Words
from rules.records import record

OUTPUTS: tuple[Output, ...] = ("schema", "object", "text")
_OWN_FIELDS = frozenset({"model", "messages", "response_format", "stream", "temperature", "max_tokens", "tools"})
_MOST_TOKENS = 10**9


def _address(value: Any) -> str | None:
    address = plain_address(value)
    return address.removesuffix("/chat/completions") if address is not None else None


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() and value.isprintable() else None


def _forms(value: Any) -> tuple[Output, ...] | None:
    forms = value if isinstance(value, list) else [value]
    fits = bool(forms) and len(set(map(str, forms))) == len(forms) and all(form in OUTPUTS for form in forms)
    return tuple(forms) if fits else None


def _temperature(value: Any) -> Any:
    return value if is_number(value) and 0 <= value <= 2 else None


def _further_fields(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) and not _OWN_FIELDS & set(value) else None


_MORE_TOKENS = Words("比 max_tokens 大的整数", "a whole number above max_tokens")

SETTINGS: Mapping[str, Setting] = {
    "address": ADDRESS._replace(read=_address, required=True),
    "model": Setting(_name, Words("模型的名称", "the name of a model"), required=True),
    "key_from": Setting(
        variable, Words("环境变量的名称，不是密钥本身", "the name of an environment variable, not the key itself")
    ),
    "output": Setting(
        _forms, Words("schema、object、text 之一，或它们的列表", "one of schema, object, text, or a list of them")
    ),
    "temperature": Setting(_temperature, Words("0 到 2 的数", "a number from 0 to 2")),
    "max_tokens": Setting(whole(1, _MOST_TOKENS), Words("正整数", "a whole number above 0")),
    "max_tokens_when_cut": Setting(whole(1, _MOST_TOKENS), _MORE_TOKENS),
    "max_tokens_as": one_of("max_tokens", "max_completion_tokens"),
    "system_message": FLAG,
    "stream": FLAG,
    "strict": FLAG,
    "largest_answer": number_of_bytes(1000),
    "environment_proxies": FLAG,
    "extra": Setting(
        _further_fields,
        Words(
            "请求里另加的字段（对象），不能是适配器自己写的字段",
            "a mapping of further fields of the request, none that the adapter writes itself",
        ),
    ),
}


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
    max_tokens_as: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    system_message: bool = True
    stream: bool = False
    strict: bool = False
    largest_answer: int = 4_000_000
    environment_proxies: bool = False
    extra: Mapping[str, Any] | None = None

    @property
    def secret_variables(self) -> tuple[str, ...]:
        """Return the environment variable that the key is read from; none where no key is wanted."""
        return (self.key_from,) if self.key_from is not None else ()

    @property
    def endpoint(self) -> str:
        return f"{self.address}/chat/completions"


def read_settings(values: Mapping[str, Any]) -> tuple[ModelSettings | None, list[Problem]]:
    """Return the settings, or every problem with them as the code of a finding and its facts."""
    made, problems = read_all(values, SETTINGS)
    if made.get("max_tokens_when_cut", _MOST_TOKENS) <= made.get("max_tokens", 0):
        problems.append(unfit("max_tokens_when_cut", _MORE_TOKENS))
    return (None if problems else ModelSettings(**made)), problems


def contacts_of(settings: ModelSettings) -> Words:
    """Return in a few words whom the adapter contacts and what it takes along."""
    about = [Words(f"模型 {settings.model}", f"model {settings.model}")]
    if settings.key_from is not None:
        key = settings.key_from
        about.append(Words(f"密钥取自环境变量 {key}", f"key from the environment variable {key}"))
    return contact(settings.endpoint, about, settings.environment_proxies)

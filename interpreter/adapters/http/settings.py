"""What a profile says of a service: where it is, with which credentials, and how much of an answer is read.

The address is a value of the profile or of its `settings`; no argument of a call can reach it. Credentials are named,
never written: each is the name of an environment variable, read when the adapter is opened.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Literal

from interpreter.adapters.contacts import ADDRESS, contact, credentials_from
from interpreter.adapters.secrets import sign_in
from interpreter.adapters.settings import (
    BEARER,
    FLAG,
    SECRET_HEADERS,
    Problem,
    Setting,
    headers,
    number_of_bytes,
    one_of,
    read_all,
    seconds,
    unfit,
    variable,
    whole,
)
from interpreter.diagnostics import Words
from interpreter.safety.headers import HEADER
from interpreter.safety.secrets import Secrets
from rules.patterns import regex
from rules.records import NamedTuple, field, record

_NAME_IN_QUERY = regex(r"[A-Za-z0-9._~$\[\]-]{1,100}")
CONTENT_TYPE = regex(r"[a-z0-9.+*-]{1,60}/[a-z0-9.+*-]{1,80}")
_ONE_SIGN_IN = Words("bearer_from 和 basic_from 只能写一个", "bearer_from or basic_from, not both")


def _content_types(value: Any) -> tuple[str, ...] | None:
    kinds = [value] if isinstance(value, str) else value
    fits = isinstance(kinds, list) and all(isinstance(one, str) and CONTENT_TYPE.fullmatch(one) for one in kinds)
    return tuple(kinds) if fits and kinds else None


def _secret_query(value: Any) -> dict[str, str] | None:
    """Read names of the query, each with the environment variable that holds its value."""
    fits = isinstance(value, Mapping) and all(
        _NAME_IN_QUERY.fullmatch(name) and variable(named) is not None for name, named in value.items()
    )
    return dict(value) if fits else None


def _header(value: Any) -> str | None:
    return value if isinstance(value, str) and HEADER.fullmatch(value) else None


SETTINGS: Mapping[str, Setting] = {
    "address": ADDRESS._replace(required=True),
    "bearer_from": BEARER,
    "basic_from": Setting(
        variable,
        Words("环境变量的名称，其中是 用户:密码", "the name of an environment variable that holds user:password"),
    ),
    "secret_headers": SECRET_HEADERS,
    "secret_query": Setting(
        _secret_query,
        Words("查询参数名称: 环境变量名称", "names of the query, each with the name of an environment variable"),
    ),
    "headers": Setting(
        headers,
        Words(
            "固定的请求头（名称: 文本）；凭据写在 bearer_from、basic_from 或 secret_headers 里",
            "fixed headers (name: text); credentials belong into bearer_from, basic_from or secret_headers",
        ),
    ),
    "answers": one_of("json", "text"),
    "content_types": Setting(
        _content_types,
        Words("内容类型的列表，如 application/json", "a list of content types, such as application/json"),
    ),
    "redirects": Setting(whole(0, 5), Words("0 到 5；只跟随同一主机和端口", "0 to 5; only to the same host and port")),
    "largest_answer": number_of_bytes(100),
    "seconds": seconds(3600),
    "idempotency_header": Setting(_header, Words("请求头名称", "the name of a header")),
    "environment_proxies": FLAG,
}


@record
class HttpSettings:
    """Units: `seconds` is the longest that one call takes where neither step nor contract says so."""

    address: str
    bearer_from: str | None = None
    basic_from: str | None = None
    secret_headers: Mapping[str, str] = field(default_factory=dict)
    secret_query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    answers: Literal["json", "text"] = "json"
    content_types: tuple[str, ...] = ()
    redirects: int = 0
    largest_answer: int = 4_000_000
    seconds: float = 60.0
    idempotency_header: str = "Idempotency-Key"
    environment_proxies: bool = False

    @property
    def secret_variables(self) -> tuple[str, ...]:
        """Return the environment variables that credentials are read from."""
        named = (self.bearer_from, self.basic_from, *self.secret_headers.values(), *self.secret_query.values())
        return tuple(dict.fromkeys(name for name in named if name is not None))


class Credentials(NamedTuple):
    """What signs a request in, and what nobody may see. It goes to the origin of `address` alone."""

    headers: tuple[tuple[str, str], ...]
    secrets: Secrets
    query: Mapping[str, str] = {}


def read_settings(values: Mapping[str, Any]) -> tuple[HttpSettings | None, list[Problem]]:
    """Return the settings, or every problem with them as the code of a finding and its facts."""
    made, problems = read_all(values, SETTINGS)
    if "bearer_from" in made and "basic_from" in made:
        problems.append(unfit("basic_from", _ONE_SIGN_IN))
    return (None if problems else HttpSettings(**made)), problems


def credentials_of(settings: HttpSettings, values: Mapping[str, str]) -> Credentials:
    """Return what signs requests in. Shapes: `values` are secrets by the names of their variables."""
    signed = sign_in(values, settings.bearer_from, settings.secret_headers)
    hidden = list(values.values())
    if settings.basic_from is not None:
        pair = values[settings.basic_from]
        signed.append(("authorization", f"Basic {b64encode(pair.encode()).decode()}"))
        hidden.append(pair.partition(":")[2])
    query = {name: values[variable] for name, variable in settings.secret_query.items()}
    return Credentials(tuple(signed), Secrets(hidden), query)


def contacts_of(settings: HttpSettings) -> Words:
    """Return in a few words whom the adapter contacts and what it takes along."""
    return contact(settings.address, credentials_from(settings.secret_variables), settings.environment_proxies)

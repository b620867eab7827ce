"""What a profile says of a service: where it is, with which credentials, and how much of an answer is read.

The address is a value of the profile or of its `settings`; no argument of a call can reach it. Credentials are named,
never written: each is the name of an environment variable, read when the adapter is opened.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from interpreter.adapters.origins import is_host, origin_of
from interpreter.adapters.secrets import VARIABLE, Problem, Secrets, read_secret
from interpreter.diagnostics import Words, did_you_mean
from interpreter.headers import HEADER, HEADER_VALUE, OWN_HEADERS
from rules.patterns import regex
from rules.records import field, record

#: Names of settings, and what each wants, in both languages.
WANTED: Mapping[str, tuple[str, str]] = {
    "address": (
        "http:// 或 https:// 开头的地址，不带账号、? 和 #",
        "an address that begins with http:// or https://, without user, ? and #",
    ),
    "bearer_from": ("环境变量的名称，不是令牌本身", "the name of an environment variable, not the token itself"),
    "basic_from": (
        "环境变量的名称，其中是 用户:密码",
        "the name of an environment variable that holds user:password",
    ),
    "secret_headers": (
        "请求头名称: 环境变量名称",
        "names of headers, each with the name of an environment variable",
    ),
    "headers": (
        "固定的请求头（名称: 文本）；凭据写在 bearer_from、basic_from 或 secret_headers 里",
        "fixed headers (name: text); credentials belong into bearer_from, basic_from or secret_headers",
    ),
    "answers": ("json 或 text", "json or text"),
    "content_types": ("内容类型的列表，如 application/json", "a list of content types, such as application/json"),
    "redirects": ("0 到 5；只跟随同一主机和端口", "0 to 5; only to the same host and port"),
    "largest_answer": ("字节数，100 到 100000000", "a number of bytes from 100 to 100000000"),
    "seconds": ("1 到 3600 的数", "a number from 1 to 3600"),
    "idempotency_header": ("请求头名称", "the name of a header"),
    "environment_proxies": ("true 或 false", "true or false"),
}
_CONTENT_TYPE = regex(r"[a-z0-9.+*-]{1,60}/[a-z0-9.+*-]{1,80}")
_MARKED = regex(r"[\x00-\x20\x7f\\]")


@record
class HttpSettings:
    """Units: `seconds` is the longest that one call takes where neither step nor contract says so."""

    address: str
    bearer_from: str | None = None
    basic_from: str | None = None
    secret_headers: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    answers: Literal["json", "text"] = "json"
    content_types: tuple[str, ...] = ()
    redirects: int = 0
    largest_answer: int = 4_000_000
    seconds: float = 60.0
    idempotency_header: str = "Idempotency-Key"
    environment_proxies: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the environment variables that credentials are read from."""
        named = (self.bearer_from, self.basic_from, *self.secret_headers.values())
        return tuple(dict.fromkeys(name for name in named if name is not None))


class Credentials(NamedTuple):
    """Headers that sign a request in, and what nobody may see. They go to the origin of `address` alone."""

    headers: tuple[tuple[str, str], ...]
    secrets: Secrets


def read_settings(values: Mapping[str, Any]) -> tuple[HttpSettings | None, list[Problem]]:
    """Return the settings, or every problem with them as the code of a finding and its facts."""
    given = {name: value for name, value in values.items() if value is not None and value != ""}
    problems: list[Problem] = [
        ("tool/unknown-adapter-setting", {"name": name, "hint": did_you_mean(name, WANTED)})
        for name in values
        if name not in WANTED
    ]
    if "address" not in given:
        problems.append(("tool/adapter-setting-missing", {"name": "address"}))
    made: dict[str, Any] = {}
    for name, (zh, en) in WANTED.items():
        if name in given:
            value = _read(name, given[name])
            if value is None:
                problems.append(("tool/adapter-setting-unfit", {"name": name, "wanted_zh": zh, "wanted_en": en}))
            else:
                made[name] = value
    if "bearer_from" in made and "basic_from" in made:
        zh, en = "bearer_from 和 basic_from 只能写一个", "bearer_from or basic_from, not both"
        problems.append(("tool/adapter-setting-unfit", {"name": "basic_from", "wanted_zh": zh, "wanted_en": en}))
    return (None if problems else HttpSettings(**made)), problems


def _read(name: str, value: Any) -> Any:
    """Return a setting as it is used, None where the value does not fit."""
    match name:
        case "address":
            return plain_address(value)
        case "bearer_from" | "basic_from":
            return value if isinstance(value, str) and VARIABLE.fullmatch(value) else None
        case "secret_headers":
            return _headers(value, VARIABLE.fullmatch)
        case "headers":
            return _headers(value, HEADER_VALUE.fullmatch)
        case "answers":
            return value if value in ("json", "text") else None
        case "content_types":
            kinds = [value] if isinstance(value, str) else value
            fits = isinstance(kinds, list) and all(
                isinstance(one, str) and _CONTENT_TYPE.fullmatch(one) for one in kinds
            )
            return tuple(kinds) if fits and kinds else None
        case "redirects":
            return _whole(value, 0, 5)
        case "largest_answer":
            return _whole(value, 100, 100_000_000)
        case "seconds":
            is_number = not isinstance(value, bool) and not isinstance(value, str)
            return float(value) if is_number and 1 <= value <= 3600 else None
        case "idempotency_header":
            return value if isinstance(value, str) and HEADER.fullmatch(value) else None
    return value if isinstance(value, bool) else None


def _whole(value: Any, least: int, most: int) -> int | None:
    return value if type(value) is int and least <= value <= most else None


def _headers(value: Any, fits: Any) -> dict[str, str] | None:
    if not isinstance(value, Mapping):
        return None
    for name, text in value.items():
        if not HEADER.fullmatch(name) or name.lower() in OWN_HEADERS or not isinstance(text, str) or not fits(text):
            return None
    return dict(value)


def plain_address(value: Any) -> str | None:
    """Return an address without a slash at its end, None where it is not a plain one."""
    if not isinstance(value, str) or not value.isascii() or _MARKED.search(value) or "?" in value or "#" in value:
        return None
    origin = origin_of(value)
    if origin is None or origin[0] not in ("http", "https") or not is_host(origin[1]):
        return None
    if any(part in (".", "..") for part in urlsplit(value).path.split("/")):
        return None
    return value.rstrip("/")


def read_credentials(
    settings: HttpSettings, environment: Mapping[str, str]
) -> tuple[Credentials | None, list[Problem]]:
    """Return what signs requests in; a problem names the variable and never what is in it."""
    problems: list[Problem] = []
    values: dict[str, str] = {}
    for name in settings.variables:
        secret, found = read_secret(name, environment)
        problems += found
        if secret is not None:
            values[name] = secret
    if problems:
        return None, problems
    headers = [(name, values[variable]) for name, variable in settings.secret_headers.items()]
    hidden = list(values.values())
    if settings.bearer_from is not None:
        headers.append(("authorization", f"Bearer {values[settings.bearer_from]}"))
    if settings.basic_from is not None:
        pair = values[settings.basic_from]
        headers.append(("authorization", f"Basic {b64encode(pair.encode()).decode()}"))
        hidden.append(pair.partition(":")[2])
    return Credentials(tuple(headers), Secrets(hidden)), []


def contacts_of(settings: HttpSettings) -> Words:
    """Return in a few words whom the adapter contacts and what it takes along."""
    return contact(settings.address, settings.variables, settings.environment_proxies)


def contact(address: str, variables: tuple[str, ...], environment_proxies: bool) -> Words:
    """Return in a few words what is contacted at an address."""
    zh: list[str] = []
    en: list[str] = []
    if variables:
        names = ", ".join(variables)
        zh.append(f"凭据取自环境变量 {names}")
        en.append(f"credentials from the environment variables {names}")
    if environment_proxies:
        zh.append("经环境变量里的代理")
        en.append("through the proxies of the environment")
    if address.startswith("http://") and not is_this_machine(address):
        zh.append("不加密")
        en.append("not encrypted")
    return Words(f"{address}（{'，'.join(zh)}）" if zh else address, f"{address} ({', '.join(en)})" if en else address)


def is_this_machine(address: str) -> bool:
    """Say whether an address leads to this machine by its own words."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

"""What a profile says of a server of tools: the program to start, or the address, and what it is given.

Program, arguments and address are values of the profile or of its `settings`; no argument of a call can reach them.
A started server sees of the environment a few names that programs cannot do without, and those that are listed.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from interpreter.adapters.http.settings import contact, plain_address
from interpreter.adapters.secrets import VARIABLE, Problem, Secrets, read_secret
from interpreter.diagnostics import Words, did_you_mean
from interpreter.headers import HEADER, HEADER_VALUE, OWN_HEADERS
from rules.records import field, record

#: Names of settings, and what each wants, in both languages.
WANTED: Mapping[str, tuple[str, str]] = {
    "program": ("程序的名称或路径", "the name or path of a program"),
    "argv": ("程序参数的列表，都是文本", "a list of the program's arguments, all texts"),
    "address": (
        "http:// 或 https:// 开头的地址，不带账号、? 和 #",
        "an address that begins with http:// or https://, without user, ? and #",
    ),
    "environment": ("环境变量名称的列表", "a list of names of environment variables"),
    "secrets": ("环境变量名称的列表，其值不会显示", "a list of names of environment variables whose values are hidden"),
    "folder": ("程序运行时所在的文件夹", "the folder in which the program runs"),
    "bearer_from": ("环境变量的名称，不是令牌本身", "the name of an environment variable, not the token itself"),
    "secret_headers": ("请求头名称: 环境变量名称", "names of headers, each with the name of an environment variable"),
    "headers": ("固定的请求头（名称: 文本）", "fixed headers (name: text)"),
    "answers": ("json 或 text", "json or text"),
    "protocol": ("handshake 或 auto", "handshake or auto"),
    "lock": ("固定工具说明的文件", "the file in which descriptions of tools are pinned"),
    "largest_answer": ("字节数，1000 到 100000000", "a number of bytes from 1000 to 100000000"),
    "seconds": ("1 到 3600 的数", "a number from 1 to 3600"),
    "start_seconds": ("1 到 600 的数", "a number from 1 to 600"),
    "environment_proxies": ("true 或 false", "true or false"),
}
#: What programs cannot do without.
USUAL_ENVIRONMENT = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER")
_OF_PROGRAMS = ("argv", "environment", "secrets", "folder")
_OF_ADDRESSES = ("bearer_from", "secret_headers", "headers", "environment_proxies")


@record
class McpSettings:
    """Shapes: either `program` or `address` is there. Units: seconds, bytes."""

    program: str | None = None
    argv: tuple[str, ...] = ()
    address: str | None = None
    environment: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    folder: str | None = None
    bearer_from: str | None = None
    secret_headers: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    answers: Literal["json", "text"] = "json"
    protocol: Literal["handshake", "auto"] = "handshake"
    lock: str = ""
    largest_answer: int = 4_000_000
    seconds: float = 60.0
    start_seconds: float = 30.0
    environment_proxies: bool = False

    @property
    def server(self) -> str:
        """Return what the server is, in one line: its address, or the command that starts it."""
        return self.address if self.address is not None else shlex.join([self.program or "", *self.argv])

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the environment variables with secrets that go to the server."""
        named = (*self.secrets, self.bearer_from, *self.secret_headers.values())
        return tuple(dict.fromkeys(name for name in named if name is not None))


class Given(NamedTuple):
    """What a server is given: a started one its environment, one at an address the headers that sign in."""

    environment: Mapping[str, str]
    headers: tuple[tuple[str, str], ...]
    secrets: Secrets


def read_settings(values: Mapping[str, Any]) -> tuple[McpSettings | None, list[Problem]]:
    """Return the settings, or every problem with them as the code of a finding and its facts."""
    given = {name: value for name, value in values.items() if value is not None and value != ""}
    problems: list[Problem] = [
        ("tool/unknown-adapter-setting", {"name": name, "hint": did_you_mean(name, WANTED)})
        for name in values
        if name not in WANTED
    ]
    if "program" not in given and "address" not in given:
        problems.append(("tool/adapter-setting-missing", {"name": "program"}))
    misplaced: tuple[str, ...] = _OF_PROGRAMS if "program" not in given else _OF_ADDRESSES
    if "program" in given and "address" in given:
        misplaced = ("address",)
    for name in misplaced if not problems else ():
        if name in given:
            zh = "program 与 address 只能选一个，其余设置各属其一"
            en = "either program or address, and the settings of the other one left out"
            problems.append(("tool/adapter-setting-unfit", {"name": name, "wanted_zh": zh, "wanted_en": en}))
    made: dict[str, Any] = {}
    for name, (zh, en) in WANTED.items():
        if name in given:
            value = _read(name, given[name])
            if value is None:
                problems.append(("tool/adapter-setting-unfit", {"name": name, "wanted_zh": zh, "wanted_en": en}))
            else:
                made[name] = value
    return (None if problems else McpSettings(**made)), problems


def _read(name: str, value: Any) -> Any:
    """Return a setting as it is used, None where the value does not fit."""
    match name:
        case "program" | "folder" | "lock":
            return value if _is_text(value) and value.isprintable() else None
        case "argv":
            return tuple(value) if isinstance(value, list) and all(map(_is_text, value)) else None
        case "address":
            return plain_address(value)
        case "environment" | "secrets":
            fits = isinstance(value, list) and all(isinstance(one, str) and VARIABLE.fullmatch(one) for one in value)
            return tuple(value) if fits else None
        case "bearer_from":
            return value if isinstance(value, str) and VARIABLE.fullmatch(value) else None
        case "secret_headers" | "headers":
            is_fit = VARIABLE.fullmatch if name == "secret_headers" else HEADER_VALUE.fullmatch
            is_whole = isinstance(value, Mapping) and all(
                HEADER.fullmatch(one) and one.lower() not in OWN_HEADERS and isinstance(text, str) and is_fit(text)
                for one, text in value.items()
            )
            return dict(value) if is_whole else None
        case "answers":
            return value if value in ("json", "text") else None
        case "protocol":
            return value if value in ("handshake", "auto") else None
        case "largest_answer":
            return value if type(value) is int and 1000 <= value <= 100_000_000 else None
        case "seconds" | "start_seconds":
            most = 3600 if name == "seconds" else 600
            is_number = not isinstance(value, bool | str | list | dict)
            return float(value) if is_number and 1 <= value <= most else None
    return value if isinstance(value, bool) else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def read_secrets(settings: McpSettings, environment: Mapping[str, str]) -> tuple[Given | None, list[Problem]]:
    """Return what the server is given; a problem names the variable and never what is in it."""
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
    if settings.bearer_from is not None:
        headers.append(("authorization", f"Bearer {values[settings.bearer_from]}"))
    passed = {name: environment[name] for name in (*USUAL_ENVIRONMENT, *settings.environment) if name in environment}
    passed.update({name: values[name] for name in settings.secrets})
    return Given(passed, tuple(headers), Secrets(values.values())), []


def contacts_of(settings: McpSettings) -> Words:
    """Return in a few words what the adapter starts or contacts, and what it takes along."""
    if settings.address is not None:
        return contact(settings.address, settings.variables, settings.environment_proxies)
    names = ", ".join((*settings.environment, *settings.secrets))
    zh, en = f"启动 {settings.server}", f"starts {settings.server}"
    if settings.folder is not None:
        zh, en = f"{zh}，在文件夹 {settings.folder}", f"{en} in the folder {settings.folder}"
    if names:
        zh, en = f"{zh}，交给它环境变量 {names}", f"{en}, with the environment variables {names}"
    return Words(zh, en)


def profile_of(lock: str) -> str:
    """Return the profile that a lock file lies beside."""
    path = Path(lock)
    return str(path.with_name(f"{path.name.removesuffix('.lock.json')}.yaml"))

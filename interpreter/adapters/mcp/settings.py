"""What a profile says of a server of tools: the program to start, or the address, and what it is given.

Program, arguments and address are values of the profile or of its `settings`; no argument of a call can reach them.
A started server sees of the environment a few names that programs cannot do without, and those that are listed.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from interpreter.adapters.contacts import ADDRESS, contact, credentials_from
from interpreter.adapters.secrets import sign_in
from interpreter.adapters.settings import (
    BEARER,
    FLAG,
    FOLDER,
    SECRET_HEADERS,
    Problem,
    Setting,
    headers,
    missing,
    number_of_bytes,
    one_of,
    read_all,
    seconds,
    unfit,
    variables,
)
from interpreter.diagnostics import Words
from interpreter.safety.secrets import Secrets
from rules.records import NamedTuple, field, record


def _line(value: Any) -> str | None:
    return value if isinstance(value, str) and value.isprintable() else None


def _arguments(value: Any) -> tuple[str, ...] | None:
    fits = isinstance(value, list) and all(isinstance(one, str) and "\0" not in one for one in value)
    return tuple(value) if fits else None


SETTINGS: Mapping[str, Setting] = {
    "program": Setting(_line, Words("程序的名称或路径", "the name or path of a program")),
    "argv": Setting(_arguments, Words("程序参数的列表，都是文本", "a list of the program's arguments, all texts")),
    "address": ADDRESS,
    "environment": Setting(variables, Words("环境变量名称的列表", "a list of names of environment variables")),
    "secrets": Setting(
        variables,
        Words("环境变量名称的列表，其值不会显示", "a list of names of environment variables whose values are hidden"),
    ),
    "folder": FOLDER,
    "bearer_from": BEARER,
    "secret_headers": SECRET_HEADERS,
    "headers": Setting(headers, Words("固定的请求头（名称: 文本）", "fixed headers (name: text)")),
    "answers": one_of("json", "text"),
    "protocol": one_of("handshake", "auto"),
    "lock": Setting(_line, Words("固定工具说明的文件", "the file in which descriptions of tools are pinned")),
    "largest_answer": number_of_bytes(1000),
    "seconds": seconds(3600),
    "start_seconds": seconds(600),
    "environment_proxies": FLAG,
}
#: What programs cannot do without.
USUAL_ENVIRONMENT = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER")
_OF_PROGRAMS = ("argv", "environment", "secrets", "folder")
_OF_ADDRESSES = ("bearer_from", "secret_headers", "headers", "environment_proxies")
_ONE_WAY = Words(
    "program 与 address 只能选一个，其余设置各属其一",
    "either program or address, and the settings of the other one left out",
)


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
    def secret_variables(self) -> tuple[str, ...]:
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
    made, problems = read_all(values, SETTINGS)
    given = {name for name, value in values.items() if value is not None and value != ""}
    if not {"program", "address"} & given:
        problems.append(missing("program"))
    elif {"program", "address"} <= given:
        problems.append(unfit("address", _ONE_WAY))
    else:
        misplaced = _OF_PROGRAMS if "address" in given else _OF_ADDRESSES
        problems += [unfit(name, _ONE_WAY) for name in misplaced if name in given]
    return (None if problems else McpSettings(**made)), problems


def given_to(settings: McpSettings, values: Mapping[str, str], environment: Mapping[str, str]) -> Given:
    """Return what the server is given. Shapes: `values` are secrets by the names of their variables."""
    passed = {name: environment[name] for name in (*USUAL_ENVIRONMENT, *settings.environment) if name in environment}
    passed.update({name: values[name] for name in settings.secrets})
    signed = sign_in(values, settings.bearer_from, settings.secret_headers)
    return Given(passed, tuple(signed), Secrets(values.values()))


def contacts_of(settings: McpSettings) -> Words:
    """Return in a few words what the adapter starts or contacts, and what it takes along."""
    if settings.address is not None:
        return contact(settings.address, credentials_from(settings.secret_variables), settings.environment_proxies)
    names = ", ".join((*settings.environment, *settings.secrets))
    zh, en = f"程序 {settings.server}", f"the program {settings.server}"
    if settings.folder is not None:
        zh, en = f"{zh}，在文件夹 {settings.folder}", f"{en} in the folder {settings.folder}"
    if names:
        zh, en = f"{zh}，交给它环境变量 {names}", f"{en}, with the environment variables {names}"
    return Words(zh, en)


def profile_of(lock: str) -> str:
    """Return the profile that a lock file lies beside."""
    path = Path(lock)
    return str(path.with_name(f"{path.name.removesuffix('.lock.json')}.yaml"))

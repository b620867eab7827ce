"""What a profile says of a program: where it is, what it is given, what it prints.

The program is a literal: neither data nor a setting may choose it. Secrets are named, never written.
"""

from __future__ import annotations

import codecs
import os
import shutil
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Literal

from interpreter.adapters.charsets import MEANT
from interpreter.adapters.mapping import failure
from interpreter.adapters.settings import (
    FLAG,
    FOLDER,
    Problem,
    Setting,
    number_of_bytes,
    one_of,
    read_all,
    text,
    variables,
)
from interpreter.diagnostics import Words
from interpreter.ports import ToolFailure
from interpreter.safety.headers import VARIABLE
from rules.patterns import regex
from rules.records import field, record

Output = Literal["json", "json_lines", "text"]
OUTPUTS = ("json", "json_lines", "text")
#: What a program is given without being named: where programs are, and how text is written.
ALWAYS = ("PATH",)
_VERSION = regex(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}")


def _variables(value: Any) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    fits = all(VARIABLE.fullmatch(name) and isinstance(text, str) and "\0" not in text for name, text in value.items())
    return dict(value) if fits else None


def _encoding(value: Any) -> str | None:
    """Return the codec of an encoding; only names of character sets mean one, not all that Python has codecs for."""
    if not isinstance(value, str) or value.lower() not in MEANT:
        return None
    try:
        return codecs.lookup(value).name
    except (LookupError, ValueError):
        return MEANT[value.lower()]


def _arguments(value: Any) -> tuple[str, ...] | None:
    fits = isinstance(value, list) and value != [] and all(isinstance(one, str) for one in value)
    return tuple(value) if fits else None


def _version(value: Any) -> str | None:
    return value if isinstance(value, str) and _VERSION.fullmatch(value) else None


SETTINGS: Mapping[str, Setting] = {
    "program": Setting(
        text,
        Words("程序名或路径，直接写出来，不含 {{ … }}", "the name or path of a program, written out, without {{ … }}"),
        required=True,
    ),
    "environment": Setting(
        variables,
        Words("要传给程序的环境变量名称的列表", "a list of names of environment variables that it is given"),
    ),
    "secrets": Setting(
        variables,
        Words("存放密钥的环境变量名称的列表，不是密钥本身", "a list of names of environment variables with secrets"),
    ),
    "variables": Setting(_variables, Words("环境变量名称: 文本", "names of environment variables with a text each")),
    "folder": FOLDER,
    "output": one_of(*OUTPUTS),
    "encoding": Setting(
        _encoding,
        Words("字符编码的名称，如 utf-8、gb18030", "the name of an encoding, such as utf-8 or gb18030"),
    ),
    "skip_noise": FLAG,
    "largest_answer": number_of_bytes(1000),
    "largest_errors": number_of_bytes(1000),
    "version_from": Setting(
        _arguments,
        Words("让程序说出版本的参数列表，如 [--version]", "arguments that make it tell its version: [--version]"),
    ),
    "at_least": Setting(_version, Words('版本号，加引号，如 "1.0.59"', 'a version in quotes, such as "1.0.59"')),
}


_INSTALL = Words("安装它，或把它所在的文件夹加进 PATH", "install it, or put its folder into PATH")
_PUT_THERE = Words("把它放到那里，或改 profile 里的 program", "put it there, or mend program in the profile")


@record
class CommandSettings:
    """Units: bytes."""

    program: str
    environment: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    folder: str = os.sep
    output: Output = "json"
    encoding: str = "utf-8"
    skip_noise: bool = False
    largest_answer: int = 8_000_000
    largest_errors: int = 65_536
    version_from: tuple[str, ...] = ()
    at_least: str = ""

    @property
    def secret_variables(self) -> tuple[str, ...]:
        return self.secrets


def read_settings(values: Mapping[str, Any]) -> tuple[CommandSettings | None, list[Problem]]:
    """Return the settings, or every problem with them as the code of a finding and its facts."""
    made, problems = read_all(values, SETTINGS)
    return (None if problems else CommandSettings(**made)), problems


def environment_of(settings: CommandSettings, secrets: Mapping[str, str], around: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of the program."""
    made = {name: around[name] for name in (*ALWAYS, *settings.environment) if name in around}
    made["PATH"] = os.pathsep.join(_folders(around.get("PATH", os.defpath)))
    made.setdefault("LANG", "C.UTF-8")
    return {**made, **settings.variables, **secrets}


def _folders(path: str) -> list[str]:
    """Return the folders of a search path that stand somewhere for certain: `.` would let any folder answer."""
    return [folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]


def found_program(settings: CommandSettings, around: Mapping[str, str]) -> str | None:
    """Return where the program is, None where it is not there or may not be executed."""
    return shutil.which(settings.program, path=os.pathsep.join(_folders(around.get("PATH", os.defpath))))


def placed_program(program: object, folder: PurePath) -> object:
    """Return a program that is named by a path as seen from anywhere; a mere name stays one."""
    if isinstance(program, str) and os.sep in program:
        return os.path.abspath(folder / program)
    return program


def no_program(program: str) -> ToolFailure:
    """Return that there is no program of this name, or at this path, and what helps."""
    is_path = os.sep in program
    return failure("program_missing", program=program, remedy=_PUT_THERE if is_path else _INSTALL)


def contacts_of(settings: CommandSettings) -> Words:
    """Return in a few words what is started, and what of the environment it is given."""
    where = found_program(settings, os.environ)
    zh = f"程序 {settings.program}" + (f"（{where}）" if where and where != settings.program else "")
    en = f"the program {settings.program}" + (f" ({where})" if where and where != settings.program else "")
    if settings.folder != os.sep:
        zh += f"，在文件夹 {settings.folder}"
        en += f", in the folder {settings.folder}"
    if settings.variables:
        given = ", ".join(f"{name}={value[:60]}" for name, value in settings.variables.items())
        zh += f"，设定环境变量 {given}"
        en += f", with {given}"
    if settings.environment:
        names = ", ".join(settings.environment)
        zh += f"，传给它环境变量 {names}"
        en += f", with the environment variables {names}"
    if settings.secrets:
        names = ", ".join(settings.secrets)
        zh += f"，以及环境变量 {names} 里的密钥"
        en += f", and the secrets in {names}"
    return Words(zh, en)

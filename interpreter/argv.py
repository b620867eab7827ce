"""Names that programs take for a file, for code, or for another program; linter and adapter look at the same ones."""

from __future__ import annotations

from pathlib import PurePath

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "busybox", "cmd", "powershell", "pwsh"})
#: Programs that start another one, which their first argument names.
STARTERS = frozenset(
    {"env", "nohup", "nice", "time", "timeout", "xargs", "sudo", "doas", "setsid", "stdbuf", "chroot", "ssh", "npx"}
)
#: Flags after which programs that run code expect it.
_CODE_FLAGS = frozenset({"-c", "-e", "-E", "-r", "-p", "--eval", "--print", "--command", "--run", "--execute"})
_INTERPRETERS = frozenset(
    {"python", "python3", "node", "deno", "bun", "perl", "ruby", "php", "lua", "awk", "osascript"}
)


def base_name(program: str) -> str:
    """Return the name of a program without its folder and version."""
    name = PurePath(program).name.lower().removesuffix(".exe")
    return name.rstrip("0123456789.") or name


def is_shell(program: str) -> bool:
    return base_name(program) in SHELLS


def starts_others(program: str) -> bool:
    return base_name(program) in STARTERS


def takes_code(program: str, flag: str) -> bool:
    """Say whether a program takes what follows a flag for code."""
    name = base_name(program)
    return (name in _INTERPRETERS or name in SHELLS) and flag in _CODE_FLAGS


def names_a_file(name: str) -> bool:
    """Say whether programs read a local file for a flag or parameter of this name."""
    word = name.strip().lower().lstrip("-").replace("-", "_")
    return word.endswith("_file")

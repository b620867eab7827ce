"""How arguments are parsed: argparse, with mistakes as exceptions and with help in the language of the person."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from interpreter.report.columns import terminal_width, wrapped


class BadArguments(Exception):
    """The arguments do not parse. Shapes: `problem` in argparse's own words, `usage` of the verb where one is known."""

    def __init__(self, problem: str, usage: str) -> None:
        self.problem = problem
        self.usage = usage
        super().__init__(problem)


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal; argparse makes a formatter for each argument that is added, too."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal_width() - 2)


class Parser(argparse.ArgumentParser):
    """A parser that raises BadArguments where argparse would end the process."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__(*positional, **{"formatter_class": _Help, **named})

    def error(self, message: str) -> NoReturn:
        raise BadArguments(self._explained(message), self.format_usage().strip())

    def _explained(self, message: str) -> str:
        """Say of each argument that is missing what it is, too: `SPEC` alone says little."""
        before, required, names = message.partition("are required: ")
        if not required:
            return message
        about = {"/".join(action.option_strings) or action.metavar: action.help for action in self._actions}
        return f"{before}{required}{', '.join(self._with_help(name, about.get(name)) for name in names.split(', '))}"

    def _with_help(self, name: str, about: str | None) -> str:
        return name if about is None else f"{name} ({about})"

    def print_help(self, file: Any = None) -> None:
        """Print the help. Errors: OSError where it cannot be written; argparse would keep quiet about that."""
        print(self.format_help(), end="", file=file, flush=True)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse what is not known at once: the verb's own parser knows which options it has."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown


class ChineseParser(Parser):
    """A parser that says in Chinese what argparse says in English."""

    def __init__(self, *positional: Any, parents: Any = (), **named: Any) -> None:
        super().__init__(*positional, **{**named, "formatter_class": _ChineseHelp})
        self._positionals.title = "参数"
        self._optionals.title = "选项"
        for action in self._actions:
            if action.dest == "help":
                action.help = "显示这段说明"
        for parent in parents:  # after the titles: options of parents belong to the group of the same title
            self._add_container_actions(parent)
            self._defaults.update(parent._defaults)

    def _with_help(self, name: str, about: str | None) -> str:
        return name if about is None else f"{name}（{about}）"

    def format_help(self) -> str:
        return super().format_help().replace("\n参数:\n", "\n参数：\n").replace("\n选项:\n", "\n选项：\n")


class _ChineseHelp(_Help):
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, "用法：" if prefix is None else prefix)

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Break a help text by columns: Chinese has no blanks to break at, and its characters are two columns wide."""
        return wrapped(text, width)

"""The parser of the command while verbs are added to it, with the options that several of them take."""

from __future__ import annotations

import argparse
from pathlib import Path

from interpreter.cli.parser import ChineseParser, Parser


class Options:
    """The parser of the command while verbs are added to it.

    Shapes: `common`, `at_home` and `walking` hold the options of every verb, of those that know runs, and of those
    that walk one.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._new_parser = ChineseParser if language == "zh" else Parser
        say = self.say
        about_language = say(
            "用哪种语言显示；省略则用系统的语言", "the language of what is shown; that of the system when left out"
        )
        self.parser = self._new_parser(
            prog="interpreter",
            description=say(
                "运行用 YAML 写成的流程，任何人都不能跳过其中的步骤",
                "run workflows written as YAML, none of whose steps anybody can skip",
            ),
        )
        self.parser.add_argument("--version", action="store_true", help=say("显示版本", "show the version"))
        self.parser.add_argument("--lang", choices=("zh", "en"), help=about_language)
        self._verbs = self.parser.add_subparsers(dest="verb", metavar=say("命令", "COMMAND"), required=True)
        self.common = self._new_parser(add_help=False)
        self.common.add_argument("--lang", choices=("zh", "en"), help=about_language)
        self.common.add_argument(
            "--quiet", action="store_true", help=say("不显示消息和进度", "no messages, no progress")
        )
        self.at_home = self._new_parser(add_help=False)
        self.add_home(self.at_home)
        self.walking = self._new_parser(add_help=False)
        self.add_json(self.walking)
        self.add_trust(self.walking)
        self.walking.add_argument(
            "--answers", type=Path, metavar="FILE", help=say("写有回答的文件", "a file of answers, prepared before")
        )
        self.add_name(self.walking)

    def say(self, zh: str, en: str) -> str:
        return zh if self._language == "zh" else en

    def verb(self, name: str, about: str, *parents: Parser) -> argparse.ArgumentParser:
        """Add a verb and return its parser."""
        return self._verbs.add_parser(name, help=about, description=about, parents=[self.common, *parents])

    # --- what several verbs take --------------------------------------------------------------------------------------

    def add_spec(self, parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
        help_text = self.say("流程文件", "the file of the workflow")
        parser.add_argument("spec", type=Path, nargs="?" if optional else None, metavar="SPEC", help=help_text)

    def add_run(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("run", metavar="RUN", help=self.say("运行编号", "the id of a run"))

    def add_profile(self, parser: argparse.ArgumentParser) -> None:
        help_text = self.say(
            "profile 文件，或流程旁边 profiles/ 里的名称；省略则为 local",
            "the file of a profile, or the name of one in profiles/ beside the workflow; local when left out",
        )
        parser.add_argument("--profile", type=Path, metavar="FILE", help=help_text)

    def add_required_profile(self, parser: argparse.ArgumentParser) -> None:
        help_text = self.say(
            "profile 文件，或 profiles/ 里的名称", "the file of a profile, or the name of one in profiles/"
        )
        parser.add_argument("--profile", type=Path, required=True, metavar="FILE", help=help_text)

    def add_set(self, parser: argparse.ArgumentParser) -> None:
        help_text = self.say("改一个阈值或 settings.名称", "another value of a threshold, or of settings.NAME")
        self.add_pairs(parser, "--set", help_text)

    def add_home(self, parser: argparse.ArgumentParser) -> None:
        help_text = self.say("运行记录所在的文件夹", "the folder in which runs are kept")
        parser.add_argument("--home", type=Path, metavar="DIR", help=help_text)

    def add_json(self, parser: argparse.ArgumentParser) -> None:
        help_text = self.say("标准输出只有一个 JSON 对象", "one JSON object on standard output")
        parser.add_argument("--json", action="store_true", help=help_text)

    def add_trust(self, parser: argparse.ArgumentParser) -> None:
        help_text = self.say("信任首次使用的 profile", "trust a profile used for the first time")
        parser.add_argument("--trust-profile", action="store_true", help=help_text)

    def add_name(self, parser: argparse.ArgumentParser) -> None:
        help_text = self.say("以谁的名义回答（标为自称）", "who answers (marked as claimed)")
        parser.add_argument("--as", dest="name", metavar="NAME", help=help_text)

    def add_as_recorded(self, parser: argparse._ActionsContainer) -> None:
        help_text = self.say("文档改了也按记录的文本继续", "go on with the recorded text where documents have changed")
        parser.add_argument("--as-recorded", action="store_true", help=help_text)

    def add_pairs(
        self, parser: argparse.ArgumentParser, option: str, help_text: str, metavar: str = "NAME=VALUE"
    ) -> None:
        """Add an option that may be given several times."""
        parser.add_argument(option, action="append", default=[], metavar=metavar, help=help_text)

"""Arguments of `rules`: one question after the other, each with its own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from interpreter.cli.options import Options


def add_rules(rules: argparse.ArgumentParser, options: Options) -> None:
    """Add the questions that can be asked about rules."""
    added = _Questions(rules, options)
    added.add_check_and_test()
    added.add_about_facts()
    added.add_diff()
    added.add_boundaries_and_table()
    added.say_what_there_is()


class _Questions:
    def __init__(self, rules: argparse.ArgumentParser, options: Options) -> None:
        self._options = options
        self._say = options.say
        self._questions = rules.add_subparsers(dest="question", required=True)

    def say_what_there_is(self) -> None:
        self._questions.metavar = "|".join(self._questions.choices or ())

    def _question(self, name: str, about: str) -> argparse.ArgumentParser:
        added = self._questions.add_parser(name, help=about, description=about, parents=[self._options.common])
        self._options.add_json(added)
        return added

    def _about_document(self, name: str, about: str) -> argparse.ArgumentParser:
        added = self._question(name, about)
        added.add_argument("file", type=Path, metavar="FILE", help=self._say("规则文档", "a rule document"))
        return added

    def _about_facts(self, name: str, about: str) -> argparse.ArgumentParser:
        say, added = self._say, self._about_document(name, about)
        added.add_argument(
            "--fact", action="append", default=[], metavar="NAME=VALUE", help=say("一个事实", "one fact")
        )
        added.add_argument("--facts", type=Path, metavar="FILE", help=say("写有事实的文件", "a file of facts"))
        return added

    def _add_rule(self, question: argparse.ArgumentParser) -> None:
        question.add_argument("rule", nargs="?", metavar="RULE", help=self._say("规则的名称", "the name of a rule"))

    def add_check_and_test(self) -> None:
        say = self._say
        self._about_document("check", say("规则遗漏了什么、哪里矛盾", "what rules forget or contradict"))
        about = say("运行用例，并说明它们发现不了什么", "run the cases, and say what they would not notice")
        about_cases = say("用例；省略则为 tests/<规则文档名>.yaml", "the cases; tests/<rules>.yaml when left out")
        test = self._about_document("test", about)
        test.add_argument("--tests", type=Path, metavar="FILE", help=about_cases)

    def add_about_facts(self) -> None:
        say = self._say
        self._add_rule(self._about_facts("explain", say("回答是什么，为什么", "what the answer is, and why")))
        why_not = self._about_facts("why-not", say("为什么不是某个回答", "why it is not a certain answer"))
        about_wanted = say("规则和想要的回答", "a rule and the answer that was expected")
        why_not.add_argument("wanted", metavar="RULE=ANSWER", help=about_wanted)
        what_if = self._about_facts("what-if", say("事实变了会怎样", "what the answer would be with other facts"))
        self._add_rule(what_if)
        about_change = say("改动的事实；省略则找最小的改动", "a changed fact; without one the smallest change is found")
        what_if.add_argument("--change", action="append", default=[], metavar="NAME=VALUE", help=about_change)

    def add_diff(self) -> None:
        say = self._say
        diff = self._question("diff", say("两个版本在哪里回答不同", "where two versions answer differently"))
        diff.add_argument("old", type=Path, metavar="OLD", help=say("旧的规则文档", "the rule document as it was"))
        diff.add_argument("new", type=Path, metavar="NEW", help=say("新的规则文档", "the rule document as it is now"))
        about_decisions = say("运行，或写有 decisions 的文件", "runs, or files with decisions")
        diff.add_argument("--decisions", nargs="+", default=[], metavar="RUN", help=about_decisions)
        self._options.add_home(diff)

    def add_boundaries_and_table(self) -> None:
        say = self._say
        about = say("为每个界限写出用例", "write test cases for every boundary")
        self._add_rule(self._about_document("boundaries", about))
        about = say("显示决策表，或与 CSV 互换", "show a decision table, write or read it as CSV")
        table = self._about_document("table", about)
        self._add_rule(table)
        exchanged = table.add_mutually_exclusive_group()
        exchanged.add_argument("--csv", type=Path, metavar="OUT", help=say("写成 CSV", "write it as CSV"))
        exchanged.add_argument("--from-csv", type=Path, metavar="IN", help=say("读回 CSV", "read CSV back"))

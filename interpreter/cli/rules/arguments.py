"""Arguments of `rules`: one question after the other, each with its own."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

Say = Callable[[str, str], str]


def add_rules(rules: argparse.ArgumentParser, common: argparse.ArgumentParser, say: Say) -> None:
    """Add the questions that can be asked about rules."""
    questions = rules.add_subparsers(dest="question", metavar=say("问题", "QUESTION"), required=True)

    def question(name: str, help_text: str) -> argparse.ArgumentParser:
        added = questions.add_parser(name, help=help_text, description=help_text, parents=[common])
        added.add_argument(
            "--json", action="store_true", help=say("标准输出只有一个 JSON 对象", "one JSON object on standard output")
        )
        return added

    def about_facts(name: str, help_text: str) -> argparse.ArgumentParser:
        added = question(name, help_text)
        added.add_argument("file", type=Path, metavar="FILE", help=say("规则文档", "a rule document"))
        added.add_argument(
            "--fact", action="append", default=[], metavar="NAME=VALUE", help=say("一个事实", "one fact")
        )
        added.add_argument("--facts", type=Path, metavar="FILE", help=say("写有事实的文件", "a file of facts"))
        return added

    check = question("check", say("规则遗漏了什么、哪里矛盾", "what rules forget or contradict"))
    check.add_argument("file", type=Path, metavar="FILE", help=say("规则文档", "a rule document"))

    test = question(
        "test", say("运行用例，并说明它们发现不了什么", "run the cases, and say what they would not notice")
    )
    test.add_argument("file", type=Path, metavar="FILE", help=say("规则文档", "a rule document"))
    test.add_argument(
        "--tests",
        type=Path,
        metavar="FILE",
        help=say("用例；省略则为 tests/<规则文档名>.yaml", "the cases; tests/<rules>.yaml when left out"),
    )

    explain = about_facts("explain", say("回答是什么，为什么", "what the answer is, and why"))
    explain.add_argument("rule", nargs="?", metavar="RULE", help=say("规则的名称", "the name of a rule"))

    why_not = about_facts("why-not", say("为什么不是某个回答", "why it is not a certain answer"))
    why_not.add_argument(
        "wanted", metavar="RULE=ANSWER", help=say("规则和想要的回答", "a rule and the answer that was expected")
    )

    what_if = about_facts("what-if", say("事实变了会怎样", "what the answer would be with other facts"))
    what_if.add_argument("rule", nargs="?", metavar="RULE", help=say("规则的名称", "the name of a rule"))
    what_if.add_argument(
        "--change",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=say("改动的事实；省略则找最小的改动", "a changed fact; without one the smallest change is found"),
    )

    diff = question("diff", say("两个版本在哪里回答不同", "where two versions answer differently"))
    diff.add_argument("old", type=Path, metavar="OLD", help=say("旧的规则文档", "the rule document as it was"))
    diff.add_argument("new", type=Path, metavar="NEW", help=say("新的规则文档", "the rule document as it is now"))
    diff.add_argument(
        "--decisions",
        nargs="+",
        default=[],
        metavar="RUN",
        help=say("运行，或写有 decisions 的文件", "runs, or files with decisions"),
    )
    diff.add_argument(
        "--home", type=Path, metavar="DIR", help=say("运行记录所在的文件夹", "the folder in which runs are kept")
    )

    boundaries = question("boundaries", say("为每个界限写出用例", "write test cases for every boundary"))
    boundaries.add_argument("file", type=Path, metavar="FILE", help=say("规则文档", "a rule document"))
    boundaries.add_argument("rule", nargs="?", metavar="RULE", help=say("规则的名称", "the name of a rule"))

    table = question("table", say("显示决策表，或与 CSV 互换", "show a decision table, write or read it as CSV"))
    table.add_argument("file", type=Path, metavar="FILE", help=say("规则文档", "a rule document"))
    table.add_argument("rule", nargs="?", metavar="RULE", help=say("规则的名称", "the name of a rule"))
    exchanged = table.add_mutually_exclusive_group()
    exchanged.add_argument("--csv", type=Path, metavar="OUT", help=say("写成 CSV", "write it as CSV"))
    exchanged.add_argument("--from-csv", type=Path, metavar="IN", help=say("读回 CSV", "read CSV back"))

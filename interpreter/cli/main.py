"""Arguments of all verbs, in the language of the person."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import IO, Any, NoReturn

from interpreter.cli.context import Context, UsageError


def run_command(arguments: list[str]) -> int:
    """Run one verb and return the exit status of the process."""
    language = language_of(arguments)
    parser = build_parser(language, asks_about_rules="rules" in arguments)
    if not arguments:
        print(parser.format_help(), end="", file=sys.stderr)
        return 2
    if not _stands_somewhere():
        gone = {
            "zh": "当前文件夹已不存在；请先 cd 到别处",
            "en": "the folder you are in is gone; cd to another one first",
        }
        print(f"interpreter: {gone[language]}", file=sys.stderr)
        return 2
    try:
        parsed = parser.parse_args(arguments)
        context = Context(parsed, language)
        return int(parsed.handler(context))
    except BadArguments as error:
        from interpreter.cli.usage import usage_text

        print(f"interpreter: {usage_text(error.problem, error.usage, language)}", file=sys.stderr)
        return 2
    except UsageError as error:
        from interpreter.report.columns import hanging, width_for

        for line in hanging(f"interpreter: {error}", width_for(sys.stderr), 4):
            print(line, file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read the output has gone; nothing is left to say.
        _leave_unread(sys.stdout)
        return 0
    except OSError as error:
        # A disk that is full, a place that may not be written to: of the machine; nothing that was recorded is lost.
        _leave_unread(sys.stdout)
        where = f"{error.filename}: " if error.filename else ""
        what = "无法写入或读取" if language == "zh" else "cannot read or write"
        print(f"interpreter: {what}: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _leave_unread(stream: IO[str] | None) -> None:
    """Let what is still to be printed go nowhere, so that leaving does not try to print it once more."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _stands_somewhere() -> bool:
    """Say whether the working folder still exists: every relative path begins there."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def language_of(arguments: list[str]) -> str:
    """Return `--lang`, else what the environment says, else English."""
    for number, word in enumerate(arguments):
        if word == "--lang" and number + 1 < len(arguments):
            return "zh" if arguments[number + 1] == "zh" else "en"
        if word.startswith("--lang="):
            return "zh" if word[7:] == "zh" else "en"
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


class BadArguments(Exception):
    """The arguments do not parse. Shapes: `problem` in argparse's own words, `usage` of the verb where one is known."""

    def __init__(self, problem: str, usage: str) -> None:
        self.problem = problem
        self.usage = usage
        super().__init__(problem)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadArguments(message, self.format_usage().strip())

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse what is not known at once: the verb's own parser knows which options it has."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown


class _ChineseHelp(argparse.HelpFormatter):
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, "用法：" if prefix is None else prefix)


class _ChineseParser(_Parser):
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

    def format_help(self) -> str:
        return super().format_help().replace("\n参数:\n", "\n参数：\n").replace("\n选项:\n", "\n选项：\n")


def build_parser(language: str, *, asks_about_rules: bool = True) -> argparse.ArgumentParser:
    """Return the parser of the whole command; the questions about rules are many, and not needed elsewhere."""
    from interpreter.cli import verbs

    def say(zh: str, en: str) -> str:
        return zh if language == "zh" else en

    new_parser = _ChineseParser if language == "zh" else _Parser
    parser = new_parser(
        prog="interpreter",
        description=say(
            "运行用 YAML 写成的流程，任何人都不能跳过其中的步骤",
            "run workflows written as YAML, none of whose steps anybody can skip",
        ),
    )
    parser.add_argument("--version", action="store_true", help=say("显示版本", "show the version"))
    commands = parser.add_subparsers(dest="verb", metavar=say("命令", "COMMAND"), required=True)

    common = new_parser(add_help=False)
    common.add_argument("--lang", choices=("zh", "en"), help=say("语言", "language"))
    common.add_argument("--quiet", action="store_true", help=say("不显示消息和进度", "no messages, no progress"))
    at_home = new_parser(add_help=False)
    at_home.add_argument("--home", type=Path, help=say("运行记录所在的目录", "where runs are kept"))
    walking = new_parser(add_help=False)
    walking.add_argument(
        "--json", action="store_true", help=say("标准输出只有一个 JSON 对象", "one JSON object on standard output")
    )
    walking.add_argument(
        "--trust-profile",
        action="store_true",
        help=say("信任首次使用的 profile", "trust a profile used for the first time"),
    )
    walking.add_argument("--answers", type=Path, metavar="FILE", help=say("预先准备的回答", "prepared answers"))
    walking.add_argument(
        "--as", dest="name", metavar="NAME", help=say("以谁的名义回答（标为自称）", "who answers (marked as claimed)")
    )

    def verb(name: str, help_text: str, handler: object, *parents: _Parser) -> _Parser:
        added = commands.add_parser(name, help=help_text, description=help_text, parents=[common, *parents])
        added.set_defaults(handler=handler)
        return added

    run = verb("run", say("运行一个流程", "run a workflow"), verbs.run, at_home, walking)
    run.add_argument("spec", type=Path, metavar="SPEC")
    run.add_argument("--profile", type=Path, metavar="FILE")
    run.add_argument("--input", action="append", default=[], metavar="NAME=VALUE")
    run.add_argument("--inputs", type=Path, metavar="FILE")
    run.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=say("阈值或 settings.名称", "a threshold, or settings.NAME"),
    )
    run.add_argument("--run-id", metavar="ID")
    run.add_argument("--dry-run", action="store_true", help=say("演练，不写入", "rehearse, write nothing"))

    resume = verb("resume", say("继续一个停下的运行", "go on with a run that stopped"), verbs.resume, at_home, walking)
    resume.add_argument("run", metavar="RUN")
    resume.add_argument("--budget", action="append", default=[], metavar="NAME=+N")
    resume.add_argument("--waive", action="append", default=[], metavar="GATE")
    resume.add_argument("--reason", default="", help=say("放行的理由", "why the gate is waived"))
    edited = resume.add_mutually_exclusive_group()
    edited.add_argument("--as-recorded", action="store_true", help=say("按记录的文本继续", "with the recorded text"))
    edited.add_argument(
        "--with-edits",
        action="store_true",
        help=say("用改动后的文本从当前状态重新开始", "start the current state again, with the edited text"),
    )

    answer = verb("answer", say("回答一个问题并继续", "answer a question and go on"), verbs.answer, at_home, walking)
    answer.add_argument("run", metavar="RUN")
    answer.add_argument("answer", metavar="QUESTION=VALUE")
    answer.add_argument("--seen", metavar="DIGEST", help=say("你看到的内容的摘要", "digest of what you saw"))
    answer.add_argument(
        "--as-recorded", action="store_true", help=say("文档有改动也按记录的文本继续", "with the recorded text")
    )
    answer.add_argument("--abandon", action="store_true", help=say("放弃这个问题", "give the question up"))

    cancel = verb("cancel", say("取消一个运行", "cancel a run"), verbs.cancel, at_home, walking)
    cancel.add_argument("run", metavar="RUN")

    runs = verb("runs", say("列出运行", "list runs"), verbs.runs, at_home)
    runs.add_argument(
        "--waiting", action="store_true", help=say("只列等待回答的", "only those that wait for an answer")
    )
    runs.add_argument(
        "--prune",
        metavar="AGE",
        help=say("删除早于此时长已结束的运行，如 30d", "remove runs that ended longer ago, e.g. 30d"),
    )
    runs.add_argument("--json", action="store_true")

    show = verb("show", say("查看一个运行", "show a run"), verbs.show, at_home)
    show.add_argument("run", metavar="RUN")
    show.add_argument("--follow", action="store_true", help=say("持续显示", "go on showing"))
    show.add_argument(
        "--plan",
        action="store_true",
        help=say("显示最近一次确认所许可的调用", "the calls that the latest confirmation permits"),
    )
    show.add_argument(
        "--format", choices=("csv", "md"), help=say("--plan 的格式，默认 md", "of --plan, md if not given")
    )
    show.add_argument(
        "--evidence",
        nargs="?",
        const="",
        metavar="ID",
        help=say(
            "显示录入的证据，以及是否仍与原文逐字相同", "the evidence, and whether it still stands in what was read"
        ),
    )
    show.add_argument(
        "--quoted",
        action="store_true",
        help=say("--evidence 只显示结果中引用的", "of --evidence, only what the outputs quote"),
    )
    show.add_argument("--json", action="store_true")

    lint = verb("lint", say("检查文档", "check documents"), verbs.lint)
    lint.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    lint.add_argument("--format", choices=("text", "json", "sarif", "github"), default="text")
    lint.add_argument("--fix", action="store_true", help=say("改正被 YAML 吃掉的行", "mend lines that YAML ate"))

    prove = verb("prove", say("证明保证", "prove the guarantees of a workflow"), verbs.prove)
    prove.add_argument("specs", nargs="+", type=Path, metavar="PATH", help=say("流程或文件夹", "workflows or folders"))
    prove.add_argument("--json", action="store_true")

    test = verb("test", say("运行用例，不触碰任何外部", "run cases; nothing outside is touched"), verbs.test, at_home)
    test.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    test.add_argument(
        "--replay",
        action="store_true",
        help=say(
            "PATH 是已结束的运行，按现在的文档重放",
            "the paths are runs; replay them under the documents as they are now",
        ),
    )
    test.add_argument(
        "--case",
        metavar="ID",
        help=say(
            "只运行这个用例；几个文档有同一个 id 时写 文档:ID",
            "only this case; DOCUMENT:ID where several documents have that id",
        ),
    )
    test.add_argument("--coverage", action="store_true", help=say("列出没有覆盖的", "list what no case comes by"))
    test.add_argument(
        "--min-coverage",
        type=float,
        metavar="N",
        help=say("覆盖低于百分之 N 则失败", "fail where less than N percent is covered"),
    )
    test.add_argument("--json", action="store_true")

    fuzz = verb("fuzz", say("随机运行，寻找被破坏的保证", "draw runs and look for what they break"), verbs.fuzz)
    fuzz.add_argument("spec", type=Path, metavar="SPEC")
    fuzz.add_argument("--runs", type=int, default=200, metavar="N", help=say("运行多少次，默认 200", "how many, 200"))
    fuzz.add_argument("--seed", type=int, metavar="N", help=say("让随机可以重现", "draw the same ones again"))
    fuzz.add_argument("--out", type=Path, metavar="FILE", help=say("把最小的用例写入文件", "write the smallest case"))

    record = verb("record", say("把结束的运行写成用例", "write an ended run as a case"), verbs.record, at_home)
    record.add_argument("run", metavar="RUN")
    record.add_argument("--name", metavar="NAME", help=say("测试文档的名称", "the name of the tests document"))
    record.add_argument("--out", type=Path, metavar="FILE", help=say("写入文件", "write to a file"))
    record.add_argument(
        "--with-content",
        action="store_true",
        help=say(
            "保留读到的正文，否则以等长的占位代替", "keep texts that were read; else placeholders of the same length"
        ),
    )

    graph = verb("graph", say("画出状态", "draw the states"), verbs.graph, at_home)
    graph.add_argument("spec", type=Path, metavar="SPEC")
    graph.add_argument("--format", choices=("mermaid", "svg"), default="mermaid")
    graph.add_argument("--highlight", metavar="RUN", help=say("标出一个运行走过的路", "show the way that a run took"))

    schema = verb(
        "schema", say("打印一种文档的 JSON Schema", "print the JSON Schema of a kind of document"), verbs.schema
    )
    schema.add_argument("kind", metavar="KIND")

    explain = verb("explain", say("解释一个代码", "explain a code"), verbs.explain)
    explain.add_argument("code", metavar="CODE")

    rules = verb("rules", say("检查和解释规则文档", "check and explain rule documents"), verbs.rules)
    if asks_about_rules:
        from interpreter.cli.rule_arguments import add_rules

        add_rules(rules, common, say)

    what = say("检查 profile 所用的程序和服务", "check the programs and services of a profile")
    tools = verb("tools", what, verbs.tools)
    questions = tools.add_subparsers(dest="question", metavar=say("问题", "QUESTION"), required=True)
    about_tools = say(
        "是否已安装、已登录、有权限，回答是否符合契约", "installed, signed in, permitted, true to the contracts?"
    )
    check = questions.add_parser("check", help=about_tools, description=about_tools, parents=[common, at_home])
    check.add_argument("spec", type=Path, nargs="?", metavar="SPEC")
    check.add_argument("--profile", type=Path, required=True, metavar="FILE")
    check.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help=say("settings.名称", "settings.NAME")
    )
    check.add_argument(
        "--trust-profile",
        action="store_true",
        help=say("信任首次使用的 profile", "trust a profile used for the first time"),
    )
    check.add_argument(
        "--json", action="store_true", help=say("标准输出只有一个 JSON 对象", "one JSON object on standard output")
    )

    about_pins = say("查看服务的工具说明并固定它们", "look at what tools say of themselves and pin it")
    about_settings = say("阈值或 settings.名称", "a threshold, or settings.NAME")
    about_trust = say("信任首次使用的 profile", "trust a profile used for the first time")
    pin = questions.add_parser("pin", help=about_pins, description=about_pins, parents=[common, at_home])
    pin.add_argument("--profile", type=Path, required=True, metavar="FILE")
    pin.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=about_settings)
    pin.add_argument("--accept", action="store_true", help=say("不再询问，直接固定", "pin them without being asked"))
    pin.add_argument("--trust-profile", action="store_true", help=about_trust)

    about_serving = say("把流程作为 MCP 工具提供给宿主程序", "offer workflows as tools to an MCP host")
    serve = verb("serve-mcp", about_serving, verbs.serve_mcp, at_home)
    serve.add_argument("specs", nargs="+", type=Path, metavar="SPEC")
    serve.add_argument("--profile", type=Path, metavar="FILE")
    serve.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=about_settings)
    serve.add_argument(
        "--as", dest="name", metavar="NAME", help=say("以谁的名义回答（标为自称）", "who answers (marked as claimed)")
    )
    serve.add_argument("--trust-profile", action="store_true", help=about_trust)

    verb("doctor", say("检查这台机器", "check this machine"), verbs.doctor, at_home)

    new = verb("new", say("新建一个小流程", "make a small workflow"), verbs.new)
    new.add_argument("name", metavar="NAME")
    new.add_argument("--in", dest="folder", type=Path, default=Path("specs"), metavar="DIR")
    return parser

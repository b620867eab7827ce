"""Arguments of all verbs, in the language of the person."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Container
from pathlib import Path
from typing import IO, Any, NoReturn

from interpreter.cli.context import Context, UsageError


def run_command(arguments: list[str]) -> int:
    """Run one verb and return the exit status of the process."""
    language = language_of(arguments)
    parser = build_parser(language, arguments[0] if arguments else None)
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

        text = error.words.zh if language == "zh" else error.words.en
        for line in hanging(f"interpreter: {text}", width_for(sys.stderr), 4):
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

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Break a help text by columns: Chinese has no blanks to break at, and its characters are two columns wide."""
        from interpreter.report.columns import wrapped

        return wrapped(text, width)


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


class _Unasked:
    """Stands where the parser of a verb would that nobody asked for: whatever is said to it is dropped."""

    def __getattr__(self, name: str) -> Callable[..., _Unasked]:
        return lambda *positional, **named: self


def build_parser(language: str, asked: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole command, or of one verb: 30 parsers take as long to make as a short run.

    Shapes: `asked` is the first argument; where that is no verb, all verbs are there.
    """
    parser, verbs = _parser_of(language, asked)
    return parser if asked is None or asked in verbs else _parser_of(language, None)[0]


def _parser_of(language: str, asked: str | None) -> tuple[argparse.ArgumentParser, Container[str]]:
    """Return the parser, with the verbs that it knows."""
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
    about_language = say(
        "用哪种语言显示；省略则用系统的语言", "the language of what is shown; that of the system when left out"
    )
    parser.add_argument("--lang", choices=("zh", "en"), help=about_language)
    commands = parser.add_subparsers(dest="verb", metavar=say("命令", "COMMAND"), required=True)

    common = new_parser(add_help=False)
    spec_file = say("流程文件", "the file of the workflow")
    profile_file = say(
        "profile 文件，或流程旁边 profiles/ 里的名称；省略则为 local",
        "the file of a profile, or the name of one in profiles/ beside the workflow; local when left out",
    )
    which_profile = say("profile 文件，或 profiles/ 里的名称", "the file of a profile, or the name of one in profiles/")
    about_settings = say("改一个阈值或 settings.名称", "another value of a threshold, or of settings.NAME")
    as_recorded = say("文档改了也按记录的文本继续", "go on with the recorded text where documents have changed")
    run_id = say("运行的 id", "the id of a run")
    one_object = say("标准输出只有一个 JSON 对象", "one JSON object on standard output")
    common.add_argument("--lang", choices=("zh", "en"), help=about_language)
    common.add_argument("--quiet", action="store_true", help=say("不显示消息和进度", "no messages, no progress"))
    at_home = new_parser(add_help=False)
    at_home.add_argument(
        "--home", type=Path, metavar="DIR", help=say("运行记录所在的文件夹", "the folder in which runs are kept")
    )
    walking = new_parser(add_help=False)
    walking.add_argument("--json", action="store_true", help=one_object)
    walking.add_argument(
        "--trust-profile",
        action="store_true",
        help=say("信任首次使用的 profile", "trust a profile used for the first time"),
    )
    walking.add_argument(
        "--answers", type=Path, metavar="FILE", help=say("写有回答的文件", "a file of answers, prepared before")
    )
    walking.add_argument(
        "--as", dest="name", metavar="NAME", help=say("以谁的名义回答（标为自称）", "who answers (marked as claimed)")
    )

    def verb(name: str, help_text: str, handler: object, *parents: _Parser) -> Any:
        if asked not in (None, name):
            return _Unasked()
        added = commands.add_parser(name, help=help_text, description=help_text, parents=[common, *parents])
        added.set_defaults(handler=handler)
        return added

    run = verb("run", say("运行一个流程", "run a workflow"), verbs.run, at_home, walking)
    run.add_argument("spec", type=Path, metavar="SPEC", help=spec_file)
    run.add_argument("--profile", type=Path, metavar="FILE", help=profile_file)
    run.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=say("一个输入；可以写多次", "an input; may be given several times"),
    )
    run.add_argument("--inputs", type=Path, metavar="FILE", help=say("写有输入的文件", "a file of inputs"))
    run.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=about_settings,
    )
    run.add_argument(
        "--run-id",
        metavar="ID",
        help=say("给运行起的 id；已有的不会再启动", "an id for the run; one that exists is not started again"),
    )
    run.add_argument("--dry-run", action="store_true", help=say("演练，什么也不写入", "rehearse; nothing is written"))

    resume = verb("resume", say("继续一个停下的运行", "go on with a run that stopped"), verbs.resume, at_home, walking)
    resume.add_argument("run", metavar="RUN", help=run_id)
    resume.add_argument(
        "--budget",
        action="append",
        default=[],
        metavar="NAME=+N",
        help=say("给这个预算再加 N 次", "give a budget N calls more"),
    )
    resume.add_argument(
        "--waive",
        action="append",
        default=[],
        metavar="GATE",
        help=say("放行一道门禁，要写明 --reason", "let a gate pass all the same; needs --reason"),
    )
    resume.add_argument(
        "--reason", default="", metavar="TEXT", help=say("放行的理由", "why the gate may be passed all the same")
    )
    edited = resume.add_mutually_exclusive_group()
    edited.add_argument("--as-recorded", action="store_true", help=as_recorded)
    edited.add_argument(
        "--with-edits",
        action="store_true",
        help=say(
            "用改动后的文档，从当前状态重新开始", "start the current state again, with the documents as they are now"
        ),
    )

    answer = verb("answer", say("回答一个问题并继续", "answer a question and go on"), verbs.answer, at_home, walking)
    answer.add_argument("run", metavar="RUN", help=run_id)
    answer.add_argument(
        "answer", metavar="QUESTION=VALUE", help=say("问题的名称和回答", "the name of the question, and the answer")
    )
    answer.add_argument(
        "--seen",
        metavar="DIGEST",
        help=say(
            "打印出来的命令里的编号：问题已变就不回答",
            "from the printed command: the answer is refused where something else is asked by now",
        ),
    )
    answer.add_argument("--as-recorded", action="store_true", help=as_recorded)
    answer.add_argument("--abandon", action="store_true", help=say("放弃这个问题", "give the question up"))

    cancel = verb("cancel", say("取消一个运行", "cancel a run"), verbs.cancel, at_home, walking)
    cancel.add_argument("run", metavar="RUN", help=run_id)

    runs = verb("runs", say("列出运行", "list runs"), verbs.runs, at_home)
    runs.add_argument(
        "--waiting", action="store_true", help=say("只列等待回答的", "only those that wait for an answer")
    )
    runs.add_argument(
        "--prune",
        metavar="AGE",
        help=say("删除早于此时长已结束的运行，如 30d", "remove runs that ended longer ago, e.g. 30d"),
    )
    runs.add_argument("--json", action="store_true", help=one_object)

    show = verb("show", say("查看一个运行", "show a run"), verbs.show, at_home)
    show.add_argument("run", metavar="RUN", help=run_id)
    show.add_argument("--follow", action="store_true", help=say("一直显示到运行停下", "go on until the run stops"))
    show.add_argument(
        "--plan",
        action="store_true",
        help=say("显示最近一次确认所许可的调用", "the calls that the latest confirmation permits"),
    )
    show.add_argument(
        "--format",
        choices=("csv", "md"),
        help=say(
            "--plan 的格式，省略则在终端上是表格，否则为 md", "the form of --plan; a table on a terminal, else md"
        ),
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
        help=say("--evidence 只显示结果中引用的", "with --evidence: only what the outputs quote"),
    )
    show.add_argument("--json", action="store_true", help=one_object)

    lint = verb("lint", say("检查文档", "check documents"), verbs.lint)
    lint.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=say("文件或文件夹", "files or folders"))
    lint.add_argument(
        "--format",
        choices=("text", "json", "sarif", "github"),
        default="text",
        help=say("输出的格式，省略则为 text", "the form of what is printed; text when left out"),
    )
    lint.add_argument(
        "--fix", action="store_true", help=say("改正 YAML 会读错的行", "mend lines that YAML itself would misread")
    )

    prove = verb("prove", say("证明保证", "prove the guarantees of a workflow"), verbs.prove)
    prove.add_argument("specs", nargs="+", type=Path, metavar="PATH", help=say("流程或文件夹", "workflows or folders"))
    prove.add_argument("--json", action="store_true", help=one_object)

    test = verb(
        "test", say("运行用例；不触及外部的任何东西", "run cases; nothing outside is touched"), verbs.test, at_home
    )
    test.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help=say("用例文档，或含有 tests/ 的文件夹", "documents of cases, or folders with tests/ in them"),
    )
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
    test.add_argument(
        "--coverage", action="store_true", help=say("列出没有用例走到的地方", "list what no case comes by")
    )
    test.add_argument(
        "--min-coverage",
        type=float,
        metavar="N",
        help=say("覆盖不到百分之 N 就算失败", "fail where less than N percent is covered"),
    )
    test.add_argument("--json", action="store_true", help=one_object)

    fuzz = verb("fuzz", say("随机运行，寻找被破坏的保证", "draw runs and look for what they break"), verbs.fuzz)
    fuzz.add_argument("spec", type=Path, metavar="SPEC", help=spec_file)
    fuzz.add_argument(
        "--runs",
        type=int,
        default=200,
        metavar="N",
        help=say("抽多少次运行，省略则为 200", "how many runs are drawn; 200 when left out"),
    )
    fuzz.add_argument(
        "--seed", type=int, metavar="N", help=say("打印过的数：再抽同样的运行", "a printed number: the same runs again")
    )
    fuzz.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=say("把出错的最小一次运行写成用例", "write the smallest run that broke something as a case"),
    )

    record = verb("record", say("把结束的运行写成用例", "write an ended run as a case"), verbs.record, at_home)
    record.add_argument("run", metavar="RUN", help=run_id)
    record.add_argument("--name", metavar="NAME", help=say("用例文档的名称", "the name of the tests document"))
    record.add_argument("--out", type=Path, metavar="FILE", help=say("写入这个文件", "write it to this file"))
    record.add_argument(
        "--with-content",
        action="store_true",
        help=say(
            "保留读到的正文，否则以等长的占位代替", "keep texts that were read; else placeholders of the same length"
        ),
    )

    graph = verb("graph", say("画出状态", "draw the states"), verbs.graph, at_home)
    graph.add_argument("spec", type=Path, metavar="SPEC", help=spec_file)
    graph.add_argument(
        "--format",
        choices=("mermaid", "svg"),
        default="mermaid",
        help=say("图的格式，省略则为 mermaid", "the form of the picture; mermaid when left out"),
    )
    graph.add_argument("--highlight", metavar="RUN", help=say("标出一个运行走过的路", "show the way that a run took"))

    schema = verb(
        "schema", say("打印一种文档的 JSON Schema", "print the JSON Schema of a kind of document"), verbs.schema
    )
    schema.add_argument("kind", metavar="KIND", help="workflow, types, tools, rules, profile, tests")

    explain = verb("explain", say("解释一个代码", "explain the code of a finding"), verbs.explain)
    explain.add_argument(
        "code", metavar="CODE", help=say("方括号里的代码，如 name/unknown", "what stands in brackets: name/unknown")
    )

    rules = verb("rules", say("检查和解释规则文档", "check and explain rule documents"), verbs.rules)
    if asked in (None, "rules"):
        from interpreter.cli.rules.arguments import add_rules

        add_rules(rules, common, say)

    what = say("检查 profile 所用的程序和服务", "check the programs and services of a profile")
    tools = verb("tools", what, verbs.tools)
    questions = tools.add_subparsers(dest="question", metavar=say("问题", "QUESTION"), required=True)
    about_tools = say(
        "是否已安装、已登录、有权限，回答是否符合契约", "installed, signed in, permitted, true to the contracts?"
    )
    check = questions.add_parser("check", help=about_tools, description=about_tools, parents=[common, at_home])
    check.add_argument("spec", type=Path, nargs="?", metavar="SPEC", help=spec_file)
    check.add_argument("--profile", type=Path, required=True, metavar="FILE", help=which_profile)
    check.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help=say("settings.名称", "settings.NAME")
    )
    check.add_argument(
        "--trust-profile",
        action="store_true",
        help=say("信任首次使用的 profile", "trust a profile used for the first time"),
    )
    check.add_argument("--json", action="store_true", help=one_object)

    about_pins = say("查看服务的工具说明并固定它们", "look at what tools say of themselves and pin it")
    about_trust = say("信任首次使用的 profile", "trust a profile used for the first time")
    pin = questions.add_parser("pin", help=about_pins, description=about_pins, parents=[common, at_home])
    pin.add_argument("--profile", type=Path, required=True, metavar="FILE", help=which_profile)
    pin.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=about_settings)
    pin.add_argument("--accept", action="store_true", help=say("不再询问，直接固定", "pin them without being asked"))
    pin.add_argument("--trust-profile", action="store_true", help=about_trust)

    about_serving = say("把流程作为 MCP 工具提供给宿主程序", "offer workflows as tools to an MCP host")
    serve = verb("serve-mcp", about_serving, verbs.serve_mcp, at_home)
    serve.add_argument("specs", nargs="+", type=Path, metavar="SPEC", help=say("流程文件", "files of workflows"))
    serve.add_argument("--profile", type=Path, metavar="FILE", help=profile_file)
    serve.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=about_settings)
    serve.add_argument(
        "--as", dest="name", metavar="NAME", help=say("以谁的名义回答（标为自称）", "who answers (marked as claimed)")
    )
    serve.add_argument("--trust-profile", action="store_true", help=about_trust)

    verb("doctor", say("检查这台机器", "check this machine"), verbs.doctor, at_home)

    new = verb("new", say("新建一个小流程", "make a small workflow"), verbs.new)
    new.add_argument(
        "name", metavar="NAME", help=say("流程名：小写字母、数字和 _", "its name: lower-case letters, digits and _")
    )
    new.add_argument(
        "--in",
        dest="folder",
        type=Path,
        default=Path("specs"),
        metavar="DIR",
        help=say("写在哪个文件夹，省略则为 specs", "the folder to write to; specs when left out"),
    )
    return parser, commands.choices

"""What each verb takes, in the language of the person: one function for each verb, in the order of the help."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from interpreter.cli.options import Options


def build_parser(language: str, asked: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole command, or of one verb: 20 parsers take as long to make as a short run.

    Shapes: `asked` is the first argument; where that is no verb, all verbs are there.
    """
    options = Options(language)
    for name in [asked] if asked in _VERBS else _VERBS:
        _VERBS[name](options)
    return options.parser


# --- runs -------------------------------------------------------------------------------------------------------------


def _run(options: Options) -> None:
    say = options.say
    run = options.verb("run", say("运行一个流程", "run a workflow"), options.at_home, options.walking)
    options.add_spec(run)
    options.add_profile(run)
    options.add_pairs(run, "--input", say("一个输入；可以写多次", "an input; may be given several times"))
    run.add_argument("--inputs", type=Path, metavar="FILE", help=say("写有输入的文件", "a file of inputs"))
    options.add_set(run)
    about_id = say("给运行起的编号；已有的不会再启动", "an id for the run; one that exists is not started again")
    run.add_argument("--run-id", metavar="ID", help=about_id)
    run.add_argument("--dry-run", action="store_true", help=say("演练，什么也不写入", "rehearse; nothing is written"))


def _resume(options: Options) -> None:
    say, parents = options.say, (options.at_home, options.walking)
    resume = options.verb("resume", say("继续一个停下的运行", "go on with a run that stopped"), *parents)
    options.add_run(resume)
    options.add_pairs(resume, "--budget", say("给这个预算再加 N 次", "give a budget N calls more"), "NAME=+N")
    about_waiving = say("放行一道门禁，要写明 --reason", "let a gate pass all the same; needs --reason")
    options.add_pairs(resume, "--waive", about_waiving, "GATE")
    about_reason = say("放行的理由", "why the gate may be passed all the same")
    resume.add_argument("--reason", default="", metavar="TEXT", help=about_reason)
    edited = resume.add_mutually_exclusive_group()
    options.add_as_recorded(edited)
    about_edits = say(
        "用改动后的文档，从当前状态重新开始", "start the current state again, with the documents as they are now"
    )
    edited.add_argument("--with-edits", action="store_true", help=about_edits)


def _answer(options: Options) -> None:
    say, parents = options.say, (options.at_home, options.walking)
    answer = options.verb("answer", say("回答一个问题并继续", "answer a question and go on"), *parents)
    options.add_run(answer)
    about_answer = say(
        "问题的名称和回答；写在文件里的回答用 resume --answers FILE",
        "the name of the question, and the answer; resume --answers FILE takes those of a file",
    )
    answer.add_argument("answer", metavar="QUESTION=VALUE", help=about_answer)
    about_seen = say(
        "打印出来的命令里的编号：问题已变就不回答",
        "from the printed command: the answer is refused where something else is asked by now",
    )
    answer.add_argument("--seen", metavar="DIGEST", help=about_seen)
    options.add_as_recorded(answer)
    answer.add_argument("--abandon", action="store_true", help=say("放弃这个问题", "give the question up"))


def _cancel(options: Options) -> None:
    about = options.say("取消一个运行", "cancel a run")
    options.add_run(options.verb("cancel", about, options.at_home, options.walking))


def _runs(options: Options) -> None:
    say = options.say
    runs = options.verb("runs", say("列出运行", "list runs"), options.at_home)
    about_waiting = say("只列等待回答的", "only those that wait for an answer")
    runs.add_argument("--waiting", action="store_true", help=about_waiting)
    about_pruning = say("删除早于此时长已结束的运行，如 30d", "remove runs that ended longer ago, e.g. 30d")
    runs.add_argument("--prune", metavar="AGE", help=about_pruning)
    options.add_json(runs)


def _show(options: Options) -> None:
    say = options.say
    show = options.verb("show", say("查看一个运行", "show a run"), options.at_home)
    options.add_run(show)
    show.add_argument("--follow", action="store_true", help=say("一直显示到运行停下", "go on until the run stops"))
    about_plan = say("显示最近一次确认所许可的调用", "the calls that the latest confirmation permits")
    show.add_argument("--plan", action="store_true", help=about_plan)
    about_format = say(
        "--plan 的格式，省略则在终端上是表格，否则为 md", "the form of --plan; a table on a terminal, else md"
    )
    show.add_argument("--format", choices=("csv", "md"), help=about_format)
    about_evidence = say(
        "显示录入的证据，以及是否仍与原文逐字相同", "the evidence, and whether it still stands in what was read"
    )
    show.add_argument("--evidence", nargs="?", const="", metavar="ID", help=about_evidence)
    about_quoted = say("--evidence 只显示结果中引用的", "with --evidence: only what the outputs quote")
    show.add_argument("--quoted", action="store_true", help=about_quoted)
    options.add_json(show)


# --- documents --------------------------------------------------------------------------------------------------------


def _lint(options: Options) -> None:
    say = options.say
    lint = options.verb("lint", say("检查文档", "check documents"))
    lint.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=say("文件或文件夹", "files or folders"))
    lint.add_argument(
        "--format",
        choices=("text", "json", "sarif", "github"),
        default="text",
        help=say("输出的格式，省略则为 text", "the form of what is printed; text when left out"),
    )
    about_fixing = say("改正 YAML 会读错的行", "mend lines that YAML itself would misread")
    lint.add_argument("--fix", action="store_true", help=about_fixing)
    about_cache = say("不采用以前检查的结果", "look at every document, also where it is known to be clean")
    lint.add_argument("--no-cache", action="store_true", help=about_cache)


def _prove(options: Options) -> None:
    say = options.say
    prove = options.verb("prove", say("证明保证", "prove the guarantees of a workflow"))
    prove.add_argument("specs", nargs="+", type=Path, metavar="PATH", help=say("流程或文件夹", "workflows or folders"))
    options.add_json(prove)


def _test(options: Options) -> None:
    say = options.say
    about = say("运行用例；不触及外部的任何东西", "run cases; nothing outside is touched")
    test = options.verb("test", about, options.at_home)
    about_paths = say("用例文档，或含有 tests/ 的文件夹", "documents of cases, or folders with tests/ in them")
    test.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=about_paths)
    about_replaying = say(
        "PATH 是已结束的运行，按现在的文档重放",
        "the paths are runs; replay them under the documents as they are now",
    )
    test.add_argument("--replay", action="store_true", help=about_replaying)
    about_case = say(
        "只运行这个用例；几个文档有同一个 id 时写 文档:ID",
        "only this case; DOCUMENT:ID where several documents have that id",
    )
    test.add_argument("--case", metavar="ID", help=about_case)
    about_coverage = say("列出没有用例走到的地方", "list what no case comes by")
    test.add_argument("--coverage", action="store_true", help=about_coverage)
    about_least = say("覆盖不到百分之 N 就算失败", "fail where less than N percent is covered")
    test.add_argument("--min-coverage", type=float, metavar="N", help=about_least)
    options.add_json(test)


def _fuzz(options: Options) -> None:
    say = options.say
    about = say("随机运行，寻找被破坏的保证", "draw runs and look for what they break")
    fuzz = options.verb("fuzz", about)
    options.add_spec(fuzz)
    about_runs = say("抽多少次运行，省略则为 200", "how many runs are drawn; 200 when left out")
    fuzz.add_argument("--runs", type=int, default=200, metavar="N", help=about_runs)
    about_seed = say("打印过的数：再抽同样的运行", "a printed number: the same runs again")
    fuzz.add_argument("--seed", type=int, metavar="N", help=about_seed)
    about_writing = say("把出错的最小一次运行写成用例", "write the smallest run that broke something as a case")
    fuzz.add_argument("--out", type=Path, metavar="FILE", help=about_writing)


def _record(options: Options) -> None:
    say = options.say
    about = say("把结束的运行写成用例", "write an ended run as a case")
    record = options.verb("record", about, options.at_home)
    options.add_run(record)
    record.add_argument("--name", metavar="NAME", help=say("用例文档的名称", "the name of the tests document"))
    record.add_argument("--out", type=Path, metavar="FILE", help=say("写入这个文件", "write it to this file"))
    about_content = say(
        "保留读到的正文，否则以等长的占位代替", "keep texts that were read; else placeholders of the same length"
    )
    record.add_argument("--with-content", action="store_true", help=about_content)


def _graph(options: Options) -> None:
    say = options.say
    graph = options.verb("graph", say("画出状态", "draw the states"), options.at_home)
    options.add_spec(graph)
    graph.add_argument(
        "--format",
        choices=("mermaid", "svg"),
        default="mermaid",
        help=say("图的格式，省略则为 mermaid", "the form of the picture; mermaid when left out"),
    )
    graph.add_argument("--highlight", metavar="RUN", help=say("标出一个运行走过的路", "show the way that a run took"))


def _schema(options: Options) -> None:
    about = options.say("打印一种文档的 JSON Schema", "print the JSON Schema of a kind of document")
    schema = options.verb("schema", about)
    about_kind = options.say(
        "文档的种类：workflow、types、tools、rules、profile、tests",
        "the kind: workflow, types, tools, rules, profile, tests",
    )
    schema.add_argument("kind", metavar="KIND", help=about_kind)


def _explain(options: Options) -> None:
    say = options.say
    explain = options.verb("explain", say("解释一个代码", "explain the code of a finding"))
    about_code = say("方括号里的代码，如 name/unknown", "what stands in brackets: name/unknown")
    explain.add_argument("code", metavar="CODE", help=about_code)


def _rules(options: Options) -> None:
    from interpreter.cli.rules.arguments import add_rules

    about = options.say("检查和解释规则文档", "check and explain rule documents")
    add_rules(options.verb("rules", about), options)


# --- what is outside --------------------------------------------------------------------------------------------------


def _tools(options: Options) -> None:
    say, parents = options.say, [options.common, options.at_home]
    about = say("检查 profile 所用的程序和服务", "check the programs and services of a profile")
    tools = options.verb("tools", about)
    questions = tools.add_subparsers(dest="question", metavar="check|pin", required=True)
    about_checking = say(
        "是否已安装、已登录、有权限，回答是否符合契约", "installed, signed in, permitted, true to the contracts?"
    )
    check = questions.add_parser("check", help=about_checking, description=about_checking, parents=parents)
    options.add_spec(check, optional=True)
    options.add_required_profile(check)
    options.add_pairs(check, "--set", say("settings.名称", "settings.NAME"))
    options.add_trust(check)
    options.add_json(check)
    about_pins = say("查看服务的工具说明并固定它们", "look at what tools say of themselves and pin it")
    pin = questions.add_parser("pin", help=about_pins, description=about_pins, parents=parents)
    options.add_required_profile(pin)
    options.add_set(pin)
    pin.add_argument("--accept", action="store_true", help=say("不再询问，直接固定", "pin them without being asked"))
    options.add_trust(pin)


def _serve_mcp(options: Options) -> None:
    say = options.say
    about = say("把流程作为 MCP 工具提供给宿主程序", "offer workflows as tools to an MCP host")
    serve = options.verb("serve-mcp", about, options.at_home)
    serve.add_argument("specs", nargs="+", type=Path, metavar="SPEC", help=say("流程文件", "files of workflows"))
    options.add_profile(serve)
    options.add_set(serve)
    options.add_name(serve)
    options.add_trust(serve)


def _doctor(options: Options) -> None:
    options.verb("doctor", options.say("检查这台机器", "check this machine"), options.at_home)


def _new(options: Options) -> None:
    say = options.say
    new = options.verb("new", say("新建一个小流程", "make a small workflow"))
    about_name = say("流程名：小写英文字母、数字和 _", "its name: lower-case letters, digits and _")
    new.add_argument("name", metavar="NAME", help=about_name)
    new.add_argument(
        "--in",
        dest="folder",
        type=Path,
        default=Path("specs"),
        metavar="DIR",
        help=say("写在哪个文件夹，省略则为 specs", "the folder to write to; specs when left out"),
    )


#: What adds each verb, in the order of the help.
_VERBS: dict[str | None, Callable[[Options], None]] = {
    "run": _run,
    "resume": _resume,
    "answer": _answer,
    "cancel": _cancel,
    "runs": _runs,
    "show": _show,
    "lint": _lint,
    "prove": _prove,
    "test": _test,
    "fuzz": _fuzz,
    "record": _record,
    "graph": _graph,
    "schema": _schema,
    "explain": _explain,
    "rules": _rules,
    "tools": _tools,
    "serve-mcp": _serve_mcp,
    "doctor": _doctor,
    "new": _new,
}

"""One function for each verb; what it needs is imported when it is called."""

from __future__ import annotations

from collections.abc import Callable

from interpreter.cli.context import Context

Handler = Callable[[Context], int]


def run(context: Context) -> int:
    from interpreter.cli.running import run

    return run(context)


def resume(context: Context) -> int:
    from interpreter.cli.running import resume

    return resume(context)


def answer(context: Context) -> int:
    from interpreter.cli.answering import answer

    return answer(context)


def cancel(context: Context) -> int:
    from interpreter.cli.running import cancel

    return cancel(context)


def runs(context: Context) -> int:
    from interpreter.cli.looking import runs

    return runs(context)


def show(context: Context) -> int:
    from interpreter.cli.looking import show

    return show(context)


def lint(context: Context) -> int:
    from interpreter.cli.documents import lint

    return lint(context)


def prove(context: Context) -> int:
    from interpreter.cli.documents import prove

    return prove(context)


def test(context: Context) -> int:
    from interpreter.cli.testing import test

    return test(context)


def fuzz(context: Context) -> int:
    from interpreter.cli.testing import fuzz

    return fuzz(context)


def record(context: Context) -> int:
    from interpreter.cli.testing import record

    return record(context)


def graph(context: Context) -> int:
    from interpreter.cli.documents import graph

    return graph(context)


def schema(context: Context) -> int:
    from interpreter.cli.documents import schema

    return schema(context)


def explain(context: Context) -> int:
    from interpreter.cli.documents import explain

    return explain(context)


def rules(context: Context) -> int:
    from interpreter.cli.rules import run

    return run(context)


def tools(context: Context) -> int:
    if context.arguments.question == "pin":
        from interpreter.cli.pins import pin

        return pin(context)
    from interpreter.cli.tools import check

    return check(context)


def serve_mcp(context: Context) -> int:
    from interpreter.cli.serving import serve_mcp

    return serve_mcp(context)


def doctor(context: Context) -> int:
    from interpreter.cli.doctor import doctor

    return doctor(context)


def new(context: Context) -> int:
    from interpreter.cli.scaffold import new

    return new(context)

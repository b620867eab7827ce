"""What runs each verb; its modules are imported when it is asked for: a command needs those of one verb alone."""

from __future__ import annotations

from collections.abc import Callable

from interpreter.cli.context import Context

Handler = Callable[[Context], int]


def handler_of(verb: str) -> Handler:
    """Return what runs a verb. Errors: KeyError for one that nothing runs; that is a bug."""
    match verb:
        case "run" | "resume" | "cancel":
            from interpreter.cli import running

            return {"run": running.run, "resume": running.resume, "cancel": running.cancel}[verb]
        case "answer":
            from interpreter.cli.answering import answer

            return answer
        case "runs" | "show":
            from interpreter.cli import looking

            return {"runs": looking.runs, "show": looking.show}[verb]
        case "lint" | "prove" | "graph" | "schema" | "explain":
            from interpreter.cli import documents

            about_documents: dict[str, Handler] = {
                "lint": documents.lint,
                "prove": documents.prove,
                "graph": documents.graph,
                "schema": documents.schema,
                "explain": documents.explain,
            }
            return about_documents[verb]
        case "test" | "fuzz" | "record":
            from interpreter.cli import testing

            return {"test": testing.test, "fuzz": testing.fuzz, "record": testing.record}[verb]
        case "rules":
            from interpreter.cli import rules

            return rules.run
        case "tools":
            return _tools
        case "serve-mcp":
            from interpreter.cli.serving import serve_mcp

            return serve_mcp
        case "doctor":
            from interpreter.cli.doctor import doctor

            return doctor
        case "new":
            from interpreter.cli.scaffold import new

            return new
        case _:
            raise KeyError(verb)


def _tools(context: Context) -> int:
    """Check the tools of a profile, or pin what they say of themselves."""
    if context.arguments.question == "pin":
        from interpreter.cli.pins import pin

        return pin(context)
    from interpreter.cli.tools import check

    return check(context)

"""One call of the command: its arguments read, its verb run, what went wrong said as a person can use it."""

from __future__ import annotations

import os
import sys

from interpreter.cli.arguments import build_parser
from interpreter.cli.context import Context, Refused, UsageError
from interpreter.cli.parser import BadArguments
from interpreter.cli.streams import leave_unread
from interpreter.cli.verbs import handler_of


def run_command(arguments: list[str]) -> int:
    """Run one verb and return the exit status of the process."""
    language, arguments = _language_first(arguments)
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
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
        try:
            return _printed(int(handler_of(parsed.verb)(context)))
        except Refused as refused:
            return context.refuse(refused.found, run_id=refused.run_id)
    except BadArguments as error:
        from interpreter.cli.usage import usage_text

        print(f"interpreter: {usage_text(error.problem, error.usage, language, arguments)}", file=sys.stderr)
        return 2
    except UsageError as error:
        from interpreter.report.columns import hanging, width_for
        from interpreter.safety.written_secrets import masked_text

        text = masked_text(error.words[language])
        for line in hanging(f"interpreter: {text}", width_for(sys.stderr), 4):
            print(line, file=sys.stderr)
        return 2
    except OSError as error:
        # A disk that is full, a place that may not be written to: of the machine; nothing that was recorded is lost.
        leave_unread(sys.stdout)
        where = f"{error.filename}: " if error.filename else ""
        what = "无法写入或读取" if language == "zh" else "cannot read or write"
        print(f"interpreter: {what}: {where}{error.strerror or error}", file=sys.stderr)
        return 2


def _printed(status: int) -> int:
    """Return the exit status once all of the output is written. Errors: OSError where it cannot be."""
    sys.stdout.flush()
    return status


def _stands_somewhere() -> bool:
    """Say whether the working folder still exists: every relative path begins there."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _language_first(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the language of what is shown, and the arguments without a `--lang` that stands before the verb.

    Shapes: it is that of the first `--lang`, else that of the environment, else English. One behind the verb is left to
    the parser, and so is one that names no language.
    """
    for place, word in enumerate(arguments):
        name, is_one_word, value = word.partition("=")
        if name == "--lang" and (is_one_word or place + 1 < len(arguments)):
            named = value if is_one_word else arguments[place + 1]
            is_first = place == 0 and named in ("zh", "en")
            return ("zh" if named == "zh" else "en"), (arguments[1 if is_one_word else 2 :] if is_first else arguments)
    return _language_of_environment(), arguments


def _language_of_environment() -> str:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"

"""The first lines of the command. The version is printed before anything else is imported."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command with the arguments of the process and return its exit status."""
    arguments = sys.argv[1:]
    if "--version" in arguments:  # behind a verb too: no option takes such a value
        return _print_version()
    if sys.platform not in ("linux", "darwin"):
        print("interpreter runs on Linux and macOS only / 只支持 Linux 和 macOS", file=sys.stderr)
        return 2
    import gc

    gc.disable()  # what is made until a run walks stays; `running` turns the collector on again
    try:
        _end_as_at_ctrl_c()
        from interpreter.cli.main import run_command
        from interpreter.cli.streams import outlive_readers

        outlive_readers()
        status = run_command(arguments)
    except KeyboardInterrupt:  # where nothing walks: before, afterwards, and while the modules above are still read
        return 130
    gc.freeze()  # the process ends: else Python looks through every object once more, a twentieth of a `lint`
    return status


def _end_as_at_ctrl_c() -> None:
    """Let SIGTERM and a closed terminal end what is under way as Ctrl-C does: cleared away, with that exit status.

    Whoever started the process may have had it ignore them.
    """
    import signal

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def _print_version() -> int:
    from interpreter import __version__

    try:
        print(f"interpreter {__version__}", flush=True)
    except OSError as error:
        from interpreter.cli.streams import leave_unread

        leave_unread(sys.stdout)
        if isinstance(error, BrokenPipeError):  # the reader has left, as with `| true`
            return 0
        print(f"interpreter: cannot write / 无法写入: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Names that programs take for a file, for code, or for another program; linter and adapter look at the same ones.

Programs that run code, or start others, are closed: what may stand in front of their script, or of the program that
they start, is listed here, and it is written out in the profile. Where anything else stands there, no data is given to
them at all, neither as an argument nor as standard input. What a program does with its arguments that is in no list
here cannot be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from rules.patterns import regex


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHELLS = _names("sh bash dash ash zsh ksh mksh fish csh tcsh nu xonsh elvish busybox toybox cmd powershell pwsh")
#: Programs that run what their arguments say in ways that are not looked at: they are given no data.
_OPAQUE = _names(
    "cmd powershell pwsh xargs parallel ssh rsh mosh sshpass su runuser chroot unshare nsenter flock script strace "
    "ltrace gdb lldb watch entr at batch screen tmux docker podman nerdctl kubectl firejail bwrap systemd-run "
    "systemctl start-stop-daemon deno dotnet nim crystal dart swift yq mix fakeroot proot dbus-run-session xvfb-run "
    "make gmake bmake cmake ninja meson bazel gradle mvn ant "
    "rake bundle gem npm yarn pnpm pip pipx uv poetry pdm conda cargo go bun expect emacs emacsclient vim vi "
    "nvim ex ed view less more man sqlite psql mysql mariadb mongosh redis-cli m4 dc gnuplot osascript open xdg-open "
    "wscript cscript mshta rundll start crontab run-parts socat ncat nc netcat tcpdump openssl pdflatex latex tex "
    "xelatex"
)
#: Programs that start the one which follows, by what may stand in between.
_STARTERS = {
    "env": r"-|-i|--ignore-environment|[A-Za-z_]\w*=.*",
    "nice": r"-n|(?:-n)?-?\d+|--adjustment=-?\d+",
    "ionice": r"-[cn]\d|-t",
    "timeout": r"\d+(?:\.\d+)?[smhd]?|-v|--foreground|--preserve-status|--(?:kill-after|signal)=\w+",
    "nohup": r"",
    "setsid": r"-[cfw]+|--wait|--fork",
    "time": r"-p|--portability",
    "stdbuf": r"-[ioe](?:L|\d+[A-Za-z]*)|--(?:input|output|error)=(?:L|\d+[A-Za-z]*)",
    "chrt": r"-[a-z]|\d+",
    "taskset": r"-c|0x[0-9a-f]+|\d[\d,-]*",
    "sudo": r"-[nbHk]+|--non-interactive",
    "doas": r"-n",
    "busybox": r"",
    "toybox": r"",
    "npx": r"-y|--yes|--no-install",
    "bunx": r"",
    "pnpx": r"",
    "uvx": r"",
    "unbuffer": r"",
    "chronic": r"",
    "caffeinate": r"-[dimsu]+",
    "command": r"",
    "exec": r"",
}
#: Programs whose first argument is code or a script, by what may stand in front of it.
_INTERPRETERS = {
    **dict.fromkeys(SHELLS, r"-[euxnfbhpBCEHPTvl]+"),
    **dict.fromkeys(("python", "pythonw", "pypy", "ipython"), r"-[IEsSuBbOqvxP]+|-[WX]\w[\w=:.]*|-c|-m"),
    "perl": r"-[wWTtX]+|-e",
    "ruby": r"-[wW]|-e",
    **dict.fromkeys(("node", "nodejs"), r"-e|--no-warnings|--enable-source-maps|--no-deprecation|--trace-warnings"),
    "php": r"-[nq]+|-r",
    "java": r"-jar|-[DX]\S+|-ea|-server",
    "rscript": r"--vanilla|--slave|--no-[a-z-]+",
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), r"-F\S+|--posix|--sandbox"),
    "sed": r"-[nErsuz]+|--posix|--sandbox",
    **dict.fromkeys(
        ("jq", "gojq", "jaq"),
        r"-[rcnesjaSMC]+|--[a-z]+-(?:output|input)|--(?:slurp|tab|sort-keys|exit-status)",
    ),
    **dict.fromkeys(
        _names(
            "lua luajit tclsh wish irb jruby julia groovy scala kotlin jshell erl escript elixir iex runghc ghc guile "
            "racket sbcl clisp clojure r octave matlab ocaml raku pyston micropython"
        ),
        r"",
    ),
}  # fmt: skip
#: After these the script begins, whatever it looks like.
_BEFORE_CODE = _names("-c -e -r -m -jar")
#: Modules of Python that run what they are given.
_RUNNING_MODULES = _names(
    "timeit pdb profile cProfile trace runpy doctest unittest code pip pytest coverage IPython idlelib"
)
#: A script that is standard input.
_STDIN = _names("- /dev/stdin /dev/fd/0 /proc/self/fd/0")
#: Programs that can be told to start others: data is an operand, never in or after a flag.
_OPERANDS_ONLY = _names(
    "git hg svn tar gtar bsdtar zip rsync scp sftp find fd sed jq gojq jaq awk gawk mawk nawk wget split sort"
)
#: Of these, the ones whose first operand says what to do, by what may stand in front of it.
_COMMAND_FIRST = {
    **dict.fromkeys(("git", "hg", "svn"), r"--no-pager"),
    **dict.fromkeys(("tar", "gtar", "bsdtar", "zip"), r"-[A-Za-z]+"),
}
#: Flags of these whose value is a word and nothing else.
_WORDS_AFTER = {
    "find": _names("-name -iname -path -ipath -type -mtime -newer -size -maxdepth -mindepth"),
    "git": _names("-m --message"),
}
#: After these no data stands at all.
_STARTS_FROM_HERE = regex(r"-(?:exec|execdir|ok|okdir|x|X)|--exec(?:-batch)?")
_SHELL_CODE = regex(r"[-/][A-Za-z]*[cCkK][A-Za-z]*|--command(?:=.*)?|-[Ee]nc[A-Za-z]*")
#: Flags of shells after which a word stands.
_SHELL_WORDS = _names("-o +o -O +O --rcfile --init-file")
#: The last part of a flag whose value is run by programs of any name.
_RUN = _names("exec execute eval shell command rsh checkpoint-action compress-program")
#: Variables that decide which code a program loads or what it starts.
_LOADING = regex(
    r"PATH|IFS|ENV|BASH_ENV|SHELL|PAGER|EDITOR|VISUAL|BROWSER|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|CDPATH|HOME|ZDOTDIR"
    r"|XDG_CONFIG_HOME|XDG_CONFIG_DIRS|XDG_DATA_DIRS|TERMINFO|LOCPATH|NLSPATH|GCONV_PATH|LESSOPEN|LESSCLOSE|MANPAGER"
    r"|LD_.*|DYLD_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|NODE_.*|NPM_.*|LUA_.*|JAVA_.*|JDK_.*|_JAVA_.*|CLASSPATH"
    r"|PHP.*|R_.*|GIT_.*|SSH_.*|BASH_FUNC_.*|CURL_.*|WGETRC|OPENSSL_.*|SSL_.*|MAKE.*|TAR_OPTIONS|DOTNET_.*|COR_.*"
    r"|CORECLR_.*|(?:HTTPS?|ALL|NO|FTP)_PROXY|(?i:https?_proxy|all_proxy|no_proxy|ftp_proxy)"
)


class Word(NamedTuple):
    """One argument as it is written. Shapes: `text` is None where it is not all written out; `start` is what stands in
    front of the first hole; `has_data`: something of it comes from a call; `is_sure`: it is there in every call.
    """

    text: str | None
    start: str
    has_data: bool
    is_sure: bool


class Launch(NamedTuple):
    """What is started in the end. Shapes: data may stand from the word `data_from` on, None where nowhere."""

    program: str
    data_from: int | None
    reads_code: bool


def base_name(program: str) -> str:
    """Return the name of a program without its folder and version."""
    name = PurePath(program.replace("\\", "/")).name.lower().removesuffix(".exe")
    return name.rstrip("0123456789.-") or name


def is_shell(program: str) -> bool:
    return base_name(program) in SHELLS


def launched(program: str, words: Sequence[Word]) -> Launch:
    """Return what a command starts in the end, and where data may stand."""
    at = 0
    while True:
        name = base_name(program)
        if name in _OPAQUE:
            return Launch(program, None, True)
        if name in _STARTERS:
            inner = _first_operand(words, at, _STARTERS[name])
            if inner is None:
                return Launch(program, None, True)
            program, at = words[inner].text or "", inner + 1
            continue
        if name in _INTERPRETERS:
            script = _script(name, words, at)
            return Launch(program, None, True) if script is None else Launch(program, script + 1, False)
        if name in _COMMAND_FIRST:
            first = _first_operand(words, at, _COMMAND_FIRST[name])
            return Launch(program, None if first is None else first + 1, False)
        return Launch(program, at, False)


def runs_code(launch: Launch, words: Sequence[Word], at: int) -> bool:
    """Say whether a word with data may be run by what is started."""
    if launch.data_from is None or at < launch.data_from:
        return True
    word, before = words[at], words[at - 1] if at > 0 else None
    flag = word.start if word.start.startswith("-") else (before.text if before is not None else None) or ""
    if base_name(launch.program) in _OPERANDS_ONLY:
        if any(one.text is not None and _STARTS_FROM_HERE.fullmatch(one.text) for one in words[launch.data_from : at]):
            return True
        harmless = _WORDS_AFTER.get(base_name(launch.program), frozenset())
        return flag.startswith("-") and flag != "--" and flag.partition("=")[0] not in harmless
    return flag.startswith("-") and flag.partition("=")[0].lstrip("-").replace("_", "-") in _RUN


def gives_code_to_shell(program: str, words: Sequence[Word]) -> str | None:
    """Return the shell that is given code as an argument, None where none is."""
    at = 0
    while base_name(program) in _STARTERS or base_name(program) in _OPAQUE - SHELLS:
        inner = next((place for place in range(at, len(words)) if _may_be_program(words[place].text or "")), None)
        if inner is None:
            return None
        program, at = words[inner].text or "", inner + 1
    if not is_shell(program):
        return None
    before = ""
    for word in words[at:]:
        text = word.text or ""
        if _SHELL_CODE.fullmatch(text):
            return program
        if not text.startswith(("-", "+")) and before not in _SHELL_WORDS:
            return None  # the script: what follows is its own
        before = text
    return None


def may_load_code(variable: str) -> bool:
    """Say whether a variable decides what a program loads, starts or contacts."""
    return _LOADING.fullmatch(variable) is not None


def names_a_file(name: str) -> bool:
    """Say whether programs read a local file for a flag or parameter of this name."""
    word = name.strip().lower()
    if word in ("--file", "-file"):
        return True  # a flag; a field of this name is a thing of a service
    return word.lstrip("-").replace("-", "_").endswith("_file")


def _first_operand(words: Sequence[Word], at: int, between: str) -> int | None:
    """Return the first word that is not one of those in between, None where it may be another one in some call."""
    allowed = regex(between or r"(?!)")
    for place in range(at, len(words)):
        word = words[place]
        if word.text is None or not word.is_sure:
            return None
        if word.text == "--":
            continue
        if not allowed.fullmatch(word.text):
            return None if word.text.startswith("-") or word.text == "" else place
    return None


def _script(name: str, words: Sequence[Word], at: int) -> int | None:
    """Return the word that is the script or the code, None where data or standard input may be it."""
    allowed = regex(_INTERPRETERS[name] or r"(?!)")
    place = at
    while place < len(words):
        word = words[place]
        if word.text is None or not word.is_sure:
            return None
        if word.text in _BEFORE_CODE and allowed.fullmatch(word.text):
            after = words[place + 1] if place + 1 < len(words) else None
            is_written = after is not None and after.text is not None and after.is_sure
            if not is_written or after is None or (word.text == "-m" and after.text in _RUNNING_MODULES):
                return None
            return place + 1
        if word.text != "--" and not allowed.fullmatch(word.text):
            return None if word.text.startswith("-") or word.text in _STDIN or word.text == "" else place
        place += 1
    return None


def _may_be_program(word: str) -> bool:
    """Say whether a program that starts another one may take a word for its name, and not for a flag or a value."""
    return word != "" and not word.startswith("-") and "=" not in word and not word[:1].isdigit()

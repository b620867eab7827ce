"""Names that programs take for a file, for code, or for another program; linter and adapter look at the same ones.

Programs that run code, or start others, are closed: what may stand in front of their script, or of the program that
they start, is listed here, and it is written out in the profile. Where anything else stands there, no data is given to
them at all, neither as an argument nor as standard input. What a program does with its arguments that is in no list
here cannot be known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from rules.patterns import regex
from rules.records import NamedTuple


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHELLS = _names("sh bash dash ash zsh ksh mksh fish csh tcsh nu xonsh elvish busybox toybox cmd powershell pwsh")
#: Programs that run what their arguments or their standard input say in ways that are not looked at: no data for them.
_OPAQUE = _names(
    "cmd powershell pwsh xargs parallel ssh rsh mosh sshpass su runuser chroot unshare nsenter flock script strace "
    "ltrace gdb lldb watch entr at batch screen tmux docker podman nerdctl kubectl firejail bwrap systemd-run "
    "systemctl start-stop-daemon run-parts crontab setpriv fakeroot proot dbus-run-session xvfb-run ld.so "
    "ld-linux-x86-64.so ld-linux-aarch64.so "
    "tar gtar bsdtar zip hg svn sftp ftp lftp "
    "make gmake bmake cmake ninja meson bazel gradle mvn ant rake bundle gem npm yarn pnpm pip pipx uv poetry pdm "
    "conda cargo go "
    "bun deno dotnet nim crystal dart swift ipython irb jshell erl iex ghc sbcl clisp clojure scala kotlin r octave "
    "matlab micropython expect gnuplot m4 dc yq "
    "emacs emacsclient vim vi nvim ex ed view less more man sqlite psql mysql mariadb mongosh redis-cli "
    "socat ncat nc netcat tcpdump openssl pdflatex latex tex xelatex "
    "osascript open xdg-open wscript cscript mshta rundll start"
)
#: Programs that start the one which follows, by what may stand in between.
_STARTERS = {
    "env": r"-|-i|--ignore-environment|[A-Za-z_]\w*=.*",
    "nice": r"-n|(?:-n)?-?\d+|--adjustment=-?\d+",
    "ionice": r"-[cn]\d|-t",
    "timeout": r"\d+(?:\.\d+)?[smhd]?|-v|--foreground|--preserve-status|--(?:kill-after|signal)=\w+",
    "setsid": r"-[cfw]+|--wait|--fork",
    "time": r"-p|--portability",
    "stdbuf": r"-[ioe](?:L|\d+[A-Za-z]*)|--(?:input|output|error)=(?:L|\d+[A-Za-z]*)",
    "chrt": r"-[a-z]|\d+",
    "taskset": r"-c|0x[0-9a-f]+|\d[\d,-]*",
    "sudo": r"-[nbHk]+|--non-interactive",
    "doas": r"-n",
    "npx": r"-y|--yes|--no-install",
    "caffeinate": r"-[dimsu]+",
    **dict.fromkeys(_names("nohup busybox toybox bunx pnpx uvx unbuffer chronic command exec"), r""),
}


class _Interpreter(NamedTuple):
    """A program whose first argument is a script, or code.

    Shapes: `between` may stand in front of it; behind one of `code` it begins, whatever it looks like; `goes_on`: even
    behind code of that kind the program looks for flags of its own.
    """

    between: str = ""
    code: frozenset[str] = frozenset()
    goes_on: bool = False


_INTERPRETERS = {
    **dict.fromkeys(SHELLS, _Interpreter(r"-[euxnfbhpBCEHPTvl]+")),
    **dict.fromkeys(
        ("python", "pythonw", "pypy"), _Interpreter(r"-[IEsSuBbOqvxP]+|-[WX]\w[\w=:.]*", frozenset({"-c", "-m"}))
    ),
    "perl": _Interpreter(r"-[wWTtX]+", frozenset({"-e"}), goes_on=True),
    "ruby": _Interpreter(r"-[wW]", frozenset({"-e"}), goes_on=True),
    **dict.fromkeys(
        ("node", "nodejs"),
        _Interpreter(
            r"--no-warnings|--enable-source-maps|--no-deprecation|--trace-warnings", frozenset({"-e"}), goes_on=True
        ),
    ),
    "php": _Interpreter(r"-[nq]+", frozenset({"-r"}), goes_on=True),
    "java": _Interpreter(r"-[DX]\S+|-ea|-server", frozenset({"-jar"})),
    "rscript": _Interpreter(r"--vanilla|--slave|--no-[a-z-]+"),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _Interpreter(r"-F\S+|--posix|--sandbox")),
    "sed": _Interpreter(r"-[nErsuz]+|--posix|--sandbox"),
    **dict.fromkeys(
        ("jq", "gojq", "jaq"),
        _Interpreter(r"-[rcnesjaSMC]+|--[a-z]+-(?:output|input)|--(?:slurp|tab|sort-keys|exit-status)"),
    ),
    **dict.fromkeys(
        _names("lua luajit tclsh wish jruby julia groovy escript elixir runghc guile racket ocaml raku"), _Interpreter()
    ),
}
#: Modules of Python that run what they are given, beside those that are closed as programs.
_RUNNING_MODULES = _names(
    "timeit pdb bdb profile cprofile trace runpy doctest unittest code asyncio pytest nose coverage tox nox idlelib"
)
#: A script that is standard input.
_STDIN = _names("- /dev/stdin /dev/fd/0 /proc/self/fd/0")
#: Programs that can be told by flags to start others: data is an operand, or the value of one of these flags.
_OPERANDS_ONLY: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        _names("rsync scp fd sed jq gojq jaq awk gawk mawk nawk wget split sort"),
        frozenset(),
    ),
    "find": _names("-name -iname -path -ipath -type -mtime -newer -size -maxdepth -mindepth"),
    "git": _names("-m --message"),
}
#: What git may be told to do where it is given data; the others start programs, or keep what starts them later.
_GIT = _names(
    "add blame branch cat-file checkout clone commit describe diff fetch grep init log ls-files ls-remote ls-tree "
    "merge mv pull push reset restore rev-list rev-parse rm shortlog show status switch tag"
)
#: After these no data stands at all.
_STARTS_FROM_HERE = regex(r"-(?:exec|execdir|ok|okdir|x|X)|--exec(?:-batch)?")
_SHELL_CODE = regex(r"[-/][A-Za-z]*[cCkK][A-Za-z]*|--command(?:=.*)?|-[Ee]nc[A-Za-z]*")
#: Flags of shells after which a word stands.
_SHELL_WORDS = _names("-o +o -O +O --rcfile --init-file")
#: Flags whose value is run by programs of any name.
_RUN = _names("exec execute eval shell command rsh pre preview checkpoint-action compress-program")
#: Variables that decide which code a program loads or what it starts.
_LOADING = regex(
    r"PATH|IFS|ENV|BASH_ENV|SHELL|PAGER|EDITOR|VISUAL|BROWSER|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|CDPATH|HOME|ZDOTDIR"
    r"|XDG_CONFIG_HOME|XDG_CONFIG_DIRS|XDG_DATA_DIRS|TERMINFO|LOCPATH|NLSPATH|GCONV_PATH|LESSOPEN|LESSCLOSE|MANPAGER"
    r"|LD_.*|DYLD_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|NODE_.*|NPM_.*|LUA_.*|JAVA_.*|JDK_.*|_JAVA_.*|CLASSPATH"
    r"|PHP.*|R_.*|GIT_.*|SSH_.*|BASH_FUNC_.*|CURL_.*|WGETRC|OPENSSL_.*|SSL_.*|MAKE.*|TAR_OPTIONS|DOTNET_.*|COR_.*"
    r"|CORECLR_.*|AWK.*PATH|GTK_.*|QT_.*|GIO_.*|GUILE_.*|JULIA_.*|ERL_.*|ELIXIR_.*|DENO_.*|BUN_.*|ELECTRON_.*|SUDO_.*"
    r"|(?:HTTPS?|ALL|NO|FTP)_PROXY|(?i:https?_proxy|all_proxy|no_proxy|ftp_proxy)"
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
    """What is started in the end.

    Shapes: data may stand from the word `data_from` on, None where nowhere; `flags` are those that may have data for
    their value, None where any may that is not known to run it; `reads_code`: standard input may be run.
    """

    program: str
    data_from: int | None
    reads_code: bool = False
    flags: frozenset[str] | None = None


def base_name(program: str) -> str:
    """Return the name of a program without its folder and version."""
    name = PurePath(program.replace("\\", "/")).name.lower().removesuffix(".exe")
    return name if name in _OPAQUE else name.rstrip("0123456789.-") or name


def is_shell(program: str) -> bool:
    return base_name(program) in SHELLS


def launched(program: str, words: Sequence[Word]) -> Launch:
    """Return what a command starts in the end, and where data may stand."""
    at = 0
    while True:
        name = base_name(program)
        flags = _OPERANDS_ONLY.get(name)
        if name in _OPAQUE:
            return Launch(program, None, True)
        if name in _STARTERS:
            inner = _first_operand(words, at, _STARTERS[name])
            if inner is None:
                return Launch(program, None, True)
            program, at = words[inner].text or "", inner + 1
            continue
        if name in _INTERPRETERS:
            script = _script(_INTERPRETERS[name], words, at)
            if script is None:
                return Launch(program, None, True)
            known = _INTERPRETERS[name]
            goes_on = known.goes_on and script > at and words[script - 1].text in known.code
            return Launch(program, script + 1, flags=frozenset() if goes_on else flags)
        if name == "git":
            first = _first_operand(words, at, r"--no-pager")
            is_known = first is not None and words[first].text in _GIT
            return Launch(program, first + 1 if first is not None and is_known else None, flags=flags)
        return Launch(program, at, flags=flags)


def runs_code(launch: Launch, words: Sequence[Word], at: int) -> bool:
    """Say whether a word with data may be run by what is started."""
    if launch.data_from is None or at < launch.data_from:
        return True
    seen = {flag.partition("=")[0] for flag in _flags_at(words, launch.data_from, at)}
    if launch.flags is None:
        return any(flag.lstrip("-").replace("_", "-") in _RUN for flag in seen)
    if any(one.text is not None and _STARTS_FROM_HERE.fullmatch(one.text) for one in words[launch.data_from : at]):
        return True
    return not seen <= {"--", *launch.flags}


def _flags_at(words: Sequence[Word], data_from: int, at: int) -> Iterator[str]:
    """Yield the flags whose value a word may be: what it begins with, and what may stand just in front of it."""
    if words[at].start.startswith("-"):
        yield words[at].start
    for word in reversed(words[data_from:at]):
        if word.text is None and word.start == "" and not word.has_data:
            yield "-"  # a setting: it may be a flag
        elif word.text is not None and word.text.startswith("-"):
            yield word.text
        if word.text is not None and word.is_sure:
            return


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


def _script(known: _Interpreter, words: Sequence[Word], at: int) -> int | None:
    """Return the word that is the script or the code, None where data or standard input may be it."""
    allowed = regex(known.between or r"(?!)")
    for place in range(at, len(words)):
        text = words[place].text
        if text is None or not words[place].is_sure:
            return None
        if text in known.code:
            code = words[place + 1].text if place + 1 < len(words) and words[place + 1].is_sure else None
            return None if code is None or (text == "-m" and _runs_what_it_is_given(code)) else place + 1
        if text != "--" and not allowed.fullmatch(text):
            return None if text.startswith("-") or text in _STDIN or text == "" else place
    return None


def _runs_what_it_is_given(module: str) -> bool:
    name = module.partition(".")[0].lower()
    return name in _RUNNING_MODULES or name in _OPAQUE


def _may_be_program(word: str) -> bool:
    """Say whether a program that starts another one may take a word for its name, and not for a flag or a value."""
    return word != "" and not word.startswith("-") and "=" not in word and not word[:1].isdigit()

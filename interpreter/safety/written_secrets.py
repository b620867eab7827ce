"""Secrets that somebody wrote into a document: no finding may repeat them.

A profile names environment variables in their stead. What stands in a document is a secret where it is *made up* (it
is no word, name, hole or variable) and *told as one*:

- by how it begins, as services mark their keys (`sk-…`, `ghp_…`), wherever it stands;
- by a word for a secret beside it: its key, one around that, the word or flag before it, its place in an address.

Under a key that wants the name of a variable all else is one. Only lines, brackets and indentation are looked at, since
the document may be one that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from interpreter.safety.headers import CREDENTIAL_HEADERS, KEY_HEADERS
from interpreter.safety.masking import MASK
from interpreter.source import Source
from rules.patterns import regex
from rules.records import NamedTuple

Keys = tuple[str, ...]

#: A key, a text (also one whose quotation mark is never closed), or what opens, parts and closes collections.
_TOKEN = regex(
    r"""(?P<quote>["'])?(?P<key>[\w.-]+)(?(quote)(?P=quote))[ \t]*:(?(quote)|(?=\s|$))"""
    r"""|"(?P<double>(?:[^"\\]|\\.)*)"?|'(?P<single>[^']*)'?"""
    r"""|(?!-\s)(?P<plain>[^\s,{}\[\]"'#](?:[^,{}\[\]\s]|[ \t]+(?![\s#]))*)|[\[\]{},]"""
)
#: The key or the dashes with which a line begins.
_BEGINNING = regex(
    r"""(?P<dashes>(?:-[ \t]+)*)(?:(?P<quote>["'])?(?P<key>[\w.-]+)(?(quote)(?P=quote))[ \t]*:(?=\s|$))?"""
)
#: How keys begin that services make. Each is long, with a digit.
_MARKED = regex(
    r"(?<![^\W_])(?:(?:sk|rk)[-_]|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|hf_|npm_|AKIA|ASIA|AIza|ya29\.|eyJ)"
    r"(?=[\w.=-]{0,60}?\d)[\w.=-]{8,}"
)
#: What signs a request in, and who does in an address.
_SIGN_IN = regex(r"(?i:\b(?:bearer|basic))\s+((?=\S*[\dA-Z])[\w.~+/=-]{6,})")
_PASSWORD = regex(r"""://[^/\s@"':]*:([^/\s@"']+)@""")
_USER = regex(r"""://((?=[^/\s@"':]*\d)[^/\s@"':]{12,})@""")
_IN_ADDRESS = regex(r"""[?&#](?P<key>[\w.-]+)=(?P<value>[^&\s"'#]+)""")
#: A word, and what stands behind it.
_BESIDE = regex(
    r"""(?<![\w.?&#-])(?P<key>[\w.-]++)["'”’]?(?:(?P<sign>[ \t]*[=:：][ \t]*)|[ \t]+(?:is[ \t]+)?)["'“‘]?"""
)
_VALUE = regex(r"""[^\s"'“”‘’,{}\[\]&]+""")
_FLAG = regex(r"--?[^\W\d][\w-]*")

#: Keys of one name of a variable, and of several; another text can hardly be anything but the secret itself.
_NAME_WANTED = frozenset({"bearer_from", "basic_from", "key_from"})
_NAMES_WANTED = frozenset({"secret_headers", "secret_query", "secrets"})
_HEADERS = CREDENTIAL_HEADERS | KEY_HEADERS
#: Words for secrets, as parts of a name; two that say so only in what is sent and set, in flags and in variables.
_FOR_A_SECRET = regex(
    r"(?:^|_)(?:passw(?:or)?d|passphrase|passcode|pwd|secrets?|credentials?|bearer|authorization|cookie|key_from|api_?key"
    r"|(?:access|auth|private|refresh|session)_?(?:key|token))(?:_|$)|(?:密码|密钥|口令|令牌|凭据)$"
)
_OFTEN_A_SECRET = regex(r"(?:^|_)(?:key|token|pass)$")
_SENT_OR_SET = frozenset({"headers", "query", "settings", "variables", "environment", "env"})
_HUMP = regex(r"(?<=[a-z0-9])(?=[A-Z])|[.-]")
#: A line with none of these has no secret of its own, and neither has a document.
_WORTH_A_LOOK = (
    "pass", "pwd", "secret", "credential", "bearer", "basic", "auth", "cookie", "key", "token", "://",
    "密码", "密钥", "口令", "令牌", "凭据",
    "sk-", "sk_", "rk-", "rk_", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "xox", "hf_", "npm_", "akia",
    "asia", "aiza", "ya29.", "eyj",
)  # fmt: skip
#: A shorter text stands in too many words.
_TOLD_APART = 6
#: Keys further out say nothing of a line.
_MOST_ABOVE = 20
#: The name of a variable; with small letters and digits it could as well be a key.
_NAME = regex(r"[A-Z_][A-Z0-9_]*|[A-Za-z_]+")
#: A text that a program made up, surely so where it stands among words; a word is none, nor is the name of a variable.
_MADE_UP = regex(r"(?=\D*\d)(?![A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$)(?!\$\{?\w+\}?$)\S{6,}")
_SURELY_MADE_UP = regex(r"(?=[!-~]*\d)(?=[!-~]*[A-Za-z])(?![\w.-]*[/:(])(?![A-Z][A-Z0-9_]*$)[!-~]{8,}")
_WORD = regex(r"[a-z_]+")
_ESCAPED = regex(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U000([0-9A-Fa-f]{5})|(.))")


class _Text(NamedTuple):
    """A text or a key of a line. Shapes: `around` are the keys that it stands under, the nearest one last."""

    start: int
    text: str
    key: str
    around: Keys
    is_key: bool


def masked_line(source: Source, line: int, written: str | None = None) -> str:
    """Return a line in which each character of a secret is masked, so that every place stays.

    What is a secret somewhere in a document is one wherever it stands again. Shapes: `written` is what is to stand
    there instead. Units: lines count from 1.
    """
    text = source.line_text(line) if written is None else written
    found = {*_secrets(text, _above(source, line)), *_again(text, secrets_in(source))}
    return "".join(part if not is_secret else MASK[0] * len(part) for part, is_secret in _parts(text, found))


def masked_text(text: str) -> str:
    """Return a text that is no line of a document, such as an argument or a fact, with each secret in it masked."""
    found = _secrets(text, ())
    return "".join(MASK if is_secret else part for part, is_secret in _parts(text, found)) if found else text


def _parts(text: str, secrets: Iterable[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text, each with whether it is a secret."""
    at = 0
    for start, end in sorted(secrets):
        if end > at:
            yield text[at:start], False
            yield text[max(at, start) : end], True
            at = end
    yield text[at:], False


def _again(text: str, secrets: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for secret in secrets:
        at = text.find(secret) if len(secret) >= _TOLD_APART else -1
        while at >= 0:
            yield at, at + len(secret)
            at = text.find(secret, at + len(secret))


@lru_cache(maxsize=4)
def secrets_in(source: Source) -> tuple[str, ...]:
    """Return the secrets of a whole document: as they are written, and as they are read where that differs."""
    found: dict[str, None] = {}
    for number, above in enumerate(_keys_above(source), 1):
        line = source.line_text(number)
        for start, end in _secrets(line, above):
            found[line[start:end]] = None
            found[_ESCAPED.sub(_read, line[start:end])] = None
    return tuple(found)


# --- one line ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)  # one line may have many findings, and be as long as a document
def _secrets(line: str, above: Keys) -> tuple[tuple[int, int], ...]:
    if not _is_worth_a_look(line) and not any(map(_tells, above)):
        return ()
    looks = (_MARKED, _SIGN_IN, _PASSWORD, _USER)
    found = {match.span(match.lastindex or 0) for look in looks for match in look.finditer(line)}
    for one in _texts(line, above):
        parts = [(0, len(one.text))] if _is_secret(one) else _inside(one)
        found.update((one.start + start, one.start + end) for start, end in parts)
    return tuple(sorted(found))


def _texts(line: str, above: Keys) -> Iterator[_Text]:
    """Yield the keys and texts of a line."""
    around, key, flag = [*above], "", ""
    for token in _TOKEN.finditer(line):
        mark = token[0]
        if token["key"] is not None:
            yield _Text(token.start("key"), token["key"], "", (*around, key), True)
            key = token["key"]
        elif mark in ("{", "["):
            around.append(key or (around[-1] if around else ""))
            key = ""
        elif mark in ("}", "]"):
            del around[max(len(above), len(around) - 1) :]
            key = flag = ""
        elif mark != ",":
            kind = token.lastgroup or ""
            own = (around[-1] if around else "") if key in ("", "default") else key
            yield _Text(token.start(kind), token[kind], flag or own, tuple(around), False)
            flag = token[kind] if _FLAG.fullmatch(token[kind]) else ""
        elif len(around) > len(above):  # a comma outside of brackets is a part of the text
            key = ""


def _is_secret(one: _Text) -> bool:
    """Say whether a text is a secret as a whole; `{{ … }}` is none, and neither is the name of a variable."""
    text, key = one.text, _plain(one.key)
    if not text or "{{" in text:
        return False
    if not one.is_key:
        if key in _NAME_WANTED or _plain("".join(one.around[-1:])) in _NAMES_WANTED:
            return not _NAME.fullmatch(text)
        if one.key.lower() in _HEADERS:
            return not _WORD.fullmatch(text)
    return _is_told(one) and _MADE_UP.fullmatch(text) is not None


def _inside(one: _Text) -> Iterator[tuple[int, int]]:
    """Yield where words of a text are secrets: where it is told as one, behind a word for one, in an address."""
    if "{{" not in one.text and _is_told(one):
        yield from (word.span() for word in _VALUE.finditer(one.text) if _SURELY_MADE_UP.fullmatch(word[0]))
    is_sent = _is_sent(one)
    for match in _IN_ADDRESS.finditer(one.text):
        if _tells(match["key"], is_sent=True) and _MADE_UP.fullmatch(match["value"]):
            yield match.span("value")
    end = 0
    for match in _BESIDE.finditer(one.text):
        if match.start() < end or not _tells(match["key"], is_sent=is_sent):
            continue
        value = _VALUE.match(one.text, match.end())
        if value is not None and (_MADE_UP if match["sign"] else _SURELY_MADE_UP).fullmatch(value[0]):
            yield value.span()
            end = value.end()


def _is_told(one: _Text) -> bool:
    """Say whether the key of a text, or one that it stands under, says that it is a secret."""
    around = [name for name in one.around if not one.is_key or _plain(name) not in _NAMES_WANTED]
    return _tells(one.key, is_sent=_is_sent(one)) or any(map(_tells, around))


def _is_sent(one: _Text) -> bool:
    return not _SENT_OR_SET.isdisjoint(one.around[-2:])


@lru_cache(maxsize=1000)
def _tells(name: str, *, is_sent: bool = False) -> bool:
    """Say whether a name says of what stands under or behind it that it is a secret."""
    plain = _plain(name)
    if _FOR_A_SECRET.search(plain) is not None:
        return True
    is_sent = is_sent or name.startswith("-") or name.isupper()
    return is_sent and _OFTEN_A_SECRET.search(plain) is not None


def _plain(name: str) -> str:
    """Return a name in the one writing of the words above: `apiKey`, `API-KEY` and `--api-key` are `api_key`."""
    return _HUMP.sub("_", name.lstrip("-")).lower()


def _is_worth_a_look(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in _WORTH_A_LOOK)


def _read(escape: re.Match[str]) -> str:
    """Return what an escape of a text in double quotes stands for; half a character stays as it is written."""
    digits = escape[1] or escape[2] or escape[3]
    if not digits:
        return escape[4]
    return escape[0] if 0xD800 <= int(digits, 16) < 0xE000 else chr(int(digits, 16))


# --- the lines above --------------------------------------------------------------------------------------------------


def _above(source: Source, line: int) -> Keys:
    """Return the keys that a line stands under, the nearest one last."""
    above = _keys_above(source)
    return above[line - 1] if line <= len(above) else ()


@lru_cache(maxsize=4)
def _keys_above(source: Source) -> tuple[Keys, ...]:
    """Return for each line the keys that it stands under; nothing where no line is worth a look.

    The keys are those of lines that are indented less. Dashes may stand as far left as their key, and what is no key of
    its own belongs to the key above it however it is indented.
    """
    if not _is_worth_a_look(source.text):
        return ()
    lines: list[Keys] = []
    open_keys: list[tuple[int, str]] = []
    above: Keys = ()
    for line in source.lines():
        content = line.lstrip()
        column = len(line) - len(content)
        begins = _BEGINNING.match(content)
        assert begins is not None
        if content and not content.startswith("#"):
            most = column if begins["key"] is None or begins["dashes"] else column - 1
            while open_keys and open_keys[-1][0] > most:
                open_keys.pop()
            above = tuple(key for _, key in open_keys[-_MOST_ABOVE:])
        lines.append(above)
        if begins["key"] is not None:
            column += len(begins["dashes"])
            open_keys += [(column, key) for key in _open_at_end(content, begins["key"])]
    return tuple(lines)


def _open_at_end(line: str, first: str) -> Keys:
    """Return the keys that are open where a line ends: its first one, and those of its brackets that are not closed."""
    if all(line.count(begins) == line.count(ends) for begins, ends in ("{}", "[]")):
        return (first,)
    around, key = [first], ""
    for token in _TOKEN.finditer(line):
        if token["key"] is not None:
            key = token["key"]
        elif token[0] in ("{", "["):
            around.append(key)
        elif token[0] in ("}", "]"):
            del around[max(1, len(around) - 1) :]
    return tuple(around)

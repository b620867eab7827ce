"""Secrets that somebody wrote into a document, told by their place in a line: no finding may repeat them.

A profile names environment variables in their stead. Only the text of a line is looked at, and the key that it stands
under, since the document may be one that cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from interpreter.safety.headers import CREDENTIAL_HEADERS, KEY_HEADERS, KEYS_IN_QUERY, VARIABLE
from interpreter.safety.masking import MASK
from interpreter.source import Source
from rules.patterns import regex

#: A key, a text (also one whose quotation mark is never closed), or what opens, parts and closes collections.
_TOKEN = regex(
    r"""(?P<quote>["'])?(?P<key>[\w.-]+)(?(quote)(?P=quote))[ \t]*:(?(quote)|(?=\s|$))"""
    r"""|"(?P<double>(?:[^"\\]|\\.)*)"?|'(?P<single>[^']*)'?"""
    r"""|(?!-\s)(?P<plain>[^\s,{}\[\]"'#](?:[^,{}\[\]\s]|[ \t]+(?![\s#]))*)|[\[\]{},]"""
)
#: What signs a request in, and a password or a key in an address or without a blank, wherever in a text.
_SIGN_IN = regex(r"(?i:\b(?:bearer|basic))\s+((?=\S*[\dA-Z])[\w.~+/=-]{6,})")
_PASSWORD = regex(r"""://[^/\s@"':]*:([^/\s@"']+)@""")
_IN_ADDRESS = regex(r"""[?&](?P<key>[\w.-]+)=(?P<value>[^&\s"'#]+)""")
_WITHOUT_BLANK = regex(r"""(?<![\w.?&-])(?P<key>[\w.-]+)[=:：](?P<value>[^&\s"'#,{}\[\]=:：]+)""")
#: Keys of one name of a variable, and of several; another text can hardly be anything but the secret itself.
_NAME_WANTED = frozenset({"bearer_from", "basic_from", "key_from"})
_NAMES_WANTED = frozenset({"secret_headers", "secret_query", "secrets"})
_KEYS = KEYS_IN_QUERY | {"bearer"}
#: Names of secrets in what is sent and set; elsewhere they name all kinds of things.
_KEYS_THERE = frozenset({"key", "token"})
_SENT_OR_SET = frozenset({"headers", "query", "settings", "variables"})
#: A text that a program made up; a word is none.
_MADE_UP = regex(r"(?=\D*\d)\S{6,}")
_WORD = regex(r"[a-z_]+")
#: So many lines above one are looked through for the key that it stands under.
_NEAR = 50


def secrets_of(source: Source, line: int) -> tuple[tuple[int, int], ...]:
    """Return where the secrets of a line begin and end. Units: lines count from 1, characters from 0."""
    return _secrets(source.line_text(line), _key_above(source, line))


def masked_line(source: Source, line: int, written: str | None = None) -> str:
    """Return a line in which each character of a secret is masked, so that every place stays.

    Shapes: `written` is what is to stand there instead.
    """
    text = source.line_text(line) if written is None else written
    pieces, at = [], 0
    for start, end in _secrets(text, _key_above(source, line)):
        pieces += [text[at:start], MASK[0] * (end - max(at, start))]
        at = max(at, end)
    return "".join((*pieces, text[at:]))


@lru_cache(maxsize=8)  # one line may have many findings, and be as long as a document
def _secrets(line: str, above: str) -> tuple[tuple[int, int], ...]:
    found = {match.span(1) for pattern in (_SIGN_IN, _PASSWORD) for match in pattern.finditer(line)}
    for match in _IN_ADDRESS.finditer(line):
        if _is_secret(match["key"].lower(), ("query",), match["value"]):
            found.add(match.span("value"))
    for match in _WITHOUT_BLANK.finditer(line):
        if _is_secret(match["key"].lower().lstrip("-"), ("",), match["value"]):
            found.add(match.span("value"))
    for start, end, key, around in _texts(line, above):
        if _is_secret(key, around, line[start:end]):
            found.add((start, end))
    return tuple(sorted(found))


def _texts(line: str, above: str) -> Iterator[tuple[int, int, str, Sequence[str]]]:
    """Yield where the texts of a line begin and end, each with its key and the keys around it, the nearest one last."""
    around, key = [above], ""
    for token in _TOKEN.finditer(line):
        mark = token[0]
        if token["key"] is not None:
            key = token["key"].lower()
        elif mark in ("{", "["):
            around.append(key or around[-1])
            key = ""
        elif mark in ("}", "]"):
            del around[max(1, len(around) - 1) :]
            key = ""
        elif mark != ",":
            own = around[-1] if key in ("", "default") else key
            yield (*token.span(token.lastgroup or 0), own, around)
        elif len(around) > 1:  # a comma outside of brackets is a part of the text
            key = ""


def _is_secret(key: str, around: Sequence[str], text: str) -> bool:
    """Say whether a text under a key is a secret; `{{ … }}` is none, and neither is the name of a variable."""
    if not text or "{{" in text:
        return False
    if key in _NAME_WANTED or around[-1] in _NAMES_WANTED:
        return not VARIABLE.fullmatch(text)
    if key in CREDENTIAL_HEADERS or key in KEY_HEADERS:
        return not _WORD.fullmatch(text)
    known = _KEYS - _KEYS_THERE if _SENT_OR_SET.isdisjoint(around) else _KEYS
    is_key = any(key == one or key.endswith((f"_{one}", f"-{one}")) for one in known)
    return is_key and _MADE_UP.fullmatch(text) is not None


def _key_above(source: Source, line: int) -> str:
    """Return the key that a line stands under: the last one of the nearest line above that is indented less."""
    indented = _indentation(source.line_text(line))
    for number in range(line - 1, max(0, line - _NEAR), -1):
        text = source.line_text(number)
        if _indentation(text) < indented and text.strip() and not text.lstrip().startswith("#"):
            keys = [token["key"] for token in _TOKEN.finditer(text) if token["key"]]
            return keys[-1].lower() if keys else ""
    return ""


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip(" "))

"""The words and numbers of `page_reading.yaml`, as the child gets them: patterns made from lists of plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from interpreter.adapters.web.failures import failure
from interpreter.ports import ToolFailure

FILE = Path(__file__).with_name("page_reading.yaml")
Wording = Mapping[str, Any]


def read_wording(own: str) -> dict[str, Any]:
    """Return the words that pages are read by, with those of a person's own file.

    Errors: ToolFailure `unavailable` that names the file and what is wrong with it.
    """
    usual = _read(FILE)
    return _joined(usual, _read(Path(own).expanduser()), own) if own else usual


def _check_lists(value: Any, file: str, place: str = "") -> None:
    if isinstance(value, dict):
        for name, part in value.items():
            _check_lists(part, file, f"{place}{name}.")
    elif isinstance(value, list):
        odd = next((entry for entry in value if not isinstance(entry, str) or not entry.strip()), None)
        if odd is not None:
            raise _wrong(file, f"{place[:-1]} 里的 {odd} 要加引号", f"write {odd} of {place[:-1]} in quotes")


def _read(path: Path) -> dict[str, Any]:
    from interpreter.yaml_tree import read_source, read_tree, to_value

    source, findings = read_source(path, path.name)
    node = None
    if source is not None:
        node, findings = read_tree(source)
    value = to_value(node) if node is not None else None
    if findings or not isinstance(value, dict):
        words = findings[0].message if findings else None
        raise _wrong(path.name, words.zh if words else "它是空的", words.en if words else "it is empty")
    _check_lists(value, path.name)
    return value


def _joined(usual: Any, own: Any, file: str, place: str = "") -> Any:
    """Return the usual words with a person's: lists in front, numbers and texts instead, nothing unknown."""
    if type(own) is not type(usual) and not (isinstance(own, int | float) and isinstance(usual, int | float)):
        raise _wrong(file, f"{place or '它'} 的形式不对", f"{place or 'it'} has another form than expected")
    if isinstance(usual, dict):
        unknown = [name for name in own if name not in usual]
        if unknown:
            raise _wrong(file, f"不认识 {place}{unknown[0]}", f"there is no {place}{unknown[0]}")
        return {
            name: _joined(value, own[name], file, f"{place}{name}.") if name in own else value
            for name, value in usual.items()
        }
    return [*own, *usual] if isinstance(usual, list) else own


def _wrong(file: str, zh: str, en: str) -> ToolFailure:
    return failure("unavailable", f"设置 page_reading 的文件 {file}：{zh}", f"the file {file} of page_reading: {en}")


def plain_wording(value: Any) -> Any:
    """Return the words as JSON: exact numbers become ordinary ones."""
    if isinstance(value, dict):
        return {name: plain_wording(part) for name, part in value.items()}
    if isinstance(value, list):
        return [plain_wording(part) for part in value]
    return value if isinstance(value, str | int) else float(value)


@lru_cache(maxsize=64)
def any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds any of the words; a word in Latin letters stands alone, blanks are any white space."""
    return re.compile("|".join(_alone(word) for word in sorted(words, key=len, reverse=True)), re.IGNORECASE)


def _alone(word: str) -> str:
    pattern = r"\s+".join(re.escape(part) for part in word.split())
    before = r"(?<![A-Za-z0-9])" if word[:1].isascii() and word[:1].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if word[-1:].isascii() and word[-1:].isalnum() else ""
    return before + pattern + after


def found_words(words: Iterable[str], text: str) -> list[str]:
    """Return the words that stand in a text, each once, in order."""
    listed = tuple(words)
    if not listed:
        return []
    return list(dict.fromkeys(found[0].lower() for found in any_of(listed).finditer(text)))


@lru_cache(maxsize=256)
def label_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds a label: with a colon after any boundary (`发布时间：`), without one only where a part of a
    line begins (`By Ann Other`, `发布时间 2026-01-15`); so neither 会议时间 nor "cut by a third" holds one.
    """
    listed = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    with_colon = rf"(?<!\w)(?:{listed})\s{{0,4}}[:：丨｜]\s{{0,4}}"
    chinese = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True) if not word.isascii()) or "(?!)"
    begins = r"(?:^|(?<=[|·/｜])|(?<=[|·/｜]\s))"
    without = rf"(?:{begins}(?:{listed})|(?<=\s)(?:{chinese}))(?:\s{{1,4}}|(?=[0-9])|(?<=[/｜]))"
    return re.compile(f"{with_colon}|{without}", re.IGNORECASE)

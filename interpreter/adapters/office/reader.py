"""Reading office files from the engine's side: one child for bodies, a more hurried one for the index, and failures in
words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.adapters.children import ChildFailure, Children, Limits
from interpreter.adapters.children.limits import limits_of
from interpreter.adapters.folders.failures import failure
from interpreter.ports import ToolFailure
from rules.records import NamedTuple

WORD, WORKBOOK, DECK, PDF = "office.word", "office.workbook", "office.deck", "office.pdf"
_TASKS = {
    "docx": WORD,
    "docm": WORD,
    "xlsx": WORKBOOK,
    "xlsm": WORKBOOK,
    "pptx": DECK,
    "pptm": DECK,
    "pdf": PDF,
}
TASKS = {
    WORD: "interpreter.adapters.office.word",
    WORKBOOK: "interpreter.adapters.office.workbook",
    DECK: "interpreter.adapters.office.deck",
    PDF: "interpreter.adapters.office.pdf",
}
#: Units: seconds. Finding a file by its title alone is better than a search that waits for one bad file.
_INDEX_CPU, _INDEX_WALL = 2, 6.0


class Sheet(NamedTuple):
    name: str
    rows: list[list[str]]


def is_office(extension: str) -> bool:
    return extension in _TASKS


class Readers:
    """Shapes: settings are `cpu_seconds`, `wall_seconds`, `memory_mb`, `unpacked_mb`, `ratio`.

    Errors: ToolFailure `unavailable` for a setting that is no number of at least 1.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        try:
            self._limits = limits_of(settings)
        except ValueError as error:
            raise failure(
                "unavailable",
                f"reading_limits 的设置必须是不小于 1 的整数：{error}",
                f"the settings of reading_limits are whole numbers of at least 1: {error}",
            ) from None
        self._children: dict[Limits, Children] = {}

    def text(self, extension: str, body: bytes, characters: int, for_index: bool = False) -> tuple[str, bool]:
        """Return the text of a file and whether that is all of it.

        Errors: ToolFailure with a code of `reading.yaml`.
        """
        answer = self._read(extension, body, characters, for_index)
        if "sheets" not in answer:
            return answer["text"], not answer["is_cut"]
        lines = ["\t".join(row) for sheet in answer["sheets"] for row in [[sheet["name"]], *sheet["rows"]]]
        return "\n".join(lines), not answer["is_cut"]

    def sheets(self, extension: str, body: bytes, characters: int) -> tuple[list[Sheet], bool]:
        """Return the sheets of a workbook and whether that is all of it.

        Errors: ToolFailure with a code of `reading.yaml`.
        """
        answer = self._read(extension, body, characters, for_index=False)
        return [Sheet(sheet["name"], sheet["rows"]) for sheet in answer["sheets"]], not answer["is_cut"]

    def close(self) -> None:
        for children in self._children.values():
            children.close()
        self._children = {}

    def _read(self, extension: str, body: bytes, characters: int, for_index: bool) -> dict[str, Any]:
        limits = self._limits
        if for_index:
            cpu, wall = min(limits.cpu_seconds, _INDEX_CPU), min(limits.wall_seconds, _INDEX_WALL)
            limits = limits._replace(cpu_seconds=cpu, wall_seconds=wall)
        children = self._children.setdefault(limits, Children(limits, TASKS))
        parameters = {"characters": characters, "unpacked_bytes": limits.unpacked_bytes, "ratio": limits.ratio}
        try:
            answer: dict[str, Any] = children.read(_TASKS[extension], parameters, body)
        except ChildFailure as error:
            raise _refused(error, limits) from None
        return answer


_WORDS = {
    "encrypted": ("encrypted", "文件有密码，读不了", "the file is locked by a password"),
    "old_format": ("unsupported", "旧版 Office 格式，读不了", "the file has an old office format that is not read"),
    "has_macros": ("has_macros", "文件含有宏，不读取", "the file holds macros and is not read"),
    "damaged": ("damaged", "文件已损坏，读不了", "the file is damaged"),
    "not_an_archive": (
        "damaged",
        "文件已损坏，或不是它的扩展名所说的格式",
        "the file is damaged, or not what its name says",
    ),
    "unpacked_too_large": ("unpacked_too_large", "解压后超过上限", "it unpacks to more than the limit"),
    "took_too_long": ("took_too_long", "读取超过时间上限", "reading it takes longer than the limit"),
    "out_of_memory": ("out_of_memory", "读取超过内存上限", "reading it needs more memory than the limit"),
    "answer_too_large": ("too_large", "文字超过上限", "its text is larger than the limit"),
    "crashed": ("damaged", "读取程序因这个文件而中止", "the reader broke off over this file"),
}


def _refused(error: ChildFailure, limits: Limits) -> ToolFailure:
    if error.code == "missing":
        module = error.facts.get("module", "")
        return failure(
            "unavailable",
            f"缺少读取这种文件的库 {module}；请安装 workflow-interpreter[documents]",
            f"the library {module} is missing; install workflow-interpreter[documents]",
        )
    if error.code == "not_started":
        why = error.facts["reason"]
        return failure("unavailable", f"读取程序无法启动：{why}", f"the reader cannot be started: {why}")
    reason = str(error.facts.get("code")) if error.code == "unreadable" else error.code
    code, zh, en = _WORDS.get(reason, _WORDS["damaged"])
    return failure(code, zh, en, reason=reason, limits=limits._asdict())

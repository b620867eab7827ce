"""Read the fenced blocks of a README, do what they say, and compare or renew what they show."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
LOCALES = {"README.md": "en_US.UTF-8", "README.zh.md": "zh_CN.UTF-8"}
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: What differs from run to run, and what a README shows in its place.
_VARIES = (
    (re.compile(r"(?:(?<=Until: )|(?<=截止：))\d{4}-\d\d-\d\d \d\d:\d\d UTC"), "2026-07-08 09:00 UTC"),
    (re.compile(r"(?!2026-07-08)\d{4}-\d\d-\d\d \d\d:\d\d UTC"), "2026-07-01 09:00 UTC"),
    (re.compile(r"(?<=--seen )[0-9a-f]{12}"), "0123456789ab"),
)


@dataclass(frozen=True)
class Block:
    """One fenced block. Shapes: `language` stands after the fence; `text` ends with a line break."""

    language: str
    text: str
    span: tuple[int, int]


def blocks_of(text: str) -> list[Block]:
    return [Block(found[1], found[2], found.span(2)) for found in _FENCE.finditer(text)]


def write_files(blocks: list[Block], folder: Path) -> list[Path]:
    """Write each YAML block that begins with the name of a file; returns the files."""
    written = []
    for block in blocks:
        named = re.match(r"# (specs/\S+\.yaml)\n", block.text)
        if block.language == "yaml" and named is not None:
            path = folder / named[1]
            path.write_text(block.text, "utf-8")
            written.append(path)
    return written


def copy_of_specs(folder: Path) -> None:
    shutil.copytree(ROOT / "specs", folder / "specs")


class Reader:
    """Somebody who types what a README says, one command after another, in one folder."""

    def __init__(self, readme: str, folder: Path) -> None:
        self._folder = folder
        self._seen = ""
        self._environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
            "HOME": str(folder),
            "INTERPRETER_HOME": str(folder / "home"),
            "LANG": LOCALES[readme],
            "LC_COLLATE": "C",
            "TZ": "UTC",
        }

    def follow(self, block: Block) -> str:
        """Return the block as it looks after its commands were typed anew."""
        commands = [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
        return "".join(f"$ {command}\n{self._type(command)}" for command in commands)

    def _type(self, command: str) -> str:
        # A person copies the digest that the run has just printed.
        done = subprocess.run(
            ["sh", "-c", command.replace("--seen 0123456789ab", f"--seen {self._seen}")],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        shown = re.search(r"--seen ([0-9a-f]{12})", done.stdout)
        self._seen = shown[1] if shown is not None else self._seen
        return settled(done.stdout)


def settled(text: str) -> str:
    """Return output with what differs from run to run replaced."""
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    return text


def in_code_span(code: str) -> str:
    """Return what stands in a code span."""
    marks = len(code) - len(code.lstrip("`"))
    inside = code[marks:-marks].replace("\\|", "|")
    return inside[1:-1] if marks > 1 else inside

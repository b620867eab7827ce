"""The demo moves sample documents within the drive and puts every one of them back, then some into the wiki."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from interpreter.report.columns import width_of
from tests.docs.readme_kit import ROOT

DEMO = ROOT / "specs" / "samples" / "demo.sh"
#: The two phrases of a confirmation: the plain one, and the one for what cannot be put back.
PHRASES = {
    "en_US.UTF-8": ("type “confirm”", "type “confirm, including what cannot be restored”"),
    "zh_CN.UTF-8": ("输入“确认执行”", "输入“确认执行，包括不可自动恢复项”"),
}
COLUMNS = 80


@pytest.mark.parametrize(
    ("locale", "moved", "restored"),
    [
        ("en_US.UTF-8", "Everything is as planned", "Completed: Run demo-wiki"),
        pytest.param("zh_CN.UTF-8", "全部符合计划", "完成：运行 demo-wiki", marks=pytest.mark.long),
    ],
)
def test_the_demo_moves_and_puts_back(tmp_path: Path, locale: str, moved: str, restored: str) -> None:
    done = subprocess.run(
        ["bash", str(DEMO)],
        env={
            "PATH": os.defpath,
            "HOME": str(tmp_path),
            "LANG": locale,
            "BIN": str(Path(sys.executable).parent),
            "WORK": str(tmp_path / "demo"),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert moved in done.stdout
    assert restored in done.stdout
    tree = done.stdout.split("\n== ")
    assert tree[1].split("\n")[1:] != tree[3].split("\n")[1:]
    work = tmp_path / "demo"
    for name in ("", "contents-"):
        assert (work / f"{name}before").read_text("utf-8") == (work / f"{name}after").read_text("utf-8")
    assert "数据治理资料" in tree[3]
    assert all(phrase in done.stdout for phrase in PHRASES[locale])
    came = set((work / "wiki-after").read_text("utf-8").split("\n")) - set(
        (work / "wiki-before").read_text("utf-8").split("\n")
    )
    assert {place.rpartition("/")[2] for place in came if place.endswith(".md")} == {
        "元数据管理办法.md",
        "数据治理规范.md",
    }
    told = [line for line in done.stdout.split("\n") if "interpreter" not in line and line[:2] != "$ "]
    assert [line for line in told if width_of(line) > COLUMNS] == []
    assert all(
        line.split()[1].endswith(("interpreter", "diff")) for line in done.stdout.split("\n") if line[:2] == "$ "
    )


def test_only_the_demo_takes_prepared_answers_for_writes() -> None:
    lines = {path.name: path.read_text("utf-8").splitlines() for path in (ROOT / "specs" / "profiles").glob("*.yaml")}
    assert [name for name, text in lines.items() if "unattended_confirm: true" in text] == ["demo.yaml"]

"""The demo moves sample documents and puts every one of them back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.readme_kit import ROOT

DEMO = ROOT / "specs" / "samples" / "demo.sh"


@pytest.mark.parametrize(
    ("locale", "moved", "restored"),
    [
        ("en_US.UTF-8", "Everything is as planned", "Completed: Run demo"),
        ("zh_CN.UTF-8", "全部符合计划", "完成：运行 demo"),
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
    assert (tmp_path / "demo" / "before").read_text("utf-8") == (tmp_path / "demo" / "after").read_text("utf-8")
    assert "数据治理资料" in tree[3]
    assert all(
        line.split()[1].endswith(("interpreter", "diff")) for line in done.stdout.split("\n") if line[:2] == "$ "
    )


def test_only_the_demo_takes_prepared_answers_for_writes() -> None:
    lines = {path.name: path.read_text("utf-8").splitlines() for path in (ROOT / "specs" / "profiles").glob("*.yaml")}
    assert [name for name, text in lines.items() if "unattended_confirm: true" in text] == ["demo.yaml"]

#!/usr/bin/env python3
"""Lay a working copy of the sample drive and the sample wiki, with what git cannot carry: modes, owners, links, files
of other formats, and files that no program should trust.

    python specs/samples/lay.py FOLDER [--account NAME]

makes FOLDER/drive and FOLDER/wiki. The account is whose things are “mine”; it is whoever runs this if left out. What is
stated about rights stands in FOLDER/drive/.drive/evidence.yaml and FOLDER/wiki/.wiki/evidence.yaml.
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import office_files as made  # noqa: E402

#: Files of other formats, made from text. What needs a library that is not installed is left out, and said.
FORMATS = {
    "部门共享/数据平台/数据治理实施方案.docx": lambda: made.word(
        [
            "# 数据治理实施方案",
            "分三期推进数据治理：先建数据字典，再定质量规则，最后接入考核。",
            "## 分工",
            ["阶段", "负责人"],
            ["数据字典", "林小满"],
            ["质量规则", "陆见川"],
        ]
    ),
    "部门共享/数据平台/数据质量月报.xlsx": lambda: made.workbook(
        {
            "九月": [["业务域", "得分"], ["客户", 96], ["订单", 91], ["商品", 88]],
            "说明": [["得分按数据治理的质量规则计算"]],
        }
    ),
    "项目归档/2025/数据治理汇报.pptx": lambda: made.deck(
        [("数据治理汇报", ["三个业务域完成数据字典", "遗留 37 条重复记录"]), ("下一步", ["接入财务表"])]
    ),
    "meetings/Data governance handbook.pdf": lambda: made.pdf(
        ["Data governance handbook", "Every data item has an owner, a definition and a quality rule."]
    ),
}
#: Files that are refused with a reason, and cost nothing else.
TRAPS = {
    "meetings/Data governance budget (locked).pdf": lambda: made.pdf(["Data governance budget"], user="secret"),
    "部门共享/供应链/数据治理附件.docx": made.bomb,
    "部门共享/供应链/数据治理图册.pdf": made.endless_pdf,
    "部门共享/供应链/数据治理宏.docm": lambda: made.archive({"word/vbaProject.bin": b"x"}),
    "个人笔记/数据治理加密稿.docx": made.locked,
    "个人笔记/数据治理残稿.docx": lambda: made.archive({"word/document.xml": b"<w:document"}),
}
TEXTS = {
    # The same title twice; one of them is at the target of the demo already, so its name is taken there.
    "数据治理资料/数据治理规范.md": "# 数据治理规范\n\n这是一份旧稿，已在目标文件夹里。\n",
    "数据治理资料/数据字典样例.md": "# 数据字典样例\n\n数据治理的样例，本来就在目标文件夹里。\n",
    "只读/数据治理存档.md": "# 数据治理存档\n\n所在文件夹只读，不能移出。\n",
    "个人笔记/数据治理访谈.md": "# 数据治理访谈\n\n别人的文件：能读，不能移。\n",
    "个人笔记/数据治理底稿.md": "# 数据治理底稿\n\n没有读取权限。\n",
}
SOMEBODY_ELSE = "chen.qi"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--account", default=pwd.getpwuid(os.geteuid()).pw_name)
    parser.add_argument("--without-traps", action="store_true", help="only copies, and what is stated about rights")
    given = parser.parse_args()
    lay(given.folder, given.account, with_traps=not given.without_traps)


def lay(folder: Path, account: str, with_traps: bool = True) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("drive", "wiki"):
        shutil.copytree(HERE / name, folder / name)
    drive = folder / "drive"
    if with_traps:
        for path, text in TEXTS.items():
            write(drive / path, text.encode())
        for path, make in {**FORMATS, **TRAPS}.items():
            try:
                write(drive / path, make())
            except ImportError as error:
                print(f"left out {path}: {error.name} is not installed", file=sys.stderr)
        os.symlink(os.path.abspath(os.sep), drive / "个人笔记" / "数据治理外链")
        (drive / "个人笔记" / "数据治理底稿.md").chmod(0)
        (drive / "只读").chmod(0o555)
    state(drive / ".drive" / "evidence.yaml", rights_in_drive(with_traps))
    state(folder / "wiki" / ".wiki" / "evidence.yaml", rights_in_wiki(account))


def rights_in_drive(with_traps: bool) -> dict[str, dict[str, str]]:
    """Moving into a wiki is allowed only where it is stated; an administrator's process is held to the modes too."""
    stated = {"部门共享/**": {"move_in": "confirmed"}, "meetings/**": {"move_in": "confirmed"}}
    if with_traps:
        stated["个人笔记/数据治理访谈.md"] = {"owner": SOMEBODY_ELSE}
        stated["个人笔记/数据治理底稿.md"] = {"readable": "denied"}
    return stated


def rights_in_wiki(account: str) -> dict[str, dict[str, str]]:
    """Nobody can see from a folder what a wiki allows, so every yes is written down."""
    mine = {"owner": account, "write": "confirmed", "source": "confirmed", "move_out": "confirmed"}
    return {
        "数据平台知识库": {"write": "confirmed", "source": "confirmed"},
        "数据平台知识库/数据治理/**": mine,
        "数据平台知识库/Glossary": mine,
        "供应链知识库": {"write": "denied", "source": "unknown"},
        "供应链知识库/主数据": {"owner": account},
        "我的文档库": mine,
        "我的文档库/**": mine,
        "人事知识库": {"readable": "denied"},
    }


def state(path: Path, stated: dict[str, dict[str, str]]) -> None:
    lines = [f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value)}\n" for key, value in stated.items()]
    write(path, "".join(lines).encode())


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    main()

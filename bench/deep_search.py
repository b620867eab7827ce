"""What a deep search costs: whole runs of the command over the sample vault and the saved pages.

Run: python bench/deep_search.py. Exit 1 when a run takes more than 5 seconds of CPU, written as a multiple of bare
Python. The line `first run` compiles the plan of the workflow and indexes the pages in the child, in an empty home; in
the others both are there already, as they are from the second run on. The modules are compiled, as an installer leaves
them.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import kit

ROOT = Path(__file__).parents[1]
COMMAND = Path(sys.executable).parent / "interpreter"
ROUNDS = 3
SECONDS = 5.0
QUESTIONS = {
    "fact check, stopped early": ("星河智能最近是否发布了新的企业版定价？", 0),
    "fact check, all pages": ("北辰云十月底要上调推理价格吗？", 0),
    "association": ("把我们的笔记和外部权威关于降低模型成本的说法整理到一起", 0),
    "trend, both ways": ("近半年大模型接口价格的趋势如何？", 0),
    "nothing found, relaxed once": ("月背采矿机器人的保险费率", 0),
}


def search(query: str, folder: Path, expect: int) -> float:
    home = folder / "home"
    shutil.rmtree(home / "runs", ignore_errors=True)
    command: list[str | Path] = [
        COMMAND, "run", ROOT / "specs" / "wps_deep_search.yaml", "--home", home, "--quiet", "--json",
        "--set", f"settings.vault={ROOT / 'specs' / 'samples' / 'notes'}",
        "--set", f"settings.pages={ROOT / 'specs' / 'samples' / 'web'}",
        "--set", f"settings.web_index={folder / 'index'}",
        "--input", f"query={query}", "--input", "search_depth=deep", "--input", "now=2026-10-20T09:00:00Z",
    ]  # fmt: skip
    places = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return kit.child(command, expect=expect, **places, PYTHONDONTWRITEBYTECODE="")


def first(folder: Path) -> float:
    """Return what a run costs that finds nothing made before."""
    for kept in ("home", "cache", "index"):
        shutil.rmtree(folder / kept, ignore_errors=True)
    return search(*_question("fact check, stopped early", folder))


def main() -> int:
    table = kit.Table()
    table.head()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        first(folder)  # compiles the modules
        ours, bare = kit.alternately(
            lambda: first(folder), lambda: kit.child([sys.executable, "-c", "pass"]), rounds=ROUNDS
        )
        table.add("first run", ours, "bare Python", bare, "s", SECONDS / kit.BARE_SECONDS)
        for name in QUESTIONS:

            def run(name: str = name) -> float:
                return search(*_question(name, folder))

            ours, bare = kit.alternately(run, lambda: kit.child([sys.executable, "-c", "pass"]), rounds=ROUNDS)
            table.add(name, ours, "bare Python", bare, "s", SECONDS / kit.BARE_SECONDS)
    return table.exit_status()


def _question(name: str, folder: Path) -> tuple[str, Path, int]:
    query, expect = QUESTIONS[name]
    return query, folder, expect


if __name__ == "__main__":
    sys.exit(main())

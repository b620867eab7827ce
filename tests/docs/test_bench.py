"""The measurements: none is left out of `make bench`, and none hides a package that it measures."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.docs.readme_kit import ROOT

SCRIPTS = sorted(path.stem for path in (ROOT / "bench").glob("*.py"))
#: What the others import; the journal alone is looked at by whoever works on it.
NOT_LISTED = {"kit", "peers", "journal"}


def test_make_bench_runs_every_measurement() -> None:
    listed = re.findall(r"^\t\$\(BIN\)/python bench/(\w+)\.py$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == [name for name in SCRIPTS if name not in NOT_LISTED]


def test_every_measurement_finds_what_it_measures() -> None:
    # A script's own folder comes first: one that is named like a package would stand in its place for all of them.
    load = f"import sys, importlib; sys.path[0] = 'bench'; [importlib.import_module(name) for name in {SCRIPTS}]"
    done = subprocess.run([sys.executable, "-c", load], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_on_measurements_says_what_each_is_for() -> None:
    page = (ROOT / "bench" / "README.md").read_text("utf-8")
    assert [name for name in SCRIPTS if name != "kit" and f"`{name}.py`" not in page] == []

"""`python -m interpreter.adapters.records FOLDER [--write] [RECORD…]`: compare or write the hashes of records."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from interpreter.adapters.records.store import HEAD, Store, seal
from interpreter.ports import ToolFailure


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 where every record is whole and its hash right, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m interpreter.adapters.records",
        description="比较或写入记录的完整性校验值 / compare or write the integrity hashes of records",
    )
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("records", metavar="RECORD", nargs="*", help="只看这些记录 / only these records")
    parser.add_argument("--write", action="store_true", help="写入 record.yaml / write them into record.yaml")
    given = parser.parse_intermixed_args(arguments)
    try:
        store = Store(given.folder)
        records = given.records or list(store.stamps())
        return max((_look_at(store, record, write=given.write) for record in records), default=0)
    except ToolFailure as problem:
        print(problem.message, file=sys.stderr)
        return 1


def _look_at(store: Store, record: str, *, write: bool) -> int:
    try:
        head = store.head(record)
        texts = [store.segment(record, number) for number in range(1, head.segments + 1)]
    except ToolFailure as problem:
        print(f"{record}: {problem.message}")
        return 1
    missing = [number for number, text in enumerate(texts, start=1) if text is None]
    right = seal(head.title, "".join(text or "" for text in texts))
    if missing:
        print(f"{record}: missing {', '.join(f'{number}.md' for number in missing)}")
    elif head.sha256 != right and write:
        _write(Path(store.root) / record / HEAD, right)
        print(f"{record}: written {right}")
        return 0
    elif head.sha256 != right:
        print(f"{record}: sha256 is {head.sha256 or 'missing'}, should be {right}")
    else:
        print(f"{record}: ok")
        return 0
    return 1


def _write(path: Path, right: str) -> None:
    text = path.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith("sha256:")]
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    path.write_text("".join([*kept, f'sha256: "{right}"\n']), "utf-8")


if __name__ == "__main__":
    sys.exit(main())

"""Copy the reader without a model from `local.yaml` into the other profiles that need one: `make readers`.

A profile is one document and takes nothing from another one; so the entry stands in each, and a test holds them equal.
"""

from __future__ import annotations

from pathlib import Path

PROFILES = Path(__file__).parents[1] / "specs" / "profiles"
WITH_READER = ("web", "wpsnote_mcp", "wpsnote_cli")
_ENTRY = "  reader.judge:"


def place_of(text: str) -> tuple[int, int]:
    """Return where the entry begins, with the comments above it, and where it ends."""
    begins = text.index(_ENTRY)
    above = text[:begins].rstrip("\n").split("\n")
    while above[-1].strip().startswith("#"):
        above.pop()
    lines = text[begins:].split("\n")
    count = next((n for n, line in enumerate(lines) if n and line.strip() and not line.startswith("   ")), len(lines))
    return len("\n".join(above)) + 1, begins + len("\n".join(lines[:count])) + 1


def copied(text: str, source: str) -> str:
    """Return a profile with the entry of another one."""
    first, last = place_of(source)
    begins, ends = place_of(text)
    return text[:begins] + source[first:last].strip("\n") + "\n" + text[ends:]


def main() -> None:
    source = (PROFILES / "local.yaml").read_text("utf-8")
    for name in WITH_READER:
        path = PROFILES / f"{name}.yaml"
        path.write_text(copied(path.read_text("utf-8"), source), "utf-8")


if __name__ == "__main__":
    main()

"""`lint` with its cache finds what `lint` without it finds, whatever was done to the documents in between."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.draws import draws
from tests.unit.cache_kit import CHANGES, DOCUMENTS, OTHERS, lay, told

STEPS = st.tuples(st.sampled_from((*DOCUMENTS, *OTHERS)), st.sampled_from(sorted(CHANGES)))
ASKED = st.sampled_from(("", "counting.yaml", "rules", "tests/counting.yaml", "profiles/local.yaml"))


@settings(max_examples=draws(20), deadline=None)
@given(ASKED, st.lists(STEPS, min_size=1, max_size=4))
def test_with_the_cache_the_same_is_found_after_any_change(asked: str, steps: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        specs, cache = lay(Path(folder)), Path(folder) / "cache"
        told([specs / asked], cache)
        for name, change in steps:
            CHANGES[change](specs / name)
            for _ in range(2):  # looked at once more, it may be known by now
                assert told([specs / asked], cache) == told([specs / asked], None)

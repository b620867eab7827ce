"""The candidate analysis killed at every one of its model calls: the result is that of a run which nobody disturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.f077_kit import Analysis, Done, Json, answer, fields, of_chunk, screening, synthesis
from tests.cli.kit import Command
from tests.servers.kit import ModelServer

pytestmark = pytest.mark.long

LONG = "长" * 130
#: One screening, two chunks of each of three records, one repair, one synthesis.
CALLS = 1 + 6 + 1 + 1
SMALL = ("--set", "f077_limits.chunk_bytes=500")


def rules(analysis: Analysis) -> list[Json]:
    found = [screening(r0="strong", r1="related", r2="strong"), synthesis([1])]
    for number in range(3):
        title = f"办法 {number}"
        standard = analysis.ids.policy(title, "支持标准")
        card = {"support_standard": {"text": "STANDARD", "citations": [standard]}}
        good = answer(relevant=True, explanation="GOOD", citations=[standard], card=card)
        if number == 1:
            wrong = answer(citations=["p-0000000000"])
            found.append({"when": of_chunk(title, 1, lacks="Your last answer was refused"), "give": {"json": wrong}})
        found.append({"when": of_chunk(title, 1), "give": {"json": good}})
    return [*found, {"give": {"json": answer()}}]


@pytest.mark.parametrize("call", range(1, CALLS + 1))
def test_a_kill_at_any_call_changes_nothing(tmp_path: Path, model_server: ModelServer, call: int) -> None:
    analysis = Analysis(Command(tmp_path), model_server, tmp_path / "records")
    for number in range(3):
        texts = {"支持标准": f"每户 5000 元。{LONG}", "申报条件": LONG}
        analysis.write(f"r{number}", f"办法 {number}", fields(**texts), summary="S")
    inputs = {"record_ids": ["r0", "r1", "r2"]}
    model_server.answers(*rules(analysis))
    whole = analysis.run(*SMALL, run_id="whole", inputs=inputs)
    assert len(model_server.requests) == CALLS
    model_server.answers({"when": {"call": CALLS + call}, "hold": {"forever": True}}, *rules(analysis))
    with analysis.command.start(*analysis.words(*SMALL, inputs=inputs)) as process:
        model_server.wait_for(CALLS + call)
        process.kill()
    before = len(model_server.requests)
    model_server.answers(*rules(analysis))
    done = Done(analysis.command("resume", "one", "--json"))
    assert done.recommendation == whole.recommendation
    assert done.status == whole.status == 0
    # At most what was in flight is asked again.
    assert len(model_server.requests) - before <= CALLS - call + 4

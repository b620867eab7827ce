"""A rule document that was used is kept with a plan and goes on deciding when the plan is read again."""

from __future__ import annotations

import pickle

from interpreter.documents.public_suffixes import registrable_domain
from rules.documents import decide, load_rules
from tests.unit.rule_cases import read_case


def test_documents_are_kept_without_what_was_compiled() -> None:
    for name, rule, facts in (
        ("card", "strict", {"a": 1, "b": "x"}),
        ("sources", "tier", {"url": "https://www.gov.cn/"}),
        ("loan", "one", {"age": 30, "risk": "low"}),
    ):
        document, _ = load_rules(read_case(name, "rules.yaml"), name, registrable_domain)
        assert document is not None
        before = decide(document, rule, facts)
        again = pickle.loads(pickle.dumps(document))
        assert decide(again, rule, facts) == before

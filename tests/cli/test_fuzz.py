"""`fuzz`: what nobody would think of is found, made small, and kept as a case."""

from __future__ import annotations

import pytest

from tests.cli.kit import Command

TOOLS = """\
tools: shop
title: {zh: 店, en: Shop}
shop.price:
  title: {zh: 价格, en: Price}
  effect: read
  input: {type: object, properties: {id: {type: string}}}
  output: {type: object, required: [price], properties: {price: {type: integer, minimum: 0, maximum: 1000}}}
  example: {price: 3}
"""
SPEC = """\
workflow: buy
version: 1.0.0
title: {zh: 买, en: Buy}
effect: read
uses: {tools: [shop]}
questions: {wait: 7d}
data:
  total: {type: integer, default: 0}
guarantees:
  - {id: not-too-much, always: total <= LIMIT}
states:
  LOOK:
    title: {zh: 看, en: Look}
    tools: [shop.price]
    steps:
      - each: i
        in: "['a', 'b']"
        do:
          - call: shop.price
            with: {id: "{{ i }}"}
            as: p
          - set: {total: "{{ total + p.price }}"}
    next: [{to: end}]
"""


@pytest.fixture
def shop(command: Command) -> Command:
    (command.folder / "tools" / "shop.yaml").write_text(TOOLS, "utf-8")
    (command.folder / "buy.yaml").write_text(SPEC.replace("LIMIT", "1500"), "utf-8")
    return command


def test_a_broken_guarantee_is_found_made_small_and_kept_as_a_case(shop: Command) -> None:
    ended = shop("fuzz", "buy.yaml", "--seed", "1", "--out", "tests/found.yaml")
    assert ended.status == 1
    assert "run/guarantee-violated" in ended.err or "not-too-much" in ended.err
    text = (shop.folder / "tests" / "found.yaml").read_text("utf-8")
    prices = sorted(int(part.partition("}")[0]) for part in text.split('"price":')[1:])
    assert sum(prices) == 1501
    assert shop("test", "tests/found.yaml").status == 0
    spec = shop.folder / "buy.yaml"
    spec.write_text(SPEC.replace("LIMIT", "2000"), "utf-8")
    assert shop("test", "tests/found.yaml").status == 1


@pytest.mark.long
def test_a_workflow_that_keeps_everything_passes_and_says_how_its_runs_ended(shop: Command) -> None:
    (shop.folder / "buy.yaml").write_text(SPEC.replace("LIMIT", "2000"), "utf-8")
    ended = shop("fuzz", "buy.yaml", "--seed", "1", "--runs", "50")
    assert ended.status == 0
    assert ended.out.startswith("50 runs were drawn, nothing broke (")
    told = shop("fuzz", "buy.yaml", "--seed", "1", "--runs", "50", language="zh")
    assert told.out.startswith("随机运行 50 次，没有破坏任何保证（")


def test_nothing_is_drawn_for_documents_that_are_wrong(shop: Command) -> None:
    (shop.folder / "buy.yaml").write_text(SPEC.replace("to: end", "to: edn"), "utf-8")
    assert shop("fuzz", "buy.yaml").status == 2


CASES = """\
tests: buy
workflow: buy
cases:
  - id: dear
    tools: {shop.price: [{answer: {price: 777}}]}
    expect: {status: failed}
"""


@pytest.mark.long
def test_a_run_may_be_like_a_case_and_so_gets_where_no_drawn_answer_leads(shop: Command) -> None:
    spec = SPEC.replace("LIMIT", "1500").replace("total + p.price", "9999 if p.price == 777 else 0")
    (shop.folder / "buy.yaml").write_text(spec, "utf-8")
    assert shop("fuzz", "buy.yaml", "--seed", "1", "--runs", "20").status == 0
    (shop.folder / "tests" / "buy.yaml").write_text(CASES, "utf-8")
    ended = shop("fuzz", "buy.yaml", "--seed", "1", "--runs", "20")
    assert ended.status == 1
    assert '"price":777' in ended.out


@pytest.mark.long
def test_places_where_nothing_could_be_evaluated_are_told_and_break_nothing(shop: Command) -> None:
    spec = SPEC.replace("LIMIT", "1500").replace("total + p.price", "100 // p.price")
    (shop.folder / "buy.yaml").write_text(spec, "utf-8")
    ended = shop("fuzz", "buy.yaml", "--seed", "1", "--runs", "50")
    assert ended.status == 0
    assert "at 1 place an expression could not be evaluated" in " ".join(ended.err.split())
    assert "buy.yaml:22" in ended.err
    assert "resume" not in ended.err  # nothing is there to be resumed

"""The reader that compares words, fact by fact: limits, rates, versions, what holds no longer, and rows of tables.

Each table has a question, and under it what a source says: `+` supports, `-` denies, `?` decides nothing.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.deep_search_kit import BLOCK, ONE_NOTE, Answers, ask, stances

STANCES = {"+": ("supports",), "-": ("denies",), "?": ("unclear", "silent")}


def under_questions(table: str) -> list[tuple[str, list[str]]]:
    """Return each question with the lines under it."""
    groups: list[tuple[str, list[str]]] = []
    for line in filter(None, table.splitlines()):
        if line[0] in STANCES:
            groups[-1][1].append(line)
        else:
            groups.append((line, []))
    return groups


def amiss(query: str, told: list[str], **given: Any) -> list[str]:
    said = stances(query, *(line[2:] for line in told), **given)
    return [f"{line} ({stance})" for line, stance in zip(told, said, strict=True) if stance not in STANCES[line[0]]]


#: A limit is said by the same limit alone; a number that is only near says no exact one; who says 500 may mean more.
HOW_FAR = """
星河智能最多支持12人同时编辑吗？
+ 星河智能最多支持12人同时编辑。
+ 星河智能至多支持12人同时编辑。
+ 星河智能支持不超过12人同时编辑。
- 星河智能最多支持18人同时编辑。
- 星河智能支持不少于20人同时编辑。
? 星河智能支持约12人同时编辑。
星河智能单笔补贴最高50万元吗？
+ 星河智能单笔补贴最高50万元。
- 星河智能单笔补贴最高30万元。
? 星河智能单笔补贴50万元。
星河智能票价最低2元吗？
+ 星河智能票价最低2元。
- 星河智能票价最低3元。
星河智能单笔补贴50万元吗？
? 星河智能单笔补贴最高可达50万元。
? 星河智能单笔最高可补贴50万元。
星河智能员工有500人吗？
+ 星河智能员工共500人。
? 星河智能员工约500人。
? 星河智能员工近500人。
? 星河智能员工有500余人。
? 星河智能员工有500多人。
- 星河智能员工不足400人。
星河智能员工约500人吗？
+ 星河智能员工约500人。
+ 星河智能员工有503人。
- 星河智能员工有800人。
星河智能员工超过500人吗？
+ 星河智能员工有500多人。
? 星河智能员工约500人。
- 星河智能员工不足500人。
星河智能员工不到1000人吗？
+ 星河智能员工有980人。
+ 星河智能员工不到1000人。
- 星河智能员工有1200人。
星河智能员工至多20人吗？
+ 星河智能员工有10至20人。
星河智能员工有15人吗？
? 星河智能员工有10-20名。
Does Galaxy AI support up to 18 users?
+ Galaxy AI supports up to 18 users.
+ Galaxy AI supports at most 18 users.
- Galaxy AI supports up to 12 users.
- Galaxy AI supports up to 24 users.
? Galaxy AI supports 18 users.
Does Galaxy AI have 500 employees?
? Galaxy AI has about 500 employees.
? Galaxy AI has over 500 employees.
- Galaxy AI has over 600 employees.
Does Galaxy AI have between 10 and 20 employees?
+ Galaxy AI has 15 employees.
+ Galaxy AI has 10 to 20 employees.
- Galaxy AI has 25 employees.
"""
#: What was so once, what was ended, and what is denied right before a word of the claim.
GONE = """
星河智能支持离线导出吗？
+ 星河智能支持离线导出。
+ 星河智能支持离线导出，此前有人询问。
- 星河智能不支持离线导出。
- 星河智能暂不支持离线导出。
- 星河智能尚不支持离线导出。
- 星河智能已不再支持离线导出。
- 星河智能已停止支持离线导出。
? 星河智能曾经支持离线导出。
? 星河智能此前支持离线导出。
? 星河智能没有停止支持离线导出。
? 星河智能仅在企业版中支持离线导出。
星河智能的疫苗获批了吗？
+ 星河智能的疫苗已获批。
- 星河智能的疫苗未获批。
- 星河智能的疫苗未获批准。
? 星河智能的疫苗有望年内获批。
星河智能的许可证有效吗？
- 星河智能的许可证已失效。
- 星河智能的许可证无效。
Does Galaxy AI support offline export?
+ Galaxy AI now supports offline export.
- Galaxy AI cannot support offline export.
- Galaxy AI no longer supports offline export.
? Galaxy AI used to support offline export.
? Galaxy AI formerly supported offline export.
? Galaxy AI has deprecated offline export support.
? Galaxy AI has discontinued support for offline export.
? Galaxy AI is phasing out support for offline export.
Was the Galaxy AI vaccine approved?
? The approval of the Galaxy AI vaccine was withdrawn.
? The regulator did not withdraw the approval of the Galaxy AI vaccine.
"""
#: What is denied of another thing, another version, or another system says nothing of that of the claim.
DENIED_ELSEWHERE = """
Does Galaxy AI support dark mode?
+ Galaxy AI supports dark mode.
- Galaxy AI no longer supports dark mode.
? Galaxy AI no longer supports compact mode.
Does Galaxy AI lab 9 support Ubuntu 22?
- Galaxy AI lab 9 no longer supports Ubuntu 22.
- Galaxy AI lab does not support Ubuntu 22.
? Galaxy AI lab 9 no longer supports Ubuntu 18.
? Galaxy AI lab 9 supports Ubuntu 22 and no longer supports Ubuntu 18.
? Galaxy AI lab 8 does not support Ubuntu 22.
Does Galaxy AI Harbor 12 include chat support?
? Galaxy AI Harbor 12 no longer includes phone support.
- Galaxy AI Harbor 12 no longer includes chat support.
星河智能支持安卓14吗？
- 星河智能不再支持安卓14。
? 星河智能不再支持安卓8。
? 星河智能支持安卓14，不再支持安卓8。
星河智能V5支持NFC支付吗？
- 星河智能V5不支持NFC支付。
? 星河智能V4不支持NFC支付。
星河智能价格持续下降吗？
+ 星河智能价格持续下降。
- 星河智能价格10月继续上升，不再下调。
"""
#: Of another rate, another version, another model, another half of the year, or another thing that is measured.
ANOTHER = """
星河智能企业版价格为每月168元吗？
+ 星河智能企业版价格为每月168元。
? 星河智能企业版价格为每年168元。
? 星河智能企业版价格为168元/年。
Does Galaxy AI enterprise cost $20 per month?
+ Galaxy AI enterprise costs $20 a month.
? Galaxy AI enterprise costs $20 per seat per year.
- Galaxy AI enterprise costs $25 per month.
星河智能上半年营收2亿元吗？
+ 星河智能上半年营收2亿元，下半年营收3亿元。
? 星河智能上半年营收1亿元，下半年营收2亿元。
星河智能发布了2.1版吗？
+ 星河智能发布了2.1版。
? 星河智能发布了2.10版。
? 星河智能发布了2.1.3版。
Did Galaxy AI release v3.0?
+ Galaxy AI released v3.0.
+ Galaxy AI's v3.0 is released.
? Galaxy AI released v3.0.1.
? Galaxy AI released v3.0-beta.
星河智能发布了X200吗？
? 星河智能发布了X200 Pro。
星河智能发布了X200 Pro吗？
+ 星河智能发布了X200 Pro。
? 星河智能发布了X200。
Did Galaxy AI release Nova 3?
+ Galaxy AI released Nova 3.
? Galaxy AI released Nova 3 Mini.
? Galaxy AI released Nova 4, up from Nova 3 a year earlier.
星河智能毛利率为30%吗？
+ 星河智能营收增长20%，毛利率为30%。
? 星河智能营收增长30%，毛利率为25%。
? 星河智能毛利率持平，营收增长30%。
Did Galaxy AI revenue rise 8 percent?
+ Galaxy AI profit rose 5 percent and revenue rose 8 percent.
? Galaxy AI revenue rose 5 percent and profit rose 8 percent.
"""
#: A forecast, and what somebody else says.
NO_FACT = """
星河智能营收2亿元吗？
+ 公司表示：“星河智能营收2亿元。”
? 王总说：“星河智能营收2亿元。”
? 分析师估算星河智能营收2亿元。
? 星河智能的目标为营收2亿元。
Was Galaxy AI revenue 200 million yuan?
+ The company said: "Galaxy AI revenue was 200 million yuan."
? A blogger said: "Galaxy AI revenue was 200 million yuan."
? Analysts estimate Galaxy AI revenue of 200 million yuan.
? Galaxy AI targets revenue of 200 million yuan.
"""


@pytest.mark.parametrize(("query", "told"), under_questions(HOW_FAR + GONE + DENIED_ELSEWHERE + ANOTHER + NO_FACT))
def test_a_fact_is_supported_by_that_very_fact_alone(query: str, told: list[str]) -> None:
    assert amiss(query, told) == []


# --- tables -----------------------------------------------------------------------------------------------------------

PRICES = "套餐 | 价格（元） | 员工\n标准版 | 168 | 10人\n企业版 | 198 | 20人"
YEARS = "plan | 2025 price | 2026 price\nenterprise | $20 | $25\nteam | $10 | $12"
ROWS = [
    ("星河智能企业版价格为198元吗？", PRICES, "+"),
    ("星河智能企业版价格为168元吗？", PRICES, "-"),
    ("星河智能标准版价格为168元吗？", PRICES, "+"),
    ("星河智能企业版员工有20人吗？", PRICES, "+"),
    ("星河智能企业版员工有10人吗？", PRICES, "-"),
    ("Is the Galaxy AI team price $20?", YEARS, "?"),
    ("星河智能支持离线导出吗？", "功能 | 支持\n离线导出 | 否\n在线导出 | 是", "?"),
]


@pytest.mark.parametrize(("query", "table", "stance"), ROWS)
def test_a_row_of_a_table_says_what_its_first_row_makes_of_it(query: str, table: str, stance: str) -> None:
    head = {"s-0": table.splitlines()[0]}
    for given in ({"about": "星河智能 Galaxy AI"}, {"about": "", "sections": {"s-0": "星河智能 Galaxy AI"}}):
        assert stances(query, table, heads=head, **given)[0] in STANCES[stance]


@pytest.mark.parametrize("section", ["传言", "风险清单", "网传说法", "Rumours", "What if"])
def test_what_stands_under_the_heading_of_a_doubt_supports_nothing(section: str) -> None:
    assert stances("星河智能降价了吗？", "星河智能降价了。", sections={"s-0": section}) == ["unclear"]
    assert stances("星河智能降价了吗？", "星河智能降价了。", sections={"s-0": "价格"}) == ["supports"]


def test_a_reader_gets_the_heading_and_the_first_row_that_a_passage_of_a_note_stands_under() -> None:
    table = {**BLOCK, "id": "b2", "type": "table", "text": "星河智能套餐 | 价格\n企业版 | 198元", "content": "<table/>"}
    heading = {**BLOCK, "id": "b0", "type": "heading", "text": "星河智能报价", "content": "<h2>星河智能报价</h2>"}
    first = {**BLOCK, "text": "星河智能的价格如下。"}
    notes: Answers = {**ONE_NOTE, "notes.read_blocks": [{"give": {"blocks": [first, heading, table]}}]}
    told = ask("星河智能企业版价格为198元吗？", {**notes, "reader.judge": [{"give": {"findings": []}}]})
    given = next(call for call in told.calls if call.tool == "reader.judge").arguments
    by_text = {unit["text"]: unit["evidence_id"] for unit in given["units"]}
    of_table, of_first = by_text[table["text"]], by_text[first["text"]]
    assert given["sections"] == {of_table: "星河智能报价", of_first: ""}
    assert given["heads"] == {of_table: "星河智能套餐 | 价格", of_first: ""}

"""The reader that compares words: what it takes for support, for denial, and what it leaves open.

A wrong support is the worst that it can do, so every sentence that denies, doubts, plans, supposes or only tells what
others say stands in the table, and none of them may support anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from tests.unit.deep_search_kit import HIT, PAGE, SPEC, Answers, ask, asked, reader, stances

EN = "Did Galaxy AI publish new enterprise pricing?"
ZH = "星河智能是否发布了新的企业版定价？"


# what it is, with `;` and the sentence; all of them are about the questions above
SUPPORTS = """
Galaxy AI published new enterprise pricing on 16 October 2026.
On 16 October 2026 Galaxy AI announced its new enterprise pricing.
The new enterprise pricing of Galaxy AI was released this week.
Galaxy AI has launched new enterprise pricing.
星河智能发布了新的企业版定价。
星河智能于2026年10月16日公布企业版新定价。
星河智能宣布企业版价格。
10月16日，星河智能推出新的企业版定价。
""".strip().splitlines()
DENIES = """
Galaxy AI did not publish new enterprise pricing.
Galaxy AI has never published new enterprise pricing.
Galaxy AI denied that it had published new enterprise pricing.
It is untrue that Galaxy AI published new enterprise pricing.
星河智能没有发布新的企业版定价。
星河智能尚未发布新的企业版定价。
星河智能从未发布新的企业版定价。
星河智能否认已经发布新的企业版定价。
""".strip().splitlines()
#: Plain statements that hold a word which elsewhere denies, plans or asks: it speaks of something else here.
HARMLESS = """
Galaxy AI published new enterprise pricing, and customers will pay 168 yuan a seat.
Galaxy AI published new enterprise pricing for all its customers.
Galaxy AI published new enterprise pricing not only in China but also abroad.
Galaxy AI published new enterprise pricing; it takes effect no later than 1 November.
Galaxy AI published new enterprise pricing that will take effect on 1 November 2026.
Galaxy AI published new enterprise pricing of no more than 168 yuan a seat.
Galaxy AI published new enterprise pricing, so customers should read the contract.
Galaxy AI published new enterprise pricing as required by the regulator.
Galaxy AI published new enterprise pricing without delay.
Galaxy AI published new enterprise pricing and said customers need not do anything.
Galaxy AI has published new enterprise pricing, its partners said.
Galaxy AI published new enterprise pricing after talks with customers.
Galaxy AI published new enterprise pricing at the request of its users.
Galaxy AI published new enterprise pricing, not just a discount.
Galaxy AI published new enterprise pricing on 16 October, as planned.
Galaxy AI published new enterprise pricing on schedule.
Galaxy AI published new enterprise pricing, as expected.
Galaxy AI published new enterprise pricing, unlike last year.
Galaxy AI published new enterprise pricing; the old plan is no longer sold.
Galaxy AI published new enterprise pricing and customers may choose monthly payment.
Galaxy AI published new enterprise pricing, which must be paid in advance.
The enterprise pricing that Galaxy AI published is new and will be in force for a year.
星河智能发布了新的企业版定价，将于11月1日起生效。
星河智能发布了新的企业版定价，客户没有额外费用。
星河智能应客户要求发布了新的企业版定价。
星河智能按监管要求发布了新的企业版定价。
星河智能发布了新的企业版定价，客户应当重新签约。
星河智能发布了新的企业版定价，不仅降了价，还放宽了席位。
星河智能不仅发布了新的企业版定价，还放宽了席位要求。
星河智能发布了新的企业版定价，最迟不晚于11月1日执行。
星河智能发布了新的企业版定价，面向所有企业客户和用户。
星河智能面向企业客户发布了新的企业版定价。
星河智能向合作伙伴和客户发布了新的企业版定价。
星河智能发布了新的企业版定价，需要提前预付。
星河智能发布了新的企业版定价，供应商须在月底前确认。
星河智能如期发布了新的企业版定价。
星河智能已将新的企业版定价公布在官网。
星河智能发布了新的企业版定价，未来一年保持不变。
星河智能发布了新的企业版定价，应用范围包括全部产品。
星河智能发布了新的企业版定价，五十席以下的客户不受影响。
星河智能发布了新的企业版定价，客户可以按月或按年付款。
星河智能发布了新的企业版定价，满足了客户的期望。
星河智能发布了新的企业版定价，旧合同不能再续签。
星河智能发布了新的企业版定价，如有疑问请致电客服。
据星河智能官网，公司发布了新的企业版定价。
星河智能发布了新的企业版定价，计划书随附。
""".strip().splitlines()
#: Plain statements whose support is lost: nothing in their words tells them from a plan or a denial.
LOST = """
Galaxy AI published new enterprise pricing on its website last week, with no change for students.
Galaxy AI published new enterprise pricing, which customers had wanted for years.
星河智能发布了新的企业版定价，学生版价格没有变化。
星河智能按计划发布了新的企业版定价。
星河智能将新的企业版定价发布在官网上。
星河智能发布了新的企业版定价，取消了原来的阶梯折扣。
""".strip().splitlines()
#: The harmless words of above where they are not harmless.
NOT_HARMLESS = """
到时候，客户将看到星河智能发布新的企业版定价。
今年，客户应当能看到星河智能发布新的企业版定价。
星河智能宣布，将于11月1日起发布新的企业版定价。
星河智能发布新的企业版定价，客户希望。
星河智能发布新的企业版定价，用户呼吁。
星河智能发布新的企业版定价，客户说没有这回事。
星河智能发布新的企业版定价，客户没有一个见过。
星河智能发布新的企业版定价，客户可能听错了。
星河智能发布新的企业版定价，将在客户大会上进行。
星河智能发布新的企业版定价，将于明年进行。
星河智能将应客户要求发布新的企业版定价。
应客户要求，星河智能计划发布新的企业版定价。
星河智能没有不仅发布新的企业版定价。
星河智能发布新的企业版定价的消息已将大家骗了，纯属虚构。
By May, customers will see Galaxy AI publish new enterprise pricing.
In spring, users should see Galaxy AI publish new enterprise pricing.
Galaxy AI published new enterprise pricing, customers should not believe.
Galaxy AI published new enterprise pricing, customers never saw it.
Galaxy AI published new enterprise pricing, users were told, but it is untrue.
As planned, Galaxy AI will publish new enterprise pricing.
Galaxy AI will publish new enterprise pricing on schedule.
Galaxy AI did not publish new enterprise pricing, as expected.
Galaxy AI, as expected, never published new enterprise pricing.
After talks with customers Galaxy AI refused to publish new enterprise pricing.
Galaxy AI will not only publish new enterprise pricing but cut it.
Galaxy AI must publish new enterprise pricing no later than May.
""".strip().splitlines()
#: Denial, doubt, plans, hearsay and conditions in all their forms: whatever is said of them, they support nothing.
NO_SUPPORT = """
Rumours that Galaxy AI published new enterprise pricing are wrong.
The rumor that Galaxy AI published new enterprise pricing is making the rounds.
Galaxy AI refused to publish new enterprise pricing.
Galaxy AI declined to publish its new enterprise pricing.
Galaxy AI failed to publish new enterprise pricing.
Nobody at Galaxy AI published new enterprise pricing.
No one at Galaxy AI published any enterprise pricing.
None of the Galaxy AI offices published enterprise pricing.
Neither Galaxy AI nor Polaris published enterprise pricing.
Galaxy AI will publish new enterprise pricing in 2031.
Galaxy AI has yet to publish new enterprise pricing.
Galaxy AI is going to publish new enterprise pricing.
Galaxy AI plans to publish new enterprise pricing.
Galaxy AI planned to publish new enterprise pricing last year.
Galaxy AI intends to publish new enterprise pricing.
Galaxy AI hopes to publish new enterprise pricing soon.
Galaxy AI is expected to publish new enterprise pricing.
Galaxy AI should publish new enterprise pricing.
Analysts urged Galaxy AI to publish new enterprise pricing.
Galaxy AI may have published new enterprise pricing.
Galaxy AI might publish new enterprise pricing.
Galaxy AI probably published new enterprise pricing.
It is unlikely that Galaxy AI published new enterprise pricing.
It is unclear whether Galaxy AI published new enterprise pricing.
If Galaxy AI published new enterprise pricing, customers would switch.
Unless Galaxy AI published new enterprise pricing, customers stay.
Imagine that Galaxy AI published new enterprise pricing.
Galaxy AI reportedly published new enterprise pricing.
Galaxy AI allegedly published new enterprise pricing.
My cousin says Galaxy AI published new enterprise pricing.
I was told Galaxy AI published new enterprise pricing.
Some say Galaxy AI published new enterprise pricing.
People claim that Galaxy AI published new enterprise pricing.
Insiders believe Galaxy AI published new enterprise pricing.
Galaxy AI withdrew the new enterprise pricing that it had published.
Galaxy AI cancelled the enterprise pricing it had announced.
Galaxy AI postponed the release of new enterprise pricing.
Galaxy AI almost published new enterprise pricing.
Galaxy AI stopped publishing; the enterprise pricing of Galaxy AI that was released is a hoax.
It is a myth that Galaxy AI published new enterprise pricing.
The report that Galaxy AI published new enterprise pricing was retracted.
Galaxy AI can't have published new enterprise pricing.
Galaxy AI hasn’t published new enterprise pricing.
Without notice Galaxy AI published enterprise pricing for nobody.
Has Galaxy AI published new enterprise pricing?
"Galaxy AI published new enterprise pricing" is what the forged notice said.
A rival of Galaxy AI published new enterprise pricing.
A customer of Galaxy AI published new enterprise pricing.
Galaxy AI's supplier published new enterprise pricing.
Galaxy AI customers published the enterprise pricing.
Analysts called on Galaxy AI to release enterprise pricing.
It is not the case, whatever you read, that Galaxy AI published new enterprise pricing.
Kestrel Models published new enterprise pricing.
传闻星河智能发布了新的企业版定价。
网传星河智能已发布新的企业版定价。
星河智能发布新的企业版定价的说法不属实。
星河智能发布新的企业版定价是谣言。
星河智能拒绝发布新的企业版定价。
星河智能拟于明年发布新的企业版定价。
星河智能将发布新的企业版定价。
星河智能即将公布企业版定价。
星河智能计划发布新的企业版定价。
星河智能有望发布新的企业版定价。
星河智能可能已经发布新的企业版定价。
星河智能或将发布企业版定价。
如果星河智能发布新的企业版定价，客户会流失。
除非星河智能发布新的企业版定价，否则不续约。
是否发布企业版定价，星河智能还在讨论。
听说星河智能发布了新的企业版定价。
我表哥说星河智能发布了新的企业版定价。
知情人士称星河智能发布了新的企业版定价。
星河智能撤回了已经发布的企业版定价。
星河智能取消发布新的企业版定价。
星河智能推迟发布新的企业版定价。
星河智能未能发布新的企业版定价。
星河智能并非发布新的企业版定价。
没有人说星河智能发布了新的企业版定价。
谁也没见过星河智能发布企业版定价。
星河智能差点发布新的企业版定价。
星河智能何曾发布过新的企业版定价。
假设星河智能发布了新的企业版定价。
愚人节消息：星河智能发布了新的企业版定价。
星河智能的竞争对手发布了新的企业版定价。
星河智能的供应商发布了新的企业版定价。
星河智能前员工发布了企业版定价。
星河智能发布了新的企业版定价吗？
Critics say Galaxy AI published new enterprise pricing.
Two bloggers wrote that Galaxy AI published new enterprise pricing.
Galaxy AI published new enterprise pricing only for schools.
Except in Brazil, Galaxy AI published new enterprise pricing nowhere.
Galaxy AI ended the work on the new enterprise pricing it had published.
批评者称星河智能发布了新的企业版定价。
博主称星河智能发布了新的企业版定价。
星河智能仅在巴西发布了新的企业版定价。
除企业版定价以外，星河智能发布了新的各版定价。
""".strip().splitlines()


def question_of(sentence: str) -> str:
    return EN if sentence.isascii() or "Galaxy" in sentence else ZH


@pytest.mark.parametrize("sentence", SUPPORTS)
def test_a_plain_statement_supports(sentence: str) -> None:
    assert stances(question_of(sentence), sentence) == ["supports"]


@pytest.mark.parametrize("sentence", HARMLESS)
def test_a_word_that_speaks_of_something_else_takes_no_support_away(sentence: str) -> None:
    assert stances(question_of(sentence), sentence) == ["supports"]
    before = "通知。" if "星河" in sentence else "A note of the office. "
    assert stances(question_of(sentence), f"{before}{sentence}") == ["supports"]


@pytest.mark.parametrize("sentence", LOST)
def test_where_words_do_not_tell_a_true_statement_is_left_open(sentence: str) -> None:
    assert stances(question_of(sentence), sentence)[0] in ("unclear", "denies")


@pytest.mark.parametrize("sentence", NOT_HARMLESS)
def test_a_harmless_word_lends_no_support_where_it_is_none(sentence: str) -> None:
    assert stances(question_of(sentence), sentence)[0] in ("unclear", "silent", "denies")


# a statement about a beginning, and a sentence that only announces it
BEGINNINGS = [
    ("星河智能的新定价已经生效", "星河智能的新定价将于11月1日起生效。"),
    ("Did the new pricing of Galaxy AI take effect?", "Galaxy AI published new pricing that will take effect in May."),
    ("Is Galaxy AI pricing in force?", "The pricing of Galaxy AI will be in force for a year from May."),
]


@pytest.mark.parametrize(("query", "sentence"), BEGINNINGS)
def test_what_begins_later_has_not_begun(query: str, sentence: str) -> None:
    assert stances(query, sentence)[0] in ("unclear", "silent", "denies")


@pytest.mark.parametrize("sentence", DENIES)
def test_a_plain_denial_denies(sentence: str) -> None:
    assert stances(question_of(sentence), sentence) == ["denies"]


@pytest.mark.parametrize("sentence", NO_SUPPORT)
def test_what_is_no_statement_supports_nothing(sentence: str) -> None:
    assert stances(question_of(sentence), sentence)[0] in ("unclear", "silent", "denies")


@pytest.mark.parametrize("sentence", NO_SUPPORT)
def test_it_supports_nothing_in_a_longer_passage_either(sentence: str) -> None:
    is_english = question_of(sentence) == EN
    before, behind = ("A note of the office. ", " It has two pages.") if is_english else ("通知。", "共两页。")
    assert stances(question_of(sentence), f"{before}{sentence}{behind}")[0] in ("unclear", "silent", "denies")


# what stands before or behind, and speaks of the sentence beside it
BESIDE = """
This page is an April fool.
None of it is true.
That is a rumour.
The company denied it.
This never happened.
It was a hoax.
The following is satire.
Correction: we were mistaken.
以上内容均不属实。
这是愚人节玩笑。
该公司已予以否认。
以下纯属虚构。
消息未经证实。
""".strip().splitlines()


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("sentence", [SUPPORTS[0], SUPPORTS[4]])
def test_what_stands_beside_a_statement_takes_its_support_away(sentence: str, beside: str) -> None:
    query = question_of(sentence)
    for text in (f"{sentence} {beside}", f"{beside} {sentence}"):
        assert stances(query, text) != ["supports"], text
    assert stances(query, sentence, beside={"s-0": beside}) == ["unclear"]
    assert stances(query, sentence, remarks=[beside]) == ["unclear"]
    assert stances(query, sentence, about=f"公告 {beside}") == ["unclear"]


# a question that itself denies: nothing is supported, and who says it plainly denies it
TURNED = """
Galaxy AI never published new enterprise pricing, is that so?
Did Galaxy AI not publish new enterprise pricing?
Galaxy AI didn't publish new enterprise pricing
Is it false that Galaxy AI published new enterprise pricing?
Is it wrong that Galaxy AI published new enterprise pricing?
Nobody at Galaxy AI published new enterprise pricing
星河智能没有发布新的企业版定价
星河智能未发布新的企业版定价吗
星河智能从未发布新的企业版定价
星河智能并非发布新的企业版定价
星河智能不发布新的企业版定价
星河智能发布新的企业版定价是假消息吗
""".strip().splitlines()


@pytest.mark.parametrize("query", TURNED)
def test_a_claim_that_denies_is_never_supported_by_comparing_words(query: str) -> None:
    statement = SUPPORTS[4] if query[0] == "星" else SUPPORTS[0]
    assert stances(query, statement) == ["denies"]
    assert set(stances(query, *DENIES, *NO_SUPPORT)) <= {"unclear", "silent", "denies"}


@pytest.mark.parametrize("query", ["星河智能有没有发布新的企业版定价？", "星河智能是不是发布了新的企业版定价？"])
def test_the_forms_of_a_question_deny_nothing(query: str) -> None:
    assert stances(query, SUPPORTS[4]) == ["supports"]


@pytest.mark.parametrize("query", [EN, ZH])
def test_a_claim_and_its_denial_are_never_both_supported(query: str) -> None:
    turned = TURNED[0] if query == EN else TURNED[6]
    sentences = [*SUPPORTS, *DENIES, *NO_SUPPORT]
    said = zip(sentences, stances(query, *sentences), stances(turned, *sentences), strict=True)
    assert [sentence for sentence, *both in said if both == ["supports", "supports"]] == []


@pytest.mark.parametrize("query", ["Galaxy AI", "星河智能", "Galaxy AI 星河"])
def test_a_question_without_a_statement_supports_nothing(query: str) -> None:
    for sentence in (SUPPORTS[0], SUPPORTS[4]):
        assert stances(query, sentence)[0] in ("unclear", "silent")


def test_the_words_of_the_reader_stand_once_in_each_list() -> None:
    for name, words in reader()._settings.items():
        each = list(words_of(words))
        assert len(each) == len(set(each)), name


def words_of(value: Any) -> Iterator[str]:
    """Yield the texts of a list, also those of lists inside."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from words_of(entry)


# --- the table of the page: what a statement does to a claim ----------------------------------------------------------

MANUAL = SPEC.parents[1] / "docs" / "deep_search.md"
PRICE_CLAIM = {
    "id": "a",
    "text": "星河智能企业版席位价调整为168元",
    "subject": "星河智能",
    "predicate": "企业版席位价调整为168元",
    "time_scope": {"start": "2026-10-01", "end": "2026-11-01"},
}
PARTS = (
    {"the same": "星河智能", "another": "北辰云"},
    {"most": "把企业版席位价调整为", "few": "把办公室租金谈到"},
    {"no": "", "yes": "没有"},
    {"the same": "168元", "another": "198元", "none": ""},
    {"inside": "2026年10月15日", "before": "2024年3月5日"},
)


def truths() -> list[Any]:
    """Return each combination with what the table says of it; the first of a row every time, the others when long."""
    found = []
    table = MANUAL.read_text("utf-8").split("| subject | words")[1].split("\n\n")[0]
    for line in table.splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        wanted = [list(part) if cell == "any" else [cell] for part, cell in zip(PARTS, cells[:5], strict=True)]
        for nth, chosen in enumerate(product(*wanted)):
            marks = [pytest.mark.long] if nth else []
            found.append(pytest.param(chosen, tuple(cells[5:]), marks=marks, id=", ".join(chosen)))
    return found


def test_the_table_of_statements_has_every_combination_once() -> None:
    assert sorted(row.values[0] for row in truths()) == sorted(product(*PARTS))


@pytest.mark.parametrize(("combination", "wanted"), truths())
def test_what_a_statement_does_to_a_claim(combination: tuple[str, ...], wanted: tuple[str, str, str]) -> None:
    subject, words, negation, number, time = (part[one] for part, one in zip(PARTS, combination, strict=True))
    url = "https://price.gov.example/a"
    text = f"{time}，{subject}{negation}{words}{number}。"
    page = {**PAGE, "url": url, "final_url": url, "title": "价格公告", "text": text, "published": "2026-10-16"}
    answers: Answers = {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [{**HIT, "url": url}], "error": None}]}}],
        "web.web_fetch": [{"give": page}],
        "reader.judge": [{"give": {"findings": []}}],
    }
    told = ask("星河智能", answers, claims=[PRICE_CLAIM], source_mode="web_only")
    judged = [call for call in told.calls if call.tool == "reader.judge"]
    stance = "silent"
    if judged:
        said = reader().invoke("reader.judge", dict(judged[0].arguments), "")
        stance = next((one["stance"] for one in said["findings"]), "silent")
        answers["reader.judge"] = [{"give": said}]
        told = ask("星河智能", answers, claims=[PRICE_CLAIM], source_mode="web_only")
    counts = "yes" if any(one["counts"] for one in told.data["evidence"]) else "no"
    assert (stance, counts, told.outputs["claims"][0]["verdict"]) == wanted


OTHER_NUMBERS = [
    ("星河智能企业版降到99元了吗？", "星河智能从未推出企业版99元的价格。", "denies"),
    ("星河智能企业版降到99元了吗？", "星河智能没有授权任何第三方网站销售企业版。", "unclear"),
    ("星河智能企业版降到99元了吗？", "星河智能没有推出企业版66元的价格。", "unclear"),
    ("星河智能企业版降到99元了吗？", "星河智能没有把企业版降到66元。", "unclear"),
    ("星河智能企业版降到99元了吗？", "星河智能把企业版降到66元。", "denies"),
    ("Did Galaxy AI cut the price to 99 yuan?", "Galaxy AI never cut the price to 66 yuan.", "unclear"),
    ("Did Galaxy AI cut the price to 99 yuan?", "Galaxy AI never cut the price to 99 yuan.", "denies"),
]


@pytest.mark.parametrize(("query", "sentence", "stance"), OTHER_NUMBERS)
def test_a_denial_is_about_the_number_that_it_names(query: str, sentence: str, stance: str) -> None:
    assert stances(query, sentence) == [stance]


#: A question that names a number, the same number in other words, and another one.
NUMBERS = [
    (
        "星河智能融资1.2亿元了吗？",
        "星河智能完成融资12000万元。",
        "星河智能完成融资1.2万元。",
    ),
    (
        "星河智能融资3亿美元了吗？",
        "星河智能融资3亿美元。",
        "星河智能融资2亿美元。",
    ),
    (
        "星河智能融资3亿美元了吗？",
        "星河智能融资30000万美元。",
        "星河智能融资3亿元。",
    ),
    (
        "Did Galaxy AI raise $12 billion in its funding round?",
        "Galaxy AI raised 12 billion dollars in its funding round.",
        "Galaxy AI raised $12 million in its funding round.",
    ),
    (
        "Did Galaxy AI cut the enterprise price by 31 percent?",
        "Galaxy AI cut the enterprise price by 31%.",
        "Galaxy AI cut the enterprise price by 13%.",
    ),
    (
        "星河智能企业版付费注册用户总数突破500万户了吗？",
        "星河智能企业版付费注册用户总数突破500万。",
        "星河智能企业版付费注册用户总数突破300万户。",
    ),
    (
        "星河智能在华南新建了五个核心数据机房吗？",
        "星河智能在华南新建了5个核心数据机房。",
        "星河智能在华南新建了三个核心数据机房。",
    ),
    (
        "星河智能在华南新建了二十五个核心数据机房吗？",
        "星河智能在华南新建了25个核心数据机房。",
        "星河智能在华南新建了三十五个核心数据机房。",
    ),
    (
        "Did Galaxy AI open five large data centres in southern Brazil?",
        "Galaxy AI opened 5 large data centres in southern Brazil.",
        "Galaxy AI opened three large data centres in southern Brazil.",
    ),
    (
        "星河智能是否发布了对象存储引擎 4.0 版本？",
        "星河智能发布了对象存储引擎 4.0 版本。",
        "星河智能发布了对象存储引擎 3.0 版本。",
    ),
    (
        "星河智能节点覆盖了全国28省吗？",
        "星河智能节点覆盖了全国28省。",
        "星河智能节点覆盖了全国12省。",
    ),
    (
        "星河智能节点覆盖了全国7省吗？",
        "星河智能节点覆盖了全国7省。",
        "星河智能节点覆盖了全国8省。",
    ),
    (
        "星河智能验收推迟了3个月吗？",
        "星河智能验收推迟了3个月。",
        "星河智能验收推迟了2个月。",
    ),
]


@pytest.mark.parametrize(("query", "same", "another"), NUMBERS, ids=[row[2] for row in NUMBERS])
def test_a_number_in_other_words_is_the_same_and_another_one_supports_nothing(
    query: str, same: str, another: str
) -> None:
    said = stances(query, same, another)
    assert said[0] == "supports"
    assert said[1] != "supports"


#: A question, `;`, what is said of it, `;` the stance: numbers in words, short forms, ranges, words that leave an end
#: open, and the other language.
AMOUNTS = """
星河智能企业版价格下降百分之三十一了吗？ ; 星河智能企业版价格下降31%。 ; supports
星河智能企业版价格下降31%了吗？ ; 星河智能企业版价格下降百分之三十一。 ; supports
星河智能企业版价格下降31%了吗？ ; 星河智能企业版价格下降百分之十三。 ; denies
星河智能企业版价格下降31%了吗？ ; 星河智能企业版价格下降百分之三十一点五。 ; denies
星河智能企业版价格下降31%了吗？ ; 星河智能企业版价格下降三成一。 ; unclear
星河智能企业版价格下降31%了吗？ ; 星河智能企业版价格下降三成。 ; denies
星河智能企业版价格下降三成了吗？ ; 星河智能企业版价格下降30%。 ; supports
星河智能企业版席位减少了50%吗？ ; 星河智能企业版席位减少了一半。 ; supports
星河智能企业版席位减少了50%吗？ ; 星河智能企业版席位减少了三分之一。 ; denies
星河智能融资2300万元了吗？ ; 星河智能融资两千三百万元。 ; supports
星河智能融资2300万元了吗？ ; 星河智能融资三千二百万元。 ; denies
星河智能融资2300万元了吗？ ; 星河智能融资数千万元。 ; unclear
星河智能企业版用户超过500万户了吗？ ; 星河智能企业版用户达到520万户。 ; supports
星河智能企业版用户超过500万户了吗？ ; 星河智能企业版用户达到480万户。 ; denies
星河智能企业版用户达到500万户了吗？ ; 星河智能企业版用户约500万户。 ; unclear
星河智能企业版用户达到520万户了吗？ ; 星河智能企业版用户超过500万户。 ; unclear
星河智能企业版用户达到520万户了吗？ ; 星河智能企业版用户约500万户。 ; unclear
星河智能企业版用户达到520万户了吗？ ; 星河智能企业版用户500多万户。 ; unclear
星河智能企业版用户达到900万户了吗？ ; 星河智能企业版用户近500万户。 ; denies
星河智能企业版用户不足500万户吗？ ; 星河智能企业版用户480万户。 ; supports
星河智能企业版价格下降10%到15%了吗？ ; 星河智能企业版价格下降12%。 ; supports
星河智能企业版价格下降15%了吗？ ; 星河智能企业版价格下降10%—15%。 ; unclear
星河智能企业版价格下降20%了吗？ ; 星河智能企业版价格下降10到15个百分点。 ; unclear
星河智能企业版价格下降20%了吗？ ; 星河智能企业版价格下降10到15%。 ; denies
星河智能利率下调25个基点了吗？ ; 星河智能利率下调0.25个百分点。 ; supports
星河智能利率下调25个基点了吗？ ; 星河智能利率下调0.5个百分点。 ; denies
Did Galaxy AI attract 15k users for its lab? ; Galaxy AI attracted 15,000 users for its lab. ; supports
Did Galaxy AI attract 15k users for its lab? ; Galaxy AI attracted 1.5M users for its lab. ; denies
Did Galaxy AI attract 15k GPUs for its lab? ; Galaxy AI attracted 15,000 GPUs for its lab. ; supports
Did Galaxy AI attract 15k GPUs for its lab? ; Galaxy AI attracted 1,500 GPUs for its lab. ; unclear
Did Galaxy AI attract at least two million users? ; Galaxy AI attracted 2.3M users. ; supports
Did Galaxy AI attract at least two million users? ; Galaxy AI attracted fewer than 1.5 million users. ; denies
Did Galaxy AI raise $3m for its lab? ; Galaxy AI raised three million dollars for its lab. ; supports
Did Galaxy AI raise $3m for its lab? ; Galaxy AI raised $3-5 million for its lab. ; unclear
Did Galaxy AI raise $1.2bn for its lab? ; Galaxy AI raised 1200 million USD for its lab. ; supports
Did Galaxy AI raise 5,000.00 EUR for its lab? ; Galaxy AI raised 5.000 EUR for its lab. ; unclear
Did Galaxy AI raise 5,000.00 EUR for its lab? ; Galaxy AI raised 5.000,00 EUR for its lab. ; supports
Did Galaxy AI cut the enterprise price by one third? ; Galaxy AI cut the enterprise price by 33%. ; supports
Did Galaxy AI cut the enterprise price by a quarter? ; Galaxy AI cut the enterprise price by 25 per cent. ; supports
Did Galaxy AI cut the enterprise price by a quarter? ; Galaxy AI cut the enterprise price by half. ; denies
Is one in three customers of Galaxy AI a school? ; 33.3% of customers of Galaxy AI are a school. ; supports
Do 1 in 5 users of Galaxy AI pay? ; One in five users of Galaxy AI pay. ; supports
Do 1 in 5 users of Galaxy AI pay? ; Three out of ten users of Galaxy AI pay. ; denies
星河智能企业版用户有七分之二续约吗？ ; 星河智能企业版用户中七分之二续约。 ; supports
星河智能企业版用户有七分之二续约吗？ ; 星河智能企业版用户中七分之三续约。 ; denies
星河智能企业版收入翻番了吗？ ; 星河智能企业版收入增长100%。 ; supports
星河智能企业版收入翻番了吗？ ; 星河智能企业版收入翻了一番。 ; supports
星河智能企业版收入翻番了吗？ ; 星河智能企业版收入翻两番。 ; denies
星河智能企业版收入翻番了吗？ ; 星河智能企业版收入下降100%。 ; unclear
星河智能企业版亏损减半了吗？ ; 星河智能企业版亏损下降一半。 ; supports
星河智能企业版亏损下降50%了吗？ ; 星河智能企业版亏损增加50%。 ; denies
星河智能企业版亏损减半了吗？ ; 星河智能企业版亏损增加50%。 ; unclear
Did revenue of Galaxy AI double? ; Revenue of Galaxy AI rose 100 percent. ; supports
Did revenue of Galaxy AI double? ; Revenue of Galaxy AI tripled. ; denies
Did Galaxy AI halve its enterprise price? ; Galaxy AI cut its enterprise price by half. ; supports
星河智能隧道长3200米吗？ ; 星河智能隧道长3.2公里。 ; supports
Did Galaxy AI open a dozen stores in Brazil? ; Galaxy AI opened 12 stores in Brazil. ; supports
Did Galaxy AI open a dozen data centres in Brazil? ; Galaxy AI opened ten data centres in Brazil. ; unclear
Did Galaxy AI open twenty-five data centres in Brazil? ; Galaxy AI opened 25 data centres in Brazil. ; supports
星河智能企业版价格下调31%了吗？ ; Galaxy AI cut the enterprise price by 31 percent. ; supports
星河智能企业版价格下调31%了吗？ ; Galaxy AI cut the enterprise price by 20 percent. ; denies
星河智能任命了新的首席财务官吗？ ; Galaxy AI appointed a new chief financial officer. ; supports
Did Galaxy AI revenue grow 31 percent in the third quarter? ; 星河智能第三季度营收增长31%。 ; supports
星河智能企业版用户超过500万户了吗？ ; 星河智能企业版用户达到500万户。 ; denies
星河智能企业版用户至少500万户吗？ ; 星河智能企业版用户达到500万户。 ; supports
星河智能企业版用户不足500万户吗？ ; 星河智能企业版用户达到500万户。 ; denies
星河智能企业版用户不超过500万户吗？ ; 星河智能企业版用户达到500万户。 ; supports
星河智能企业版用户超过500万户了吗？ ; 星河智能企业版用户超过500万户。 ; supports
星河智能企业版用户超过500万户了吗？ ; 星河智能企业版用户至少500万户。 ; unclear
星河智能企业版席位价168元吗？ ; 星河智能企业版席位价168元起。 ; unclear
星河智能企业版席位价168元吗？ ; 星河智能企业版席位价最高168元。 ; unclear
星河智能企业版席位价168元吗？ ; 星河智能企业版席位价168元或188元。 ; unclear
星河智能企业版席位价168元吗？ ; 星河智能企业版席位价128元起。 ; unclear
Did Galaxy AI attract more than 500 users? ; Galaxy AI attracted 500 users. ; denies
Did Galaxy AI attract at least 500 users? ; Galaxy AI attracted 500 users. ; supports
Did Galaxy AI attract 500 users? ; Galaxy AI attracted up to 500 users. ; unclear
Did Galaxy AI attract 500 users? ; Galaxy AI attracted 300 or 500 users. ; unclear
Does the Galaxy AI lab X2 cost $999? ; The Galaxy AI lab X2 costs $999. ; supports
Does the Galaxy AI lab X2 cost $999? ; The Galaxy AI lab X2 costs $1,099. ; denies
星河智能手机X2售价2999元吗？ ; 星河智能手机X2售价由2999元降至2499元。 ; denies
""".strip().splitlines()


@pytest.mark.parametrize("row", AMOUNTS)
def test_what_a_number_says_decides_whether_it_is_that_of_the_claim(row: str) -> None:
    query, sentence, stance = row.split(" ; ")
    assert stances(query, sentence) == [stance]


#: A question, `;`, what is said of it, `;` the stance: clauses that say different things of different things.
CLAUSES = """
星河智能出口增长4.2%吗？ ; 星河智能出口同比下降4.2%，进口增长1.1%。 ; unclear
星河智能出口下降4.2%吗？ ; 星河智能出口同比下降4.2%，进口增长1.1%。 ; supports
星河智能进口增长了吗？ ; 星河智能出口同比下降4.2%，进口增长1.1%。 ; supports
星河智能企业版免费了吗？ ; 星河智能个人版自10月1日起免费，企业版仍按席位收费。 ; unclear
星河智能价格上涨了吗？ ; 星河智能价格结束下降，转而上涨。 ; unclear
星河智能价格上涨了吗？ ; 星河智能价格在连续下降之后上涨。 ; supports
Did Galaxy AI exports rise? ; Galaxy AI exports fell, imports rose. ; unclear
星河智能要裁员三成吗？ ; 星河智能没有裁员计划，网传裁员三成的消息不属实。 ; denies
星河智能裁员三成了吗？ ; 网传星河智能裁员三成。 ; unclear
星河智能席位价上调到168元了吗？ ; 星河智能席位价由168元上调到188元。 ; denies
星河智能席位价上调到168元了吗？ ; 星河智能席位价由148元上调到168元。 ; supports
星河智能席位价由148元上调到168元了吗？ ; 星河智能席位价由148元上调到168元。 ; supports
Did Galaxy AI raise its price to $20? ; Galaxy AI raised its price from $20 to $25. ; denies
Did Galaxy AI raise its price to $20? ; Galaxy AI raised its price from $15 to $20. ; supports
星河智能员工增长三成了吗？ ; 星河智能员工增长30%。 ; supports
星河智能涨薪三成了吗？ ; 星河智能员工的朋友涨薪30%。 ; unclear
Did Galaxy AI raise prices? ; The rumour that Galaxy AI raised prices is false. ; denies
""".strip().splitlines()


@pytest.mark.parametrize("row", CLAUSES)
def test_a_clause_speaks_of_what_stands_in_it(row: str) -> None:
    query, sentence, stance = row.split(" ; ")
    assert stances(query, sentence) == [stance]


#: A question without blanks between its words, `;`, what is said, `;` the stance: the words may stand apart.
UNPARTED = """
青屿渡轮停运了吗？ ; 青屿至大港的渡轮自10月14日起停运。 ; supports
青屿渡轮停运 ; 青屿的渡轮停运。 ; supports
青屿渡轮停运了吗？ ; 青屿至大港的渡轮没有停运。 ; denies
青屿渡轮停运了吗？ ; 青屿的公交停运。 ; silent
青屿渡轮停运了吗？ ; 渡轮停运。 ; silent
青屿渡轮停运了吗？ ; 青屿的渡轮票价上涨。 ; unclear
红湾码头夜间禁航令取消 ; 自10月15日起，红湾码头的夜间禁航令取消。 ; supports
雾川大桥收费标准上调 ; 雾川大桥的收费标准下调。 ; denies
云岭隧道何时通车？ ; 云岭隧道将于2026年12月1日通车。 ; supports
云岭隧道长度是多少？ ; 云岭隧道长度为3.2公里。 ; supports
云岭隧道长度是多少？ ; 云岭隧道长度没有公布。 ; unclear
""".strip().splitlines()


@pytest.mark.parametrize("row", UNPARTED)
def test_words_that_are_written_without_blanks_may_stand_apart(row: str) -> None:
    query, sentence, stance = row.split(" ; ")
    assert stances(query, sentence) == [stance]


def test_a_name_that_is_known_is_one_word() -> None:
    assert asked("青屿渡轮停运")["runs"] == ["青屿渡轮"]
    assert asked("星河智能停运")["runs"] == []


def test_the_unit_and_the_scale_of_a_number_are_part_of_it() -> None:
    assert stances("星河智能融资3亿美元了吗？", "星河智能融资2亿美元。") == ["denies"]
    assert stances("星河智能融资3亿美元了吗？", "星河智能融资3亿元。") == ["unclear"]


def test_an_entry_of_a_source_about_the_subject_is_a_statement() -> None:
    query = "星河智能的电话是多少？"
    assert stances(query, "电话：555-0199", about="星河智能") == ["supports"]
    assert stances(query, "电话：555-0199", about="通讯录") == ["silent"]
    assert stances(query, "打过电话。", about="星河智能") != ["supports"]
    assert stances("What is Galaxy AI's phone?", "Phone: 555-0199", about="Galaxy AI") == ["supports"]


# --- words that are not what they look like ---------------------------------------------------------------------------

PLAIN = "Galaxy AI published new enterprise pricing on 16 October 2026."
#: What it is ; a sentence in which letters of another alphabet stand for Latin ones.
MIXED = [
    ("a Cyrillic o in a denial", "Galaxy AI did n\u043et publish new enterprise pricing."),
    ("a Cyrillic e in a denial", "Galaxy AI n\u0435ver published new enterprise pricing."),
    ("a Cyrillic i beside the words", "Galaxy AI publ\u0456shed new enterprise pricing on 16 October 2026."),
    ("a Cyrillic a in a doubt", "It is f\u0430lse that Galaxy AI published new enterprise pricing."),
    ("a Cyrillic a in the subject", "G\u0430laxy AI published new enterprise pricing on 16 October 2026."),
    ("a Greek omicron", "Galaxy AI did n\u03bft publish new enterprise pricing."),
    ("a Greek capital", "Galaxy AI \u039dEVER published new enterprise pricing."),
    ("a Greek alpha inside", "It is f\u03b1lse that Galaxy AI published new enterprise pricing."),
    ("an Armenian letter", "Galaxy AI did \u0578ot publish new enterprise pricing."),
    ("a word of such letters alone", "Galaxy AI published new enterprise pricing: a \u04bb\u043e\u0430\u0445."),
    ("a Cyrillic letter beside ideographs", "星河智能n\u043et发布了新的企业版定价。"),
]
#: Letters of other alphabets that deceive nobody.
NOT_MIXED = [
    "Galaxy AI published new enterprise pricing for TNF\u03b1 and NF\u03baB research.",
    "Galaxy AI published new enterprise pricing for 5 \u03bcm and 3 k\u03a9 parts.",
    "Galaxy AI published new enterprise pricing for \u041c\u043e\u0441\u043a\u0432\u0430.",
    "Galaxy AI published new enterprise pricing for \u0391\u03b8\u03ae\u03bd\u03b1.",
    "Galaxy ＡＩ published new enterprise pricing for Café Zürich.",
]


@pytest.mark.parametrize(("why", "sentence"), MIXED)
def test_a_sentence_with_look_alike_letters_decides_nothing(why: str, sentence: str) -> None:
    assert stances(question_of(sentence), sentence)[0] in ("unclear", "silent"), why


@pytest.mark.parametrize(("why", "sentence"), MIXED)
def test_look_alike_letters_beside_a_statement_take_its_support_away(why: str, sentence: str) -> None:
    for text in (f"{PLAIN} {sentence}", f"{sentence} {PLAIN}"):
        assert stances(EN, text)[0] in ("unclear", "silent"), why
    assert stances(EN, PLAIN, beside={"s-0": sentence}) == ["unclear"], why
    assert stances(EN, PLAIN, about=f"Galaxy AI {sentence}") == ["unclear"], why


@pytest.mark.parametrize("sentence", NOT_MIXED)
def test_letters_of_other_alphabets_that_deceive_nobody_take_nothing_away(sentence: str) -> None:
    assert stances(EN, sentence) == ["supports"]


def found_page(text: str) -> Answers:
    return {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [HIT], "error": None}]}}],
        "web.web_fetch": [{"give": {**PAGE, "text": text}}],
        "reader.judge": [{"give": {"findings": []}}],
    }


def test_words_with_look_alike_letters_are_named_once() -> None:
    two = [PRICE_CLAIM, {**PRICE_CLAIM, "id": "b", "predicate": "企业版席位价调整为158元"}]
    told = ask("星河智能", found_page("星河智能n\u043et调整企业版席位价为168元。"), claims=two, source_mode="web_only")
    assert [one["zh"].count("n\u043et") for one in told.outputs["selection"]] == [1]
    assert "n\u043et" in told.outputs["selection"][0]["en"]


# --- what somebody heard ---

#: Somebody whom nobody can ask, and somebody who only believes to remember: what they tell supports nothing.
HEARD = [
    "Someone told me that {}",
    "A guy on the forum says {}",
    "According to a user on a message board, {}",
    "Somebody on Reddit posted that {}",
    "Everybody says {}",
    "Many people say that {}",
    "My brother-in-law mentioned that {}",
    "A dealer let slip that {}",
    "The grapevine has it that {}",
    "From what I gather, {}",
    "AFAIK {}",
    "I'm pretty sure {}",
    "I remember that {}",
    "听说{}",
    "据说{}",
    "有人告诉我，{}",
    "有人跟我说{}",
    "群里有人说{}",
    "店员告诉我{}",
    "看到论坛上说{}",
    "邻居讲{}",
    "老张说{}",
    "小李告诉大家{}",
    "据网友透露，{}",
    "我记得{}",
    "道听途说，{}",
    "网上流传{}",
]
#: Who says it is the subject or an office, and those whom it is told are nobody's source.
SAID = [
    "In a filing, the company said {}",
    "The company told users that {}",
    "The office reported that {}",
    "公司告诉客户，{}",
    "公司发言人表示，{}",
    "据公司公告，{}",
    "公司在说明会上宣布，{}",
]


@pytest.mark.parametrize("told", HEARD)
def test_what_somebody_heard_supports_nothing(told: str) -> None:
    query, sentence = (EN, SUPPORTS[0]) if told.isascii() else (ZH, SUPPORTS[4])
    assert stances(query, told.format(sentence)) == ["unclear"]


@pytest.mark.parametrize("told", SAID)
def test_what_the_subject_says_is_no_hearsay(told: str) -> None:
    query, sentence = (EN, SUPPORTS[0]) if told.isascii() else (ZH, SUPPORTS[4])
    assert stances(query, told.format(sentence)) == ["supports"]


# --- what others say --------------------------------------------------------------------------------------------------

#: A passage, and the one behind it: in all of them the second sentence is somebody else's.
QUOTED = [
    ("“Prices matter. {}” said Tom Reed.", ""),
    ("“Prices matter. {}”", "said Tom Reed, who writes about prices."),
    ("“Prices matter. {}”", "Tom Reed writes about prices."),
    ("“Prices matter. {}", "said Tom Reed."),
    ("Tom Reed wrote: “Prices matter. {}”", ""),
    ('"Prices matter. {}" said Tom Reed.', ""),
    ('"Prices matter," said Tom Reed. "They rose. {}"', ""),
    ("「Prices matter. {}」", ""),
    ("«Prices matter. {}»", ""),
    ("«{}»", ""),
    ("Prices matter. {}", "— Tom Reed, blogger"),
    ("Prices matter. {}", "said Tom Reed, a blogger."),
    ("Prices matter. {}", "according to Tom Reed, a blogger."),
]
#: The statement is the page's own, whatever is quoted before, inside or behind it.
OWN = [
    ("“Prices matter,” said Tom Reed. {}", ""),
    ('"Prices matter," said Tom Reed. {}', ""),
    ("The “enterprise” plan is new. {}", ""),
    ("Prices matter. {}", "Customers welcomed it."),
    ("Prices matter. {}", "“They matter to us,” said Tom Reed."),
    ("Prices matter. {}", "— " + "The company also named the cities in which it works. " * 4),
]


@pytest.mark.parametrize(("passage", "behind"), QUOTED)
@pytest.mark.parametrize(("query", "sentence"), [(EN, PLAIN), (ZH, "星河智能发布了新的企业版定价。")])
def test_what_is_quoted_is_not_what_the_source_says(query: str, sentence: str, passage: str, behind: str) -> None:
    given = {"behind": {"s-0": behind}, "beside": {"s-0": behind}} if behind else {}
    assert stances(query, passage.format(sentence), **given) == ["unclear"]


@pytest.mark.parametrize(("passage", "behind"), OWN)
@pytest.mark.parametrize(("query", "sentence"), [(EN, PLAIN), (ZH, "星河智能发布了新的企业版定价。")])
def test_a_quotation_nearby_takes_nothing_away(query: str, sentence: str, passage: str, behind: str) -> None:
    given = {"behind": {"s-0": behind}, "beside": {"s-0": behind}} if behind else {}
    assert stances(query, passage.format(sentence), **given) == ["supports"]


def test_a_reader_gets_the_passage_behind_each_passage() -> None:
    text = "星河智能企业版席位价调整为168元。\n— Tom Reed\n星河智能企业版席位价是旧的。"
    told = ask("星河智能", found_page(text), claims=[PRICE_CLAIM], source_mode="web_only")
    given = next(call for call in told.calls if call.tool == "reader.judge").arguments
    behind = {unit["text"]: given["behind"][unit["evidence_id"]] for unit in given["units"]}
    assert behind["星河智能企业版席位价调整为168元。"] == "— Tom Reed"
    assert behind["星河智能企业版席位价是旧的。"] == ""

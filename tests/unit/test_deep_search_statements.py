"""What sentences say of claims, kind by kind: who does what to whom, what leads to it, how much, in which form, when.

A wrong support is the worst that the reader can do, so each kind has sentences that support and some that only look so.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.deep_search_kit import HIT, PAGE, Answers, ask, reader, stances

OPEN = ("unclear", "silent")
#: A question, `;`, what is said, `;` the stance; `open` where it may neither support nor deny, `not` where it may deny.
SHARES = """
Did 3/4 of Harrow Cloud staff sign the letter? ; Three quarters of Harrow Cloud staff signed the letter. ; supports
Did 3/4 of Harrow Cloud staff sign the letter? ; 75% of Harrow Cloud staff signed the letter. ; supports
Did 3/4 of Harrow Cloud staff sign the letter? ; Two thirds of Harrow Cloud staff signed the letter. ; denies
Did three-quarters of Harrow Cloud staff sign the letter? ; 3/4 of Harrow Cloud staff signed the letter. ; supports
Did three fourths of Harrow Cloud staff sign the letter? ; 75% of Harrow Cloud staff signed the letter. ; supports
Did ¾ of Harrow Cloud staff sign the letter? ; 75 percent of Harrow Cloud staff signed the letter. ; supports
Did five eighths of Harrow Cloud customers renew? ; 62.5% of Harrow Cloud customers renewed. ; supports
Did half of Harrow Cloud customers renew? ; 1/2 of Harrow Cloud customers renewed. ; supports
Did Harrow Cloud open on 3/4? ; 75% of Harrow Cloud opened. ; open
白鹭公司员工中四分之三签字了吗？ ; 白鹭公司员工中3/4签字。 ; supports
白鹭公司员工中3/4签字了吗？ ; 白鹭公司员工中三分之一签字。 ; denies
""".strip().splitlines()
MULTIPLES = """
白鹭储能收入增长两倍了吗？ ; 白鹭储能收入增长到原来的三倍。 ; supports
白鹭储能收入增长两倍了吗？ ; 白鹭储能收入增长，为上年的三倍。 ; supports
白鹭储能收入增长两倍了吗？ ; 白鹭储能收入增长200%。 ; supports
白鹭储能收入增长两倍了吗？ ; 白鹭储能收入增长到原来的两倍。 ; not
白鹭储能收入增长1.5倍了吗？ ; 白鹭储能收入增长到2.5倍。 ; supports
白鹭储能收入增长到原来的三倍了吗？ ; 白鹭储能收入增长了两倍。 ; supports
白鹭储能收入增长到原来的三倍了吗？ ; 白鹭储能收入增长了三倍。 ; not
白鹭储能收入翻番了吗？ ; 白鹭储能收入增长1倍。 ; supports
白鹭储能收入翻两番了吗？ ; 白鹭储能收入增长到原来的四倍。 ; supports
Did Harrow Cloud revenue triple? ; Harrow Cloud revenue rose threefold. ; supports
Did Harrow Cloud revenue triple? ; Harrow Cloud revenue increased three times. ; open
Did Harrow Cloud revenue triple? ; Harrow Cloud revenue grew to three times its level of a year ago. ; supports
Did Harrow Cloud revenue grow five-fold? ; Harrow Cloud revenue increased 400%. ; supports
Did Harrow Cloud revenue grow 10x? ; Harrow Cloud revenue grew tenfold. ; supports
Did Harrow Cloud revenue grow 10x? ; Harrow Cloud revenue grew fivefold. ; not
""".strip().splitlines()
REACHED = """
Did Larkwood's profit fall to $30 million? ; Larkwood's profit fell by $30 million. ; open
Did Larkwood's profit fall to $30 million? ; Larkwood's profit fell from $50 million to $30 million. ; supports
Did Larkwood raise prices by 5%? ; Larkwood raised wages by 5%, and prices by 3%. ; open
Did Larkwood raise prices by 5%? ; Larkwood raised wages by 3%, and raised prices by 5%. ; supports
微光科技价格下调到99元了吗？ ; 微光科技价格下调了99元。 ; open
微光科技价格下调了99元吗？ ; 微光科技价格下调到99元。 ; open
微光科技价格下调了99元吗？ ; 微光科技价格下调99元。 ; supports
微光科技毛利率提高4个百分点了吗？ ; 微光科技毛利率提高4个百分点至42%。 ; supports
微光科技销量同比下降20%了吗？ ; 微光科技销量同比下降20%。 ; supports
微光科技销量同比下降20%了吗？ ; 微光科技销量环比下降20%。 ; open
微光科技国内销量下降20%了吗？ ; 微光科技海外销量下降20%。 ; open
Did Larkwood profit before tax reach $5 million? ; Larkwood profit after tax reached $5 million. ; open
微光科技净利润为2.1亿元吗？ ; 微光科技净利润3.2亿元，去年同期为2.1亿元。 ; not
微光科技营收为4亿元吗？ ; 微光科技第三季度营收5亿元，第二季度为4亿元。 ; not
Did Larkwood revenue reach $4 million? ; Larkwood revenue reached $5 million, up from $4 million a year earlier. ; not
Did Larkwood revenue reach $4 million? ; Larkwood revenue reached $5 million, compared with $4 million last year. ; not
""".strip().splitlines()
#: Tried, agreed, allowed, failed: what leads to it is no statement that it was done.
LEADING_TO = [
    "Larkwood tried to acquire Brightwater.",
    "Larkwood attempted to acquire Brightwater in 2024.",
    "Larkwood agreed to acquire Brightwater.",
    "Larkwood threatened to acquire Brightwater.",
    "Larkwood is ready to acquire Brightwater.",
    "Larkwood is under pressure to acquire Brightwater.",
    "Larkwood has the option to acquire Brightwater.",
    "The bank advised Larkwood to acquire Brightwater.",
    "Larkwood is close to acquiring Brightwater.",
    "Larkwood is on the verge of acquiring Brightwater.",
    "Larkwood is in the process of acquiring Brightwater.",
    "A court barred Larkwood from acquiring Brightwater.",
    "Larkwood's bid to acquire Brightwater collapsed.",
    "Larkwood's acquisition of Brightwater fell through.",
    "Larkwood's acquisition of Brightwater was blocked by the regulator.",
    "Larkwood's acquisition of Brightwater is under review.",
    "Larkwood's acquisition of Brightwater is subject to approval.",
    "Larkwood dropped its bid to acquire Brightwater.",
    "Larkwood walked away from acquiring Brightwater.",
    "Once Larkwood acquires Brightwater, it leads the market.",
    "Larkwood dismissed reports that it acquired Brightwater.",
    "Analysts fear Larkwood acquired Brightwater.",
    "微光科技试图收购蓝鲸网络。",
    "微光科技或收购蓝鲸网络。",
    "微光科技正研究收购蓝鲸网络。",
    "微光科技承诺收购蓝鲸网络。",
    "有消息称微光科技收购了蓝鲸网络。",
    "微光科技正与蓝鲸网络就收购事宜接触。",
    "微光科技收购蓝鲸网络一案仍在审查中。",
    "微光科技距收购蓝鲸网络仅一步之遥。",
    "微光科技收购蓝鲸网络告吹。",
    "微光科技收购蓝鲸网络未果。",
    "分析师认为微光科技收购了蓝鲸网络。",
    "微博上有帖子说微光科技收购了蓝鲸网络。",
]
DONE = [
    "Larkwood acquired Brightwater.",
    "Larkwood has acquired Brightwater, its chief executive said.",
    "Brightwater was acquired by Larkwood.",
    "The acquisition of Brightwater by Larkwood closed in May 2026.",
    "Larkwood acquired Brightwater and is ready to open a plant.",
    "微光科技收购了蓝鲸网络。",
    "微光科技完成对蓝鲸网络的收购。",
    "蓝鲸网络获微光科技收购。",
]
#: A question, `;`, what is said, `;` the stance.
ROLES = """
Did Larkwood acquire Brightwater? ; Brightwater acquired Larkwood. ; open
Did Larkwood sue Brightwater? ; Larkwood sued Brightwater. ; supports
Did Larkwood sue Brightwater? ; Brightwater was sued by Larkwood. ; supports
Did Larkwood sue Brightwater? ; Brightwater sued Larkwood. ; open
Did Larkwood sue Brightwater? ; Larkwood was sued by Brightwater. ; open
Was Larkwood sued by Brightwater? ; Brightwater sued Larkwood. ; supports
Was Larkwood sued by Brightwater? ; Larkwood sued Brightwater. ; open
Did Larkwood merge with Brightwater? ; Brightwater merged with Larkwood. ; supports
长汀通讯起诉华夏电子了吗？ ; 长汀通讯起诉华夏电子。 ; supports
长汀通讯起诉华夏电子了吗？ ; 华夏电子被长汀通讯起诉。 ; supports
长汀通讯起诉华夏电子了吗？ ; 华夏电子起诉长汀通讯。 ; open
长汀通讯起诉华夏电子了吗？ ; 长汀通讯遭华夏电子起诉。 ; open
长汀通讯击败了华夏电子吗？ ; 华夏电子击败了长汀通讯。 ; open
""".strip().splitlines()
FORMS = """
Did Larkwood cancel the launch? ; Larkwood cancelled the launch. ; supports
Did Larkwood cancel the launch? ; Larkwood did not cancel the launch. ; denies
Did Larkwood stop sales of its heaters? ; Larkwood stopped sales of its heaters. ; supports
Did Larkwood ban remote work? ; Larkwood banned remote work. ; supports
Did Larkwood withdraw its forecast? ; Larkwood withdrew its forecast. ; supports
Did the union reject the offer of Larkwood? ; The union rejected the offer of Larkwood. ; supports
Did Larkwood sell its Leeds plant? ; Larkwood sold its Leeds plant. ; supports
Did Larkwood build a plant in Leeds? ; Larkwood built a plant in Leeds. ; supports
Did Larkwood choose Leeds for its plant? ; Larkwood chose Leeds for its plant. ; supports
Did Larkwood supply the Leeds plant? ; Larkwood supplied the Leeds plant. ; supports
Did Larkwood pay $4.5bn for Brightwater? ; Larkwood paid 4.5 billion dollars for Brightwater. ; supports
Did Larkwood pay $4.5bn for Brightwater? ; Larkwood paid $5.4bn for Brightwater. ; denies
Did Larkwood pay a dividend? ; Larkwood paid no dividend. ; denies
Did the court overturn the verdict against Larkwood? ; The court overturned the verdict against Larkwood. ; supports
Did the court overturn the verdict against Larkwood? ; The court upheld the verdict against Larkwood. ; open
Did the court allow the plant of Larkwood? ; The court allowed the plant of Larkwood, but was overturned. ; open
微光科技发布会推迟了吗？ ; 微光科技发布会推迟到11月20日，因为场地没有验收。 ; supports
微光科技发布会什么时候举行？ ; 微光科技发布会推迟到11月20日举行。 ; supports
Did Larkwood close the Leeds plant? ; Larkwood closed the Leeds plant, because it had no orders. ; supports
Did Larkwood close the Leeds plant? ; Larkwood did not close the Leeds plant, because it had orders. ; denies
Did Larkwood hire 300 engineers? ; Larkwood fired 300 engineers. ; open
""".strip().splitlines()
#: Names that share a word, and sentences about somebody else in a text about the subject.
OTHERS = """
Did Northern Motors cut 1,200 jobs? ; Northern Motors cut 1,200 jobs. ; supports
Did Northern Motors cut 1,200 jobs? ; Northern Electric cut 1,200 jobs. ; open
Did the Bank of Harrow raise interest rates to 4.5%? ; The Bank of Harrow raised interest rates to 4.5%. ; supports
Did the Bank of Harrow raise interest rates to 4.5%? ; The Bank of Leeds raised interest rates to 4.5%. ; open
临江银行上调了存款利率吗？ ; 临江银行上调了存款利率。 ; supports
临江银行上调了存款利率吗？ ; 临江人民银行上调了存款利率。 ; open
Did Larkwood recall its filters? ; Larkwood opened a shop. It recalled its filters. ; supports
Did Larkwood recall its filters? ; Larkwood opened a shop. Brightwater recalled its filters. ; open
Did Larkwood recall its filters? ; Larkwood opened a shop. In May another company recalled its filters. ; open
微光药业召回了滤芯吗？ ; 微光药业开店。公司召回滤芯。 ; supports
微光药业召回了滤芯吗？ ; 微光药业开店。另一家企业召回滤芯。 ; open
微光药业召回了滤芯吗？ ; 微光药业开店。黑鹰药业召回滤芯。 ; open
Is Larkwood the largest maker of heaters? ; Larkwood is the largest maker of heaters. ; supports
Is Larkwood the largest maker of heaters? ; Larkwood is the second largest maker of heaters. ; open
Is Larkwood the largest maker of heaters? ; Larkwood is one of the largest makers of heaters. ; open
Is Larkwood the largest maker of heaters? ; Larkwood was once the largest maker of heaters. ; open
李雷被任命为临江市市长了吗？ ; 李雷被任命为临江市市长。 ; supports
李雷被任命为临江市市长了吗？ ; 李雷被任命为临江市副市长。 ; open
Is Ann Lee the mayor of Leeds? ; Ann Lee is the deputy mayor of Leeds. ; open
Was Ann Lee arrested? ; Ann Lee's brother was arrested on Monday. ; open
微光科技是全球最大的储能企业吗？ ; 微光科技是全球最大的储能企业之一。 ; open
微光科技是全球最大的储能企业吗？ ; 微光科技曾是全球最大的储能企业。 ; open
Is the Larkwood shop open on Sundays? ; The Larkwood shop is open on Sundays. ; supports
Is the Larkwood shop open on Sundays? ; The Larkwood shop is open Sunday from 10 to 4. ; supports
Is the Larkwood shop open on Sundays? ; The Larkwood shop is open on Mondays. ; open
Is the Larkwood shop open on Sundays? ; The Larkwood shop is open on Sundays only in summer. ; open
微光图书馆周日开放吗？ ; 微光图书馆周日开放。 ; supports
微光图书馆周日开放吗？ ; 微光图书馆周一开放。 ; open
微光图书馆周日开放吗？ ; 微光图书馆除周日外每天开放。 ; open
Did the Bank of Harrow raise its savings rate to 4.5%? ; The Bank of Harrow raised its savings rate to 4.5%. ; supports
Did the Bank of Harrow raise its savings rate to 4.5%? ; The Bank of Harrow raised its mortgage rate to 4.5%. ; open
临江银行把存款利率上调到3.5%了吗？ ; 临江银行把贷款利率上调到3.5%。 ; open
Does the Larkwood helpdesk answer 24/7? ; The Larkwood helpdesk answers 24/7. ; supports
Does the Larkwood helpdesk answer 24/7? ; The Larkwood helpdesk answers 12/5. ; open
微光客服提供24/7服务吗？ ; 微光客服提供24/7服务。 ; supports
微光客服提供24/7服务吗？ ; 微光客服提供12/5服务。 ; open
""".strip().splitlines()


#: Bytes and bits: a byte is no bit, and what is stored counts in thousands or in 1024s.
SIZES = """
Does the Larkwood X2 have 16 GB of memory? ; The Larkwood X2 has 16GB of memory. ; supports
Does the Larkwood X2 have 16 GB of memory? ; The Larkwood X2 has 16 gigabytes of memory. ; supports
Does the Larkwood X2 have 16 GB of memory? ; The Larkwood X2 has 16 Gb of memory. ; open
Does the Larkwood X2 have 16 Gb of memory? ; The Larkwood X2 has 16 GB of memory. ; open
Does the Larkwood X2 have 16 GB of memory? ; The Larkwood X2 has 16 TB of memory. ; denies
Does the Larkwood X2 have 2 TB of storage? ; The Larkwood X2 has 2000 GB of storage. ; supports
Does the Larkwood X2 have 2 TB of storage? ; The Larkwood X2 has 2048 GB of storage. ; supports
Does the Larkwood X2 have 2 TB of storage? ; The Larkwood X2 has 1024 GB of storage. ; denies
Does the Larkwood X2 have 1024 GB of storage? ; The Larkwood X2 has 1 TB of storage. ; not
Does the Larkwood line reach 1 Gbps? ; The Larkwood line reaches 1,000 Mbit/s. ; supports
Does the Larkwood line reach 1 Gbps? ; The Larkwood line reaches 1 GB/s. ; denies
Does the Larkwood line reach 1 Gbps? ; The Larkwood line reaches 500 Mbps. ; denies
微光手机存储为1TB吗？ ; 微光手机存储为1024GB。 ; supports
微光手机存储为1TB吗？ ; 微光手机存储为512GB。 ; denies
微光手机内存为16GB吗？ ; 微光手机内存为16Gb。 ; open
微光宽带速率为8Gbps吗？ ; 微光宽带速率为1GB/s。 ; supports
""".strip().splitlines()
#: Tried out, or said for later; withdrawn where that is asked; who does it where the deed stands for the subject.
LATER = """
Did Larkwood release version 4.2 of Torrent DB? ; Larkwood released a beta of Torrent DB version 4.2. ; open
Did Larkwood release a beta of Torrent DB version 4.2? ; Larkwood released a beta of Torrent DB version 4.2. ; supports
微光科技在日本上线了吗？ ; 微光科技在韩国上线，日本稍后推出。 ; open
微光科技发布新版了吗？ ; 微光科技发布新版的预览版。 ; open
微光食品撤回上市申请了吗？ ; 微光食品已撤回上市申请。 ; supports
微光食品撤回上市申请了吗？ ; 微光食品并未撤回上市申请。 ; denies
Did Larkwood withdraw its offer for Brightwater? ; Larkwood has withdrawn its offer for Brightwater. ; supports
灵犀收购启明了吗？ ; 灵犀收购启明。 ; supports
灵犀收购启明了吗？ ; 启明收购灵犀。 ; open
灵犀收购启明了吗？ ; 灵犀被启明收购。 ; open
微光科技裁员200人了吗？ ; 微光科技裁员200人，Larkwood agreed to open a shop. ; supports
""".strip().splitlines()


#: Two sides compared: which stands where, and by which word of degree.
COMPARED = """
Is the Larkwood X2 faster than the Brightwater M4? ; The Larkwood X2 is faster than the Brightwater M4. ; supports
Is the Larkwood X2 faster than the Brightwater M4? ; The Larkwood X2 is 20% faster than the Brightwater M4. ; supports
Is the Larkwood X2 faster than the Brightwater M4? ; The Brightwater M4 is faster than the Larkwood X2. ; open
Is the Larkwood X2 faster than the Brightwater M4? ; The Brightwater M4 is not faster than the Larkwood X2. ; open
Is the Larkwood X2 faster than the Brightwater M4? ; The Larkwood X2 is not faster than the Brightwater M4. ; denies
Is the Larkwood X2 faster than the Brightwater M4? ; Next to the Larkwood X2, the Brightwater M4 is faster. ; not
Is the Larkwood X2 faster than the Brightwater M4? ; Unlike Brightwater, the Larkwood X2 is faster than ever. ; open
Does Larkwood sell more heaters than Brightwater? ; Larkwood sells more heaters than Brightwater. ; supports
Does Larkwood sell more heaters than Brightwater? ; Brightwater sells more heaters than Larkwood. ; open
Does Larkwood sell more heaters than Brightwater? ; Larkwood sells fewer heaters than Brightwater. ; open
Is Larkwood larger than Brightwater? ; In May Larkwood was 20% larger than Brightwater. ; supports
Is Larkwood larger than Brightwater? ; Compared with Larkwood, Brightwater is larger. ; not
Is Larkwood larger than Brightwater? ; Unlike Brightwater, Larkwood is larger than before. ; open
Is Larkwood larger than Brightwater by revenue? ; Larkwood is larger than Brightwater by revenue. ; supports
Is Larkwood larger than Brightwater by revenue? ; Brightwater is larger than Larkwood by revenue. ; open
Was Larkwood revenue higher in 2025 than in 2024? ; Larkwood revenue was higher in 2025 than in 2024. ; supports
Was Larkwood revenue higher in 2025 than in 2024? ; Larkwood revenue was higher in 2024 than in 2025. ; open
Did Larkwood hire more than 500 engineers? ; Larkwood hired more than 500 engineers. ; supports
Did Larkwood revenue grow faster than last year? ; Larkwood revenue grew faster than last year. ; supports
Did Larkwood outsell Brightwater? ; Larkwood outsold Brightwater. ; supports
Did Larkwood outsell Brightwater? ; Brightwater outsold Larkwood. ; open
微光X5比蓝鲸M4快吗？ ; 微光X5比蓝鲸M4快。 ; supports
微光X5比蓝鲸M4快吗？ ; 实测显示，微光X5比蓝鲸M4快20%。 ; supports
微光X5比蓝鲸M4快吗？ ; 蓝鲸M4比微光X5快。 ; open
微光X5比蓝鲸M4快吗？ ; 微光X5比蓝鲸M4慢。 ; not
微光X5比蓝鲸M4快吗？ ; 与微光X5相比，蓝鲸M4更快。 ; not
微光银行的利率高于蓝鲸银行吗？ ; 微光银行的利率高于蓝鲸银行。 ; supports
微光银行的利率高于蓝鲸银行吗？ ; 蓝鲸银行的利率高于微光银行。 ; open
微光银行的利率高于蓝鲸银行吗？ ; 微光银行的利率低于蓝鲸银行。 ; not
微光的性能优于蓝鲸吗？ ; 微光的性能优于蓝鲸。 ; supports
微光的性能优于蓝鲸吗？ ; 蓝鲸的性能优于微光。 ; open
微光销量超过蓝鲸了吗？ ; 微光销量超过蓝鲸。 ; supports
微光销量超过蓝鲸了吗？ ; 微光销量被蓝鲸超过。 ; not
微光储能收入比上年增长5%了吗？ ; 微光储能收入比上年增长5%。 ; supports
微光储能用户超过500万了吗？ ; 微光储能用户超过500万。 ; supports
比亚迪在临江开工厂了吗？ ; 比亚迪在临江开工厂。 ; supports
灵犀收购微光网络了吗？ ; 灵犀收购微光网络。 ; supports
灵犀收购微光网络了吗？ ; 微光网络收购灵犀。 ; open
""".strip().splitlines()


@pytest.mark.parametrize("row", [*SHARES, *MULTIPLES, *REACHED, *ROLES, *FORMS, *OTHERS, *SIZES, *LATER, *COMPARED])
def test_what_a_sentence_says_of_a_claim(row: str) -> None:
    query, sentence, wanted = row.split(" ; ")
    may_be = {"open": OPEN, "not": (*OPEN, "denies")}.get(wanted, (wanted,))
    assert stances(query, sentence)[0] in may_be


def acquisition(sentence: str) -> str:
    return "Did Larkwood acquire Brightwater?" if sentence.isascii() else "微光科技收购了蓝鲸网络吗？"


@pytest.mark.parametrize("sentence", LEADING_TO)
def test_what_leads_to_it_does_not_support_that_it_was_done(sentence: str) -> None:
    assert stances(acquisition(sentence), sentence)[0] in (*OPEN, "denies")


@pytest.mark.parametrize("sentence", DONE)
def test_that_it_was_done_supports_it(sentence: str) -> None:
    assert stances(acquisition(sentence), sentence) == ["supports"]


@pytest.mark.parametrize("heading", ["Claim", "Verdict", "Myth", "传言", "核查结论"])
def test_a_claim_that_is_only_shown_to_be_judged_supports_nothing(heading: str) -> None:
    assert stances("Did Larkwood acquire Brightwater?", DONE[0], beside={"s-0": f"Other text.\n{heading}"}) == [
        "unclear"
    ]


# --- days: through the workflow, which reads the times of passages ----------------------------------------------------

LAW = "《数据安全条例》"
ACT = "Does the Data Act take effect on 1 March 2026?"
PLANT = "Did Larkwood open its plant in May 2026?"
FOUNDED = "微光科技成立于2015年吗？"
SUPPORTED, OPPOSED, NOTHING = "supported", "conflicting", "insufficient_evidence"
#: A question, what a page of an authority says, when it was published, the verdict.
DAYS = [
    (f"{LAW}自2026年3月1日起施行吗？", f"{LAW}将于2026年3月1日起施行。", "2026-02-01", SUPPORTED),
    (f"{LAW}自2026年3月1日起施行吗？", f"{LAW}于2026年3月1日公布，自2026年7月1日起施行。", "2026-03-01", OPPOSED),
    (f"{LAW}自2026年3月1日起施行吗？", f"{LAW}自二〇二六年三月一日起施行。", "2026-02-01", SUPPORTED),
    (f"{LAW}自2026年3月11日起施行吗？", f"{LAW}自二零二六年三月十一日起施行。", "2026-02-01", SUPPORTED),
    (f"{LAW}自二○二六年三月二十一日起施行吗？", f"{LAW}自2026年3月21日起施行。", "2026-02-01", SUPPORTED),
    (f"{LAW}自2026年3月1日起施行吗？", f"{LAW}自二〇二六年三月十一日起施行。", "2026-02-01", OPPOSED),
    (f"{LAW}自二〇二六年三月一日起施行吗？", f"{LAW}自2026年7月1日起施行。", "2026-02-01", OPPOSED),
    (ACT, "The Data Act will take effect on 1 March 2026.", "2026-02-01", SUPPORTED),
    (ACT, "The Data Act takes effect on 1 May 2026.", "2026-02-01", OPPOSED),
    (ACT, "The Data Act passed on 1 March 2026 and takes effect on 1 May 2026.", "2026-02-01", OPPOSED),
    (ACT, "The Data Governance Act takes effect on 1 March 2026.", "2026-02-01", NOTHING),
    (PLANT, "Larkwood opened its plant on 12 May 2026.", "2026-06-01", SUPPORTED),
    (PLANT, "Larkwood opened its plant in June 2026.", "2026-07-01", NOTHING),
    (FOUNDED, "微光科技成立于2015年。", "2026-02-01", SUPPORTED),
    (FOUNDED, "微光科技成立于2016年。", "2026-02-01", NOTHING),
    (FOUNDED, "微光科技成立于二〇一五年。", "2026-02-01", SUPPORTED),
    (FOUNDED, "微光科技成立于二〇一六年。", "2026-02-01", NOTHING),
    ("Is it true that Larkwood closed the plant?", "Larkwood closed the plant.", "2026-06-01", SUPPORTED),
]


@pytest.mark.parametrize(("query", "text", "published", "wanted"), DAYS)
def test_a_day_is_that_of_what_happens_on_it(query: str, text: str, published: str, wanted: str) -> None:
    url = "https://price.gov.example/a"
    page = {**PAGE, "url": url, "final_url": url, "title": "Notice", "text": text, "published": published}
    answers: Answers = {
        "web.batch_web_search": [{"give": {"answers": [{"query": "q", "hits": [{**HIT, "url": url}], "error": None}]}}],
        "web.web_fetch": [{"give": page}],
        "reader.judge": [{"give": {"findings": []}}],
    }
    assert verdict_of(query, answers) == wanted


def verdict_of(query: str, answers: Answers) -> Any:
    """Return the verdict on a question where the passages are judged by the reader that compares words."""
    told = ask(query, answers, source_mode="web_only")
    judged = [dict(call.arguments) for call in told.calls if call.tool == "reader.judge"]
    said = [{"give": reader().invoke("reader.judge", arguments, "")} for arguments in judged]
    return ask(query, {**answers, "reader.judge": said}, source_mode="web_only").outputs["claims"][0]["verdict"]

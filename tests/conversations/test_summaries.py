"""Summaries without a model keep what later turns need: five long conversations, eight facts each, 500 tokens."""

import random
import re
from collections.abc import Sequence

import pytest

from alice_exp.conversations.rules.context_window import estimate_tokens
from alice_exp.conversations.rules.extractive_summary import summary_by_rule
from alice_exp.conversations.values import Message
from tests.conversations.later_talks import LATER_TALKS, NOISE_EN, NOISE_ZH

FILLER_EN = [
    (
        "can you explain that part again?",
        "Sure. In short, the general idea is to take it step by step, to look at each piece on its own, and to put them together once every piece is understood. That way nothing gets lost along the way.",
    ),
    (
        "hmm ok, and what would you normally do",
        "Usually people begin with the simplest thing that could work and refine it afterwards. It is rarely worth it to optimise early, and most of the time the simple version turns out to be good enough anyway.",
    ),
    (
        "makes sense",
        "Glad to hear it! Whenever you are ready, we can continue with the next part. There is no hurry at all, so take your time.",
    ),
    (
        "is there a downside?",
        "There are a few trade-offs, as with everything. It takes a little longer at first, and it asks for some discipline, but on the whole most people find that the benefits outweigh the costs by far.",
    ),
    (
        "what do other people do here?",
        "It varies a lot. Some prefer one way, some another, and both camps have good arguments. It mostly comes down to taste, habit and what one is used to from earlier projects.",
    ),
    (
        "lol that is a weird name",
        "It is! Nobody quite knows where it came from. There are several stories about it, none of them very convincing, but the name stuck and now everybody uses it without a second thought.",
    ),
    ("ok thanks", "You're welcome! Happy to help."),
    (
        "could you give me an example",
        "Of course. Imagine a shop with many shelves. Each shelf has things of one sort, and a label tells which. When something new arrives, it goes to the shelf whose label fits, and that is really all there is to it.",
    ),
]
FILLER_ZH = [
    (
        "这个能再解释一下吗？",
        "当然。简单来说，就是把整个过程拆成一步一步来看，每一步都先弄清楚，然后再合到一起，这样就不容易遗漏，也更容易发现哪里不对。",
    ),
    (
        "一般大家是怎么做的呢",
        "一般来说大家会先做一个最简单的版本，能跑起来再慢慢改进。太早优化往往得不偿失，而且大多数情况下简单的版本其实就已经够用了。",
    ),
    ("嗯嗯明白了", "太好了！准备好了我们就继续下一部分，不着急，慢慢来就可以。"),
    (
        "有什么缺点吗？",
        "缺点当然也有一些，刚开始会慢一点，也需要一点耐心，不过总体来说好处要比坏处多得多，大部分人用了之后都觉得值得。",
    ),
    (
        "哈哈这名字好奇怪",
        "确实有点奇怪！关于这个名字的来历有好几种说法，哪一种都不太可信，不过叫着叫着大家也就习惯了。",
    ),
    ("好的谢谢", "不客气，很高兴能帮到你。"),
]

TRIP = [
    (
        "U",
        "We're planning two weeks in Portugal in May, me, my husband and our daughter who's six.",
        ["Portugal", "six"],
    ),
    ("U", "My husband is coeliac so every restaurant you suggest has to be gluten free.", ["gluten"]),
    ("A", "Then let's go with Lisbon for five nights, Évora for three and the rest in Tavira.", ["Tavira"]),
    (
        "U",
        "The budget is 4,200 euros all in, flights are booked already (TP1359, 3 May).",
        ["4,200", "TP1359"],
    ),
    (
        "U",
        "no hostels please, and nothing above the second floor without a lift because of my knee",
        ["lift"],
    ),
    ("U", "I still need to find out whether the train to Évora takes bikes.", ["bikes"]),
]
SERVER = [
    ("U", "The service runs on three Debian 12 machines in Frankfurt, behind nginx.", ["Frankfurt"]),
    ("U", "Never restart the database during the day, the billing job needs it from 6 to 20.", ["billing"]),
    (
        "A",
        "The root cause is the connection pool: max_connections is 20 while every worker opens 8.",
        ["max_connections"],
    ),
    ("U", "Right. We decided to move to PgBouncer instead of raising the limit.", ["PgBouncer"]),
    ("U", "Please write all configs as Ansible roles, we don't do manual changes.", ["Ansible"]),
    ("A", "I'll put the migration on ticket OPS-4471, due on Friday.", ["OPS-4471"]),
    ("U", "Karin still has to confirm the maintenance window.", ["Karin"]),
    ("U", "oh and the replica is db-replica-2.internal, port 6432", ["6432"]),
]
THESIS = [
    ("U", "I'm writing my master's thesis on bee navigation at the University of Graz.", ["bee"]),
    ("U", "My supervisor, Dr. Haslinger, wants APA style and British spelling.", ["APA"]),
    ("U", "the submission deadline is 14 September and the limit is 80 pages", ["14 September", "80"]),
    (
        "A",
        "So the plan is: methods first, then results, and the introduction at the very end.",
        ["methods first"],
    ),
    (
        "U",
        "I recorded 312 flights with 24 bees, but hive C was lost to mites so it's excluded.",
        ["312", "hive C"],
    ),
    ("U", "Please don't rewrite my sentences, only mark what is wrong.", ["mark"]),
]
WEDDING = [
    ("U", "我和女朋友打算十月六号在苏州办婚礼，大概请一百二十个人。", ["苏州", "一百二十"]),
    ("U", "预算最多十五万，超了我妈要念叨的。", ["十五万"]),
    ("A", "那就定平江路的那家园林酒店，场地费三万二，含布置。", ["平江路"]),
    ("U", "我未来岳父对海鲜过敏，菜单里千万别有虾。", ["海鲜"]),
    ("U", "请柬用中英双语，她家那边有外国亲戚。", ["双语"]),
    ("U", "摄影师还没定，等小周回复。", ["小周"]),
    ("U", "对了以后给我的清单都按日期排，不要按类别。", ["日期"]),
]
SHOP = [
    ("U", "我在杭州开了一家咖啡店，叫慢半拍，想做个小程序点单。", ["慢半拍"]),
    ("U", "后端用 Go，数据库用 PostgreSQL 15，前端我想用 uni-app。", ["PostgreSQL", "uni-app"]),
    ("A", "确定用微信支付的 JSAPI，商户号是 1602880131。", ["1602880131"]),
    ("U", "注意千万不要存用户手机号，我们没有备案。", ["手机号"]),
    ("U", "会员折扣改成九折了，不再是八五折。", ["九折"]),
    ("A", "查明原因了：库存扣减没有加锁，所以会超卖。", ["加锁"]),
    ("U", "上线时间定在十一月二十号，下一步先做后台。", ["二十号"]),
]
TALKS = {"trip": TRIP, "server": SERVER, "thesis": THESIS, "wedding": WEDDING, "shop": SHOP}


def conversation(name: str) -> tuple[list[Message], list[str]]:
    """A long conversation: what matters among sixty exchanges that do not; and the facts needed later."""
    told: Sequence[tuple[str, str, list[str]]] = TALKS[name]
    rng = random.Random(name)
    filler = FILLER_ZH if name in ("wedding", "shop") else FILLER_EN
    messages: list[Message] = []
    facts: list[str] = []
    for who, text, needed in told:
        for _ in range(8):
            asked, answered = rng.choice(filler)
            messages += [Message("user", asked), Message("assistant", answered)]
        messages.append(Message("user" if who == "U" else "assistant", text))
        facts += needed
    return messages, facts[:8]


def test_facts_that_later_turns_need_survive() -> None:
    kept = wanted = 0
    for name in TALKS:
        messages, facts = conversation(name)
        summary = summary_by_rule(messages, "", 500, estimate_tokens)
        assert estimate_tokens(summary) <= 500
        wanted += len(facts)
        kept += sum(fact in summary for fact in facts)
    assert wanted == 40 and kept >= 36


def test_they_survive_a_second_summary() -> None:
    for name in TALKS:
        messages, facts = conversation(name)
        half = len(messages) // 2
        first = summary_by_rule(messages[:half], "", 500, estimate_tokens)
        second = summary_by_rule(messages[half:], first, 500, estimate_tokens)
        assert estimate_tokens(second) <= 500
        assert sum(fact in second for fact in facts) >= len(facts) - 2, name


@pytest.mark.parametrize("budget", [60, 120, 300])
def test_no_word_is_cut(budget: int) -> None:
    messages, _ = conversation("trip")
    words = {word for message in messages for word in re.findall(r"\w+", message.content)}
    summary = summary_by_rule(messages, "", budget, estimate_tokens)
    lines = [line.partition(": ")[2] for line in summary.splitlines() if ": " in line]
    assert lines and all(word in words for line in lines for word in re.findall(r"\w+", line))


def test_it_speaks_the_speakers_language() -> None:
    assert summary_by_rule(conversation("wedding")[0], "", 500, estimate_tokens).count("用户：") > 3
    assert "User: " in summary_by_rule(conversation("trip")[0], "", 500, estimate_tokens)


def varied(text: str, rng: random.Random) -> str:
    """A text with other numbers."""
    return re.sub(r"\d+", lambda _: str(rng.randint(2, 999)), text)


def test_facts_among_noise_that_varies_survive() -> None:
    """Written after the rule; 34 of 41 when first measured, with noise that differs in its numbers."""
    kept = wanted = 0
    for name, told in LATER_TALKS.items():
        rng = random.Random(name)
        noise = NOISE_ZH if name in ("farm", "class") else NOISE_EN
        messages: list[Message] = []
        for who, text, _ in told:
            for _ in range(8):
                asked, answered = rng.choice(noise)
                messages.append(Message("user", varied(asked, rng)))
                messages.append(Message("assistant", varied(answered, rng)))
            messages.append(Message("user" if who == "U" else "assistant", text))
        summary = summary_by_rule(messages, "", 500, estimate_tokens)
        assert estimate_tokens(summary) <= 500 and "…" not in summary
        facts = [fact for _, _, needed in told for fact in needed]
        kept, wanted = kept + sum(fact in summary for fact in facts), wanted + len(facts)
    assert kept >= 0.9 * wanted, (kept, wanted)

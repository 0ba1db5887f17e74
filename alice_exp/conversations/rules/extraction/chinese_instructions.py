"""Standing instructions and corrections in Chinese (B4.16, B4.18)."""

from __future__ import annotations

import re

from alice_exp.conversations.rules.extraction.chinese_patterns import SENTENCES, SENTENCES_FILE, of_user
from alice_exp.conversations.rules.extraction.inferences import Inference
from alice_exp.conversations.rules.extraction.statements import kinds

_COLON = re.compile("[：:]")


def whole_sentence(text: str, asks: bool) -> list[Inference]:
    """Instructions and corrections, which are matched against the whole sentence."""
    # 以后周报写成三段：做了什么、卡在哪: what stands behind the colon asks nothing.
    head = _COLON.split(text)[0] if SENTENCES.standing.match(text) else text
    if asks or SENTENCES.asks.search(head) or SENTENCES.concession.match(text):
        return []
    named = SENTENCES.call_me.match(text)
    if named:
        return [Inference(f"用户希望被称为{named['v']}", 0.9, "identity", "name", "", named["v"])]
    meant = SENTENCES.meant.match(text)
    if meant and not SENTENCES.deictic.search(meant["v"]):
        return [Inference(f"用户更正：意思是{meant['v']}", 0.6, "fact", "correction", "", meant["v"])]
    swapped = SENTENCES.not_but.match(text)
    if swapped and not (SENTENCES.deictic.search(swapped["v"]) or swapped["o"].startswith(("不", "没"))):
        content = f"用户更正：是{swapped['v']}，不是{swapped['o']}"
        return [Inference(content, 0.6, "fact", "correction", "", swapped["v"])]
    return _instruction(text) or _bounded(text)


def _bounded(text: str) -> list[Inference]:
    """An order for one project (在这个项目里…), one occasion (回答我的时候…) or certain times (每天早上给我…).

    It is told with these words: without them it would hold everywhere.
    """
    if SENTENCES.regular.match(text):
        return [order_of(text.lstrip("你您"))]
    bounds = SENTENCES.in_project.match(text)
    if bounds and clause_order(bounds["v"]):
        return [order_of(text.lstrip("你您"))]
    bounds = SENTENCES.on_occasion.match(text)
    if bounds and (SENTENCES.bidding.match(bounds["v"]) or clause_order(bounds["v"])):
        return [order_of(text.lstrip("你您"))]
    return []


def wishes(clause: str) -> list[Inference]:
    """How the user wants the work to be done, told of the work (分支名必须…), its times (测试库每天…) or as a wish."""
    for row in kinds(SENTENCES_FILE, "wishes"):
        found = row.says.match(clause)
        if found and not (SENTENCES.of_once.search(clause) or SENTENCES.asks.search(clause)):
            told = row.content.format(v=of_user(found["v"]))
            return [Inference(told, row.importance, row.type, row.concept, "", found["v"])]
    return []


def _instruction(text: str) -> list[Inference]:
    forbids = SENTENCES.forbid.match(text)
    if forbids and (
        SENTENCES.deictic.search(SENTENCES.of_address.sub("", forbids["v"]))
        or SENTENCES.chat.match(forbids["v"])
        or (forbids["v"].endswith("了") and not SENTENCES.no_more.match(text))
    ):
        forbids = None
        if not SENTENCES.standing.match(text) and not SENTENCES.no_more.match(text):
            return []
    forbids = forbids or SENTENCES.forbid_again.match(text)
    if SENTENCES.standing_own.match(text):
        return []
    standing = SENTENCES.standing.match(text)
    # A time with nothing after it, or one of the speaker's own habit ("every morning I …"), is not an instruction.
    if standing and (len(text) - standing.end() < 3 or SENTENCES.own_habit.search(text)):
        standing = None
    if standing and SENTENCES.like_this.search(text):
        standing = None
    standing = standing or _about_output(text) or SENTENCES.cited.match(text)
    uniform = SENTENCES.uniform.match(text)
    if uniform and not SENTENCES.pointing.search(text):
        standing = standing or uniform
    please = SENTENCES.please.match(text) or SENTENCES.by_occasion.match(text)
    if not (standing or forbids or please) or (text.startswith("我") and not forbids):
        return []
    return [order_of(SENTENCES.aside.split(text)[0])]


def order_of(text: str) -> Inference:
    """The order in a text, without courtesies and forms of address."""
    order = of_user(SENTENCES.courtesy.sub("", text)).strip("，, ")
    return Inference(f"用户要求：{order}", 0.8, "rule", "instruction", "", order)


def is_passing(one: Inference, text: str) -> bool:
    """Whether what a sentence orders holds for a while alone (今天先别发邮件), or is but thought of (要不以后…)."""
    if one.concept == "name":
        return bool(SENTENCES.passing_name.search(text))
    if one.concept != "instruction":
        return False
    if SENTENCES.wavering.match(text):
        return True
    return bool(SENTENCES.passing.search(text)) and not SENTENCES.for_good.search(text)


def with_clause_before(clause: str, before: str) -> Inference | None:
    """The order in a clause that holds only with the one before it, which says when or of what; None for others."""
    if not before or not SENTENCES.bare_order.match(clause):
        return None
    timed = SENTENCES.tells_when.search(before) and not SENTENCES.tells_when.search(clause)
    if not timed and not SENTENCES.tells_what.match(before):
        return None
    if SENTENCES.asks.search(before) or clause_order(before):
        return None
    return order_of(f"{before}，{SENTENCES.addressed.sub('', clause)}")


def clause_order(clause: str) -> list[Inference]:
    """The order in one clause: 提交信息用英文写, 周报里别写人名, 先给结论再给理由."""
    if (
        clause.startswith("我")
        or len(clause) < 3
        or SENTENCES.concession.match(clause)
        or (clause.endswith("了") and not SENTENCES.no_longer.search(clause))
    ):
        return []
    known = whole_sentence(clause, False)
    if known:
        return known
    found = SENTENCES.asked_not.match(clause)
    if not found and SENTENCES.asks.search(clause):
        return []
    found = found or SENTENCES.manner.match(clause) or SENTENCES.short.match(clause)
    if (
        not found
        or SENTENCES.chat.match(found["v"])
        or SENTENCES.deictic.search(SENTENCES.addressed.sub("", clause))
    ):
        return []
    return [order_of(SENTENCES.addressed.sub("", clause))]


def _about_output(text: str) -> re.Match[str] | None:
    """An instruction for all answers rather than the current one: 回复里别用 emoji, 所有数据都要带上单位."""
    found = SENTENCES.output.match(text)
    if not found or SENTENCES.deictic.search(text):
        return None
    lasting = found["t"] or SENTENCES.lasting.search(found["a"])
    forbidding = found["v"].startswith(("别", "不要", "不许"))
    manner = (
        SENTENCES.replies.match(found["n"])
        and len(found["v"]) > 1
        and not found["v"].startswith(("在", "不能"))
    )
    return found if lasting or forbidding or manner else None

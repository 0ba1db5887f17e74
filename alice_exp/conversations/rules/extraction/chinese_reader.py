"""Extract statements about the speaker from a Chinese sentence (R4.19, R4.24)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.conversations.rules.extraction.chinese_instructions import (
    clause_order,
    is_passing,
    order_of,
    whole_sentence,
    wishes,
    with_clause_before,
)
from alice_exp.conversations.rules.extraction.chinese_patterns import (
    SENTENCES,
    STATEMENTS,
    STATEMENTS_FILE,
    in_full,
    of_user,
    spaced,
)
from alice_exp.conversations.rules.extraction.chinese_topic_first import (
    elsewhere,
    topical,
    with_comma,
)
from alice_exp.conversations.rules.extraction.inferences import Inference
from alice_exp.conversations.rules.extraction.places import is_job, is_place
from alice_exp.conversations.rules.extraction.statements import kinds, settle, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alice_exp.conversations.rules.extraction.inferences import Concept, Slot
    from alice_exp.conversations.rules.extraction.statements import Pattern

_LASTING = ("likes", "dislikes", "habit", "goal", "project", "tools")
"""Concepts that are worth keeping only if they last: values that point at the present moment are refused."""


def read(text: str, asks: bool) -> list[Inference]:
    """The inferences of one sentence (quotations masked, without final punctuation); empty if there are none.

    The caller fills in quote and index.
    """
    text = in_full(SENTENCES.space.sub("", text.strip()))
    if SENTENCES.unreal.search(text) or len(text) < 2:
        return []
    explicit = SENTENCES.explicit.match(text)
    if explicit and not asks and not SENTENCES.asks.search(explicit["v"]):
        return _remembered(explicit["v"].strip())
    if SENTENCES.reported.search(text) or SENTENCES.named.match(text):
        return []
    body = SENTENCES.lead.sub("", text)
    found = whole_sentence(body, asks) or list(elsewhere(body)) or list(_clauses(text, asks))
    return [
        replace(
            one, content=spaced(SENTENCES.of_kin.sub("用户的", one.content)), replaces=spaced(one.replaces)
        )
        for one in found
        if not SENTENCES.objectless.match(one.content) and not is_passing(one, text)
    ]


def _remembered(said: str) -> list[Inference]:
    """An explicit request to remember: the statement it contains, else its words as they are (B4.18)."""
    known = read(said, False)
    if known:
        return [replace(one, explicit=True, importance=max(one.importance, 0.8)) for one in known]
    content = f"用户要求记住：{of_user(said)}"
    return [Inference(spaced(content), 0.8, "fact", "instruction", value=said, explicit=True)]


def _clauses(text: str, asks: bool) -> Iterator[Inference]:
    parts = [part.strip() for part in SENTENCES.comma.split(with_comma(text))]
    if asks and SENTENCES.assent.match(parts[-1]):
        parts, asks = parts[:-1], False
    if asks and SENTENCES.tag_question.match(parts[-1]):
        return
    mine, others, left, gone = True, False, "", ""
    relative: re.Match[str] | None = None
    for place, part in enumerate(parts):
        if asks and place == len(parts) - 1:
            return
        clause = SENTENCES.since.sub("我", SENTENCES.tail.sub("", SENTENCES.lead.sub("", part)))
        relative = _whose(clause, relative)
        if SENTENCES.other.match(clause) or (relative and not _is_mine(clause, False)):
            yield from _of_relative(relative, clause) if relative else ()
            mine, others = False, True
            continue
        others = others and not (SENTENCES.again_mine.match(clause) or SENTENCES.therefore.match(part))
        ordered = [] if others else _ordered(clause, parts[place - 1] if place else "") or wishes(clause)
        if ordered:
            yield from ordered
            continue
        mine = not others and _is_mine(clause, mine and place > 0)
        if SENTENCES.compared.match(clause):
            left = of_user(clause) + "，"
            mine = True
            continue
        if not mine:
            is_silent = others or SENTENCES.at_this_hour.match(clause)
            yield from () if is_silent else list(topical(clause)) or _lasting(clause)
            continue
        for found in _clause(clause):
            if found.importance == 0.0:
                gone = found.value
                continue
            content = found.content
            content += f"，不再使用{gone}" if gone and found.concept == "tools" else ""
            swapped = SENTENCES.not_that.match(parts[place + 1]) if place + 1 < len(parts) else None
            old = found.content.replace(found.value, swapped["o"].strip()) if swapped and found.slot else ""
            yield replace(found, content=left + content, replaces=old)
        left = ""


def _ordered(clause: str, before: str) -> list[Inference]:
    """The order in a clause; one that only points (以后都这么写) is the clause before it.

    What points at a place (都建在那边) is told with the clause before it.
    """
    own = SENTENCES.own_from_now.match(clause)
    if own and before.startswith("我"):
        return [Inference(f"用户{of_user(own['v'])}", 0.7, "habit", "habit", "", own["v"])]
    if SENTENCES.other.match(before) and SENTENCES.their_life.match(clause):
        return []
    known = clause_order(clause)
    whole = with_clause_before(clause, before) if known else None
    if whole:
        return [whole]
    if before and SENTENCES.there.search(clause):
        return [order_of(f"{before}，{one.value}") for one in known]
    return [order_of(before)] if before and SENTENCES.like_this.search(clause) else known


def _is_mine(clause: str, before: bool) -> bool:
    """Whether the clause is about the speaker, by its own subject or by that of the clause before."""
    # 把提醒改成五天一次吧: an order for now.
    if clause.startswith("把") or SENTENCES.at_this_hour.match(clause):
        return False
    if SENTENCES.other.match(clause) and not clause.startswith(("我表示", "我老家", "小时")):
        return False
    if SENTENCES.mine.match(clause) or SENTENCES.time.match(clause):
        return True
    if SENTENCES.we.match(clause):
        return True
    return bool(SENTENCES.carried.match(clause) if before else SENTENCES.own.match(clause))


def _clause(clause: str) -> Iterator[Inference]:
    """The inferences of one clause about the speaker."""
    clause = SENTENCES.tail.sub("", clause)
    if (
        SENTENCES.asks.search(clause)
        or SENTENCES.past.search(clause)
        or SENTENCES.perhaps.search(clause)
        or SENTENCES.concession.match(clause)
    ):
        return
    timed = SENTENCES.time.match(clause)
    time = timed["t"] if timed else ""
    if timed:
        clause = timed["rest"]
    shared = STATEMENTS.shared.match(clause)
    if shared and not SENTENCES.deictic.search(clause):
        yield Inference(f"用户说：{clause}", 0.7, "fact", "family", "", shared["v"])
        return
    ours = STATEMENTS.ours.match(clause)
    if ours:
        who = re.sub("^组", "小组", ours["who"].removeprefix("的")) or "团队"
        yield Inference(f"用户的{who}使用{ours['v']}", 0.7, "fact", "tools", "", ours["v"].strip())
        return
    if SENTENCES.we.match(clause):
        yield from _lasting(clause)
        return
    predicate = SENTENCES.subject.sub("", clause)
    if SENTENCES.trifle.match(predicate):
        yield Inference(f"用户{predicate}", 0.3, "fact", "other", "", predicate)
        return
    found = list(_predicate(predicate, time))
    bare = SENTENCES.lately.sub("", predicate)
    found = found or (list(_predicate(bare, time)) if bare != predicate else [])
    yield from found or _lasting(clause)


def _whose(clause: str, before: re.Match[str] | None) -> re.Match[str] | None:
    """Of whom of the speaker's family a clause speaks: by its own subject, or by that of the clause before."""
    named = SENTENCES.relative.match(clause)
    if named or SENTENCES.other.match(clause) or SENTENCES.again_mine.match(clause):
        return named
    return before


def _of_relative(whose: re.Match[str], clause: str) -> Iterator[Inference]:
    """What a clause tells of a child or the spouse of the speaker: health, what they do not eat, their age."""
    predicate = whose["rest"] if clause == whose.string else clause
    if not whose["near"] or SENTENCES.asks.search(predicate) or SENTENCES.past.search(predicate):
        return
    for found in _predicate(predicate, ""):
        if found.concept == "health" or SENTENCES.of_near.search(found.content):
            told = found.content.replace("用户", f"用户的{whose['kin']}", 1)
            yield replace(found, content=told, type="fact", concept="family", slot="")


def _lasting(clause: str) -> Iterator[Inference]:
    """What the first row of whole clauses that fits says."""
    if clause.startswith("把"):
        return
    for row in kinds(STATEMENTS_FILE, "clauses"):
        found = row.says.match(clause)
        if found and not SENTENCES.deictic.search(found["v"]):
            told = row.content.format(v=found["v"])
            yield settle(
                Inference(told, row.importance, row.type, row.concept, "", found["v"]), STATEMENTS_FILE
            )
            return


def _predicate(predicate: str, time: str) -> Iterator[Inference]:
    predicate = STATEMENTS.duration.sub("", predicate)
    work = STATEMENTS.work.match(predicate)
    if work:
        made = list(_work(work["p"], work["do"], work["j"]))
        if made:
            yield from made
            return
    born = STATEMENTS.born.match(predicate)
    if born and is_place(born["v"]):
        yield Inference(f"用户是{born['v']}人", 0.7, "identity", "place", "", born["v"])
        return
    named = STATEMENTS.surname.match(predicate)
    if named and not is_job(named["v"]):
        yield Inference(f"用户名字是{named['v']}", 0.9, "identity", "name", "name", named["v"])
        return
    job = STATEMENTS.job.match(predicate)
    if (
        job
        and (is_job(job["v"]) or (predicate.startswith("从事") and job["de"]))
        and not SENTENCES.somebody.search(job["v"])
    ):
        verb = "从事" if job["de"] and not SENTENCES.person_ending.search(job["v"]) else "是"
        yield Inference(f"用户{verb}{job['v']}", 0.7, "identity", "occupation", "job", job["v"])
        return
    for pattern in statements(STATEMENTS_FILE):
        found = pattern.says.match(predicate)
        if found:
            one = _filled(pattern, found, time)
            if one:
                yield one
            return
    if SENTENCES.habitual_time.match(time) and len(predicate) > 2:
        if not SENTENCES.deictic.search(predicate):
            yield Inference(f"用户{time}{of_user(predicate)}", 0.7, "habit", "habit", "", predicate)
        return
    if SENTENCES.always.match(predicate) and not SENTENCES.deictic.search(predicate):
        yield Inference(f"用户{of_user(predicate)}", 0.7, "habit", "habit", "", predicate)


def _work(place: str, verb: str, job: str) -> Iterator[Inference]:
    """ "在北京做程序员" yields a place and an occupation, "在医院当护士" only an occupation (R4.19)."""
    if SENTENCES.deictic.search(place + job):
        return
    if verb in ("工作", "上班", "任职", "就职", "实习"):
        done = "实习" if verb == "实习" else "工作"
        slot: Slot = "city" if is_place(place) else ""
        yield Inference(f"用户在{place}{done}", 0.7, "fact", "place" if slot else "occupation", slot, place)
        return
    if not (job and is_job(job)) and verb not in ("教书", "开店"):
        return
    if is_place(place):
        yield Inference(f"用户在{place}工作", 0.7, "fact", "place", "city", place)
        said = f"用户是{job}" if SENTENCES.person_ending.search(job) else f"用户做{job}"
        yield Inference(said, 0.7, "identity", "occupation", "job", job)
    else:
        yield Inference(f"用户在{place}{verb}{job}", 0.7, "identity", "occupation", "job", job or verb)


def _filled(pattern: Pattern, found: re.Match[str], time: str) -> Inference | None:
    groups = {name: of_user((value or "").strip()) for name, value in found.groupdict().items()}
    groups["adv"] = SENTENCES.idle_adverbs.sub("", groups.get("adv", ""))
    value = groups.get("v") or groups.get("h") or groups.get("o") or ""
    if _refused(pattern, groups, value):
        return None
    if pattern.concept == "tools":
        value = value.strip()
    groups["v"] = _food(groups.get("v", ""), pattern.concept)
    content = pattern.content.format(**{"adv": "", **groups})
    if (time and pattern.type == "habit") or SENTENCES.planned_time.match(time):
        content = content.replace("用户", "用户" + time, 1)
    found_one = Inference(
        content, _importance(pattern, groups), pattern.type, pattern.concept, pattern.slot, value
    )
    return settle(found_one, STATEMENTS_FILE)


def _refused(pattern: Pattern, groups: dict[str, str], value: str) -> bool:
    """Whether the value is about the present moment or does not fit the pattern's concept."""
    if pattern.concept in ("likes", "dislikes") and SENTENCES.your_way.match(value):
        return False
    if pattern.concept in _LASTING and SENTENCES.deictic.search(value):
        return True
    if pattern.content.startswith("用户毕业于") and "毕业" not in "".join(groups.values()) + value:
        return not SENTENCES.school.search(value)
    if pattern.concept == "place" and SENTENCES.no_place.search(value):
        return True
    return pattern.concept == "tools" and value.startswith("了")


def _importance(pattern: Pattern, groups: dict[str, str]) -> float:
    """The pattern's importance, raised for strong wording, lowered for weak wording (R4.17)."""
    strength = groups.get("adv", "")
    if pattern.concept == "likes" and SENTENCES.strong.search(strength + groups.get("k", "")):
        return 0.8
    if SENTENCES.weak.search(strength):
        return 0.5
    return pattern.importance


def _food(value: str, concept: Concept) -> str:
    """A taste completed with the word food (吃辣 → 吃辣的食物), so that the sentence is clear on its own (R4.24)."""
    if concept == "likes" and SENTENCES.food.fullmatch(value):
        return value.removesuffix("的") + "的食物"
    return value

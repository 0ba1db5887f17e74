"""Standing instructions, corrections and requests to remember in English (B4.16, B4.18)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.conversations.rules.extraction.english_patterns import SENTENCES, SENTENCES_FILE
from alice_exp.conversations.rules.extraction.inferences import Inference
from alice_exp.conversations.rules.extraction.statements import kinds
from alice_exp.conversations.rules.extraction.third_person import of_user, third_person

if TYPE_CHECKING:
    from collections.abc import Callable


def lasting(body: str) -> re.Match[str] | None:
    """A match if the order reaches beyond the current answer (for everything, whenever, all answers, before you …)."""
    found = next(
        (each for each in (row.says.match(body) for row in kinds(SENTENCES_FILE, "lasting")) if each), None
    )
    passing = SENTENCES.now.search(SENTENCES.when_you.sub("", body)) and not SENTENCES.ever.search(body)
    return None if passing else found


def remembered(
    text: str, found: re.Match[str], read: Callable[[str, bool], list[Inference]]
) -> list[Inference]:
    """An explicit request to remember: the statement it contains, else its words as they are (B4.18)."""
    said = found["v"].strip()
    if SENTENCES.asking.match(said) or SENTENCES.pep_talk.search(said):
        return []
    if SENTENCES.note_to_self.match(text):
        said = SENTENCES.remember_it.sub("", said)
    known = read(said, False) if not found.groupdict().get("to") else []
    if known:
        return [replace(one, explicit=True, importance=max(one.importance, 0.8)) for one in known]
    to = found.groupdict().get("to") or ""
    content = f"The user asked to remember{to if to else ':'} {of_user(said)}"
    return [Inference(content, 0.8, "rule" if to else "fact", "instruction", "", said, explicit=True)]


def corrected(found: re.Match[str]) -> list[Inference]:
    """The correction in a match of ``meant`` or ``not_but``; nothing if it refers to something at hand."""
    groups = found.groupdict()
    value = (
        groups.get("v") or groups.get("w") or groups.get("x") or groups.get("y") or groups.get("z") or ""
    ).strip()
    if SENTENCES.deictic.search(value):
        return []
    if groups.get("o"):
        content = f"The user corrected: {value}, not {groups['o']}"
    else:
        content = f"The user corrected: they meant {of_user(value)}"
    return [Inference(content, 0.6, "fact", "correction", "", value)]


def is_passing(one: Inference, text: str) -> bool:
    """Whether what a sentence orders holds for a while alone: "do not email anyone today", "call me Captain today"."""
    is_order = one.concept in ("instruction", "name")
    return is_order and bool(SENTENCES.passing.search(text)) and not SENTENCES.for_good.search(text)


def instruction(body: str) -> list[Inference]:
    """A standing instruction, or how the user wants to be called; nothing for a one-off request."""
    body = SENTENCES.wish.sub("", body)
    wanted = SENTENCES.wanted.match(body)
    if wanted:
        body = " ".join(filter(None, ((wanted["often"] or "").lower(), wanted["order"])))
    named = SENTENCES.call_me.match(body)
    if named:
        return [
            Inference(f"The user wants to be called {named['v']}", 0.9, "identity", "name", "", named["v"])
        ]
    standing = SENTENCES.rule.match(body) or SENTENCES.on_later.match(body) or lasting(body)
    forbids = SENTENCES.forbid.match(body)
    if forbids and (
        SENTENCES.chat.match(forbids["v"])
        or (
            SENTENCES.now.search(SENTENCES.when_you.sub("", forbids["v"]))
            and not SENTENCES.ever.search(forbids["v"])
        )
    ):
        forbids = None
    if not (standing or forbids) or SENTENCES.pep_talk.search(body):
        return []
    return [_order_of(body)]


def bounded(body: str) -> list[Inference]:
    """An order for one project ("in this repo, …"), one occasion ("when reviewing …, …") or certain times ("every
    evening give me …").

    It is told with these words: without them it would hold everywhere.
    """
    if SENTENCES.regular.match(body):
        return [_order_of(body)]
    if SENTENCES.on_occasion.match(body) and not SENTENCES.once_only.search(body):
        return [_order_of(body)]
    found = SENTENCES.in_project.match(body)
    if found and (instruction(found["v"]) or _is_house_style(found["v"])):
        return [_order_of(body)]
    return []


def wishes(clause: str) -> list[Inference]:
    """How the user wants the work to be done, told of the work ("branch names must …"), its times ("releases only go
    out on …") or what they feel ("it annoys me when your …")."""
    for row in kinds(SENTENCES_FILE, "wishes"):
        found = row.says.match(clause)
        if found and not SENTENCES.of_once.search(clause):
            words = {name: text for name, text in found.groupdict().items() if text}
            told = row.content.format(**{**words, "v": _inside(words["v"])}) if row.content else ""
            told = told[:1].upper() + told[1:] or f"The user {third_person(words['v'])}"
            return [Inference(told, row.importance, row.type, row.concept, "", found["v"])]
    return []


def _inside(said: str) -> str:
    """Words of the speaker's as they stand inside a sentence about them."""
    told = of_user(re.sub(r"\bour\b", "the user's", said, flags=re.IGNORECASE))
    return told[0].lower() + told[1:]


def _is_house_style(order: str) -> bool:
    return bool(SENTENCES.house_style.match(order)) and not SENTENCES.deictic.search(order)


def _order_of(body: str) -> Inference:
    """The order in a text, without courtesies."""
    order = of_user(re.sub(r"^please ", "", body, flags=re.IGNORECASE))
    order = order[0].lower() + order[1:] if not order[:2].isupper() else order
    return Inference(f"The user's instruction: {order}", 0.8, "rule", "instruction", "", order)

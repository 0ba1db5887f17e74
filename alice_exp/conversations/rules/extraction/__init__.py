"""Extract what users say about themselves, by rules, in Chinese and English (R4.17-R4.24, B4.8-B4.18).

Text from conversations is data: it becomes at most an inference, which becomes at most a candidate that a person has
to approve.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.conversations.rules.extraction import (
    chinese_patterns,
    chinese_reader,
    english_patterns,
    english_reader,
)
from alice_exp.conversations.rules.extraction.claims import Claim, claim_of, replaces, settled
from alice_exp.conversations.rules.extraction.inferences import (
    ASKED,
    TAGS,
    Concept,
    Extraction,
    Inference,
    Slot,
)
from alice_exp.conversations.rules.extraction.model_answer import (
    PROMPT,
    Answer,
    grounded,
    merged,
    parse_answer,
    prompt_for,
)
from alice_exp.conversations.rules.extraction.sentences import sentences
from alice_exp.kernel.text.tokens import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.conversations.rules.extraction.sentences import Sentence
    from alice_exp.conversations.values import Message

__all__ = [
    "MIN_IMPORTANCE",
    "PROMPT",
    "TAGS",
    "Answer",
    "Claim",
    "Concept",
    "Extraction",
    "Inference",
    "Slot",
    "but_unrecorded",
    "claim_of",
    "extract",
    "grounded",
    "merged",
    "parse_answer",
    "prompt_for",
    "replaces",
]

MIN_IMPORTANCE = 0.5
"""Default minimum importance (R4.17, B4.9; ``long_term.min_importance``)."""

ANSWERED, ANSWERED_CAP = 0.1, 0.8
"""Bonus in importance when the assistant asked about it, and the value it is capped at (B4.8)."""


def extract(messages: Sequence[Message], min_importance: float = MIN_IMPORTANCE) -> Extraction:
    """What users say about themselves in these messages, in the order it was said (R4.18, R4.19).

    Only user messages are read; the assistant's are context (B4.8). ``index`` of an inference is its message's index in
    ``messages``. A repeated statement is one inference; in a single-valued slot the latest wins and names what it
    replaces (B4.14). What is taken back, as a joke or a slip, is none. Time is linear in the length of the text.
    """
    rows: list[list[Inference]] = []
    for index, message in enumerate(messages):
        if message.role == "user":
            asked = messages[index - 1] if index else None
            told, takes_back = _said(
                message.content, asked.content if asked and asked.role == "assistant" else ""
            )
            if takes_back and rows:
                rows.pop()
            rows += (
                [replace(one, index=index, importance=_asked_for(one, messages, index)) for one in row]
                for row in told
            )
    found = [one for row in rows for one in row]
    kept = [one for one in found if one.importance >= min_importance]
    return Extraction(tuple(settled(kept)), len(found) - len(kept))


def but_unrecorded(messages: Sequence[Message]) -> list[Message]:
    """The messages, without the text of those whose speaker asks that it be kept nowhere ("off the record", 别记).

    Where that is asked of what was said before, the speaker's message before is left out, too.
    """
    left = list(messages)
    last = -1
    for index, message in enumerate(messages):
        if message.role != "user":
            continue
        for words in (chinese_patterns.SENTENCES, english_patterns.SENTENCES):
            if words.unrecorded.search(message.content):
                left[index] = replace(message, content="")
                if last >= 0 and words.unsaid.search(message.content):
                    left[last] = replace(messages[last], content="")
        last = index
    return left


def _said(text: str, asked: str) -> tuple[list[list[Inference]], bool]:
    """What each sentence of a message tells, the first one perhaps as an answer to what was ``asked``; and whether the
    message begins with taking back what its speaker said before."""
    rows: list[list[Inference]] = []
    takes_back = False
    for place, sentence in enumerate(sentences(text)):
        words = (chinese_patterns if sentence.chinese else english_patterns).SENTENCES
        back = list(words.takes_back.finditer(sentence.text))
        if back:
            taken = back[-1]
            # Of a sentence with something in front it takes back that; at its beginning, the sentence before.
            if len(sentence.text[: taken.start()].strip(" ,，")) < 2:
                groups = taken.groupdict()
                if groups.get("joke"):
                    continue
                rows[-1:] = []
                takes_back = takes_back or not (place or taken["slip"])
                # 开个玩笑，… at the beginning of a message may announce a joke as well as take one back.
                if not place and groups.get("ahead"):
                    continue
            sentence = sentence.behind(taken.end())
        read = chinese_reader.read if sentence.chinese else english_reader.read
        told = read(sentence.text, sentence.asks)
        answered = None if told or place else _answer(asked, sentence)
        rows.append([_whole(one, sentence) for one in told or ([answered] if answered else [])])
    return rows, takes_back


def _answer(asked: str, reply: Sentence) -> Inference | None:
    """What a reply without a subject tells by the question that ends the text ``asked``; ``None`` for any other.

    The question is for a number, a choice or a place of the user's, not about this very moment.
    """
    spoken = list(sentences(asked))
    if not spoken or not spoken[-1].asks or reply.asks:
        return None
    question = spoken[-1]
    words = (chinese_patterns if question.chinese else english_patterns).SENTENCES
    if not words.wants_to_know.search(question.text) or words.of_now.search(question.text):
        return None
    found = words.fragment.match(words.lead.sub("", reply.text))
    if not found or words.deictic.search(found["v"]):
        return None
    said = found["v"].strip(" ,，")
    told = (
        f"用户被问“{question.text}”时回答：{said}"
        if question.chinese
        else f'The user, asked "{question.text}", answered: {said}'
    )
    return Inference(told, 0.7, "fact", "other", "", said)


def _whole(one: Inference, sentence: Sentence) -> Inference:
    """The inference with its quotations restored and the sentence as evidence (B4.20)."""
    return replace(
        one,
        content=sentence.restored(one.content),
        value=sentence.restored(one.value),
        quote=sentence.quote,
    )


def _asked_for(one: Inference, messages: Sequence[Message], index: int) -> float:
    """The importance, raised if the assistant asked about it (B4.8).

    Either the question came just before, or the assistant asked back afterwards and the user answered.
    """
    if one.importance >= ANSWERED_CAP:
        return one.importance
    before = messages[index - 1] if index else None
    after = messages[index + 1] if index + 2 < len(messages) and messages[index + 2].role == "user" else None
    asked = (before is not None and _asks_about(before, one, False)) or (
        after is not None and _asks_about(after, one, True)
    )
    return round(min(ANSWERED_CAP, one.importance + ANSWERED), 6) if asked else one.importance


def _asks_about(message: Message, one: Inference, by_value: bool) -> bool:
    if message.role != "assistant":
        return False
    questions = fold(" ".join(each.quote for each in sentences(message.content) if each.asks))
    if by_value:
        return bool(one.value) and fold(one.value) in questions
    return any(word in questions for word in ASKED.get(one.concept, ()))

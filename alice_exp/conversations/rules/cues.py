"""Candidates without a model: what a person says of themselves in the ways of the fifth source, and orders as said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from alice_exp.conversations.rules.own_sentences import FILES, Said, queued, said, words_of
from alice_exp.conversations.values import Message
from alice_exp.kernel.text.data_files import expression, table
from alice_exp.kernel.text.tokens import fingerprint_text, fold
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import EXPLICIT, About, BlockType

_SUPPOSED, _ORDER = 0.8, 0.6
"""Importance of what the assistant asked about (at most, B4.8), and of an order."""

_FIRST_PERSON = re.compile(r"\bi\b|\bmy name\b|\bcall me\b")
_CLAUSE = re.compile(r"[，,;；。.!！]\s*(?:(?:and|but|so)\s+)?|\s+and\s+(?=I\b)|\s+(?=I'm\b)")


@dataclass(frozen=True, slots=True)
class Inference:
    """What a sentence tells: a content that stands alone, and the sentence as its ``quote``.

    ``importance`` lies in [0, 1] (R4.17), ``value`` is what was said of the person. ``index`` is the index of the
    message. ``quotes`` are all sentences that it rests on, where a model named several.
    """

    content: str
    importance: float
    type: BlockType = "fact"
    about: About = "user"
    tags: tuple[str, ...] = ()
    value: str = ""
    quote: str = ""
    index: int = 0
    trigger: str = ""
    everywhere: bool = False
    quotes: tuple[Said, ...] = ()

    @property
    def slot(self) -> str:
        """The tag of a thing of which a person has one at a time, as ``slot:name`` (name, job, city; B4.14)."""
        return next((tag for tag in self.tags if tag.startswith("slot:")), "")

    @property
    def explicit(self) -> bool:
        """Whether the user asked to have it remembered (B4.18)."""
        return EXPLICIT in self.tags


def extract(
    messages: Sequence[Message], least: float = 0.5, sentences: Sequence[Said] | None = None
) -> tuple[list[Inference], int]:
    """What users say about themselves and order in these messages, in the order it was said (R4.18, R4.19), and how
    many were dropped as unimportant (B4.9).

    The same twice is one; of a slot the latest counts (B4.14). A question, a supposition and what somebody else said
    tell nothing. ``sentences``: those to read, where not all. Time is linear in the length of the text.
    """
    read = said(messages) if sentences is None else sentences
    orders = {one.text for one in queued(read, messages) if is_standing(one)}
    found: dict[str, Inference] = {}
    for one in read:
        told = list(_about(one)) if not one.asks else []
        if not told and one.text in orders:
            told = [order_of(one)]
        for each in told:
            key = each.slot or fingerprint_text(each.content)
            found.pop(key, None)
            found[key] = _asked_for(each, messages)
    kept = [one for one in found.values() if one.importance >= least]
    return sorted(kept, key=lambda one: one.index), len(found) - len(kept)


def is_standing(one: Said) -> bool:
    """Whether a sentence reads as an order from now on, or the person asks to have it remembered."""
    words, low = words_of(one.text), one.text.lower()
    if words.explicit.search(low):
        return not one.asks
    return bool(words.standing.search(low)) and not (one.asks or words.moment.search(low))


def order_of(one: Said) -> Inference:
    """A sentence as an order, as said."""
    tags = (EXPLICIT,) if words_of(one.text).explicit.search(one.text.lower()) else ()
    return Inference(one.text, _ORDER, "rule", "work", tags, quote=one.text, index=one.index)


def _about(one: Said) -> Iterator[Inference]:
    """What the rows find in each clause of a sentence that is the speaker's own."""
    words, low = words_of(one.text), one.text.lower()
    is_chinese = words is words_of("我")
    if not (is_chinese or _FIRST_PERSON.search(low)) or words.unreal.search(low):
        return
    explicit = words.explicit.search(low)
    rest = one.text[explicit.end() :].lstrip(" :：,，") if explicit else one.text
    for clause in filter(None, map(str.strip, _CLAUSE.split(rest.rstrip("。！.! ")))):
        told: set[str] = set()
        for (kind, importance, tags, content, _), shape in _rows(FILES[is_chinese]):
            match = shape.match(clause) if kind not in told else None
            if match:
                told.add(kind)
                said_so = {name: (text or "").strip() for name, text in match.groupdict().items()}
                labels = tuple(f"{tags} {EXPLICIT if explicit else ''}".split())
                text, value = content.format(**said_so), said_so["v"]
                yield Inference(
                    text, importance, kind, tags=labels, value=value, quote=one.text, index=one.index
                )


@cache
def _rows(path: str) -> list[tuple[list[Any], re.Pattern[str]]]:
    """The rows of a language, each with its expression."""
    rows = table(path)["about"]["rows"]
    return [(row, re.compile(expression(path, row[-1]), re.IGNORECASE)) for row in rows]


def _asked_for(one: Inference, messages: Sequence[Message]) -> Inference:
    """Raised in importance where the assistant asked back about it and the user answered (B4.8)."""
    after = messages[one.index + 1 : one.index + 3]
    asks = rf"{re.escape(one.value)}[^。.!\n]*[?？]"
    if one.value and len(after) == 2 and after[0].role == "assistant" and re.search(asks, after[0].content):
        raised = min(_SUPPOSED, round(one.importance + 0.1, 6))
        return replace(one, importance=max(one.importance, raised))
    return one


SELF = frozenset(("user", "human", "me", "myself", "i", "self", "you", "我", "用户", "本人", "自己"))
"""Names under which transcripts put the user."""


def other_speakers(messages: Iterable[Message], known: Sequence[str] = ()) -> tuple[str, ...]:
    """Who speaks beside the user, by name, in the order of their first words; ``known`` is what is noted of the user.

    Whoever speaks alone is the user, whatever the name. Among several the user is who has no name, a name of ``SELF``,
    or the name that a note gives the user; where none of these speaks, nobody knows, and all are others.
    """
    spoken = dict.fromkeys(message.speaker.strip() for message in messages if message.role == "user")
    if len(spoken) < 2:
        return ()
    told = (one for note in known for one in extract([Message("user", note)])[0])
    own = SELF.union(fold(one.value) for one in told if one.slot == "slot:name")
    return tuple(name for name in spoken if name and fold(name) not in own)

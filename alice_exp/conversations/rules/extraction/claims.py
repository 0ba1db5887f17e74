"""Single-valued statements (name, occupation, city) and which of two replaces the other (B4.14)."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from alice_exp.conversations.rules.extraction.places import is_english_job, is_job, is_place
from alice_exp.kernel.text.data_files import expression, table
from alice_exp.kernel.text.tokens import fingerprint_text
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.conversations.rules.extraction.inferences import Inference, Slot


@dataclass(frozen=True, slots=True)
class Claim:
    """The value a sentence about the user gives a slot; ``relation`` tells living in a city from working there."""

    slot: Slot
    value: str
    relation: str = ""


@cache
def _forms() -> tuple[tuple[Slot, str, re.Pattern[str]], ...]:
    path = "conversations/rules/data/claims.toml"
    return tuple(
        (row["slot"], row.get("relation", ""), re.compile(expression(path, row["says"]), re.IGNORECASE))
        for row in table(path)["claims"]
    )


def claim_of(content: str) -> Claim | None:
    """The claim of a sentence about the user, or ``None``. Works on sentences of the rules and of a model."""
    text = content.strip().rstrip("。.")
    for slot, relation, form in _forms():
        found = form.match(text)
        if not found:
            continue
        value = found["v"].strip()
        if slot == "job" and not (is_job(value) or is_english_job(value) or "'s" in text[:11]):
            return None
        if relation == "work" and not value.isascii() and not is_place(value):
            return None
        return Claim(slot, value, relation)
    return None


def replaces(newer: str, older: str) -> bool:
    """Whether a newer sentence about the user replaces an older one (B4.14): same slot, another value.

    Where someone lives does not replace where they work, unless the sentence says that they moved.
    """
    new, old = claim_of(newer), claim_of(older)
    if new is None or old is None or new.slot != old.slot:
        return False
    if fingerprint_text(new.value) == fingerprint_text(old.value):
        return False
    return new.relation in (old.relation, "moved")


def settled(found: Iterable[Inference]) -> list[Inference]:
    """The statements without repetitions; of contradicting ones the latest, which names what it replaces."""
    kept: dict[str, Inference] = {}
    for one in found:
        key = fingerprint_text(one.content)
        if key in kept:
            known = kept[key]
            kept[key] = replace(
                known,
                importance=max(known.importance, one.importance),
                explicit=known.explicit or one.explicit,
            )
            continue
        for older_key, older in list(kept.items()):
            if one.slot and older.slot == one.slot and replaces(one.content, older.content):
                del kept[older_key]
                one = replace(one, replaces=one.replaces or older.content)
        kept[key] = one
    return list(kept.values())

"""Rows of a language's pattern tables: the form of a statement and what it says about the user (R4.17, R4.19).

A row is a list of four: what it makes (``type concept importance slot``, the last two optional; ``any`` for what a word
of the statement decides; ``wide`` where the value may point at this moment), an example, a template, the pattern.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, cast

from alice_exp.kernel.text.data_files import expression, table
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from alice_exp.conversations.rules.extraction.inferences import Concept, Inference, Slot
    from alice_exp.model.values.block import BlockType

USUAL = 0.7
"""Importance of a row that names none (R4.17: useful context)."""

_SLOTS = ("name", "job", "city")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A row: a pattern for the predicate after the speaker (我, "I") or a clause, and what it says about the user.

    ``content`` is a template for the groups of ``says``; if empty, the predicate is put into the third person.
    ``narrow`` refuses values that point at the present moment.
    """

    says: re.Pattern[str]
    content: str
    type: BlockType
    concept: Concept
    importance: float
    slot: Slot
    narrow: bool
    example: str


@cache
def statements(path: str) -> tuple[Pattern, ...]:
    """The rows matched against a whole predicate, in order."""
    return kinds(path, "statements", "^", table(path)["ending"])


@cache
def kinds(path: str, heading: str = "kinds", beginning: str = "", ending: str = "") -> tuple[Pattern, ...]:
    """The rows under a heading, in order."""
    flags = re.IGNORECASE if table(path)["ignore_case"] else re.NOFLAG
    return tuple(_pattern(path, row, beginning, ending, flags) for row in table(path)[heading]["rows"])


def kind_of(word: str, rows: tuple[Pattern, ...]) -> Pattern:
    """The first row that matches the word; the last row of such a table matches everything."""
    return next(row for row in rows if row.says.search(word))


def settle(one: Inference, path: str) -> Inference:
    """An inference of a row that says ``any``: type, concept and importance by a word of its own."""
    if one.concept != "any":
        return one
    row = kind_of(one.content.removeprefix("The user "), kinds(path, "about"))
    return replace(one, type=row.type, concept=row.concept, importance=max(one.importance, row.importance))


def _pattern(path: str, row: list[str], beginning: str, ending: str, flags: re.RegexFlag) -> Pattern:
    made, example, content, says = row
    words = made.split()
    wide = words[-1] == "wide"
    words = words[:-1] if wide else words
    slot = words.pop() if len(words) > 2 and words[-1] in _SLOTS else ""
    importance = float(words.pop()) if words[-1][0].isdigit() else USUAL
    kind, concept = words if len(words) == 2 else ("fact", words[0])
    return Pattern(
        re.compile(f"{beginning}(?:{expression(path, says)}){ending}", flags),
        content,
        cast("BlockType", kind),
        cast("Concept", concept),
        importance,
        cast("Slot", slot),
        not wide,
        example,
    )

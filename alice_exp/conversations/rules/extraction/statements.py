"""Rows of a language's pattern table: the form of a statement and what it says about the user (R4.17, R4.19)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import expression, table

if TYPE_CHECKING:
    from alice_exp.conversations.rules.extraction.inferences import Concept, Slot
    from alice_exp.model.values.block import BlockType


@dataclass(frozen=True, slots=True)
class Pattern:
    """A row: a pattern for the predicate after the speaker (我, "I"), and what it says about the user.

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


@cache
def statements(path: str) -> tuple[Pattern, ...]:
    """The rows matched against a whole predicate, in order."""
    return _rows(path, "statements", "^", table(path)["ending"])


@cache
def kinds(path: str, heading: str = "kinds") -> tuple[Pattern, ...]:
    """The rows that classify a statement by one word, in order; the last one matches everything."""
    return _rows(path, heading)


def kind_of(word: str, rows: tuple[Pattern, ...]) -> Pattern:
    """The first row that matches the word."""
    return next(row for row in rows if row.says.search(word))


def _rows(path: str, heading: str, beginning: str = "", ending: str = "") -> tuple[Pattern, ...]:
    whole = table(path)
    flags = re.IGNORECASE if whole["ignore_case"] else re.NOFLAG
    return tuple(
        Pattern(
            re.compile(beginning + expression(path, row["says"]) + ending, flags),
            row.get("tells", ""),
            row["type"],
            row["about"],
            row.get("importance", 0.7),
            row.get("slot", ""),
            row.get("narrow", True),
        )
        for row in whole[heading]
    )

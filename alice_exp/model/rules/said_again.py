"""Tells whether two sentences of a person give the same order: by pairs of near words, negation, order and numbers."""

from __future__ import annotations

import hmac
import re
from typing import TYPE_CHECKING

from alice_exp.kernel.text.tokens import fold, tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

ENOUGH, NEAR = 0.5, 3
"""Share of all pairs (Jaccard) from which two sentences are one order, and how far the words of a pair lie apart."""

_POLITE = re.compile(
    r"\b(?:please|from now on|make sure|remember)\b|以后|今后|每次|必须|记得|务必|一定|请|再|先|都|要"
)
_NOT = re.compile(
    r"\b(?:no|not|never|nothing|none|without|stop|avoid|neither|nor|except|unless|instead|rather|dont)\b|n['’]t\b|"
    r"[不别没勿]|无需|禁止|停止|除了|除非"
)
_BEFORE = re.compile(r"\b(?:before|until|prior)\b|之?前(?![面端])")
_AFTER = re.compile(r"\bafter\b|之?后(?![面端])")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_LIGHT = frozenset(
    "alway just mean now ok on also must should each every time again when whenever not no never noth none don "  # noqa: SIM905
    "without stop avoid neither nor except unless instead rather befor after until prior want need let get like "
    "我 你 您 的 一 次 遍 到 在 给 会 了 吧 不 别 没 勿 之 前 后".split()
)


def marks_of(text: str) -> frozenset[str]:
    """The pairs of words at most ``NEAR`` apart, in either order, and ``=`` with negation, before or after, numbers.

    A sentence of less than three words has these, too. Empty where nothing is left of it but such marks.
    """
    plain = _POLITE.sub(" ", fold(text))
    words = [word for word in tokens(plain) if word not in _LIGHT and (len(word) == 1 or word[0] < "\u2e80")]
    pairs = {
        " ".join(sorted((word, other)))
        for at, word in enumerate(words)
        for other in words[at + 1 : at + 1 + NEAR]
    }
    if len(words) < 3:
        pairs |= set(words)
    signs = [name for name, shape in (("not", _NOT), ("<", _BEFORE), (">", _AFTER)) if shape.search(plain)]
    return (
        frozenset((*pairs, " ".join(("=", *signs, *sorted(_NUMBER.findall(plain))))))
        if pairs
        else frozenset()
    )


def keyed(marks: Iterable[str], key: bytes) -> frozenset[str]:
    """Marks as hashes by a secret key, 12 digits each; that of negation, order and numbers begins with ``=``."""
    return frozenset(
        ("=" if one[0] == "=" else "") + hmac.digest(key, one.encode(), "sha256").hex()[:12] for one in marks
    )


def are_one(marks: Collection[str], others: Collection[str]) -> bool:
    """Whether two sentences, by their marks, give the same order: never where negation, order or numbers differ."""
    one, two = set(marks), set(others)
    signs = {mark for mark in one | two if mark[0] == "="}
    if len(signs) != 1 or not signs <= one & two:
        return False
    return len((one & two) - signs) >= ENOUGH * max(1, len((one | two) - signs))

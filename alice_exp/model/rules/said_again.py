"""Tells whether two sentences of a person give the same order: by pairs of near words, negation, order and numbers."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.tokens import fold, tokens

SIGNS = "=<@"
"""How a mark begins that is no pair: negation, order and numbers together; what comes later, where that is said; which
word stands where, in a short sentence that sets one thing against another."""

ENOUGH, NEAR = 0.5, 3
"""Share of all pairs (Jaccard) from which two sentences are one order, and how far the words of a pair lie apart."""

_CJK = "\u2e80"
_POLITE = LazyPattern(
    r"\b(?:please|from now on|make sure|remember|(?:do not|don['’]?t|never) forget)\b"
    # What is compared was said in one project.
    r"|\b(?:here|(?:in|for) (?:this|our|the) (?:repo|repository|project|codebase))\b|在?(?:这个|本)(?:项目|仓库)[里中]?"
    r"|(?:不要|别)忘[了记]?|以后|今后|每次|必须|记得|务必|一定|请|再|先|都|要"
)
_NOT = LazyPattern(
    r"\b(?:no|not|never|nothing|none|without|stop|avoid|neither|nor|except|unless|instead|rather|dont)\b|n['’]t\b|"
    r"[不别没勿]|无需|禁止|停止|除了|除非"
)
# What comes later ("before you commit", "first …, then commit", 提交前, 先…再提交), and what comes earlier.
_BEFORE = LazyPattern(
    r"(?:\b(?:before|until|prior to)\b|\bfirst\b.*\bthen\b)([^,;.]*)|(.{2})之?前(?![面端])|先.+再(.{2})"
)
_AFTER = LazyPattern(r"\bafter\b([^,;.]*)|(.{2})之?后(?![面端])")
_NUMBER = LazyPattern(
    r"\d+(?:\.\d+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred|twice)\b"
    r"|[二两三四五六七八九十百千]+(?=[个次条行层种天周月年秒分小遍名位份页字级倍空])"
)
# "X, not Y", "X over Y", "X for A and Y for B": the other way round it is another order.
_AGAINST = LazyPattern(r"\b(?:not|never|over|instead|rather|prefer|but|and|while)\b|[不而非,，;；、]")
_SHORT = 12
"""Words of a sentence up to which their places count."""
_LIGHT = frozenset(
    "alway just mean now ok on also must should each every time again when whenever not no never noth none don "  # noqa: SIM905
    "without stop avoid neither nor except unless instead rather befor after until prior make keep use first then "
    "want need let get like give prefer all everi per "
    "我 你 您 的 一 次 遍 到 在 给 会 了 吧 不 别 没 勿 之 前 后".split()
)


def marks_of(text: str) -> frozenset[str]:
    """The pairs of words at most ``NEAR`` apart, in either order, ``=`` with negation, before or after, numbers, and
    ``<`` with what comes later.

    A sentence of less than three words has these, too. Empty where nothing is left of it but such marks.
    """
    whole = fold(text)
    plain = _POLITE.sub(" ", whole)
    words = _words(plain)
    pairs = {
        " ".join(sorted((word, other)))
        for at, word in enumerate(words)
        for other in words[at + 1 : at + 1 + NEAR]
    }
    if len(words) < 3:
        pairs |= set(words)
    signs = ["not"] if _NOT.search(plain) else []
    later = set()
    for sign, shape in (("<", _BEFORE), (">", _AFTER)):
        if found := shape.search(whole):
            signs.append(sign)
            held = _words(_POLITE.sub(" ", next(filter(None, found.groups()), "")))
            # "Before you start" is before whatever is started.
            told = [word for word in held if word not in ("start", "begin")]
            # Of a Chinese word the second character, which stands next to 前.
            later |= {f"<{sign}{told[-1 if told[0] >= _CJK else 0]}"} if told else set()
    signs += sorted(_NUMBER.findall(plain))
    places = enumerate(words) if len(words) <= _SHORT and _AGAINST.search(whole) else ()
    marks = (*pairs, *later, *(f"@{at} {word}" for at, word in places), " ".join(("=", *signs)))
    return frozenset(marks) if pairs else frozenset()


def _words(plain: str) -> list[str]:
    return [word for word in tokens(plain) if word not in _LIGHT and (len(word) == 1 or word[0] < _CJK)]


def keyed(marks: Iterable[str], key: bytes) -> frozenset[str]:
    """Marks as hashes by a secret key, 12 digits each; those that are no pair keep their first character."""
    return frozenset(
        (one[0] if one[0] in SIGNS else "") + hmac.digest(key, one.encode(), "sha256").hex()[:12]
        for one in marks
    )


def are_one(marks: Collection[str], others: Collection[str]) -> bool:
    """Whether two sentences, by their marks, give the same order: never where negation, order or numbers differ, or two
    words have changed places."""
    one, two = ({mark for mark in each if mark[0] not in SIGNS} for each in (marks, others))
    (signs, later, places), (theirs, others_later, others_places) = (
        [{mark for mark in each if mark[0] == sign} for sign in SIGNS] for each in (marks, others)
    )
    if not signs or signs != theirs or (later and others_later and later != others_later):
        return False
    if len(places) == len(others_places) == len(places & others_places) + 2:
        return False
    return len(one & two) >= ENOUGH * max(1, len(one | two))

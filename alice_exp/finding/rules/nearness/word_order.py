"""Tells two texts apart that have the same words, but another order, number or direction (DESIGN 13)."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from alice_exp.finding.rules.nearness.statement import NUMERALS, UNIT, WORD_NUMBERS, amount
from alice_exp.kernel.text.data_files import LazyPattern, word_lists
from alice_exp.kernel.text.tokens import fold, stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Sides: TypeAlias = "tuple[Counter[str], Counter[str]]"
"""How often each word stands on one side of something, and on the other."""

_TOKEN = LazyPattern(r"[a-z0-9][a-z0-9_+#.%-]*(?<![.-])|[^\W\d_a-z\x00-\u2e7f]|[,;:。、!?\n]|\.(?=\s|$)")
_LONGEST = 500
"""Characters; comparing the order of longer texts would take quadratic time."""

_ENDS = frozenset(",;:。、!?.\n")
_PERSONS = {"my": "i", "me": "i", "our": "we", "us": "we", "him": "he", "his": "he", "her": "she"}
_NUMBER = LazyPattern(
    r"(?P<hours>\d{1,2}):(?P<minutes>\d\d)"
    rf"|(?P<number>\d+(?:\.\d+)*|(?<!之)(?!一)[{NUMERALS}]+|一(?=[{NUMERALS[1:]}])[{NUMERALS}]+)\s?(?P<unit>(?:{UNIT})(?![a-z]))?"
)
_SEQUENCE = LazyPattern(
    r"(?:先|\bfirst\b)?(?P<early>[^;。\n]*?)[,\s]*(?:and\s+)?"
    r"(?:(?<![不别必用勿要])再|然后|接着|随后|之后才|\bthen\b)(?P<late>[^;。\n]*)"
)
_BEHIND = LazyPattern(
    r"(?P<early>[^,;。、\n]*?[^\W\x00-\u2e7f])(?:之后|以后|(?<![今然最背落先延在])后(?![端台门缀天年续面果悔]))(?P<late>[^;。\n]*)"
)
_AHEAD = LazyPattern(
    r"(?P<late>[^,;。、\n]*?[^\W\x00-\u2e7f])(?:之前|以前|(?<![目当提先从在])前(?![端台门缀天年面提]))(?P<early>[^;。\n]*)"
)
_PLACED = LazyPattern(r"(?P<early>[^,;。、\n]*?)在(?:前|先)[面边]?[,、\s]*(?P<late>[^,;。、\n]*?)在后")
_BEFORE = LazyPattern(
    r"(?P<head>[^;。\n]*?)\b(?P<word>before|after)\b(?P<anchor>[^,;。\n]*),?(?P<rest>[^;。\n]*)"
)
_PASSIVE = LazyPattern(
    r"\b(?:be|is|are|was|were|been|being|gets?)\s+(?:\w+ly\s+)?\w+(?:ed|en|nt|wn|ne|ld|pt|id)\b|[被由]"
)


def told_apart(one: Sequence[str], two: Sequence[str]) -> Literal["opposes", "near"] | None:
    """What two statements are whose words are nearly the same: ``opposes`` where one speaks of before, or of more, and
    the other of after, or of less; ``near`` where a number, another direction or the order differs; None where nothing
    does. Each is given by its content and its steps.
    """
    first, second = ([*map(fold, texts)] for texts in (one, two))
    if first == second:
        return None
    if first[1:] != second[1:] and sorted(first[1:]) == sorted(second[1:]):
        return "near"
    return _told_apart("\n".join(first), "\n".join(second))


def _told_apart(one: str, two: str) -> Literal["opposes", "near"] | None:
    if _has_other_number(one, two):
        return "near"
    if _bounds(one) ^ _bounds(two) == {"most", "least"}:
        return "opposes"
    if max(len(one), len(two)) > _LONGEST:
        return None
    turned = set(_turned(one, two))
    if turned:
        return "opposes" if "time" in turned else "near"
    # "Alice pays Bob" is "Bob is paid by Alice".
    is_active = bool(_PASSIVE.search(one)) is bool(_PASSIVE.search(two))
    is_swapped = _is_other_sequence(one, two) or _is_exchanged(
        _tokens(one), _tokens(two), is_active=is_active
    )
    return "near" if is_swapped else None


@cache
def _words(heading: str) -> tuple[str, ...]:
    return tuple(
        word.replace("_", " ") for word in word_lists("finding/rules/data/direction_words.txt")[heading]
    )


# ----------------------------------------------------------------------------------------------------------- numbers


def _has_other_number(one: str, two: str) -> bool:
    """Whether each has a number that the other does not have; 一 and "one" are as often articles."""
    left, right = set(_numbers(one)), set(_numbers(two))
    return bool(left - right) and bool(right - left)


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    for found in _NUMBER.finditer(text):
        if found["hours"]:
            yield "clock", str(float(int(found["hours"]) * 60 + int(found["minutes"])))
            continue
        written = found["number"]
        if written.count(".") > 1 or written[0] in "万千百" or (written == "半" and not found["unit"]):
            continue
        yield amount(written, found["unit"] or "")
    words = re.findall(r"[a-z]+", text)
    for at, word in enumerate(words):
        if word in WORD_NUMBERS and WORD_NUMBERS[word] > 1:
            yield amount(str(WORD_NUMBERS[word]), "".join(words[at + 1 : at + 2]))


# --------------------------------------------------------------------------------------------------------- direction


@cache
def _bound_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (
            name,
            re.compile(
                "|".join(rf"\b{w}\b" if w.isascii() else w for w in sorted(_words(name), key=len)[::-1])
            ),
        )
        for name in ("most", "least")
    )


_DENIED = LazyPattern(
    r"(?:[不别勿未没]|没有|不[能要得可许准应该会]+|\b(?:not?|never|cannot|cant|dont|mustnt)\b(?:\s[a-z]+)?)\s*$"
)


def _bounds(text: str) -> frozenset[str]:
    """The bounds that a text sets: upper ones (``most``), lower ones (``least``); "not more than" is an upper one."""
    found = set()
    for name, pattern in _bound_patterns():
        for match in pattern.finditer(text):
            is_denied = bool(_DENIED.search(text[max(0, match.start() - 24) : match.start()]))
            found.add({"most": "least", "least": "most"}[name] if is_denied else name)
    return frozenset(found)


def _turned(one: str, two: str) -> Iterator[str]:
    """The pairs of opposite characters of which each text has one in the same place; ``time`` for before and after."""
    from difflib import SequenceMatcher

    left, right = _plain(one), _plain(two)
    for what, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if what != "replace":
            continue
        for pair in _words("turning"):
            for here, there in ((pair[0], pair[1]), (pair[1], pair[0])):
                at, other = left.find(here, a, b), right.find(there, c, d)
                if at >= 0 and other >= 0 and _stands_alike(left, at, right, other):
                    is_name = set(_words("names")) & {left[at + 1 : at + 2], right[other + 1 : other + 2]}
                    yield "time" if pair == "前后" and at and not is_name else pair


def _stands_alike(one: str, at: int, two: str, other: int) -> bool:
    """Whether the same character, or the beginning, is in front, and that is no Latin word: 在 mac 上, mac 下."""
    before, there = one[at - 1 : at], two[other - 1 : other]
    return before == there and not (before.isascii() and before.isalnum())


def _plain(text: str) -> str:
    # 之前 and 以前 are 前 in other words.
    return re.sub(r"[之以](?=[前后上下内外])|\s+(?=[^\x00-\u2e7f])|(?<=[^\x00-\u2e7f])\s+", "", text)


# ------------------------------------------------------------------------------------------------------------- order


def _is_other_sequence(one: str, two: str) -> bool:
    """Whether what comes first in one comes second in the other: 先 X 再 Y, X 前 Y, "X, then Y", "before X, Y"."""
    known = list(_sequences(two))
    # What stays on its side speaks against it: "compress logs before archiving them", "before archiving logs, compress
    # them".
    return any(
        _is_crossed(first, second) and _mass(first, second) > _mass(first, second[::-1])
        for first in _sequences(one)
        for second in known
    )


def _sequences(text: str) -> Iterator[Sides]:
    """What comes first, and what comes second, of each two events."""
    for pattern in (_SEQUENCE, _BEHIND, _AHEAD, _PLACED):
        for match in pattern.finditer(text):
            yield Counter(_tokens(match["early"])), Counter(_tokens(match["late"]))
    for match in _BEFORE.finditer(text):
        anchor, other = (
            Counter(_tokens(match["anchor"])),
            Counter(_tokens(f"{match['head']} {match['rest']}")),
        )
        yield (other, anchor) if match["word"] == "before" else (anchor, other)


def _moved(one: Sides, two: Sides) -> Sides:
    """What of the first side stands on the second one in the other text, and what of the second on the first."""
    (left, right), (left_two, right_two) = one, two
    return (left - left_two) & (right_two - right), (right - right_two) & (left_two - left)


def _is_crossed(one: Sides, two: Sides) -> bool:
    return all(_moved(one, two))


def _mass(one: Sides, two: Sides) -> int:
    return sum(part.total() for part in _moved(one, two))


def _is_exchanged(one: list[str], two: list[str], *, is_active: bool) -> bool:
    """Whether two parts are exchanged around a word that stays: X 比 Y, "from X to Y", and unless one is in the passive
    the subject and the object of a verb."""
    relating, idle = frozenset(_words("relating")), frozenset((*_words("no pivot"), *_ENDS))
    for word in dict.fromkeys(one):
        if word in idle or one.count(word) != 1 or two.count(word) != 1:
            continue
        moved = _moved(_beside(one, word), _beside(two, word))
        if all(moved) and (
            word in relating
            or (is_active and not any(_is_loose(of, word, {*moved[0], *moved[1]}) for of in (one, two)))
        ):
            return True
    return False


def _beside(tokens: list[str], word: str) -> Sides:
    """What stands in front of a word and behind it, in its clause."""
    at = tokens.index(word)
    start = next((i + 1 for i in range(at - 1, -1, -1) if tokens[i] in _ENDS), 0)
    stop = next((i for i in range(at, len(tokens)) if tokens[i] in _ENDS), len(tokens))
    return Counter(tokens[start:at]), Counter(tokens[at + 1 : stop])


def _is_loose(tokens: list[str], word: str, moved: set[str]) -> bool:
    """Whether what moved may stand anywhere: a preposition leads it, it says when, or it is part of a list."""
    at = tokens.index(word)
    free = frozenset(_words("free"))
    return (
        not set(_words("listing")).isdisjoint(tokens[max(0, at - 1) : at + 2])
        or not moved.isdisjoint(_words("time"))
        or any(lead in free and not moved.isdisjoint(tokens[i : i + 4]) for i, lead in enumerate(tokens))
    )


def _tokens(text: str) -> list[str]:
    """Stems, single CJK characters and the ends of clauses, without words that tell nothing of who or what."""
    light = frozenset(_words("light"))
    found = [_PERSONS.get(word, word) for word in _TOKEN.findall(text) if word not in light]
    stem_of = stems({word for word in found if word.isascii() and word not in _ENDS})
    return [stem_of.get(word, word) for word in found]

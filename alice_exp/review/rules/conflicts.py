"""Detection of candidates that repeat or contradict another block (B2.25, issue 3; explainable, no model).

Two inferences are compared clause by clause, by their words without those of polarity and without filling words:

- *same*: their words overlap by ``NEARLY`` or more, with the same polarity and the same numbers;
- *polarity*: a clause of each overlaps by ``CLAUSE``, one negated and one not, or one has a word and the other its
  opposite (always and never, tabs and spaces, 喜欢 and 讨厌);
- *numbers*: on one topic, the clauses differ only in their numbers;
- *value*: on one topic, the clauses differ in one short place and state something that has a single value (is, uses,
  是, 用);
- *supersedes*: the candidate has the external key of an older block and says something else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from operator import concat
from typing import TYPE_CHECKING, Literal, cast

from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.tokens import STOP_WORDS, fold, is_cjk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from alice_exp.model.values.block import Placed

Reason = Literal["same", "polarity", "numbers", "value", "supersedes"]

NEARLY = 0.7
"""The Jaccard similarity of words from which two inferences are nearly the same."""

CLAUSE = 0.6
"""The Jaccard similarity of words from which two clauses are about the same thing."""

TOPIC = 0.4
"""The Jaccard similarity of words from which two triggers are of one topic."""

VALUE_CELLS = 4
"""The most words in the place where two clauses state different values."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """A candidate (``first``) and a block that it repeats or contradicts, with the reason."""

    first: Placed
    second: Placed
    reason: Reason

    @property
    def is_conflict(self) -> bool:
        """Whether the two exclude each other; otherwise one of them is superfluous."""
        return self.reason != "same"


_joined = cast("Callable[[str, str], str]", concat)

_WORDS = word_lists("review/rules/data/conflict_words.txt")


def _stem(word: str) -> str:
    """A word without its regular English ending: enough to equate failed, fails and failing."""
    for ending, least in (("ing", 6), ("ed", 5), ("es", 5), ("s", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


_OPPOSITE = {
    word: opposite
    for left, right in (map(_stem, row.split(",")) for row in _WORDS["opposites"])
    for word, opposite in ((left, right), (right, left))
}
_NEGATIVE_WORDS = frozenset(_WORDS["negative"])
_PASSED = STOP_WORDS | _NEGATIVE_WORDS | frozenset(_WORDS["filling"])
_NEGATIVE_CJK = re.compile("|".join(_WORDS["negative chinese"]))
_HARMLESS_NEGATION = re.compile("|".join(_WORDS["harmless chinese"]))
_FILLING_CJK = re.compile("|".join(_WORDS["filling chinese"]))
_CLAUSES = re.compile(r"[,，;；。、!！?？\n]|\.(?=\s|$)|\b(?:but|and then)\b|但是?|而且")
_PIECE = re.compile(r"[0-9]+(?:\.[0-9]+)?%?|[a-z][a-z0-9_+#.-]*[a-z0-9+#]|[a-z]|[^\W\x00-\u2e7f]+")
_ONE_VALUE = "|".join(_WORDS["one value"]).replace("_", " ")
_SINGLE_VALUED = re.compile("|".join([rf"\b(?:{_ONE_VALUE})\b", "=", *_WORDS["one value chinese"]]))
_CJK_NUMERAL = re.compile("[一二三四五六七八九十百千两几]+(?=[个条次点分秒天周月年岁倍度元])")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its words without polarity and filling words, its polarity, its numbers, all words in order."""

    words: frozenset[str]
    is_negative: bool
    numbers: frozenset[str]
    ordered: tuple[str, ...]
    has_one_value: bool


class Statement:
    """One block's text, split into clauses lazily, as most blocks are never compared closely."""

    __slots__ = ("__dict__", "placed")

    def __init__(self, placed: Placed) -> None:
        self.placed = placed

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses of content and steps that have words of their own."""
        payload = self.placed.block.payload
        texts = (part for text in (payload.content, *payload.steps) for part in _CLAUSES.split(fold(text)))
        return tuple(clause for clause in map(_clause, texts) if clause.words)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of every clause."""
        return frozenset().union(*(clause.words for clause in self.clauses))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every number of every clause."""
        return frozenset().union(*(clause.numbers for clause in self.clauses))

    @cached_property
    def negations(self) -> int:
        """The number of negative clauses."""
        return sum(clause.is_negative for clause in self.clauses)

    @cached_property
    def topic(self) -> frozenset[str]:
        """The words of the trigger's text and keywords."""
        trigger = self.placed.block.trigger
        return _clause(fold(" ".join((trigger.text, *trigger.keywords)))).words


def overlaps(candidates: Sequence[Placed], trusted: Iterable[Placed]) -> tuple[Overlap, ...]:
    """Pairs of a candidate with an earlier candidate or a trusted block that it repeats or contradicts.

    In the order of the candidates, each pair once. Only blocks that share words with a candidate are compared.
    """
    trusted = tuple(trusted)
    statements = [Statement(placed) for placed in candidates]
    found: list[tuple[int, Overlap]] = []
    for position, first, second in _pairs(statements, trusted):
        reason = compare(first, second)
        if reason is not None:
            found.append((position, Overlap(first.placed, second.placed, reason)))
    ids = {placed.block.id: placed for placed in trusted}
    named = {(pair.first.block.id, pair.second.block.id) for _, pair in found}
    for position, placed in enumerate(candidates):
        older = ids.get(placed.block.supersedes)
        if older is not None and (placed.block.id, older.block.id) not in named:
            found.append((position, Overlap(placed, older, "supersedes")))
    return tuple(pair for _, pair in sorted(found, key=lambda row: row[0]))


COMMON = 0.03
"""The share of the trusted blocks from which a word is common; two blocks that share common words alone are compared
only if these are half of the candidate's words."""


def _pairs(
    statements: Sequence[Statement], trusted: Sequence[Placed]
) -> Iterator[tuple[int, Statement, Statement]]:
    """The pairs worth a close comparison, found through an inverted index of the candidates' rough words."""
    rough = [_rough(statement.placed) for statement in statements]
    vocabulary = _vocabulary(rough)
    for position, statement in enumerate(statements):
        counts = Counter(other for word in rough[position] for other in vocabulary[word] if other < position)
        for other, count in counts.items():
            if count >= min(2, len(rough[position]) / 2):
                yield position, statement, statements[other]
    known = vocabulary.keys()
    shared = [known & _rough(placed) for placed in trusted]
    often = Counter(word for words in shared for word in words)
    # Without this exception a word that every other block has would pair each candidate with half of the home.
    common = frozenset(word for word, count in often.items() if count > max(20, COMMON * len(trusted)))
    habitual = [(position, words & common, len(words)) for position, words in enumerate(rough)]
    habitual = [row for row in habitual if len(row[1]) * 2 >= row[2]]
    for placed, words in zip(trusted, shared, strict=True):
        if not words:
            continue
        counts = Counter(position for word in words - common for position in vocabulary[word])
        near = {
            position
            for position in counts
            if (shares := len(words & rough[position])) >= min(2, (size := len(rough[position])) / 2)
            and shares * 4 >= size
        }
        near.update(position for position, own, size in habitual if len(words & own) * 2 >= size)
        second = Statement(placed)
        for position in sorted(near):
            yield position, statements[position], second


def _vocabulary(rough: Sequence[set[str]]) -> Mapping[str, tuple[int, ...]]:
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for position, words in enumerate(rough):
        for word in words:
            rows[word].append(position)
    return {word: tuple(positions) for word, positions in rows.items()}


_ROUGH_MARKS = str.maketrans(dict.fromkeys("'\"`,.;:!?()[]{}<>=/\\|，。；：！？（）「」", " "))


def _rough(placed: Placed) -> set[str]:
    """A block's words and pairs of CJK characters, which decide whether it is worth a close comparison."""
    # Plain string methods instead of `fold` and the clause patterns, because this runs on every trusted block.
    text = placed.block.payload.content.lower()
    found = set(text.translate(_ROUGH_MARKS).split())
    if not text.isascii():
        found.update(map(_joined, text, text[1:]))
    return found - _PASSED


def compare(first: Statement, second: Statement) -> Reason | None:
    """How one statement repeats or contradicts the other; ``None`` if it does neither."""
    same_topic = _share(first.topic, second.topic) >= TOPIC
    for one in first.clauses:
        for other in second.clauses:
            # Conflicts before similarity, since a contradiction in one clause leaves most words the same.
            reason = _conflict(one, other, same_topic)
            if reason is not None:
                return reason
    overlap = _share(first.words, second.words)
    alike = first.numbers == second.numbers and first.negations == second.negations
    return "same" if alike and overlap >= NEARLY else None


def _conflict(one: Clause, other: Clause, same_topic: bool) -> Reason | None:
    share = _share(one.words, other.words)
    if one.is_negative != other.is_negative and share >= CLAUSE and one.numbers == other.numbers:
        return "polarity"
    if one.is_negative == other.is_negative and _takes_the_opposite(one.words, other.words):
        return "polarity"
    if one.is_negative != other.is_negative or not same_topic:
        return None
    if one.numbers and other.numbers and one.numbers != other.numbers and share >= 0.9 and len(one.words) > 1:
        return "numbers"
    return (
        "value" if one.has_one_value and other.has_one_value and _differs_in_one_place(one, other) else None
    )


def _takes_the_opposite(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two clauses differ essentially in a word and its opposite."""
    only_one, only_other = one - other, other - one
    opposed = {word for word in only_one if _OPPOSITE.get(word) in only_other}
    rest_one, rest_other = one - opposed, other - {_OPPOSITE[word] for word in opposed}
    return bool(opposed) and bool(rest_one) and _share(rest_one, rest_other) >= CLAUSE


def _differs_in_one_place(one: Clause, other: Clause) -> bool:
    """Whether two clauses share beginning and end and differ in a short part between."""
    first, second = one.ordered, other.ordered
    shortest = min(len(first), len(second))
    head = next((i for i in range(shortest) if first[i] != second[i]), shortest)
    tail = next((i for i in range(shortest - head) if first[-1 - i] != second[-1 - i]), shortest - head)
    middle = (len(first) - head - tail, len(second) - head - tail)
    return min(middle) > 0 and max(middle) <= VALUE_CELLS and head + tail >= max(2, max(middle))


def _share(first: frozenset[str], second: frozenset[str]) -> float:
    """Jaccard similarity in [0, 1]; 0 if both are empty."""
    union = len(first | second)
    return len(first & second) / union if union else 0.0


def _clause(text: str) -> Clause:
    # "don't" and "dont" are one word in the lists.
    plain = text.replace("'", "").replace("’", "")
    counted = _HARMLESS_NEGATION.sub("", plain)
    latin = [piece for piece in _PIECE.findall(plain) if not is_cjk(piece)]
    # Exclusive or: a mixed clause that is negated in both languages is positive again.
    negative = bool(_NEGATIVE_CJK.search(counted)) != bool(_NEGATIVE_WORDS.intersection(latin))
    kept = _FILLING_CJK.sub(" ", _NEGATIVE_CJK.sub(" ", _HARMLESS_NEGATION.sub(" ", plain)))
    numbers = {piece for piece in latin if piece[0].isdigit()} | set(_CJK_NUMERAL.findall(plain))
    words: list[str] = []
    for piece in _PIECE.findall(kept):
        if is_cjk(piece):
            words += [piece[i : i + 2] for i in range(len(piece) - 1)] if len(piece) > 1 else [piece]
        elif not piece[0].isdigit() and piece not in _PASSED:
            words.append(_stem(piece))
    return Clause(
        frozenset(words), negative, frozenset(numbers), _ordered(plain), bool(_SINGLE_VALUED.search(plain))
    )


def _ordered(text: str) -> tuple[str, ...]:
    """Words and single CJK characters in order, without numbers."""
    found: list[str] = []
    for piece in _PIECE.findall(text):
        if is_cjk(piece):
            found += piece
        elif not piece[0].isdigit():
            found.append(piece)
    return tuple(found)

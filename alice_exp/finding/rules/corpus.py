"""The living blocks as a searchable collection: their texts, how one stands, and those of them that may be answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from alice_exp.finding.rules.concerns import Standing, block_text, is_living, standing
from alice_exp.finding.rules.scorer import Scored, Texts
from alice_exp.kernel.jsonc.scan import Json
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Placed

AT_ONCE = 256
"""How many texts of a large collection are scored at a time, the best by plain BM25 first."""


class Found(NamedTuple):
    """Blocks by number that may be answers: their matches, and what tells how one of them stands."""

    scored: Scored
    standing: Callable[[int], Standing]


class Searchable(Protocol):
    """The searchable blocks of a home (not archived, not obsolete), by numbers that mean nothing outside of it.

    Two implementations: ``Corpus`` over blocks in memory, and the index in ``store.index_query``.
    """

    def found(self, question: str, also: Callable[[], Iterable[int]]) -> Iterator[Found]:
        """The blocks that share a word with the question or another name of one, at most ``AT_ONCE`` at a time, the
        likeliest first; the first of these with the blocks ``also``."""

    def of_files(self, paths: Collection[str]) -> Searchable:
        """The same collection, of which the blocks of some files alone may be answers."""

    def among(self, numbers: Collection[int]) -> Searchable:
        """The same collection, of which some blocks alone may be answers."""

    def blocks(self, numbers: Sequence[int]) -> Sequence[Placed]:
        """The blocks with these numbers, in the order asked."""

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """The trigger context of each block that has one, by the block's number."""


@dataclass(frozen=True)
class Corpus:
    """A ``Searchable`` of blocks in memory, used where the index does not answer: every block is scored."""

    placed: tuple[Placed, ...]
    texts: Texts
    only: frozenset[int] | None = None

    @classmethod
    def of(cls, blocks: Iterable[Placed], counts: Callable[[Placed], bool] | None = None) -> Corpus:
        """A corpus of the living blocks, or those that count, file by file, with each file's in the order given."""
        living = sorted(filter(counts or is_living, blocks), key=lambda placed: placed.path)
        texts = [block_text(one.block) for one in living]
        situations = [one.block.trigger.text for one in living]
        sizes = Counter(one.path for one in living)
        return cls(tuple(living), Texts.of(texts, situations, [*sizes.values()]))

    def among(self, numbers: Collection[int]) -> Corpus:
        """See ``Searchable``."""
        return replace(self, only=frozenset(numbers))

    def of_files(self, paths: Collection[str]) -> Corpus:
        """See ``Searchable``."""
        return self.among([number for number, one in enumerate(self.placed) if one.path in paths])

    def found(self, question: str, also: Callable[[], Iterable[int]]) -> Iterator[Found]:
        """See ``Searchable``."""
        also()
        if self.placed:
            yield Found(self.texts.find(question, self.only), self._standing)

    def _standing(self, number: int) -> Standing:
        return standing(self.placed[number].block, self.placed[number].place)

    def blocks(self, numbers: Sequence[int]) -> Sequence[Placed]:
        """See ``Searchable``."""
        return [self.placed[number] for number in numbers]

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """See ``Searchable``."""
        found = ((index, placed.block.trigger.context) for index, placed in enumerate(self.placed))
        return {index: context for index, context in found if context}

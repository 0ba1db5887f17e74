"""Values and protocols of search: postings, collection statistics, noise level, index and embedder.

``finding.rules.corpus`` computes the values from texts and the index stores them. Both give the same values, so that
a search answers the same with and without an index.
"""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Collection as Several

    from alice_exp.blocks.ports import AccessLog
    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.block import Place, Placed

R = TypeVar("R")


K1 = 1.2
B = 0.6
"""The BM25 parameters k1 (saturation of repeated tokens) and b (length normalisation), DESIGN 10."""

FEWEST = 16
"""The fewest texts from which anything is learned about their collection; smaller ones use fixed values."""

SHORT, LONG = 4, 32
"""The query lengths, in words, for which noise is measured."""


class Posting(NamedTuple):
    """A token's posting list: the indexes of the texts that contain it, ascending, and its count (1 to 255) in each."""

    indexes: Sequence[int]
    counts: Sequence[int]


@dataclass(frozen=True, slots=True)
class Noise:
    """The best match, in (0, 1], that a query of 4 or of 32 random words of the collection reaches."""

    short: float
    long: float

    def at(self, size: float) -> float:
        """The noise level of a query of ``size`` words, at least ``SHORT``: the power law through both measured
        points."""
        slope = math.log(self.long / self.short) / math.log(LONG / SHORT)
        return min(1.0, self.short * math.pow(max(1.0, size / SHORT), slope))

    @classmethod
    def joined(cls, parts: Iterable[tuple[int, Noise]]) -> Noise:
        """The geometric mean over (number of texts, noise), weighted by the number of texts."""
        # NO_NOISE is the prior, with the weight of FEWEST texts, so that small files move it little.
        known = [(FEWEST, NO_NOISE), *((count, noise) for count, noise in parts if count >= FEWEST)]
        whole = sum(count for count, _ in known)
        short = math.fsum(count * math.log(noise.short) for count, noise in known) / whole
        long = math.fsum(count * math.log(noise.long) for count, noise in known) / whole
        return cls(math.exp(short), math.exp(long))


NO_NOISE = Noise(0.28, 0.12)
"""The noise assumed for fewer than ``FEWEST`` texts."""


class Standing(NamedTuple):
    """The parts of a block's score other than its match: trust · confidence · importance's factor in [0, 1.25], the
    type (for the half-life), the last change (seconds since 1970; ``None``: just now), and by how much consolidation
    and emotional weight stretch the half-life, in [1, 4.5]."""

    weight: float
    type: str
    updated: float | None
    stretch: float


@dataclass(frozen=True)
class Statistics:
    """The statistics over all files: every text's length in thirds of a word, the index of each
    file's first text, and the noise level."""

    lengths: Sequence[int]
    starts: tuple[int, ...]
    noise: Noise

    @classmethod
    def of(cls, files: Iterable[tuple[Sequence[int], Noise]]) -> Statistics:
        """Join files, given as (lengths, noise) in the collection's order."""
        lengths = array("I")
        starts: list[int] = []
        noises: list[tuple[int, Noise]] = []
        for own, noise in files:
            starts.append(len(lengths))
            lengths.extend(own)
            noises.append((len(own), noise))
        return cls(lengths, tuple(starts), Noise.joined(noises))

    @property
    def total(self) -> int:
        """The number of texts."""
        return len(self.lengths)


class Collection(Protocol):
    """The searchable blocks of a home (not archived, not obsolete), numbered from 0 in the order of files and blocks.

    Two implementations: ``rules.corpus.Corpus`` over blocks in memory, and the index in ``store.index_query``.
    """

    @property
    def statistics(self) -> Statistics:
        """Text lengths, files' starts and noise of the whole collection."""
        ...

    def postings(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """The posting list of each token; a token that occurs nowhere is left out."""
        ...

    def blocks(self, indexes: Sequence[int]) -> Sequence[Placed]:
        """The blocks with these numbers, in the order asked."""
        ...

    def standings(self, indexes: Sequence[int]) -> Sequence[Standing]:
        """The ``Standing`` of the blocks with these numbers, in the order asked, without reading the blocks."""
        ...

    def numbers(self, ids: Several[str]) -> Sequence[int]:
        """The numbers of the blocks with these ids, as far as the collection has them."""
        ...

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """The trigger context of each block that has one, by the block's number."""
        ...


class Known(Collection, Protocol):
    """A collection that also lists blocks, including archived and obsolete ones, without reading their files."""

    def within(self, places: Several[Place]) -> Iterator[Placed]:
        """All blocks of the given sets or the archive, in the order of paths and within each file."""
        ...

    def starting_with(self, prefix: str, most: int = 10) -> list[Placed]:
        """At most ``most`` blocks whose id starts with ``prefix``, by id."""
        ...

    def concerned(self, concern: str) -> list[Placed]:
        """The blocks with a concern (``rules.concerns``)."""
        ...


class Meanings(Protocol):
    """Likeness of meaning. Never raises when the embedder fails: it warns, and words alone answer."""

    def cosines(self, query: str, texts: Sequence[str]) -> list[float] | None:
        """The cosine in [-1, 1] of the query with each text; ``None``: words alone."""
        ...


class Index(Protocol):
    """Answers questions about all blocks without reading their files; derived, and deletable at any time."""

    def ask(self, question: Callable[[Known], R]) -> R | None:
        """Call ``question`` with the index and return its answer; ``None`` when the files have to be read instead.

        The ``Known`` passed to the question is valid only during the call.
        """
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search needs: the home, its index, the log of reads, the caller with the time, and the embedder
    (``None``: words alone)."""

    home: Home
    index: Index
    access: AccessLog
    caller: Caller
    meanings: Meanings | None = None

"""A collection of searchable texts as values: where tokens stand, how long texts are, what mere chance matches.

``finding.rules.bm25`` computes them from texts, an index stores them, and both ways of keeping a collection give
the same values, so that a search answers the same with and without an index.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

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
"""BM25: how fast repeats stop counting, and how much a long text is discounted."""

FEWEST = 16
"""Fewer texts teach nothing about their collection."""

SHORT, LONG = 4, 32
"""The numbers of words for which noise is measured."""


class Posting(NamedTuple):
    """Where a token stands: indexes of texts, rising, and how often (1 to 255) in each."""

    indexes: Sequence[int]
    counts: Sequence[int]


@dataclass(frozen=True, slots=True)
class Noise:
    """What the best text reaches, as a match in (0, 1], for 4 and for 32 jumbled words of the collection."""

    short: float
    long: float

    def at(self, size: float) -> float:
        """The same for any number of words: it falls with a power of their number."""
        slope = math.log(self.long / self.short) / math.log(LONG / SHORT)
        return min(1.0, self.short * math.pow(max(1.0, size) / SHORT, slope))

    @classmethod
    def joined(cls, parts: Iterable[tuple[int, Noise]]) -> Noise:
        """The geometric mean over (number of texts, noise); few texts say little against ``NO_NOISE``."""
        known = [(FEWEST, NO_NOISE), *((count, noise) for count, noise in parts if count >= FEWEST)]
        whole = sum(count for count, _ in known)
        short = math.fsum(count * math.log(noise.short) for count, noise in known) / whole
        long = math.fsum(count * math.log(noise.long) for count, noise in known) / whole
        return cls(math.exp(short), math.exp(long))


NO_NOISE = Noise(0.28, 0.12)
"""What is assumed of a few texts."""


class Standing(NamedTuple):
    """What a block's score needs beside its match: trust · confidence in [0, 1], the type that says how fast it
    fades, when it changed (seconds since 1970; ``None``: just now), and its consolidation in [0, 1]."""

    weight: float
    type: str
    updated: float | None
    settled: float


class Span(NamedTuple):
    """One file's texts in the collection: first index, end, and what neighbours lend (``rules.calibration``)."""

    start: int
    stop: int
    near: tuple[float, ...]


@dataclass(frozen=True)
class Statistics:
    """What all files come to: the lengths of all texts in tokens, where each file's lie, and the noise."""

    lengths: Sequence[int]
    spans: tuple[Span, ...]
    noise: Noise

    @classmethod
    def of(cls, files: Iterable[tuple[Sequence[int], tuple[float, ...], Noise]]) -> Statistics:
        """Join files, given as (lengths, near, noise) in the collection's order."""
        lengths = array("I")
        spans: list[Span] = []
        noises: list[tuple[int, Noise]] = []
        for own, near, noise in files:
            spans.append(Span(len(lengths), len(lengths) + len(own), near))
            lengths.extend(own)
            noises.append((len(own), noise))
        return cls(lengths, tuple(spans), Noise.joined(noises))

    @property
    def total(self) -> int:
        """How many texts there are."""
        return len(self.lengths)

    @cached_property
    def dampening(self) -> list[float]:
        """k1 · (1 − b + b · length / average), for each text."""
        average = sum(self.lengths) / max(1, self.total) or 1.0
        base, slope = K1 * (1 - B), K1 * B / average
        return [base + slope * length for length in self.lengths]

    @cached_property
    def once(self) -> list[float]:
        """How far a token that stands once fills each text, in (0, 1): 1 / (1 + dampening); nearly all stand once."""
        return [1 / (1 + dampening) for dampening in self.dampening]

    def idf(self, holders: int) -> float:
        """ln(1 + (N − n + 0.5) / (n + 0.5)); a token that no text has counts like one that a single text has."""
        held = max(1, holders)
        return math.log1p((self.total - held + 0.5) / (held + 0.5))


class Collection(Protocol):
    """The living blocks of a home as a search sees them, numbered from 0 in the order of files and blocks.

    Two implementations: ``rules.ranking.Corpus`` over blocks in memory, and the index in ``store.index_query``.
    """

    @property
    def statistics(self) -> Statistics:
        """What all texts come to."""
        ...

    def postings(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """Where each of the tokens stands; a token that stands nowhere is left out."""
        ...

    def blocks(self, indexes: Sequence[int]) -> Sequence[Placed]:
        """The blocks with these numbers, in the order asked."""
        ...

    def standings(self, indexes: Sequence[int]) -> Sequence[Standing]:
        """What the scores of the blocks with these numbers need, in the order asked, without reading them."""
        ...

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """The trigger's context of each block that has one, by its number."""
        ...


class Known(Collection, Protocol):
    """A collection that also lists blocks, archived and obsolete ones too, without reading their files."""

    def within(self, places: Several[Place]) -> Iterator[Placed]:
        """All blocks of some sets or the archive, in the order of paths and within each file."""
        ...

    def starting_with(self, prefix: str, most: int = 10) -> list[Placed]:
        """The blocks whose id begins so, by id, at most so many."""
        ...


@dataclass(frozen=True, slots=True)
class Nearness:
    """One query against a collection: the cosine in [-1, 1] of each text that has one, by its number in the
    collection, and how much cosines count there, in [0, 1] (``finding.rules.hybrid_score.learned_weight``)."""

    cosines: Mapping[int, float]
    weight: float


class Meanings(Protocol):
    """What a collection means to an embedder. Never raises for what the embedder does: it warns, and words answer."""

    def near(self, queries: Sequence[str], collection: Collection) -> Iterable[Nearness | None]:
        """How near the collection's texts are to each query, in order; ``None``: words alone."""
        ...


class Index(Protocol):
    """What answers questions about all blocks without reading their files: derived, and deletable at any time."""

    def ask(self, question: Callable[[Known], R]) -> R | None:
        """The answer to a question about the living blocks and the archive.

        ``None`` where the files have to answer. What the question is given must not be kept.
        """
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """All that a search asks: the home, its index, the log of reads, who asks when, and the embedder (None: words
    alone)."""

    home: Home
    index: Index
    access: AccessLog
    caller: Caller
    meanings: Meanings | None = None

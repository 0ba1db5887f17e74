"""The living blocks as a searchable collection: their texts, how one stands, and what reads settle."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from itertools import chain, groupby
from typing import TYPE_CHECKING

from alice_exp.finding.ports import Noise, Posting, Standing, Statistics
from alice_exp.finding.rules.noise import learn_noise, sample_size
from alice_exp.finding.rules.parsed_query import pairs_of
from alice_exp.kernel.text.tokens import thirds, tokens_many
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.consolidation import importance_factor, seconds, stretch
from alice_exp.model.values.block import CONFIDENCE, TRUST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Collection as Several

    from alice_exp.finding.ports import Collection
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.block import Block, Place, Placed


@dataclass(frozen=True, slots=True)
class Segment:
    """The statistics of one file's texts, in file order; a function of the texts.

    ``noise`` is the match that random words reach; ``postings`` hold single tokens and, as ``"a b"``, pairs of
    neighbouring Latin stems.
    """

    lengths: array[int]
    postings: Mapping[str, Posting]
    noise: Noise

    @classmethod
    def of(cls, texts: Sequence[str]) -> Segment:
        """Tokenise and count texts; the noise level is measured on the first ``sample_size``."""
        return cls(*index_texts(texts), learn_noise(tokens_many(texts[: sample_size(len(texts))])))


def index_texts(texts: Sequence[str]) -> tuple[array[int], dict[str, Posting]]:
    """The lengths of texts in thirds of a word, and the postings of their tokens and pairs."""
    rows = tokens_many(texts)
    found: defaultdict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        for token in chain(row, pairs_of(row)):
            found[token].append(index)
    return array("I", (sum(map(thirds, row)) for row in rows)), {
        token: posting_of(places) for token, places in found.items()
    }


def posting_of(places: Sequence[int]) -> Posting:
    """A token's posting from the text index of each of its occurrences, ascending."""
    # Nearly every token occurs once in each text, and counting takes ten times as long.
    if len(set(places)) == len(places):
        return Posting(places, b"\1" * len(places))
    counted = Counter(places)
    # One byte a count in the index: BM25 saturates long before 255.
    return Posting(list(counted), bytes(min(count, 255) for count in counted.values()))


LONGEST = stretch(1.0, 1.0)
"""The most half-lives of its type that a block can last."""


def block_text(block: Block) -> str:
    """A block's searchable text: trigger, keywords, payload with its steps, tags (DESIGN 10)."""
    trigger, payload = block.trigger, block.payload
    return "\n".join((trigger.text, *trigger.keywords, payload.content, *payload.steps, *block.tags))


@dataclass(frozen=True)
class Corpus:
    """A ``Collection`` of blocks in memory, used where the index does not answer."""

    placed: tuple[Placed, ...]
    statistics: Statistics
    segments: tuple[Segment, ...]

    @classmethod
    def of(cls, blocks: Iterable[Placed]) -> Corpus:
        """A corpus of the living blocks, file by file, with each file's blocks in the order given."""
        living = sorted((placed for placed in blocks if is_living(placed)), key=lambda placed: placed.path)
        files = [list(group) for _, group in groupby(living, key=lambda placed: placed.path)]
        segments = tuple(Segment.of([block_text(one.block) for one in file]) for file in files)
        statistics = Statistics.of((one.lengths, one.noise) for one in segments)
        return cls(tuple(living), statistics, segments)

    def postings(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """See ``finding.ports.Collection``."""
        return joined_postings(
            (start, {token: one.postings[token] for token in tokens & one.postings.keys()})
            for start, one in zip(self.statistics.starts, self.segments, strict=True)
        )

    def blocks(self, indexes: Sequence[int]) -> Sequence[Placed]:
        """See ``finding.ports.Collection``."""
        return [self.placed[index] for index in indexes]

    def standings(self, indexes: Sequence[int]) -> Sequence[Standing]:
        """See ``finding.ports.Collection``."""
        return [standing(self.placed[index].block, self.placed[index].place) for index in indexes]

    def numbers(self, ids: Several[str]) -> Sequence[int]:
        """See ``finding.ports.Collection``."""
        return [index for index, placed in enumerate(self.placed) if placed.block.id in ids]

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """See ``finding.ports.Collection``."""
        found = ((index, placed.block.trigger.context) for index, placed in enumerate(self.placed))
        return {index: context for index, context in found if context}


@dataclass(frozen=True)
class Settling:
    """A ``Collection`` in which some blocks, by ``number``, are more settled than the index says.

    What settles a block only slows its decay. So their standings are given as if they decayed as slowly as can be, and
    a ranking that reads from the best on computes what few blocks it comes to.
    """

    collection: Collection
    number: frozenset[int]
    settled: Callable[[Placed], Placed]

    @property
    def statistics(self) -> Statistics:
        """See ``finding.ports.Collection``."""
        return self.collection.statistics

    def postings(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """See ``finding.ports.Collection``."""
        return self.collection.postings(tokens)

    def blocks(self, indexes: Sequence[int]) -> Sequence[Placed]:
        """See ``finding.ports.Collection``."""
        held = self.collection.blocks(indexes)
        return [
            self.settled(placed) if index in self.number else placed
            for index, placed in zip(indexes, held, strict=True)
        ]

    def standings(self, indexes: Sequence[int]) -> Sequence[Standing]:
        """See ``finding.ports.Collection``; no standing is below that of the block."""
        held = self.collection.standings(indexes)
        return [
            own._replace(stretch=LONGEST) if index in self.number else own
            for index, own in zip(indexes, held, strict=True)
        ]

    def numbers(self, ids: Several[str]) -> Sequence[int]:
        """See ``finding.ports.Collection``."""
        return self.collection.numbers(ids)

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """See ``finding.ports.Collection``."""
        return self.collection.contexts()


def standing(block: Block, place: Place) -> Standing:
    """The ``finding.ports.Standing`` of a block in the set ``place``."""
    updated = seconds(block.updated_at) if block.updated_at else None
    weight = TRUST[place] * CONFIDENCE[block.state] * importance_factor(block)
    return Standing(weight, block.type, updated, stretch(block.consolidation_score, block.emotional_weight))


def is_living(placed: Placed) -> bool:
    """Whether a block can be found: neither archived nor obsolete (DESIGN 4)."""
    return placed.place != "archive" and placed.block.state != "obsolete"


def joined_postings(files: Iterable[tuple[int, Mapping[str, Posting]]]) -> dict[str, Posting]:
    """Merge the postings of files, each given with the number of its first block, ascending."""
    found: defaultdict[str, tuple[list[int], bytearray]] = defaultdict(lambda: ([], bytearray()))
    for start, postings in files:
        for token, (indexes, counts) in postings.items():
            joined, counted = found[token]
            joined.extend(map(start.__add__, indexes) if start else indexes)
            counted.extend(counts)
    return {token: Posting(*joined) for token, joined in found.items()}

"""Counts of reads: shown from the log at once, folded into blocks and episodes once a day (R3.4-R3.6, R3.34, B2.30)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.model.rules.consolidation import Weights, consolidation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from alice_exp.model.values.block import Placed, Reads
    from alice_exp.model.values.changes import Put
    from alice_exp.model.values.config import Config
    from alice_exp.model.values.records import EpisodeBook
    from alice_exp.model.values.snapshot import Snapshot


def counting(reads: Mapping[str, Reads], config: Config, now: str) -> Callable[[Placed], Placed]:
    """A function that gives a placed block with its pending reads counted in: count, last time, new consolidation."""
    half_lives, weights = config.half_life_days, Weights.of(config)

    def counted(placed: Placed) -> Placed:
        waiting = reads.get(placed.block.id)
        if waiting is None:
            return placed
        block = placed.block
        score = consolidation_of(
            block, now, half_life_days=half_lives, weights=weights, unfolded=waiting.count
        ).score
        # One copy, not two: a question counts a few blocks, and copying one takes a hundredth of a millisecond.
        settled = replace(
            block,
            access_count=block.access_count + waiting.count,
            last_accessed_at=max(block.last_accessed_at, waiting.last_at),
            consolidation_score=round(score, 6),
        )
        return replace(placed, block=settled)

    return counted


def folded(snapshot: Snapshot, reads: Mapping[str, Reads], now: str) -> tuple[Put, ...]:
    """The blocks that were read, with the reads counted in; ``updated_at`` stays (B3.13).

    Empty if one of them is in a file with a problem: the reads then wait until it is repaired.
    """
    from alice_exp.model.values.changes import Put

    found = snapshot.with_ids(reads.keys()).values()
    if any(placed.stale for placed in found):
        return ()
    counted = counting(reads, snapshot.config, now)
    return tuple(Put(counted(placed).block, placed.path) for placed in found if placed.place != "archive")


def folded_episodes(book: EpisodeBook, reads: Mapping[str, Reads]) -> EpisodeBook:
    """The book with the searches that returned its episodes counted in (R0.40, B0.8); the same object for none."""
    if not any(episode.id in reads for episode in book.episodes):
        return book
    counted = (
        replace(one, access_count=one.access_count + reads[one.id].count) if one.id in reads else one
        for one in book.episodes
    )
    return replace(book, episodes=tuple(counted))


def merged(puts: Iterable[Put], folds: Iterable[Put]) -> tuple[Put, ...]:
    """One put per block if an act changes blocks that were also read: the act's fields with the fold's counts."""
    by_id = {put.block.id: put for put in folds}
    result = []
    for put in puts:
        fold = by_id.pop(put.block.id, None)
        if fold is not None:
            counted = replace(
                put.block,
                access_count=fold.block.access_count,
                last_accessed_at=fold.block.last_accessed_at,
                consolidation_score=fold.block.consolidation_score,
            )
            put = replace(put, block=counted)
        result.append(put)
    return (*result, *by_id.values())

"""Looks up the blocks that share most words with a text: among those at hand, or those that only an index has read."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from alice_exp.finding.rules.concerns import TRUSTED_PLACES
from alice_exp.finding.rules.corpus import Corpus, Searchable, block_text
from alice_exp.finding.rules.ranking import rank
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.tokens import fingerprint_text, is_cjk, tokens_many
from alice_exp.model.rules.rejection import inference
from alice_exp.model.values.block import SETS, Block, Placed, is_put_away
from alice_exp.model.values.snapshot import Catalogue, Snapshot

SEARCHED = 24
"""How many blocks of each kind are compared closely."""

RECALLED = 0.15
"""The match from which ``recall``'s first answer to a text is a neighbour of it."""

_OWN = LazyPattern(r"\s*(?:(?:我|本人|用户)(?!们|的?[司校厂院组部])|i\b|my\b|(?:the )?user\b)")

LEAST = 200
"""The least number of blocks that weights assume, so that in a young home one word is not all."""


class Shelf:
    """Blocks among which the nearest are looked up: by a catalogue of ``paths``, where that answers, else by their
    words. ``living`` are those that a question is weighed among."""

    def __init__(
        self,
        blocks: Iterable[Placed],
        living: Iterable[Placed] = (),
        catalogue: Catalogue | None = None,
        paths: Sequence[str] = (),
    ) -> None:
        self._blocks, self._living, self._catalogue, self._paths = blocks, living, catalogue, paths

    def nearest(self, keys: frozenset[str]) -> Sequence[Placed]:
        """The blocks that share most of some keys by weight, the nearest first, at most ``SEARCHED``."""
        found = self._catalogue.sharing(self._paths, keys) if self._catalogue else None
        if found is None:
            self._catalogue = None
            placed, holders = self._held
            held = {key: holders[key] for key in keys if key in holders}
            found = [placed[at] for at in heaviest(held, len(placed))]
        return found

    def recalled(self, block: Block, nearest: Sequence[Placed]) -> list[Placed]:
        """``recalled`` by what a block says, at the time of its last change, of those nearest to it."""
        ids = [one.block.id for one in nearest]
        question = block_text(block), block.updated_at or block.created_at or "1970-01-01T00:00:00Z"
        found = self._catalogue.recalled(ids, *question) if self._catalogue else None
        if found is None:
            self._catalogue = None
            found = recalled(self._corpus.among(ids), *question)
        return found

    @cached_property
    def _corpus(self) -> Corpus:
        return Corpus.of([*self._living] or self._held[0])

    @cached_property
    def _held(self) -> tuple[list[Placed], Mapping[str, list[int]]]:
        placed, holders = list(self._blocks), defaultdict(list)
        for at, keys in enumerate(shelf_keys([one.block for one in placed])):
            for key in keys:
                holders[key].append(at)
        return placed, dict(holders)


def trusted(snapshot: Snapshot) -> Shelf:
    """What a snapshot trusts; not read where its catalogue knows all of it."""
    files = [file for file in snapshot.files if file.place in TRUSTED_PLACES]
    catalogue = snapshot.catalogue if all(file.is_unread for file in files) else None
    return Shelf(
        snapshot.within(*TRUSTED_PLACES), snapshot.within(*SETS), catalogue, [file.path for file in files]
    )


def recalled(blocks: Searchable, question: str, at: str) -> list[Placed]:
    """The block that ``recall`` answers first to a text at a time; none where its match is below ``RECALLED``."""
    found = rank(blocks, question, {}, at, 1, passing=lambda one: not is_put_away(one))
    return [one.placed for one in found if one.match >= RECALLED]


def heaviest(holders: Mapping[str, Sequence[int]], total: int) -> list[int]:
    """The numbers of the blocks that hold most of some keys by weight, ln(1 + (N − n + 0.5)/(n + 0.5)), at most
    ``SEARCHED``.

    ``holders`` are the blocks of each key, ``total`` how many there are.
    """
    shares: defaultdict[int, float] = defaultdict(float)
    for places in sorted(holders.values(), key=len):
        # What many hold tells little, and is counted where nothing rarer is shared.
        if len(places) <= max(64, total // 20) or len(shares) < SEARCHED:
            for at in places:
                shares[at] += _idf(len(places), total)
    return heapq.nsmallest(SEARCHED, shares, key=lambda at: (-shares[at], at))


def _idf(held: int, total: int) -> float:
    return math.log1p((max(LEAST, total) - held + 0.5) / (held + 0.5))


def shelf_keys(blocks: Sequence[Block]) -> list[frozenset[str]]:
    """The keys by which each of some blocks is looked up: its words, CJK pairs, the mark of its trigger."""
    rows = tokens_many([f"{block.trigger.text}\n{inference(block.payload)}" for block in blocks])
    return [
        frozenset(
            (
                *no_characters(row),
                f"={fingerprint_text(block.trigger.text)}",
                "=user" if is_of_user(block) else "",
            )
        )
        for row, block in zip(rows, blocks, strict=True)
    ]


def is_of_user(block: Block) -> bool:
    """Whether a block is about the user: it says so, or its text begins with I, 我 or the user."""
    return block.about == "user" or begins_with_user(block.payload.content)


def begins_with_user(text: str) -> bool:
    """Whether a text begins with I, 我 or the user."""
    return bool(_OWN.match(text.lower()))


def no_characters(keys: Iterable[str]) -> Iterator[str]:
    """Keys without single CJK characters."""
    return (key for key in keys if len(key) > 1 or not is_cjk(key))

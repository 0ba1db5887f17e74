"""Looks up the blocks that share most words with a text: among those at hand, or those that only an index has read."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.tokens import fingerprint_text, is_cjk, tokens_many
from alice_exp.model.rules.rejection import inference
from alice_exp.model.values.block import Block, Placed
from alice_exp.model.values.snapshot import Snapshot

SEARCHED = 24
"""How many blocks of each kind are compared closely."""

_OWN = LazyPattern(r"\s*(?:(?:我|本人|用户)(?!们|的?[司校厂院组部])|i\b|my\b|(?:the )?user\b)")

LEAST = 200
"""The least number of blocks that weights assume, so that in a young home one word is not all."""


class Shelf:
    """Blocks among which the nearest are looked up: by ``known``, where that answers, else by their words."""

    def __init__(
        self,
        blocks: Iterable[Placed],
        known: Callable[[frozenset[str], frozenset[str]], tuple[Sequence[Placed], float] | None]
        | None = None,
    ) -> None:
        self._blocks, self._known = blocks, known

    def nearest(self, keys: frozenset[str], own: frozenset[str]) -> tuple[Sequence[Placed], float]:
        """The blocks that share most of some keys by weight, the nearest first, at most ``SEARCHED``, and how much of
        the weight of a text's own keys the first one holds."""
        found = self._known(keys, own) if self._known else None
        if found is None:
            self._known = None
            placed, holders = self._held
            held = {key: holders[key] for key in keys if key in holders}
            best, share = heaviest(held, len(placed), own)
            found = [placed[at] for at in best], share
        return found

    @cached_property
    def _held(self) -> tuple[list[Placed], Mapping[str, list[int]]]:
        placed, holders = list(self._blocks), defaultdict(list)
        for at, keys in enumerate(shelf_keys([one.block for one in placed])):
            for key in keys:
                holders[key].append(at)
        return placed, dict(holders)


def trusted(snapshot: Snapshot) -> Shelf:
    """What a snapshot trusts; not read where its catalogue knows all of it."""
    files = [file for file in snapshot.files if file.place in ("personal", "universal")]
    is_known = snapshot.catalogue is not None and all(file.is_unread for file in files)
    paths = [file.path for file in files]
    known = partial(snapshot.catalogue.sharing, paths) if snapshot.catalogue and is_known else None
    return Shelf(snapshot.within("personal", "universal"), known)


def heaviest(
    holders: Mapping[str, Sequence[int]], total: int, own: Collection[str]
) -> tuple[list[int], float]:
    """The numbers of the blocks that hold most of some keys by weight, ln(1 + (N − n + 0.5)/(n + 0.5)), at most
    ``SEARCHED``; and how much of the weight of a text's ``own`` keys the first of them holds, in [0, 1].

    ``holders`` are the blocks of each key, ``total`` how many there are.
    """
    shares: defaultdict[int, float] = defaultdict(float)
    for places in sorted(holders.values(), key=len):
        # What many hold tells little, and is counted where nothing rarer is shared.
        if len(places) <= max(64, total // 20) or len(shares) < SEARCHED:
            for at in places:
                shares[at] += _idf(len(places), total)
    best = heapq.nsmallest(SEARCHED, shares, key=lambda at: (-shares[at], at))
    weights = {key: _idf(max(1, len(holders.get(key, ()))), total) for key in own}
    held = sum(weights[key] for key in own if key in holders and best[0] in holders[key])
    return best, held / (sum(weights.values()) or 1.0)


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

"""Looks up the blocks that share most words with a text: among those at hand, or those that only an index has read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from alice_exp.finding.rules.concerns import TRUSTED_PLACES
from alice_exp.finding.rules.corpus import Corpus, Searchable, block_text, is_living
from alice_exp.finding.rules.ranking import rank
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.model.values.block import SETS, Block, Placed, is_put_away
from alice_exp.model.values.snapshot import Catalogue, Snapshot

SEARCHED = 24
"""How many blocks of each kind are compared closely."""

RECALLED = 0.15
"""The match from which ``recall``'s first answer to a text is a neighbour of it."""

_OWN = LazyPattern(r"\s*(?:(?:我|本人|用户)(?!们|的?[司校厂院组部])|i\b|my\b|(?:the )?user\b)")


class Shelf:
    """Blocks among which the nearest are looked up: those of some ``paths``, by a catalogue where that answers, else by
    the words of all ``blocks``."""

    def __init__(
        self, blocks: Iterable[Placed], paths: Collection[str] = (), catalogue: Catalogue | None = None
    ) -> None:
        self._blocks, self._paths, self._catalogue = blocks, paths, catalogue

    def nearest(self, block: Block, words: str, *, recalls: bool) -> tuple[Sequence[Placed], str]:
        """``nearest`` to what a block says, at the time of its last change."""
        at = (block.updated_at or block.created_at or "1970-01-01T00:00:00Z") if recalls else ""
        asked = block_text(block), words, at
        found = self._catalogue.nearest(self._paths, *asked) if self._catalogue else None
        if found is None:
            self._catalogue = None
            found = nearest(self._corpus, *asked)
        return found

    @cached_property
    def _corpus(self) -> Corpus:
        whole = Corpus.of(self._blocks, lambda _: True)
        return whole.of_files(self._paths) if self._paths else whole


def trusted(snapshot: Snapshot) -> Shelf:
    """What a snapshot trusts; not read where its catalogue knows all of it."""
    files = [file for file in snapshot.files if file.place in TRUSTED_PLACES]
    catalogue = snapshot.catalogue if all(file.is_unread for file in files) else None
    return Shelf(filter(is_living, snapshot.within(*SETS)), [file.path for file in files], catalogue)


def nearest(blocks: Searchable, text: str, words: str, at: str) -> tuple[Sequence[Placed], str]:
    """The blocks that share most words with a text, or have one of ``words``, at most
    ``SEARCHED``; and the id of the one that ``recall`` answers first to the text at a time, "" where its match is below
    ``RECALLED`` or no time is given."""
    found = next(blocks.found(f"{text}\n{words}", tuple), None)
    numbers = found.scored.best()[:SEARCHED] if found else []
    first = (
        rank(blocks.among(numbers), text, {}, at, 1, passing=lambda one: not is_put_away(one)) if at else ()
    )
    recalled = next((one.placed.block.id for one in first if one.match >= RECALLED), "")
    return blocks.blocks(numbers), recalled


def is_of_user(block: Block) -> bool:
    """Whether a block is about the user: it says so, or its text begins with I, 我 or the user."""
    return block.about == "user" or begins_with_user(block.payload.content)


def begins_with_user(text: str) -> bool:
    """Whether a text begins with I, 我 or the user."""
    return bool(_OWN.match(text.lower()))

"""Recognises rejected inferences however they come in again (R2.19, D26; DESIGN 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.text.tokens import bag, fingerprint_text, words
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.similarity import plain_mark, same_inference
from alice_exp.model.values.block import Block, Payload, Placed, place_of
from alice_exp.model.values.snapshot import Snapshot

REFUSED, REFUSED_AS = "Refused", "Refused-As"
"""The trailers, in pairs, of an act that removed what was rejected before: the block's id, the rejected block's id."""


@dataclass(frozen=True, slots=True)
class Returned:
    """A hand-written block that says the same as ``rejected``; it does not stay in the pool (DESIGN 6, D26).

    ``placed`` is the block as it was typed, None if it has been removed already.
    """

    block_id: str
    rejected: Placed
    placed: Placed | None = None


@dataclass(frozen=True, slots=True)
class Rejections:
    """An index of rejected blocks: by their folded text, with and without its plain words, and by their words in any
    order."""

    by_text: dict[str, Placed]
    by_words: dict[tuple[str, ...], Placed]

    @classmethod
    def of(cls, rejected: Iterable[Placed]) -> Rejections:
        """Index the rejected archive; of equal texts the later rejection wins."""
        by_text: dict[str, Placed] = {}
        by_words: dict[tuple[str, ...], Placed] = {}
        for placed in rejected:
            text = inference(placed.block.payload)
            by_text[_plain(text)] = by_text[_mark(text)] = placed
            in_any_order = bag(text)
            if in_any_order:
                by_words[in_any_order] = placed
        return cls(by_text, by_words)

    @classmethod
    def within(cls, snapshot: Snapshot) -> Rejections:
        """Index the rejected blocks of a snapshot that includes the archive."""
        return cls.of(snapshot.rejected())

    def find(self, payload: Payload) -> Placed | None:
        """The rejected block that says the same, whatever its trigger; None if there is none."""
        if not self.by_text:
            return None
        text = inference(payload)
        known = self.by_text.get(_mark(text)) or self.by_text.get(_plain(text))
        if known is not None:
            return known
        in_any_order = bag(text)
        likely = self.by_words.get(in_any_order) if in_any_order else None
        return likely if likely and same_inference(inference(likely.block.payload), text) else None


def twin(payload: Payload, blocks: Iterable[Placed], counts: Callable[[Placed], bool]) -> Placed | None:
    """The block among ``blocks`` that ``counts`` and says the same to the word (DESIGN 13, identical), whatever its
    trigger."""
    text = inference(payload)
    # One search for the longest word spares the marks of all blocks that do not have it.
    needle = max(words(text), key=len, default="")
    having = (p for p in blocks if needle in inference(p.block.payload).lower())
    return Rejections.of(filter(counts, having)).find(payload)


def typed_again(
    blocks: Iterable[Block], path: str, before: Mapping[str, Placed], rejected: Iterable[Placed]
) -> tuple[Returned, ...]:
    """The blocks of a hand-edited file that say what was rejected and did not already do so in the last commit.

    ``blocks`` have ids; ``before`` is every block of the last commit, by id.
    """
    fresh = [block for block in blocks if not _was_there(block, path, before.get(block.id))]
    known = Rejections.of(rejected) if fresh else None
    found = ((block, known.find(block.payload)) for block in fresh if known is not None)
    return tuple(Returned(block.id, was, Placed(block, path)) for block, was in found if was is not None)


def _was_there(block: Block, path: str, old: Placed | None) -> bool:
    return (
        old is not None
        and old.place == place_of(path)
        and inference(old.block.payload) == inference(block.payload)
    )


def taken_out(acts: Iterable[Commit], snapshot: Snapshot) -> tuple[Returned, ...]:
    """What acts removed because it was rejected before, oldest first, except what is no longer rejected.

    ``acts`` are newest first; ``snapshot`` includes the archive.
    """
    pairs: dict[str, str] = {}
    for act in reversed(tuple(acts)):
        values = {
            name: [value for key, value in act.trailers if key == name] for name in (REFUSED, REFUSED_AS)
        }
        pairs.update(zip(values[REFUSED], values[REFUSED_AS], strict=False))
    if not pairs:
        return ()
    rejected = {placed.block.id: placed for placed in snapshot.rejected()}
    return tuple(
        Returned(block_id, rejected[known]) for block_id, known in pairs.items() if known in rejected
    )


def refusals(back: Sequence[Returned]) -> tuple[tuple[str, str], ...]:
    """The trailers from which ``taken_out`` reads."""
    return tuple(
        row for one in back for row in ((REFUSED, one.block_id), (REFUSED_AS, one.rejected.block.id))
    )


def inference(payload: Payload) -> str:
    """What a block claims: its content and steps as one text."""
    return " ".join((payload.content, *payload.steps))


def _mark(text: str) -> str:
    """A text's fingerprint, or the text itself if nothing of it is left ("!!!")."""
    return fingerprint_text(text) or f"={text}"


def _plain(text: str) -> str:
    """A text's plain mark, told apart from fingerprints."""
    return f"~{plain_mark(text) or _mark(text)}"

"""Recognises rejected inferences however they come in again (R2.19, D26; DESIGN 6).

What the archive holds is known by its words; the ledger knows a rejected text by fingerprints, whoever deleted it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from alice_exp.kernel.content_digest import sha256
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.text.tokens import bag, fingerprint_text, words
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.similarity import plain_mark, same_inference
from alice_exp.model.values.block import Archived, Block, Payload, Placed, path_of, place_of
from alice_exp.model.values.ledger_entry import KEYED, OPEN, Entry
from alice_exp.model.values.snapshot import Decisions, Snapshot

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
    order; ``decisions`` knows those that no file holds."""

    by_text: dict[str, Placed]
    by_words: dict[tuple[str, ...], Placed]
    decisions: Decisions | None = None

    @classmethod
    def of(cls, rejected: Iterable[Placed], decisions: Decisions | None = None) -> Rejections:
        """Index the rejected archive; of equal texts the later rejection wins."""
        by_text: dict[str, Placed] = {}
        by_words: dict[tuple[str, ...], Placed] = {}
        for placed in rejected:
            text = inference(placed.block.payload)
            by_text[_plain(text)] = by_text[_mark(text)] = placed
            in_any_order = bag(text)
            if in_any_order:
                by_words[in_any_order] = placed
        return cls(by_text, by_words, decisions)

    @classmethod
    def within(cls, snapshot: Snapshot) -> Rejections:
        """Index the rejected blocks of a snapshot that includes the archive."""
        return cls.of(snapshot.rejected(), snapshot.decisions)

    def find(self, payload: Payload) -> Placed | None:
        """The rejected block that says the same, whatever its trigger; None if there is none."""
        text = inference(payload)
        known = self.by_text.get(_mark(text)) or self.by_text.get(_plain(text))
        if known is not None:
            return known
        in_any_order = bag(text) if self.by_words else None
        likely = self.by_words.get(in_any_order) if in_any_order else None
        if likely and same_inference(inference(likely.block.payload), text):
            return likely
        entry = self.decisions.rejection(text) if self.decisions is not None else None
        return _unfiled(entry, payload) if entry is not None else None


def _unfiled(entry: Entry, payload: Payload) -> Placed:
    """A rejected block that no file holds: it said the same as this payload."""
    block = Block(entry.id, payload, archived=Archived("", entry.at, "rejected"), entry=entry)
    return Placed(block, path_of("archive", "rejected"))


def fingerprints(text: str, key: bytes = b"") -> tuple[str, ...]:
    """The names under which the ledger knows a rejected text: hashes of it folded, with and without its plain words.

    ``key`` makes them an HMAC-SHA256, which tells nothing of the text to who has not that: short texts are guessed.
    """
    found = dict.fromkeys((_mark(text), plain_mark(text) or _mark(text)))
    marks = [mark.encode("utf-8", "surrogatepass") for mark in found]
    if not key:
        return tuple(f"{OPEN}{sha256(mark).hexdigest()[:32]}" for mark in marks)
    import hmac

    return tuple(f"{KEYED}{hmac.digest(key, mark, 'sha256').hex()[:32]}" for mark in marks)


def twin(payload: Payload, blocks: Iterable[Placed], counts: Callable[[Placed], bool]) -> Placed | None:
    """The block among ``blocks`` that ``counts`` and says the same to the word (DESIGN 13, identical), whatever its
    trigger."""
    text = inference(payload)
    # One search for the longest word spares the marks of all blocks that do not have it.
    needle = max(words(text), key=len, default="")
    having = (p for p in blocks if needle in inference(p.block.payload).lower())
    return Rejections.of(filter(counts, having)).find(payload)


def typed_again(
    blocks: Iterable[Block], path: str, before: Mapping[str, Placed], decisions: Decisions
) -> tuple[Returned, ...]:
    """The blocks of a hand-edited file that say what was rejected and did not already do so in the last commit.

    ``blocks`` have ids; ``before`` is every block of the last commit, by id.
    """
    fresh = [block for block in blocks if not _was_there(block, path, before.get(block.id))]
    archive = path_of("archive", "rejected")
    rejected = (placed for placed in before.values() if placed.path == archive) if fresh else ()
    known = Rejections.of(rejected, decisions)
    found = ((block, known.find(block.payload)) for block in fresh)
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

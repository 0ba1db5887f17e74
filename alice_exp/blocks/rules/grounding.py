"""What a rule rests on: sentences of the person as evidence, and which candidate rests on the same (DESIGN 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from alice_exp.kernel.text.tokens import tokens
from alice_exp.model.rules.said_again import are_one, marks_of
from alice_exp.model.values.block import CUES, HEARD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from alice_exp.home.heard_queue import Heard, HeardQueue
    from alice_exp.model.values.block import Evidence, Payload, Placed


def resting_on(queue: HeardQueue, heard: Sequence[Heard]) -> tuple[Evidence, ...]:
    """The evidence of a rule that rests on sentences, the newest last; before them when the same was said in other
    sessions."""
    pieces = [piece for one in heard for piece in queue.again(one)] + [one.evidence for one in heard]
    return tuple(sorted(dict.fromkeys(pieces), key=lambda piece: (bool(piece.quote), piece.at)))


def is_heard(evidence: Iterable[Evidence]) -> bool:
    """Whether a piece of evidence is a sentence of a conversation."""
    return any(piece.kind == "session" and piece.quote for piece in evidence)


class Resting(Protocol):
    """What of a block or a draft says on which sentences it rests."""

    @property
    def payload(self) -> Payload:
        """What it says."""
        ...

    @property
    def origin(self) -> str:
        """Who found it: ``CUES`` or a model."""
        ...

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Its evidence, sentences among it."""
        ...

    @property
    def project(self) -> str:
        """Its project: of a draft all names."""
        ...


def said_again(blocks: Iterable[Placed]) -> Callable[[Resting], Placed | None]:
    """What finds the block that rests on the same order as a draft, said in another session of its project.

    Of one and the same sentence a rule takes the place of what cues found in it, and such a finding joins
    the rule; two rules of one sentence are two.
    """
    rows = ((placed, _marks(placed.block)) for placed in blocks if placed.block.origin in (HEARD, CUES))
    told = [(placed, marks) for placed, marks in rows if marks]

    def found(draft: Resting) -> Placed | None:
        mine, words, projects = (
            _marks(draft),
            set(tokens(draft.payload.content)),
            draft.project.split() or [""],
        )
        fits = [
            placed
            for placed, theirs in told
            if placed.block.project in projects
            and _join(mine, theirs, (draft.origin == CUES) != (placed.block.origin == CUES))
        ]
        return max(
            fits, key=lambda one: len(words.intersection(tokens(one.block.payload.content))), default=None
        )

    return found


_Marks = list[tuple[tuple[str, str], frozenset[str]]]


def _join(mine: _Marks, theirs: _Marks, is_one_sided: bool) -> bool:
    return any(
        is_one_sided if said == other else are_one(marks, others)
        for said, marks in mine
        for other, others in theirs
    )


def _marks(one: Resting) -> _Marks:
    pieces = [piece for piece in one.evidence if piece.kind == "session" and piece.quote]
    return [((piece.ref, piece.quote), marks_of(piece.quote)) for piece in pieces]

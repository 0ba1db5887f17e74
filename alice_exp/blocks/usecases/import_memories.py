"""What another memory holds comes in: into the pool, possible, with its origin and the words it came from.

The same piece comes in once: a second import of a file adds what is new in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from alice_exp.blocks.rules.memory_formats import Piece
from alice_exp.blocks.usecases.capture import Captured, Draft, memorize
from alice_exp.home.caller import Caller
from alice_exp.home.dry_run import DryHome
from alice_exp.home.ports import Home
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.text.tokens import fingerprint_text
from alice_exp.model.values.block import PLACES, Evidence, Payload, Placed, Trigger

QUOTE = 300
"""Characters of the words it came from that are kept as evidence."""

_KIND = "import"


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file: the candidates, how many pieces were imported before, how many a person had rejected."""

    placed: tuple[Placed, ...]
    known: int
    refused: tuple[str, ...] = ()
    commit: Commit | None = None


def draft_of_piece(kind: str, path: str, piece: Piece) -> Draft:
    """A piece as a draft; its evidence names where it stood: the id it had there, else file and line."""
    where = piece.name or f"{PurePath(path).name}:{piece.line}"
    return Draft(
        Payload(piece.payload),
        Trigger(piece.trigger),
        type=piece.type,
        about=piece.about,
        tags=piece.tags,
        evidence=(Evidence(_KIND, f"{kind}:{where}", quote=one_line(piece.payload, QUOTE)),),
        created_at=piece.at,
        origin=f"{_KIND}:{kind}",
    )


def with_origin(kind: str, path: str, line: int, draft: Draft) -> Draft:
    """A draft of one's own format with its origin and where it stood."""
    where = draft.key or f"{PurePath(path).name}:{line}"
    evidence = Evidence(_KIND, f"{kind}:{where}", quote=one_line(draft.payload.content, QUOTE))
    return replace(draft, lived=False, origin=f"{_KIND}:{kind}", evidence=(*draft.evidence, evidence))


def take_in(home: Home, caller: Caller, drafts: Sequence[Draft], *, dry_run: bool = False) -> Imported:
    """Import drafts in one commit; those that an earlier import brought, and living ones that say the same, stay."""
    seen = {_said(placed) for placed in home.read(PLACES)}
    new = [draft for draft in drafts if (draft.origin, _words(draft)) not in seen]
    if not new:
        return Imported((), len(drafts))
    captured = memorize(DryHome(home) if dry_run else home, caller, new, op="import", bulk=True)
    return Imported(_kept(captured), len(drafts) - len(new), captured.refused, captured.commit)


def _kept(captured: Captured) -> tuple[Placed, ...]:
    return tuple({one.block.id: one for one in captured.placed if one is not None}.values())


def _said(placed: Placed) -> tuple[str, tuple[str, ...]]:
    block = placed.block
    texts = (block.trigger.text, block.payload.content)
    return block.origin, tuple(fingerprint_text(text) for text in texts)


def _words(draft: Draft) -> tuple[str, ...]:
    return tuple(fingerprint_text(text) for text in (draft.trigger.text, draft.payload.content))

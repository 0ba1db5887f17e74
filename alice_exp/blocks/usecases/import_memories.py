"""Import of other programs' memories: into the pool, as ``possible``, with origin and a quote as evidence.

A piece is imported once: importing a file again adds only what is new in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from alice_exp.blocks.rules.memory_formats import Piece
from alice_exp.blocks.usecases.capture import Captured, Draft, memorize
from alice_exp.home.caller import Caller
from alice_exp.home.dry_run import DryHome
from alice_exp.home.ports import Home
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.text.tokens import fingerprint_text
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import PLACES, Evidence, Payload, Placed, Trigger

QUOTE = 300
"""The characters of the original text that are kept as evidence."""

_KIND = "import"


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: the candidates, the number imported before, and the ids that a person had rejected."""

    placed: tuple[Placed, ...]
    known: int
    refused: tuple[str, ...] = ()
    commit: Commit | None = None


def draft_of_piece(kind: str, path: str, piece: Piece) -> Draft:
    """A piece as a draft; its evidence names its source: the id that it had there, else file and line."""
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
    """A draft from the native format, with its origin and its source as evidence."""
    where = draft.key or f"{PurePath(path).name}:{line}"
    evidence = Evidence(_KIND, f"{kind}:{where}", quote=one_line(draft.payload.content, QUOTE))
    return replace(draft, lived=False, origin=f"{_KIND}:{kind}", evidence=(*draft.evidence, evidence))


def take_in(home: Home, caller: Caller, drafts: Sequence[Draft], *, dry_run: bool = False) -> Imported:
    """Import drafts in one commit; those that an earlier import brought in are skipped."""
    seen = {_source_and_texts(placed) for placed in home.read(PLACES)}
    new = [draft for draft in drafts if (draft.origin, _texts(draft)) not in seen]
    if not new:
        return Imported((), len(drafts))
    captured = memorize(DryHome(home) if dry_run else home, caller, new, op="import", bulk=True)
    return Imported(_kept(captured), len(drafts) - len(new), captured.refused, captured.commit)


def _kept(captured: Captured) -> tuple[Placed, ...]:
    # Equal pieces of one file become one block, which appears once for each of them.
    return tuple({one.block.id: one for one in captured.placed if one is not None}.values())


def _source_and_texts(placed: Placed) -> tuple[str, tuple[str, ...]]:
    block = placed.block
    texts = (block.trigger.text, block.payload.content)
    return block.origin, tuple(fingerprint_text(text) for text in texts)


def _texts(draft: Draft) -> tuple[str, ...]:
    return tuple(fingerprint_text(text) for text in (draft.trigger.text, draft.payload.content))

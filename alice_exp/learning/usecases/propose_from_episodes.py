"""What repeats in episodes becomes candidates, with the episodes as evidence (R0.3, R0.5, R0.51, D44).

Never above the pool, never what a person rejected, and nothing anew that is known already: twice does what once did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from alice_exp.blocks.usecases.capture import Draft, memorize
from alice_exp.episodes.rules.search_episodes import as_told
from alice_exp.episodes.usecases import named
from alice_exp.home.session import Session
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.value_class import dataclass, sha256
from alice_exp.learning.rules.distill import REPEATS, distill
from alice_exp.learning.rules.proposals import Proposal, lesson
from alice_exp.model.formats.record_schema import EPISODES_PATH
from alice_exp.model.rules.identity import Rejections, sameness
from alice_exp.model.values.block import PLACES, SETS, Placed
from alice_exp.model.values.records import Episode, EpisodeBook
from alice_exp.model.values.snapshot import Snapshot

TOOLS = "universal/tool_usage"
"""Where a lesson about what to do belongs: a warning of an action as much as the advice of one."""

Verdict = Literal["proposed", "known", "refused"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A proposal and what becomes of it: proposed, known already as ``block``, refused as ``block`` was rejected."""

    proposal: Proposal
    verdict: Verdict
    block: str = ""


@dataclass(frozen=True, slots=True)
class Distilled:
    """All proposals, surest first, and the one commit that took the new ones into the pool (None: there was none)."""

    judged: tuple[Judged, ...]
    episodes: int
    commit: Commit | None = None

    def count(self, verdict: Verdict) -> int:
        """How many proposals ended so."""
        return sum(one.verdict == verdict for one in self.judged)

    @property
    def ids(self) -> tuple[str, ...]:
        """The blocks that came of the proposals."""
        return tuple(one.block for one in self.judged if one.verdict == "proposed" and one.block)


def distil(session: Session, references: Sequence[str] = (), limit: int = 20) -> Distilled:
    """Find what repeats and propose it; with ``references`` the lesson of each of these episodes alone.

    Fewer than three episodes show no repetition: each of them is proposed as it is.
    """
    snapshot = session.target.read(PLACES, records=True)
    snapshot.require_record(EPISODES_PATH)
    book = snapshot.episodes or EpisodeBook()
    if references:
        proposals = tuple(
            map(lesson, filter(_teaches, (named(book, one) for one in dict.fromkeys(references))))
        )
    else:
        # Where there are too few for anything to repeat, each, the newest first.
        alone = book.episodes if sum(not one.unreported for one in book.episodes) < REPEATS else ()
        newest = sorted(filter(_teaches, alone), key=lambda one: (-one.timestamp, one.id))
        proposals = (*distill(book.episodes, limit), *map(lesson, newest))[:limit]
    judged = [_judged(snapshot, proposal) for proposal in proposals]
    drafts = [draft for one, draft in judged if one.verdict == "proposed"]
    captured = memorize(session.target, session.caller, drafts) if drafts else None
    placed = iter(captured.placed if captured is not None else ())
    done = []
    for one, _ in judged:
        if one.verdict == "proposed":
            found = next(placed, None)
            one = replace(one, block=found.block.id) if found is not None else replace(one, verdict="refused")
        done.append(one)
    return Distilled(tuple(done), len(book.episodes), captured.commit if captured is not None else None)


def draft_of(snapshot: Snapshot, proposal: Proposal) -> Draft:
    """A proposal as something lived: past, one verification, in the pool (B2.2), of the project of all its episodes."""
    shown, book = set(proposal.episodes), snapshot.episodes or EpisodeBook()
    projects = {one.project for one in book.episodes if one.id in shown}
    return Draft(
        proposal.payload,
        proposal.trigger,
        key=key_of(proposal),
        type=proposal.block_type,
        evidence=proposal.evidence,
        suggested=TOOLS if proposal.support.basis in ("action", "step") else "",
        lived=True,
        project=projects.pop() if len(projects) == 1 else "",
    )


def key_of(proposal: Proposal) -> str:
    """What a proposal is about, whatever its words are by now: its type and the trait that its episodes share."""
    support = proposal.support
    trait = proposal.episodes[0] if support.basis == "episode" else support.trait
    parts = (proposal.kind, support.type, support.basis, trait, support.condition)
    said = "\n".join(parts if support.condition else parts[:-1])
    return f"distill-{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _teaches(episode: Episode) -> bool:
    """Whether an episode says what was done, or learned, and how it ended."""
    told = as_told(episode)
    return not told.unreported and bool(told.action.strip() or told.reflection.strip())


def _judged(snapshot: Snapshot, proposal: Proposal) -> tuple[Judged, Draft]:
    """What becomes of a proposal, and its draft: where a candidate says the same, with the evidence that it lacks."""
    draft = draft_of(snapshot, proposal)
    refused = Rejections.within(snapshot).find(draft.payload) or _keyed([*snapshot.rejected()], draft)
    if refused is not None:
        return Judged(proposal, "refused", refused.block.id), draft
    known = _keyed(list(snapshot.within(*SETS)), draft)
    if known is None:
        return Judged(proposal, "proposed"), draft
    here = replace(draft.block, key="", project=known.block.project)
    is_same = sameness(replace(known.block, key="")) == sameness(here)
    cited = {piece.ref for piece in known.block.evidence}
    fresh = tuple(piece for piece in draft.evidence if piece.ref not in cited)
    if known.place == "low_value" and (fresh or not is_same):
        return Judged(proposal, "proposed"), replace(draft, evidence=fresh) if is_same else draft
    return Judged(proposal, "known", known.block.id), draft


def _keyed(placed: Sequence[Placed], draft: Draft) -> Placed | None:
    """The block of the same outside key and type; a trusted one before a candidate."""
    found = [one for one in placed if sameness(one.block) == sameness(draft.block)]
    return min(found, key=lambda one: one.place == "low_value", default=None)

"""A home as a ``MemoryStore`` (R4.27): memories are blocks about the user; saving one makes a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from alice_exp.blocks.usecases.capture import Draft, memorize
from alice_exp.conversations.ports import ANY, SearchFilter
from alice_exp.conversations.rules.hashed_vectors import cosine, embed, embed_block
from alice_exp.finding.rules.corpus import block_text
from alice_exp.home.caller import Caller, require_person
from alice_exp.home.ports import Home
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.text.tokens import keywords
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.expiry import is_expired
from alice_exp.model.values.block import CONFIDENCE, TRUST, Block, Placed
from alice_exp.model.values.changes import ChangeSet
from alice_exp.model.values.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class HomeMemories:
    """Implements ``conversations.ports.MemoryStore``. An agent may delete candidates only, a person anything."""

    home: Home
    caller: Caller
    embed = staticmethod(embed)

    def save(self, memory: Block) -> str:
        """Save one as a candidate; returns its id."""
        return self.save_all((memory,))[0]

    def save_all(self, memories: Sequence[Block]) -> tuple[str, ...]:
        """Save several in one commit; returns their ids in order (empty for one rejected before)."""
        drafts = [Draft.of(replace(one, about="user")) for one in memories]
        captured = memorize(self.home, self.caller, drafts, bulk=True)
        return tuple(placed.block.id if placed else "" for placed in captured.placed)

    def search_by_vector(
        self, embedding: Sequence[float], top: int, only: SearchFilter = ANY
    ) -> list[tuple[Block, float]]:
        """The nearest by cosine similarity, best first."""
        found = [
            (placed.block, cosine(embedding, embed_block(placed.block)))
            for placed in self._living()
            if placed.block.importance >= only.min_importance
            and placed.block.created_at >= only.created_after
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:top]

    def search_by_keyword(self, keyword: str, top: int) -> list[Block]:
        """Memories that share keywords, by how many, then by trust times confidence (B4.19)."""
        wanted = keywords(keyword)
        found = [(len(wanted & keywords(block_text(placed.block))), placed) for placed in self._living()]
        fitting = [(shared, placed) for shared, placed in found if shared]
        return [placed.block for _, placed in sorted(fitting, key=_order)[:top]]

    def delete(self, memory_id: str) -> bool:
        """Delete one from the home (git history keeps it); returns whether it existed."""

        def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, bool]:
            placed = snapshot.find(memory_id)
            if placed is None or placed.block.about != "user":
                return None, False
            if placed.place != "low_value":
                require_person(self.caller, "delete what was approved", f"alice-exp retire {memory_id}")
            act = Act("delete", self.caller.actor, self.caller.now, (memory_id,))
            return ChangeSet(act, removes=(memory_id,)), True

        return self.home.apply(plan)[1]

    def count(self) -> int:
        """The number of memories."""
        return len(self._living())

    def _living(self) -> list[Placed]:
        snapshot = self.home.read()
        wait = snapshot.config.wait
        return [
            placed
            for placed in snapshot
            if placed.block.about == "user"
            and placed.block.state != "obsolete"
            and not (placed.place == "low_value" and is_expired(placed.block, self.caller.now, wait))
        ]


def _order(pair: tuple[int, Placed]) -> tuple[int, float, str]:
    shared, placed = pair
    return -shared, -TRUST[placed.place] * CONFIDENCE[placed.block.state], placed.block.id

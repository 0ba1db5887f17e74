"""The queue of a person's own sentences that wait for a model to read them, outside git (DESIGN 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from alice_exp.model.values.block import Evidence


@dataclass(frozen=True, slots=True)
class Heard:
    """A sentence as it was said: host and project (all its names) of its session, its time (ISO-8601 UTC).

    ``ref`` is its message, ``session#index``; ``reported`` when a report that a person saw first came after it.
    """

    id: str
    ref: str
    host: str
    project: str
    at: str
    text: str
    reported: str = ""

    @property
    def session(self) -> str:
        """The conversation in which it was said."""
        return self.ref.partition("#")[0]

    @property
    def evidence(self) -> Evidence:
        """The sentence as evidence of a block, word for word."""
        from alice_exp.model.values.block import Evidence

        return Evidence("session", self.ref, self.at, self.text)

    def is_of(self, project: str) -> bool:
        """Whether it was said in a project (all its names), or in none where that is none."""
        return bool({*self.project.split()} & {*project.split()}) if project else not self.project


class HeardQueue(Protocol):
    """Sentences by id. What was read or dropped leaves only keyed hashes, by which it counts when it is said again."""

    def keep(self, said: Sequence[Heard]) -> int:
        """Add sentences (their ids are given here), each durably and once, also where it was read before; how many are
        new."""
        ...

    def waiting(self) -> tuple[Heard, ...]:
        """What waits, oldest first."""
        ...

    def found(self, ids: Collection[str]) -> tuple[Heard, ...]:
        """The sentences of these ids; ``NotFoundError`` where one is not in the queue."""
        ...

    def again(self, one: Heard) -> tuple[Evidence, ...]:
        """When the same was said in other sessions of that project in the last 180 days: those that wait with their
        words, of those that were read the day alone."""
        ...

    def remove(self, ids: Collection[str]) -> int:
        """Take sentences out, read or dropped; how many there were."""
        ...

    def age(self, now: str) -> int:
        """Note that a person sees a report now; what an earlier one came after thirty days ago goes. How many went."""
        ...

"""How near texts are in meaning: the value that a search joins to its words, and the edges that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from alice_exp.core.collection import Collection


@dataclass(frozen=True, slots=True)
class Nearness:
    """One query against a collection: the cosine in [-1, 1] of each text that has one, by its number in the
    collection, and how much cosines count there, in [0, 1] (``rules.meaning.learned_weight``)."""

    cosines: Mapping[int, float]
    weight: float


class Embedder(Protocol):
    """A model that turns texts into vectors; ``ProviderError`` where it fails, is too slow, or answers nonsense."""

    def embed(self, texts: Sequence[str], within: float) -> list[list[float]]:
        """One vector a text, in order, all of one length and of finite numbers; ``within`` so many seconds."""
        ...


class Meanings(Protocol):
    """What a collection means to an embedder. Never raises for what the embedder does: it warns, and words answer."""

    def near(self, queries: Sequence[str], collection: Collection) -> Iterable[Nearness | None]:
        """How near the collection's texts are to each query, in order; ``None``: words alone."""
        ...

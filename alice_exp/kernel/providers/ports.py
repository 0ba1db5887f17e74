"""What a language model and an embedder are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Embedder(Protocol):
    """A model that turns texts into vectors; ``ProviderError`` where it fails, is too slow, or answers nonsense."""

    def embed(self, texts: Sequence[str], within: float) -> list[list[float]]:
        """One vector a text, in order, all of one length and of finite numbers; ``within`` so many seconds."""
        ...


class Provider(Protocol):
    """A language model; ``ProviderError`` where it fails, is too slow, or answers nonsense."""

    def chat(self, prompt: str) -> str:
        """The model's answer to one prompt."""
        ...

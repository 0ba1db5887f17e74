"""The protocols of a language model and of an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """A model that turns texts into vectors; ``ProviderError`` if it fails, is too slow, or answers malformed data."""

    def embed(self, texts: Sequence[str], within: float) -> list[list[float]]:
        """One vector per text, in order, all of the same length and of finite numbers, within ``within`` seconds."""
        ...


class Provider(Protocol):
    """A language model; ``ProviderError`` if it fails, is too slow, or answers malformed data."""

    def chat(self, prompt: str) -> str:
        """The model's answer to one prompt."""
        ...

"""Cosines of a query with the texts that words found, by an embedder: one request a query, nothing is kept."""

from __future__ import annotations

import math
import time
from operator import mul
from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import AliceError, ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alice_exp.kernel.models import Embeddings

LIMIT = 2.0
"""Seconds that a question may wait for the embedder."""

REST = 30.0
"""Seconds for which a process does not call an embedder again after a failure."""

TEXT_LIMIT = 400
"""The characters of a text that are embedded: some servers refuse a whole request for one text of 512 tokens."""


class Embedded:
    """Likeness of meaning. Never raises when the embedder fails: it warns once and rests for ``REST`` seconds."""

    def __init__(self, embedder: Embeddings, warn: Callable[[AliceError], None]) -> None:
        self._embedder = embedder
        self._warn = warn
        self._rests_until = 0.0

    def cosines(self, query: str, texts: Sequence[str]) -> list[float] | None:
        """The cosine in [-1, 1] of the query with each text, within ``LIMIT`` seconds; ``None``: words alone."""
        if time.monotonic() < self._rests_until:
            return None
        try:
            asked, *vectors = self._embedder.embed([text[:TEXT_LIMIT] for text in (query, *texts)], LIMIT)
        except ProviderError as error:
            self._rests_until = time.monotonic() + REST
            self._warn(error)
            return None
        # 0 where one has no length.
        sized = ((one, math.hypot(*asked) * math.hypot(*one)) for one in vectors)
        return [round(sum(map(mul, asked, one)) / long, 6) if long else 0.0 for one, long in sized]


@once
def cosines(session: Session) -> Callable[[str, Sequence[str]], list[float] | None] | None:
    """The cosines of the configured embedder (``provider.embedding_model``); ``None``: words alone.

    It is reached at ``provider.base_url`` with the chat model's key.
    """
    base_url = session.config.text("provider.base_url")
    model = session.config.text("provider.embedding_model")
    if not base_url or not model:
        return None
    from alice_exp.kernel.models import Embeddings

    return Embedded(Embeddings(base_url, model, session.api_key), session.warn).cosines

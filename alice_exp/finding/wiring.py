"""What a search stands on: the index, the embedder, and all of it as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.blocks.wiring import access
from alice_exp.finding.ports import Finding
from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.finding.ports import Meanings
    from alice_exp.finding.store.search_index import HomeIndex


@once
def index(session: Session) -> HomeIndex:
    """The search index of the home."""
    from alice_exp.finding.store.search_index import HomeIndex

    return HomeIndex(session.home, session.warn)


@once
def meanings(session: Session) -> Meanings | None:
    """What the embedder of the configuration says (``provider.embedding_model``); None: words alone.

    It is at ``provider.base_url``, its key the same as the chat model's.
    """
    base_url = session.config.text("provider.base_url")
    model = session.config.text("provider.embedding_model")
    if not base_url or not model:
        return None
    from alice_exp.finding.store.vectors import KeptVectors
    from alice_exp.kernel.providers.embedding import Embeddings

    embedder = Embeddings(base_url, model, session.api_key)
    return KeptVectors(session.root / "state", model, embedder, session.warn)


def finding(session: Session) -> Finding:
    """Everything that a search asks, now."""
    return Finding(session.home, index(session), access(session), session.caller, meanings(session))

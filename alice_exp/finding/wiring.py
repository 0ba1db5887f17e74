"""Builds what a search needs from a session: the index and the embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from alice_exp.finding.store.search_index import HomeIndex
    from alice_exp.home.ports import Landed
    from alice_exp.model.values.snapshot import Catalogue


@once
def index(session: Session) -> HomeIndex:
    """The search index of the home."""
    from alice_exp.finding.store.search_index import HomeIndex

    return HomeIndex(session.home, session.warn)


def follow(session: Session) -> Callable[[Sequence[Landed]], None]:
    """What keeps the search index, if there is one, in step with this session's acts (``Session.follow_of``)."""
    path = session.root / "state" / "index.sqlite"
    # Without an index nothing of it is imported: whoever searches first makes it.
    return lambda landed: index(session).follow(landed) if landed and path.exists() else None


def catalogued(session: Session, contents: Mapping[str, str]) -> tuple[Collection[str], Catalogue] | None:
    """What the search index, if there is one, knows of files by their content (``Session.catalogued_of``)."""
    return index(session).catalogue(contents) if (session.root / "state" / "index.sqlite").exists() else None


@once
def cosines(session: Session) -> Callable[[str, Sequence[str]], list[float] | None] | None:
    """The cosines of the configured embedder (``provider.embedding_model``); ``None``: words alone.

    It is reached at ``provider.base_url`` with the chat model's key.
    """
    base_url = session.config.text("provider.base_url")
    model = session.config.text("provider.embedding_model")
    if not base_url or not model:
        return None
    from alice_exp.finding.store.embedded import Embedded
    from alice_exp.kernel.providers.chat import Embeddings

    return Embedded(Embeddings(base_url, model, session.api_key), session.warn).cosines

"""What an agent may propose: which of the person's sentences it may read, and how many candidates may wait."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from alice_exp.kernel.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.home.heard_queue import Heard
    from alice_exp.home.session import Session
    from alice_exp.model.values.block import Place

CONNECTION_CANDIDATES = 20
"""Candidates that one connection may add."""

PENDING = 256
"""Candidates that may wait for the person at all."""

BUDGET = 640
"""Tokens of the answer of ``heard`` at most (B4.2)."""


def told(sentences: Sequence[Heard]) -> dict[str, Any]:
    """As many sentences as fit ``BUDGET``, the oldest first, and what to do with them."""
    # A hook counts what waits, and reads none of it.
    from alice_exp.conversations.rules.context_window import estimate_tokens
    from alice_exp.conversations.rules.reading import TEN_LINES

    answer: dict[str, Any] = {
        "sentences": [],
        "left": len(sentences),
        "lines": TEN_LINES if sentences else "",
    }
    for one in sentences:
        answer["sentences"].append({"id": one.id, "at": one.at[:10], "text": one.text})
        answer["left"] -= 1
        if estimate_tokens(json.dumps(answer, ensure_ascii=False)) > BUDGET:
            answer["sentences"].pop()
            answer["left"] += 1
            break
    return answer


def require_room(session: Session, added: int) -> None:
    """Raise ``RefusedError`` where a connection that ``added`` so many candidates, or all together, may add no more."""
    if added >= CONNECTION_CANDIDATES:
        raise RefusedError(
            "this connection has added {count} candidates, which is the most it may",
            count=CONNECTION_CANDIDATES,
            hint="ask the person to review them: alice-exp heartbeat",
        )
    places: tuple[Place, ...] = ("low_value",)
    waiting = len(list(session.home.read(places)))
    if waiting >= PENDING:
        raise RefusedError(
            "{count} candidates wait for the person already, which is the most there may be",
            count=waiting,
            hint="ask the person to review them: alice-exp heartbeat",
        )

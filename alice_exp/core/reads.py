"""What the access log counts, apart from the ports: a list needs it, and the ports are many to load."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reads:
    """How often a block was read since the last fold, and when last (ISO-8601 UTC)."""

    count: int
    last_at: str

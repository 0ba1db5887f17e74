"""What is known: recall by score, one block, lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alice_exp.core.config import Json
from alice_exp.core.errors import UsageError
from alice_exp.core.model import BLOCK_TYPES, SETS, Place, Placed, Snapshot, is_approved
from alice_exp.core.ports import AccessLog, Home
from alice_exp.rules.expiry import is_expired
from alice_exp.rules.consolidation import decay_score
from alice_exp.rules.lifecycle import LEVELS, Level, at_least, level
from alice_exp.rules.ranking import Corpus, Match, rank
from alice_exp.usecases.access import placed_with_reads
from alice_exp.usecases.acts import ALL, Caller, resolve
from alice_exp.usecases.decide import thresholds_of


@dataclass(frozen=True, slots=True)
class Filters:
    """Which blocks count. Empty means any; ``since`` is ISO-8601 UTC, ``context`` must be shared key by key."""

    places: tuple[Place, ...] = SETS
    namespace: str = ""
    min_state: Level = "possible"
    states: tuple[Level, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: str = ""
    min_importance: float = 0.0
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """One block with what follows from formulas: level, decay, whether a person stands behind it."""

    placed: Placed
    level: Level
    decay: float
    approved: bool


def recall(
    home: Home,
    access: AccessLog,
    caller: Caller,
    query: str,
    context: Mapping[str, Json],
    top: int,
    filters: Filters,
) -> list[Match]:
    """What fits the query, best first; obsolete and archived blocks never (DESIGN 4, 10). Counts as a read."""
    _, matches = found(home, caller, query, context, filters, top)
    access.record([match.placed.block.id for match in matches], caller.now)
    return matches


def found(
    home: Home,
    caller: Caller,
    query: str,
    context: Mapping[str, Json],
    filters: Filters,
    top: int | None = None,
) -> tuple[Snapshot, list[Match]]:
    """What fits, with the snapshot that it was found in; counts as no read."""
    snapshot = home.read(filters.places)
    return snapshot, matches_in(snapshot, caller, query, context, filters, top)


def matches_in(
    snapshot: Snapshot,
    caller: Caller,
    query: str,
    context: Mapping[str, Json],
    filters: Filters,
    top: int | None = None,
) -> list[Match]:
    """What fits among the blocks of a snapshot, best first."""
    corpus = Corpus.of(_passing(snapshot, caller, filters))
    return _ranked(snapshot, corpus, caller, query, context, top)


def recall_many(
    home: Home, caller: Caller, queries: Sequence[tuple[str, Mapping[str, Json]]], top: int, filters: Filters
) -> list[list[Match]]:
    """The same for many queries over one reading of the home."""
    snapshot = home.read(filters.places)
    corpus = Corpus.of(_passing(snapshot, caller, filters))
    return [_ranked(snapshot, corpus, caller, query, context, top) for query, context in queries]


def _ranked(
    snapshot: Snapshot, corpus: Corpus, caller: Caller, query: str, context: Mapping[str, Json], top: int | None
) -> list[Match]:
    config = snapshot.config
    return rank(
        corpus,
        query,
        context,
        caller.now,
        top,
        gate=config.number("thresholds.match"),
        half_life_days=config.half_life_days,
    )


def show(home: Home, access: AccessLog, caller: Caller, reference: str) -> Shown:
    """One block, wherever it is; counts as a read, which the answer shows already (R3.34, B3.5)."""
    snapshot = home.read(ALL)
    placed = resolve(snapshot, reference)
    access.record([placed.block.id], caller.now)
    return _shown(snapshot, placed_with_reads(placed, access.pending(), snapshot, caller.now), caller)


def listing(home: Home, caller: Caller, filters: Filters, *, archived: bool = False) -> list[Shown]:
    """The blocks that pass, in file order; the archive only where asked for."""
    places: tuple[Place, ...] = (*filters.places, "archive") if archived else filters.places
    snapshot = home.read(places)
    passing = _passing(snapshot, caller, filters)
    if archived:
        passing += list(snapshot.within("archive"))
    return [_shown(snapshot, placed, caller) for placed in passing]


def _shown(snapshot: Snapshot, placed: Placed, caller: Caller) -> Shown:
    block = placed.block
    decay = decay_score(
        block.updated_at or caller.now,
        block.type,
        caller.now,
        half_life_days=snapshot.config.half_life_days,
        consolidation_score=block.consolidation_score,
    )
    return Shown(placed, level(block, thresholds_of(snapshot)), decay, is_approved(placed))


def _passing(snapshot: Snapshot, caller: Caller, filters: Filters) -> list[Placed]:
    thresholds = thresholds_of(snapshot)
    days = snapshot.config.number("heartbeat.expire_days")
    wanted = set(filters.tags)
    passing = []
    for placed in snapshot.within(*filters.places):
        block = placed.block
        if placed.place == "low_value" and is_expired(block, caller.now, days):
            continue
        has = level(block, thresholds)
        if (
            has == "obsolete"
            or not at_least(has, filters.min_state)
            or (filters.states and has not in filters.states)
            or (filters.namespace and placed.namespace != filters.namespace)
            or (filters.types and block.type not in filters.types)
            or not wanted <= set(block.tags)
            or (filters.since and block.updated_at < filters.since)
            or block.importance < filters.min_importance
            or (filters.origin and block.origin != filters.origin)
        ):
            continue
        passing.append(placed)
    return passing


def level_named(name: str) -> Level:
    """A level by its name; ``UsageError`` names them all."""
    for known in LEVELS:
        if known == name:
            return known
    raise UsageError("{name} is not a state", name=repr(name), hint=f"states are {', '.join(LEVELS)}")


def type_named(name: str) -> str:
    """A block type by its name; ``UsageError`` names them all."""
    if name not in BLOCK_TYPES:
        raise UsageError("{name} is not a type", name=repr(name), hint=f"types are {', '.join(BLOCK_TYPES)}")
    return name

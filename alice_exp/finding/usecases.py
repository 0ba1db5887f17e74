"""What is known: recall by score, one block, lists."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from alice_exp.blocks.store import access, counting
from alice_exp.kernel.errors import Hint, Names, UsageError
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import REPLACING, block_decay, replaced, waiting
from alice_exp.model.rules.lifecycle import LEVELS, Level, Thresholds, level
from alice_exp.model.values.block import (
    OUTSIDE,
    PLACES,
    REVIEWED,
    SETS,
    Block,
    Place,
    Placed,
    is_approved,
    is_of_team,
    is_put_away,
)
from alice_exp.model.values.snapshot import is_keyed, one_of, prefix, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from alice_exp.caller.acting import Caller
    from alice_exp.finding.rules.ranking import Match
    from alice_exp.finding.store.index_query import Indexed
    from alice_exp.home.file_home import Home
    from alice_exp.home.session import Session
    from alice_exp.kernel.jsonc import Json
    from alice_exp.model.values.config import Config
    from alice_exp.model.values.records import Episode

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Filters:
    """Which blocks count. Empty means any; ``since`` is ISO-8601 UTC.

    ``scenario`` wants an outcome there; ``min_reads`` and ``min_consolidation`` are for lists, which count reads in.
    """

    places: tuple[Place, ...] = SETS
    namespace: str = ""
    min_state: Level = "possible"
    states: tuple[Level, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: str = ""
    min_importance: float = 0.0
    origin: str = ""
    about: str = ""
    project: str = ""
    """Where the question is asked, as all names of the project apart by spaces: what belongs to it is preferred."""
    here_only: bool = False
    """Whether what belongs to another project is left out."""
    scenario: str = ""
    without: frozenset[str] = frozenset()
    """The ids of what is left out, as what waits for what replaces it."""
    min_reads: int = 0
    min_consolidation: float = 0.0


@dataclass(frozen=True, slots=True)
class Shown:
    """One block with what follows from formulas: level, decay, whether a person stands behind it."""

    placed: Placed
    level: Level
    decay: float

    @property
    def approved(self) -> bool:
        """Whether a person stands behind it as it is; worked out where it is told."""
        return is_approved(self.placed)


def recall(
    session: Session, query: str, context: Mapping[str, Json], top: int, filters: Filters
) -> list[Match]:
    """What fits the query, best first; obsolete and archived blocks never, nor what waits for what replaces it (DESIGN
    4, 10). Counts as a read.

    What the team of the working folder's repository says stands among it.
    """
    filters = replace(filters, without=replaced_ones(session))
    (matches,) = search(session, [(query, context)], filters, top)
    access(session).record([match.placed.block.id for match in matches], session.caller.now)
    passes = _passes(session.home.config(), filters)
    theirs = (one for one in of_team(session, query, context) if passes(one.placed))
    return sorted([*matches, *theirs], key=lambda one: -one.score)[:top]


EPISODES = 3
"""The most episodes that are told beside the blocks."""

TELLING = 0.6
"""The least share of a question's weight that an episode has to have to be told beside blocks."""


def episodes_beside(home: Home, query: str, since: str = "") -> list[tuple[float, Episode]]:
    """What was lived that fits a query, best first, at most three; each with its score in (0, 1]."""
    from alice_exp.model.values.records import EPISODES_PATH

    book = home.read((), records=EPISODES_PATH).episodes
    if not book or not book.episodes:
        return []
    # Ranking is loaded where something is ranked.
    from alice_exp.finding.rules.ranking import fitting_episodes

    return fitting_episodes(book.episodes, query, since, TELLING)[:EPISODES]


def search(
    session: Session,
    queries: Sequence[tuple[str, Mapping[str, Json]]],
    filters: Filters,
    top: int | None = None,
) -> list[list[Match]]:
    """What fits each query, over one state of the home; counts as no read.

    The index answers where it can, else the files: the answers are the same. Every living block counts in the
    statistics, the filters say which may be an answer.
    """
    home, caller, config = session.home, session.caller, session.home.config()
    # Ranking is loaded where something is ranked: lists and single blocks need nothing of it.
    from alice_exp.finding.rules.parsed_query import Query
    from alice_exp.finding.rules.ranking import RESCORED, by_meaning, of_days, preferring
    from alice_exp.finding.rules.scorer import Corpus

    # Reads that wait to be folded settle a block at once, so that `show` and `recall` never disagree (DESIGN 12.9).
    reads = access(session).pending()
    asked = partial(
        _ranking(session),
        passing=_passes(config, filters),
        waiting=frozenset(reads),
        settled=counting(reads, config, caller.now),
    )
    embedder = session.embedder
    near = partial(embedder.cosines, warn=session.warn) if embedder is not None else None

    def among(stored: Any) -> list[list[Match]]:
        # A lift may bring one in that stood just behind the last.
        least = max((top or 0) + _BEHIND * bool(filters.project), RESCORED * bool(near))
        answers = []
        for query, context in queries:
            days = Query.of(query, caller.now[:10]).days
            most = top if top is None else max(least, _OF_DAYS * bool(days))
            found = of_days(asked(stored, query, context, top=most), days)
            answers.append(preferring(found, filters.project))
        return answers

    found = _ask(session, among)
    if found is None:
        found = among(Corpus.of(home.read(SETS)))
    return [by_meaning(one, query, near)[:top] for (query, _), one in zip(queries, found, strict=True)]


def of_team(session: Session, query: str, context: Mapping[str, Json]) -> list[Match]:
    """What of the team's blocks fits a query, best first, ranked among themselves."""
    brought = session.team.told() if session.team is not None else ()
    if not brought:
        return []
    return _ranking(session)(brought, query, context)


def _ranking(session: Session) -> Callable[..., list[Match]]:
    """``ranking.rank`` as it is set in this home, now."""
    from alice_exp.finding.rules.ranking import rank

    config = session.home.config()
    gate = config.number("thresholds.fits")
    return partial(rank, now=session.caller.now, gate=gate, half_life_days=config.half_life_days)


def replaced_ones(session: Session) -> frozenset[str]:
    """The ids of what waits for what replaces it (``doubt.waiting``), from the index where it can answer."""
    from alice_exp.finding.rules.concerns import TRUSTED_PLACES

    found = _ask(
        session, lambda held: held.chosen("row IN (SELECT row FROM concerns WHERE kind = ?)", REPLACING)
    )
    return replaced(session.home.read(TRUSTED_PLACES)) if found is None else waiting(found)


def _ask(session: Session, question: Callable[[Indexed], R]) -> R | None:
    from alice_exp.finding.store.search_index import index

    return index(session).ask(question)


def show(session: Session, reference: str) -> Shown:
    """One block, wherever it is; counts as a read, which the answer shows already (R3.34, B3.5)."""
    config, reads, caller = session.home.config(), access(session), session.caller
    placed = look_up(session, reference)
    if not is_of_team(placed):
        reads.record([placed.block.id], caller.now)
    return _showing(config, caller)(counting(reads.pending(), config, caller.now)(placed))


def look_up(session: Session, reference: str) -> Placed:
    """The block that a reference stands for, in any set or the archive; raises like ``snapshot.resolve``. What
    waits outside of git is there for a person, what its team says in a repository's folder."""
    theirs = session.team.told() if session.team is not None and reference.startswith("team-") else ()
    if found := [placed for placed in theirs if placed.block.id == reference]:
        return found[0]
    places = REVIEWED if session.caller.is_person else PLACES
    if not is_keyed(reference):
        wanted = prefix(reference)
        if begun := _ask(session, lambda held: held.starting_with(wanted, 5)):
            return one_of(reference, wanted, begun)
    return resolve(session.home.read(places), reference)


_BEHIND = 20
_OF_DAYS = 256
"""How many of the best matches are looked through for those of a day that the question names."""

ORDERS: Mapping[str, Callable[[Block], float]] = {
    "reads": lambda block: block.access_count,
    "consolidation": lambda block: block.consolidation_score,
    "updated": lambda _: 0,
    "verified": lambda block: block.verifications,
}
"""What a list may be ordered by, most first; else it is in file order (R3.2)."""


def listing(
    session: Session, filters: Filters, *, archived: bool = False, order: str = "", most: int | None = None
) -> list[Shown]:
    """The blocks that pass, at most ``most``, in file order or by one of ``ORDERS``; the archive only where asked for.

    Reads that wait to be folded are counted in (B2.30); listing counts as none. In file order no more blocks are read
    than are listed.
    """
    if order and order not in ORDERS:
        raise UsageError(
            "unknown order {name}",
            name=repr(order),
            hint=Hint("orders are {names}", names=Names(tuple(ORDERS))),
        )
    home, caller, config = session.home, session.caller, session.home.config()
    passes, with_reads = _passes(config, filters), counting(access(session).pending(), config, caller.now)
    places: tuple[Place, ...] = (*filters.places, "archive") if archived else filters.places

    def kept(present: Iterable[Placed]) -> list[Placed]:
        living = (placed for placed in present if placed.place == "archive" or passes(placed))
        wanted = (
            placed
            for placed in map(with_reads, living)
            if placed.block.access_count >= filters.min_reads
            and placed.block.consolidation_score >= filters.min_consolidation
        )
        if order:
            newest = sorted(wanted, key=lambda one: one.block.updated_at, reverse=True)
            return sorted(newest, key=lambda one: -ORDERS[order](one.block))[:most]
        return list(islice(wanted, most))

    held = [*home.read(OUTSIDE)] if caller.is_person and "low_value" in places else ()
    found = _ask(session, lambda known: kept(chain(known.within(places), held)))
    found = kept(chain(home.read(places), held)) if found is None else found
    return [*map(_showing(config, caller), found)]


def _showing(config: Config, caller: Caller) -> Callable[[Placed], Shown]:
    now, half_lives, thresholds = caller.now, config.half_life_days, Thresholds.of(config)

    def shown(placed: Placed) -> Shown:
        block = placed.block
        return Shown(placed, level(block, thresholds), block_decay(block, now, half_life_days=half_lives))

    return shown


def _passes(config: Config, filters: Filters) -> Callable[[Placed], bool]:
    """Whether a block may be an answer: alive, and as the filters say."""
    thresholds = Thresholds.of(config)
    wanted, here = set(filters.tags), ("", *filters.project.split())

    def passes(placed: Placed) -> bool:
        block = placed.block
        has = level(block, thresholds)
        return (
            placed.place in filters.places
            and has != "obsolete"
            and not is_put_away(placed)
            and LEVELS.index(has) >= LEVELS.index(filters.min_state)
            and (not filters.states or has in filters.states)
            and (not filters.namespace or placed.namespace == filters.namespace)
            and (not filters.types or block.type in filters.types)
            and wanted <= set(block.tags)
            and (not filters.since or block.updated_at >= filters.since)
            and block.importance >= filters.min_importance
            and (not filters.origin or block.origin == filters.origin)
            and (not filters.about or block.about == filters.about)
            and (not filters.here_only or block.project in here)
            and block.id not in filters.without
            and (not filters.scenario or any(one.scenario == filters.scenario for one in block.evidence))
        )

    return passes


def level_named(name: str) -> Level:
    """A level by its name; ``UsageError`` names them all."""
    if name in LEVELS:
        return name
    raise UsageError(
        "{name} is not a state", name=repr(name), hint=Hint("states are {names}", names=Names(LEVELS))
    )

"""What happened, task by task: episodes added, kept within bounds, taken in and given out.

Plays the part of the source's ExperienceManager (R0.27-R0.54). What was pruned comes back from history (B0.13).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from alice_exp.blocks.store import access
from alice_exp.caller.acting import Caller, require_person
from alice_exp.episodes.rules import search_episodes
from alice_exp.episodes.rules.retention import Pruning, prune
from alice_exp.episodes.rules.search_episodes import Filters, Match
from alice_exp.home.session import Session
from alice_exp.kernel.errors import Hint, Names, NotFoundError, UsageError, followed
from alice_exp.kernel.journal.act import Act, Commit, committed
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass, gc_paused
from alice_exp.model.formats.record_schema import past_episodes
from alice_exp.model.values.block import SETS
from alice_exp.model.values.config import BY_NAME
from alice_exp.model.values.records import EPISODES_PATH, Episode, EpisodeBook
from alice_exp.model.values.snapshot import ChangeSet, Snapshot

CAPACITY = "episodes.capacity"
LIMIT = "episodes.result_limit"

NAMED = 100
"""An act's message names at most this many new episodes; what was pruned is always named."""

_REFERENCE = re.compile(r"(ep-)?([a-z2-9]{1,8})")


@dataclass(frozen=True, slots=True)
class Kept:
    """What an addition did: the episodes as kept, the ids pruned for them, the commit; ``left`` are ids that stand for
    something else here already, so that ours stayed."""

    episodes: tuple[Episode, ...]
    pruned: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    commit: Commit | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids, in the order given."""
        return tuple(episode.id for episode in self.episodes)


@dataclass(frozen=True, slots=True)
class Reflected:
    """An episode with its new reflection."""

    episode: Episode
    commit: Commit | None = None


@dataclass(frozen=True, slots=True)
class Pruned:
    """A cleaning by hand: what went, everything weighed, the commit (None: a dry run, or nothing to do)."""

    pruning: Pruning
    commit: Commit | None = None


def capacity_of(snapshot: Snapshot) -> int:
    """How many episodes there may be: the configuration's number where it is not the default, else the file's own."""
    configured = snapshot.config.count(CAPACITY)
    if configured != BY_NAME[CAPACITY].default:
        return max(1, configured)
    return snapshot.episodes.capacity if snapshot.episodes is not None else configured


def add_episode(
    session: Session,
    task: str,
    context: Mapping[str, Json] | None = None,
    action: str = "",
    result: Json = None,
    success: bool = False,
    reward: float | None = None,
    reflection: str = "",
    type: str = "",
    at: str = "",
) -> Kept:
    """Record one task (R0.14); ``reward`` in [0, 1], else 1 for a success and 0 for a failure; ``at`` else now."""
    worth = (1.0 if success else 0.0) if reward is None else reward
    told = Episode("", task, context or {}, action, result, success, worth, at, reflection, type)
    return add_episodes(session, [replace(told, project=session.enter().partition(" ")[0])])


def add_episodes(session: Session, episodes: Sequence[Episode]) -> Kept:
    """Record what happened; long results are shortened, and what is too much is pruned (R0.36, R0.48): a single one
    never by its own addition, many are committed whole first. ``UsageError`` for a reward outside [0, 1], a task that
    says nothing, an id that is taken."""
    caller = session.caller
    episodes = caller.as_kept(tuple(episodes))
    for episode in episodes:
        if not episode.task.strip():
            raise UsageError("an episode needs a task: what was to be done")
        if not 0 <= episode.reward <= 1:
            raise UsageError("a reward is a number from 0 to 1, not {reward}", reward=episode.reward)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Kept]:
        book = _present(snapshot)
        ids = _fresh(caller, book)
        limit = snapshot.config.count(LIMIT)
        taken = {episode.id for episode in book.episodes}
        named: list[Episode] = []
        for episode in followed(episodes):
            if episode.id in taken:
                raise UsageError("the id {id} is taken already", id=episode.id)
            one = replace(episode, id=episode.id or next(ids), at=episode.at or caller.now)
            taken.add(one.id)
            named.append(search_episodes.shorten_result(one, limit))
        if not named:
            return None, Kept(())
        grown = replace(book, episodes=(*book.episodes, *named))
        changes, pruned = _within_bounds(session, snapshot, grown, named, "add")
        return changes, Kept(tuple(named), pruned)

    return committed(session.target.apply(plan, SETS, records=EPISODES_PATH))


def take_in(session: Session, episodes: Sequence[Episode], *, replaces: bool = False) -> Kept:
    """Import episodes: what is not there is added, or (``replaces``, a person's act) nothing else kept (B0.16)."""
    caller = session.caller
    if replaces:
        require_person(caller, "replace the episodes", "alice-exp episode import FILE --replace")
    episodes = caller.as_kept(tuple(episodes))

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Kept]:
        book = _present(snapshot)
        limit = snapshot.config.count(LIMIT)
        incoming = [search_episodes.shorten_result(episode, limit) for episode in episodes]
        kept = replace(book, episodes=()) if replaces else book
        grown, added, left = search_episodes.join(kept, incoming, _fresh(caller, book, incoming))
        if grown == book:
            return None, Kept((), (), left)
        changes, pruned = _within_bounds(session, snapshot, grown, added, "import")
        return changes, Kept(added, pruned, left)

    return committed(session.target.apply(plan, SETS, records=EPISODES_PATH))


def tell_actions(session: Session, actions: Mapping[str, str], whole: Episode | None = None) -> Commit | None:
    """Keep what was done: in the episodes of these ids that tell no action of their own, and as ``whole``, in the place
    of an unreported episode of its id, whose time stays. None where all that stands there already."""

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, None]:
        book = _present(snapshot)
        told: dict[str, Episode] = {} if whole is None else {whole.id: whole}
        for one in book.episodes:
            if one.id in told:
                told[one.id] = replace(told[one.id], at=one.at) if one.unreported else one
            elif one.id in actions and not search_episodes.as_told(one).action:
                told[one.id] = replace(one, action=actions[one.id], told=one.action)
        if not (changed := [one for one in told.values() if one not in book.episodes]):
            return None, None
        kept = [told.pop(one.id, one) for one in book.episodes]
        grown = replace(book, episodes=(*kept, *told.values()))
        return _within_bounds(session, snapshot, grown, changed, "act in")[0], None

    return session.target.apply(plan, SETS, records=EPISODES_PATH)[0]


def reflect(session: Session, reference: str, text: str) -> Reflected:
    """Say afterwards what was learned (R0.16); the reflection before stays in history."""

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Reflected]:
        book = _present(snapshot)
        episode = named(book, reference)
        told = replace(episode, reflection=session.caller.as_kept(text))
        if told == episode:
            return None, Reflected(episode)
        episodes = tuple(told if one.id == told.id else one for one in book.episodes)
        act = _act(session, f"reflect on {told.id}", [told])
        return ChangeSet(act, episodes=replace(book, episodes=episodes)), Reflected(told)

    return committed(session.target.apply(plan, SETS, records=EPISODES_PATH))


def clean(session: Session, *, dry: bool = False) -> Pruned:
    """Take away the fifth that is worth least, due or not (R0.42); a person's act. ``dry`` only weighs."""
    if not dry:
        require_person(session.caller, "prune episodes", "alice-exp episode prune")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Pruned]:
        book = _present(snapshot)
        pruning = _pruning(session, snapshot, book, ())
        gone = _ids(pruning)
        if dry or not gone:
            return None, Pruned(pruning)
        left = replace(book, episodes=pruning.book.episodes)
        return ChangeSet(_act(session, cleaned(len(gone)), (), gone), episodes=left), Pruned(pruning)

    return committed(session.target.apply(plan, SETS, records=EPISODES_PATH))


def restore_episode(session: Session, reference: str) -> Kept:
    """Bring back an episode that was pruned or deleted, as history had it last; a person's act."""
    require_person(session.caller, "restore an episode", f"alice-exp episode restore {reference}")
    episode = _last(session, reference)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Kept]:
        book = _present(snapshot)
        if any(one.id == episode.id for one in book.episodes):
            raise UsageError("{id} is among the episodes already", id=episode.id)
        grown = replace(book, episodes=(*book.episodes, episode))
        changes, pruned = _within_bounds(session, snapshot, grown, [episode], "restore")
        return changes, Kept((episode,), pruned)

    return committed(session.target.apply(plan, SETS, records=EPISODES_PATH))


def named(book: EpisodeBook, reference: str) -> Episode:
    """The episode that an id or a unique prefix of one names (``UsageError``, ``NotFoundError``)."""
    wanted = prefix(reference)
    found = [episode for episode in book.episodes if episode.id.startswith(wanted)]
    exact = [episode for episode in found if episode.id == wanted]
    if len(found) > 1 and not exact:
        few = Names(episode.id for episode in found[:4])
        raise UsageError("{reference} fits several episodes: {few}", reference=reference, few=few)
    if not found:
        raise NotFoundError(
            "no episode has the id {reference}",
            reference=reference,
            hint=Hint(
                "see 'alice-exp episode list'; a pruned one comes back with 'alice-exp episode restore {id}'",
                id=reference,
            ),
        )
    return (exact or found)[0]


def prefix(reference: str) -> str:
    """A reference as the beginning of an episode's id; ``UsageError`` where it cannot be one."""
    if not (fits := _REFERENCE.fullmatch(reference)):
        raise UsageError(
            "{reference} is not an episode's id",
            reference=repr(reference),
            hint="an id looks like ep-7k2m9q4x",
        )
    return f"ep-{fits[2]}"


def found(count: int) -> str:
    """The source's own report of a search, as JSON answers tell it in every language (R0.31, B5.14)."""
    return f"找到 {count} 条相似经验"


def cleaned(count: int) -> str:
    """The source's own report of a cleaning (R0.44)."""
    return f"清理了 {count} 条低价值经验"


def _present(snapshot: Snapshot) -> EpisodeBook:
    snapshot.require_record(EPISODES_PATH)
    return snapshot.episodes or EpisodeBook()


def _fresh(caller: Caller, book: EpisodeBook, incoming: Iterable[Episode] = ()) -> Iterator[str]:
    taken = {episode.id for episode in (*book.episodes, *incoming)}
    while True:
        one = caller.new_id("ep")
        if one not in taken:
            taken.add(one)
            yield one


def _within_bounds(
    session: Session, snapshot: Snapshot, grown: EpisodeBook, fresh: Sequence[Episode], verb: str
) -> tuple[ChangeSet, tuple[str, ...]]:
    """The act that adds ``fresh``; what is too much goes with it, or after it where something new would go."""
    detail = f"{verb} {fresh[0].id if len(fresh) == 1 else len(fresh)}"
    left, gone = bounded(session, snapshot, grown, fresh)
    if gone and not {episode.id for episode in fresh}.isdisjoint(gone):
        after = _act(session, cleaned(len(gone)), (), gone)
        act = _act(session, detail, fresh)
        return ChangeSet(act, episodes=grown, then=ChangeSet(after, episodes=left)), gone
    detail = f"{detail}, {cleaned(len(gone))}" if gone else detail
    return ChangeSet(_act(session, detail, fresh, gone), episodes=left), gone


def bounded(
    session: Session, snapshot: Snapshot, grown: EpisodeBook, fresh: Sequence[Episode]
) -> tuple[EpisodeBook, tuple[str, ...]]:
    """A book within its capacity, and the ids that went for it; a single ``fresh`` episode never goes."""
    if len(grown.episodes) <= capacity_of(snapshot):
        return grown, ()
    pruning = _pruning(session, snapshot, grown, [fresh[0].id] if len(fresh) == 1 else ())
    return replace(grown, episodes=pruning.book.episodes), _ids(pruning)


def _pruning(session: Session, snapshot: Snapshot, book: EpisodeBook, kept: Collection[str]) -> Pruning:
    """The cleaning of a book within this home: what living blocks cite stays (B0.13)."""
    references = Counter(
        ref
        for placed in snapshot.within(*SETS)
        for ref in {piece.ref for piece in placed.block.evidence if piece.ref.startswith("ep-")}
    )
    cited = {*references, *kept}
    # How often searches returned each since the last fold (B0.8).
    references.update({name: reads.count for name, reads in access(session).pending().items()})
    return prune(replace(book, capacity=capacity_of(snapshot)), session.caller.now, references, cited)


def _ids(pruning: Pruning) -> tuple[str, ...]:
    return tuple(one.episode.id for one in pruning.removed)


def _act(session: Session, detail: str, episodes: Sequence[Episode], pruned: Sequence[str] = ()) -> Act:
    told = [("Episode", episode.id) for episode in episodes[:NAMED]]
    trailers = (*told, *(("Pruned", one) for one in pruned))
    return Act("episode", session.actor, session.caller.now, (), detail, trailers)


def _last(session: Session, reference: str) -> Episode:
    """An episode as history had it last, whichever file version that was."""
    wanted = prefix(reference)
    session.home.read(())
    for _, text in session.history.texts(EPISODES_PATH):
        if f'"{wanted}' in text:
            book = past_episodes(text.encode())
            if any(episode.id.startswith(wanted) for episode in book.episodes):
                return named(book, reference)
    raise NotFoundError("history holds no episode {reference}", reference=reference)


@gc_paused()
def similar(
    session: Session,
    snapshot: Snapshot,
    task: str,
    context: Mapping[str, Json],
    top: int,
    filters: Filters,
    by_words: bool,
) -> tuple[Match, ...]:
    """Episodes like a task, best first (R0.28-R0.35), with a context by the source's formula alone; being found counts
    for their popularity (B0.8)."""
    episodes = (snapshot.episodes or EpisodeBook()).episodes
    if context and not by_words:
        matches = search_episodes.find_similar(episodes, task, context, top, filters)
    else:
        find = search_episodes.find_by_words if by_words else search_episodes.find_without_context
        matches = find(episodes, task, top, filters, snapshot.config.number("thresholds.fits"))
    access(session).record([match.episode.id for match in matches], session.caller.now)
    return matches

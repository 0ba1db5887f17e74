"""What happened, task by task: episodes added, kept within bounds, taken in and given out.

Plays the part of the source's ExperienceManager (R0.27-R0.54). Nothing is pruned before a commit held it, and what was
pruned comes back from history by its id (B0.13).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.blocks.store.access_log import access
from alice_exp.caller.acting import require_person
from alice_exp.episodes.rules.retention import is_due, prune
from alice_exp.episodes.rules.search_episodes import Filters, as_told, join, shorten_result, statistics
from alice_exp.home.record_access import refuse_faults, require_sound
from alice_exp.kernel.errors import Hint, Names, NotFoundError, UsageError
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.progress import followed
from alice_exp.kernel.text.times import milliseconds
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.record_import import import_episodes
from alice_exp.model.formats.record_schema import past_episodes
from alice_exp.model.values.block import SETS
from alice_exp.model.values.changes import ChangeSet
from alice_exp.model.values.config import BY_NAME
from alice_exp.model.values.records import EPISODES_PATH, Episode, EpisodeBook

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from alice_exp.caller.acting import Caller
    from alice_exp.episodes.rules.retention import Pruning
    from alice_exp.episodes.rules.search_episodes import EpisodeStatistics
    from alice_exp.home.session import Session
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.records import ImportMode
    from alice_exp.model.values.snapshot import Snapshot

CAPACITY = "episodes.capacity"
LIMIT = "episodes.result_limit"

NAMED = 100
"""An act's message names at most this many new episodes; what was pruned is always named."""

_REFERENCE = re.compile(r"(ep-)?([a-z2-9]{1,8})")


@dataclass(frozen=True, slots=True)
class Kept:
    """What an addition did: the episodes as they were kept, the ids that were pruned for them, the commit.

    ``left`` are ids that stand for something else here already, so that ours stayed.
    """

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


def read_import(data: bytes, path: str, now: str) -> tuple[Episode, ...]:
    """The episodes of a text, whole or not at all: ``ProblemError`` with the first fault's place."""
    imported = import_episodes(data, path, now)
    refuse_faults(imported.problems)
    return imported.episodes


def add_episode(
    session: Session,
    task: str,
    success: bool,
    *,
    context: Mapping[str, Json] | None = None,
    action: str = "",
    result: Json = None,
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
    """Record what happened; long results are shortened, and what is too much is pruned (R0.36, R0.48).

    One episode is never pruned by its own addition; where many would be, they are committed whole first.
    ``UsageError`` for a reward outside [0, 1], a task that says nothing, an id that is taken.
    """
    caller = session.caller
    for episode in episodes:
        _require_valid(episode)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Kept]:
        require_sound(snapshot, EPISODES_PATH)
        book = snapshot.episodes or EpisodeBook()
        ids = _fresh(caller, book)
        limit = snapshot.config.count(LIMIT)
        taken = {episode.id for episode in book.episodes}
        named: list[Episode] = []
        for episode in followed(episodes):
            if episode.id in taken:
                raise UsageError("the id {id} is taken already", id=episode.id)
            one = replace(episode, id=episode.id or next(ids), at=episode.at or caller.now)
            taken.add(one.id)
            named.append(shorten_result(one, limit))
        if not named:
            return None, Kept(())
        grown = replace(book, episodes=(*book.episodes, *named))
        changes, pruned = _within_bounds(session, snapshot, grown, named, "add")
        return changes, Kept(tuple(named), pruned)

    commit, kept = session.target.apply(plan, SETS, records=EPISODES_PATH)
    return replace(kept, commit=commit)


def take_in(session: Session, episodes: Sequence[Episode], mode: ImportMode = "merge") -> Kept:
    """Import episodes: ``merge`` adds what is not there, ``replace`` (a person's act) keeps nothing else (B0.16)."""
    caller = session.caller
    if mode == "replace":
        require_person(caller, "replace the episodes", "alice-exp episode import FILE --replace")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Kept]:
        require_sound(snapshot, EPISODES_PATH)
        book = snapshot.episodes or EpisodeBook()
        limit = snapshot.config.count(LIMIT)
        incoming = [shorten_result(episode, limit) for episode in episodes]
        joined = join(book, incoming, _fresh(caller, book, incoming), mode)
        if joined.book == book:
            return None, Kept((), (), joined.left)
        changes, pruned = _within_bounds(session, snapshot, joined.book, joined.added, "import")
        return changes, Kept(joined.added, pruned, joined.left)

    commit, kept = session.target.apply(plan, SETS, records=EPISODES_PATH)
    return replace(kept, commit=commit)


def tell_actions(session: Session, actions: Mapping[str, str], whole: Episode | None = None) -> Commit | None:
    """Keep what was done: in the episodes of these ids that tell no action of their own, and as ``whole``, in the place
    of an unreported episode of its id, whose time stays. None where all that stands there already."""

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, None]:
        require_sound(snapshot, EPISODES_PATH)
        book = snapshot.episodes or EpisodeBook()
        told: dict[str, Episode] = {} if whole is None else {whole.id: whole}
        for one in book.episodes:
            if one.id in told:
                told[one.id] = replace(told[one.id], at=one.at) if one.unreported else one
            elif one.id in actions and not as_told(one).action:
                told[one.id] = replace(one, action=actions[one.id], told=one.action)
        changed = [one for one in told.values() if one not in book.episodes]
        if not changed:
            return None, None
        kept = [told.pop(one.id, one) for one in book.episodes]
        grown = replace(book, episodes=(*kept, *told.values()))
        return _within_bounds(session, snapshot, grown, changed, "act in")[0], None

    return session.target.apply(plan, SETS, records=EPISODES_PATH)[0]


def reflect(session: Session, reference: str, text: str) -> Reflected:
    """Say afterwards what was learned (R0.16); the reflection before stays in history."""

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Reflected]:
        require_sound(snapshot, EPISODES_PATH)
        book = snapshot.episodes or EpisodeBook()
        episode = named(book, reference)
        told = replace(episode, reflection=text)
        if told == episode:
            return None, Reflected(episode)
        episodes = tuple(told if one.id == told.id else one for one in book.episodes)
        act = _act(session.caller, f"reflect on {told.id}", [told])
        return ChangeSet(act, episodes=replace(book, episodes=episodes)), Reflected(told)

    commit, answer = session.target.apply(plan, SETS, records=EPISODES_PATH)
    return replace(answer, commit=commit)


def clean(session: Session, *, dry: bool = False) -> Pruned:
    """Take away the fifth that is worth least, due or not (R0.42); a person's act. ``dry`` only weighs."""
    caller = session.caller
    if not dry:
        require_person(caller, "prune episodes", "alice-exp episode prune")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Pruned]:
        require_sound(snapshot, EPISODES_PATH)
        book = snapshot.episodes or EpisodeBook()
        pruning = _pruning(session, snapshot, book, ())
        gone = _ids(pruning)
        if dry or not gone:
            return None, Pruned(pruning)
        left = replace(book, episodes=pruning.book.episodes)
        act = replace(_act(caller, cleaned(len(gone)), ()), trailers=_trailers((), gone))
        return ChangeSet(act, episodes=left), Pruned(pruning)

    commit, answer = session.target.apply(plan, SETS, records=EPISODES_PATH)
    return replace(answer, commit=commit)


def restore_episode(session: Session, reference: str) -> Kept:
    """Bring back an episode that was pruned or deleted, as history had it last; a person's act."""
    require_person(session.caller, "restore an episode", f"alice-exp episode restore {reference}")
    episode = _last(session, reference)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Kept]:
        require_sound(snapshot, EPISODES_PATH)
        book = snapshot.episodes or EpisodeBook()
        if any(one.id == episode.id for one in book.episodes):
            raise UsageError("{id} is among the episodes already", id=episode.id)
        grown = replace(book, episodes=(*book.episodes, episode))
        changes, pruned = _within_bounds(session, snapshot, grown, [episode], "restore")
        return changes, Kept((episode,), pruned)

    commit, kept = session.target.apply(plan, SETS, records=EPISODES_PATH)
    return replace(kept, commit=commit)


def listed(snapshot: Snapshot, filters: Filters, until: str = "", limit: int = 0) -> tuple[Episode, ...]:
    """The episodes that pass, newest first; ``until`` (ISO-8601 UTC) inclusive, ``limit`` 0: all."""
    passing = [
        episode
        for episode in (snapshot.episodes or EpisodeBook()).episodes
        if filters.admits(episode) and (not until or episode.timestamp <= milliseconds(until))
    ]
    passing.sort(key=lambda episode: (-episode.timestamp, episode.id))
    return tuple(passing[:limit] if limit else passing)


def counted(snapshot: Snapshot) -> EpisodeStatistics:
    """How many, how well, since when (R0.45)."""
    return statistics((snapshot.episodes or EpisodeBook()).episodes)


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
    fits = _REFERENCE.fullmatch(reference)
    if not fits:
        raise UsageError(
            "{reference} is not an episode's id",
            reference=repr(reference),
            hint="an id looks like ep-7k2m9q4x",
        )
    return f"ep-{fits[2]}"


def citing(snapshot: Snapshot, episode_id: str) -> tuple[str, ...]:
    """The ids of living blocks that rest on an episode."""
    return tuple(
        placed.block.id
        for placed in snapshot.within(*SETS)
        if any(piece.ref == episode_id for piece in placed.block.evidence)
    )


def found(count: int) -> str:
    """The source's own report of a search, as JSON answers tell it in every language (R0.31, B5.14)."""
    return f"找到 {count} 条相似经验"


def cleaned(count: int) -> str:
    """The source's own report of a cleaning (R0.44)."""
    return f"清理了 {count} 条低价值经验"


def reads_of(session: Session) -> dict[str, int]:
    """How often searches returned each episode since the last fold (B0.8)."""
    return {name: reads.count for name, reads in access(session).pending().items() if name.startswith("ep-")}


def _require_valid(episode: Episode) -> None:
    if not episode.task.strip():
        raise UsageError("an episode needs a task: what was to be done")
    if not 0 <= episode.reward <= 1:
        raise UsageError("a reward is a number from 0 to 1, not {reward}", reward=episode.reward)


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
    caller = session.caller
    what = fresh[0].id if len(fresh) == 1 else str(len(fresh))
    act = _act(caller, f"{verb} {what}", fresh)
    if not is_due(replace(grown, capacity=capacity_of(snapshot))):
        return ChangeSet(act, episodes=grown), ()
    own = {episode.id for episode in fresh}
    pruning = _pruning(session, snapshot, grown, own if len(own) == 1 else ())
    gone = _ids(pruning)
    left = replace(grown, episodes=pruning.book.episodes)
    if own.isdisjoint(gone):
        detail = f"{act.detail}, {cleaned(len(gone))}" if gone else act.detail
        return ChangeSet(replace(act, detail=detail, trailers=_trailers(fresh, gone)), episodes=left), gone
    after = replace(_act(caller, cleaned(len(gone)), ()), trailers=_trailers((), gone))
    return ChangeSet(act, episodes=grown, then=ChangeSet(after, episodes=left)), gone


def _pruning(session: Session, snapshot: Snapshot, book: EpisodeBook, kept: Collection[str]) -> Pruning:
    """The cleaning of a book within this home: what living blocks cite stays (B0.13)."""
    references = Counter(
        ref
        for placed in snapshot.within(*SETS)
        for ref in {piece.ref for piece in placed.block.evidence if piece.ref.startswith("ep-")}
    )
    cited = {*references, *kept}
    references.update(reads_of(session))
    return prune(replace(book, capacity=capacity_of(snapshot)), session.caller.now, references, cited)


def _ids(pruning: Pruning) -> tuple[str, ...]:
    return tuple(one.episode.id for one in pruning.removed)


def _act(caller: Caller, detail: str, episodes: Sequence[Episode]) -> Act:
    return Act("episode", caller.actor, caller.now, (), detail, _trailers(episodes, ()))


def _trailers(episodes: Sequence[Episode], pruned: Sequence[str]) -> tuple[tuple[str, str], ...]:
    told = tuple(("Episode", episode.id) for episode in episodes[:NAMED])
    return (*told, *(("Pruned", one) for one in pruned))


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

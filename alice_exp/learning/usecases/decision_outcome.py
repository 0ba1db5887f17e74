"""A decision and its outcome: what to apply to a task (R2.35-R2.37, BX.2); how that went as one act: blocks, episode,
thought, commit (R2.38, B2.14-B2.16, BX.2); the outcome of using one block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.blocks.store import access
from alice_exp.caller.acting import Caller
from alice_exp.episodes.rules.search_episodes import Match as Similar
from alice_exp.episodes.rules.search_episodes import as_told, shorten_result, similar_failures
from alice_exp.episodes.usecases import bounded, cleaned
from alice_exp.finding.rules.choice import choose, forbids, is_rival
from alice_exp.finding.rules.ranking import Match, fits_by_tags_alone, is_foreign
from alice_exp.finding.usecases import Filters, of_team, replaced_ones, search
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session
from alice_exp.kernel.errors import Hint, RefusedError, UsageError
from alice_exp.kernel.journal.act import Act, Commit, committed
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass
from alice_exp.learning.rules.impact import counted
from alice_exp.learning.store import OpenDecision, decisions
from alice_exp.model.formats.record_schema import EPISODES_PATH, EVENTS_PATH
from alice_exp.model.rules.lifecycle import Change, Thresholds, level, scenario_digest, scenario_of
from alice_exp.model.values.block import PLACES, Evidence, Placed, is_of_team
from alice_exp.model.values.records import DECISION, Episode, EpisodeBook, Event, Timeline
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot, resolve

if TYPE_CHECKING:
    from alice_exp.model.values.config import Config
    from alice_exp.timeline.rules.compaction import Merge


UNKEPT_WARNING = "this decision could not be kept, so its outcome cannot be reported"
UNREAD_WARNING = "what this repository's people approved cannot be read: {where}"

MOST_OBSERVED = 10
"""A decision names at most this many blocks that it does not apply."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided: the id under which the outcome is reported, the tier, its blocks, and what failed before."""

    decision: str
    tier: str
    applied: tuple[Match, ...]
    observing: tuple[Match, ...]
    warnings: tuple[str, ...]
    failures: tuple[Similar, ...]
    disclaim: bool
    is_kept: bool = True
    """Whether its outcome can be reported."""

    @property
    def constraints(self) -> tuple[Match, ...]:
        """What holds whatever is done: what forbids, and what is about the person."""
        return tuple(one for one in self.applied if not self.disclaim and _bounds(one.placed))

    @property
    def steps(self) -> tuple[Match, ...]:
        """What is to be done."""
        return tuple(one for one in self.applied if not self.disclaim and not _bounds(one.placed))

    @property
    def alternatives(self) -> tuple[Match, ...]:
        """What nobody has reviewed: one of these may be tried."""
        return self.applied if self.disclaim else ()


def decide(session: Session, task: str, context: Mapping[str, Json], project: str = "") -> Decision:
    """Choose what to apply to a task, and remember the choice until its outcome (DESIGN 12.1).

    What belongs to ``project`` is preferred; what belongs to another is observed, never applied (DESIGN 7).
    A similar task that failed before is a warning (R0.51). Applied blocks count as read.
    """
    home, caller = session.home, session.caller
    (matches,) = search(session, [(task, context)], Filters(project=project))
    matches = [one for one in matches if not fits_by_tags_alone(one, task)]
    elsewhere = [one for one in matches if is_foreign(one.placed, project)]
    decision = caller.new_id("dec")
    theirs = of_team(session, task, context)
    choice = choose(
        [one for one in matches if one not in elsewhere],
        is_rival,
        replaced_ones(session),
        lambda placed: _is_like_rejected(home, placed),
        context,
        theirs,
    )
    told = home.read((), records=EPISODES_PATH).episodes or EpisodeBook()
    failures = similar_failures(told.episodes, task, context)
    seen = [one for one in elsewhere if one.approved and one.clear and one.placed.block.state != "obsolete"]
    observing = (*choice.observing, *seen)[:MOST_OBSERVED]
    applied, observed = (tuple(one.placed.block.id for one in some) for some in (choice.applied, observing))
    said = caller.as_kept((task, context))
    made = OpenDecision(decision, caller.now, *said, choice.tier, applied, observed)
    is_kept = decisions(session).open(made)
    # Where, and not why: a stranger's file says no word to an agent.
    unread = (UNREAD_WARNING.format(where=one.where) for one in (() if theirs else session.team_faults()))
    warnings = (*choice.warnings, *unread, *(() if is_kept else (UNKEPT_WARNING,)))
    read = [one.placed.block.id for one in choice.applied if not is_of_team(one.placed)]
    access(session).record(read, caller.now)
    return Decision(
        decision, choice.tier, choice.applied, observing, warnings, failures, choice.disclaim, is_kept
    )


def _bounds(placed: Placed) -> bool:
    return placed.place == "personal" or forbids(placed.block)


def _is_like_rejected(home: Home, candidate: Placed) -> bool:
    """Whether the person turned something like this candidate down; asked of what only the pool has an answer for."""
    whole = home.read(PLACES)
    rejected = list(whole.rejected())
    if not rejected:
        return False
    from alice_exp.finding.rules.nearness import Neighbourhood

    return Neighbourhood(whole, rejected).mark(candidate) is not None


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """What the outcome of a decision did: each block's change, the episode, what was pruned, the one commit."""

    decision: OpenDecision
    changes: tuple[tuple[Placed, Change], ...]
    missing: tuple[str, ...]
    episode: Episode
    pruned: tuple[str, ...]
    merges: tuple[Merge, ...] = ()
    commit: Commit | None = None


def report_decision(
    session: Session,
    decision: str,
    ok: bool,
    scenario: str = "",
    note: str = "",
    result: Json = None,
    reward: float | None = None,
    action: str = "",
    used: Sequence[str] = (),
    skipped: Sequence[str] = (),
) -> DecisionOutcome:
    """The outcome of a decision: lifecycle and evidence of its blocks, one episode, one event, one commit (D37).

    Every applied block gets it but those ``skipped``; ``used`` narrows it to those that were done, applied or observed
    (DESIGN 12.3), a ``UsageError`` where the decision did not name them, or where one is both. What is about the person
    gets it from the person alone. ``action`` is what was done, in words. A second outcome raises ``RefusedError``. A
    thought of the decision that waits for its result takes it, instead of another thought (B1.8). The model is asked
    before the home is locked.
    """
    home, caller, waiting = session.target, session.caller, decisions(session)
    open_decision = waiting.find(decision)
    note, result, action = caller.as_kept((note, result, action))
    scenario = caller.as_kept(scenario, is_name=True)
    if not open_decision.task:  # what a session's start told, or a prompt that was said off the record
        open_decision = replace(open_decision, task=action.strip() or "a task of which nothing was kept")
    episode = _episode(open_decision, caller, ok, note, action, result, reward, home.config())
    episode = replace(episode, project=session.enter().partition(" ")[0])
    event, piece = _event(open_decision, episode), Evidence("episode", episode.id, caller.now, note)
    merge = _merge(session, event)
    of_team = [one for one in (*open_decision.applied, *used) if one.startswith("team-")]
    theirs = session.team.of(of_team) if session.team is not None and of_team else {}

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, DecisionOutcome]:
        waiting.find(decision)
        for path in (EPISODES_PATH, EVENTS_PATH):  # An act is never half recorded.
            snapshot.require_record(path)
        named, left_out = used_ids(snapshot, open_decision, used, skipped)
        where = scenario_of(scenario, open_decision.context, caller.now[:10])
        told, missing = _told_of(snapshot, theirs, open_decision, named, left_out, caller)
        every = counted(told, named, ok, where, caller.now, piece, Thresholds.of(snapshot.config))
        changes = tuple(one for one in every if not is_of_team(one[0]))
        puts = tuple(Put(placed.block, placed.path) for placed, _ in changes)
        present = snapshot.episodes or EpisodeBook()
        grown = replace(present, episodes=(*present.episodes, episode))
        book, pruned = bounded(session, snapshot, grown, [episode])
        timeline, merges, thought = _told(snapshot.timeline or Timeline(), event, merge)
        detail = f"{'ok' if ok else 'fail'} of {decision}" + (f", {cleaned(len(pruned))}" if pruned else "")
        trailers = (*_steps(changes), *_trailers(open_decision, episode, where, pruned), *thought)
        act = Act("outcome", caller.actor, caller.now, tuple(put.block.id for put in puts), detail, trailers)
        answer = DecisionOutcome(open_decision, every, missing, episode, pruned, merges)
        return ChangeSet(act, puts, episodes=book, timeline=timeline), answer

    commit, answer = home.apply(plan, PLACES, records=True)
    waiting.close(decision, ok, episode.id)
    if session.team is not None:
        session.team.keep([placed for placed, _ in answer.changes if is_of_team(placed)])
    return replace(answer, commit=commit)


def _steps(changes: Sequence[tuple[Placed, Change]]) -> tuple[tuple[str, str], ...]:
    """What happened to each block, in the order of the blocks."""
    return tuple(
        row
        for _, change in changes
        for row in (("From", change.before), ("To", change.after), ("Effect", change.effect))
    )


def _trailers(
    decision: OpenDecision, episode: Episode, where: str, pruned: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    return (
        ("Decision", decision.decision),
        ("Result", "ok" if episode.success else "fail"),
        *(("Applied", block_id) for block_id in decision.applied),
        ("Episode", episode.id),
        ("Scenario", scenario_digest(where)),
        *(("Pruned", one) for one in pruned),
    )


def used_ids(
    snapshot: Snapshot, decision: OpenDecision, used: Sequence[str], skipped: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the blocks that were done, where the outcome names any, and of those that were not (DESIGN 12.3)."""
    known = (*decision.applied, *decision.observing)
    done, left_out = (
        tuple(dict.fromkeys(_named(snapshot, known, reference) for reference in references))
        for references in (used, skipped)
    )
    if both := set(done).intersection(left_out):
        raise UsageError("{id} was either done or skipped", id=min(both))
    return done, left_out


def _named(snapshot: Snapshot, known: Sequence[str], reference: str) -> str:
    block_id = reference if reference in known else resolve(snapshot, reference).block.id
    if block_id not in known:
        raise UsageError(
            "{id} was neither applied nor observed by this decision", id=block_id, hint=", ".join(known)
        )
    return block_id


def _told_of(
    snapshot: Snapshot,
    theirs: Mapping[str, Placed],
    decision: OpenDecision,
    used: Sequence[str],
    skipped: Sequence[str],
    caller: Caller,
) -> tuple[list[Placed], tuple[str, ...]]:
    """The blocks that the outcome may count for, ``theirs`` (a team's) among them, and the ids of those that are no
    longer here."""
    ids = tuple(one for one in dict.fromkeys((*decision.applied, *used)) if one not in skipped)
    found = {block_id: theirs.get(block_id) or snapshot.find(block_id) for block_id in ids}
    living = [placed for placed in found.values() if placed is not None and placed.place != "archive"]
    here = {placed.block.id for placed in living}
    return (
        [placed for placed in living if not is_own_word(placed, caller)],
        tuple(block_id for block_id in (used or ids) if block_id not in here),
    )


def _episode(
    decision: OpenDecision,
    caller: Caller,
    ok: bool,
    note: str,
    action: str,
    result: Json,
    reward: float | None,
    config: Config,
) -> Episode:
    if reward is not None and not 0 <= reward <= 1:
        raise UsageError("a reward is a number from 0 to 1, not {reward}", reward=reward)
    reward = (1.0 if ok else 0.0) if reward is None else reward
    booked = f"{decision.tier}: {', '.join(decision.applied) or 'own reasoning'}"
    done, told = (action.strip(), booked) if action.strip() else (booked, "")
    named, task, context = caller.new_id("ep"), decision.task, decision.context
    episode = Episode(named, task, context, done, result, ok, reward, caller.now, note=note, told=told)
    return shorten_result(episode, config.count("episodes.result_limit"))


def _event(decision: OpenDecision, episode: Episode) -> Event:
    """The outcome as a thought, in words: what was done, else how many blocks were followed. Their own words stay out:
    a purge could not follow them here."""
    count = len(decision.applied)
    unseen = " that nobody reviewed" if decision.tier == "low_value" else ""
    lessons = f"{count} lesson{'s' if count > 1 else ''}{unseen}"
    return Event(
        episode.at,
        decision.task,
        ", ".join(f"{key}={value}" for key, value in decision.context.items()),
        as_told(episode).action or (f"followed {lessons}" if count else "own reasoning"),
        episode.result if episode.result is not None else ("ok" if episode.success else "fail"),
        {
            DECISION: decision.decision,
            "episode": episode.id,
            # A purge knows by it what a thought is about.
            **({"told": episode.told or episode.action} if count else {}),
        },
    )


def _merge(session: Session, event: Event) -> Merge | None:
    """The merge that the outcome sets off, as the model tells it; none where it goes to a thought that waits for it."""
    # Imported here: what tells thoughts would take a fifth of a decision's time, and a decision tells none.
    from alice_exp.timeline.rules.compaction import unfinished
    from alice_exp.timeline.usecases import asked, configured_summary

    summarise = configured_summary(session)
    if summarise is None:
        return None
    timeline = session.target.read((), records=EVENTS_PATH).timeline or Timeline()
    waits = unfinished(timeline, str(event.metadata[DECISION]))
    return asked(session.target, event, summarise) if waits is None else None


def _told(
    timeline: Timeline, event: Event, merge: Merge | None
) -> tuple[Timeline, tuple[Merge, ...], tuple[tuple[str, str], ...]]:
    """The timeline with the outcome in it, the merge that it led to (as it was told, where it is the same), and the
    trailer of a thought that it finished."""
    from alice_exp.timeline.rules.compaction import add_event, finished, unfinished
    from alice_exp.timeline.usecases import FINISHED

    waiting = unfinished(timeline, str(event.metadata[DECISION]))
    done = finished(timeline, waiting, event.result, event.metadata) if waiting is not None else None
    if done is not None:
        return done, (), ((FINISHED, str(waiting)),)
    added = add_event(timeline, event, told=merge)
    return added.timeline, (added.merge,) if added.merge else (), ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A block after an outcome, where it stands now, and what the outcome did."""

    placed: Placed
    change: Change
    commit: Commit | None = None


def report_outcome(session: Session, reference: str, ok: bool, scenario: str = "", note: str = "") -> Outcome:
    """One use of a block succeeded or failed (R2.10-R2.14).

    ``scenario`` says where; without one, the outcomes of a day in the block's own context are one scenario (B5.4).
    """
    caller = session.caller
    scenario, note = caller.as_kept(scenario, is_name=True), caller.as_kept(note)

    def used(placed: Placed, config: Config) -> tuple[Placed, Change, str]:
        where = scenario_of(scenario, placed.block.trigger.context, caller.now[:10])
        piece = Evidence("outcome", at=caller.now, quote=note)
        ((after, change),) = counted([placed], (), ok, where, caller.now, piece, Thresholds.of(config))
        return after, change, where

    if session.team is not None and (theirs := session.team.of([reference] * reference.startswith("team-"))):
        # What a use of a team's block led to stays here, and makes no commit.
        after, change, _ = used(theirs[reference], session.target.config())
        session.team.keep([after])
        return Outcome(after, change)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Outcome]:
        placed = resolve(snapshot, reference)
        if placed.place == "archive":
            raise RefusedError(
                "{id} is archived and takes no outcome",
                id=placed.block.id,
                hint=Hint("a person brings it back with 'alice-exp revive {id}'", id=placed.block.id),
            )
        block = placed.block
        if is_own_word(placed, caller):
            stands = level(block, Thresholds.of(snapshot.config))
            return None, Outcome(placed, Change(block, stands, stands, "noted"))
        after, change, where = used(placed, snapshot.config)
        trailers = (*_steps([(after, change)]), ("Scenario", scenario_digest(where)))
        act = Act("outcome", caller.actor, caller.now, (block.id,), _detail(change), trailers)
        return ChangeSet(act, (Put(after.block, after.path),)), Outcome(after, change)

    return committed(session.target.apply(plan, PLACES))


def is_own_word(placed: Placed, caller: Caller) -> bool:
    """Whether a block is about the person and somebody else reports: no agent's outcome credits or blames it
    (DESIGN 12.3)."""
    return placed.place == "personal" and not caller.is_person


def _detail(change: Change) -> str:
    count = f"({change.block.verifications} verified)"
    if change.before != change.after:
        return f"{change.before} → {change.after} {count}"
    return f"{change.word}, {change.after} {count}"

"""What is known about a topic and how settled it is: assess, consolidation, stats. None of these count as a read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from alice_exp.blocks.store import access, counting
from alice_exp.finding.usecases import Filters, search
from alice_exp.home.session import Session
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass
from alice_exp.learning.rules.impact import Assessment, Impact, Quality, qualities
from alice_exp.learning.rules.impact import assess as assessed
from alice_exp.learning.rules.impact import impact as weighed
from alice_exp.learning.store import decisions
from alice_exp.model.formats.record_schema import EPISODES_PATH
from alice_exp.model.rules.doubt import Consolidation, age_days, consolidation_of
from alice_exp.model.rules.lifecycle import LEVELS, Thresholds, level
from alice_exp.model.values.block import BLOCK_TYPES, PLACES, REVIEWED, SETS, Placed
from alice_exp.model.values.records import EpisodeBook
from alice_exp.model.values.snapshot import resolve

AGES: Mapping[str, int] = {"today": 1, "this week": 7, "this month": 30, "this quarter": 90, "this year": 365}
"""Names of ages, and the days below which a block has them."""

OLDER = "older"
READS = ("never", "1-9", "10-99", "100+")
"""Names of how often a block was read, rising."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many blocks there are, and how many of each name by set, state, type, age and reads (``parts``: ``by_set``
    …); and how they grew, day by day."""

    total: int
    waiting: int
    archived: int
    parts: Mapping[str, Mapping[str, int]]
    grown: tuple[tuple[str, int], ...]
    signals: tuple[Quality, ...] = ()
    """What sessions showed of decisions, beside what was reported of them."""


def impact(session: Session) -> Impact:
    """How tasks went with what is approved and without it, by the outcomes of decisions."""
    snapshot = session.home.read(("personal", "universal"), records=EPISODES_PATH)
    return weighed([*snapshot], (snapshot.episodes or EpisodeBook()).episodes, session.caller.now)


def assess(session: Session, topic: str, context: Mapping[str, Json]) -> Assessment:
    """How well a topic is known (R3.16); nothing is counted as read (B3.8)."""
    (matches,) = search(session, [(topic, context)], Filters())
    caller, reads, config = session.caller, access(session).pending(), session.home.config()
    placed = [*map(counting(reads, config, caller.now), (match.placed for match in matches))]
    certain = max((match.certainty for match in matches), default=0.0)
    return assessed(topic, placed, caller.now, config, certain)


def settled(
    session: Session, reference: str
) -> tuple[Placed, Consolidation, Mapping[str, float], float, float]:
    """The consolidation of one block, now, with every term (R3.7-R3.12, B3.4): the block, the terms of the score, their
    weights, the stored snapshot beside the live value, and the half-life in days."""
    snapshot, now = session.target.read(PLACES), session.caller.now
    stored = resolve(snapshot, reference)
    placed = counting(access(session).pending(), snapshot.config, now)(stored)
    weights, half_life = snapshot.config.numbers("consolidation"), snapshot.config.half_life_days
    terms = consolidation_of(placed.block, now, half_life_days=half_life, weights=weights)
    return placed, terms, weights, stored.block.consolidation_score, half_life[placed.block.type]


def stats(session: Session) -> Counts:
    """Counts over the whole home."""
    # What waits outside of git is counted for whom it waits, as in the report.
    places, now = REVIEWED if session.caller.is_person else PLACES, session.caller.now
    snapshot = session.target.read(places)
    living = [*map(counting(access(session).pending(), snapshot.config, now), snapshot.within(*SETS, "held"))]
    thresholds = Thresholds.of(snapshot.config)
    read = [placed.block.access_count for placed in living]
    # How many there were at the end of each day on which one came, of those that still exist.
    came = Counter(placed.block.created_at[:10] for placed in snapshot if placed.block.created_at)
    days = sorted(came)
    ages = (age_days(placed.block.created_at or now, now) for placed in living)
    return Counts(
        len(living),
        sum(placed.place == "low_value" for placed in living),
        sum(1 for _ in snapshot.within("archive")),
        {
            "by_set": _counted((placed.place for placed in living), SETS),
            "by_state": _counted((level(placed.block, thresholds) for placed in living), LEVELS),
            "by_type": _counted((placed.block.type for placed in living), BLOCK_TYPES),
            "by_age": _counted(
                (next((name for name, limit in AGES.items() if age < limit), OLDER) for age in ages),
                (*AGES, OLDER),
            ),
            "by_reads": _counted(
                (READS[min(3, len(str(count)))] if count else READS[0] for count in read), READS
            ),
        },
        tuple(zip(days, accumulate(came[day] for day in days), strict=True)),
        qualities((one.seemed, one.reported) for one in decisions(session).kept()),
    )


def _counted(names: Iterable[str], order: Sequence[str]) -> dict[str, int]:
    """How often each name comes, in their order; what never comes is left out."""
    counts = Counter(names)
    return {name: counts[name] for name in order if counts[name]}

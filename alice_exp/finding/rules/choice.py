"""Which of the blocks that fit are told, and in which order: one rule for decisions, prompts and start texts.

What a person approved for one situation is told together: first what is about the person; then prohibitions and what
the person marked as important; then what worked best lately, of equal ones the newest approval (DESIGN 12.1).
"""

from __future__ import annotations

import re
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from alice_exp.finding.rules.concerns import TRUSTED_PLACES, contradicts
from alice_exp.kernel.errors import Hint
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import is_in_doubt, trusted_since, value
from alice_exp.model.values.block import (
    IMPORTANT,
    Block,
    Placed,
    content_hash,
    is_of_team,
    is_put_away,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from alice_exp.finding.rules.nearness import Kind
    from alice_exp.finding.rules.ranking import Match
    from alice_exp.kernel.jsonc import Json


Rivals: TypeAlias = "Callable[[Placed, Placed], bool]"
"""Whether two approved blocks cannot both be told."""

MOST = 8
"""The most blocks that are told together."""

MOST_OF_PERSON = 4
"""The most blocks about the person that stand beside them."""

MOST_UNREVIEWED = 3
"""The most candidates that are applied where nothing approved fits."""

LOW_VALUE_WARNING = "⚠️ 启用低价值经验（所有高价值路径失效）"
"""The warning when only the pool has an answer (R2.35)."""

IN_DOUBT_WARNING = "what fits is in doubt: use your own reasoning, the person is asked"
"""The warning when every approved block that fits is in doubt."""

RIVAL_WARNING = (
    "the team's {theirs} says otherwise than {own}, which the person approved here: theirs is not told"
)
"""The warning where the person's own word silences a block of the team."""

Tier = Literal["personal", "universal", "team", "low_value", "reasoning"]
"""Where an answer comes from: the set of the first block told (a team's: what the project's repository brings), or
nothing that fits."""

_FORBIDS = LazyPattern(
    r"(?:^|[.;:,!?–—-]\s*|\b(?:and|but|please|you|we|must|should|may|so|then|to)\s+)(?:never|do not|don['’]?t|avoid)\b"
    r"|^no\s|\b(?:must|may|shall|should)(?: not|n['’]?t)\b"
    r"|\b(?:forbidden|prohibited|banned|off[- ]limits|not (?:allowed|permitted))\b",
    re.IGNORECASE,
)
_FORBIDS_CHINESE = LazyPattern(
    r"不要|不得(?!不)|不许|不准|不可以|不能(?!不)|禁止|严禁|切勿|请勿|[绝决]不|千万别|(?:^|[，。；：！\s])请?别(?![的人处名])"
)


def forbids(block: Block) -> bool:
    """Whether a block says what must not be done."""
    text = block.payload.content
    return bool(_FORBIDS.search(text) or (not text.isascii() and _FORBIDS_CHINESE.search(text)))


def _is_prime(block: Block) -> bool:
    """Whether a block forbids, or a person marked it as important."""
    return block.importance >= IMPORTANT or forbids(block)


def is_protected(placed: Placed) -> bool:
    """Whether no outcome silences a block until the person answers: what is about them, what they marked as important,
    and what forbids."""
    return placed.place == "personal" or _is_prime(placed.block)


def rests(placed: Placed) -> bool:
    """Whether a block is silent because a person is asked about it; of a team's every one is."""
    return is_in_doubt(placed.block) and (is_of_team(placed) or not is_protected(placed))


def in_order(blocks: Iterable[Placed]) -> list[Placed]:
    """Blocks in the order in which they are told, whatever they are about."""
    newest = sorted(blocks, key=lambda one: (trusted_since(one.block), one.block.id), reverse=True)
    return sorted(newest, key=lambda one: (not _is_prime(one.block), -round(value(one.block), 9)))


def together(
    blocks: Iterable[Placed], rivals: Rivals, most: int = MOST, of_person: int = MOST_OF_PERSON
) -> list[Placed]:
    """The approved blocks that are told together, in order: at most ``of_person`` about the person, then ``most``.

    A rival of one that is taken already is left out; rivals are compared only where both could be told.
    """
    queue = in_order(one for one in blocks if not rests(one))
    own = [one for one in queue if one.place == "personal"]
    taken: list[Placed] = []
    for group, limit in ((own, of_person), (queue, most)):
        end = len(taken) + limit
        for one in group:
            if len(taken) >= end:
                break
            if one not in taken and not any(rivals(one, other) for other in taken):
                taken.append(one)
    return taken


@dataclass(frozen=True, slots=True)
class Choice:
    """Where the answer comes from, what to apply, best first, what to observe, and whether a disclaimer is due.

    ``observing`` are approved matches that are not applied: an outcome may name one that was used all the same.
    """

    tier: Tier
    applied: tuple[Match, ...] = ()
    observing: tuple[Match, ...] = ()
    disclaim: bool = False
    warnings: tuple[str, ...] = ()


def choose(
    matches: Iterable[Match],
    rivals: Rivals = lambda *_: False,
    replaced: AbstractSet[str] = frozenset(),
    is_like_rejected: Callable[[Placed], bool] = lambda _: False,
    context: Mapping[str, Json] = MappingProxyType({}),
    team: Iterable[Match] = (),
) -> Choice:
    """What is told of the blocks that fit; ``matches`` are in the order of their score.

    ``team`` is what the repository's people approved and the person trusts: it fills what is left of the eight, without
    rivals of anything that the person approved and that fits.

    Those that are not ``clear`` by themselves do not count, nor those whose context contradicts the task's. Candidates
    are applied where nothing approved fits, but for what failed or ``is_like_rejected`` (DESIGN 13). ``replaced`` are
    the ids that wait for what replaces them (``doubt.replaced``).
    """

    def counts(one: Match) -> bool:
        block = one.placed.block
        return one.clear and block.state != "obsolete" and not contradicts(context, block.trigger.context)

    given = list(filter(counts, matches))
    approved = {one.placed.block.id: one for one in given if one.approved}
    theirs = list(filter(counts, team))
    if not approved and not theirs:
        # What failed before a person has decided on it is not applied until then (DESIGN 12.1).
        pool = (
            one for one in given if one.placed.place == "low_value" and not one.placed.block.open_failures
        )
        tried = (one for one in pool if not (is_put_away(one.placed) or is_like_rejected(one.placed)))
        applied = tuple(islice(tried, MOST_UNREVIEWED))
        if applied:
            return Choice("low_value", applied, disclaim=True, warnings=(LOW_VALUE_WARNING,))
        return Choice("reasoning")
    able = [one.placed for block_id, one in approved.items() if block_id not in replaced]
    own = [one.placed for one in approved.values()]
    told = [approved.pop(one.block.id) for one in together(able, rivals)]
    added, warnings = _added(theirs, own, [one.placed for one in told], rivals)
    observing = tuple(approved.values())
    if not (told or added):
        return Choice("reasoning", (), observing, warnings=(IN_DOUBT_WARNING, *warnings))
    tier: Tier = "team" if not told else "personal" if told[0].placed.place == "personal" else "universal"
    return Choice(tier, (*told, *added), observing, warnings=warnings)


def _added(
    theirs: Sequence[Match], own: Sequence[Placed], told: Sequence[Placed], rivals: Rivals
) -> tuple[list[Match], tuple[str, ...]]:
    """What a team adds in what is left of the eight; a warning for each that the person's own word silences."""
    able, warnings, held = {}, [], {content_hash(one.block) for one in own}
    for one in theirs:
        if content_hash(one.placed.block) in held:
            continue
        against = next((each for each in own if rivals(one.placed, each)), None)
        if against is None:
            able[one.placed.block.id] = one
        else:
            warnings.append(Hint(RIVAL_WARNING, theirs=one.placed.block.id, own=against.block.id))
    left = MOST + min(sum(one.place == "personal" for one in told), MOST_OF_PERSON) - len(told)
    found = together([one.placed for one in able.values()], rivals, max(0, left))
    return [able[one.block.id] for one in found], tuple(warnings)


def are_rivals(one: Placed, other: Placed, nearness: Kind | None) -> Literal["replaced", "rival"] | None:
    """Whether two blocks cannot both be told; ``nearness`` is what ``other`` is to ``one`` (``Relation.kind``).

    "replaced": the person said that one of them replaces the other (``replaces``). "rival": they oppose
    each other or give other values of one thing, and the person has not answered. None: they hold beside each other,
    as the person said (``both``) or for all that is known. Two answers at odds, as two machines may give, are none.
    What a candidate claims of itself is no answer.
    """
    answers = [
        kind
        for a, b in ((one, other), (other, one))
        if a.place in TRUSTED_PLACES
        for kind, ids in (("replaced", a.block.replaces), (None, a.block.both))
        if b.block.id in ids
    ]
    at_odds = "replaced" in answers and len(answers) > 1
    if at_odds or (not answers and nearness in ("opposes", "replaces")):
        return "rival"
    return "replaced" if answers and answers[0] else None


def is_rival(one: Placed, other: Placed) -> bool:
    """Whether two approved blocks are rivals, by the person's word, else by what they say."""
    # Loaded where two are compared.
    from alice_exp.finding.rules.nearness import Pair

    return are_rivals(one, other, Pair(one.block, other.block).kind) is not None

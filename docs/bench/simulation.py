"""How far does a false lesson get among 1,000 Alices, and how long does a true one take?

    python -m docs.bench.simulation [--alices 1000] [--days 365] [--seed 7] [--svg FILE]

Every Alice is paired with six others and exchanges with one of them a day. One Alice knows a true lesson that it
verified 60 times. Some lie: they offer a false lesson every day, with the highest count that is read. A lesson that an
Alice holds is tried on each of its two occasions a day (one that nobody approved on one occasion in ten) and succeeds
in 95 % of them where it is true, in 20 % where it is false, each time in one of ten scenarios. A person reads the
heartbeat every other day, approves a true lesson in 90 % of the cases and a false one in 30 %, and allows seven in ten
of their proved lessons to leave. All that a block goes through is decided by ``model.rules.lifecycle`` and ``sharing.rules.bundle``.

Three ways of exchanging: ``blind`` trusts what it gets, with the sender's count; ``approved`` asks the person first,
and passes on what the sender's count proves; ``ours`` asks the person, lets a block rise by what succeeds here alone
and passes on what was verified here alone. Printed is whom the false lesson ever reached, be it as a candidate, and who acts on a lesson (trusted and
reliable).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from alice_exp.model.rules.approval import accepted
from alice_exp.model.rules.doubt import LIMIT
from alice_exp.model.rules.ledger import bound
from alice_exp.model.rules.lifecycle import Thresholds, outcome
from alice_exp.model.values.block import Block, Payload, Placed, Trigger
from alice_exp.sharing.rules.bundle import MOST_CLAIMED, Offer, candidate, lacks, merged, noted
from docs.bench.chart import chart

NOW = "2026-02-20T09:00:00Z"
LIMITS = Thresholds()
WAYS = ("blind", "approved", "ours")
PEERS = 6
ENOUGH = 120
"""Verifications here beyond which a lesson that proves itself is not tried any further."""

TRUE = Block("exp-trueaaaa", Payload("the true lesson"), Trigger("a task"))
FALSE = Block("exp-falseaaa", Payload("the false lesson"), Trigger("a task"))


@dataclass
class Alice:
    """What one Alice knows of the two lessons: where each is (``pool``, ``universal``), or that it is gone for good."""

    lies: bool
    peers: list[int] = field(default_factory=list)
    held: dict[str, Placed] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    met: set[str] = field(default_factory=set)


def trusted(block: Block) -> Block:
    """Approved as it stands."""
    return replace(block, entry=bound("trusted", block, "universal/tools.jsonc"))


def universal(block: Block) -> Placed:
    """In universal."""
    return Placed(block, "universal/tools.jsonc")


@dataclass
class World:
    """One run: a way of exchanging, a share of liars, a seed."""

    way: str
    count: int
    liars: float
    chance: random.Random
    alices: list[Alice] = field(default_factory=list)

    def begin(self) -> None:
        """Everyone with six others; the first knows the truth, the last ones lie."""
        lying = round(self.count * self.liars)
        self.alices = [Alice(number >= self.count - lying) for number in range(self.count)]
        for number, alice in enumerate(self.alices):
            while len(alice.peers) < PEERS // 2:
                other = self.chance.randrange(self.count)
                if other != number and other not in alice.peers:
                    alice.peers.append(other)
                    self.alices[other].peers.append(number)
        proved = replace(TRUE, state="reliable", verifications=60, verifications_local=60, shareable=True)
        self.alices[0].held[TRUE.id] = universal(trusted(proved))

    def day(self) -> None:
        """Everyone tries what it holds, reads the report perhaps, and meets one other."""
        for number, alice in enumerate(self.alices):
            self._live(alice)
            other = self.alices[self.chance.choice(alice.peers)]
            self._pass(alice, other, number)
            self._pass(other, alice, number)

    def acting(self, lesson: str) -> float:
        """The share of the honest that act on a lesson: trusted, and reliable or better."""
        honest = [alice for alice in self.alices if not alice.lies]
        return sum(_acts(alice.held.get(lesson)) for alice in honest) / len(honest)

    def _live(self, alice: Alice) -> None:
        if alice.lies:
            return
        for lesson, placed in list(alice.held.items()):
            is_waiting = placed.place == "low_value"
            for _ in range(2):
                if placed.block.verifications_local < ENOUGH and not (
                    is_waiting and self.chance.random() > 0.1
                ):
                    placed = self._tried(alice, lesson, placed)
                if lesson not in alice.held:
                    break
            if lesson in alice.held and is_waiting:
                self._decided(alice, lesson, placed)

    def _tried(self, alice: Alice, lesson: str, placed: Placed) -> Placed:
        works = self.chance.random() < (0.95 if lesson == TRUE.id else 0.2)
        change = outcome(placed.block, works, f"s{self.chance.randrange(10)}", NOW, thresholds=LIMITS)
        after = Placed(change.block, placed.path)
        # Outcomes archive nothing: the person is asked about what fails, and is right in four of five cases.
        doubt = change.block.doubt if self.way == "ours" else None
        asked = doubt is not None and doubt.value >= LIMIT
        if asked and self.chance.random() < (0.2 if lesson == TRUE.id else 0.8):
            del alice.held[lesson]
            alice.refused.add(lesson)
            return after
        if change.block.verifications_local == LIMITS.super_reliable and self.chance.random() < 0.7:
            after = Placed(replace(change.block, shareable=True), placed.path)
        alice.held[lesson] = after
        return after

    def _decided(self, alice: Alice, lesson: str, placed: Placed) -> None:
        alice.waiting[lesson] += 1
        if self.chance.random() < 0.5:
            if self.chance.random() < (0.9 if lesson == TRUE.id else 0.3):
                kept = accepted(placed.block)
                if self.way == "approved":
                    kept = replace(kept, state="reliable", shareable=True)
                alice.held[lesson] = universal(trusted(kept))
            else:
                del alice.held[lesson]
                alice.refused.add(lesson)
        elif alice.waiting[lesson] >= 7:
            del alice.held[lesson]

    def _offers(self, alice: Alice) -> list[Offer]:
        if alice.lies:
            return [Offer(FALSE, MOST_CLAIMED)]
        return [
            Offer(replace(placed.block, evidence=()), self._claims(placed.block))
            for placed in alice.held.values()
            if self._may_leave(placed)
        ]

    def _claims(self, block: Block) -> int:
        return block.verifications_local if self.way == "ours" else block.verifications

    def _may_leave(self, placed: Placed) -> bool:
        if self.way != "ours":
            block = placed.block
            return (
                placed.place == "universal"
                and block.shareable
                and block.verifications >= LIMITS.super_reliable
            )
        return not lacks(placed, LIMITS)

    def _pass(self, sender: Alice, receiver: Alice, number: int) -> None:
        if receiver.lies:
            return
        for offer in self._offers(sender):
            lesson, name = offer.block.id, f"alice_{number}"
            known = receiver.held.get(lesson)
            if known is None and lesson not in receiver.refused:
                self._new(receiver, offer, name)
            elif known is not None:
                change = (
                    merged(known.block, offer, name, NOW, LIMITS)
                    if known.place == "universal"
                    else (noted(known.block, offer, name, NOW))
                )
                if change is not None:
                    receiver.held[lesson] = Placed(change, known.path)

    def met(self, lesson: str) -> float:
        """The share of the honest that a lesson ever reached, be it as a candidate."""
        honest = [alice for alice in self.alices if not alice.lies]
        return sum(lesson in alice.met for alice in honest) / len(honest)

    def _new(self, receiver: Alice, offer: Offer, name: str) -> None:
        receiver.met.add(offer.block.id)
        block = candidate(offer, name, offer.block.id, NOW)
        if self.way == "blind":
            block = replace(block, state="reliable", verifications=offer.claimed, shareable=True)
            receiver.held[block.id] = universal(trusted(block))
        else:
            receiver.held[block.id] = Placed(block, "low_value_pool/pending_20260220.jsonc")
            receiver.waiting[block.id] = 0


def _acts(placed: Placed | None) -> bool:
    return placed is not None and placed.place == "universal" and placed.block.state == "reliable"


@dataclass(frozen=True)
class Run:
    """What one run showed: day by day, the share of the honest that act on each lesson."""

    way: str
    liars: float
    true: tuple[float, ...]
    false: tuple[float, ...]
    met: float = 0.0
    """The share of the honest that the false lesson ever reached."""

    @property
    def half(self) -> str:
        """The day on which half of the honest act on the true lesson."""
        return str(next((day for day, share in enumerate(self.true) if share >= 0.5), "never"))


def run(way: str, liars: float, alices: int, days: int, seed: int) -> Run:
    """One run; the same arguments give the same run."""
    world = World(way, alices, liars, random.Random(f"{seed} {liars}"))
    world.begin()
    true, false = [world.acting(TRUE.id)], [world.acting(FALSE.id)]
    for _ in range(days):
        world.day()
        true.append(world.acting(TRUE.id))
        false.append(world.acting(FALSE.id))
    return Run(way, liars, tuple(true), tuple(false), world.met(FALSE.id))


# -- what is shown --------------------------------------------------------------------------------------------------

COLOURS = {"blind": "#c0392b", "approved": "#d68910", "ours": "#1e8449"}


def table(runs: Sequence[Run]) -> str:
    """The runs as a table in Markdown."""
    rows = [
        "| way | liars | ever got the false lesson | act on it: at most | at the end | half act on the true one |",
        "|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {one.way} | {one.liars:.0%} | {one.met:.0%} | {max(one.false):.1%} | {one.false[-1]:.1%} | "
        f"{'day ' if one.half != 'never' else ''}{one.half} ({one.true[-1]:.0%} at the end) |"
        for one in runs
    ]
    return "\n".join(rows)


def svg(runs: Sequence[Run], title: str) -> str:
    """The shares day by day as a picture: the true lesson drawn through, the false one dashed."""
    lines = {}
    for one in runs:
        lines[f"{one.way}: true"] = COLOURS[one.way], one.true
        lines[f"{one.way}: false"] = COLOURS[one.way], one.false
    return chart(title, "days", lines, every=60)


def main() -> None:
    """Print the table and write the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--alices", type=int, default=1000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--svg", type=Path, default=Path(__file__).with_suffix(".svg"))
    asked = parser.parse_args()
    size = (asked.alices, asked.days, asked.seed)
    compared = [run(way, 0.05, *size) for way in WAYS]
    more = [run("ours", liars, *size) for liars in (0.0, 0.2, 0.5)]
    print(table([*compared, *more]))
    title = f"Who acts on a lesson: {asked.alices:,} Alices, 5 % liars"
    asked.svg.write_text(svg(compared, title), encoding="utf-8")


if __name__ == "__main__":
    main()

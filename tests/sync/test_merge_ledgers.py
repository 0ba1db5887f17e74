"""N3.5: which of two machines' decisions holds follows from who had seen whose, never from a clock."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import pytest

from alice_exp.model.rules.ledger import digest
from alice_exp.model.values.block import Entry
from alice_exp.sync.rules.merge_homes import ASKED, merge_ledgers

ONE, HEIGHT = "exp-aaaa2222", ("forgotten", "rejected", "retired", "waiting", "trusted")
WAS = Entry(ONE, "trusted", "c1", "universal/x.jsonc", act="act-1", at="2026-02-20T09:00:00Z")
AHEAD, BEHIND = "2026-02-22T09:00:00Z", "2026-02-20T10:00:00Z"


def after(was: Entry, **change: object) -> Entry:
    """A later decision of somebody who had seen ``was``."""
    return replace(was, **{"act": "act-2", "replaced": digest(was), **change})  # type: ignore[arg-type]


def both(one: Entry, other: Entry, *was: Entry) -> tuple[Entry, bool]:
    """The entry that holds, and whether it is asked; the same whichever machine merges."""
    bases = [{ONE: each} for each in was]
    here, there = (merge_ledgers(bases, {ONE: a}, {ONE: b}) for a, b in ((one, other), (other, one)))
    assert here == there
    return here[0][ONE], here[1] == (ONE,)


@pytest.mark.parametrize("at", [AHEAD, BEHIND])
@pytest.mark.parametrize("low", ["rejected", "retired", "waiting"])
def test_neither_had_seen_the_others(low: str, at: str) -> None:
    held, asked = both(after(WAS, content="c2", at=at), after(WAS, standing=low, act="act-3"), WAS)
    assert (held.standing, asked, held.channel) == (low, True, ASKED)


def test_the_same_decision_on_both_machines_is_no_question() -> None:
    held, asked = both(after(WAS, content="c2", at=AHEAD), after(WAS, content="c2", act="act-3"), WAS)
    assert not asked and (held.standing, held.content) == ("trusted", "c2")


def test_an_answer_ends_the_question() -> None:
    held, _ = both(after(WAS, content="c2"), after(WAS, standing="rejected", act="act-3"), WAS)
    answer = after(held, standing="trusted", channel="terminal", act="act-4")
    assert both(answer, held, held) == (answer, False)


class Head(NamedTuple):
    """A commit of a ledger: its entries and everything that it grew from."""

    entries: dict[str, Entry]
    past: frozenset[int] = frozenset()


class Machines:
    """Some machines that decide at random and merge with a head at a remote, and who had seen which decision."""

    def __init__(self, random: Random, names: str) -> None:
        self.random, self.heads, self.seen = random, [Head({})], {name: set[str]() for name in names}
        self.at = dict.fromkeys(names, 0)
        self.remote, self.acts, self.asked = 0, 0, set[str]()
        self.saw: dict[str, frozenset[str]] = {}

    def _next(self, entries: dict[str, Entry], *parents: int) -> int:
        past = frozenset(parents).union(*(self.heads[one].past for one in parents))
        self.heads.append(Head(entries, past))
        return len(self.heads) - 1

    def decide(self, name: str, block_id: str) -> None:
        entries = self.heads[self.at[name]].entries
        self.acts += 1
        was, act = entries.get(block_id), f"act-{self.acts}"
        made = Entry(
            block_id,
            self.random.choice(("trusted", "trusted", "rejected", "retired", "waiting")),
            self.random.choice(("c1", "c2")),
            self.random.choice(("universal/x.jsonc", "personal/x.jsonc")),
            self.random.choice(("", "shop/web")),
            act=act,
            at=self.random.choice((AHEAD, BEHIND)),
            replaced=digest(was) if was else "",
        )
        self.at[name] = self._next({**entries, block_id: made}, self.at[name])
        self.saw[act] = frozenset(self.seen[name])
        self.seen[name].add(act)

    def sync(self, name: str) -> None:
        here, there = self.at[name], self.remote
        if here in self.heads[there].past:
            self.at[name] = there
        elif here != there and there not in self.heads[here].past:
            bases = [self.heads[one].entries for one in self._bases(here, there)]
            made = self.merge(bases, self.heads[here].entries, self.heads[there].entries)
            self.at[name] = self._next(dict(made[0]), here, there)
        self.remote = self.at[name]

    def merge(self, *sides: object) -> tuple[Any, tuple[str, ...]]:
        made = merge_ledgers(*sides)  # type: ignore[arg-type]
        self.asked |= {*made[1]}
        return made

    def _bases(self, one: int, other: int) -> Iterable[int]:
        common = (self.heads[one].past | {one}) & (self.heads[other].past | {other})
        return [each for each in common if not any(each in self.heads[x].past for x in common)]


def played(seed: int, steps: int) -> None:
    random = Random(seed)
    world, ids = Machines(random, "abc"), [f"exp-{n}" for n in range(4)]
    for _ in range(steps):
        name = random.choice("abc")
        if random.random() < 0.4:
            world.sync(name)
            world.seen[name] |= world.seen.setdefault("remote", set())
            world.seen["remote"] = set(world.seen[name])
        else:
            world.decide(name, random.choice(ids))
    for name in "abcabc":
        world.sync(name)
    entries = [world.heads[world.at[name]].entries for name in "abc"]
    assert entries[0] == entries[1] == entries[2], "they converge"
    decided = {f"act-{n}" for n in range(1, world.acts + 1)}
    all_entries = {
        one.act: one for head in world.heads for one in head.entries.values() if one.channel != ASKED
    }
    for block_id, held in entries[0].items():
        mine = {act for act in decided if all_entries[act].id == block_id}
        last = {act for act in mine if not any(act in world.saw[other] for other in mine)}
        standings = {all_entries[act].standing for act in last}
        assert len(last) > 1 or held.act in last, "who had seen all others wins"
        assert HEIGHT.index(held.standing) <= max(map(HEIGHT.index, standings))
        assert held.act in last or block_id in world.asked, "no decision is lost unasked"


@pytest.mark.parametrize("seed", range(40))
def test_random_decisions_converge_and_none_is_lost_unasked(seed: int) -> None:
    played(seed, 60)


@pytest.mark.slow
def test_many_random_decisions_converge() -> None:
    for seed in range(40, 2_000):
        played(seed, 120)

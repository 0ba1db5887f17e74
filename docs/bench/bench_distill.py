"""Do distilled rules tell success from failure on episodes that they have not seen?

    python -m docs.bench.bench_distill

On tau_airline (60 attempts of a real agent at 15 tasks, 12 of them successful) rules are distilled from all attempts
but those held out; the surest rule that applies to a held-out attempt judges it. Printed: how many attempts rules
recommended and warned of, the success rate of each with its 90 % interval, beside the average. Two ways of holding out:
one attempt at each task (has it been tried before?), and all attempts at one task (does anything carry over?). Below
them the same with outcomes shuffled within the collection (200 times): what chance alone would separate.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

from alice_exp.kernel.text.times import iso_time
from alice_exp.learning.rules import episode_groups
from alice_exp.learning.rules.distill import distill
from alice_exp.learning.rules.proposals import Proposal
from alice_exp.model.rules.doubt import Rate, difference, rate
from alice_exp.model.values.records import Episode
from tests.data import HERE as DATA

SHUFFLES = 200
Fold = Callable[[Episode], Hashable]


def episodes() -> list[Episode]:
    """Each attempt: the user's first words as task, the tools in their order as action."""
    lines = (DATA / "tau_airline/docs.jsonl").read_text("utf-8").splitlines()
    return [episode(json.loads(line), number) for number, line in enumerate(lines)]


def episode(row: dict[str, Any], number: int) -> Episode:
    meta = row["meta"]
    return Episode(
        id=f"ep-{row['id']}",
        task=row["text"].split("\n")[0].removeprefix("user: "),
        context={"domain": "airline", "task": meta["task"]},
        action=", ".join(meta["tools"]),
        success=meta["success"],
        reward=float(meta["success"]),
        at=iso_time(1_700_000_000 + number),
        extra={"trial": meta["trial"]},
    )


def judged(known: Sequence[Episode], unseen: Sequence[Episode]) -> list[tuple[str, bool]]:
    """What the surest applicable rule says of each unseen attempt, and how that ended."""
    rules = distill(known)
    found: list[tuple[str, bool]] = []
    for one in unseen:
        rule = next((rule for rule in rules if applies(rule, one)), None)
        found.append((rule.kind if rule else "silent", one.success))
    return found


def applies(rule: Proposal, episode: Episode) -> bool:
    """Whether an episode (or a task about to be done) shows what a rule speaks of."""
    basis = "action" if rule.support.basis == "trend" else rule.support.basis
    return episode.task_type == rule.support.type and (basis, rule.support.trait) in traits(episode)


def traits(episode: Episode) -> set[episode_groups.Trait]:
    """All that an episode can share with others."""
    action = " ".join(episode.action.split())
    own: set[episode_groups.Trait] = {("action", action)} if action else set()
    own |= {("step", step) for step in episode_groups._steps(episode.action)}
    return own | episode_groups.task_words(episode) | episode_groups.entries(episode)


def held_out(attempts: Sequence[Episode], fold: Fold) -> list[tuple[str, bool]]:
    """Every attempt judged once, by rules from the other folds."""
    verdicts: list[tuple[str, bool]] = []
    for name in sorted({fold(one) for one in attempts}, key=str):
        known = [one for one in attempts if fold(one) != name]
        verdicts += judged(known, [one for one in attempts if fold(one) == name])
    return verdicts


def rates(verdicts: Sequence[tuple[str, bool]]) -> dict[str, Rate]:
    groups: dict[str, list[bool]] = {"advice": [], "warning": [], "silent": []}
    for said, success in verdicts:
        groups[said].append(success)
    return {said: rate(sum(group), len(group)) for said, group in groups.items()}


def gap(found: dict[str, Rate]) -> float:
    """Success rate of the recommended minus that of all the others."""
    rest = rate(
        found["warning"].successes + found["silent"].successes, found["warning"].total + found["silent"].total
    )
    return found["advice"].value - rest.value if found["advice"].total and rest.total else 0.0


def shuffled(attempts: Sequence[Episode], fold: Fold, rng: random.Random) -> float:
    outcomes = [one.success for one in attempts]
    rng.shuffle(outcomes)
    mixed = [
        replace(one, success=outcome, reward=float(outcome))
        for one, outcome in zip(attempts, outcomes, strict=True)
    ]
    return gap(rates(held_out(mixed, fold)))


def told(name: str, one: Rate) -> str:
    return f"  {name:<12}{one.successes:>3} of {one.total:<3} = {one.value:6.1%}  [{one.low:.1%}, {one.high:.1%}]"


def report(title: str, attempts: Sequence[Episode], fold: Fold) -> None:
    found = rates(held_out(attempts, fold))
    average = rate(sum(one.success for one in attempts), len(attempts))
    rest = rate(
        average.successes - found["advice"].successes,
        average.total - found["advice"].total,
    )
    low, high = difference(found["advice"], rest)
    rng = random.Random(5)
    by_chance = [shuffled(attempts, fold, rng) for _ in range(SHUFFLES)]
    as_good = (1 + sum(one >= gap(found) for one in by_chance)) / (1 + SHUFFLES)
    print(title)
    for name, key in (("recommended", "advice"), ("warned of", "warning"), ("no rule", "silent")):
        print(told(name, found[key]))
    print(told("average", average))
    print(f"  recommended minus the others: {gap(found):+.1%} [{low:+.1%}, {high:+.1%}] (90 %)")
    print(f"  shuffled outcomes separate as well in {as_good:.1%} of {SHUFFLES} runs\n")


def main() -> None:
    attempts = episodes()
    report("one attempt at each task held out", attempts, lambda one: str(one.extra["trial"]))
    report("all attempts at one task held out", attempts, lambda one: str(one.context["task"]))
    print("rules from all attempts")
    for rule in distill(attempts, 8):
        template, values = rule.explanation
        print(f"  {rule.kind}: {template.format(**values)}")


if __name__ == "__main__":
    main()

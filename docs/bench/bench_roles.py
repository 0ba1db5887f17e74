"""Long talks in which an assistant repeats what a person said: is the person's own turn found? (docs/finding.md)

``python -m docs.bench.bench_roles``. The talks are made up, by six seeds: a person tells 150 facts between fillers, the
assistant answers each at length in the same words, and repeats others later. Asked is what the person said.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from alice_exp.finding.store import turn_index
from docs.bench.bench_conversations import Said, ours, plain_bm25

_THINGS = (
    "budget, deadline, server, sister, garden, thesis, flight, dentist, kitchen, contract, "
    "marathon, piano, visa, database, newsletter, workshop, insurance, balcony, recipe, podcast"
)
THINGS = _THINGS.split(", ")
_OWNERS = (
    "Lisbon, Graz, the spring launch, project Heron, the school, the north office, Clara, uncle "
    "Ben, the museum, the lake house, the second phase, the museum shop"
)
OWNERS = _OWNERS.split(", ")
TOLD = [
    "I moved the {t} of {p} to {v}",
    "we agreed that the {t} of {p} is {v}",
    "my {t} for {p} is now {v}",
    "I decided that the {t} of {p} should be {v}",
    "by the way, the {t} of {p} costs {v}",
]
ANSWERS = [
    "Sure. For the {t} of {p}, {v} sounds reasonable; here is how I would plan the {t} of {p}: first list what the {t} needs, then check {p} again, and keep the {t} of {p} in one document.",
    "Great choice! The {t} of {p} matters. Consider the {t} of {p} together with other points of {p}, compare each {t}, and write the {t} down.",
    "Here are five ideas for the {t} of {p}: ask early, keep notes on the {t}, review {p} weekly, share the {t} of {p}.",
]
FILLERS = [
    "Could you explain how that works in general and what people usually do about it",
    "Thanks, that helps a lot, let us go on with the next point then",
    "Please rewrite the paragraph so that it reads better",
]
ASKED = [
    "what did I say about the {t} of {p}?",
    "where is the {t} of {p} now, as I told it?",
    "what did we agree on for the {t} of {p}?",
    "which {t} did I name for {p}?",
]


def talk(seed: int, facts: int = 150) -> tuple[list[Said], list[tuple[str, str]]]:
    """The turns of a talk, and its questions with the name of the turn that answers each."""
    chance = random.Random(seed)
    pairs = [(thing, owner) for thing in THINGS for owner in OWNERS]
    chance.shuffle(pairs)
    told = pairs[:facts]
    turns: list[Said] = []
    asked = []

    def say(role: str, text: str) -> None:
        turns.append(Said(str(len(turns)), f"s{len(turns) // 40}", text, role=role))

    for thing, owner in told:
        value = f"{chance.choice('abcdefgh')}{chance.randint(100, 999)}"
        asked.append((chance.choice(ASKED).format(t=thing, p=owner), str(len(turns))))
        say("user", chance.choice(TOLD).format(t=thing, p=owner, v=value))
        say("assistant", chance.choice(ANSWERS).format(t=thing, p=owner, v=value))
        for _ in range(chance.randint(1, 4)):
            say("user", f"{chance.choice(FILLERS)} ({chance.choice(THINGS)})")
            other, of = chance.choice(told)
            say("assistant", chance.choice(ANSWERS).format(t=other, p=of, v="that"))
    return turns, asked


def found(person: float | None) -> Iterator[tuple[bool, bool]]:
    """Of each question whether its turn is the first, and one of the first five; None: by plain BM25."""
    for seed in range(6):
        turns, asked = talk(seed)
        if person is not None:
            turn_index.PERSON = person
        find = plain_bm25(turns) if person is None else ours(turns)
        for question, wanted in asked:
            best = find(question)[:5]
            yield best[:1] == [wanted], wanted in best


def main() -> int:
    for name, person in (("plain BM25", None), ("the scorer alone", 1.0), ("a person counts 1.5", 1.5)):
        rows = [*found(person)]
        first, five = (100 * sum(column) / len(rows) for column in zip(*rows, strict=True))
        print(f"{name}: R@1 {first:.1f}, R@5 {five:.1f} of {len(rows)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

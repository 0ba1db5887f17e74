"""What is heard in real sessions, beside hand labels: coverage, tokens, candidates of cues, and what is said again.

``python -m docs.bench.bench_heard``; the sessions (``work_talks``) are looked for where ``ALICE_DATA`` says. The cues
were written with all of these sessions in view. What they are worth elsewhere is estimated by leaving one repository
out: there, of the cues alone those count that found something right in another.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from alice_exp.agents.rules import deeds_of
from alice_exp.conversations.rules import own_sentences as own
from alice_exp.conversations.rules.context_window import estimate_tokens
from alice_exp.conversations.rules.own_sentences import Inference, Said, extract, queued, said, words_of
from alice_exp.conversations.rules.transcripts import read, records, spoken
from alice_exp.kernel.text.tokens import tokens
from alice_exp.model.rules.identity import are_one, marks_of
from tests.data import HERE

T = TypeVar("T")


class Talk(NamedTuple):
    """A session: its repository, the person's turns, the sentences of its queue, what cues find, and of each labelled
    message (by index) the sentences that come nearest to its labels."""

    name: str
    repository: str
    turns: list[str]
    queue: list[Said]
    found: list[Inference]
    labels: dict[int, list[str]]


def talks() -> Iterator[Talk]:
    """Every session of the set; none where it is not to be had."""
    folder = Path(os.environ.get("ALICE_DATA", "")) / "work_talks"
    rows = defaultdict(list)
    for line in (folder / "labels.jsonl").read_text("utf-8").splitlines() if folder.is_dir() else ():
        rows[json.loads(line)["session"]].append(json.loads(line))
    for session, labelled in sorted(rows.items()):
        text = (folder / f"{session}.jsonl").read_text("utf-8")
        listed = spoken(read(records(text)), session)
        messages, places = [one.message for one in listed], {one.name: at for at, one in enumerate(listed)}
        every = said(messages)
        labels = {
            places[row["uuid"]]: [_nearest(messages[places[row["uuid"]]].content, keep["wording"])
                                  for keep in row["keep"]]
            for row in labelled if row["keep"] and row["uuid"] in places
        }  # fmt: skip
        queue = queued(every, messages)
        turns = [one.content for one in messages if one.role == "user"]
        yield Talk(session, labelled[0]["project"], turns, queue, [*extract(messages)[0]], labels)


def _nearest(text: str, wording: str) -> str:
    wanted = set(tokens(wording))
    return max(own.own_sentences(text), key=lambda one: len(wanted.intersection(tokens(one))), default="")


def cues_of(one: Inference) -> set[str]:
    """The cues by which a candidate was found, as they stand in its sentence; of what rows tell of a person the slot."""
    words, low = words_of(one.quote), one.quote.lower()
    if one.type != "rule":
        return {f"row {one.type}"}
    return {found[0] for found in (*words.standing.finditer(low), *words.explicit.finditer(low))}


def table(listed: Sequence[Talk]) -> None:
    """A row a repository: the queue beside the labels, and what cues find, as they are and with this one left out."""
    right = defaultdict(set)
    for talk in listed:
        for one in talk.found:
            if one.index in talk.labels:
                right[talk.repository] |= cues_of(one)
    print("| repository | sessions | sentences, tokens a session | labels | its message waits | its sentence waits | "
          "candidates of cues | from labelled messages | the labelled sentence | by the others' cues | from labelled |")  # fmt: skip
    print("|---|" + "---|" * 10)
    repositories = [*dict.fromkeys(one.repository for one in listed)]
    for name in [*repositories, "together"]:
        mine = [one for one in listed if name in (one.repository, "together")]
        labels = [(talk, at, text) for talk in mine for at, texts in talk.labels.items() for text in texts]
        waits = sum(any(one.index == at for one in talk.queue) for talk, at, _ in labels)
        best = sum(any(one.text == text for one in talk.queue) for talk, _, text in labels)
        found = [(talk, one) for talk in mine for one in talk.found]
        others = [(talk, one) for talk, one in found
                  if cues_of(one) & set().union(*(right[of] for of in repositories if of != talk.repository))]  # fmt: skip
        sentences = sum(len(one.queue) for one in mine) / len(mine)
        size = sum(estimate_tokens(one.text) for talk in mine for one in talk.queue) / len(mine)
        exact = sum(one.quote in talk.labels.get(one.index, ()) for talk, one in found)
        cells = (name, len(mine), f"{sentences:.1f}, {size:.0f}", len(labels), waits, best, len(found),
                 _right(found), exact, len(others), _right(others))  # fmt: skip
        print("| " + " | ".join(map(str, cells)) + " |")


def _right(found: Collection[tuple[Talk, Inference]]) -> int:
    return sum(one.index in talk.labels for talk, one in found)


def joined(listed: Sequence[Talk]) -> None:
    """The turns, and the sentences of the queue, that were said in two sessions of a repository or more, as groups: by
    neighbouring words at Jaccard 0.5, and as they join; then our own wordings."""
    turns = [(talk.repository, talk.name, text) for talk in listed for text in talk.turns]
    sentences = [(talk.repository, talk.name, one.text) for talk in listed for one in talk.queue]
    for what, told in (("turns", turns), ("sentences of the queue", sentences)):
        plain = groups(told, _neighbours, _is_half)
        ours = groups(told, marks_of, are_one)
        print(
            f"\n{len(told)} {what}: {len(plain)} groups alike by neighbouring words, {len(ours)} by the marks"
        )
        for group in (*plain, *(one for one in ours if one not in plain)):
            print(f"  {group in plain} {group in ours}: {len(group)} times {group[0]!r}")
    rows = [json.loads(line) for line in (HERE / "wordings.jsonl").read_text("utf-8").splitlines()]
    orders = [row["said"] for row in rows if "said" in row]
    said_by = [[("", str(at), text) for at, text in enumerate(group)] for group in orders]
    largest = [max(map(len, groups(told, marks_of, are_one)), default=0) for told in said_by]
    wrong = [pair for pair in rows[-1]["apart"] if are_one(*map(marks_of, pair))]
    across = [
        (one, other)
        for group, more in combinations(orders, 2)
        for one in group
        for other in more
        if are_one(marks_of(one), marks_of(other))
    ]
    print(f"{sum(largest)} of {sum(map(len, orders))} wordings of {len(orders)} orders join theirs ({largest});"
          f" wrong: {len(wrong)} of {len(rows[-1]['apart'])} pairs that differ in a word, {len(across)} across orders")  # fmt: skip


def groups(
    told: Sequence[tuple[str, str, str]], sees: Callable[[str], T], alike: Callable[[T, T], bool]
) -> list[list[str]]:
    """Of texts, each with its repository and session: those that are alike, directly or by a third, in two sessions."""
    seen = [sees(text) for *_, text in told]
    group = [*range(len(told))]
    for at, other in combinations(range(len(told)), 2):
        if told[at][0] == told[other][0] and alike(seen[at], seen[other]):
            group = [group[at] if one == group[other] else one for one in group]
    found = [[row for row, of in zip(told, group, strict=True) if of == one] for one in dict.fromkeys(group)]
    return [[text for *_, text in rows] for rows in found if len({session for _, session, _ in rows}) > 1]


def _neighbours(text: str) -> set[tuple[str, str]]:
    return {*pairwise(re.findall(r"[\u3400-\u9fff]|\w+", text.casefold()))}


def _is_half(one: set[Any], other: set[Any]) -> bool:
    return len(one & other) >= 0.5 * max(1, len(one | other))


def cpu(turns: int = 5000) -> tuple[float, float]:
    """Seconds of CPU that hearing a session of so many turns takes: reading what was said and done, and the queue."""
    rows = [
        {"type": role, "uuid": f"{role}{at}", "timestamp": "2026-02-20T08:00:00Z", "message": {"role": role, "content":
         f"We always keep module {at} free of the network. Then look at line {at} and say why it fails. " * 4}}
        for at in range(turns // 2) for role in ("user", "assistant")
    ]  # fmt: skip
    text = "\n".join(map(json.dumps, rows))

    def seconds(act: Callable[[], object]) -> float:
        start = time.process_time()
        act()
        return time.process_time() - start

    messages = [one.message for one in spoken(read(records(text)), "s")]
    return (seconds(lambda: deeds_of(read(records(text)))), seconds(lambda: (queued(said(messages), messages), extract(messages))))  # fmt: skip


def main() -> int:
    listed = [*talks()]
    if listed:
        table(listed)
        joined(listed)
    taken, heard = cpu()
    print(f"5,000 turns: read in {taken:.2f} s of CPU, heard in {heard:.2f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

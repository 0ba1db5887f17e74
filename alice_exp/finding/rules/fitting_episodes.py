"""Which episodes fit a question in words; one list for ``recall``, ``context`` and the tools of agents."""

from __future__ import annotations

from collections.abc import Sequence

from alice_exp.kernel.text.bilingual_lexicon import LEAST, scores
from alice_exp.kernel.text.tokens import fold, tokens
from alice_exp.model.values.records import Episode

READ = 4096
"""Characters of an episode that are compared; longer ones were pasted."""


def fitting_episodes(
    episodes: Sequence[Episode], query: str, since: str = "", least: float = LEAST
) -> list[tuple[float, Episode]]:
    """The episodes that fit, best first, the newer of equal ones first, with a score in (0, 1].

    ``since`` is ISO-8601 UTC; ``least`` is the share of the query's weight that an episode has to have.
    """
    listed = [one for one in episodes if one.at >= since]
    wanted = tokens(query)
    told = [(one, episode_text(one)[:READ]) for one in listed]
    # Cutting a text to words costs most: only those are cut that have a word of the query at all.
    near = [
        (one, text)
        for one, text in told
        if any(word in folded for folded in (fold(text),) for word in wanted)
    ]
    weighed = scores(query, [text for _, text in near], least, len(listed))
    found = [(score, one) for score, (one, _) in zip(weighed, near, strict=True) if score > 0]
    return sorted(found, key=lambda each: (-each[0], -each[1].timestamp, each[1].id))


def episode_text(one: Episode) -> str:
    """An episode in one line: task, action, how it ended, what was learned and remarked."""
    ended = "not reported" if one.unreported else "ok" if one.success else "failed"
    return " — ".join(filter(None, (f"{one.task}: {one.action} ({ended})", one.reflection, one.note)))

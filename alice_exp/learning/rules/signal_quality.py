"""How far the signals of a kind agree with what was reported of the same decisions: sensitivity and specificity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from alice_exp.kernel.value_class import dataclass
from alice_exp.learning.rules.success_rates import Rate, rate


@dataclass(frozen=True, slots=True)
class Quality:
    """A kind of signal: how many decisions have one, the share that seemed ok of those reported ok (sensitivity), and
    the share that seemed failed of those reported failed (specificity)."""

    kind: str
    seen: int
    ok: Rate
    failed: Rate

    @property
    def both(self) -> int:
        """The decisions that have a signal of the kind and a report."""
        return self.ok.total + self.failed.total


def qualities(decisions: Iterable[tuple[Mapping[str, bool], bool | None]]) -> tuple[Quality, ...]:
    """The kinds that were seen, by name, from each decision's signals and its report (None: there is none)."""
    counts: dict[str, Counter[tuple[bool, bool | None]]] = {}
    for seemed, reported in decisions:
        for kind, ok in seemed.items():
            counts.setdefault(kind, Counter())[ok, reported] += 1
    return tuple(
        Quality(
            kind,
            sum(found.values()),
            rate(found[True, True], found[True, True] + found[False, True]),
            rate(found[False, False], found[True, False] + found[False, False]),
        )
        for kind, found in sorted(counts.items())
    )

"""The judge of approvals that a home is given: by default the files speak for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.model.values.block import Block
    from alice_exp.model.values.snapshot import Snapshot


class Judge:
    """Who says what counts as approved: the owner key, where a home has one; else the files themselves.

    ``judge`` gives a snapshot its verdicts: every one that leaves the home goes through it. ``is_judged`` says whether
    that changes anything, so that blocks have to be looked at one by one. ``proves`` says whether a block carries a
    valid signature of the owner key, whoever wrote it.
    """

    # Not a dataclass, and not among the ports: every command loads this, and those cost it two milliseconds.
    def __init__(
        self,
        judge: Callable[[Snapshot], Snapshot] = lambda seen: seen,
        is_judged: Callable[[], bool] = lambda: False,
        proves: Callable[[Block], bool] = lambda _: False,
    ) -> None:
        self.judge = judge
        self.is_judged = is_judged
        self.proves = proves

"""What a search needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alice_exp.blocks.store.access_log import FileAccess
    from alice_exp.caller.acting import Caller
    from alice_exp.finding.store.search_index import HomeIndex
    from alice_exp.home.ports import Home
    from alice_exp.model.values.block import Placed


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search needs: the home, its index, the log of reads, the caller with the time, the cosine of a query
    with each of some texts (``None``: words alone), and what the working folder's repository brings of its team."""

    home: Home
    index: HomeIndex
    access: FileAccess
    caller: Caller
    cosines: Callable[[str, Sequence[str]], list[float] | None] | None = None
    team: Callable[[], Sequence[Placed]] = tuple

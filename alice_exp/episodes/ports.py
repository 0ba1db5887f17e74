"""What the use cases of episodes need, as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.blocks.ports import AccessLog
    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home


@dataclass(frozen=True, slots=True)
class Recording:
    """What episodes need: the home, the log of reads (which counts how often a search found one), the caller with the
    time, and all names of the working folder's project, which this machine knows once they were asked for."""

    home: Home
    access: AccessLog
    caller: Caller
    project: Callable[[], str]

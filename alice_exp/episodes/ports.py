"""What the use cases of episodes need, as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from alice_exp.blocks.ports import AccessLog
    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home


@dataclass(frozen=True, slots=True)
class Recording:
    """What episodes need: the home, the log of reads (which counts how often a search found one), and the caller with
    the time."""

    home: Home
    access: AccessLog
    caller: Caller

"""What can happen to a command at one of its steps, by the name of its mode.

``kill``           the whole tree dies, the call is not carried out
``kill-one``       only the process that makes the call dies, and its parent sees that
``errno:ENOSPC``   the call fails once, with this or any other errno
``errno*:ENOSPC``  this call and every later one fail: a disk that stays full
``short``          the call writes half of what was asked
``powercut``       the whole tree dies, and what is not yet on the disk is gone (``powercut.py``)
``powercut-end``   the power is cut once the command has returned: what it promised has to be there
"""

import errno
from collections.abc import Callable
from dataclasses import dataclass

from .tracer import Stop


@dataclass(frozen=True)
class Fault:
    """One mode: what it does at its step, and whether it stays for all later ones.

    ``writes`` says that it can happen only where a call writes more than one byte; ``cuts`` when the power is cut.
    """

    mode: str
    do: Callable[[Stop], None]
    lasts: bool = False
    writes: bool = False
    cuts: str = ""


def _nothing(stop: Stop) -> None:
    """The call is carried out as asked."""


PLAIN = {
    fault.mode: fault
    for fault in (
        Fault("kill", Stop.kill_all),
        Fault("kill-one", Stop.kill_one),
        Fault("short", Stop.shorten, writes=True),
        Fault("powercut", Stop.kill_all, cuts="at the step"),
        Fault("powercut-end", _nothing, cuts="at the end"),
    )
}


def named(mode: str) -> Fault:
    """The fault of a mode; ``ValueError`` where there is none."""
    if mode in PLAIN:
        return PLAIN[mode]
    kind, _, name = mode.partition(":")
    number = getattr(errno, name, None)
    if kind not in ("errno", "errno*") or not isinstance(number, int):
        raise ValueError(f"no mode {mode}: {', '.join(PLAIN)}, errno:NAME or errno*:NAME")
    return Fault(mode, lambda stop: stop.refuse(number), lasts=kind == "errno*")

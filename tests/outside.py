"""What acts as a person here runs outside of the agent's host that may have started it: its parents are left behind.

Nothing that a test could set would make the program overlook whose process it is in (docs/guarantees.md names this
way, too).
"""

import os
import signal
import sys
import time

from alice_exp.caller.acting import Acting
from alice_exp.caller.hosts import KNOWN


def leave() -> None:
    """Go on as a process whose parents no longer live; the one that was started waits, and ends as this one does."""
    for host in KNOWN:
        for name in host.variables:
            os.environ.pop(name, None)
    if Acting().inside is None:
        return
    ours, theirs = os.pipe()
    if os.fork():
        os.close(theirs)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with os.fdopen(ours, "rb") as told:
            os._exit(int(told.read() or b"1"))
    os.close(ours)
    between = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == between:
        time.sleep(0.001)
    if worker := os.fork():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
        os.write(theirs, b"%d" % (code if code >= 0 else 1))
        os._exit(0)
    os.close(theirs)
    if inside := Acting().inside:
        sys.exit(f"this acts as a person, and {inside[0]} ({inside[1]}) is the first process of this machine")

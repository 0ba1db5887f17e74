"""What work costs, whatever else the machine does: processor time of this process, and what one costs in terms of another."""

import time
from collections.abc import Callable

Act = Callable[[], object]


def seconds(act: Act, runs: int = 3) -> float:
    """The processor seconds of the cheapest of some runs: others' load lengthens none of them."""
    spent = []
    for _ in range(runs):
        began = time.process_time()
        act()
        spent.append(time.process_time() - began)
    return min(spent)


def ratio(dear: Act, cheap: Act, *, enough: float, runs: int = 3, tries: int = 5) -> float:
    """How many times as much ``dear`` costs as ``cheap``, measured side by side: the least found before it is ``enough``.

    A shared cache and a core's other half make even processor time waver, so that what is too much is measured again.
    """
    found = float("inf")
    for _ in range(tries):
        found = min(found, seconds(dear, runs) / max(seconds(cheap, runs), 1e-6))
        if found <= enough:
            break
    return found

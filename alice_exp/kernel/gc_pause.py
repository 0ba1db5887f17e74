"""Pauses the cyclic garbage collector while many objects are built at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the cyclic garbage collector for a ``with`` block or a decorated function.

    For code that creates many objects and no cycles: reading 10,000 episodes takes a third of the time, because the
    collector would walk all live objects again and again.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Somebody outside, perhaps an enclosing pause, may have disabled it already.
        if was:
            gc.enable()

"""alice-exp: an agent's experience in plain files that a person reads, reviews and trusts.

``from alice_exp import Alice`` opens a home for a program; ``alice_exp.app.api`` is loaded when it is asked for.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from alice_exp.kernel import VERSION

if TYPE_CHECKING:
    from alice_exp.app.api import *  # noqa: F403

__version__ = VERSION

WINDOWS = "Windows is not supported, since locks and file modes differ; it runs under WSL"
"""What whoever starts or imports it on Windows is told."""


def __getattr__(name: str) -> object:
    """A name that ``app.api`` offers, loaded now; modules are named otherwise, so that they load without it."""
    if name[:1].isupper() or name == "before_model":
        if sys.platform == "win32":
            raise OSError(WINDOWS)
        from alice_exp.app import api

        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

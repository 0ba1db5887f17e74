"""A regular expression that is compiled on first use, so that start-up does not pay for unused ones."""

from __future__ import annotations

import re
from typing import Any


class LazyPattern:
    """A drop-in for ``re.compile``: the pattern is compiled when the first of its methods is used."""

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        method = getattr(re.compile(self._pattern, self._flags), name)
        # Kept as an attribute of the instance, so that this function is not called for it again.
        setattr(self, name, method)
        return method

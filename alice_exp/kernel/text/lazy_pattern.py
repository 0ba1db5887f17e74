"""A regular expression that is compiled when it is first used: a cold start pays for none that it does not ask."""

from __future__ import annotations

import re
from typing import Any


class LazyPattern:
    """A pattern that is compiled when it is first used: most commands use few of them, and compiling is slow."""

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        method = getattr(re.compile(self._pattern, self._flags), name)
        setattr(self, name, method)
        return method

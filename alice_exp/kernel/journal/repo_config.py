"""What a repository tells git for itself alone, as the journal's user wants it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RepoConfig:
    """Local ``settings`` (key to value) and ``texts`` of files below ``.git`` (hooks, attributes, excludes).

    ``watched`` is the setting whose change shows that an earlier version wrote it; empty where none does.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    watched: str = ""

"""The local git configuration of one repository, supplied by the journal's caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from alice_exp.kernel.value_class import dataclass


@dataclass(frozen=True, slots=True)
class RepoConfig:
    """Local ``settings`` (key to value) and ``texts`` of files below ``.git`` (hooks, attributes, excludes) by path.

    ``watched`` is the setting that reveals a configuration written by an earlier version; empty if none does.
    ``defaults`` are settings that stay as a person set them in this repository.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    watched: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)

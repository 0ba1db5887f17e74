"""Builds the tables of word lists into the wheel: a build hook for hatchling (``pyproject.toml``)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parents[1]


class WordTables(BuildHookInterface):  # type: ignore[type-arg, misc]
    """Writes every table as the first use of it would, and adds the files, which git does not track."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds a wheel."""
        del version
        sys.path.insert(0, str(ROOT))
        from alice_exp.finding.rules import statement
        from alice_exp.kernel.text import bilingual_lexicon

        for table in (
            bilingual_lexicon._concepts,
            bilingual_lexicon._members,
            statement._tables,
        ):
            table()
        build_data["artifacts"].append("alice_exp/tables/*.marshal")

"""``purge`` on the home: under its lock, settled, with a tombstone in the history's own words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.core.ports import Purged
from alice_exp.store.purge import count, purge

if TYPE_CHECKING:
    from alice_exp.core.act import Act
    from alice_exp.store.home import FileHome


class HomePurge:
    """Purges blocks of one home; see ``core.ports.Purge``."""

    def __init__(self, home: FileHome) -> None:
        self._home = home

    def purge(self, block_id: str, act: Act) -> Purged | None:
        """Take a block out of every file and every commit; see ``core.ports.Purge.purge``."""
        with self._home.alone() as composed:
            commit, message = composed(act)
            done = purge(self._home.repository, block_id, message)
            if done is None:
                return None
        return Purged(replace(commit, commit=done.tombstone), done.commits, done.versions, done.elsewhere)

    def versions(self, block_id: str) -> int:
        """How many versions of files hold the block; see ``core.ports.Purge.versions``."""
        return count(self._home.repository, block_id)

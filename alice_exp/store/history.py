"""What happened, read through GitPython: acts, the blocks they changed, last versions.

The only module that imports ``git``. No string from outside reaches a git command line: names are resolved here
against what history holds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from alice_exp.core.changes import Commit
from alice_exp.core.errors import NotFoundError, UsageError
from alice_exp.core.model import Placed, Problem
from alice_exp.core.ports import Changed, FileVersion, Version
from alice_exp.store.messages import read
from alice_exp.store.plumbing import LOST, Repository, isolated_environment
from alice_exp.store.reading import holds_blocks
from alice_exp.text.blocks import raw_block
from alice_exp.text.jsonc import parse
from alice_exp.text.schema import read_blocks

if TYPE_CHECKING:
    import git
    from git.objects import Blob
    from git.objects import Commit as GitCommit

_NAME = re.compile(r"[0-9a-f]{4,40}|act-[a-z2-9]{8}")


class GitHistory:
    """The history of one home; see ``core.ports.History``."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._opened: git.Repo | None = None

    @contextmanager
    def _repo(self) -> Iterator[git.Repo]:
        """The opened repository, with the person's ``GIT_*`` variables out of the way while it is used."""
        kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("GIT_")}
        try:
            os.environ["GIT_PYTHON_REFRESH"] = "quiet"
            if self._opened is None:
                import git

                self._opened = git.Repo(self._repository.work_tree)
                quiet = {k: v for k, v in isolated_environment().items() if k.startswith("GIT_")}
                self._opened.git.update_environment(**quiet)
            yield self._opened
        finally:
            os.environ.pop("GIT_PYTHON_REFRESH", None)
            os.environ.update(kept)

    def log(self, *, block: str = "", limit: int = 0) -> Iterator[Commit]:
        """The acts, newest first; see ``core.ports.History.log``."""
        if not self._repository.exists or not self._repository.head():
            return
        options: dict[str, Any] = {"max_count": limit} if limit else {}
        if block:
            options.update(grep=f"^Alice-Block: {block}$")
        with self._repo() as repo:
            for found in repo.iter_commits(repo.head.commit, **options):
                yield read(found.hexsha, _message(found))

    def commit(self, name: str) -> Commit:
        """The act that a name means; see ``core.ports.History.commit``."""
        if not _NAME.fullmatch(name):
            raise UsageError(
                "{name} is not an act",
                name=repr(name),
                hint="an act is named by its commit or act id, see 'alice-exp log'",
            )
        found = [act for act in self.log() if act.act_id == name or act.commit.startswith(name)]
        if not found:
            raise NotFoundError("no act is named {name}", name=name, hint="see 'alice-exp log'")
        if len(found) > 1:
            raise UsageError("{name} fits several acts", name=name, hint="write more of the commit's id")
        return found[0]

    def changed(self, commit: str) -> Changed:
        """What an act changed; see ``core.ports.History.changed``."""
        with self._repo() as repo:
            found = repo.commit(commit)
            parent = found.parents[0] if found.parents else None
            old, new = _changed_blobs(parent, found)
        before, after = _blocks(old), _blocks(new)
        versions = []
        for block_id in dict.fromkeys([*before, *after]):
            was, is_now = before.get(block_id), after.get(block_id)
            if was != is_now:
                raw = raw_block(old[was.path], was.path, block_id) if was else ""
                versions.append(Version(block_id, was, is_now, raw))
        files = tuple(
            FileVersion(path, _text(old.get(path)), _text(new.get(path)))
            for path in dict.fromkeys([*old, *new])
            if not holds_blocks(path) or not (_blocks_of(old, path) or _blocks_of(new, path))
        )
        return Changed(read(found.hexsha, _message(found)), tuple(versions), files)

    def last_text(self, block_id: str) -> tuple[Placed, str] | None:
        """A block's last version; see ``core.ports.History.last_text``."""
        for act in self.log(block=block_id):
            for version in self.changed(act.commit).blocks:
                if version.block_id != block_id:
                    continue
                if version.after is None and version.before is not None:
                    return version.before, version.before_raw
                if version.after is not None:
                    return version.after, self._raw(act.commit, version.after)
        return None

    def _raw(self, commit: str, placed: Placed) -> str:
        with self._repo() as repo:
            data = (repo.commit(commit).tree / placed.path).data_stream.read()
        return raw_block(data, placed.path, placed.block.id)

    def problems(self) -> tuple[Problem, ...]:
        """Remotes, which nothing here asked for, and acts that could not be finished."""
        if not self._repository.exists:
            return ()
        with self._repo() as repo:
            remotes = [remote.name for remote in repo.remotes]
            lost = [str(ref.path) for ref in repo.references if str(ref.path).startswith(LOST)]
        return (
            *(
                Problem(
                    ".git",
                    0,
                    0,
                    "the history has a remote, {name}, that sync does not know",
                    {"name": name},
                    hint=f"git -C experiences remote remove {name}",
                )
                for name in remotes
            ),
            *(
                Problem(".git", 0, 0, "an interrupted act was kept aside as {ref}", {"ref": ref}, "warning")
                for ref in lost
            ),
        )


def _message(commit: GitCommit) -> str:
    message = commit.message
    return message if isinstance(message, str) else message.decode("utf-8", "replace")


def _changed_blobs(parent: GitCommit | None, commit: GitCommit) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The bytes of every changed path on both sides."""
    if parent is None:
        found = cast("Iterator[Blob]", commit.tree.traverse())
        return {}, {str(item.path): item.data_stream.read() for item in found if item.type == "blob"}
    old: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    for entry in parent.diff(commit, no_renames=True):
        if entry.a_blob is not None and entry.a_path is not None:
            old[entry.a_path] = entry.a_blob.data_stream.read()
        if entry.b_blob is not None and entry.b_path is not None:
            after[entry.b_path] = entry.b_blob.data_stream.read()
    return old, after


def _blocks(files: Mapping[str, bytes]) -> dict[str, Placed]:
    return {
        placed.block.id: placed for path in files if holds_blocks(path) for placed in _blocks_of(files, path)
    }


def _blocks_of(files: Mapping[str, bytes], path: str) -> list[Placed]:
    if path not in files or not holds_blocks(path):
        return []
    blocks, _ = read_blocks(parse(files[path], path))
    return [Placed(block, path) for block in blocks if block.id]


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")

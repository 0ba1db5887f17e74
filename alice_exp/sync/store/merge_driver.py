"""Merges two commits of a home, and serves as git's merge driver.

``python -m alice_exp merge-driver BASE OURS THEIRS PATH`` is the merge driver of a home's repository, by which a plain
``git pull`` between clones merges blocks by id. If git names the commit to merge, both whole histories are merged, so
that a block that one side moved to another file is recognised.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from alice_exp.home.store.list_files import NEWER
from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.journal.act import read
from alice_exp.kernel.journal.atomic_files import content_of
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.value_class import blob_id
from alice_exp.model.formats.block_edits import forget
from alice_exp.model.values.block import Entry, holds_blocks
from alice_exp.sync.rules.merge_homes import MergedFiles, merge_trees
from alice_exp.sync.rules.pack_sizes import LARGEST
from alice_exp.sync.store.shared_history import shared_past

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from alice_exp.home.file_home import Home


NEWER_TEXT = b'{"$comment": "Since 0.3 refs/alice/ledger says what was decided."}\n'
"""What stands in ``NEWER``."""

TRACKED = re.compile(
    rf"{re.escape(NEWER)}|"
    r"config\.jsonc|(?:universal|personal|low_value_pool|archive|records)/[a-z0-9][a-z0-9_-]{0,63}\.jsonc"
    r"|\.schema/[a-z0-9][a-z0-9_-]{0,63}\.json"
)
"""The paths that a home tracks."""

_OID = re.compile(r"[0-9a-f]{40,64}")


_BUNDLE = re.compile(r"universal/[a-z0-9][a-z0-9_-]{0,63}\.json")
"""The paths of a published history."""


def files_of(repository: Repository, commit: str, *, published: bool = False) -> dict[str, bytes]:
    """The files of a commit of a home, or of a ``published`` history; ``ProblemError`` if any is not one of these, or
    they are more than any home holds."""
    listed = repository.run("ls-tree", "-r", "-l", "-z", commit).split(b"\0")
    rows = [row.partition(b"\t") for row in listed if row]
    facts = [row[0].decode().split() for row in rows]
    # A few kilobytes of a pack can unfold into gigabytes, so sizes are asked for before contents.
    sizes = [int(size) for *_, size in facts if size.isdigit()]
    if len(sizes) > MOST or sum(sizes) > WHOLE or max(sizes, default=0) > LARGEST:
        raise ProblemError(
            "the remote holds {count} files of {size} MiB, which is more than a home can be",
            count=len(sizes),
            size=sum(sizes) >> 20,
            hint="at most 5000 files, 64 MiB each, 256 MiB together",
        )
    oids: dict[str, str] = {}
    known = _BUNDLE if published else TRACKED
    for (_, _, name), (mode, kind, oid, _) in zip(rows, facts, strict=True):
        path = name.decode("utf-8", "replace")
        oids[path] = oid
        if kind == "blob" and mode in ("100644", "100755") and known.fullmatch(path):
            continue
        if published:
            hint = "a remote that is your own and private is added with --private"
            raise ProblemError("the remote holds {path}, which is not a bundle", path=path, hint=hint)
        raise ProblemError("the remote holds {path}, which is not a file of a home", path=path)
    return dict(zip(oids, (data for _, data in repository.contents(oids.values())), strict=True))


MOST, WHOLE = 5_000, 256 << 20
"""The limits of a history that is read: files, and bytes of all files, of one commit."""


def merged_files(
    repository: Repository,
    one: str,
    other: str,
    without: Sequence[str] = (),
    entries: Mapping[str, Entry] = MappingProxyType({}),
) -> MergedFiles:
    """Merge the files of two commits; several common ancestors are merged with one another first.

    Blocks in ``without`` were purged and are removed from all sides; ``entries`` are those of the merged ledger.
    """
    sides = (_base(repository, one, other), files_of(repository, one), files_of(repository, other))
    was, here, there = (_without(side, without) for side in sides)
    return merge_trees(was, here, there, entries)


def _without(files: dict[str, bytes], ids: Sequence[str]) -> dict[str, bytes]:
    result = {}
    for path, data in files.items():
        for block_id in ids if holds_blocks(path) else ():
            kept = forget(data, path, block_id, ())
            data = data if kept is None else kept
        result[path] = data
    return result


def _base(repository: Repository, one: str, other: str) -> dict[str, bytes]:
    """The files of the common ancestor; none if the commits share no history."""
    # Two machines that synced crosswise have several best ancestors; any single one would count some acts twice.
    bases = shared_past(repository, one, other)
    if not bases:
        return {}
    result = files_of(repository, bases[0])
    for base in bases[1:]:
        result, _ = merge_trees(_base(repository, bases[0], base), result, files_of(repository, base))
    return result


def driver(base: Path, ours: Path, theirs: Path, path: str) -> None:
    """Merge one file for git and write the result to ``ours``."""
    sides = [file.read_bytes() for file in (base, ours, theirs)]
    result = _of_whole_histories(path, sides[1], sides[2])
    if result is None:
        was, one, other = ({path: data} if data else {} for data in sides)
        result = merge_trees(was, one, other)[0].get(path, b'{\n  "blocks": []\n}\n')
    ours.write_bytes(result)


def _of_whole_histories(path: str, ours: bytes, theirs: bytes) -> bytes | None:
    """The file from the merge of both whole histories; None if git is not merging exactly these two commits."""
    # git sets GITHEAD_<commit> for each commit to merge; a rebase or cherry-pick does not.
    heads = [name.removeprefix("GITHEAD_") for name in os.environ if name.startswith("GITHEAD_")]
    repository = Repository(Path.cwd())
    if len(heads) != 1 or not _OID.fullmatch(heads[0]) or not repository.exists:
        return None
    head = repository.head()
    trees = [repository.tree(commit) for commit in (head, heads[0])]
    if [tree.get(path) for tree in trees] != [blob_id(ours), blob_id(theirs)]:
        return None
    # A driver cannot remove a file; `sync settle`, which the post-merge hook runs, does.
    return merged_files(repository, head, heads[0])[0].get(path, b'{\n  "blocks": []\n}\n')


def main(arguments: Sequence[str], merge: Callable[[Path, Path, Path, str], None] = driver) -> int:
    """The merge driver's entry point; returns 0 if the file is merged, 1 if it stays a conflict, 2 for wrong usage."""
    if len(arguments) != 4:
        sys.stderr.write("usage: python -m alice_exp merge-driver BASE OURS THEIRS PATH\n")
        return 2
    try:
        merge(Path(arguments[0]), Path(arguments[1]), Path(arguments[2]), arguments[3])
    except (AliceError, AssertionError, OSError) as error:
        where = f"{error.path}:{error.line}:{error.column}: " if isinstance(error, AliceError) else ""
        sys.stderr.write(f"alice-exp: {where}{error}\n")
        return 1
    return 0


MARK = "MERGE_HEAD"
"""The file that contains the commit that git was merging when it stopped."""


def take_back(home: Home) -> str:
    """Abort git's unfinished merge; returns the commit that was being merged, empty if there is none.

    ``ProblemError`` if a file differs from both sides and from their merge: then a person is working on it.
    """
    repository = home.repository
    try:
        named = (repository.git_dir / MARK).read_text(encoding="ascii").split()
    except FileNotFoundError:
        return ""
    # An octopus merge is a person's own doing.
    if len(named) != 1:
        return ""
    (there,) = named
    with home.lock.hold():
        head = repository.head()
        merged = merged_files(repository, head, there)[0]
        sides = (files_of(repository, head), files_of(repository, there), merged)
        gits = _index(repository)
        for path in sorted({path for side in sides for path in side}):
            present = content_of(home.experiences / path)
            if present is None or any(present == side.get(path) for side in sides):
                continue
            if not _is_gits(repository, present, gits.get(path, [])):
                raise ProblemError(
                    "this file holds what neither side of the merge says",
                    path=path,
                    hint="finish the merge with git: git add, git commit",
                )
        repository.run("merge", "--abort")
    return there


def _index(repository: Repository) -> dict[str, list[tuple[str, str]]]:
    """What git's index holds of each path: ``(stage, blob)``; the stages 1 to 3 of a path at which git stopped."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row in repository.run("ls-files", "--stage", "-z").split(b"\0"):
        facts, _, path = row.decode("utf-8", "surrogateescape").partition("\t")
        if path:
            _, oid, stage = facts.split()
            found.setdefault(path, []).append((stage, oid))
    return found


def _is_gits(repository: Repository, present: bytes, entries: list[tuple[str, str]]) -> bool:
    """Whether git wrote a file: it is what the index says, or holds no line but its stages' and git's marks."""
    if any(stage == "0" for stage, _ in entries):
        return any(blob_id(present) == oid for _, oid in entries)
    known = {line for _, oid in entries for line in repository.blob(oid).splitlines()}
    return all(line in known or line.startswith(_MARKS) for line in present.splitlines())


_MARKS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def parents_of_gits_merge(repository: Repository, head: str) -> tuple[str, ...]:
    """The parents of the merge that git made last: HEAD, or what adopted it since; none if there is no such."""
    for parents, message in repository.told("%P%n%B", "-n500", "--first-parent", head):
        act = read("", message)
        if act.op != "adopt":
            return tuple(parents.split()) if not act.act_id and len(parents.split()) == 2 else ()
    return ()

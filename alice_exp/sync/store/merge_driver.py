"""Two histories of one home as files: what they grew from, both sides, and the merge that git itself asks for.

``python -m alice_exp merge-driver BASE OURS THEIRS PATH`` is the merge driver of a home's repository: a plain
``git pull`` between clones merges blocks by id. It looks at both whole histories where git says which they are, so
that a block that one side moved is known.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.journal.git_process import Repository, blob_id
from alice_exp.model.formats.block_erasure import forget
from alice_exp.sync.rules.merge_homes import MergedFiles, merge_trees
from alice_exp.sync.rules.merge_text import HOLDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

TRACKED = re.compile(
    r"config\.jsonc|(?:universal|personal|low_value_pool|archive|records)/[a-z0-9][a-z0-9_-]{0,63}\.jsonc"
    r"|\.schema/[a-z0-9][a-z0-9_-]{0,63}\.json"
)
"""Every path that a home tracks."""

_OID = re.compile(r"[0-9a-f]{40,64}")


def files_of(repository: Repository, commit: str) -> dict[str, bytes]:
    """Every file of a commit; ``ProblemError`` where one is none of a home's, or no plain file."""
    rows = [row for row in repository.run("ls-tree", "-r", "-z", commit).split(b"\0") if row]
    oids: dict[str, str] = {}
    for row in rows:
        facts, _, name = row.partition(b"\t")
        path = name.decode("utf-8", "replace")
        mode, kind, oid = facts.decode().split()
        if kind != "blob" or mode not in ("100644", "100755") or not TRACKED.fullmatch(path):
            raise ProblemError("the remote holds {path}, which is no file of a home", path=path)
        oids[path] = oid
    return dict(zip(oids, blobs(repository, list(oids.values())), strict=True))


def blobs(repository: Repository, oids: Sequence[str]) -> list[bytes]:
    """The bytes of blobs, asked of git at once."""
    told = repository.run("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in oids).encode())
    found, at = [], 0
    for _ in oids:
        end = told.index(b"\n", at)
        size = int(told[at:end].split()[2])
        found.append(told[end + 1 : end + 1 + size])
        at = end + size + 2
    return found


def merged_files(repository: Repository, one: str, other: str, without: Sequence[str] = ()) -> MergedFiles:
    """Two commits merged; what they grew from is itself merged where there are several.

    ``without`` names blocks that were purged: what still holds them is taken without them.
    """
    sides = (_base(repository, one, other), files_of(repository, one), files_of(repository, other))
    return merge_trees(*(_without(side, without) for side in sides))


def _without(files: dict[str, bytes], ids: Sequence[str]) -> dict[str, bytes]:
    result = {}
    for path, data in files.items():
        for block_id in ids if path.partition("/")[0] in HOLDERS else ():
            kept = forget(data, path, block_id, ())
            data = data if kept is None else kept
        result[path] = data
    return result


def _base(repository: Repository, one: str, other: str) -> dict[str, bytes]:
    """The files that two commits grew from; none where they share no history."""
    bases = repository.run("merge-base", "--all", one, other, check=False).decode().split()
    if not bases:
        return {}
    result = files_of(repository, bases[0])
    for base in bases[1:]:
        grown = _base(repository, bases[0], base)
        result = dict(merge_trees(grown, result, files_of(repository, base)).files)
    return result


def driver(base: Path, ours: Path, theirs: Path, path: str) -> None:
    """Merge one file for git: the result goes into ``ours``."""
    sides = [file.read_bytes() for file in (base, ours, theirs)]
    result = _of_whole_histories(path, sides[1], sides[2])
    if result is None:
        trees = [{path: data} if data else {} for data in sides]
        result = merge_trees(*trees).files.get(path, b'{\n  "blocks": []\n}\n')
    ours.write_bytes(result)


def _of_whole_histories(path: str, ours: bytes, theirs: bytes) -> bytes | None:
    """The file as the merge of both histories has it; None where git merges something else than two commits."""
    heads = [name.removeprefix("GITHEAD_") for name in os.environ if name.startswith("GITHEAD_")]
    repository = Repository(Path.cwd())
    if len(heads) != 1 or not _OID.fullmatch(heads[0]) or not repository.exists:
        return None
    head = repository.head()
    trees = [repository.tree(commit) for commit in (head, heads[0])]
    if [tree.get(path) for tree in trees] != [blob_id(ours), blob_id(theirs)]:
        return None
    return merged_files(repository, head, heads[0]).files.get(path, b'{\n  "blocks": []\n}\n')


def main(arguments: Sequence[str]) -> int:
    """What git runs: 0 where the file is merged, 1 where it stays a conflict."""
    if len(arguments) != 4:
        sys.stderr.write("usage: python -m alice_exp merge-driver BASE OURS THEIRS PATH\n")
        return 2
    try:
        driver(Path(arguments[0]), Path(arguments[1]), Path(arguments[2]), arguments[3])
    except (AliceError, AssertionError, OSError) as error:
        where = f"{error.path}:{error.line}:{error.column}: " if isinstance(error, AliceError) else ""
        sys.stderr.write(f"alice-exp: {where}{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Rewrites history with other versions of some blobs, by editing the stream between fast-export and fast-import."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from alice_exp.kernel.journal.git_process import Repository

_CHANGE = re.compile(rb"M (\d+) ([0-9a-f]{40}) ")
# Marks of our own blobs and of the tombstone, far above those that fast-export hands out from 1.
_BLOB_MARK = 1_000_000_000
_LAST_MARK = 2_000_000_000


@dataclass(frozen=True, slots=True)
class RewrittenHistory:
    """The new history: its last commit, and how many commits of the old one were replaced."""

    tombstone: str
    commits: int


def rewrite(
    repository: Repository,
    refs: Mapping[str, str],
    replacements: Mapping[str, bytes],
    cleaned: Callable[[bytes], bytes],
    stage: str,
    branch: str,
    tombstone: bytes,
) -> RewrittenHistory:
    """Rewrite the history of all ``refs`` below ``stage`` and append the ``tombstone`` commit to ``branch``.

    ``replacements`` maps blob ids to their new bytes; ``cleaned`` gives a commit's new message. Merges, authors, times
    and act ids survive. Tags become plain references. Commits before the first replaced blob keep their ids.
    """
    # --no-data: blobs are named by id, so the stream carries only the new bytes of replaced ones.
    exported = repository.run(
        "fast-export",
        "--no-data",
        "--signed-tags=strip",
        "--tag-of-filtered-object=rewrite",
        "--reencode=no",
        "--show-original-ids",
        *refs,
    )
    marks = {oid: b":%d" % (_BLOB_MARK + number) for number, oid in enumerate(replacements)}
    pieces = [b"feature done\n"]
    for number, data in enumerate(replacements.values()):
        pieces.append(b"blob\nmark :%d\ndata %d\n%s\n" % (_BLOB_MARK + number, len(data), data))
    pieces += _changed(exported, marks, cleaned, f"{stage}/".encode())
    name = f"{stage}/{branch.removeprefix('refs/')}".encode()
    pieces.append(
        b"commit %s\nmark :%d\n%s\nget-mark :%d\ndone\n" % (name, _LAST_MARK, tombstone, _LAST_MARK)
    )
    output = repository.run(
        "fast-import", "--quiet", "--done", "--date-format=raw-permissive", stdin=b"".join(pieces)
    )
    last = output.decode().split()[-1]
    return RewrittenHistory(last, _differing(repository, refs[branch], last))


def _differing(repository: Repository, old: str, new: str) -> int:
    """How many commits reachable from ``old`` are not reachable from ``new``."""
    return int(repository.run("rev-list", "--count", old, f"^{new}"))


def _changed(
    exported: bytes, marks: Mapping[str, bytes], cleaned: Callable[[bytes], bytes], stage: bytes
) -> Iterator[bytes]:
    """The exported stream with renamed references, replaced blobs, and cleaned messages."""
    # Not split into lines: `data N` is followed by N raw bytes, and a message may look like commands.
    at = 0
    tag: bytes | None = None
    while at < len(exported):
        end = exported.index(b"\n", at) + 1
        line = exported[at:end]
        at = end
        if line.startswith(b"data "):
            size = int(line[5:])
            text = exported[at : at + size]
            at += size
            # An annotated tag becomes a plain reference, so its message and tagger are dropped.
            if tag is None:
                new = cleaned(text)
                yield b"data %d\n%s\n" % (len(new), new)
            tag = None
        elif line.startswith(b"tag "):
            tag = line[4:-1]
            yield b"reset %stags/%s\n" % (stage, tag)
        elif tag is not None:
            if line.startswith(b"from "):
                yield line
        elif line.startswith((b"commit refs/", b"reset refs/")):
            verb, _, name = line.partition(b" ")
            yield b"%s %s%s" % (verb, stage, name.removeprefix(b"refs/"))
        elif line != b"\n":
            yield _file_change(line, marks)


def _file_change(line: bytes, marks: Mapping[str, bytes]) -> bytes:
    change = _CHANGE.match(line)
    mark = marks.get(change[2].decode()) if change else None
    if change is None or mark is None:
        return line
    return b"M %s %s %s" % (change[1], mark, line[change.end() :])

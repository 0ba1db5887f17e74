"""A history told again with other versions of some files: git's own stream, changed between export and import."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from alice_exp.kernel.journal.git_process import Repository

_CHANGE = re.compile(rb"M (\d+) ([0-9a-f]{40}) ")
_BLOB_MARK = 1_000_000_000
_LAST_MARK = 2_000_000_000
_PURGED_LINE = b"(purged)"


@dataclass(frozen=True, slots=True)
class Retold:
    """The new history: its last commit, and how many commits before it are not what they were."""

    tombstone: str
    commits: int


def retell(
    repository: Repository,
    refs: Mapping[str, str],
    replacements: Mapping[str, bytes],
    needles: tuple[bytes, ...],
    stage: str,
    branch: str,
    tombstone: bytes,
) -> Retold:
    """Write every reference's history anew below ``stage`` and end ``branch`` with the ``tombstone`` commit.

    ``replacements`` gives blobs (by id) their new bytes; lines of messages that hold one of the ``needles`` are
    struck out. Merges, authors, times and act ids survive. Tags become plain references. Commits before the first
    replaced blob keep their ids.
    """
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
    pieces += _changed(exported, marks, needles, f"{stage}/".encode())
    name = f"{stage}/{branch.removeprefix('refs/')}".encode()
    pieces.append(
        b"commit %s\nmark :%d\n%s\nget-mark :%d\ndone\n" % (name, _LAST_MARK, tombstone, _LAST_MARK)
    )
    said = repository.run(
        "fast-import", "--quiet", "--done", "--date-format=raw-permissive", stdin=b"".join(pieces)
    )
    last = said.decode().split()[-1]
    return Retold(last, _differing(repository, refs[branch], last))


def _differing(repository: Repository, old: str, new: str) -> int:
    """How many commits of the old line are not in the new one."""
    return int(repository.run("rev-list", "--count", old, f"^{new}"))


def _changed(
    exported: bytes, marks: Mapping[str, bytes], words: tuple[bytes, ...], stage: bytes
) -> Iterator[bytes]:
    """The stream with new names, new versions, and messages without the words."""
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
            if tag is None:
                yield _message(text, words)
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


def _message(text: bytes, words: tuple[bytes, ...]) -> bytes:
    if any(word in text for word in words):
        lines = text.split(b"\n")
        text = b"\n".join(_PURGED_LINE if any(word in line for word in words) else line for line in lines)
    return b"data %d\n%s\n" % (len(text), text)

"""Adopts commits that alice-exp did not make (DESIGN 6): what they change is taken like a hand edit, in one act.

Foreign is whatever lies between ``refs/alice/seen`` and HEAD, by whatever git command it came. It decides nothing; a
file with an error is set aside, and the act names raises, new blocks and git's authors for the next heartbeat.

The first ledger of a home of 0.2.0 is built here, too, from what acts of a person did to the blocks as they stand: a
block counts if an act that may raise trust wrote what it says, and a person's newest act on it left it where it is, in
its project, for the same hands. What is in the files but in no such act waits, and the person is told how many.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path

from alice_exp.home.store.hand_edits import left, named, warn_left
from alice_exp.home.store.read_files import Reading, holds_blocks
from alice_exp.home.store.record_files import as_adopted
from alice_exp.home.store.standings import Standings
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import AUTHOR, FOREIGN, SINCE, Act, Actor, Commit, disclaimed, read
from alice_exp.kernel.journal.atomic_files import read_bytes
from alice_exp.kernel.journal.commit_writer import CommitWriter
from alice_exp.kernel.journal.derived_file import UNKNOWN, Stamps, now_ns
from alice_exp.kernel.journal.git_process import NO_OBJECT, Repository
from alice_exp.kernel.journal.git_references import LEDGER, SEEN
from alice_exp.kernel.journal.transaction import FileChange
from alice_exp.kernel.jsonc import Document, edit, parse
from alice_exp.kernel.text.display import visible
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.config_file import PATH as CONFIG
from alice_exp.model.rules.adoption import adopt, withdrawn
from alice_exp.model.rules.identity import id_of_nameless
from alice_exp.model.rules.ledger import bound, is_same
from alice_exp.model.values.block import DIRECTORIES, Block, Placed, says_approved
from alice_exp.model.values.ledger_entry import Entry

_FOLDERS = (*DIRECTORIES.values(), "records", ".schema")
_NAMED = 200
"""The most commits, and blocks of a kind, that one act's message names."""
_AUTHORS = 10


@dataclass
class _Taken:
    """What adopting made of the files: their changes, the ids touched, and the trailers that name the rest."""

    files: dict[str, FileChange] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    trailers: list[tuple[str, str]] = field(default_factory=list)
    withdrawn: list[tuple[str, str]] = field(default_factory=list)


def adopt_foreign(writer: CommitWriter, reading: Reading, standings: Standings) -> None:
    """Adopt what lies between the last head of this home and HEAD. Needs the lock; ``ChangedOnDisk`` as any write."""
    repository, head = writer.repository, writer.repository.head()
    seen = repository.resolve(SEEN)
    if not seen or not repository.holds("commit", seen):
        # A home of the version before, or a fresh clone: the newest commit that an act made is taken as seen, once.
        seen = _newest_act(repository, head)
    commits = _commits(repository, seen, head) if seen != head else []
    rows = _differences(repository, seen, head) if seen != head else []
    if not commits and not rows:
        repository.point([(SEEN, head, None)])
        return
    tree = repository.tree(head)
    writer.stamps = Stamps(
        head, repository.commit_time(head), now_ns(), -1, {path: (UNKNOWN, oid) for path, oid in tree.items()}
    )
    taken = _taken(writer, reading, rows, standings)
    writer.write(_act(writer.sources.now(), seen, commits, taken), taken.files)
    with contextlib.suppress(ProblemError):
        repository.refresh_index(None)
    for path, block_id in taken.withdrawn:
        warn_left(writer.sources, path, (block_id,))


def _act(now: str, seen: str, commits: list[tuple[str, str]], taken: _Taken) -> Act:
    authors = list(dict.fromkeys(author for _, author in commits))
    counts = [
        f"{len(ids)} {verb}"
        for ids, verb in ((taken.new, "new"), (taken.changed, "changed"), (taken.gone, "removed"))
        if ids
    ]
    trailers = [
        *([(SINCE, seen)] if seen else []),
        *((FOREIGN, oid) for oid, _ in commits[:_NAMED]),
        *((AUTHOR, author) for author in authors[:_AUTHORS]),
        *taken.trailers,
    ]
    detail = ", ".join([f"{len(commits)} foreign commit{'s' * (len(commits) != 1)}", *counts])
    blocks = tuple(dict.fromkeys((*taken.new, *taken.changed, *taken.gone)))
    return Act("adopt", Actor("editor"), now, blocks, detail, tuple(trailers))


def _newest_act(repository: Repository, head: str) -> str:
    return repository.run("log", "-1", "--format=%H", "--grep=^Alice-Act: act-", head, "--").decode().strip()


def _commits(repository: Repository, seen: str, head: str) -> list[tuple[str, str]]:
    """The commits of HEAD that ``seen`` does not contain, newest first, each with its author."""
    without = [f"^{seen}"] if seen else []
    output = repository.run("log", "-z", "--format=%H%n%an <%ae>", head, *without, "--")
    rows = (row.partition("\n") for row in output.decode("utf-8", "replace").split("\0") if row)
    return [(oid, visible(" ".join(author.split()))[:100]) for oid, _, author in rows]


def _differences(repository: Repository, seen: str, head: str) -> list[tuple[str, str, str]]:
    rows = (
        repository.difference(seen, head)
        if seen
        else [(path, NO_OBJECT, oid) for path, oid in repository.tree(head).items()]
    )
    return [row for row in rows if row[0] == CONFIG or row[0].partition("/")[0] in _FOLDERS]


def _taken(
    writer: CommitWriter,
    reading: Reading,
    rows: list[tuple[str, str, str]],
    standings: Standings,
) -> _Taken:
    repository, taken = writer.repository, _Taken()
    before: dict[str, Placed] = {}
    versions: dict[str, _Version] = {}
    for path, old, new in rows:
        was = None if old == NO_OBJECT else repository.blob(old)
        if was is not None and holds_blocks(path):
            before.update({one.id: Placed(one, path) for one in read_blocks(parse(was, path))[0] if one.id})
        disk = _on_disk(writer.work_tree / path)
        if new == NO_OBJECT and disk is None:
            taken.files[path] = FileChange(None, None)
        elif (sound := _sound(path, disk, b"" if new == NO_OBJECT else repository.blob(new))) is not None:
            versions[path] = sound
        else:
            # The tree goes back to the last version that can be read; the file itself is left as it is.
            taken.files[path] = FileChange(was, was)
            taken.trailers.append(("Aside", path))
    on_disk = {
        path: {one.id: one for one in reading.blocks(version.document)[0] if one.id}
        for path, version in versions.items()
        if holds_blocks(path)
    }
    present = {block_id for blocks in on_disk.values() for block_id in blocks}
    on_disk |= _unchanged(writer, reading, versions)
    for path, version in versions.items():
        others = {other: blocks for other, blocks in on_disk.items() if other != path}
        _take(writer, reading, version, before, others, taken, standings)
    lost = (i for i, placed in before.items() if i not in present and placed.path not in versions)
    ended = [i for i in lost if taken.files[before[i].path].new is None]
    taken.gone += ended
    behind = withdrawn(before, ended)
    taken.withdrawn += ((before[i].path, i) for i in behind)
    taken.trailers += left(behind[:_NAMED])
    return taken


def _unchanged(
    writer: CommitWriter, reading: Reading, versions: Collection[str]
) -> dict[str, dict[str, Block]]:
    """The blocks of the files that no foreign commit touched, so that copies of theirs are known as such."""
    found = {}
    for path in writer.stamps.files:
        if holds_blocks(path) and path not in versions:
            with contextlib.suppress(OSError):
                document = reading.document(path, reading.content(path))
                found[path] = {one.id: one for one in reading.blocks(document)[0] if one.id}
    return found


@dataclass(frozen=True, slots=True)
class _Version:
    """A file that can be read: as it stands on the disk, or (``disk`` is None) as HEAD has it."""

    document: Document
    data: bytes
    disk: bytes | None


def _on_disk(path: Path) -> bytes | None:
    try:
        return read_bytes(path)[0]
    except OSError:
        return None


def _sound(path: str, disk: bytes | None, committed: bytes) -> _Version | None:
    for data, kept in ((disk, disk), (committed or None, None)):
        if data is None:
            continue
        document = parse(data, path)
        if holds_blocks(path):
            is_sound = not any(problem.severity == "error" for problem in read_blocks(document)[1])
        else:
            is_sound = as_adopted(document, data, _no_id, "") is not None
        if is_sound:
            return _Version(document, data, kept)
    return None


def _no_id(kind: str) -> str:
    return f"{kind}-{os.urandom(4).hex()}"


def _take(
    writer: CommitWriter,
    reading: Reading,
    version: _Version,
    before: Mapping[str, Placed],
    others: Mapping[str, Mapping[str, Block]],
    taken: _Taken,
    standings: Standings,
) -> None:
    document, sources = version.document, writer.sources
    path = document.path
    if holds_blocks(path):
        elsewhere = {block_id for there in others.values() for block_id in there}
        known = {*before, *elsewhere}

        # Derived, so that two machines that pull the same commit name its blocks alike.
        def new_id(block: Block) -> str:
            known.add(own := id_of_nameless(block, path, known))
            return own

        blocks = reading.blocks(document)[0]
        copies = standings.copies(blocks, path, others, before)
        adoption = adopt(document, blocks, before, elsewhere, sources.now(), new_id, copies)
        new: bytes | None = edit(document, adoption.edits) if adoption.edits else version.data
        taken.new += adoption.new
        taken.changed += adoption.changed
        taken.gone += adoption.gone
        taken.trailers += named(adoption)[:_NAMED]
        taken.withdrawn += ((path, block_id) for block_id in adoption.withdrawn)
    else:
        new = as_adopted(document, version.data, sources.new_id, sources.now())
        if path == CONFIG:
            taken.trailers.append(("Changed", path))
    taken.files[path] = FileChange(new if version.disk is None else version.disk, new)


_RAISING = ("adopt", "approve", "edit", "init", "remember", "sign")
"""The acts by which a person of 0.2.0 gave trust; all others only carried it."""


def build_ledger(writer: CommitWriter, standings: Standings) -> None:
    """Write the first ledger of a home that has none. Needs the lock; a home that had one and lost it is left alone."""
    repository = writer.repository
    if repository.resolve(LEDGER) or standings.objects.has_copy():
        return
    # What a clone brought was seen by no act of this home.
    seen = repository.resolve(SEEN)
    entries, left = _proven(repository, seen, standings) if seen else ((), 0)
    act = Commit("", "", "doctor", "system", writer.sources.now(), act_id=writer.sources.new_id("act"))
    standings.write(entries, act, writer.sources.epoch(), anew=True)
    if left:
        writer.sources.warn(
            ProblemError(
                "{count} blocks that version 0.2.0 trusted rest on no decision of yours and wait for it",
                count=left,
                hint="see them with 'alice-exp review'",
            )
        )


def _proven(repository: Repository, seen: str, standings: Standings) -> tuple[tuple[Entry, ...], int]:
    """The entries of what acts prove, and how many blocks the files say more of."""
    acts = _acts_by_block(repository, seen)
    known: dict[str, dict[str, Placed]] = {}

    def at(commit: str) -> dict[str, Placed]:
        if commit not in known:
            known[commit] = _tracked(repository, commit)
        return known[commit]

    entries: list[Entry] = []
    left = 0
    for block_id, now in at(seen).items():
        mine = acts.get(block_id, [])
        archived = now.block.archived
        if archived is not None and archived.reason == "obsolete" and mine and mine[0].op in _RAISING:
            # A failed report alone archived it, which takes no trust away any more: the next report offers it back.
            now = Placed(now.block, f"{archived.origin}.jsonc")
        if now.place == "archive":
            reason = archived.reason if archived is not None else ""
            entries += [Entry(block_id, "rejected" if reason == "rejected" else "retired")] if mine else []
            entries += standings.rejecting(now.block) if mine and reason == "rejected" else ()
        elif says_approved(now):
            last = at(mine[0].commit).get(block_id) if mine else None
            given = (at(one.commit).get(block_id) for one in mine if one.op in _RAISING)
            is_kept = last is not None and is_same(last, now)
            if is_kept and any(one is not None and _says(one) == _says(now) for one in given):
                given_at = now.block.approved.at if now.block.approved is not None else mine[0].at
                entries.append(replace(bound("trusted", now.block, now.path), at=given_at))
            else:
                left += 1
    return tuple(entries), left


def _says(placed: Placed) -> tuple[object, ...]:
    return (placed.block.payload, placed.block.trigger, placed.block.type)


def _acts_by_block(repository: Repository, seen: str) -> Mapping[str, list[Commit]]:
    """A person's acts on each block, newest first, but for commits that an act adopted as foreign."""
    rows = repository.run("log", "-z", "--format=%H%n%B", seen, "--").decode("utf-8", "replace")
    acts = (read(*row.partition("\n")[::2]) for row in rows.split("\0") if row)
    found: dict[str, list[Commit]] = {}
    for act in disclaimed(acts):
        if act.act_id and act.actor == "user":
            for block_id in act.blocks:
                found.setdefault(block_id, []).append(act)
    return found


def _tracked(repository: Repository, commit: str) -> dict[str, Placed]:
    def each() -> Iterator[Placed]:
        for path, oid in repository.tree(commit).items():
            if holds_blocks(path):
                for block in read_blocks(parse(repository.blob(oid), path))[0]:
                    yield Placed(block, path)

    return {placed.block.id: placed for placed in each()}

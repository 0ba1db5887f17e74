"""Purges a block: history is rewritten without it, checked, switched to, and the old one deleted (B2.29).

A protocol of its own beside the two doors (DESIGN 5). Everything is staged under ``refs/alice/purge/`` while the old
history stays in place. Setting ``refs/alice/purging`` (to the tombstone) decides; from then on whoever holds the lock
next finishes it. Before that an interruption changes nothing, and the staging is swept.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from alice_exp.home.ports import Purged
from alice_exp.home.store.list_files import kind_of
from alice_exp.home.store.purge_search import Versions, blobs, departed, erased, first_act, remains, versions
from alice_exp.home.store.standings import Standings
from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.journal.act import SIGNED_BY, Commit, Message, read
from alice_exp.kernel.journal.atomic_files import ChangedOnDisk, read_bytes, sync_directory
from alice_exp.kernel.journal.commit_writer import rewrite
from alice_exp.kernel.journal.git_process import NO_OBJECT, PURGING, STAGE, Repository
from alice_exp.kernel.journal.git_references import LEDGER, PENDING, SEEN
from alice_exp.kernel.journal.lock import REPORTS, sweep_objects
from alice_exp.kernel.journal.transaction import exchange_content
from alice_exp.kernel.text.display import WrittenForms
from alice_exp.kernel.value_class import blob_id
from alice_exp.model.formats.block_edits import PURGED, Said, is_empty
from alice_exp.model.rules.private_facts import secrets_alone

_TOLD = (b"Alice-Reason", b"Alice-Reply", b"Alice-Scenario")
"""The trailers in which a person's words stand."""


def count(repository: Repository, block_id: str) -> int:
    """The number of file versions in history that contain the block."""
    return len(versions(repository, block_id, _refs(repository)).found)


def purge(repository: Repository, block_id: str, commit: Commit, message: Message) -> Purged | None:
    """Erase a block from files and history; None if nothing contains it. Needs the lock and a settled home.

    ``commit`` and ``message`` are those of the tombstone. Raises ``ProblemError``, with nothing changed, if a broken
    file contains the block or git refuses; the message says so if the purge is decided and only cleaning up failed.
    """
    # Other work trees and borrowed objects would keep the text beyond our reach.
    if any((repository.git_dir / "worktrees").glob("*")):
        raise ProblemError(
            "the history has other work trees, which would keep the text", hint="git worktree remove …"
        )
    if (repository.git_dir / "objects" / "info" / "alternates").exists():
        raise ProblemError("the history borrows objects from another repository, which would keep the text")
    refs = _refs(repository)
    seen = versions(repository, block_id, refs)
    if not seen.found:
        return None
    _require_readable(repository, seen, block_id)
    since = first_act(repository, block_id)
    try:
        tombstone, commits = _stage(repository, refs, seen, message)
    except (OSError, AliceError):
        _remove(repository.git_dir, REPORTS)
        with contextlib.suppress(AliceError):
            _unstage(repository)
        raise
    _decide(repository, refs, tombstone)
    try:
        finish(repository, strict=True, said=seen.said)
        asked = "\n".join(seen.found).encode() + b"\n"
        rows = repository.run("cat-file", "--batch-check", stdin=asked).decode().splitlines()
        if kept := [row for row in rows if not row.endswith(" missing")]:
            raise ProblemError("git keeps {count} old versions", count=len(kept))
    except (OSError, AliceError) as error:
        raise ProblemError(
            "the block is out of the history, but what it left behind could not be removed yet: {why}",
            why=str(error),
            hint="the next command tries again; see 'alice-exp doctor'",
        ) from error
    left = departed(repository.work_tree.parent, block_id, since)
    done = replace(commit, commit=tombstone)
    return Purged(done, commits, len(seen.found), left, *remains(repository, seen))


def finish(repository: Repository, *, strict: bool = False, said: Said | None = None) -> None:
    """Finish a decided purge, or sweep the staging of an undecided one.

    Needs the lock. Unless ``strict``, a failure to clean up is left to the next call. ``said`` is what the block said;
    who does not know it finds it in the old history, which is there until all that derives from it is gone.
    """
    tombstone = repository.resolve(PURGING)
    if not tombstone:
        if (repository.git_dir / STAGE).is_dir():
            _unstage(repository)
        return
    moves, foreign = _moves(repository)
    if foreign and repository.head() != tombstone:
        # A person moved the history meanwhile: theirs is kept, and the purge has to be requested again.
        repository.point([(PURGING, "", tombstone)])
        _unstage(repository)
        return
    act = read(*repository.told("%H%n%B", "-1", tombstone)[0])
    block_id, old = act.blocks[0], _staged(repository, "old")
    if said is None:
        said = versions(repository, block_id, old).said if old else Said()
    if repository.head() != tombstone:
        _swap_files(repository, tombstone, block_id, said)
    if moves:
        repository.point([*moves, (SEEN, tombstone, None)])
        sync_directory(repository.git_dir / "refs" / "heads")
    # Git moves one reference after another: after a full disk between them our own history would count as foreign.
    if repository.head() == tombstone != repository.resolve(SEEN):
        repository.point([(SEEN, tombstone, None)])
    try:
        standings = Standings(repository, repository.work_tree.parent)
        signed = dict(act.trailers).get(SIGNED_BY, "")
        standings.forget(block_id, act.act_id, repository.commit_time(tombstone), signed)
        if old:
            forget_derived(repository.work_tree.parent, block_id, said)
        _unstage(repository)
        _clean(repository)
        repository.point([(PURGING, "", tombstone)])
    except (OSError, AliceError):
        # The next try writes the same pack, which git refuses while what it left of this one stands.
        sweep_objects(repository)
        if strict:
            raise


def _moves(repository: Repository) -> tuple[list[tuple[str, str, str]], bool]:
    """The references still to move (name, new, old object), and whether anybody else has moved one of them."""
    new, old, present = _staged(repository, "new"), _staged(repository, "old"), _refs(repository)
    moves: list[tuple[str, str, str]] = []
    foreign = bool(new) and not present.keys() <= new.keys()
    for name, oid in new.items():
        if present.get(name) == oid:
            continue
        if present.get(name, "") == old.get(name, NO_OBJECT):
            moves.append((name, oid, present[name]))
        else:
            foreign = True
    return moves, foreign


def _staged(repository: Repository, side: str) -> dict[str, str]:
    """What is staged as ``new`` or as ``old``, by the references that it is for."""
    rows = _listed(repository, f"{STAGE}/{side}").items()
    return {f"refs/{name.removeprefix(f'{STAGE}/{side}/')}": oid for name, oid in rows}


def _require_readable(repository: Repository, seen: Versions, block_id: str) -> None:
    """Raise ``ProblemError`` if a present file contains the block but is broken: nothing else in it may be lost."""
    for path in sorted(repository.work_tree.glob("*/*.jsonc")):
        try:
            data, _ = read_bytes(path)
        except OSError:
            continue
        name = str(path.relative_to(repository.work_tree))
        if block_id.encode() not in data and not seen.said.words.stand_in(data):
            continue
        if erased(data, name, block_id, seen.said) is None:
            raise ProblemError(
                "this file holds the block and cannot be read", path=name, hint="see 'alice-exp check'"
            )


def _refs(repository: Repository) -> dict[str, str]:
    """Every reference to history of this home, with its object; remote-tracking references are not included."""
    found = _listed(repository, "refs")
    excluded = ("refs/remotes/", f"{STAGE}/")
    return {
        name: oid
        for name, oid in found.items()
        if not name.startswith(excluded) and name not in (PURGING, PENDING, SEEN, LEDGER)
    }


def _listed(repository: Repository, below: str) -> dict[str, str]:
    rows = repository.run("for-each-ref", "--format=%(objectname) %(refname)", below).decode().splitlines()
    return {name: oid for oid, name in (row.split(" ", 1) for row in rows)}


def _stage(
    repository: Repository, refs: Mapping[str, str], seen: Versions, message: Message
) -> tuple[str, int]:
    """Write the new history beside the old one and verify it; see ``rewrite``."""
    # Without the signatures the next command has to settle, and so finds a purge that was interrupted.
    (repository.work_tree.parent / "state" / "files.json").unlink(missing_ok=True)
    branch = repository.branch()
    tree = repository.tree(refs[branch])
    emptied = tuple(
        p for p, oid in tree.items() if p.startswith("low_value_pool/") and is_empty(seen.found.get(oid))
    )
    tombstone, commits = rewrite(
        repository, refs, seen.found, _cleaned(seen), f"{STAGE}/new", branch, message, emptied
    )
    wanted = {path: blob_id(seen.found[oid]) if oid in seen.found else oid for path, oid in tree.items()}
    for path in emptied:
        del wanted[path]
    # Three independent checks before the decision, since a wrong history could not be taken back.
    if repository.tree(tombstone) != wanted:
        raise ProblemError("the new history does not end with the files as they are; nothing was changed")
    staged = _staged(repository, "new")
    if staged.keys() != refs.keys():
        raise ProblemError("the new history lacks a branch of the old one; nothing was changed")
    if any(oid in seen.found for oid, _ in blobs(repository, staged.values())):
        raise ProblemError("the new history still holds the block; nothing was changed")
    return tombstone, commits


def _cleaned(seen: Versions) -> Callable[[bytes], bytes]:
    """The rule for commit messages: no line with the block's text, no scenario that homes before named in full."""
    named = b"\nAlice-Block: " + seen.block_id.encode()
    words, gone = WrittenForms(seen.said.payload | seen.said.trigger), PURGED.encode()
    alone = WrittenForms(frozenset(secrets_alone(seen.said.payload | seen.said.trigger | seen.said.quoted)))

    def line_of(line: bytes, of_block: bool) -> bytes:
        name, colon, rest = line.partition(b": ")
        if colon and name.startswith(b"Alice-"):
            # The name stays, or git would not take what stands around it for trailers any more; and what the program
            # reads in a trailer is no sentence, whatever word it may share with the block.
            is_told = name in _TOLD and (words.stand_in(rest) or alone.stand_in(rest))
            return name + colon + gone if is_told or (of_block and name == b"Alice-Scenario") else line
        return gone if words.stand_in(line) else line

    def cleaned(text: bytes) -> bytes:
        of_block = named in text
        return b"\n".join(line_of(line, of_block) for line in text.split(b"\n"))

    return cleaned


def _decide(repository: Repository, refs: Mapping[str, str], tombstone: str) -> None:
    """Commit to the new history; from here on it will replace the old one, whoever finishes the purge."""
    old = [(f"{STAGE}/old/{name.removeprefix('refs/')}", oid, "") for name, oid in refs.items()]
    # In this order: `finish` compares with what each reference was, so that has to be there when it is decided.
    repository.point(old)
    repository.point([(PURGING, tombstone, "")])
    for folder in ("objects", "objects/pack", "refs/alice"):
        sync_directory(repository.git_dir / folder)


def _unstage(repository: Repository) -> None:
    if staged := _listed(repository, STAGE):
        repository.point([(name, "", oid) for name, oid in staged.items()])
    shutil.rmtree(repository.git_dir / STAGE, ignore_errors=True)


def _swap_files(repository: Repository, tombstone: str, block_id: str, said: Said) -> None:
    """Update the files to the new history; one that a person edited since loses only the block."""
    touched: set[Path] = set()
    for path, old, new in repository.difference(repository.head(), tombstone):
        full = repository.work_tree / path
        try:
            present = read_bytes(full)[0]
        except OSError:
            continue
        if blob_id(present) == old:
            data = None if new == NO_OBJECT else repository.blob(new)
        else:
            data = erased(present, path, block_id, said)
            if data is None or data == present:
                continue
        with contextlib.suppress(ChangedOnDisk):
            exchange_content(full, present, data)
        touched.add(full.parent)
    for folder in touched:
        sync_directory(folder)


def _clean(repository: Repository) -> None:
    """Delete everything that still refers to the old history, then the old history itself."""
    git_dir = repository.git_dir
    # These only remember what a remote had; a purge cannot reach what was pushed there.
    repository.point([(name, "", oid) for name, oid in _listed(repository, "refs/remotes").items()])
    repository.refresh_index()
    for name in ("logs", "rr-cache", "lost-found", "objects/info/commit-graphs"):
        # Errors are not ignored: one that stays would keep the old history alive, so it must be retried.
        if (git_dir / name).exists():
            shutil.rmtree(git_dir / name)
    # A .keep file would exempt its pack from repacking, with the old versions in it.
    _remove(git_dir, "objects/info/commit-graph", "objects/pack/*.keep", REPORTS, "sharedindex.*", "*.log")
    # Names in capitals are of commits that git remembers, and of messages that it was given.
    _remove(git_dir, *(f"*_{name}" for name in ("HEAD", "MERGE", "EDITMSG", "MSG", "RR", "LOG")))
    repository.run("repack", "-a", "-d", "-q", "--no-write-bitmap-index")
    repository.run("prune", "--expire=now")
    _remove(git_dir, "objects/pack/.tmp-*", "objects/pack/tmp_*", "objects/*/tmp_obj_*")
    # What is gone must not come back with a power cut.
    for folder in (git_dir / "objects" / "pack", git_dir / "objects", git_dir):
        sync_directory(folder)


def forget_derived(root: Path, block_id: str, said: Said) -> None:
    """Delete what ``state/`` derives from the block, as its inventory says: texts as a whole, since they are made anew,
    and of momentary entries those that name it or say its words."""
    words, state = said.words, root / "state"
    # What a folder holds comes before the folder.
    for path in sorted(state.rglob("*"), reverse=True):
        holds = kind_of(path.relative_to(state).as_posix())
        if path.is_dir() and not path.is_symlink():
            path.rmdir() if holds == "texts" else sync_directory(path)
            continue
        with contextlib.suppress(FileNotFoundError):
            data = read_bytes(path)[0] if holds == "entry" else b""
            if holds == "texts" or block_id.encode() in data or words.stand_in(data):
                path.unlink()
    sync_directory(state)


def _remove(folder: Path, *patterns: str) -> None:
    for pattern in patterns:
        for path in list(folder.glob(pattern)):
            path.unlink(missing_ok=True)

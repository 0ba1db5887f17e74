"""Sets a repository that git cannot work with aside and puts a sound one in its place, for ``doctor --fix`` (DESIGN 5).

What of its history is whole goes on. Where its newest acts are lost, one commit names what was set aside and holds the
files as this home last knew them: what a person saved since, or what nobody can check, is adopted afterwards like any
hand edit, so that nothing becomes trusted by this. No file but ``.git`` is touched.
"""

from __future__ import annotations

import os
import re
import shutil
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from alice_exp.home.store.foreign_commits import ASIDE, repo_config
from alice_exp.kernel.errors import AliceError, BusyError, ProblemError
from alice_exp.kernel.journal.act import Act, Actor
from alice_exp.kernel.journal.atomic_files import read_bytes, sync_directory, sync_file
from alice_exp.kernel.journal.commit_writer import CommitWriter
from alice_exp.kernel.journal.git_process import FETCHED, LOST, PURGING, STAGE, Repository
from alice_exp.kernel.journal.git_references import PENDING, SEEN
from alice_exp.kernel.journal.lock import git_works_on, locks
from alice_exp.kernel.value_class import blob_id, sha1

_NEW = ".git-new"
"""Below the work tree, where the sound repository is made: it is whole once it has a head."""
_TRIAL = "refs/alice/trial"
_LOOSE = re.compile(r"[0-9a-f]{38}")
_ELSEWHERE = re.compile(rb"\bworktree\s*=", re.IGNORECASE)


def fault(repository: Repository) -> str:
    """Why no act can be written, or its history not be read, as a sentence; empty if all is well. Needs the lock.

    Beside what a look tells, every object is read and the references are moved to where they are.
    """
    if damage := repository.damage():
        return damage
    # Ours are told the work tree; a git that the person starts is not.
    with suppress(OSError):
        if _ELSEWHERE.search((repository.git_dir / "config").read_bytes()):
            return "the configuration of the history names another work tree"
    head, objects = repository.head(), repository.git_dir / "objects"
    try:
        if head:
            repository.run("rev-list", "--objects", "--quiet", "--all", head)
        for pack in objects.glob("pack/*.pack"):
            repository.run("verify-pack", str(pack))
        is_whole = all(map(_is_sound, objects.glob("[0-9a-f][0-9a-f]/*")))
    except AliceError:
        is_whole = False
    if not is_whole:
        return "objects of the history are missing or damaged, as git fsck tells"
    try:
        repository.packs()
        # A lock is another git's, or what a killed one left: recovery removes it.
        if head and not locks(repository):
            marks = [(SEEN, seen, seen)] if (seen := repository.resolve(SEEN)) else []
            repository.point([(_TRIAL, head, None)])
            repository.point([(repository.branch() or "HEAD", head, head), *marks, (_TRIAL, "", head)])
    except (AliceError, OSError):
        return "git cannot move the references of the history"
    return ""


def restore(writer: CommitWriter, actor: Actor) -> bool:
    """Put a sound repository in the place of one that no act can be written into; whether it had to. Needs the lock.

    A directory that never was a home's history is left to ``init``. Interrupted, it is completed by the next call.
    """
    repository, place = writer.repository, writer.repository.git_dir
    fresh = Repository(writer.work_tree / _NEW, repo_config)
    stands = os.path.lexists(place)
    if stands and git_works_on(place):
        raise BusyError("git works on the history at present", hint="wait for it to end, then run this again")
    known = bool(writer.reread().files)
    is_fit = not fault(repository) and bool(repository.head() or not known)
    if is_fit if stands else not (fresh.exists or known):
        shutil.rmtree(fresh.work_tree, ignore_errors=True)
        return False
    first = ASIDE + writer.sources.now()[:10]
    others = (f"{first}-{number}" for number in range(2, 1002))
    name = next(one for one in (first, *others) if not os.path.lexists(writer.work_tree / one))
    # Without .git what was made stands for it, if it was finished: the damaged one is set aside already.
    if stands or not fresh.exists or not fresh.head() or fault(fresh):
        shutil.rmtree(fresh.work_tree, ignore_errors=True)
        fresh.work_tree.mkdir(mode=0o700)
        fresh.create()
        _fill(writer, fresh, actor, name if stands else "")
    if stands:
        os.rename(place, writer.work_tree / name)  # noqa: PTH104
    os.rename(fresh.git_dir, place)  # noqa: PTH104
    sync_directory(writer.work_tree)
    shutil.rmtree(fresh.work_tree, ignore_errors=True)
    writer.forget()
    return True


def _fill(writer: CommitWriter, fresh: Repository, actor: Actor, name: str) -> None:
    """Give the new repository all objects that can be read, the references that hold, and the files as last known."""
    old, stamps = writer.repository, writer.reread()
    _take_objects(old.git_dir / "objects", fresh)
    branch, found = old.branch(), old.named()
    with suppress(AliceError):
        fresh.run("check-ref-format", branch)
        fresh.run("symbolic-ref", "HEAD", branch)
    branch = fresh.branch()
    heads = (oid for ref, oid in found.items() if ref.startswith("refs/heads/"))
    tips = (found.get(branch, ""), *old.logged(branch), stamps.head, found.get(SEEN, ""), *heads)
    tip = next((oid for oid in dict.fromkeys(tips) if oid and _is_whole(fresh, oid)), "")
    refs = {ref: oid for ref, oid in found.items() if ref not in (branch, SEEN) and _is_whole(fresh, oid)}
    # A purge is whole or was never begun; what a process fetched is fetched again.
    is_torn = any(ref.startswith((STAGE, PURGING)) and ref not in refs for ref in found)
    left = (FETCHED, STAGE, PURGING) if is_torn else FETCHED
    refs = {ref: oid for ref, oid in refs.items() if not ref.startswith(left)}
    seen = _seen(fresh, stamps.head, found.get(SEEN, ""))
    if seen and (seen != tip or PENDING in refs):
        # Commits that came since are adopted as foreign by the next command, and an act that was decided is finished.
        refs |= {branch: tip, SEEN: seen}
    elif tip and not seen and not stamps.files:
        # The newest act counts as seen then, as in a fresh clone.
        refs |= {branch: tip}
    else:
        known = fresh.tree(seen) if seen else {path: oid for path, (_, oid) in stamps.files.items()}
        refs |= {f"{LOST}/{oid}": oid} if (oid := refs.pop(PENDING, "")) else {}
        made = _committed(writer, fresh, actor, name, tip, known)
        refs |= {branch: made, SEEN: made, PENDING: ""}
    moves: list[tuple[str, str, str | None]] = [(ref, oid, None) for ref, oid in refs.items()]
    fresh.point(moves)
    fresh.refresh_index()
    for folder, _, files in os.walk(fresh.git_dir):
        for file in files:
            sync_file(fresh.git_dir / folder / file)
        sync_directory(fresh.git_dir / folder)
    sync_directory(fresh.work_tree)


def _committed(
    writer: CommitWriter, fresh: Repository, actor: Actor, name: str, tip: str, known: Mapping[str, str]
) -> str:
    """The commit after ``tip`` (empty: the first one) whose tree is what is known, as far as the words are there."""
    base = fresh.tree(tip) if tip else {}
    files = {
        path: _content(writer, fresh, path, known.get(path, ""))
        for path in sorted({*base, *known})
        if base.get(path) != known.get(path)
    }
    if not known:
        why = "nobody can tell any more what was approved before: in universal it waits for your approval"
        writer.sources.warn(ProblemError(why, hint="see it with 'alice-exp review'"))
    goes_on = "the history goes on" if tip else "a new history begins"
    detail, trailers = (f"{name} set aside, {goes_on}", (("Damaged", name),)) if name else (goes_on, ())
    _, message = writer.composed(Act("doctor", actor, writer.sources.now(), (), detail, trailers))
    return fresh.prepare(tip, message, files)


def _content(writer: CommitWriter, fresh: Repository, path: str, oid: str) -> bytes | None:
    """What the home last knew of a file, from the disk or the old objects; None if nobody has it any more."""
    with suppress(OSError):
        data, _ = read_bytes(writer.work_tree / path)
        if blob_id(data) == oid:
            return data
    return fresh.blob(oid) if oid and fresh.holds("blob", oid) else None


def _seen(fresh: Repository, stamped: str, marked: str) -> str:
    """The last head that this home made, if it is known for certain and whole: the later one of two."""
    if stamped and not _is_whole(fresh, stamped):
        return ""
    if not marked or not _is_whole(fresh, marked):
        return stamped
    return marked if not stamped or fresh.contains(marked, stamped) else stamped


def _is_whole(fresh: Repository, oid: str) -> bool:
    """Whether a commit is there with all of its history."""
    try:
        fresh.run("rev-list", "--objects", "--quiet", oid, "--")
    except AliceError:
        return False
    return True


def _take_objects(objects: Path, fresh: Repository) -> None:
    """Take over the packs that git can index, and each loose object that is what its name says."""
    there = fresh.git_dir / "objects"
    for pack in sorted(objects.glob("pack/pack-*.pack")):
        if pack.is_file() and not pack.is_symlink():
            _link(pack, there / "pack" / pack.name)
            with suppress(AliceError):
                fresh.run("index-pack", str(there / "pack" / pack.name))
                continue
            (there / "pack" / pack.name).unlink()
    for path in objects.glob("[0-9a-f][0-9a-f]/*"):
        if _LOOSE.fullmatch(path.name) and _is_sound(path):
            (there / path.parent.name).mkdir(exist_ok=True)
            _link(path, there / path.parent.name / path.name)


def _link(path: Path, new: Path) -> None:
    try:
        os.link(path, new)
    except OSError:
        shutil.copyfile(path, new)


def _is_sound(path: Path) -> bool:
    """Whether a loose object is what its name says."""
    try:
        data = zlib.decompress(read_bytes(path)[0])
    except (OSError, zlib.error):
        return False
    return sha1(data, usedforsecurity=False).hexdigest() == path.parent.name + path.name

"""A home's repository as plain git meets it: its settings, hooks and first commit; and the commits that alice-exp did
not make (DESIGN 6): what they change is adopted as hand edits are.

The hooks make plain git follow the home's rules: a ``git push`` is refused, a ``git pull`` between clones merges block
by block.

The first ledger of a home of 0.2.0 is built here, too, from what acts of a person did to the blocks as they stand: a
block counts if an act that may raise trust wrote what it says, and a person's newest act on it left it where it is, in
its project, for the same hands. What is in the files but in no such act waits, and the person is told how many.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.home.store.list_files import TRACKED, scan
from alice_exp.home.store.standings import Standings
from alice_exp.kernel.errors import ProblemError, reason
from alice_exp.kernel.journal.act import AUTHOR, FOREIGN, Act, Actor, Commit, Op, disclaimed, read
from alice_exp.kernel.journal.atomic_files import sync_directory
from alice_exp.kernel.journal.commit_writer import UNKNOWN, CommitWriter, Stamps
from alice_exp.kernel.journal.git_process import NO_OBJECT, Repository
from alice_exp.kernel.journal.git_references import LEDGER, SEEN, RepoConfig
from alice_exp.kernel.journal.transaction import FileChange
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.text.display import visible
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.record_schema import CONFIG_PATH
from alice_exp.model.rules.ledger import bound, is_same
from alice_exp.model.values.block import Entry, Placed, holds_blocks, says_approved

if TYPE_CHECKING:
    from pathlib import Path

    from alice_exp.home.store.hand_edits import Adopting


_PRE_PUSH = """#!/bin/sh
echo "alice-exp: this history holds personal experience, so it is not pushed." >&2
echo "Use 'alice-exp share export' or 'alice-exp sync' instead." >&2
exit 1
"""

_POST_MERGE = """#!/bin/sh
# Runs when git has committed a merge, which git itself still calls unfinished.
[ "$1" = 1 ] && exit 0
merged=$(git rev-parse --git-dir)/MERGE_HEAD
[ "$(git rev-parse -q --verify HEAD^2)" = "$(cat "$merged" 2>/dev/null)" ] && rm -f "$merged"
exec {python} -m alice_exp --home "${{PWD%/*}}" sync settle --quiet
"""

# Every conversion is off, since a person's global attributes must not change the bytes of a file.
_ATTRIBUTES = "* -text -eol -ident -filter merge=alice -working-tree-encoding\n"
ASIDE = ".git-damaged-"
"""The beginning of the name, before a date, of a repository that ``doctor --fix`` set aside."""

# Our temporary files, and what vim (4913, .swp), emacs (.#, #…#) and macOS leave beside a file.
_EXCLUDES = ".git-*\n.*.alice-tmp-*\n*~\n.*.sw?\n*.swp\n4913\n.#*\n\\#*#\n.DS_Store\n*.tmp\n*.bak\n*.orig\n"


def repo_config() -> RepoConfig:
    """The configuration of a home's repository: settings, hooks, attributes and excludes."""
    python = shlex.quote(sys.executable)
    settings = {
        "core.hooksPath": ".git/hooks",
        "core.autocrlf": "false",
        "core.quotePath": "false",
        "gc.auto": "0",
        "maintenance.auto": "false",
        "merge.alice.name": "blocks by id, in three ways",
        "merge.alice.driver": f"{python} -m alice_exp merge-driver %O %A %B %P",
    }
    texts = {
        "info/attributes": _ATTRIBUTES,
        "info/exclude": _EXCLUDES,
        "hooks/pre-push": _PRE_PUSH,
        "hooks/post-merge": _POST_MERGE.format(python=python),
    }
    return RepoConfig(settings, texts, "merge.alice.driver", {"commit.gpgSign": "false"})


def make_directories(root: Path, experiences: Path) -> None:
    """Create the missing directories (0700) and close a new home's own; ``ProblemError`` if the system refuses."""
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        for path in (root, experiences, *(experiences / folder for folder in TRACKED)):
            path.mkdir(mode=0o700, exist_ok=True)
        for path in (root.parent, root, experiences):
            sync_directory(path)
        # A folder that was there before, such as a copy, becomes a home, and a home is its person's alone.
        if not (experiences / ".git").exists():
            root.chmod(0o700)
    except OSError as error:
        raise ProblemError(
            "the home cannot be made: {why}", why=reason(error), path=str(error.filename)
        ) from error


def found(
    writer: CommitWriter, adopting: Adopting, standings: Standings, actor: Actor, defaults: Mapping[str, str]
) -> tuple[Commit, int]:
    """Create the repository and its first commit, by ``actor``, under the lock; returns it and its number of blocks.

    Files that are there already are committed as they are, and what stands in personal and universal is the person's
    word (``Standings.founding``); ``defaults`` maps paths to the texts of the other files of a new home.
    """
    writer.repository.create()
    there = scan(writer.work_tree)
    files, blocks = adopting.taken_in(there)
    for path, text in defaults.items():
        if path not in there.files:
            files[path] = FileChange(None, text.encode())
    detail = f"{len(blocks)} blocks in {len(there.files)} files" if there.files else "a new home"
    op: Op = "adopt" if there.files else "init"
    act = Act(op, actor, writer.sources.now(), tuple(blocks), "" if blocks else detail)
    writer.stamps = Stamps()
    commit = writer.write(act, files, ledger=standings.composing(standings.founding(act, files), anew=True))
    standings.catch_up()
    return commit, len(blocks)


_NAMED = 200
"""The most commits, and blocks of a kind, that one act's message names."""
_AUTHORS = 10


def take_foreign(writer: CommitWriter) -> bool:
    """Take in what lies between the last head of this home and HEAD, by whatever git command it came, if anything does:
    one act names the commits and their authors and goes back to the files of that head, so that what they changed is
    adopted as hand edits are. Needs the lock."""
    repository, head = writer.repository, writer.repository.head()
    seen = repository.resolve(SEEN)
    if not seen or not repository.holds("commit", seen):
        # A home of the version before, or a fresh clone: the newest commit that an act made is taken as seen, once.
        walk = ("log", "-1", "--format=%H", "--grep=^Alice-Act: act-", head, "--")
        seen = repository.run(*walk).decode().strip()
    commits = _commits(repository, seen, head) if seen != head else []
    rows = repository.difference(seen, head) if seen != head else []
    rows = [row for row in rows if row[0] == CONFIG_PATH or row[0].partition("/")[0] in TRACKED]
    if not commits and not rows:
        repository.point([(SEEN, head, None)])
        return False
    tree = repository.tree(head)
    writer.stamps = Stamps(
        head,
        repository.commit_time(head),
        time.time_ns(),
        -1,
        {path: (UNKNOWN, oid) for path, oid in tree.items()},
    )
    files = {}
    for path, old, new in rows:
        if new == NO_OBJECT:
            # Git takes a folder along with its last file; without it nothing would count as removed.
            with contextlib.suppress(OSError):
                (writer.work_tree / path).parent.mkdir(mode=0o700, exist_ok=True)
        data = None if old == NO_OBJECT else repository.blob(old)
        # Nothing is written to the file itself.
        files[path] = FileChange(data, data)
    authors = dict.fromkeys(author for _, author in commits)
    trailers = [(FOREIGN, oid) for oid, _ in commits[:_NAMED]]
    trailers += [(AUTHOR, author) for author in [*authors][:_AUTHORS]]
    detail = f"{len(commits)} foreign commit{'s' * (len(commits) != 1)}"
    writer.write(Act("adopt", Actor("editor"), writer.sources.now(), (), detail, tuple(trailers)), files)
    with contextlib.suppress(ProblemError):
        repository.refresh_index()
    return True


def _commits(repository: Repository, seen: str, head: str) -> list[tuple[str, str]]:
    """The commits of HEAD that ``seen`` does not contain, newest first, each with its author."""
    without = [f"^{seen}"] if seen else []
    rows = repository.told("%H%n%an <%ae>", head, *without)
    return [(oid, visible(" ".join(author.split()))[:100]) for oid, author in rows]


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
        said = "{count} blocks that version 0.2.0 trusted rest on no decision of yours and wait for it"
        writer.sources.warn(ProblemError(said, count=left, hint="see them with 'alice-exp review'"))


def _proven(repository: Repository, seen: str, standings: Standings) -> tuple[tuple[Entry, ...], int]:
    """The entries of what acts prove, and how many blocks the files say more of."""
    acts = _acts_by_block(repository, seen)
    known: dict[str, dict[str, Placed]] = {}

    def at(commit: str) -> dict[str, Placed]:
        if commit not in known:
            tracked = ((path, oid) for path, oid in repository.tree(commit).items() if holds_blocks(path))
            known[commit] = {
                block.id: Placed(block, path)
                for path, oid in tracked
                for block in read_blocks(parse(repository.blob(oid), path))[0]
            }
        return known[commit]

    entries: list[Entry] = []
    left = 0
    for block_id, now in at(seen).items():
        mine = acts.get(block_id, [])
        archived, last = now.block.archived, at(mine[0].commit).get(block_id) if mine else None
        if archived and archived.reason == "obsolete" and last is not None and last.place != "archive":
            # A failed report alone archived it, which takes no trust away any more: the next report offers it back.
            now = Placed(now.block, f"{archived.origin}.jsonc")
        if now.place == "archive":
            reason = archived.reason if archived is not None else ""
            entries += [Entry(block_id, "rejected" if reason == "rejected" else "retired")] if mine else []
            entries += standings.rejecting(now.block) if mine and reason == "rejected" else ()
        elif says_approved(now):
            given = (at(one.commit).get(block_id) for one in mine if one.op in _RAISING)
            said = [(p.block.payload, p.block.trigger, p.block.type) for p in given if p is not None]
            is_kept = last is not None and is_same(last, now)
            if is_kept and (now.block.payload, now.block.trigger, now.block.type) in said:
                given_at = now.block.approved.at if now.block.approved is not None else mine[0].at
                entries.append(replace(bound("trusted", now.block, now.path), at=given_at))
            else:
                left += 1
    return tuple(entries), left


def _acts_by_block(repository: Repository, seen: str) -> Mapping[str, list[Commit]]:
    """A person's acts on each block, newest first, but for commits that an act adopted as foreign."""
    found: dict[str, list[Commit]] = {}
    for act in disclaimed(read(*row) for row in repository.told("%H%n%B", seen)):
        if act.act_id and act.actor == "user":
            for block_id in act.blocks:
                found.setdefault(block_id, []).append(act)
    return found

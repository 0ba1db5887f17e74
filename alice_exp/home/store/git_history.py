"""Reads history: acts through the git program, the blocks that they changed and earlier versions through GitPython.

The only module that imports ``git``, and no sooner than something needs it: a report and a log read messages alone. No
string from outside reaches a git command line: names are checked and looked up among the acts of the history.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any, cast

from alice_exp.home.ports import Changed, FileVersion, Version
from alice_exp.kernel.errors import AliceError, Hint, NotFoundError, ProblemError, UsageError
from alice_exp.kernel.journal.act import FOREIGN, Commit, disclaimed, read
from alice_exp.kernel.journal.git_process import (
    ARRIVED,
    LOST,
    NO_PROGRAMS,
    Repository,
    isolated_environment,
    missing_git,
)
from alice_exp.kernel.journal.git_references import MENDS
from alice_exp.kernel.jsonc import Problem
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.model.formats.block_edits import raw_block
from alice_exp.model.formats.block_schema import read_blocks, state_in
from alice_exp.model.values.block import Entry, Placed, content_hash, holds_blocks, path_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import git
    from git.objects import Blob
    from git.objects import Commit as GitCommit

_BLOCK = re.compile(r"exp-[0-9a-z]+")
_MOST = 500
"""The most decisions that are looked for at once."""
_ARCHIVED = {"rejected": path_of("archive", "rejected"), "retired": path_of("archive", "obsolete")}
_NAME = re.compile(r"[0-9a-f]{4,40}|act-[a-z2-9]{8}")

# GitPython runs git with the settings of the repository, and a home that was copied from elsewhere brought its own.
_OPTIONS = {**NO_PROGRAMS, "diff.external": ""}

_ENVIRONMENT = RLock()


class GitHistory:
    """The acts of one home, read from git, newest first. ``NotFoundError`` if a name matches none."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._opened: git.Repo | None = None

    @contextmanager
    def _repo(self) -> Iterator[git.Repo]:
        """The repository, opened on first use; the person's ``GIT_*`` variables are removed while it is used.

        The environment is the whole process's, so that homes of other threads wait.
        """
        with _ENVIRONMENT:
            kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("GIT_")}
            try:
                # Otherwise importing GitPython fails where the git program is missing, before we can say so.
                os.environ["GIT_PYTHON_REFRESH"] = "quiet"
                if why := self._repository.damage():
                    raise _unreadable(why)
                if self._opened is None:
                    quiet = {k: v for k, v in isolated_environment().items() if k.startswith("GIT_")}
                    git = _gitpython(quiet)
                    self._opened = git.Repo(self._repository.work_tree, expand_vars=False)
                    # GitPython runs git where it takes the path for, with variables expanded; git is told the place.
                    quiet["GIT_DIR"] = str(self._repository.git_dir)
                    quiet["GIT_WORK_TREE"] = str(self._repository.work_tree)
                    quiet["GIT_CONFIG_COUNT"] = str(len(_OPTIONS))
                    for at, (name, value) in enumerate(_OPTIONS.items()):
                        quiet |= {f"GIT_CONFIG_KEY_{at}": name, f"GIT_CONFIG_VALUE_{at}": value}
                    self._opened.git.update_environment(**quiet)
                yield self._opened
            except AliceError:
                raise
            # GitPython has no error of its own for damage: it raises whatever the bytes lead it to.
            except Exception as error:
                if type(error).__name__ == "GitCommandNotFound":
                    raise missing_git() from error
                raise _unreadable("git cannot read what it asked for") from error
            finally:
                os.environ.pop("GIT_PYTHON_REFRESH", None)
                os.environ.update(kept)

    def log(self, *, block: str = "", limit: int = 0) -> Iterator[Commit]:
        """All acts, or those on one ``block``; at most ``limit`` (0: all). ``ProblemError`` if damaged."""
        most = [f"-n{limit}"] if limit else []
        if block:
            # A foreign commit may carry forged trailers, and the act that adopted it need not name this block.
            adopting = disclaimed(self._acts(f"--grep=^Alice-{FOREIGN}: "))
            rows = (row for act in adopting if act.op == "adopt" for row in act.trailers)
            foreign = {value for name, value in rows if name == FOREIGN}
            acts = self._acts(f"--grep=^Alice-Block: {block}$", *most)
            yield from (act for act in acts if act.commit not in foreign)
            return
        yield from disclaimed(self._acts(*most))

    def _acts(self, *options: str) -> list[Commit]:
        if not (tip := self._repository.head()):
            return []
        if why := self._repository.damage():
            raise _unreadable(why)
        try:
            return _read(self._repository, *options, tip)
        except ProblemError as error:
            if "verb" not in error.values:
                raise
            raise _unreadable("git cannot read what it asked for") from error

    def commit(self, name: str) -> Commit:
        """The act with this commit id, unique prefix of one, or act id; ``UsageError`` if malformed or ambiguous."""
        if not _NAME.fullmatch(name):
            hint = "an act is named by its commit or act id, see 'alice-exp log'"
            raise UsageError("{name} is not an act", name=repr(name), hint=hint)
        found = [act for act in self.log() if act.act_id == name or act.commit.startswith(name)]
        if not found:
            raise NotFoundError("no act is named {name}", name=name, hint="see 'alice-exp log'")
        if len(found) > 1:
            raise UsageError("{name} fits several acts", name=name, hint="write more of the commit's id")
        return found[0]

    def carrying(self, trailer: str, value: str) -> Iterator[Commit]:
        """The acts whose message has the trailer ``Alice-<trailer>: <value>``, newest first."""
        yield from self._acts(f"--grep=^Alice-{trailer}: {re.escape(value)}$")

    def changed(self, commit: str) -> Changed:
        """What one act changed."""
        with self._repo() as repo:
            found = repo.commit(commit)
            pairs = _changed_pairs(found)
            old, new = _contents(before for before, _ in pairs), _contents(after for _, after in pairs)
        sides = [{path: _blocks_of(path, data) for path, data in side.items()} for side in (old, new)]
        before, after = ({p.block.id: p for found in side.values() for p in found} for side in sides)
        versions = []
        for block_id in dict.fromkeys([*before, *after]):
            was, is_now = before.get(block_id), after.get(block_id)
            if was != is_now:
                raw = raw_block(old[was.path], was.path, block_id) if was else ""
                versions.append(Version(block_id, was, is_now, raw))
        paths = dict.fromkeys([*old, *new])
        whole = tuple(FileVersion(path, _text(old.get(path)), _text(new.get(path))) for path in paths)
        files = tuple(one for one in whole if not any(side.get(one.path) for side in sides))
        return Changed(read(found.hexsha, _message(found)), tuple(versions), files, whole)

    def states(self, block_id: str) -> Iterator[tuple[Commit, str, str]]:
        """The acts on a block, newest first, each with the block's state before and after (empty: absent).

        An act on a single block names both states in its trailers; for other acts the files of both sides are parsed,
        each content once.
        """
        seen: dict[str, str] = {}
        for act in self.log(block=block_id):
            trailers = dict(act.trailers)
            if len(act.blocks) == 1 and {"From", "To"} <= trailers.keys():
                before, after = (
                    "reliable" if level == "super_reliable" else level
                    for level in (trailers["From"], trailers["To"])
                )
                yield act, before, after
                continue
            with self._repo() as repo:
                pairs = _changed_pairs(repo.commit(act.commit))
                before = _state_among([old for old, _ in pairs], block_id, seen)
                after = _state_among([new for _, new in pairs], block_id, seen)
            yield act, before, after

    def last_text(self, block_id: str) -> tuple[Placed, str] | None:
        """A block's last version in history and its source text, whether or not the block still exists."""
        for act in self.log(block=block_id):
            changed = self.changed(act.commit)
            version = next((one for one in changed.blocks if one.block_id == block_id), None)
            if version is not None and version.after is not None:
                path = version.after.path
                text = next(one.after for one in changed.texts if one.path == path) or ""
                return version.after, raw_block(text.encode(), path, block_id)
            if version is not None and version.before is not None:
                return version.before, version.before_raw
        return None

    def decided(self, entries: Sequence[Entry]) -> Mapping[str, Placed]:
        """The blocks as some decisions left them, by id, as far as any commit or reflog still has them."""
        wanted = [one for one in entries if _NAME.fullmatch(one.act) and _BLOCK.fullmatch(one.id)]
        if not wanted or not self._repository.exists:
            return {}
        greps = [f"--grep=^Alice-(Act: {one.act}|Block: {one.id})$" for one in wanted[:_MOST]]
        found: dict[str, Placed] = {}
        for commit, message in self._repository.told("%H%n%B", "-E", "--all", "--reflog", *greps):
            trees: dict[str, list[Placed]] = {}
            for one in wanted:
                if one.id not in found and any(name in message for name in (one.act, one.id)):
                    path = one.path if one.standing == "trusted" else _ARCHIVED[one.standing]
                    if path not in trees:
                        data = self._repository.run("cat-file", "blob", f"{commit}:{path}", check=False)
                        trees[path] = _blocks_of(path, data)
                    known = next((p for p in trees[path] if p.block.id == one.id), None)
                    if known and (one.standing != "trusted" or content_hash(known.block) == one.content):
                        found[one.id] = known
        return found

    def texts(self, path: str) -> Iterator[tuple[Commit, str]]:
        """Every version of a file, newest first, each with the act that wrote it; removals are skipped."""
        if not self._repository.head():
            return
        with self._repo() as repo:
            for found in repo.iter_commits(repo.head.commit, paths=path):
                try:
                    blob = found.tree / path
                except KeyError:
                    continue
                yield read(found.hexsha, _message(found)), _text(blob.data_stream.read()) or ""

    def problems(self) -> tuple[Problem, ...]:
        """Remotes that sync does not know, and acts that could not be finished."""
        if not self._repository.exists:
            return ()
        with self._repo() as repo:
            remotes = {one.name: next(one.urls, "") for one in repo.remotes}
            lost = [str(ref.path) for ref in repo.references if str(ref.path).startswith(LOST)]
        template = (
            "the history has a remote, {name} ({address}), that sync does not know: "
            "if it is yours alone, 'alice-exp sync add' it with --private; else remove it"
        )
        found = []
        for name, address in remotes.items():
            hint = Hint("git -C experiences remote remove {name}", name=name)
            found.append(Problem.fault(".git", template, hint, name=name, address=address))
        template = "an interrupted act was kept aside as {ref}"
        return (*found, *(Problem.warning(".git", template, ref=ref) for ref in lost))


def _unreadable(why: str) -> ProblemError:
    return ProblemError("the history cannot be read: {why}", why=why, hint=MENDS)


def _message(commit: GitCommit) -> str:
    message = commit.message
    return message if isinstance(message, str) else message.decode("utf-8", "replace")


def _gitpython(settings: Mapping[str, str]) -> Any:
    """GitPython, whose import runs the git program: a fault in the person's own settings would end it."""
    os.environ.update(settings)
    try:
        import git
    finally:
        for name in settings:
            os.environ.pop(name, None)
    return git


def _changed_pairs(commit: GitCommit) -> list[tuple[Blob | None, Blob | None]]:
    """The changed files of an act as pairs of blobs (before, after)."""
    if not commit.parents:
        return [
            (None, item) for item in cast("Iterator[Blob]", commit.tree.traverse()) if item.type == "blob"
        ]
    return [(entry.a_blob, entry.b_blob) for entry in commit.parents[0].diff(commit, no_renames=True)]


def _contents(blobs: Iterable[Blob | None]) -> dict[str, bytes]:
    return {str(blob.path): blob.data_stream.read() for blob in blobs if blob is not None}


def _state_among(blobs: Iterable[Blob | None], block_id: str, seen: dict[str, str]) -> str:
    """The state of a block in whichever of these files contains it; empty if none does. ``seen`` caches by blob."""
    for blob in blobs:
        if blob is None or not holds_blocks(str(blob.path)):
            continue
        if blob.hexsha not in seen:
            data = blob.data_stream.read()
            # The bytes are searched before they are parsed: most changed files do not contain the block.
            held = block_id.encode() in data
            seen[blob.hexsha] = state_in(parse(data, str(blob.path)), block_id) if held else ""
        if seen[blob.hexsha]:
            return seen[blob.hexsha]
    return ""


def _blocks_of(path: str, data: bytes) -> list[Placed]:
    blocks = read_blocks(parse(data, path))[0] if holds_blocks(path) else ()
    return [Placed(block, path) for block in blocks if block.id]


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


MOST = 5000
"""The most acts that a report looks back on."""

_OID = re.compile(r"[0-9a-f]{40}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")


def acts_after(repository: Repository, commit: str, at: str) -> tuple[Commit, ...]:
    """The acts after ``commit``, newest first; if history no longer contains it, those after ``at`` (ISO-8601 UTC).

    All acts if neither is given; none if neither is usable or the commit is the newest.
    """
    tip = repository.head()
    if not tip or commit == tip:
        return ()
    if not commit and not at:
        return _marked(repository, _newest(repository, tip))
    if _OID.fullmatch(commit):
        # History may have been rewritten since; then the time counts.
        with suppress(ProblemError):
            return _marked(repository, _newest(repository, f"{commit}..{tip}"))
    if not _TIME.fullmatch(at):
        return ()
    return _marked(repository, tuple(a for a in _newest(repository, f"--since={at}", tip) if a.at > at))


_SYNCED = re.compile(rf"^([0-9a-f]{{40}}) ([0-9a-f]{{40}}) [^\t\n]*\t{ARRIVED}$", re.MULTILINE)
_LATEST = 50
"""The most syncs that are looked at: a report of later acts than theirs has none of them."""


def _marked(repository: Repository, acts: tuple[Commit, ...]) -> tuple[Commit, ...]:
    """The acts, with those marked that a sync brought, as the branch's reflog tells."""
    try:
        log = (repository.git_dir / "logs" / repository.branch()).read_text("utf-8", "replace")
    except OSError:
        return acts
    ids = {act.commit for act in acts}
    brought: set[str] = set()
    for found in [*_SYNCED.finditer(log)][-_LATEST:]:
        old, new = found[1], found[2]
        if new in ids:
            rows = repository.run("rev-list", f"-n{MOST}", new, f"^{old}", "--", check=False)
            brought |= {*rows.decode().split()}
    return tuple(
        replace(act, is_from_elsewhere=act.op != "sync") if act.commit in brought else act for act in acts
    )


def newest_act(repository: Repository, op: str) -> Commit | None:
    """The newest act with this ``op`` (one of our own words, never a person's text); None if there is none."""
    tip = repository.head()
    if not tip:
        return None
    return next(iter(_newest(repository, f"--grep=^Alice-Op: {op}$", "-n1", tip)), None)


def _newest(repository: Repository, *options: str) -> tuple[Commit, ...]:
    return tuple(disclaimed(_read(repository, f"-n{MOST}", *options)))


def _read(repository: Repository, *options: str) -> list[Commit]:
    return [read(*row) for row in repository.told("%H%n%B", *options)]

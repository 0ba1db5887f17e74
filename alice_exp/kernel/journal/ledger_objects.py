"""The objects of ``refs/alice/ledger``: commits, each with one flat tree of shards, and their copy below ``state/``.

A commit's id is computed before git writes it, so that the act's own commit can name it. The copy spares a start of
git: whatever is read from it has to have the id that the reference leads to, so it is believed no more than git is.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import COMMITTER, LedgerCommit, Message
from alice_exp.kernel.journal.atomic_files import replace
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.journal.git_references import LEDGER, PENDING
from alice_exp.kernel.value_class import object_id

HEAD: Final = "head"
"""The file of the copy that holds the commit and its tree."""

OWNER: Final = "Alice-Owner: "
"""The row of a commit's message with the owner key's signature over ``signed_text``."""

SIGNED: Final = "Alice-Signed: "
"""The row of every commit above such ones that names the newest of them."""
LOST: Final = "lost"
"""The folder beside the copy that holds those of which the ledger has lost something, each by its commit's id."""


class LedgerObjects:
    """Reads and composes the ledger of one repository; ``copy`` is the directory of its copy."""

    def __init__(self, repository: Repository, copy: Path) -> None:
        self._repository = repository
        self._copy = copy
        self.lost = copy.with_name(LOST)
        self._known: dict[str, tuple[bytes, dict[str, str]]] = {"": (b"", {})}
        self._read: dict[str, bytes] = {}

    def has_copy(self) -> bool:
        """Whether there is a copy, of this ledger or of one before it."""
        return (self._copy / HEAD).exists() or self.lost.exists()

    def set_aside(self) -> None:
        """Put the copy where nothing overwrites it, unless the ledger contains what it says: ``git reset``, half a
        backup or a new repository may have taken decisions away."""
        with contextlib.suppress(OSError, ValueError):
            size, _, rest = (self._copy / HEAD).read_bytes().partition(b"\n")
            said = object_id("commit", rest[: int(size)])
            # Looked at last: an act moves the reference before it brings the copy up to it.
            head = self.head()
            if said != head and not (head and self._repository.contains(head, said)):
                self.lost.mkdir(mode=0o700, exist_ok=True)
                self._copy.rename(self.lost / said[:12])

    def copies(self, name: str = "[0-9a-f][0-9a-f]") -> list[bytes]:
        """What the copies that were set aside hold of a shard, or of all."""
        found = []
        for path in sorted(self.lost.glob(f"*/{name}")):
            with contextlib.suppress(OSError):
                found.append(path.read_bytes())
        return found

    def rewrite_copies(self, change: Callable[[bytes], bytes]) -> None:
        """Change what every copy says that is not the ledger's own."""
        self.set_aside()
        for path in self.lost.glob("*/[0-9a-f][0-9a-f]"):
            with contextlib.suppress(OSError):
                replace(path, change(path.read_bytes()), durable=True)

    def head(self) -> str:
        """The newest commit of the ledger; empty if there is none."""
        return self._repository.resolve(LEDGER)

    def message(self, commit: str = "") -> str:
        """The message of a commit, by default of the newest; empty if there is no ledger."""
        return self._opened(commit or self.head())[0].partition(b"\n\n")[2].decode("utf-8", "replace")

    def tree(self, commit: str) -> Mapping[str, str]:
        """The object id of each shard of a commit."""
        return self._opened(commit)[1]

    def signed_text(self, commit: str) -> str:
        """What an owner key signs of a commit: its tree and its parents, so every entry and all that came before."""
        return text_of(self._opened(commit)[0])

    def shards(self, names: Collection[str], commit: str = "") -> dict[str, bytes]:
        """The bytes of some shards of a commit, by default of the newest; those that it has not are left out.

        ``ProblemError`` if neither git nor the copy has what the reference leads to.
        """
        tree = self.tree(commit or self.head())
        wanted = {name: tree[name] for name in names if name in tree}
        missing = {name: oid for name, oid in wanted.items() if oid not in self._read}
        for name, oid in missing.items():
            with contextlib.suppress(OSError):
                data = (self._copy / name).read_bytes()
                if object_id("blob", data) == oid:
                    self._read[oid] = data
        if lost := {name: oid for name, oid in missing.items() if oid not in self._read}:
            found = self._objects([*lost.values()])
            self._read |= found
            # The copy is of what holds, by which a reset of git is noticed.
            for name, oid in lost.items() if commit in ("", self.head()) else ():
                self._write(name, found[oid])
        return {name: self._read[oid] for name, oid in wanted.items()}

    def _opened(self, commit: str) -> tuple[bytes, dict[str, str]]:
        """The bytes of a commit, and the object id of each of its shards."""
        if commit not in self._known:
            known = self._copied(commit)
            if known is None and commit == self.head():
                self.set_aside()
            self._known[commit] = known or self._from_git(commit)
        return self._known[commit]

    def _copied(self, commit: str) -> tuple[bytes, dict[str, str]] | None:
        try:
            size, _, rest = (self._copy / HEAD).read_bytes().partition(b"\n")
            body, tree = rest[: int(size)], rest[int(size) :]
        except (OSError, ValueError):
            return None
        is_ours = object_id("commit", body) == commit and object_id("tree", tree) == _tree_of(body)
        return (body, _rows(tree)) if is_ours else None

    def _from_git(self, commit: str) -> tuple[bytes, dict[str, str]]:
        body = self._objects([commit])[commit]
        oid = _tree_of(body)
        tree = self._objects([oid])[oid]
        if commit == self.head():
            self._write(HEAD, b"%d\n%s%s" % (len(body), body, tree))
        return body, _rows(tree)

    def _objects(self, oids: list[str]) -> dict[str, bytes]:
        """The bytes of some objects, each of which has its id: a replaced object is not one of them."""
        found: dict[str, bytes] = {}
        for oid, (kind, data) in zip(oids, self._repository.contents(oids), strict=True):
            if object_id(kind, data) != oid:
                raise ProblemError("the ledger of decisions cannot be read", path=f".git/{LEDGER}")
            found[oid] = data
        return found

    def composed(
        self, message: Message, shards: Mapping[str, bytes], merged: str = "", *, anew: bool = False
    ) -> LedgerCommit:
        """A commit on top of the newest one in which some shards are new; ``merged`` is its second parent. ``anew``: a
        first commit of these shards alone."""
        parent = "" if anew else self.head()
        oids = dict(self.tree(parent)) if parent else {}
        oids |= {name: object_id("blob", data) for name, data in shards.items()}
        tree = b"".join(
            b"100644 %s\0%s" % (name.encode(), bytes.fromhex(oids[name])) for name in sorted(oids)
        )
        lines = [f"tree {object_id('tree', tree)}", *(f"parent {one}" for one in (parent, merged) if one)]
        roles = (("author", message.author), ("committer", COMMITTER))
        lines += [f"{role} {who} {message.when} +0000" for role, who in roles]
        if signed := self._signed(parent, merged):
            message = Message(message.author, message.when, f"{message.text}{SIGNED}{signed}\n")
        body = ("\n".join(lines) + "\n\n").encode() + message.text.encode("utf-8", "replace")
        return LedgerCommit(object_id("commit", body), parent, message, shards, body, tree, merged)

    def _signed(self, *parents: str) -> str:
        """The newest commits below these, or of these, that say they are signed by an owner key."""
        found: dict[str, None] = {}
        for parent in filter(None, parents):
            said = self.message(parent)
            found |= dict.fromkeys([parent] if f"\n{OWNER}" in said else row_of(said, SIGNED).split())
        return " ".join(found)

    def keep(self, made: LedgerCommit) -> None:
        """Bring the copy up to what was written; what the disk refuses is read from git."""
        for name, data in made.shards.items():
            self._read[object_id("blob", data)] = data
            self._write(name, data)
        self._known[made.oid] = (made.body, _rows(made.tree))
        self._write(HEAD, b"%d\n%s%s" % (len(made.body), made.body, made.tree))

    def _write(self, name: str, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self._copy.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace(self._copy / name, data, durable=False)


def row_of(message: str, name: str) -> str:
    """The value of a row of a commit's message; empty if it has none."""
    return next((row[len(name) :] for row in message.splitlines() if row.startswith(name)), "")


def text_of(body: bytes) -> str:
    """``LedgerObjects.signed_text`` of a commit's bytes."""
    header = body.partition(b"\n\n")[0].decode("ascii", "replace").splitlines()
    rows = [row for row in header if row.startswith(("tree ", "parent "))]
    return "\n".join(["alice-exp ledger of an owner 1", *rows, ""])


def _tree_of(body: bytes) -> str:
    return body[5:45].decode("ascii", "replace")


def entries_of(tree: bytes) -> Iterator[tuple[str, str, str]]:
    """The entries of a git tree object of SHA-1: the mode, name and object id of each."""
    at = 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        mode, _, name = tree[at:end].decode("utf-8", "replace").partition(" ")
        yield mode, name, tree[end + 1 : end + 21].hex()
        at = end + 21


def _rows(tree: bytes) -> dict[str, str]:
    return {name: oid for _, name, oid in entries_of(tree)}


def sign(repository: Repository, commit: str, count: int) -> str:
    """Sign the pending ``commit`` and the ``count`` - 1 before it if that is wanted; returns what is pending then.

    ``ProblemError``, with nothing pending, if git cannot sign: an act is never unsigned where signatures are asked for.
    """
    wanted = repository.run("config", "--local", "--bool", "--get", "commit.gpgSign", check=False).strip()
    if wanted != b"true":
        return commit
    try:
        before = repository.run("rev-list", "--first-parent", f"--max-count={count}", commit, "--").decode()
        made = ""
        for oid in reversed(before.split()):
            made = _signed(repository, oid, made)
        repository.point([(PENDING, made, commit)])
    except BaseException:
        repository.point([(PENDING, "", commit)])
        raise
    return made


_FACTS = "%T%x1f%P%x1f%an%x1f%ae%x1f@%ad%x1f%cn%x1f%ce%x1f@%cd"
_ROLES = [f"GIT_{role}_{what}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE")]
"""What git tells of a commit and takes for another one: tree, parents, and who made it when, in these variables."""


def _signed(repository: Repository, commit: str, parent: str) -> str:
    """The same commit with a signature, on ``parent`` in the place of its first parent if that is given."""
    ((facts, text),) = repository.told(f"{_FACTS}%n%B", "--date=raw", "-1", commit)
    tree, above, *roles = facts.split("\x1f")
    parents = above.split()
    if parent:
        parents[0] = parent
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= zip(_ROLES, roles, strict=True)
    named = [word for one in parents for word in ("-p", one)]
    durable = ["-c", "core.fsync=all", "-c", "core.fsyncMethod=fsync", "-c", "safe.directory=*"]
    words = ["git", f"--git-dir={repository.git_dir}", *durable, "commit-tree", "-S", *named, "-F", "-", tree]
    done = subprocess.run(words, input=text.encode(), capture_output=True, env=environment, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ProblemError(
            "git could not sign: {said}",
            said=said[0].removeprefix("error: ") if said else f"it ended with {done.returncode}",
            hint="see user.signingKey, or: git config --local commit.gpgSign false",
        )
    return done.stdout.decode().strip()

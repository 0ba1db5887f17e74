"""What commits without an act's trailers brought into a remote's history: new and changed blocks, raises.

The acts of another machine of the same person are taken as they are; anything else that stands in a shared history was
written by some other program, and is believed no more than a hand edit (DESIGN 6).
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from alice_exp.kernel.journal.act import AUTHOR, FOREIGN, read
from alice_exp.kernel.jsonc import parse
from alice_exp.kernel.text.display import visible
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.config_file import PATH as CONFIG
from alice_exp.model.rules.adoption import raises_trust
from alice_exp.model.rules.identity import id_of_nameless
from alice_exp.model.values.block import Placed, place_of
from alice_exp.sync.rules.merge_text import holds_blocks
from alice_exp.sync.store.merge_driver import WHOLE, require_readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from alice_exp.kernel.journal.git_process import Repository
    from alice_exp.model.values.block import Block

_NAMED, _READ = 200, 1_000
"""The most commits, and blocks of a kind, that are named; the most commits that are read one by one."""


@dataclass
class Strange:
    """The foreign commits of a range, and the blocks that they and no act wrote there."""

    commits: list[str] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    raised: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    configures: bool = False

    @property
    def trailers(self) -> tuple[tuple[str, str], ...]:
        """The rows by which the act that takes them in names them for the next heartbeat."""
        typed = [block_id for block_id in dict.fromkeys(self.typed) if block_id not in self.raised]
        return (
            *((FOREIGN, oid) for oid in self.commits[:_NAMED]),
            *((AUTHOR, author) for author in list(dict.fromkeys(self.authors))[:10]),
            *(("Raised", block_id) for block_id in list(dict.fromkeys(self.raised))[:_NAMED]),
            *(("Typed", block_id) for block_id in typed[:_NAMED]),
            *((("Changed", CONFIG),) if self.configures else ()),
        )


def strange(repository: Repository, known: str, there: str) -> Strange:
    """The foreign commits that ``there`` has and ``known`` has not, except those that an act there has adopted."""
    rows = ["log", "-z", "--format=%H %P%n%an <%ae>%n%B", there, f"^{known}", "--"]
    output = repository.run(*rows).decode("utf-8", "replace")
    found, adopted, made = Strange(), set[str](), list[tuple[str, list[str], str]]()
    for row in filter(None, output.split("\0")):
        ids, _, rest = row.partition("\n")
        author, _, message = rest.partition("\n")
        oid, *parents = ids.split()
        act = read(oid, message)
        if act.act_id and oid not in adopted:
            adopted.update(value for name, value in act.trailers if name == FOREIGN)
        else:
            made.append((oid, parents, author))
    if len(made) > _READ or not _looked_at_each(repository, made, found):
        # Too much to read one by one: whatever differs is taken for foreign.
        found = Strange()
        require_readable(repository, there)
        _look(repository, there, [known], found)
    for oid, _, author in made:
        if oid not in adopted:
            found.commits.append(oid)
            found.authors.append(visible(" ".join(author.split()))[:100])
    return found


def _looked_at_each(repository: Repository, made: list[tuple[str, list[str], str]], found: Strange) -> bool:
    """Add what each commit put there; False as soon as they hold more than can be read."""
    total = 0
    for oid, parents, _ in made:
        sizes = require_readable(repository, oid)
        before = {blob for one in parents for blob in repository.tree(one).values()}
        total += sum(size for blob, size in sizes.items() if blob not in before)
        if total > WHOLE:
            return False
        _look(repository, oid, parents, found)
    return True


def _look(repository: Repository, oid: str, parents: list[str], found: Strange) -> None:
    """Add what one commit put there that none of its parents had."""
    trees = [repository.tree(one) for one in parents]
    for path, blob in repository.tree(oid).items():
        if any(tree.get(path) == blob for tree in trees):
            continue
        if path == CONFIG:
            found.configures = True
        if not holds_blocks(path):
            continue
        before = [_blocks(repository, tree, path) for tree in trees]
        for block in _named(repository.blob(blob), path):
            old = [was[block.id] for was in before if block.id in was]
            if all(one != block for one in old):
                found.touched.add(block.id)
            if not old and place_of(path) in ("personal", "universal"):
                found.typed.append(block.id)
            if all(raises_trust(block, Placed(one, path), path) for one in old) and (
                old or raises_trust(block, None, path)
            ):
                found.raised.append(block.id)


def _blocks(repository: Repository, tree: Mapping[str, str], path: str) -> dict[str, Block]:
    oid = tree.get(path)
    return {one.id: one for one in _named(repository.blob(oid), path)} if oid else {}


def _named(data: bytes, path: str) -> Iterator[Block]:
    """The blocks of a file; what has no id, with the one that the merge gives it."""
    blocks = read_blocks(parse(data, path))[0]
    taken = {block.id for block in blocks}
    for block in blocks:
        own = block.id or id_of_nameless(block, path, taken)
        taken.add(own)
        yield replace(block, id=own)

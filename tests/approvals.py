"""Blocks as a home hands them out: with the entry of the ledger that trusts them."""

from dataclasses import replace
from pathlib import Path

from alice_exp.home.session import Session
from alice_exp.kernel.journal.act import Commit
from alice_exp.model.rules.ledger import bound
from alice_exp.model.values.block import Approved, Block, content_hash


def approved(block: Block, path: str, at: str = "2026-02-20T09:00:00Z") -> Block:
    """The block as a person approved it at a path."""
    mark = Approved(at, "user", content_hash(block))
    return replace(block, approved=mark, entry=bound("trusted", block, path))


def trust_as_it_stands(root: Path) -> None:
    """Decide that all of personal and universal counts as it stands, as another machine's ledger may."""
    home = Session(str(root)).home
    entries = [bound("trusted", p.block, p.path) for p in home.read().within("personal", "universal")]
    act = Commit("", "", "sync", "user", "2026-02-20T09:00:00Z", act_id="act-aaaaaaaa")
    home.standings.write(entries, act, 1_771_578_000)

"""The ledger: every act's decision is an entry, and nothing else makes a block trusted (DESIGN 6)."""

from collections.abc import Callable
from pathlib import Path

from alice_exp.home.session import Session
from alice_exp.model.values.ledger_entry import Entry
from tests.conftest import Call

Git = Callable[..., str]


def entry(home: Path, block_id: str) -> Entry:
    """The newest entry of an id."""
    opened = Session(str(home)).home
    opened.standings.follow()
    return opened.standings.entry(block_id)


def candidate(cli: Call, text: str = "Run the linter before each commit.") -> str:
    """A candidate that a report has shown."""
    made: str = cli("memorize", text, "--when", "committing", "--json").json["id"]
    cli("heartbeat")
    return made


def test_each_act_writes_its_entry(home: Path, cli: Call) -> None:
    one, other = candidate(cli), candidate(cli, "Never push to main without a review.")
    cli("approve", one, "--yes")
    cli("reject", other, "--yes")
    own = cli("remember", "I prefer tabs.", "--json").json["id"]
    assert [entry(home, i).standing for i in (one, other, own)] == ["trusted", "rejected", "trusted"]
    cli("retire", one, "--reason", "the linter is gone", "--yes")
    assert entry(home, one).standing == "retired"
    cli("revive", one, "--yes")
    assert entry(home, one).standing == "trusted"
    cli("undo", "--yes")
    assert entry(home, one).standing == "retired"

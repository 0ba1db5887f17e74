"""What the doors of a home promise: ``home.ports`` and the store of the open report."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alice_exp.home.doors import Home
from alice_exp.home.store.git_history import GitHistory
from alice_exp.kernel.errors import AliceError, NotFoundError, UsageError
from alice_exp.kernel.journal.act import Act, Actor
from alice_exp.model.values.block import SETS, Block, Payload, Trigger
from alice_exp.model.values.changes import ChangeSet, Put
from alice_exp.review.store import Reports

NOW = "2026-02-20T09:00:00Z"
TOOLS, HABITS, POOL = (
    "universal/tool_usage.jsonc",
    "personal/workflow_habits.jsonc",
    "low_value_pool/pending_20260220.jsonc",
)
EVERYWHERE = (*SETS, "archive")
TEXT = b"""// head
{"blocks": [
  // above a
  {"id": "exp-aaaaaa22", "payload": "a", "created_at": "2026-01-10T08:00:00Z",
   "updated_at": "2026-01-10T08:00:00Z"}, // beside a
  // above b
  {"id": "exp-bbbbbb22", "payload": "b", "created_at": "2026-01-10T08:00:00Z", "updated_at": "2026-01-10T08:00:00Z"}
]}
// tail
"""


@dataclass(frozen=True)
class World:
    """The three ports over one and the same home, which holds ``TEXT`` in ``TOOLS`` and one commit."""

    home: Home
    history: GitHistory
    reports: Reports


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[World]:
    count = iter(range(10_000))
    letters = "abcdefghijklmnopqrstuvwxyz"

    def new_id(kind: str) -> str:
        number = next(count)
        return f"{kind}-" + "".join(letters[number // 26**place % 26] for place in range(8))

    yield _on_disk(tmp_path / "alice", new_id)


def _on_disk(root: Path, new_id: Callable[[str], str]) -> World:
    from alice_exp.home.doors import Home
    from alice_exp.home.store.git_history import GitHistory
    from alice_exp.kernel.journal.commit_writer import Sources

    def refuse(error: AliceError) -> None:
        raise error

    home = Home(root, Sources(lambda: NOW, lambda: 1_771_578_000, new_id, refuse))
    (root / "experiences/universal").mkdir(parents=True)
    (root / "experiences" / TOOLS).write_bytes(TEXT)
    home.create(Actor("system"), {})
    history = GitHistory(home.repository)

    session: Any = SimpleNamespace(root=root, home=home, history=history, warn=refuse)
    return World(home, history, Reports(session))


def act(op: str, ids: tuple[str, ...] = (), at: str = NOW, actor: Any = "user", **trailers: str) -> Act:
    """An act with the words of ``op``."""
    return Act(op, Actor(actor), at, ids, "", tuple(trailers.items()))


def block(block_id: str, payload: str = "new", **fields: Any) -> Block:
    """A whole block."""
    return Block(block_id, Payload(payload), created_at=NOW, updated_at=NOW, **fields)


def put(ports: World, *puts: Put, op: str = "memorize", **named: Any) -> Any:
    """One act that puts blocks."""
    changes = ChangeSet(act(op, tuple(one.block.id for one in puts), **named), puts)
    return ports.home.apply(lambda _: (changes, None), EVERYWHERE)[0]


def remove(ports: World, *ids: str) -> Any:
    """One act that takes blocks out."""
    return ports.home.apply(lambda _: (ChangeSet(act("expire", ids), removes=ids), None), EVERYWHERE)[0]


def found(ports: World, block_id: str) -> Any:
    """A block wherever it is."""
    return ports.home.read(EVERYWHERE).find(block_id)


# -- Home ---------------------------------------------------------------------------------------------------------


def test_reading_gives_every_block_once_in_file_order(ports: World) -> None:
    seen = ports.home.read()
    assert [placed.block.id for placed in seen] == ["exp-aaaaaa22", "exp-bbbbbb22"]
    assert {placed.path for placed in seen} == {TOOLS}
    assert seen.problems == ()
    assert seen.head
    assert list(ports.home.read(("personal",))) == []
    assert ports.home.text("universal/nowhere.jsonc") is None


def test_a_new_block_is_appended_and_nothing_else_changes(ports: World) -> None:
    before = str(ports.home.text(TOOLS))
    made = block(
        "exp-cccccc22", "c", trigger=Trigger("when", ("k",), {"os": "linux"}), tags=("x",), importance=0.9
    )
    commit = put(ports, Put(made, TOOLS), actor="agent")
    assert (commit.op, commit.actor, commit.at, commit.blocks) == ("memorize", "agent", NOW, (made.id,))
    assert commit.subject == f"memorize {made.id}"
    assert found(ports, made.id).block == made
    after = str(ports.home.text(TOOLS))
    assert [line for line in before.splitlines() if line.rstrip(",") not in after] == []
    assert after.startswith("// head\n")
    assert after.endswith("// tail\n")
    assert ports.home.read().head == commit.commit


def test_a_known_block_is_edited_in_place(ports: World) -> None:
    known = found(ports, "exp-aaaaaa22").block
    put(ports, Put(replace(known, verifications=4, state="past"), TOOLS))
    assert found(ports, "exp-aaaaaa22").block == replace(known, verifications=4, state="past")
    text = str(ports.home.text(TOOLS))
    assert (
        text.index("// above a")
        < text.index("exp-aaaaaa22")
        < text.index("// beside a")
        < text.index("// above b")
    )


def test_a_block_moves_with_its_comments_and_is_in_one_file_alone(ports: World) -> None:
    known = found(ports, "exp-aaaaaa22").block
    put(ports, Put(known, HABITS), op="move")
    assert [placed.path for placed in ports.home.read() if placed.block.id == known.id] == [HABITS]
    assert "// above a" in str(ports.home.text(HABITS))
    assert "// above a" not in str(ports.home.text(TOOLS))
    assert "// above b" in str(ports.home.text(TOOLS))


def test_a_pool_file_goes_with_its_last_block(ports: World) -> None:
    put(ports, Put(block("exp-cccccc22"), POOL), Put(block("exp-dddddd22"), POOL))
    remove(ports, "exp-cccccc22")
    assert found(ports, "exp-cccccc22") is None
    assert ports.home.text(POOL) is not None
    remove(ports, "exp-dddddd22")
    assert ports.home.text(POOL) is None
    remove(ports, "exp-aaaaaa22", "exp-bbbbbb22")
    assert ports.home.text(TOOLS) is not None, "another set's file stays, empty"


def test_one_act_may_put_move_and_remove(ports: World) -> None:
    known = found(ports, "exp-aaaaaa22").block
    changes = ChangeSet(
        act("reply", (known.id, "exp-bbbbbb22", "exp-cccccc22")),
        (Put(known, HABITS), Put(block("exp-cccccc22"), POOL)),
        ("exp-bbbbbb22",),
    )
    before = len(list(ports.history.log()))
    commit, answer = ports.home.apply(lambda _: (changes, "answer"), EVERYWHERE)
    assert commit is not None
    assert answer == "answer"
    assert {p.block.id: p.path for p in ports.home.read()} == {known.id: HABITS, "exp-cccccc22": POOL}
    assert len(list(ports.history.log())) == before + 1


def test_a_plan_that_wants_nothing_commits_nothing(ports: World) -> None:
    head = ports.home.read().head
    commit, answer = ports.home.apply(lambda seen: (None, len(list(seen))))
    assert (commit, answer) == (None, 2)
    assert ports.home.read().head == head


def test_a_plan_that_fails_changes_nothing(ports: World) -> None:
    def plan(_: Any) -> Any:
        raise NotFoundError("nothing has that name")

    before = ports.home.text(TOOLS), ports.home.read().head
    with pytest.raises(NotFoundError):
        ports.home.apply(plan)
    assert (ports.home.text(TOOLS), ports.home.read().head) == before
    put(ports, Put(block("exp-cccccc22"), TOOLS))


def test_a_plan_sees_the_places_it_asked_for(ports: World) -> None:
    put(ports, Put(block("exp-cccccc22"), HABITS))
    assert ports.home.apply(lambda seen: (None, [p.block.id for p in seen]), ("personal",))[1] == [
        "exp-cccccc22"
    ]


def test_whole_files_come_and_go(ports: World) -> None:
    made = {"universal/recipes.jsonc": '// what cooks well\n{"blocks": []}\n'}
    ports.home.apply(lambda _: (ChangeSet(act("namespace"), texts=made), None))
    assert ports.home.text("universal/recipes.jsonc") == made["universal/recipes.jsonc"]
    gone: dict[str, str | None] = {"universal/recipes.jsonc": None}
    ports.home.apply(lambda _: (ChangeSet(act("undo"), texts=gone), None))
    assert ports.home.text("universal/recipes.jsonc") is None


# -- GitHistory ------------------------------------------------------------------------------------------------------


def test_the_log_is_newest_first_and_may_be_cut(ports: World) -> None:
    one = put(ports, Put(block("exp-cccccc22"), TOOLS))
    two = put(ports, Put(block("exp-dddddd22"), TOOLS), op="remember")
    acts = list(ports.history.log())
    assert acts[:2] == [two, one]
    assert list(ports.history.log(limit=1)) == [two]
    assert list(ports.history.log(block="exp-cccccc22")) == [one]
    assert list(ports.history.log(block="exp-nothing2")) == []
    assert len({one.act_id for one in acts}) == len(acts)


def test_an_act_is_named_by_its_commit_a_prefix_or_its_own_id(ports: World) -> None:
    made = put(ports, Put(block("exp-cccccc22"), TOOLS), Report="rep-aaaaaaaa")
    for name in (made.commit, made.commit[:12], made.act_id):
        assert ports.history.commit(name) == made
    assert made.trailers == (("Report", "rep-aaaaaaaa"),)
    assert [*ports.history.carrying("Report", "rep-aaaaaaaa")]
    again = put(ports, Put(block("exp-dddddd22"), TOOLS), Report="rep-aaaaaaaa")
    assert list(ports.history.carrying("Report", "rep-aaaaaaaa")) == [again, made]
    assert not [*ports.history.carrying("Report", "rep-bbbbbbbb")]
    with pytest.raises(NotFoundError):
        ports.history.commit("0" * 40)
    for name in ("", "HEAD", "--all", "../x", "main", made.commit + "^"):
        with pytest.raises(UsageError):
            ports.history.commit(name)


def test_what_an_act_changed_is_told_block_by_block(ports: World) -> None:
    known = found(ports, "exp-aaaaaa22").block
    made = put(ports, Put(replace(known, verifications=3), HABITS), Put(block("exp-cccccc22"), TOOLS))
    told = ports.history.changed(made.commit)
    assert told.commit == made
    by_id = {version.block_id: version for version in told.blocks}
    assert by_id.keys() == {known.id, "exp-cccccc22"}
    moved = by_id[known.id]
    assert moved.before is not None
    assert moved.after is not None
    assert (moved.before.path, moved.after.path) == (TOOLS, HABITS)
    assert (moved.before.block.verifications, moved.after.block.verifications) == (0, 3)
    assert '"exp-aaaaaa22"' in moved.before_raw
    assert by_id["exp-cccccc22"].before is None
    assert {one.path for one in told.texts} == {TOOLS, HABITS}


def test_a_blocks_life_is_told_by_its_states(ports: World) -> None:
    known = found(ports, "exp-aaaaaa22").block
    raised = put(
        ports,
        Put(replace(known, state="past", verifications=3), TOOLS),
        op="outcome",
        From="possible",
        To="past",
    )
    gone = remove(ports, known.id)
    life = list(ports.history.states(known.id))
    assert [(one.commit, before, after) for one, before, after in life[:2]] == [
        (gone.commit, "past", ""),
        (raised.commit, "possible", "past"),
    ]


def test_what_is_gone_has_a_last_text(ports: World) -> None:
    remove(ports, "exp-aaaaaa22")
    last = ports.history.last_text("exp-aaaaaa22")
    assert last is not None
    placed, raw = last
    assert (placed.path, placed.block.payload.content) == (TOOLS, "a")
    assert '"exp-aaaaaa22"' in raw
    assert ports.history.last_text("exp-nothing2") is None


def test_a_file_has_its_versions(ports: World) -> None:
    first = str(ports.home.text(TOOLS))
    made = put(ports, Put(block("exp-cccccc22"), TOOLS))
    put(ports, Put(block("exp-dddddd22"), POOL))
    versions = list(ports.history.texts(TOOLS))
    assert (versions[0][0], versions[0][1]) == (made, ports.home.text(TOOLS))
    assert versions[1][1] == first
    assert len(versions) == 2
    assert ports.history.problems() == ()


# -- Reports ------------------------------------------------------------------------------------------------------


def test_a_report_opens_when_it_is_published_and_not_before(ports: World) -> None:
    reports = ports.reports
    assert (reports.open_report(), reports.open_at(), reports.open_ids()) == ("", "", ())
    reports.publish()
    assert reports.open_report() == ""
    reports.prepare("rep-aaaaaaaa", NOW, ("exp-aaaaaa22", "exp-bbbbbb22"), {"1": ("exp-aaaaaa22",)})
    assert reports.open_report() == ""
    reports.publish(ports.home.read().head)
    assert (reports.open_report(), reports.open_at()) == ("rep-aaaaaaaa", NOW)
    assert reports.open_ids() == ("exp-aaaaaa22", "exp-bbbbbb22")
    assert reports.groups() == {"1": ("exp-aaaaaa22",)}


def test_a_report_counts_from_the_one_before(ports: World) -> None:
    reports = ports.reports
    reports.prepare("rep-aaaaaaaa", "2026-02-19T09:00:00Z", (), {})
    reports.publish(ports.home.read().head)
    assert reports.since("2026-02-20T00:00:00Z") == "2026-02-19T09:00:00Z"
    one = put(ports, Put(block("exp-cccccc22"), TOOLS))
    assert list(reports.acts("2026-02-20T00:00:00Z")) == [one]
    reports.prepare("rep-bbbbbbbb", NOW, ("exp-cccccc22",), {})
    reports.publish(one.commit)
    assert reports.since("2026-02-20T00:00:00Z") == "2026-02-19T09:00:00Z", (
        "the same day's report counts from the day before"
    )
    assert list(reports.acts("2026-02-20T00:00:00Z")) == [one]
    assert list(reports.acts("2026-02-21T00:00:00Z")) == []


def test_a_report_knows_what_went_out_of_the_files(ports: World) -> None:
    put(ports, Put(block("exp-cccccc22", "gone soon"), TOOLS))
    changes = ChangeSet(act("expire", ("exp-cccccc22",), Expired="exp-cccccc22"), removes=("exp-cccccc22",))
    ports.home.apply(lambda _: (changes, None), EVERYWHERE)
    found = ports.reports.last_versions(["exp-cccccc22", "exp-bbbbbb22"], ports.reports.acts(""))
    assert {key: one.block.payload.content for key, one in found.items()} == {"exp-cccccc22": "gone soon"}


def test_a_review_knows_where_it_stopped(ports: World) -> None:
    assert ports.reports.bookmark() == ""
    ports.reports.keep_bookmark("exp-bbbbbb22")
    assert ports.reports.bookmark() == "exp-bbbbbb22"

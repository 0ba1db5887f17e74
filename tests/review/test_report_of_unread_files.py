"""A report reads what concerns it; the index knows the rest, and nothing of what is said differs."""

import json
import random
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from alice_exp.app.opening import open_session
from alice_exp.finding.rules.concerns import concerns
from alice_exp.finding.rules.nearness import Neighbourhood
from alice_exp.home.session import Session
from alice_exp.home.store import read_files
from alice_exp.model.formats.block_schema import block_json
from alice_exp.model.values.block import (
    BLOCK_TYPES,
    PLACES,
    Archived,
    Block,
    Doubt,
    Evidence,
    Payload,
    Trigger,
    place_of,
)
from alice_exp.review.usecases.todays_report import heartbeat
from tests.approvals import approved
from tests.case_tables import cases

Call = Callable[..., Any]

WORDS = cases(__file__, "WORDS")
HAN = "缓存登录队列发布窗口测试数据迁移端口咖啡绿茶服务器"
NOW = "2026-02-20T09:00:00Z"
TIMES = ("2023-02-01T09:00:00Z", "2025-08-01T09:00:00Z", "2026-02-01T09:00:00Z")


def made(chance: random.Random, path: str) -> Block:
    """A block of any kind that a report may have something to say of."""
    said = " ".join((chance.choice(("never", "always", "", "do not")), *chance.choices(WORDS, k=3)))
    if chance.random() < 0.3:
        said = chance.choice(("不要", "", "请")) + "".join(chance.choices(HAN, k=6))
    block = Block(
        "exp-" + "".join(chance.choices("abcdefghjkmnpqrstuvwxyz", k=8)),
        Payload(said),
        Trigger(chance.choice((*WORDS[:3], "", "发布"))),
        type=chance.choice(BLOCK_TYPES),
        state=chance.choice(("reliable", "past")) if path[0] in "pu" else "possible",
        emotional_weight=chance.choice((0.0, 0.8)),
        doubt=chance.choice((None, None, Doubt(1.5, "2026-02-19", "2026-02-19T09:00:00Z"))),
        created_at=chance.choice(TIMES),
        updated_at=chance.choice(TIMES),
    )
    if path.startswith("archive"):
        reason = path.rpartition("/")[2].removesuffix(".jsonc")
        outcomes = tuple(Evidence("outcome", at=TIMES[0], effect="ok") for _ in range(chance.randint(2, 5)))
        archived = Archived("universal/a", chance.choice(TIMES), reason)
        return replace(block, state="obsolete", archived=archived, evidence=outcomes)
    if path[0] in "pu" and chance.random() < 0.8:
        block = approved(block, path, chance.choice(TIMES))
        block = replace(block, payload=Payload(said + "!")) if chance.random() < 0.1 else block
    return block


SIZES = dict(cases(__file__, "SIZES"))


@pytest.fixture
def written(world: Path, home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    monkeypatch.setattr(read_files, "SOON_READ", 0)

    def write(seed: int) -> Path:
        chance = random.Random(seed)
        for path, count in SIZES.items():
            blocks = [block_json(made(chance, path), place_of(path)) for _ in range(count)]
            file = home / "experiences" / path
            file.write_text(json.dumps({"blocks": blocks}, ensure_ascii=False), encoding="utf-8")
        cli("recall", "tabs")
        return home

    return write


def told(session: Session) -> Any:
    return heartbeat(session, peek=True)[0]


def both(home: Path) -> tuple[Session, Session]:
    """A session that has the index answer, and one that reads every file."""
    asking, reading = open_session(str(home), "user"), open_session(str(home), "user")
    assert asking.home.read(PLACES).catalogue is not None
    reading.home.catalogued = lambda _: None
    return asking, reading


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 12))])
def test_a_report_says_the_same_with_and_without_an_index(
    seed: int, written: Callable[[int], Path], cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = written(seed)
    chance = random.Random(seed)
    for turn in range(3):
        asking, reading = both(home)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(read_files.Reading, "parsed", None)
            report = told(asking)
        assert report == told(reading)
        assert report.fading and report.review and report.items
        assert turn or (report.settle and report.unapproved)
        ids = [placed.block.id for placed in reading.home.read(("universal", "personal")) if placed.block.id]
        for block_id in chance.sample(ids, 3):
            act = chance.choice(
                (("outcome", block_id, "ok"), ("retire", block_id, "--reason", "old", "--yes"))
            )
            cli(*act)
        cli("remember", f"never {chance.choice(WORDS)} tabs {turn}")
        if turn == 0:
            cli("heartbeat")
        if turn == 1:
            # What a person moves to the front of a file has another place and the same slot.
            path = home / "experiences/personal/c.jsonc"
            blocks = json.loads(path.read_text())["blocks"]
            path.write_text(json.dumps({"blocks": [*reversed(blocks)]}, ensure_ascii=False))
            cli("recall", "tabs")
    with sqlite3.connect(home / "state/index.sqlite") as index:
        held = {tuple(row) for row in index.execute("SELECT kind, at, id FROM concerns")}
    index.close()
    # What a block once was stays in no row.
    assert held == {(*row, one.block.id) for one in reading.home.read(PLACES) for row in concerns(one)}


def test_what_the_index_is_asked_for_is_what_the_blocks_say(written: Callable[[int], Path]) -> None:
    home = written(7)
    asking, reading = both(home)
    near, plain = (Neighbourhood(session.home.read(PLACES)) for session in (asking, reading))
    listed = list(reading.home.read(("universal", "personal")))
    assert [near.relations(one) for one in listed] == [plain.relations(one) for one in listed]
    assert any(near.relations(one) for one in listed)


def test_rows_of_another_content_answer_nothing(written: Callable[[int], Path], cli: Call) -> None:
    home = written(3)
    asking, reading = both(home)
    snapshots = [session.home.read(PLACES) for session in (asking, reading)]
    near = Neighbourhood(snapshots[0])
    waiting = list(snapshots[1].within("low_value"))
    near.relations(waiting[0])
    cli("retire", next(snapshots[1].within("personal")).block.id, "--reason", "old", "--yes")
    plain = Neighbourhood(snapshots[1])
    assert [near.relations(one) for one in waiting] == [plain.relations(one) for one in waiting]


@pytest.mark.parametrize(("table", "column"), [("files", "ordered"), ("blocks", "body")])
@pytest.mark.parametrize("cut", [False, True], ids=["a flipped bit", "a lost end"])
def test_a_damaged_row_changes_no_report(
    table: str, column: str, cut: bool, written: Callable[[int], Path]
) -> None:
    home = written(2)
    asking, reading = both(home)
    with sqlite3.connect(home / "state/index.sqlite") as index:
        key = "file" if table == "files" else "row"
        for *name, data in index.execute(f"SELECT {key}, {column} FROM {table}").fetchall():
            raw = data.encode() if isinstance(data, str) else data
            if not raw:
                continue
            wrong = raw[:-1] if cut else raw[:-1] + bytes((raw[-1] ^ 1,))
            where = " AND ".join(f"{one} = ?" for one in key.split(", "))
            index.execute(
                f"UPDATE {table} SET {column} = ? WHERE {where}",
                (wrong.decode() if isinstance(data, str) else wrong, *name),
            )
    index.close()
    assert told(asking) == told(reading)

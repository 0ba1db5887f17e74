"""The index answers as the files do, is kept in step, and never stands in the way (DESIGN 4, 9, 10)."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alice_exp.finding.rules.ranking import rank
from alice_exp.finding.rules.scorer import Corpus
from alice_exp.finding.store.index_query import Indexed
from alice_exp.finding.store.search_index import HomeIndex
from alice_exp.home.ports import NEW, WrittenFile
from alice_exp.home.store.standings import Standings
from alice_exp.kernel.journal.atomic_files import Signature, read_bytes
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.values.block import Block, Placed
from tests.case_tables import cases, table

NOW = "2026-02-20T09:00:00Z"
LINUX = {"os": "linux"}


class House:
    """Namespace files in a directory and an index over them; counts how often a file was parsed."""

    def __init__(self, root: Path) -> None:
        self.root = root / "experiences"
        self.state = root / "state" / "index.sqlite"
        self.parsed: list[str] = []
        self.seen: dict[str, Signature] = {}
        self.warnings: list[str] = []
        self.index = self.another()

    def another(self) -> HomeIndex:
        home = SimpleNamespace(
            root=self.root.parent,
            reading=SimpleNamespace(signed=lambda path: read_bytes(self.root / path), sound=self.parse),
            standings=Standings(Repository(self.root), self.root.parent),
            steady=lambda body: body(self.seen or self.files()),
        )
        return HomeIndex(cast("Any", home), lambda error: self.warnings.append(str(error)))

    def write(self, path: str, *blocks: dict[str, Any] | str, old: bool = True) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        listed = [
            {"id": f"exp-{path[0]}aaaaa{chr(97 + n // 26)}{chr(97 + n % 26)}", "payload": one}
            if isinstance(one, str)
            else one
            for n, one in enumerate(blocks)
        ]
        beside = full.with_suffix(".new")  # half a file is a problem, and a problem is nothing to index
        beside.write_text(json.dumps({"blocks": listed}, ensure_ascii=False), encoding="utf-8")
        beside.replace(full)
        if old:
            self.age(path)

    def age(self, path: str) -> None:
        """Wait until the file's stamps are certain."""
        os.utime(self.root / path, ns=(10**18, 10**18))
        time.sleep(0.025)

    def parse(self, path: str, data: bytes) -> tuple[tuple[Block, ...], bool] | None:
        self.parsed.append(path)
        blocks, problems = read_blocks(parse(data, path))
        return None if any(problem.severity == "error" for problem in problems) else (blocks, not problems)

    def files(self) -> dict[str, Signature]:
        found = sorted(self.root.rglob("*.jsonc"))
        return {path.relative_to(self.root).as_posix(): Signature.of(path.lstat()) for path in found}

    def placed(self) -> list[Placed]:
        out = []
        for path in self.files():
            blocks, _ = read_blocks(parse((self.root / path).read_bytes(), path))
            out += [Placed(block, path) for block in blocks]
        return out

    def ask(self, query: str, context: Any = None, **more: Any) -> Any:
        top = more.pop("top", 10)
        found = self.index.ask(lambda known: rank(known, query, context or {}, NOW, top, **more))
        assert found is not None
        return found

    def answers(self) -> bool:
        return self.index.ask(lambda known: True) is True

    def ids(self, query: str) -> list[str]:
        return [match.placed.block.id for match in self.ask(query, gate=0.0)]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    made.write("universal/tools.jsonc", "use ripgrep to search code", "电影要在周末看")
    made.write("personal/habits.jsonc", "searches mail with notmuch", "drinks tea in the morning")
    yield made
    made.index.close()


def block(number: int, text: str, **more: Any) -> dict[str, Any]:
    return {"id": f"exp-{number:08d}".replace("0", "z").replace("1", "y"), "payload": text, **more}


TEXT = st.text(st.sampled_from("ab cd ripgrep search 用户搜索代码电影，. "), min_size=1, max_size=25).filter(
    str.strip
)
BLOCK = st.fixed_dictionaries(
    {"payload": TEXT},
    optional={
        "state": st.sampled_from(["possible", "past", "reliable", "obsolete"]),
        "trigger": st.fixed_dictionaries(
            {"text": TEXT, "context": st.sampled_from([{}, LINUX, {"os": "mac"}])}
        ),
        "updated_at": st.sampled_from([NOW, "2025-02-20T09:00:00Z"]),
        "tags": st.just(["search"]),
    },
)
PATHS = tuple(cases(__file__, "PATHS"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(PATHS), BLOCK), min_size=1, max_size=40), TEXT, st.booleans())
@pytest.mark.covers("B3.15")
def test_every_answer_is_the_same_with_and_without_the_index(
    tmp_path_factory: pytest.TempPathFactory, entries: Any, query: str, with_context: bool
) -> None:
    house = House(tmp_path_factory.mktemp("house"))
    for path in {path for path, _ in entries}:
        mine = [{**block(n, ""), **one} for n, (at, one) in enumerate(entries) if at == path]
        house.write(path, *mine, old=False)
    corpus = Corpus.of(house.placed())
    context = LINUX if with_context else {}
    for gate in (0.0, 0.6):
        assert house.ask(query, context, gate=gate) == rank(corpus, query, context, NOW, 10, gate=gate)
        assert house.ask(query, context, gate=gate, top=3) == rank(corpus, query, context, NOW, 3, gate=gate)

        def possible(one: Placed) -> bool:
            return one.block.state == "possible"

        assert house.ask(query, context, gate=gate, passing=possible) == rank(
            corpus, query, context, NOW, 10, gate=gate, passing=possible
        )
    house.index.close()


def test_what_a_filter_lets_through_is_found_behind_the_likeliest(house: House) -> None:
    behind = block(300, "ripgrep, in a longer text that matches less than all others", tags=["rare"])
    house.write("universal/many.jsonc", *[block(n, "ripgrep") for n in range(2, 300)], behind)
    assert len(house.ask("ripgrep", passing=lambda one: "rare" in one.block.tags)) == 1


@pytest.mark.parametrize("query", ["searchCode", "userPreferences", "user_preferences"])
def test_joined_words_are_found_alike_with_and_without_the_index(house: House, query: str) -> None:
    house.write(
        "personal/a.jsonc", block(1, "the userPreferences hold a theme"), block(2, "ripgrep for search")
    )
    house.write(
        "universal/b.jsonc", block(3, "search code first"), block(4, "deploy on Mondays"), block(5, "user")
    )
    found = house.ask(query)
    assert found == rank(Corpus.of(house.placed()), query, {}, NOW, 10)
    assert found


def test_an_unchanged_file_is_never_parsed_twice(house: House) -> None:
    assert house.ids("ripgrep") == ["exp-uaaaaaaa"]
    assert sorted(house.parsed) == ["personal/habits.jsonc", "universal/tools.jsonc"]
    house.index.close()
    house.index = house.another()
    assert house.ids("电影") == ["exp-uaaaaaab"]
    assert len(house.parsed) == 2


def test_only_a_changed_file_is_parsed_again(house: House) -> None:
    house.ids("ripgrep")
    house.write("personal/habits.jsonc", "reads books on trains")
    assert house.ids("trains") == ["exp-paaaaaaa"]
    assert house.ids("notmuch") == []
    assert house.parsed[2:] == ["personal/habits.jsonc"]


def test_a_touched_file_with_the_same_content_is_not_parsed(house: House) -> None:
    house.ids("ripgrep")
    os.utime(house.root / "personal/habits.jsonc", ns=(2 * 10**18 // 2 - 7, 10**18 - 7))
    assert house.ids("notmuch") == ["exp-paaaaaaa"]
    assert len(house.parsed) == 2


def test_a_change_within_one_tick_is_seen(house: House) -> None:
    house.write("personal/habits.jsonc", "drinks tea", old=False)
    soon = time.time_ns() + 10**10  # a stamp that is not clearly older than the moment of reading
    os.utime(house.root / "personal/habits.jsonc", ns=(soon, soon))
    house.seen = house.files()
    assert house.index.ask(lambda known: len(rank(known, "tea", {}, NOW, gate=0.0))) == 1
    text = (house.root / "personal/habits.jsonc").read_text().replace("tea", "gin")
    (house.root / "personal/habits.jsonc").write_text(text)
    # A file system with coarse stamps shows the same signature.
    assert house.index.ask(lambda known: len(rank(known, "gin", {}, NOW, gate=0.0))) == 1


def test_an_index_of_another_version_is_made_again(house: House) -> None:
    house.ids("ripgrep")
    house.index.close()
    execute(house.state, "UPDATE about SET version = 'older'")
    assert house.ids("ripgrep") == ["exp-uaaaaaaa"]
    assert len(house.parsed) == 4
    assert house.warnings == []


def test_files_come_and_go(house: House) -> None:
    house.ids("ripgrep")
    house.write("universal/more.jsonc", {"id": "exp-moreaaaa", "payload": "deploy with make"})
    assert house.ids("deploy") == ["exp-moreaaaa"]
    (house.root / "universal/more.jsonc").unlink()
    assert house.ids("deploy") == []


def test_a_block_may_move_between_files(house: House) -> None:
    house.ids("ripgrep")
    moved = {"id": "exp-uaaaaaaa", "payload": "use ripgrep to search code"}
    house.write("personal/habits.jsonc", moved)
    house.write("universal/tools.jsonc")
    [match] = house.ask("ripgrep", gate=0.0)
    assert match.placed.place == "personal"
    assert house.warnings == []


def test_a_new_state_keeps_the_postings_and_is_shown(house: House) -> None:
    house.ids("ripgrep")
    house.write(
        "universal/tools.jsonc",
        {
            "id": "exp-uaaaaaaa",
            "payload": "use ripgrep to search code",
            "state": "reliable",
            "verifications": 12,
        },
        {"id": "exp-uaaaaaab", "payload": "电影要在周末看", "state": "obsolete"},
    )
    [match] = house.ask("ripgrep", gate=0.0)
    assert (match.placed.block.state, match.confidence) == ("reliable", 0.9)
    assert house.ids("电影") == []


def test_lists_and_prefixes_need_no_parsing(house: House) -> None:
    house.write("archive/obsolete.jsonc", {"id": "exp-archaaaa", "payload": "old", "state": "obsolete"})
    asked: list[str] = []

    def question(known: Indexed) -> None:
        assert [one.block.id for one in known.within(("personal", "universal"))] == [
            "exp-paaaaaaa", "exp-paaaaaab", "exp-uaaaaaaa", "exp-uaaaaaab",
        ]  # fmt: skip
        assert [one.path for one in known.starting_with("exp-arch")] == ["archive/obsolete.jsonc"]
        assert len(known.starting_with("exp-u")) == 2
        assert list(known.within(("personal", "universal", "archive"))) == house.placed()
        asked.append("all of it")

    house.index.ask(question)
    assert asked == ["all of it"]
    assert len(house.parsed) == 3


def execute(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(
            b"this is no database, but it is long enough to look like a file" * 100
        ),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.write_bytes(path.read_bytes()[:100] + b"\xff" * 20_000),
        lambda path: execute(path, "DROP TABLE about"),
        lambda path: execute(path, "DROP TABLE words"),
    ],
)
def test_a_damaged_or_older_index_is_made_again(house: House, damage: Any) -> None:
    house.ids("ripgrep")
    house.index.close()
    damage(house.state)
    for ending in ("-wal", "-shm"):
        house.state.with_name(house.state.name + ending).unlink(missing_ok=True)
    house.index = house.another()
    try:
        assert house.ids("ripgrep") == ["exp-uaaaaaaa"]
    except AssertionError:
        assert len(house.warnings) == 1
    house.index.close()
    house.index = house.another()
    assert house.ids("ripgrep") == ["exp-uaaaaaaa"]


COLUMNS = {
    "files": ("short", "sample", "ordered"),
    "blocks": ("length", "standing", "tokens"),
}


@pytest.mark.parametrize(
    ("table", "column"), [(table, one) for table, columns in COLUMNS.items() for one in columns]
)
def test_a_row_that_was_damaged_answers_nothing(house: House, table: str, column: str) -> None:
    """A flip in what says who is alive said "no match" though blocks fitted: SQLite has no checksums of its own."""
    house.ids("ripgrep")
    house.index.close()
    damage = (
        f"{column} || 'x'"
        if column == "tokens"
        else f"replace({column}, '0', '1')"
        if column == "standing"
        else f"ifnull({column}, 0) + 1"
    )
    execute(house.state, f"UPDATE {table} SET {column} = {damage}")
    house.index = house.another()
    assert house.index.ask(lambda known: rank(known, "ripgrep", {}, NOW)) is None
    assert len(house.warnings) == 1
    house.index.close()
    house.index = house.another()
    assert house.ids("ripgrep") == ["exp-uaaaaaaa"]


@table("flip")
def test_a_flipped_number_by_which_blocks_are_found_is_noticed(house: House, flip: str) -> None:
    house.ids("ripgrep")
    assert house.index.misled() == ()
    execute(house.state, flip)
    assert house.index.misled()


def test_a_problem_in_a_file_leaves_the_answer_to_the_files(house: House) -> None:
    house.ids("ripgrep")
    (house.root / "personal/habits.jsonc").write_text('{"blocks": [{"payload": 3}]}')
    assert not house.answers()
    house.write("personal/habits.jsonc", "mended")
    assert house.ids("mended") == ["exp-paaaaaaa"]
    assert house.warnings == []


def test_an_id_in_two_files_leaves_the_answer_to_the_files(house: House) -> None:
    house.write("universal/more.jsonc", {"id": "exp-paaaaaaa", "payload": "the same id"})
    assert not house.answers()


def test_a_place_that_cannot_be_written_costs_one_warning(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write("universal/tools.jsonc", "use ripgrep")
    (tmp_path / "state").write_text("a file where the directory should be")
    for _ in range(3):
        assert not house.answers()
    assert len(house.warnings) == 1


def test_a_writer_that_stays_does_not_hold_readers(house: House) -> None:
    house.ids("ripgrep")
    writer = sqlite3.connect(house.state, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE about SET generation = generation + 1")
    assert house.ids("ripgrep") == ["exp-uaaaaaaa"]
    house.write("universal/more.jsonc", {"id": "exp-moreaaaa", "payload": "deploy with make"})
    assert not house.answers()
    writer.execute("ROLLBACK")
    assert house.ids("deploy") == ["exp-moreaaaa"]
    assert house.warnings == []


_PROCESS = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from alice_exp.finding.store import database
from tests.finding.test_search_index import NOW, House, rank
# Under load another process may hold the index for longer than a question waits; here it waits until it is free.
database.PATIENCE = 240
house = House(Path(sys.argv[2]))
told = []
while len(told) < 20 or told[-1] is None and len(told) < 2000:  # None: a file changed while it looked.
    told.append(house.index.ask(lambda known: [m.placed.block.id for m in rank(known, "ripgrep", {}, NOW, 10, gate=0.0)]))
    house.index.close()
assert [one for one in told if one not in (None, ["exp-uaaaaaaa"])] == [] and told[-1], told
assert house.warnings == [], house.warnings
"""


def test_several_processes_at_once(house: House) -> None:
    root = Path(__file__).parents[2]
    asked = [sys.executable, "-c", _PROCESS, str(root), str(house.root.parent)]
    processes = [subprocess.Popen(asked, stderr=subprocess.PIPE) for _ in range(3)]
    for number in range(15):
        house.write("personal/habits.jsonc", f"drinks tea number {number}")
    for process in processes:
        assert process.wait(300) == 0, process.stderr and process.stderr.read().decode()
        assert process.stderr is not None
        process.stderr.close()


def follow(house: House, path: str, was: tuple[Block, ...], *blocks: dict[str, Any] | str) -> None:
    """Write a file as an act does, telling the index which blocks stayed the same."""
    before = (house.root / path).read_bytes()
    house.write(path, *blocks, old=False)
    after = (house.root / path).read_bytes()
    new, _ = read_blocks(parse(after, path))
    kept = [was.index(one) if one in was else NEW for one in new]
    fresh = {at: one for at, one in enumerate(new) if kept[at] == NEW}
    house.index.follow([WrittenFile(path, before, after, kept, fresh, True)])


MANY = [block(number, f"deploy number{number} with care") for number in range(20)]


@pytest.mark.parametrize(
    "now",
    [
        [*MANY, block(20, "zebra crossing")],
        [block(20, "zebra crossing"), *MANY],
        [*MANY[:7], *MANY[8:]],
        [*MANY[:7], block(7, "zebra crossing"), *MANY[8:]],
        [*MANY[:7], {**MANY[7], "state": "obsolete"}, *MANY[8:]],
        [*reversed(MANY)],
        [],
    ],
)
def test_an_act_updates_the_rows_that_it_touched(house: House, now: list[dict[str, Any]]) -> None:
    path = "universal/many.jsonc"
    house.write(path, *MANY)
    assert house.answers()
    was, _ = read_blocks(parse((house.root / path).read_bytes(), path))
    house.parsed.clear()
    follow(house, path, was, *now)
    for query in ("zebra crossing", "deploy number7", "care", "number12 deploy"):
        assert house.ask(query) == rank(Corpus.of(house.placed()), query, {}, NOW, 10)
        assert house.ask(query, gate=0.0) == rank(Corpus.of(house.placed()), query, {}, NOW, 10, gate=0.0)
    assert house.parsed == []
    assert house.index.misled() == ()


def test_an_act_on_a_file_that_was_not_in_step_is_left_to_the_next_reader(house: House) -> None:
    path = "universal/many.jsonc"
    house.write(path, *MANY)
    assert house.answers()
    was, _ = read_blocks(parse((house.root / path).read_bytes(), path))
    house.write(path, *MANY[1:])  # by hand, before the act
    follow(house, path, was, *MANY, block(20, "zebra crossing"))
    house.parsed.clear()
    assert house.ids("zebra")[:1] == [block(20, "")["id"]]
    assert path in house.parsed


def test_without_an_index_an_act_makes_none(house: House) -> None:
    house.index.follow([])
    assert not house.state.exists()


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.integers(0, 30), unique=True, max_size=25), min_size=1, max_size=6))
def test_any_row_of_acts_leaves_the_index_as_the_files_say(house: House, acts: list[list[int]]) -> None:
    path = "universal/many.jsonc"
    house.write(path, *MANY)
    assert house.answers()
    was, _ = read_blocks(parse((house.root / path).read_bytes(), path))
    for turn, chosen in enumerate(acts):
        now = [block(n, f"deploy number{n} {'again ' * (turn % 2 * (n % 3))}care") for n in chosen]
        follow(house, path, was, *now)
        was, _ = read_blocks(parse((house.root / path).read_bytes(), path))
        assert house.index.misled() == ()
    for query in ("number3 again", "deploy care"):
        assert house.ask(query, gate=0.0) == rank(Corpus.of(house.placed()), query, {}, NOW, 10, gate=0.0)

"""An act reads the files that it touches; of the others it knows what the search index knows, and nothing differs."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import json5
import pytest

from alice_exp.app.opening import open_session
from alice_exp.home.store import read_files, write_changes
from alice_exp.home.store.list_files import write_local
from alice_exp.learning.usecases.decision_outcome import report_outcome
from alice_exp.model.rules.identity import marks
from alice_exp.model.values.block import PLACES
from alice_exp.model.values.config import HAND_EDITS_TRUSTED
from tests.case_tables import cases

Call = Callable[..., Any]
TEXTS = tuple(cases(__file__, "TEXTS"))


@pytest.fixture(autouse=True)
def _small_homes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_files, "SOON_READ", 0)


@pytest.fixture(scope="module")
def _filled() -> list[Path]:
    """The home that the first test filled, for the others to copy."""
    return []


@pytest.fixture
def filled(home: Path, cli: Call, _filled: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with blocks in every set and in the archive, and with an index."""
    if _filled:
        shutil.rmtree(home)
        return Path(shutil.copytree(_filled[0], home, symlinks=True))
    for number, text in enumerate(TEXTS):
        cli("remember", text)
        cli("memorize", f"{text}, as the agent saw it", env={"ALICE_ACTOR": "agent"})
        cli("memorize", f"candidate {number}", env={"ALICE_ACTOR": "agent"})
    cli("heartbeat")
    cli("approve", "1", "2", "--yes")
    cli("reject", "3", "--yes")
    cli("recall", "ripgrep")
    _filled.append(Path(shutil.copytree(home, tmp_path_factory.mktemp("filled") / "alice", symlinks=True)))
    return home


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The namespace files that are parsed from now on."""
    seen: list[str] = []
    parse = read_files.Reading.parsed

    def noted(self: Any, path: str, signature: Any) -> Any:
        seen.append(path)
        return parse(self, path, signature)

    monkeypatch.setattr(read_files.Reading, "parsed", noted)
    return seen


def ids(home: Path, folder: str) -> list[str]:
    """The ids of a set's blocks in the order of its files."""
    files = sorted((home / "experiences" / folder).glob("*.jsonc"))
    return [block["id"] for path in files for block in json5.loads(path.read_text())["blocks"]]


ACTS: dict[str, Callable[[Path], tuple[str, ...]]] = {
    "new": lambda home: ("memorize", "something that nobody knew"),
    "seen again": lambda home: ("memorize", "Candidate 4."),
    "trusted already": lambda home: ("memorize", "Please use ripgrep to search!"),
    "rejected before": lambda home: ("memorize", "candidate 1"),
    "person's word": lambda home: ("remember", "喝茶"),
    "outcome": lambda home: ("outcome", ids(home, "personal")[1], "ok"),
    "outcome by prefix": lambda home: ("outcome", ids(home, "personal")[2][:8], "fail"),
    "approve": lambda home: ("approve", ids(home, "low_value_pool")[-1], "--yes"),
    "reject": lambda home: ("reject", ids(home, "low_value_pool")[0], "--yes"),
    "retire": lambda home: ("retire", ids(home, "personal")[0], "--yes"),
    "move": lambda home: ("move", ids(home, "personal")[0], "personal/other"),
    "no such block": lambda home: ("outcome", "exp-zzzzzzzz", "ok"),
    "many": lambda home: ("memorize", "--from", "-"),
    "undo": lambda home: ("undo", "HEAD", "--yes"),
}
LINES = "".join(json.dumps({"payload": text}) + "\n" for text in ("one", "two", "deploy on tuesdays", "two"))


@pytest.mark.parametrize("name", ACTS)
def test_an_act_does_the_same_with_and_without_an_index(
    name: str, filled: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ACTS[name](filled)
    other = filled.with_name("other")
    shutil.copytree(filled, other, symlinks=True)
    for path in (other / "state").glob("index.sqlite*"):
        path.unlink()
    told = []
    for home in (filled, other):
        source = random.Random(7)
        monkeypatch.setattr(
            "alice_exp.home.session.new_id",
            lambda kind, source=source: f"{kind}-" + "".join(source.choices("abcdefgh", k=8)),
        )
        done = cli(*words, stdin=LINES, env={"ALICE_HOME": str(home)}, check=False)
        files = {
            path.relative_to(home): path.read_bytes() for path in (home / "experiences").rglob("*.jsonc")
        }
        told.append((done.code, done.stdout, done.stderr, files))
    assert told[0] == told[1]
    # What the act told the index is what a reader finds, too.
    assert (
        cli("check", check=False).stdout == cli("check", env={"ALICE_HOME": str(other)}, check=False).stdout
    )


def test_an_act_reads_the_files_that_it_touches(filled: Path, cli: Call, parsed: list[str]) -> None:
    cli("memorize", "something that nobody knew")
    assert not parsed
    parsed.clear()
    cli("outcome", ids(filled, "personal")[0], "ok")
    assert not parsed


@pytest.mark.parametrize(("written", "told"), [('"colour": "red"', "warning"), ('"state": "sure"', "error")])
def test_what_is_wrong_with_a_file_is_told_all_the_same(
    written: str, told: str, filled: Path, cli: Call
) -> None:
    path = filled / "experiences/universal/api_patterns.jsonc"
    known = ids(filled, "personal")[0]
    path.write_text('{"blocks": [{"payload": "by hand", ' + written.replace("{known}", known) + "}]}")
    for _ in range(2):
        cli("recall", "ripgrep", check=False)
        problems = open_session(str(filled)).home.read(PLACES).problems
        assert [problem.path for problem in problems] == ["universal/api_patterns.jsonc"]
        assert (
            told in (problems[0].severity, *problems[0].message.split(" the ")) or told in problems[0].message
        )


def test_what_a_person_saves_meanwhile_does_not_mix_into_a_snapshot(filled: Path) -> None:
    seen = open_session(str(filled)).home.read(PLACES)
    path = next((filled / "experiences/personal").glob("*.jsonc"))
    before = ids(filled, "personal")
    path.write_text('{"blocks": []}\n')
    assert [placed.block.id for placed in seen.within("personal")] == before


def test_a_row_of_another_content_answers_nothing(filled: Path, cli: Call) -> None:
    seen = open_session(str(filled)).home.read(PLACES)
    known = ids(filled, "personal")[0]
    cli("outcome", known, "ok")
    found = seen.find(known)
    assert found is not None and found.block.verifications == 1


def test_a_small_home_is_read_whole(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_files, "SOON_READ", 1 << 17)
    assert open_session(str(filled)).home.read(PLACES).catalogue is None


FAULTS = ['"colour": "red"', '"state": "sure"', '"id": "{known}"']


@pytest.mark.parametrize("written", FAULTS)
@pytest.mark.parametrize("name", ["new", "outcome", "seen again", "retire"])
def test_an_act_beside_a_fault_does_the_same_with_and_without_an_index(
    name: str, written: str, filled: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ids(filled, "personal")[0 if name == "retire" else 1]
    path = filled / "experiences/universal/api_patterns.jsonc"
    path.write_text('{"blocks": [{"payload": "by hand", ' + written.replace("{known}", known) + "}]}")
    test_an_act_does_the_same_with_and_without_an_index(name, filled, cli, monkeypatch)


def test_rows_of_what_stood_there_before_a_hand_edit_answer_nothing(filled: Path, cli: Call) -> None:
    write_local(filled, {HAND_EDITS_TRUSTED: False})
    path = next(one for one in (filled / "experiences/personal").glob("*.jsonc") if "喝茶" in one.read_text())
    path.write_text(path.read_text().replace("喝茶", "喝咖啡"))
    cli("memorize", "something that nobody knew")  # adopts the edit, and leaves the index to its next reader
    seen = open_session(str(filled)).home.read(PLACES)
    assert seen.catalogue is not None
    assert {seen.find(one).block.payload.content for one in ids(filled, "personal")} >= {"喝咖啡"}  # type: ignore[union-attr]


def test_a_warning_outlasts_an_act_on_its_file(filled: Path, cli: Call) -> None:
    path = next((filled / "experiences/personal").glob("*.jsonc"))
    path.write_text(path.read_text().replace('"payload":', '"colour": "red", "payload":', 1))
    cli("recall", "ripgrep")
    cli("outcome", json5.loads(path.read_text())["blocks"][1]["id"], "ok")
    [problem] = open_session(str(filled)).home.read(PLACES).problems
    assert "colour" in problem.message


def test_a_mark_goes_with_its_block(filled: Path, cli: Call) -> None:
    for command in (
        ("outcome", ids(filled, "personal")[0], "ok"),
        ("retire", ids(filled, "personal")[1], "--reason", "old", "--yes"),
    ):
        cli(*command)
    for text in ("kept under a key", "another text altogether under that key"):
        cli("memorize", text, "--key", "k")
    query = """SELECT count(*) FROM marks WHERE NOT EXISTS
        (SELECT 1 FROM blocks WHERE blocks.row = marks.row)"""
    with sqlite3.connect(filled / "state/index.sqlite") as index:
        assert index.execute(query).fetchone() == (0,)
        held = {row[0] for row in index.execute("SELECT mark FROM marks")}
    seen = open_session(str(filled)).home.read(PLACES)
    assert held and held <= {mark for placed in seen for mark in marks(placed.block)}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda data: data,
        lambda data: data.replace(b'"blocks": [', b'"blocks": [{"id": "%s", "payload": "x"},', 1),
    ],
)
def test_what_was_composed_wrongly_reaches_no_file(
    wrong: Callable[[bytes], bytes], filled: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ids(filled, "personal")[1]
    path = next(p for p in (filled / "experiences/personal").glob("*.jsonc") if known in p.read_text())
    before = path.read_bytes()
    made = wrong(before)
    made = made % known.encode() if b"%s" in made else made

    def composed(_: Any, __: Any, document: Callable[[str], object]) -> dict[str, bytes]:
        assert document(f"personal/{path.name}") is not None
        return {f"personal/{path.name}": made}

    monkeypatch.setattr(write_changes, "rewrite", composed)
    with pytest.raises(AssertionError, match=r"differs from what was meant|stands twice"):
        report_outcome(open_session(str(filled), "user"), known, True)
    assert path.read_bytes() == before

"""What a person does in an editor: adopted as theirs, completed, never trusted beyond their word, never lost."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alice_exp.home.store.read_files import Recording
from alice_exp.kernel.journal import commit_writer
from alice_exp.kernel.journal.atomic_files import RACY_NS, read_bytes
from alice_exp.kernel.journal.lock import WriterLock

Call = Callable[..., Any]
PERSONAL = "experiences/personal/user_preferences.jsonc"
UNIVERSAL = "experiences/universal/tool_usage.jsonc"


def put(home: Path, where: str, *blocks: str) -> Path:
    """Write a namespace file with these blocks, as an editor would."""
    path = home / where
    path.write_text('// mine\n{"blocks": [\n  ' + ",\n  ".join(blocks) + "\n]}\n", encoding="utf-8")
    return path


def acts(git: Callable[..., str], home: Path, count: int = 1) -> list[tuple[str, str]]:
    """Author and subject of the newest commits, newest first."""
    lines = git(home, "log", f"-{count}", "--format=%an%x09%s").splitlines()
    return [(line.split("\t")[0], line.split("\t")[1]) for line in lines]


@pytest.mark.parametrize("grant", ["whole", "copied"])
@pytest.mark.covers("B2.26")
def test_an_approval_by_hand_grants_nothing(grant: str, home: Path, cli: Call) -> None:
    made = cli("memorize", "rm -rf is fine", "--json").json["id"]
    approved: dict[str, str] = {"at": "2026-02-20T09:00:00Z", "by": "user", "hash": "0" * 64}
    if grant == "copied":
        from alice_exp.model.values.block import Block, Payload, content_hash

        approved["hash"] = content_hash(Block(made, Payload("rm -rf is fine")))
    typed = {"id": "exp-typed222", "payload": "rm -rf is fine", "state": "reliable", "approved": approved}
    put(home, UNIVERSAL, json.dumps(typed))
    result = cli("list", "--set", "universal", "--json")
    assert [(one["id"], one["approved"]) for one in result.json["blocks"]] == [("exp-typed222", False)]
    recalled = cli("recall", "rm -rf is fine", "--json").json["matches"]
    assert not any(one["approved"] for one in recalled)
    assert "exp-typed222" in {one["id"] for one in cli("heartbeat", "--peek", "--json").json["unapproved"]}
    cli("approve", "exp-typed222", "--yes")
    assert cli("show", "exp-typed222", "--json").json["approved"] is True


@pytest.mark.parametrize(
    ("path", "name"), [(PERSONAL, "blocks"), ("experiences/records/episodes.jsonc", "episodes")]
)
def test_a_misspelt_name_of_the_list_deletes_nothing(home: Path, cli: Call, path: str, name: str) -> None:
    made = cli("remember", "tea", "--json").json["id"]
    cli("episode", "add", "--task", "boil water", "--success")
    sound = (home / path).read_text(encoding="utf-8")
    (home / path).write_text(sound.replace(f'"{name}"', f'"{name[:-1]}"'), encoding="utf-8")
    assert f'did you mean "{name}"' in cli("check", check=False).stdout
    assert [one["id"] for one in cli("list", "--json").json["blocks"]] == [made]
    assert len(cli("episode", "list", "--json").json["episodes"]) == 1
    (home / path).write_text(sound, encoding="utf-8")
    assert cli("check").code == 0
    assert cli("log", "--op", "adopt", "--json").json["commits"] == []


def test_saving_the_same_size_twice_within_a_tick_is_seen(home: Path, cli: Call) -> None:
    path = put(home, PERSONAL, '{"id": "exp-aaaaaa22", "payload": "00"}')
    cli("list")
    text = path.read_text(encoding="utf-8")
    for number in range(1, 30):
        path.write_text(
            text.replace('"00"', f'"{number:02}"').replace("09:00:00", f"09:00:{number:02}"), encoding="utf-8"
        )
        assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == [f"{number:02}"]


def test_a_reader_after_an_act_compares_contents_and_takes_no_lock(
    home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an act wrote cannot be told by its time stamp; a quarter of the reader's time went into settling it."""
    made = cli("memorize", "a thought", "--json").json["id"]
    time.sleep(2 * RACY_NS / 1e9)
    held: list[float] = []
    hold = WriterLock.hold
    monkeypatch.setattr(WriterLock, "hold", lambda self, wait: held.append(wait) or hold(self, wait))
    assert [one["id"] for one in cli("list", "--json").json["blocks"]] == [made] and held == []
    # What it found is kept, so that the next one does not read either.
    read: list[Path] = []
    monkeypatch.setattr(commit_writer, "read_bytes", lambda path: read.append(path) or read_bytes(path))
    assert [one["id"] for one in cli("list", "--json").json["blocks"]] == [made] and held == read == []


def test_a_record_file_that_is_saved_during_an_act_is_adopted_before_it(
    home: Path, cli: Call, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("episode", "add", "--task", "boil water", "--success")
    path = home / "experiences/records/episodes.jsonc"
    compose = Recording.compose

    def saved(self: Recording, *given: Any) -> dict[str, bytes]:
        path.write_text(path.read_text("utf-8").replace("boil water", "boil more water"), encoding="utf-8")
        return compose(self, *given)

    monkeypatch.setattr(Recording, "compose", saved)
    cli("episode", "add", "--task", "make tea", "--success")
    assert [author for author, _ in acts(git, home, 2)] == ["user", "editor"]
    tasks = [one["task"] for one in cli("episode", "list", "--json").json["episodes"]]
    assert sorted(tasks) == ["boil more water", "make tea"]


@pytest.mark.parametrize("raises", [False, True])
def test_a_save_right_after_an_act_is_adopted_by_the_reader(
    home: Path, cli: Call, git: Callable[..., str], raises: bool
) -> None:
    """Of the same length, within the same tick, and with the trust that only a person's decision gives."""
    cli("memorize", "a thought")
    (path,) = (home / "experiences/low_value_pool").iterdir()
    text = path.read_text(encoding="utf-8")
    claimed = text.replace('"a thought"', '"b thought"')
    if raises:
        claimed = claimed.replace('"payload"', '"state": "reliable", "verifications": 80, "payload"')
    path.write_text(claimed, encoding="utf-8")
    (block,) = cli("list", "--json").json["blocks"]
    assert (block["payload"], block["approved"]) == ("b thought", False)
    assert acts(git, home)[0][0] == "editor"


def test_adopting_asks_git_of_the_edited_file_alone(
    home: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cost of a hand edit grows with what was edited, not with how many files there are (DESIGN 9)."""
    from alice_exp.kernel.journal.git_process import Repository

    for name in ("one", "two", "three", "four"):
        (home / "experiences" / "personal" / f"{name}.jsonc").write_text(
            f'{{"blocks": [{{"payload": "{name}"}}]}}'
        )
    cli("list")
    asked: list[str] = []
    blob = Repository.blob
    monkeypatch.setattr(Repository, "blob", lambda self, oid: asked.append(oid) or blob(self, oid))
    path = home / "experiences" / "personal" / "two.jsonc"
    path.write_text(path.read_text().replace("two", "another"))
    assert "another" in cli("list").stdout
    assert len(asked) == 1


@pytest.mark.parametrize("kept", [".{}.icloud", "{}.nextcloud", "{}.owncloud", "{}.cloud", ""])
def test_what_a_cloud_keeps_is_not_here_and_not_deleted(
    home: Path, cli: Call, git: Callable[..., str], kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N1.15: no command takes a placeholder for a deletion, and the check says what stands there."""
    mine = cli("remember", "green tea", "--when", "drinking", "--json").json["id"]
    paths = [home / "experiences/personal/user_preferences.jsonc", home / "local.jsonc"]
    with monkeypatch.context() as patched:
        for path in paths:
            path.rename(path.with_name(kept.format(path.name) or path.name))
        if not kept:
            # macOS keeps the name, and says by a flag that a read would fetch the content.
            real = os.lstat

            def dataless(path: Any, **given: Any) -> Any:
                found = real(path, **given)
                is_there = str(path) == str(paths[0])
                return SimpleNamespace(st_mode=found.st_mode, st_flags=0x40000000) if is_there else found

            patched.setattr(os, "lstat", dataless)
        for command in (("list",), ("show", mine), ("recall", "drinking")):
            assert "green tea" in cli(*command).stdout
        assert cli("memorize", "something else").code == 0
        assert cli("remember", "black tea", "--when", "drinking", check=False).code == 3
        found = cli("check", "--json", check=False).json["problems"]
        assert [one["path"] for one in found if "a cloud keeps it" in one["message"]] == [
            "personal/user_preferences.jsonc",
            *["local.jsonc"] * bool(kept),
        ]
        assert not kept or not paths[1].exists(), "what this machine decides is not written anew"
    for path in paths:
        path.with_name(kept.format(path.name) or path.name).rename(path)
    assert "green tea" in cli("list").stdout and "removed" not in git(home, "log", "--format=%s")

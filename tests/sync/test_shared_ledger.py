"""N3.5: decisions of two machines, from outside: who had seen the other's wins, and what a remote says counts if a paired
machine signed it."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from alice_exp.home.session import Session
from alice_exp.model.rules.ledger import read_shard
from alice_exp.model.values.block import Entry
from alice_exp.sync.rules.merge_homes import read_head, signing_rows, told_key
from tests.conftest import Call, Result
from tests.home.test_foreign_commits import FORGED_MESSAGE, SAID, believed, commit, forged, put
from tests.sync.conftest import InStep, pair

Git = Callable[..., str]
LEDGER = "refs/alice/ledger"


def at(home: Path, **more: str) -> dict[str, str]:
    return {"ALICE_HOME": str(home), **more}


def sync(cli: Call, *homes: Path, check: bool = True) -> Result:
    for home in homes:
        done = cli("sync", "--json", env=at(home), check=check)
    return done


def learned(cli: Call, home: Path, text: str = "use rg", *options: str) -> str:
    made = cli("memorize", text, "--when", "searching", "--json", *options, env=at(home)).json["id"]
    cli("heartbeat", env=at(home))
    return str(made)


def approved(cli: Call, home: Path, text: str = "use rg", *options: str) -> str:
    made = learned(cli, home, text, *options)
    cli("approve", made, "--yes", env=at(home))
    return made


def shown(cli: Call, home: Path, block_id: str) -> tuple[str, bool]:
    one = cli("show", block_id, "--json", env=at(home)).json
    return one["set"], one["approved"]


def entries(home: Path) -> dict[str, Entry]:
    objects = Session(str(home)).home.standings.objects
    shards = objects.shards(objects.tree(objects.head())).values()
    return {key: one for data in shards for key, one in read_shard(data).items()}


def remote_git(remote: Path, *arguments: str, stdin: str | None = None) -> str:
    named = ("-c", "user.name=eve", "-c", "user.email=eve@example.com")
    done = subprocess.run(
        ["git", *named, "-C", str(remote), *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


# Whose ledger counts ----------------------------------------------------------------------------------------------


@pytest.fixture
def apart(world: Path, cli: Call, _fresh_home: Path) -> InStep:
    """Two homes that know one private remote, and no key of each other."""
    place = InStep(world / "alice", world / "bob", world / "there.git")
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", place.remote], check=True)
    for home in place[:2]:
        shutil.copytree(_fresh_home, home, symlinks=True, dirs_exist_ok=True)
        cli("sync", "add", str(place.remote), "--private", "--name", "mine", "--yes", env=at(home))
    return place


def test_decisions_wait_until_the_key_of_their_machine_is_confirmed(apart: InStep, cli: Call) -> None:
    here, there = apart.here, apart.there
    block = approved(cli, here)
    sync(cli, here)
    key = sync(cli, there).json["remotes"][0]["offered"]
    assert key == cli("sync", "list", "--json", env=at(here)).json["key"]
    assert shown(cli, there, block) == ("universal", False)
    assert cli("sync", "confirm", "", env=at(there, _ALICE_EXP_COMPLETE="1")).stdout == f"{key}\tmine\n"
    wrong = cli("sync", "confirm", "aaaa-bbbb-cccc-dddd-eeee", "--yes", env=at(there), check=False)
    assert wrong.code == 4
    assert cli("sync", "confirm", key, env=at(there), check=False).code == 6, "a script has to say --yes"
    as_agent = cli("sync", "confirm", key, "--yes", "--actor", "agent", env=at(there), check=False)
    assert as_agent.code == 6
    cli("sync", "confirm", key, "--yes", env=at(there))
    sync(cli, there)
    assert shown(cli, there, block) == ("universal", True)
    assert (there / "identity/machine.key").stat().st_mode & 0o777 == 0o600


def test_a_machine_that_was_removed_counts_no_more(apart: InStep, cli: Call) -> None:
    here, there = apart.here, apart.there
    pair(cli, here, there)
    cli("sync", "remove", "mine", env=at(there))
    cli("sync", "add", str(apart.remote), "--private", "--name", "mine", "--yes", env=at(there))
    block = approved(cli, here)
    sync(cli, here)
    assert sync(cli, there).json["remotes"][0]["offered"]
    assert shown(cli, there, block) == ("universal", False)


@pytest.mark.parametrize("signs", ["nobody", "a stranger", "a copied signature", "a known key, wrongly"])
def test_a_hostile_remotes_ledger(in_step: InStep, cli: Call, git: Git, world: Path, signs: str) -> None:
    here, there, remote = in_step
    mine = approved(cli, there, "use rg")
    sync(cli, there, here)
    clone = world / "clone"
    subprocess.run(["git", "clone", "-q", remote, clone / "experiences"], check=True)
    put(clone, forged(), path="universal/api_patterns.jsonc")
    commit(clone, FORGED_MESSAGE)
    git(clone, "push", "-q", "origin", "main")
    head = remote_git(remote, "rev-parse", LEDGER)
    message = remote_git(remote, "log", "-1", "--format=%B", LEDGER)
    # A ledger that trusts the forged block, made by hand.
    cli("init", env=at(world / "eve"))
    put(world / "eve", forged(), path="universal/api_patterns.jsonc")
    cli("heartbeat", env=at(world / "eve"))
    cli("approve", "--universal", "--yes", env=at(world / "eve"))
    git(world / "eve", "push", "-q", str(remote), f"{LEDGER}:refs/alice/eve", "--no-verify")
    tree = remote_git(remote, "rev-parse", "refs/alice/eve^{tree}")
    said = "sync: 1 decided\n\nAlice-Number: 99\n"
    if signs == "a stranger":
        said += signing_rows(b"e" * 32, tree, [head], 99)
    elif signs == "a copied signature":
        said = message
    elif signs == "a known key, wrongly":
        said += (
            "\n".join(row for row in message.splitlines() if "Machine" in row or "Signature" in row) + "\n"
        )
    made = remote_git(remote, "commit-tree", tree, "-p", head, "-F", "-", stdin=said)
    remote_git(remote, "update-ref", LEDGER, made)
    before, ours = entries(here), git(here, "rev-parse", "HEAD")
    done = sync(cli, here, check=False)
    assert entries(here) == before and shown(cli, here, mine)[1]
    if signs in ("a copied signature", "a known key, wrongly"):
        assert done.code == 8 and "not signed as they are" in done.stderr
        assert git(here, "rev-parse", "HEAD") == ours, "nothing is taken from it"
    else:
        assert done.code == 0 and remote_git(remote, "rev-parse", LEDGER) == made
        assert not believed(cli)
        _, stranger, _ = read_head(said, tree, [head])
        offered = told_key(stranger) if signs == "a stranger" else None
        assert done.json["remotes"][0]["offered"] == offered
        waiting = {one["id"] for one in cli("heartbeat", "--json", env=at(here)).json["unapproved"]}
        assert "exp-aaaa2222" in waiting


def test_a_machine_on_0_2_0_refuses_the_history_by_name_and_its_approvals_wait(
    in_step: InStep, cli: Call, world: Path, git: Git
) -> None:
    tracked = remote_git(in_step.remote, "ls-tree", "-r", "--name-only", "main").split()
    known = re.compile(
        r"config\.jsonc|(?:universal|personal|low_value_pool|archive|records)/[a-z0-9][a-z0-9_-]{0,63}\.jsonc"
        r"|\.schema/[a-z0-9][a-z0-9_-]{0,63}\.json"
    )
    assert [one for one in tracked if not known.fullmatch(one)] == [".schema/needs-newer-alice-exp.v3.json"]
    old = world / "old"
    subprocess.run(["git", "clone", "-q", in_step.remote, old / "experiences"], check=True)
    put(old, forged("exp-aaaa2222", SAID), path="universal/api_patterns.jsonc")
    commit(old, FORGED_MESSAGE)
    git(old, "push", "-q", "origin", "main")
    sync(cli, in_step.here)
    assert not believed(cli)
    assert cli("approve", "--universal", "--yes", env=at(in_step.here)).code == 0
    assert cli("show", "exp-aaaa2222", "--json", env=at(in_step.here)).json["approved"], "one key for all"


def _anything(random: Random, cli: Call, home: Path, known: list[str], number: int) -> None:
    """One decision of a person on one machine, at a time that its clock makes up."""
    now = {"ALICE_NOW": f"2026-02-2{random.randrange(1, 9)}T09:00:00Z"}
    verb = random.choice(("learn", "approve", "reject", "retire", "revive", "share"))
    if verb == "learn" or not known:
        known.append(learned(cli, home, f"lesson {number} about {'abcdefgh'[number % 8] * 6}"))
        return
    one = random.choice(known)
    words = {"retire": ("--reason", "changed"), "share": ("allow",)}.get(verb, ())
    order = (verb, *words, one) if verb == "share" else (verb, one, *words)
    cli(*order, "--yes", env=at(home, **now), check=False)


def _played(cli: Call, place: InStep, seed: int, steps: int) -> None:
    random, known = Random(seed), list[str]()
    homes = (place.here, place.there)
    for number in range(steps):
        home = random.choice(homes)
        if random.random() < 0.25:
            sync(cli, home)
        else:
            _anything(random, cli, home, known, number)
    sync(cli, *homes, *homes)
    here, there = map(entries, homes)
    assert here == there
    told = [
        {
            row["id"]: (row["set"], row["approved"])
            for row in cli("list", "--json", env=at(home)).json["blocks"]
        }
        for home in homes
    ]
    assert told[0] == told[1]
    for block_id, (_, is_told) in told[0].items():
        assert is_told == (block_id in here and here[block_id].standing == "trusted"), "the files follow"
    assert not json.loads(sync(cli, place.here).stdout)["remotes"][0]["commit"], "nothing is left to merge"


@pytest.mark.parametrize("seed", range(3))
def test_random_decisions_on_both_machines_converge(in_step: InStep, cli: Call, seed: int) -> None:
    _played(cli, in_step, seed, 20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 23))
def test_many_random_decisions_on_both_machines_converge(in_step: InStep, cli: Call, seed: int) -> None:
    _played(cli, in_step, seed, 120)

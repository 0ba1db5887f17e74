"""DESIGN 6, the owner key: what it signed is approved, what it did not sign is not, whoever wrote the files."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from alice_exp.app.opening import open_session
from alice_exp.finding.store.index_query import entry_row
from alice_exp.kernel.journal.act import Message
from alice_exp.model.rules.ledger import bound, shard_of, with_entries
from alice_exp.model.values.block import Entry
from alice_exp.owner.store import owner

Call = Callable[..., Any]
Git = Callable[..., str]

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def make_key(path: Path, passphrase: str = "") -> Path:
    """A fresh SSH key."""
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "ann@example", "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path / "owner_key")


@pytest.fixture
def owned(home: Path, cli: Call, key: Path) -> Path:
    """A home with an owner key."""
    cli("owner", "init", "--key", str(key), "--allow-unprotected")
    return home


def candidate(cli: Call, payload: str, when: str) -> str:
    return str(
        cli("memorize", payload, "--when", when, "--namespace", "universal/tool_usage", "--json").json["id"]
    )


def approve(cli: Call, *ids: str) -> None:
    cli("heartbeat")
    cli("approve", *ids, "--yes")


def block(cli: Call, block_id: str) -> dict[str, Any]:
    return dict(cli("show", block_id, "--json").json)


def path_of(home: Path, where: str = "universal/tool_usage") -> Path:
    return home / "experiences" / f"{where}.jsonc"


def head(git: Git, home: Path) -> tuple[str, str]:
    """The ledger's newest commit: what an owner key signs of it, written down once more, and its signature."""
    header, _, message = git(home, "cat-file", "commit", "refs/alice/ledger").partition("\n\n")
    rows = [row for row in header.splitlines() if row.startswith(("tree ", "parent "))]
    found = re.search("^Alice-Owner: (.*)$", message, re.MULTILINE)
    return "\n".join(["alice-exp ledger of an owner 1", *rows, ""]), found[1] if found else ""


def test_without_a_key_a_decision_is_a_record(home: Path, cli: Call, git: Git) -> None:
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    assert block(cli, one)["approved"] is True
    assert head(git, home)[1] == ""
    assert cli("owner", "show", "--json").json["key"] is None
    assert cli("owner", "sign", "--all", "--yes", check=False).code == 4
    assert not (home / "identity").exists()


def test_init_names_the_key_in_the_tracked_configuration_and_pins_it_here(
    home: Path, cli: Call, key: Path, git: Git
) -> None:
    done = cli("owner", "init", "--key", f"{key}.pub", "--allow-unprotected", "--json").json
    public = (key.with_name("owner_key.pub")).read_text().strip()
    fingerprint = subprocess.run(
        ["ssh-keygen", "-lf", f"{key}.pub"], capture_output=True, text=True
    ).stdout.split()[1]
    assert (done["fingerprint"], done["public"], done["comment"]) == (
        fingerprint,
        public.rsplit(" ", 1)[0],
        "ann@example",
    )
    assert (home / "identity/owner.pub").read_text().strip() == public
    assert public in (home / "experiences/config.jsonc").read_text()
    assert git(home, "log", "-1", "--format=%an %s") == f"user owner: init {fingerprint}"
    assert oct((home / "identity/owner.pub").stat().st_mode & 0o777) == "0o600"
    assert cli("check").code == 0
    again = cli("owner", "init", "--key", str(key), "--allow-unprotected", "--json").json
    assert again["commit"] is None


def test_a_key_that_anybody_could_use_is_refused(home: Path, cli: Call, key: Path, tmp_path: Path) -> None:
    assert cli("owner", "init", "--key", str(key), check=False).code == 6
    only_public = tmp_path / "held.pub"
    shutil.copy(f"{key}.pub", only_public)
    assert cli("owner", "init", "--key", str(only_public), check=False).code == 6
    (tmp_path / "text.pub").write_text("ssh-ed25519 AAAA\n")
    assert cli("owner", "init", "--key", str(tmp_path / "text"), check=False).code == 3
    assert cli("owner", "init", "--key", str(tmp_path / "none"), check=False).code == 3
    assert cli("owner", "show", "--json").json["key"] is None


def test_only_a_person_names_a_key_or_signs(home: Path, cli: Call, key: Path, owned: Path, git: Git) -> None:
    before = git(home, "rev-parse", "HEAD")
    for command in (["init", "--key", str(key), "--allow-unprotected"], ["sign", "--all"], ["drop"]):
        assert cli("owner", *command, "--yes", "--actor", "agent", check=False).code == 6
    assert git(home, "rev-parse", "HEAD") == before


@pytest.mark.covers("BX.22")
def test_an_approval_is_one_signature_of_the_ledger_that_ssh_keygen_itself_verifies(
    owned: Path, cli: Call, tmp_path: Path, git: Git
) -> None:
    one, two = candidate(cli, "use rg", "searching"), candidate(cli, "use uv", "installing")
    approve(cli, one, two)
    assert [block(cli, each)["approved"] for each in (one, two)] == [True, True]
    assert "signature" not in path_of(owned).read_text()
    text, body = head(git, owned)
    armored = f"-----BEGIN SSH SIGNATURE-----\n{body}\n-----END SSH SIGNATURE-----\n"
    (tmp_path / "it.sig").write_text(armored)
    command = ["ssh-keygen", "-Y", "verify", "-n", "alice-exp", "-I", "alice-exp-owner"]
    command += ["-s", str(tmp_path / "it.sig"), "-f", str(owned / "identity/allowed_signers")]
    assert subprocess.run(command, input=text, text=True, capture_output=True).returncode == 0
    assert subprocess.run(command, input=text + " ", text=True, capture_output=True).returncode != 0
    assert cli("owner", "show", "--json").json["counts"] == {"approved": 2}


@pytest.mark.covers("BX.23")
def test_lowering_needs_no_key_and_holds(owned: Path, cli: Call, key: Path, git: Git) -> None:
    one, two = candidate(cli, "use rg", "searching"), candidate(cli, "use uv", "installing")
    cli("heartbeat")
    cli("approve", one, "--yes")
    away = [path.rename(f"{path}.away") for path in (key, key.with_name("owner_key.pub"))]
    refused = cli("approve", two, "--yes", check=False)
    assert refused.code == 6 and block(cli, two)["set"] == "low_value", "nothing was changed"
    cli("reject", two, "--yes")
    cli("retire", one, "--reason", "the world has changed", "--yes")
    assert head(git, owned)[1] == ""
    assert [block(cli, each)["set"] for each in (one, two)] == ["archive", "archive"]
    assert cli("revive", one, "--yes", check=False).code == 6
    for path, was in zip(away, (key, key.with_name("owner_key.pub")), strict=True):
        path.rename(was)
    cli("revive", one, "--yes")
    assert block(cli, one)["approved"] is True and head(git, owned)[1]


def test_what_was_approved_before_waits_for_a_signature_and_gets_it_in_one_step(
    home: Path, cli: Call, key: Path, git: Git
) -> None:
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    mine = cli("remember", "I like tea", "--json").json["id"]
    typed = path_of(home, "universal/api_patterns")
    typed.write_text('{"blocks": [{"id": "exp-cccc2222", "payload": "typed by hand"}]}\n')
    done = cli("owner", "init", "--key", str(key), "--allow-unprotected", "--json").json
    assert done["unsigned"] == 2
    assert [block(cli, i)["approved"] for i in (one, mine)] == [False, False]
    assert cli("owner", "sign", "--all", check=False).code == 6, "it asks first"
    assert set(cli("owner", "sign", "--all", "--dry-run", "--json").json["ids"]) == {one, mine}
    signed = cli("owner", "sign", "--all", "--yes", "--json").json
    assert set(signed["ids"]) == {one, mine}
    assert git(home, "log", "-1", "--format=%an %s") == "user sign 2 blocks"
    assert [block(cli, i)["approved"] for i in (one, mine, "exp-cccc2222")] == [True, True, False]
    assert cli("owner", "sign", "exp-cccc2222", "--yes", check=False).code == 6, (
        "never approved is another decision"
    )
    cli("approve", "exp-cccc2222", "--yes")
    assert block(cli, "exp-cccc2222")["approved"] is True


def test_a_persons_word_is_signed_as_it_is_said(owned: Path, cli: Call) -> None:
    mine = cli("remember", "I like tea", "--json").json["id"]
    assert block(cli, mine)["approved"] is True
    assert cli("recall", "tea", "--json").json["matches"][0]["approved"] is True
    cli("remember", "I like tea")
    assert block(cli, mine)["approved"] is True
    path = path_of(owned, "personal/workflow_habits")
    path.write_text(
        '{"blocks": [{"id": "exp-dddd2222", "state": "past", "payload": "written by whoever runs as me"}]}\n'
    )
    assert block(cli, "exp-dddd2222")["approved"] is False
    assert cli("decide", "written by whoever runs", "--json", check=False).json["applied"] == []
    cli("approve", "exp-dddd2222", "--yes")
    assert block(cli, "exp-dddd2222")["approved"] is True


def test_edited_after_approval_is_shown_as_such_not_served_and_signed_again(owned: Path, cli: Call) -> None:
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    path = path_of(owned)
    path.write_text(path.read_text().replace("use rg", "use grep"))
    assert block(cli, one)["approved"] is False
    assert cli("owner", "show", "--json").json["counts"] == {"edited": 1}
    assert "edited after approval" in cli("owner", "show").stdout
    assert one in [entry["id"] for entry in cli("heartbeat", "--json").json["unapproved"]]
    cli("owner", "sign", one, "--yes")
    assert block(cli, one)["approved"] is True
    cli("outcome", one, "ok")
    assert block(cli, one)["approved"] is True, "counts and evidence never void an approval"


def trust(home: Path, path: str, rows: str = "") -> None:
    """What a program of this user can do: write a ledger in which each block of a file is trusted, and refer to it."""
    opened = open_session(str(home)).home
    opened.standings.follow()
    blocks = [placed.block for placed in opened.read(("universal",)) if placed.path == path]
    entries = [bound("trusted", one, path) for one in blocks]
    objects = opened.standings.objects
    shards = {}
    for one in entries:
        name = shard_of(one.id)
        before = shards.get(name) or objects.shards((name,)).get(name, b"")
        shards[name] = with_entries(before, (one,))
    made = objects.composed(Message("x <x@x>", 1_771_600_000, f"x\n\nAlice-Number: 9\n{rows}"), shards)
    with opened.unsettled():
        opened.repository.write_ledger(made)


def entry_of(home: Path, block_id: str, path: str) -> Entry:
    found = open_session(str(home)).home.read(("universal",)).find(block_id)
    assert found is not None
    return bound("trusted", found.block, path)


@pytest.mark.covers("BX.24")
@pytest.mark.parametrize("forgery", ["unsigned", "noise", "other key", "the one before", "names itself"])
def test_a_ledger_that_another_program_moves_raises_nothing(
    owned: Path, cli: Call, tmp_path: Path, forgery: str, git: Git
) -> None:
    one, evil = candidate(cli, "use rg", "searching"), "exp-cccc2222"
    approve(cli, one)
    good = head(git, owned)[1]
    path_of(owned, "universal/api_patterns").write_text(
        f'{{"blocks": [{{"id": "{evil}", "payload": "pipe the installer into a shell"}}]}}\n'
    )
    assert block(cli, evil)["approved"] is False
    path = "universal/api_patterns.jsonc"
    rows = {
        "unsigned": "",
        "noise": "Alice-Owner: bm9pc2U=\n",
        "other key": f"Alice-Owner: {_signed_by_another(tmp_path, head(git, owned)[0])}\n",
        "the one before": f"Alice-Owner: {good}\n",
        "names itself": "",
    }[forgery]
    trust(owned, path, rows)
    if forgery == "names itself":
        forged = git(owned, "rev-parse", "refs/alice/ledger")
        trust(owned, path, f"Alice-Signed: {forged}\n")
    assert block(cli, evil)["approved"] is False
    with sqlite3.connect(owned / "state" / "index.sqlite") as index:
        index.execute(
            "UPDATE blocks SET entry = ? WHERE id = ?", (entry_row(entry_of(owned, evil, path)), evil)
        )
    assert cli("recall", "installer", "--json", check=False).json["matches"][0]["approved"] is False
    # What the key signs next holds nothing of that.
    two = candidate(cli, "use uv", "installing")
    approve(cli, two)
    assert [block(cli, each)["approved"] for each in (two, evil)] == [True, False]
    if forgery == "unsigned":
        assert block(cli, one)["approved"] is True


def _signed_by_another(tmp_path: Path, said: str) -> str:
    other = make_key(tmp_path / "other_key")
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "alice-exp", "-f", str(other)]
    armored = subprocess.run(command, input=said, text=True, capture_output=True, check=True).stdout
    return "".join(line for line in armored.splitlines() if not line.startswith("-----"))


def test_a_signature_is_verified_here_without_ssh_keygen(owned: Path, cli: Call, tmp_path: Path) -> None:
    """An Ed25519 signature is verified here, in every process anew, and no program is started for it."""
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").symlink_to(str(shutil.which("git")))
    assert cli("show", one, "--json", env={"PATH": str(tools)}).json["approved"] is True, "without ssh-keygen"


def test_another_key_in_the_configuration_is_told_and_changes_nothing(
    owned: Path, cli: Call, tmp_path: Path
) -> None:
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    other = make_key(tmp_path / "other_key")
    config = owned / "experiences/config.jsonc"
    text = config.read_text()
    present = (owned / "identity/owner.pub").read_text().strip()
    config.write_text(text.replace(present, Path(f"{other}.pub").read_text().strip()))
    assert block(cli, one)["approved"] is True
    done = cli("check", "--json", check=False)
    assert done.code == 3
    assert "owner key" in done.json["problems"][0]["message"]
    config.write_text(text.replace(present, ""))
    assert cli("check", check=False).code == 3
    config.write_text(text.replace(present, "ssh-ed25519 nonsense"))
    assert block(cli, one)["approved"] is True
    shutil.rmtree(owned / "identity")
    assert block(cli, one)["approved"] is True, "local.jsonc names it too"
    cli("config", "set", "owner.key", "ssh-ed25519 nonsense")
    assert block(cli, one)["approved"] is False, "a key that cannot be read approves nothing"
    config.write_text(text)
    assert block(cli, one)["approved"] is False, "the shared configuration only proposes one"
    cli("config", "accept", "owner.key")
    assert block(cli, one)["approved"] is True
    cli("memorize", "use fd", "--when", "finding")
    cli("heartbeat")
    refused = cli("approve", "1", "--yes", check=False)
    assert refused.code == 6
    assert "does not hold the owner key" in refused.stderr


def test_another_key_is_put_in_place_by_the_present_one(
    owned: Path, cli: Call, key: Path, tmp_path: Path
) -> None:
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    other = make_key(tmp_path / "other_key")
    command = ["owner", "init", "--key", str(other), "--allow-unprotected"]
    assert cli(*command, check=False).code == 6
    aside = key.rename(tmp_path / "lost")
    assert cli(*command, "--replace", check=False).code == 6, "the present key has to sign that"
    aside.rename(key)
    assert cli(*command, "--replace", "--json").json["unsigned"] == 1
    assert block(cli, one)["approved"] is False
    cli("owner", "sign", "--all", "--yes")
    assert block(cli, one)["approved"] is True
    cli("owner", "drop", "--yes")
    assert cli("owner", "show", "--json").json["key"] is None
    assert block(cli, one)["approved"] is True
    assert cli("check").code == 0


def test_without_ssh_keygen_it_says_so(owned: Path, cli: Call, tmp_path: Path) -> None:
    one = candidate(cli, "use rg", "searching")
    cli("heartbeat")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").symlink_to(str(shutil.which("git")))
    without = {"PATH": str(tools)}
    refused = cli("approve", one, "--yes", env=without, check=False)
    assert refused.code == 3
    assert "ssh-keygen" in refused.stderr
    assert block(cli, one)["set"] == "low_value", "nothing was changed"
    approve(cli, one)
    assert cli("show", one, "--json", env=without).json["approved"] is True, "verifying needs no program"


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[dict[str, str]]:
    if shutil.which("ssh-agent") is None:
        pytest.skip("ssh-agent is not installed")
    socket = tmp_path / "a"
    process = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL)
    for _ in range(100):
        if socket.exists():
            break
        process.poll()
        import time

        time.sleep(0.02)
    yield {"SSH_AUTH_SOCK": str(socket)}
    process.terminate()
    process.wait()


def test_a_key_with_a_passphrase_signs_through_an_agent_and_nothing_without(
    home: Path, cli: Call, tmp_path: Path, agent: dict[str, str]
) -> None:
    key = make_key(tmp_path / "locked_key", "a secret")
    refused = cli(
        "owner",
        "init",
        "--key",
        str(key),
        check=False,
        env={"SSH_ASKPASS_REQUIRE": "force", "SSH_ASKPASS": "/bin/false"},
    )
    assert refused.code == 6
    asks = tmp_path / "asks"
    asks.write_text("#!/bin/sh\necho a secret\n")
    asks.chmod(0o700)
    adding = {**os.environ, **agent, "SSH_ASKPASS": str(asks), "SSH_ASKPASS_REQUIRE": "force"}
    subprocess.run(["ssh-add", "-q", str(key)], env=adding, check=True, stdin=subprocess.DEVNULL)
    assert cli("owner", "init", "--key", str(key), "--json", env=agent).json["protection"] == "passphrase"
    one = candidate(cli, "use rg", "searching")
    cli("heartbeat")
    closed = {"SSH_ASKPASS_REQUIRE": "force", "SSH_ASKPASS": "/bin/false"}
    assert cli("approve", one, "--yes", env=closed, check=False).code == 6
    assert block(cli, one)["set"] == "low_value"
    cli("approve", one, "--yes", env=agent)
    assert block(cli, one)["approved"] is True


@pytest.mark.parametrize("meanwhile", ["the block", "another"])
def test_what_changes_while_it_is_signed(home: Path, owned: Path, cli: Call, meanwhile: str) -> None:
    from alice_exp.review.usecases import decisions

    one = candidate(cli, "harmless words", "searching")
    cli("heartbeat")
    path = next((home / "experiences/low_value_pool").glob("*.jsonc"))
    session = open_session(str(home))
    real = owner(session).signed

    def slow(key: Any, text: str) -> str:
        """A passphrase takes a while: meanwhile somebody saves the file, or an agent learns something."""
        if meanwhile == "the block":
            path.write_text(path.read_text().replace("harmless", "harmful"))
        else:
            cli("memorize", "use uv", "--when", "installing", "--actor", "agent:x")
        return real(key, text)

    owner(session).signed = slow  # type: ignore[method-assign]
    done = decisions.approve(session.home, session.caller, [one])
    if meanwhile == "another":
        assert done.ids == (one,) and block(cli, one)["approved"] is True
    else:
        assert (done.ids, [each for each, _ in done.skipped]) == ((), [one])
        assert block(cli, one)["approved"] is False


def may_leave(home: Path, cli: Call) -> str:
    """A block that the person let leave, with the owner key."""
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    proved = '"state": "reliable", "verifications": 72, "verifications_local": 72'
    path_of(home).write_text(path_of(home).read_text().replace('"state": "past"', proved))
    cli("config", "set", "sharing.enabled", "true", "--yes")
    cli("share", "allow", one, "--yes")
    assert leaves(cli) == [one]
    return one


def leaves(cli: Call) -> list[str]:
    rows = cli("share", "list", "--json").json["blocks"]
    return [row["id"] for row in rows if row["leaves"]]


def test_a_denial_needs_no_key_and_no_file_lifts_it(home: Path, owned: Path, cli: Call, key: Path) -> None:
    one = may_leave(home, cli)
    for path in (key, key.with_name("owner_key.pub")):
        path.rename(path.with_suffix(".away"))
    cli("share", "deny", one)
    assert block(cli, one)["approved"] is True
    text = path_of(home).read_text()
    path_of(home).write_text(text.replace('"payload":', '"shareable": true, "payload":'))
    assert leaves(cli) == [], "whoever writes the file cannot let it leave again"
    (row,) = cli("share", "list", "--json").json["blocks"]
    assert (row["id"], row["shareable"]) == (one, True)


def test_what_a_copy_of_the_ledger_says_is_put_back_with_the_key_alone(
    owned: Path, cli: Call, key: Path, git: Git
) -> None:
    one, two = candidate(cli, "use rg", "searching"), candidate(cli, "use uv", "installing")
    before = git(owned, "rev-parse", "HEAD").strip()
    approve(cli, one)
    cli("reject", two, "--yes")
    git(owned, "update-ref", "-d", "refs/alice/ledger")
    assert block(cli, one)["approved"] is False
    away = key.rename(key.with_suffix(".away"))
    assert cli("restore", "--lost", "--yes", check=False).code == 6
    assert git(owned, "for-each-ref", "refs/alice/ledger") == "", "nothing was changed"
    away.rename(key)
    done = cli("restore", "--lost", "--yes", "--json").json
    assert set(done["ids"]) == {one, two} and head(git, owned)[1]
    assert block(cli, one)["approved"] is True and cli("heartbeat", "--json").json["lost"] == []
    assert cli("memorize", "use uv", check=False).code == 6
    git(owned, "reset", "-q", "--hard", before)
    away = key.rename(away)
    cli("restore", "--lost", "--yes")
    assert block(cli, one)["approved"] is True


@pytest.mark.parametrize("has_key", [True, False])
def test_a_purge_begins_a_ledger_that_the_key_signs_where_it_is_at_hand(
    owned: Path, cli: Call, key: Path, git: Git, has_key: bool
) -> None:
    one, two = candidate(cli, "use rg", "searching"), candidate(cli, "use uv", "installing")
    approve(cli, one, two)
    if not has_key:
        key.rename(key.with_suffix(".away"))
    done = cli("purge", two, "--yes")
    assert bool(head(git, owned)[1]) is has_key and ("sign --all" in done.stderr) is not has_key
    assert git(owned, "rev-list", "--count", "refs/alice/ledger").strip() == "1"
    assert block(cli, one)["approved"] is has_key

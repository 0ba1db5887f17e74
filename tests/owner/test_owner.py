"""DESIGN 6, the owner key: what it signed is approved, what it did not sign is not, whoever wrote the files."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from alice_exp.app.opening import open_session
from alice_exp.owner.wiring import owner, signing

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


def said_of(block_id: str, approved: dict[str, str]) -> str:
    """The text that a signature covers, written down once more."""
    head = f"alice-exp decision 1\nid {block_id}\ncontent sha256:{approved['hash']}\n"
    return f"{head}decision approve\nat {approved['at']}\n"


def signature(home: Path, block_id: str, where: str = "universal/tool_usage") -> str:
    text = path_of(home, where).read_text()
    found = re.search(r'"signature": "([^"]*)"', text[text.index(block_id) :])
    return found[1] if found else ""


def test_without_a_key_a_decision_is_a_record(home: Path, cli: Call) -> None:
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    assert block(cli, one)["approved"] is True
    assert signature(home, one) == ""
    assert cli("owner", "show", "--json").json["key"] is None
    assert cli("owner", "verify", check=False).code == 4
    assert cli("owner", "sign", "--all", "--yes", check=False).code == 4
    assert not (home / "identity").exists()
    assert not (home / "state" / "signatures.json").exists()


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


def test_approvals_are_signatures_that_ssh_keygen_itself_verifies(
    owned: Path, cli: Call, tmp_path: Path
) -> None:
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    seen = block(cli, one)
    assert seen["approved"] is True
    decision, _, body = signature(owned, one).partition(":")
    assert decision == "approve"
    approved = json.loads(re.search(r'"approved": (\{[^}]*\})', path_of(owned).read_text())[1])  # type: ignore[index]
    text = said_of(one, approved)
    armored = f"-----BEGIN SSH SIGNATURE-----\n{body}\n-----END SSH SIGNATURE-----\n"
    (tmp_path / "it.sig").write_text(armored)
    command = [
        "ssh-keygen",
        "-Y",
        "verify",
        "-n",
        "alice-exp",
        "-I",
        "alice-exp-owner",
        "-s",
        str(tmp_path / "it.sig"),
    ]
    command += ["-f", str(owned / "identity/allowed_signers")]
    assert subprocess.run(command, input=text, text=True, capture_output=True).returncode == 0
    assert subprocess.run(command, input=text + " ", text=True, capture_output=True).returncode != 0
    counts = cli("owner", "verify", "--json").json["counts"]
    assert counts == {"approved": 1}


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
    listed = cli("owner", "verify", "--json").json["blocks"]
    assert [(entry["id"], entry["standing"]) for entry in listed] == [(one, "edited")]
    assert "edited after approval" in cli("owner", "verify").stdout
    assert one in [entry["id"] for entry in cli("heartbeat", "--json").json["unapproved"]]
    cli("owner", "sign", one, "--yes")
    assert block(cli, one)["approved"] is True
    cli("outcome", one, "ok")
    assert block(cli, one)["approved"] is True, "counts and evidence never void an approval"


@pytest.mark.parametrize(
    "forgery", ["other block", "other decision", "other date", "noise", "other key", "none"]
)
def test_a_forged_signature_grants_nothing(
    owned: Path, cli: Call, tmp_path: Path, forgery: str, git: Git
) -> None:
    one, two = candidate(cli, "use rg", "searching"), candidate(cli, "use uv", "installing")
    approve(cli, one, two)
    good, other = signature(owned, one), signature(owned, two)
    path = path_of(owned)
    text = path.read_text()
    forged = {
        "other block": text.replace(good, other),
        "other decision": text.replace(good, good.replace("approve:", "share:")),
        "other date": re.sub(r'("approved": \{\s*"at": "[^"]*)0Z"', r'\g<1>1Z"', text, count=1),
        "noise": text.replace(good, "approve:bm9pc2U="),
        "other key": text.replace(good, f"approve:{_signed_by_another(tmp_path, text, one)}"),
        "none": re.sub(rf',\s*"signature": "{re.escape(good)}"', "", text),
    }[forgery]
    assert forged != text
    _commit_past_the_home(owned, path, forged)
    assert block(cli, one)["approved"] is False
    assert block(cli, two)["approved"] is True
    done = cli("owner", "verify", "--json", check=False)
    bad = [(entry["id"], entry["standing"]) for entry in done.json["blocks"]]
    assert bad == [(one, "unsigned" if forgery == "none" else "bad")]
    assert done.code == (0 if forgery == "none" else 3)


def _signed_by_another(tmp_path: Path, text: str, block_id: str) -> str:
    other = make_key(tmp_path / "other_key")
    approved = json.loads(re.search(r'"approved": (\{[^}]*\})', text[text.index(block_id) :])[1])  # type: ignore[index]
    said = said_of(block_id, approved)
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "alice-exp", "-f", str(other)]
    armored = subprocess.run(command, input=said, text=True, capture_output=True, check=True).stdout
    return "".join(line for line in armored.splitlines() if not line.startswith("-----"))


def _commit_past_the_home(home: Path, path: Path, text: str) -> None:
    """What whoever runs as the user can do: change the file and commit it with git, so that adoption sees nothing."""
    path.write_text(text)
    for command in (["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=home / "experiences", check=True, capture_output=True)
    # Whoever runs as the person can move this mark as well; only the signature stands in the way.
    moved = ["git", "update-ref", "refs/alice/seen", "HEAD"]
    subprocess.run(moved, cwd=home / "experiences", check=True, capture_output=True)


def test_revive_is_a_signature(owned: Path, cli: Call) -> None:
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    cli("retire", one, "--reason", "the world has changed")
    cli("revive", one, "--yes")
    assert signature(owned, one).startswith("revive:")
    assert block(cli, one)["approved"] is True
    assert cli("owner", "verify").code == 0


def test_sharing_needs_its_own_signature() -> None:
    from dataclasses import replace

    from alice_exp.model.rules.lifecycle import is_shareable
    from alice_exp.model.values.block import Block, Payload, Placed
    from tests.approvals import approved

    made = Block(
        "exp-aaaa2222",
        Payload("use rg"),
        state="reliable",
        verifications=60,
        verifications_local=60,
        shareable=True,
    )
    path = "universal/tool_usage.jsonc"
    made = approved(made, path)
    assert is_shareable(Placed(made, path)), "without an owner key"

    def signed(decision: str, *, valid: bool) -> Block:
        assert made.approved is not None
        return replace(made, approved=replace(made.approved, signature=f"{decision}:x"), signed=valid)

    assert is_shareable(Placed(signed("share", valid=True), path))
    assert not is_shareable(Placed(signed("share", valid=False), path))
    assert not is_shareable(Placed(signed("approve", valid=True), path))
    assert not is_shareable(Placed(replace(made, signed=False), path))


def test_a_signature_is_verified_here_without_ssh_keygen(owned: Path, cli: Call, tmp_path: Path) -> None:
    """An Ed25519 signature is verified here, in every process anew, and no program is started for it."""
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    path = path_of(owned)
    good = signature(owned, one)
    _commit_past_the_home(owned, path, path.read_text().replace(good, "approve:bm9pc2U="))
    assert block(cli, one)["approved"] is False
    _commit_past_the_home(owned, path, path.read_text().replace("approve:bm9pc2U=", good))
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


def test_a_block_that_changes_while_it_is_signed_is_not_approved(home: Path, owned: Path, key: Path) -> None:
    from alice_exp.model.values.block import content_hash
    from alice_exp.owner import usecases as owning
    from alice_exp.review import usecases as review

    session = open_session(str(home))
    path = path_of(home)
    path.write_text('{"blocks": [{"id": "exp-cccc2222", "payload": "harmless"}]}\n')

    class Slow:
        """An owner whose passphrase takes a while: meanwhile somebody saves the file."""

        key = owner(session).key

        def sign(self, key: Any, texts: Any) -> Any:
            path.write_text(path.read_text().replace("harmless", "harmful"))
            return owner(session).sign(key, texts)

    [shown] = session.home.read(("universal",))
    seen = {shown.block.id: content_hash(shown.block)}

    def act(home: Any, caller: Any, stamp: Any) -> Any:
        return review.approve(home, caller, ["exp-cccc2222"], stamp=stamp, seen=seen)

    done = owning.decide(replace(signing(session), owner=Slow()), "approve", act)
    assert (done.ids, [one for one, _ in done.skipped]) == ((), ["exp-cccc2222"])
    [placed] = session.home.read(("universal",))
    assert placed.block.payload.content == "harmful"
    assert placed.block.approved is None


def may_leave(home: Path, cli: Call) -> str:
    """A block that the owner key signed to leave."""
    one = candidate(cli, "use rg", "searching")
    approve(cli, one)
    proved = '"state": "reliable", "verifications": 72, "verifications_local": 72'
    path_of(home).write_text(path_of(home).read_text().replace('"state": "past"', proved))
    cli("config", "set", "sharing.enabled", "true", "--yes")
    cli("share", "allow", one, "--yes")
    assert signature(home, one).startswith("share:") and leaves(cli) == [one]
    return one


def leaves(cli: Call) -> list[str]:
    rows = cli("share", "list", "--json").json["blocks"]
    return [row["id"] for row in rows if row["leaves"]]


def allowed_by_hand(home: Path) -> None:
    text = path_of(home).read_text()
    path_of(home).write_text(text.replace('"payload":', '"shareable": true, "payload":'))


def test_a_denial_voids_the_signature_that_let_a_block_leave(home: Path, owned: Path, cli: Call) -> None:
    one = may_leave(home, cli)
    cli("share", "deny", one)
    assert signature(home, one).startswith("approve:")
    assert block(cli, one)["approved"] is True
    allowed_by_hand(home)
    assert leaves(cli) == [], "whoever writes the file cannot let it leave again"
    (row,) = cli("share", "list", "--json").json["blocks"]
    assert (row["id"], row["shareable"]) == (one, True)


def test_a_denial_needs_no_key(home: Path, owned: Path, cli: Call, key: Path) -> None:
    one = may_leave(home, cli)
    for path in (key, key.with_name("owner_key.pub")):
        path.rename(path.with_suffix(".away"))
    done = cli("share", "deny", one)
    assert "owner sign --all" in done.stderr
    assert signature(home, one) == "" and block(cli, one)["approved"] is False
    allowed_by_hand(home)
    assert leaves(cli) == []

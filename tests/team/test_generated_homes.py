"""Nothing personal, private or secret ever leaves, whatever a home holds: over generated blocks, and in two weeks of
two people on one repository."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from alice_exp.model.values.block import Archived, Block, Doubt, Evidence, Payload, Placed, Trigger
from alice_exp.team.rules.publication import listed, publication, skills
from alice_exp.team.rules.team_file import Lesson, TeamFile, read, written
from tests.approvals import approved
from tests.case_tables import cases
from tests.team.conftest import Person

People = Callable[..., list[Person]]

SECRETS = tuple(cases(__file__, "SECRETS"))
PLAIN = (
    "Run make lint",
    "用 pnpm 安装依赖",
    "Never push to main",
    "用户表的主键是 user_id",
    "User tables lock after",
)
PROJECT = "github.com/acme/web"


def generated(dice: random.Random, number: int) -> tuple[Placed, bool]:  # noqa: C901
    """A block with some reasons to stay here, and whether it has any; each carries its number in its words."""
    letters = "abcdefghijklmnopqrstuvwxyz23456789"
    name = "exp-" + "".join(dice.choice(letters) for _ in range(8))
    said = f"{dice.choice(PLAIN)} N{number}N"
    block = Block(
        name,
        Payload(said, steps=(f"step N{number}N",) if dice.random() < 0.3 else ()),
        Trigger(dice.choice(("pushing", "", "安装依赖时"))),
        type=dice.choice(("rule", "fact", "solution", "preference")),
        project=PROJECT,
        tags=("N-tag",),
        evidence=(
            Evidence("note", quote="N-quote ghp_16C7e42F292c6912E7710c838347Ae178B4a", scenario="N-scenario"),
        ),
        origin="shared_from_bob",
        state="past",
        verifications=1,
    )
    place, stays = "universal/tool_usage.jsonc", True
    match dice.randrange(12):
        case 0:
            place = "personal/habits.jsonc"
        case 1:
            block = replace(block, about="user")
        case 2:
            block = replace(block, project=dice.choice(("", "github.com/acme/other", "acme/web")))
        case 3:
            block = replace(block, payload=Payload(f"{said} {dice.choice(SECRETS)}"))
        case 4:
            block = replace(block, trigger=Trigger(f"N{number}N {dice.choice(SECRETS)}"))
        case 5:
            block = replace(block, trigger=Trigger("x", (dice.choice(SECRETS),), {"at": f"N{number}N"}))
        case 6:
            block = replace(block, payload=Payload(said, steps=(dice.choice(SECRETS),)))
        case 7:
            block = replace(block, payload=Payload(f"I like N{number}N"))
        case 8:
            block = replace(block, doubt=Doubt(0.5, "2026-02-20", "2026-02-20T09:00:00Z"))
        case 9:
            place = "low_value_pool/pending_20260220.jsonc"
        case 10:
            place, block = (
                "archive/obsolete.jsonc",
                replace(block, archived=Archived("universal/x", "", "obsolete")),
            )
        case _:
            stays = False
    if dice.random() < 0.15:
        return Placed(block, place), True
    whole = approved(block, place)
    if dice.random() < 0.1:
        return Placed(replace(whole, payload=Payload(f"{said}, edited since")), place), True
    return Placed(whole, place), stays


@pytest.mark.parametrize("seed", range(60))
def test_nothing_that_has_to_stay_leaves_a_generated_home(seed: int) -> None:
    dice = random.Random(seed)
    made = [generated(dice, number) for number in range(40)]
    theirs = Lesson(Block("exp-zzzzzzzz", Payload("Theirs"), type="rule"), "2026-02-19")
    once = [Lesson(replace(one.block, about="work"), "2026-02-19") for one, stays in made if stays][:3]
    present = TeamFile((theirs, *once), agents_md=True, skills="skills")
    done = publication((one for one, _ in made), (PROJECT,), present)
    leaving = [number for number, (_, stays) in enumerate(made) if not stays]
    for text in (written(done.file), listed(done.file), "\n".join(skills(done.file).values())):
        assert {int(one) for one in re.findall(r"N(\d+)N", text)} <= set(leaving)
        for word in (*SECRETS, "N-tag", "N-quote", "N-scenario", "shared_from"):
            assert word not in text
    assert {int(one) for one in re.findall(r"N(\d+)N", written(done.file))} == set(leaving)
    assert theirs in done.file.lessons
    again = read(written(done.file).encode())
    assert again.lessons == done.file.lessons and not again.refused
    assert publication((one for one, _ in made), (PROJECT,), done.file).file == done.file


def test_two_weeks_of_two_people_and_their_agents_on_one_repository(people: People) -> None:  # noqa: PLR0915
    ann, bob = people("ann", "bob")

    def day(number: int) -> None:
        ann.now = bob.now = f"2026-03-{number:02}T09:00:00Z"

    def pull(one: Person, branch: str = "main") -> None:
        one.git("pull", "-q", "--no-rebase", "--no-edit", "origin", branch)

    day(2)  # An agent proposes, Ann approves, publishes, opens a pull request.
    lint = ann.knows("Run make lint before git push")
    ann.json("memorize", "I prefer tabs", "--when", "pushing a branch", "--about", "user")
    ann("project", "publish", "--yes", "--agents-md", "--skills", "skills")
    ann.git("checkout", "-q", "-b", "lessons")
    ann.git("add", "-A")
    ann.git("commit", "-q", "-m", "What we know")
    ann.git("push", "-q", "origin", "lessons", "HEAD:main")
    ann.git("checkout", "-q", "main")
    pull(ann)
    day(3)  # Bob reviews, merges, trusts; his agent uses it.
    pull(bob)
    assert bob.told() == []
    bob("project", "trust", "--yes")
    assert bob.told() == ["Run make lint before git push"]
    bob("outcome", "last", "ok")
    day(4)  # Both learn something on branches of their own.
    deploy = ann.knows("Wait for the green build before you deploy", "deploying the web app")
    ann("project", "publish", "--yes")
    ann.pushed()
    review = bob.knows("Announce the new version in the channel", "deploying the web app")
    bob("project", "publish", "--yes")
    bob.git("add", "-A")
    bob.git("commit", "-q", "-m", "Review first")
    merge = bob.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main", check=False)
    # The file is merged by id; what is made of it git leaves in conflict, and publish makes it anew.
    assert "CONFLICT" in merge and "conflict in .alice" not in merge
    assert "<<<<<<<" in (bob.clone / "AGENTS.md").read_text(encoding="utf-8")
    bob("project", "publish", "--yes")
    assert bob("project", "publish", "--check").code == 0
    bob.pushed("Merged")
    assert {one.block.id for one in read(bob.file.read_bytes()).lessons} == {lint, deploy, review}
    day(5)
    pull(ann)
    ann("project", "trust", "--yes")
    bob("project", "trust", "--yes")
    both = ["Announce the new version in the channel", "Wait for the green build before you deploy"]
    for one in (ann, bob):
        assert sorted(one.told("deploy the web app")) == both
        one("outcome", "last", "ok")
    for number in range(6, 13):  # The lint target is gone: it fails for Bob, and rests there alone.
        day(number)
        if bob.told():
            bob("outcome", "last", "fail", "--scenario", f"branch {number}")
    assert bob.told() == [] and ann.told() == ["Run make lint before git push"]
    day(13)  # Ann retires it; the file, the list and the skill follow.
    ann("retire", lint, "--reason", "make lint is gone", "--yes")
    assert ann("project", "publish", "--check", check=False).code == 6
    ann("project", "publish", "--yes")
    assert not (ann.clone / "skills" / "pushing-a-branch").exists()
    ann.pushed("Retired")
    day(14)
    pull(bob)
    assert bob.told() == [] and sorted(bob.told("deploy the web app")) == both
    assert bob("project", "publish", "--check").code == 0
    history = ann.git("log", "-p", "--all") + bob.git("log", "-p", "--all")
    assert "tabs" not in history
    for one in (ann, bob):
        assert one("check").code == 0

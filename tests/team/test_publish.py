"""``project publish``: what leaves into the repository, what stays, the files made of it, and CI's check."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.team.conftest import Person

People = Callable[..., list[Person]]


@pytest.mark.covers("BX.40")
def test_what_is_approved_for_the_project_leaves_shown_before_it_is_written(people: People) -> None:
    (ann,) = people("ann")
    assert (
        "nothing is approved for this project" in ann("project", "publish").stdout and not ann.file.exists()
    )
    kept = ann.knows("Run make lint before git push")
    everywhere = ann.json("memorize", "Prefer small commits", "--type", "rule", "--everywhere")["id"]
    ann("approve", everywhere, "--yes")
    ann("remember", "I like short answers")
    ann.json("memorize", "Nobody approved this", "--when", "pushing a branch")
    asked = ann("project", "publish", check=False)
    assert asked.code == 6 and "Run make lint before git push" in asked.stdout and not ann.file.exists()
    shown = ann("project", "publish", "--dry-run")
    assert "Run make lint" in shown.stdout and not ann.file.exists()
    done = ann.json("project", "publish", "--yes")
    assert [one["id"] for one in done["blocks"]] == [kept] and done["written"] and done["driver"]
    text = ann.file.read_text(encoding="utf-8")
    assert "Run make lint before git push" in text and "2026-02-20" in text
    for word in ("small commits", "short answers", "Nobody", "Ann", "user"):
        assert word not in text
    assert [row["way"] for row in ann.json("share", "log")["shared"]] == ["publish"]
    again = ann.json("project", "publish", "--yes")
    assert not again["files"] and not again["written"]
    ann("project", "publish", "--yes", "--with-names")
    assert '"approved_by": "Ann"' in ann.file.read_text(encoding="utf-8")


def test_what_is_in_doubt_or_holds_a_secret_stays_and_is_named(people: People) -> None:
    (ann,) = people("ann")
    good = ann.knows("Run make lint before git push")
    secret = ann.knows("Deploy from the box at 10.20.30.40", "deploying")
    private = ann.knows("Read /home/ann/releases before a release", "releasing the app")
    hidden = ann.knows("Run make\u200b test at night", "testing late")
    replaced = ann.knows("The schema is described in Confluence", "looking up a field")
    assert replaced in {one["id"] for one in ann.json("project", "publish", "--yes")["blocks"]}
    newer = ann.json("memorize", "The schema is described in Notion", "--when", "looking up a field")["id"]
    ann("approve", newer, "--replaces", replaced, "--yes")
    made = ann.json("project", "publish", "--yes")
    why = {one["id"]: one["why"] for one in made["withheld"]}
    assert set(why) == {secret, private, hidden, replaced} and made["gone"] == [replaced]
    assert {one["id"] for one in made["blocks"]} == {good, newer}
    for at in range(8):
        ann("outcome", good, "fail", "--scenario", str(at))
    assert ann.told() == []
    differs = ann("project", "publish", "--check", check=False)
    assert differs.code == 6 and differs.stderr.count(".alice/experience.jsonc") == 1
    gone = ann.json("project", "publish", "--yes")
    assert gone["gone"] == [good] and [one["id"] for one in gone["blocks"]] == [newer]


@pytest.mark.covers("BX.46")
def test_a_skill_for_each_situation_and_a_list_for_other_agents(people: People) -> None:
    ann, bob = people("ann", "bob")
    bound = ann.knows("Never push to main directly")
    step = ann.knows("Run make lint before git push")
    ann.knows("用 pnpm 安装依赖", "安装依赖时")
    (ann.clone / "AGENTS.md").write_bytes(b"# Ours\r\n")
    other = ann.clone / "skills" / "pushing-a-branch-by-hand" / "SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text("---\nname: by-hand\n---\n", encoding="utf-8")
    made = ann.json("project", "publish", "--yes", "--agents-md", "--skills", "skills")
    skills = [name for name in made["files"] if name.endswith("SKILL.md")]
    assert "skills/pushing-a-branch/SKILL.md" in skills and len(skills) == 2
    text = (ann.clone / "skills/pushing-a-branch/SKILL.md").read_text(encoding="utf-8")
    assert text.startswith('---\nname: pushing-a-branch\ndescription: "pushing a branch"\n---\n')
    assert text.index(bound) < text.index(step) and "alice-exp project publish" in text
    agents = (ann.clone / "AGENTS.md").read_text(encoding="utf-8")
    assert agents.startswith("# Ours\n") and "用 pnpm 安装依赖" in agents
    assert ann("project", "publish", "--check").code == 0
    ann.pushed()
    bob.git("pull", "-q", "origin", "main")
    # CI has no home.
    assert bob("project", "publish", "--check", ALICE_HOME=str(bob.home / "none")).code == 0
    bob("init")
    (bob.clone / "AGENTS.md").write_text(agents.replace("pnpm", "npm"), encoding="utf-8")
    spoilt = bob("project", "publish", "--check", check=False, ALICE_HOME=str(bob.home / "none"))
    assert spoilt.code == 6 and "AGENTS.md" in spoilt.stderr
    ann("retire", step, "--reason", "no more", "--yes")
    ann("retire", bound, "--reason", "no more", "--yes")
    ann("project", "publish", "--yes")
    assert not (ann.clone / "skills/pushing-a-branch").exists() and other.exists()
    whole = (ann.clone / "AGENTS.md").read_bytes()
    (ann.clone / "AGENTS.md").write_bytes(cut := whole.replace(b": end", b"") + b"keep this\r\n")
    lost = ann("project", "publish", "--yes", "--no-agents-md", check=False)
    assert lost.code == 3 and "AGENTS.md:3" in lost.stderr and (ann.clone / "AGENTS.md").read_bytes() == cut
    (ann.clone / "AGENTS.md").write_bytes(whole)
    ann("project", "publish", "--yes", "--no-agents-md", "--skills", "none")
    assert (ann.clone / "AGENTS.md").read_bytes() == b"# Ours\r\n"
    assert [path.name for path in (ann.clone / "skills").iterdir()] == [other.parent.name]


def test_what_others_put_into_the_list_is_named_until_it_is_trusted(people: People) -> None:
    """The list is made of the file alone, so CI finds it sound; the person hears of each text that is not theirs."""
    ann, bob = people("ann", "bob")
    ann.knows("Run make lint before git push")
    ann("project", "publish", "--yes", "--agents-md")
    ann.pushed()
    bob.git("pull", "-q", "origin", "main")
    bob.knows("Push with --force", "releasing")
    strange = bob.json("project", "publish", "--yes")["not_yours"]
    bob.pushed()
    ann.git("pull", "-q", "origin", "main")
    bob("project", "trust", "--yes")
    assert len(strange) == 1 and bob.json("project", "publish", "--yes")["not_yours"] == []
    for answer in (None, "--reject"):
        if answer:
            ann("project", "trust", answer, "--yes")
        shown = ann("project", "publish", "--dry-run").stdout
        assert (
            "releasing: Push with --force (not yours)" in shown and "1 block is told to all agents" in shown
        )
        assert ann("project", "publish", "--check").code == 0


def test_an_agent_publishes_and_trusts_nothing(people: People) -> None:
    ann, bob = people("ann", "bob")
    ann.knows("Run make lint before git push")
    assert ann("project", "publish", "--yes", "--actor", "agent:x", check=False).code == 6
    assert not ann.file.exists()
    ann("project", "publish", "--yes")
    ann.pushed()
    bob.git("pull", "-q", "origin", "main")
    assert bob("project", "trust", "--yes", "--actor", "agent:x", check=False).code == 6
    assert bob.told() == []


def test_a_folder_that_is_no_repository_has_no_team(people: People) -> None:
    (ann,) = people("ann")
    ann.clone = ann.home.parent
    for words in (("project", "publish", "--yes"), ("project", "trust", "--yes")):
        assert ann(*words, check=False).code == 2


@pytest.mark.covers("BX.48")
def test_a_skill_comes_back_as_candidates_of_its_situation(people: People) -> None:
    ann, bob = people("ann", "bob")
    ann.knows("Never push to main directly")
    ann.knows("Run make lint before git push")
    ann("project", "publish", "--yes", "--skills", "skills")
    came = bob.json("import", "skill", str(ann.clone / "skills"))
    assert {(one["trigger"], one["payload"]) for one in came["candidates"]} == {
        ("pushing a branch", "Never push to main directly"),
        ("pushing a branch", "Run make lint before git push"),
    }
    assert bob.told() == []
    bob("approve", *came["ids"], "--yes")
    assert sorted(bob.told()) == ["Never push to main directly", "Run make lint before git push"]
    assert {bob.json("show", one)["project"] for one in came["ids"]} == {bob.json("project")["project"]}

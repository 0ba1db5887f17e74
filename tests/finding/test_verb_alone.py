"""A rule about one thing is not applied to another to which the same is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from alice_exp.finding.rules.ranking import rank
from alice_exp.finding.rules.verb_alone import act_of, condition_of, fits_by_verb_alone
from tests.conftest import Call
from tests.finding.test_ranking import NOW, placed

VIDEO = "when you edit the video, check the sound first"


@pytest.mark.parametrize(
    ("rule", "task", "fits"),
    [
        (VIDEO, "editing a photo", False),
        (VIDEO, "please edit the letter to my landlord", False),
        (VIDEO, "editing the wedding video", True),
        (VIDEO, "editing", True),
        ("editing: check the sound first", "editing a photo", True),
        ("when you edit, save every minute", "editing a photo", True),
        ("when you deploy to staging, migrate first", "deploying the shop", True),
        ("when you write docs, be brief", "write the documentation", True),
        ("when you write docs, be brief", "write a poem", False),
        ("when you write code, add type hints", "write a function that parses dates", True),
        ("when you write code, add type hints", "write a poem", False),
        ("when you clean the house, open the windows", "clean the living room", True),
        ("when you clean the house, open the windows", "clean the survey data", False),
        ("when you translate a contract, keep the numbers", "translate a song", False),
        ("translate error messages literally", "translate the song", True),
        ("when you water the plants, feel the soil", "call the water company", False),
        ("when you train a model, list what you change", "change the tyres", False),
        ("wedding: the budget is tight", "wedding speech", True),
        ("when you write emails, be brief", "write 邮件", True),
        ("when you write emails, be brief", "写邮件", True),
    ],
)
def test_a_verb_alone_is_no_ground_to_apply_a_rule(rule: str, task: str, fits: bool) -> None:
    said = placed("a", rule)
    condition = condition_of(said.block)
    for block in (said, placed("a", "be quick", trigger=condition) if condition else said):
        matches = rank([block], task, {}, NOW, gate=0.0)
        assert bool([one for one in matches if not fits_by_verb_alone(one, task)]) == fits


@pytest.mark.parametrize(
    ("text", "stem", "certain"),
    [
        ("edit photos", "edit", True),
        ("I'd like to edit photos", "edit", True),
        ("when you book a flight", "book", True),
        ("order a case", "order", True),
        ("reviewing essays", "review", False),
    ],
)
def test_the_verb_of_a_text_stands_after_what_opens_it(text: str, stem: str, certain: bool) -> None:
    act = act_of(text)
    assert act is not None and (act.stem, act.certain) == (stem, certain)


@pytest.mark.parametrize("text", ["", "the video", "billing module", "order form", "编辑照片", "when you"])
def test_a_thing_at_the_head_of_a_text_is_no_verb(text: str) -> None:
    assert act_of(text) is None


def test_decide_applies_a_rule_to_what_it_is_about(home: Path, cli: Call) -> None:
    cli("remember", "check the sound first", "--when", "editing the video", "--yes")
    assert "check the sound" in cli("decide", "editing the wedding video").stdout
    assert "check the sound" not in cli("decide", "editing a photo", check=False).stdout

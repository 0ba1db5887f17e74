"""The order of a report: its parts, what stands first in each, groups that stay together, and screens (DESIGN 7)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import pytest

from alice_exp.finding.rules.nearness import Relation, Sure
from alice_exp.kernel.journal.act import Commit
from alice_exp.model.rules.private_facts import Delicate
from alice_exp.model.values.block import Block, Payload, Placed, Trigger
from alice_exp.review.cli.candidate_card import neighbours
from alice_exp.review.cli.review_pages import ReviewPage
from alice_exp.review.rules.daily_report import Item
from alice_exp.review.rules.report_order import CARDS, FEW, Key, Wanted, arranged, page_of, review_screens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.finding.rules.nearness import Kind, Where

POOL = "low_value_pool/pending_20260220.jsonc"


def item(name: str, to: str = "universal/tools", seen: int = 0, project: str = "", **more: Any) -> Item:
    block = Block(name, Payload(f"do {name}"), observations=seen, project=project)
    return replace(Item(1, Placed(block, POOL), to, "", is_new=True, is_changed=False), **more)


def near(where: Where, kind: Kind) -> tuple[Relation, ...]:
    return (Relation(Placed(Block("exp-known222", Payload("known")), POOL), where, kind, 1.0, ("", "")),)


@pytest.mark.parametrize("kind", get_args(Sure))
def test_every_relation_to_what_is_trusted_has_its_sentence(kind: Kind) -> None:
    (row,) = neighbours(item("a", relations=near("trusted", kind)))
    assert "known" in row.text


@pytest.mark.parametrize("kind", get_args(Sure))
def test_what_is_nearer_than_near_repeats_what_is_trusted_or_contradicts_it(kind: Kind) -> None:
    one = item("a", relations=near("trusted", kind))
    assert bool(one.repeated) + bool(one.conflict) == (kind != "near"), (
        "its part, review/rules/daily_report.py"
    )


def names(items: Sequence[Item]) -> str:
    return " ".join(item.placed.block.id for item in items)


def parts(*items: Item) -> dict[str, str]:
    return {key: names(row) for key, row in arranged(items)}


@pytest.mark.parametrize(
    ("one", "key"),
    [
        (item("a"), "work"),
        (item("a", "personal/habits"), "user"),
        (item("a", days_left=2), "work"),
        (item("a", days_left=1), "today"),
        (item("a", days_left=0), "today"),
        (item("a", is_changed=True), "today"),
        (item("a", delicate=(Delicate("a key", "payload"),)), "today"),
        (item("a", relations=near("trusted", "opposes")), "today"),
        (item("a", "personal/habits", relations=near("trusted", "replaces")), "today"),
        (item("a", relations=near("waiting", "opposes")), "work"),
        (item("a", relations=near("trusted", "same")), "repeats"),
        (item("a", "personal/habits", relations=near("trusted", "extends")), "repeats"),
        (item("a", days_left=0, relations=near("trusted", "same")), "today"),
        # What was turned down waits at the end, whatever else is true of it.
        (item("a", days_left=0, is_changed=True, relations=near("rejected", "same")), "turned_down"),
        (item("a", relations=near("rejected", "opposes")), "work"),
    ],
)
def test_the_part_of_a_candidate(one: Item, key: Key) -> None:
    assert parts(one) == {key: "a"}


def test_parts_stand_in_the_order_in_which_they_are_needed() -> None:
    items = (
        item("no", relations=near("rejected", "same")),
        item("again", relations=near("trusted", "same")),
        item("work"),
        item("me", "personal/habits"),
        item("now", days_left=0),
    )
    assert list(parts(*items).values()) == ["now", "me", "work", "again", "no"]


def test_what_was_seen_most_often_stands_first_and_equals_as_they_came() -> None:
    about = [item(name, "personal/habits", seen) for name, seen in (("a", 0), ("b", 2), ("c", 0), ("d", 5))]
    assert parts(*about) == {"user": "d b a c"}


def test_work_stands_by_project_and_place_before_it_stands_by_observations() -> None:
    items = (
        item("a", "universal/tools", 1, "web"),
        item("b", "universal/tools", 9),
        item("c", "universal/git", 3),
        item("d", "universal/git", 4),
        item("e", "universal/git", 0, "api"),
    )
    assert parts(*items) == {"work": "d c b e a"}


def test_a_group_stays_together_in_the_place_and_part_of_its_first() -> None:
    items = (
        item("a", "personal/habits"),
        item("b", "personal/habits", group=1),
        item("c", "personal/habits", 1),
        item("d", seen=4, group=1),
        item("e", "personal/habits"),
    )
    # The group was seen as often as its most seen one; `d` alone would be work.
    assert parts(*items) == {"user": "b d c a e"}


def test_screens_hold_ten_and_never_cut_a_group() -> None:
    items = [item(f"{at:02}", group=1 if 8 <= at <= 10 else 0) for at in range(14)]
    screens = [page_of(items, number) for number in (1, 2, 3)]
    assert [names(screen) for screen in screens] == [
        "00 01 02 03 04 05 06 07",
        "08 09 10 11 12 13",
        "",
    ]
    single = [item(f"{at:02}") for at in range(2 * CARDS)]
    assert [len(page_of(single, number)) for number in (1, 2, 3)] == [CARDS, CARDS, 0]
    assert page_of(items, 0) == () and page_of(()) == ()


def test_a_group_longer_than_a_screen_is_a_screen() -> None:
    items = [item(f"{at:02}", group=1) for at in range(CARDS + 3)]
    assert len(page_of(items)) == CARDS + 3


SEEN = replace(item("a"), is_new=False)
PLACED = Placed(Block("a", Payload("Use RG", steps=("then sort",)), Trigger("searching")), POOL)
BY = Commit("", "", "memorize", "agent:claude", "2026-02-20T09:00:00Z")


@pytest.mark.parametrize(
    ("wanted", "one", "holds"),
    [
        (Wanted(), SEEN, True),
        (Wanted(new=True), SEEN, False),
        (Wanted(new=True), item("a"), True),
        (Wanted(about="user"), item("a"), False),
        (Wanted(about="user"), item("a", "personal/habits"), True),
        (Wanted(about="work"), item("a", "personal/habits"), False),
        (Wanted(by="claude"), replace(SEEN, proposed=BY), True),
        (Wanted(by="agent:claude"), replace(SEEN, proposed=BY), True),
        (Wanted(by="agent"), replace(SEEN, proposed=BY), False),
        (Wanted(by="claude"), SEEN, False),
        (Wanted(project="web"), item("a", project="web"), True),
        (Wanted(project="web"), item("a"), False),
        (Wanted(match="use rg"), replace(SEEN, placed=PLACED), True),
        (Wanted(match="SEARCH"), replace(SEEN, placed=PLACED), True),
        (Wanted(match="sort"), replace(SEEN, placed=PLACED), True),
        (Wanted(match="grep"), replace(SEEN, placed=PLACED), False),
        (Wanted(new=True, match="use"), replace(SEEN, placed=PLACED), False),
    ],
)
def test_what_is_asked_for(wanted: Wanted, one: Item, holds: bool) -> None:
    assert wanted.holds(one) is holds
    assert Wanted().is_any and (wanted.is_any is (wanted == Wanted()))


def test_a_review_brings_what_is_decided_by_itself_alone_and_the_rest_by_pages() -> None:
    plain = [item(f"p{n}") for n in range(25)]
    secret = item("s", delicate=(Delicate("a key", "payload"),))
    opposed = item("o", relations=near("trusted", "opposes"))
    disputed = item("d", relations=near("waiting", "opposes"))
    again = item("r", relations=near("rejected", "alike"))
    screens = review_screens([again, secret, *plain[:3], opposed, *plain[3:], disputed])
    assert [names(screen) for screen in screens[:3]] == ["s", "o", "d"]
    assert [len(screen) for screen in screens[3:]] == [10, 10, 5, 1]
    assert names(screens[-1]) == "r"
    assert [len(screen) for screen in review_screens(plain[:FEW])] == [1] * FEW


def test_no_mark_on_a_page_ever_approves() -> None:
    page = ReviewPage.of([item(f"exp-{one * 8}") for one in "2345"])
    for digit in "2", "3", "3":
        page.toggle(digit)
    ids = [*page.texts]
    assert page.split("a") == ([ids[0], ids[3]], [ids[1]])
    assert page.split("r") == ([], [ids[0], ids[1], ids[3]])

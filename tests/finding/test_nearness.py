"""What a candidate is to what is known, and which neighbours stand beside it (DESIGN 13)."""

from collections import Counter
from itertools import count
from pathlib import Path
from typing import cast

import pytest

from alice_exp.finding.rules.nearness import Neighbourhood, Pair
from alice_exp.finding.rules.ranking import rank
from alice_exp.model.values.block import About, Block, Payload, Placed, Trigger
from tests.case_tables import cases, table

_ids = count()
POOL, TRUSTED, REJECTED = "low_value_pool/p.jsonc", "universal/x.jsonc", "archive/rejected.jsonc"


def placed(payload: str, when: str = "", path: str = TRUSTED, about: str = "work", **fields: str) -> Placed:
    block = Block(
        f"exp-{next(_ids):08d}", Payload(payload), Trigger(when), about=cast("About", about), **fields
    )
    return Placed(block, path)


def pairs(name: str) -> dict[str, list[tuple[Placed, Placed]]]:
    """The pairs of a file by kind: (known, candidate)."""
    found: dict[str, list[tuple[Placed, Placed]]] = {}
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            rows = found.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            who, when, first, again, second = (part.strip() for part in line.split("|"))
            who, *projects = who.split()
            one, two = projects or ("", "")
            about = "user" if who == "u" else "work"
            trigger = when if again == "=" else again
            rows.append(
                (
                    placed(first, when, about=about, project=one),
                    placed(second, trigger, POOL, about, project=two),
                )
            )
    return found


def named(name: str) -> dict[str, list[str]]:
    """What each pair's second text is to its first, by kind, in the order of the file."""
    return {
        kind: [str(Pair(new.block, old.block).kind) for old, new in rows]
        for kind, rows in pairs(name).items()
    }


RIGHT = dict(cases(__file__, "RIGHT"))
FLOORS = dict(cases(__file__, "FLOORS"))
"""Reached when the rule was written: the tuned half, and the half held back (see docs/internals/design.md, section 13)."""


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("用户住在上海", "用户搬到了杭州"),
        ("The user lives in Berlin", "my new home is in Paris"),
    ],
)
def test_another_home_of_a_person_stands_beside_in_whatever_words(before: str, now: str) -> None:
    others = [placed(f"用户提到过第 {number} 件事", about="user") for number in range(300)]
    known = placed(before, about="user")
    around = Neighbourhood([known, *others])
    found = around.relations(placed(now, path=POOL, about="user"))
    assert [one.placed for one in found][:1] == [known]


@table("before", "now", "kind")
def test_what_is_no_more_is_named_in_plain_words(before: str, now: str, kind: str | None) -> None:
    known = placed(before, about="user", path="personal/user_preferences.jsonc")
    found = Neighbourhood([known]).relations(placed(now, path=POOL, about="user"))
    assert next((one.kind for one in found), None) == kind


@pytest.mark.parametrize(
    "kin", ["我妈", "老爸", "我弟", "我媳妇", "我闺女", "我婆婆", "我岳父", "我爱人", "我家保姆", "我的房东"]
)
def test_what_is_so_with_somebody_else_is_no_value_of_the_users(kin: str) -> None:
    for own, others in (("我住在成都", f"{kin}住在绵阳"), ("我对花生过敏", f"{kin}对花生不过敏")):
        for before, now in ((own, others), (others, own)):
            known = placed(before, about="user", path="personal/user_preferences.jsonc")
            found = Neighbourhood([known]).relations(placed(now, path=POOL, about="user"))
            assert {one.kind for one in found} <= {"near"}


@table("own", "other")
@pytest.mark.parametrize("about", ["user", "work"])
def test_what_holds_beside_it_contradicts_nothing(own: str, other: str, about: str) -> None:
    for before, now in ((own, other), (other, own)):
        found = Neighbourhood([placed(before, about=about)]).relations(placed(now, "", POOL, about))
        assert {one.kind for one in found} <= {"near"}


@table("before", "now", "kind")
def test_what_a_person_tells_in_their_own_words_is_theirs(before: str, now: str, kind: str) -> None:
    found = Neighbourhood([placed(before)]).relations(placed(now, "", POOL))
    assert [one.kind for one in found] == [kind]


@pytest.mark.parametrize("half", ["tuned", "held back"])
@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, floors in FLOORS.items() for kind in floors]
)
def test_pairs_are_told_apart(name: str, kind: str, half: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = named(name)[kind]
    # In the other files one thing is said in English and in Chinese: both are of one half.
    width = 1 if name == "nearness_pairs.txt" else 2
    rows = [row for at, row in enumerate(rows) if (at // width) % 2 == (half != "tuned")]
    right = sum(row in RIGHT[kind] for row in rows) / len(rows)
    with capsys.disabled():
        print(f"\n{kind}, {half}: {right:.0%} right of {len(rows)}: {dict(Counter(rows))}")
    assert right >= FLOORS[name][kind]


def test_what_was_rejected_is_marked_in_other_words() -> None:
    rows = pairs("nearness_compatible.txt")["rejected"]
    found = [
        Neighbourhood([], [placed(o.block.payload.content, o.block.trigger.text, REJECTED)]) for o, _ in rows
    ]
    assert all(around.mark(new) is not None for around, (_, new) in zip(found, rows, strict=True))


@table("before", "now")
def test_news_are_told_from_what_was_before(before: str, now: str) -> None:
    assert between(before, now, "what holds") == "replaces"


def test_who_moved_to_a_place_no_longer_lives_where_they_did() -> None:
    known = placed("the user lives in Porto", "the user's home", about="user")
    new = placed("the user moved to Lisbon", "the user's home", POOL, "user")
    (one,) = Neighbourhood([known]).relations(new)
    assert one.kind == "replaces"


@table("trigger", "before", "now")
def test_what_is_liked_and_what_is_not_or_not_always_is_no_contradiction(
    trigger: str, before: str, now: str
) -> None:
    known, new = placed(before, trigger, about="user"), placed(now, trigger, POOL, "user")
    assert [one.kind for one in Neighbourhood([known]).relations(new)] == ["near"]


@table("before", "now")
def test_news_in_a_few_words_find_what_they_change_and_nothing_else(before: str, now: str) -> None:
    told = (
        "用户喜欢喝茶",
        "用户对虾过敏",
        "用户每天跑步",
        "用户周三开会",
        "我们公司在望京",
        "our office is in Shoreditch",
        "孩子五岁了",
        "用户的妹妹在阿里工作",
    )
    around = Neighbourhood([placed(text, about="user") for text in {before: 0, **dict.fromkeys(told)}])
    (found,) = [
        one for one in around.relations(placed(now, "", POOL, "user")) if one.kind in ("replaces", "opposes")
    ]
    assert found.placed.block.payload.content == before


def test_there_are_enough_pairs() -> None:
    sizes = {kind: len(rows) for kind, rows in pairs("nearness_pairs.txt").items()}
    assert min(sizes.values()) >= 40
    assert sizes["near"] >= 60
    assert sum(map(len, pairs("nearness_fresh.txt").values())) >= 80


# ------------------------------------------------------------------------- pairs of the rule that was here before

SAME = cases(__file__, "SAME")

ODDS = cases(__file__, "ODDS")

NEIGHBOURS = cases(__file__, "NEIGHBOURS")


def between(first: str, second: str, when: str = "") -> str | None:
    """What the second text is to the first, with the same trigger and weights of an empty home."""
    one, other = placed(first, when), placed(second, when)
    return Pair(other.block, one.block).kind


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_says_nearly_the_same_is_the_same(first: str, second: str) -> None:
    assert between(first, second) in ("same", "extends")
    assert between(second, first) in ("same", "extends")


@pytest.mark.parametrize(("kind", "when", "first", "second"), ODDS)
def test_what_cannot_both_hold_is_named(kind: str, when: str, first: str, second: str) -> None:
    assert between(first, second, when) == kind
    assert between(second, first, when) == kind


@pytest.mark.parametrize(("when", "first", "second"), NEIGHBOURS)
def test_neighbours_are_left_alone(when: str, first: str, second: str) -> None:
    assert between(first, second, when) in ("near", None)


# ----------------------------------------------------------------------------------------------------- neighbours


def test_the_neighbours_are_the_surest_first_and_at_most_two() -> None:
    trusted = [
        placed("the upload limit is 5 MB", "uploading files"),
        placed("uploads are scanned for viruses", "uploading files"),
        placed("uploads larger than the limit answer 413", "uploading files"),
        placed("the kitchen is closed on Sundays", "eating at the office"),
    ]
    new = placed("the upload limit is 10 MB", "uploading files", POOL)
    found = Neighbourhood(trusted).relations(new)
    assert (found[0].placed, found[0].kind) == (trusted[0], "replaces")
    assert [one.kind for one in found][1:] == ["near"]
    assert found[0].differs == ("10 mb", "5 mb")
    (slow,) = Neighbourhood([placed("it takes 10 calls a second")]).relations(
        placed("it takes 25 calls a second", path=POOL)
    )
    assert slow.differs == ("25", "10")


def test_where_nothing_is_sure_the_block_of_the_same_trigger_stands_there() -> None:
    known = placed("announce it in the team channel", "deploying")
    (one,) = Neighbourhood([known]).relations(placed("run the smoke tests afterwards", "deploying", POOL))
    assert (one.placed, one.kind, one.where) == (known, "near", "trusted")
    assert not Neighbourhood([known]).relations(placed("the cat is called Momo", "pets", POOL))


@table("rejected", "again", "kind")
def test_what_is_like_a_rejected_block_is_marked(rejected: str, again: str, kind: str) -> None:
    around = Neighbourhood([], [placed(rejected, "", REJECTED)])
    new = placed(again, "", POOL)
    (one,) = around.relations(new)
    assert (one.where, one.kind) == ("rejected", kind)
    assert (around.mark(new) is None) is (kind == "opposes")


def test_a_dense_domain_does_not_mark_the_innocent() -> None:
    """Where the trusted blocks themselves are as much like what was rejected, likeness says nothing."""
    words = [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
    ]

    def sentence(number: int) -> str:
        one, two = words[number % 13], words[(number // 13) % 13]
        return f"the {one} service of the {two} cluster restarts after a failed health check"

    trusted = [placed(sentence(number)) for number in range(150)]
    rejected = [placed(sentence(number), "", REJECTED) for number in range(150, 160)]
    new = placed("the tau service of the omega cluster restarts after a failed health check", "", POOL)
    assert Neighbourhood(trusted, rejected).mark(new) is None
    assert Neighbourhood([], rejected).mark(new) is not None


def test_in_a_dense_domain_rewordings_are_marked_and_the_innocent_are_not() -> None:
    """The rewordings of both files, rejected in a home of some 200 texts of one subject; the others are innocent."""
    both = [pairs(name) for name in FLOORS]
    again = [pair for rows in both for pair in rows.get("same", [])]
    others = [pair for rows in both for kind, found in rows.items() if kind != "same" for pair in found]

    def moved(one: Placed, path: str) -> Placed:
        return placed(one.block.payload.content, one.block.trigger.text, path)

    around = Neighbourhood([moved(o, TRUSTED) for o, _ in others], [moved(o, REJECTED) for o, _ in again])
    marked = sum(around.mark(moved(new, POOL)) is not None for _, new in again) / len(again)
    wrong = sum(around.mark(moved(new, POOL)) is not None for _, new in others) / len(others)
    assert marked >= 0.95
    assert wrong <= 0.02


def test_what_is_nearer_to_a_trusted_block_is_no_repeat_of_a_rejected_one() -> None:
    known = placed("Sessions are kept in Redis for an hour", "sessions")
    rejected = placed("Sessions are kept in cookies for an hour", "sessions", REJECTED)
    around = Neighbourhood([known], [rejected])
    assert around.mark(placed("For an hour, sessions are kept in Redis", "sessions", POOL)) is None
    assert around.mark(placed("For an hour, sessions are kept in cookies", "sessions", POOL)) is not None


def test_a_chain_of_neighbours_is_no_group() -> None:
    tips = [
        placed("run the ruff linter with fix before committing", "using the linter", POOL),
        placed("run the ruff linter before committing, with fix", "before committing", POOL),
        placed("never silence a rule of the ruff linter without a comment", "using the linter", POOL),
        placed("squash the commits before merging", "before committing", POOL),
    ]
    groups = Neighbourhood([], [], tips).groups(tips)
    assert (tips[3],) in groups
    assert groups[0][:2] == (tips[0], tips[1])


def test_groups_are_of_what_stands_together_and_at_most_six() -> None:
    first = placed("format Python code with ruff", "formatting", POOL)
    again = placed("Python code is formatted with ruff", "formatting code", POOL)
    other = placed("the cat is called Momo", "pets", POOL)
    around = Neighbourhood([], [], [first, other, again])
    assert around.groups([first, other, again]) == ((first, again), (other,))
    many = [placed(f"format Python code with ruff, version {n}", "formatting", POOL) for n in range(20)]
    assert max(map(len, Neighbourhood([], [], many).groups(many))) <= 6


def test_texts_that_differ_in_a_name_alone_contradict_nothing() -> None:
    assert between("the alpha service must not be restarted", "the beta service may be restarted") in (
        "near",
        None,
    )
    assert between("alpha 服务监听 8080 端口", "beta 服务监听 9090 端口") in ("near", None)


@table("before", "now", "kind")
def test_a_person_speaks_of_themselves_as_i(before: str, now: str, kind: str) -> None:
    old, new = placed(before, about="user"), placed(now, about="user")
    assert str(Pair(new.block, old.block).kind) == kind


@table("known", "candidate")
def test_what_somebody_will_not_do_is_the_opposite_of_doing_it(known: str, candidate: str) -> None:
    old, new = placed(known, about="user"), placed(candidate, "", POOL, "user")
    assert Pair(new.block, old.block).kind == "opposes"


@table("known", "new", "kind")
def test_a_number_that_counts_rules_off_is_no_value(known: str, new: str, kind: str) -> None:
    # Behind the text may stand its situation.
    one, two = (placed(*f"{text} | deploying the gateway".split(" | ")[:2]) for text in (known, new))
    assert Pair(two.block, one.block).kind == kind


@pytest.mark.covers("BX.60")
def test_what_recall_answers_first_is_a_neighbour_whatever_it_is_to_the_candidate() -> None:
    long = (
        "the staging cluster is drained node by node, its volumes are detached, and the images are pulled again "
        * 4
    )
    said = [long, "the API answers at most 60 requests a minute", "合并之后删除分支"]
    known = [placed(text) for text in (*said, *(f"an unrelated line of subject {n}" for n in range(30)))]
    for new, old in zip(
        ("volumes of the staging cluster", "每分钟的请求", "delete merged branches"), known, strict=False
    ):
        candidate = placed(new, "", POOL)
        (first,) = rank(known, new, {}, "2026-01-01T00:00:00Z", 1)
        assert first.placed == old and first.match >= 0.15
        assert old in [one.placed for one in Neighbourhood(known).relations(candidate)]
    assert not Neighbourhood(known).relations(
        placed("the parrot of my uncle sings at noon, mostly operas", "", POOL)
    )
    # What nothing else makes a neighbour.
    slip = (
        "the courier collects heavy parcels at four in the afternoon, from the ramp behind the old warehouse"
    )
    old, new = placed(f"{slip}, and leaves a slip"), placed("ask the courier about insured parcels", "", POOL)
    assert Pair(new.block, old.block).kind is None
    assert [one.placed for one in Neighbourhood([*known, old]).relations(new)] == [old]


@pytest.mark.covers("BX.61")
@table("known", "new", "is_other")
def test_a_time_that_is_given_more_precisely_contradicts_nothing(
    known: str, new: str, is_other: bool
) -> None:
    for first, second in ((known, new), (new, known)):
        assert (between(first, second, "operations") == "replaces") is is_other


@table("rule", "fact")
def test_a_fact_about_a_thing_never_replaces_a_rule_about_it(rule: str, fact: str) -> None:
    for before, now in ((rule, fact), (fact, rule)):
        found = Neighbourhood([placed(before, "handling personal data")]).relations(
            placed(now, "handling personal data", POOL)
        )
        assert {one.kind for one in found} <= {"near"}

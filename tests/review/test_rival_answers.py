"""Of two that cannot both be told, a person says which holds: new, old, both or neither, on every face alike."""

from pathlib import Path
from typing import Any

import pytest

from alice_exp import Alice
from alice_exp.kernel.errors import NotFoundError
from tests.case_tables import table
from tests.conftest import Call
from tests.review.test_review import Open, go_through, screen

__all__ = ["screen"]

PAIRS = {
    "en": ("merging", "never squash the commits", "always squash the commits"),
    "zh": ("合并分支时", "不要压缩提交", "要压缩提交"),
    "values": ("operating the server", "the nightly backup runs at 2 am", "the nightly backup runs at 4 am"),
}


@pytest.fixture(params=["en", "zh"])
def pair(request: pytest.FixtureRequest, home: Path, cli: Call) -> tuple[str, str]:
    """A trusted block, and a candidate that the report shows as number 1 and that says the opposite."""
    when, old, new = PAIRS[request.param]
    ids = (
        cli("remember", old, "--when", when, "--json").json["id"],
        cli("memorize", new, "--when", when, "--about", "user", "--json").json["id"],
    )
    cli("heartbeat")
    return ids


def stands(cli: Call, *ids: str) -> list[tuple[Any, ...]]:
    shown = [cli("show", one, "--json").json for one in ids]
    return [(one["set"], one.get("replaces", []), one.get("both", [])) for one in shown]


@pytest.mark.covers("BX.10")
def test_yes_alone_leaves_a_rival_waiting_and_names_it(cli: Call, pair: tuple[str, str]) -> None:
    old, new = pair
    for words in (("approve", "1"), ("approve", "--all"), ("reply", "approve 1"), ("reply", "全部同意")):
        done = cli(*words, "--yes", "--json", check=False)
        assert (done.code, done.json["ids"], done.json["commit"]) == (5, [], None), words
        assert done.json["skipped"] == [{"id": new, "why": "rival"}]
        (rival,) = done.json["rivals"]
        assert (rival["id"], rival["relation"], rival["with"]["id"]) == (new, "opposes", old)
    said = cli("approve", "1", "--yes", check=False).stderr
    assert f"--replaces {old}" in said and f"--both {old}" in said and f"--neither {old}" in said
    assert stands(cli, old, new) == [("personal", [], []), ("low_value", [], [])]


@table("words", "after")
def test_each_answer_is_one_command_and_one_act(
    cli: Call, pair: tuple[str, str], words: str, after: list[tuple[str, list[str], list[str]]]
) -> None:
    old, new = pair
    cli(*words.replace("OLD", old).split(), "--yes")
    found = [
        (place, *([old if one == "OLD" else one for one in ids] for ids in lists)) for place, *lists in after
    ]
    assert stands(cli, old, new) == found
    day = {"ALICE_NOW": "2026-02-27T09:00:00Z"}
    assert cli("heartbeat", "--json", env=day).json["settle"] == [], "answered"
    cli("undo", "--yes")
    assert stands(cli, old, new) == [("personal", [], []), ("low_value", [], [])]


@table("key", "after")
@pytest.mark.parametrize("words", [("review",), ("approve", "1"), ("reply", "approve 1")])
def test_at_a_terminal_one_card_asks(
    home: Path,
    cli: Call,
    screen: Open,
    words: tuple[str, ...],
    key: str,
    after: list[tuple[str, list[str], list[str]]],
) -> None:
    when, first, second = PAIRS["en"]
    old = cli("remember", first, "--when", when, "--json").json["id"]
    new = cli("memorize", second, "--when", when, "--about", "user", "--json").json["id"]
    cli("heartbeat")
    terminal = screen(home, *words)
    go_through(terminal, ["a", key] if words == ("review",) else [key])
    assert terminal.end() == (5 if key == "l" and words != ("review",) else 0)
    assert "Which one holds?" in terminal.said and first in terminal.said
    found = [
        (place, *([old if one == "OLD" else one for one in ids] for ids in lists)) for place, *lists in after
    ]
    assert stands(cli, old, new) == found


@pytest.mark.parametrize(("key", "won"), [("n", 1), ("o", 0), ("b", None), ("x", None)])
def test_two_trusted_ones_are_the_same_card(
    home: Path, cli: Call, screen: Open, key: str, won: int | None
) -> None:
    texts = ("I am allergic to peanuts", "I am not allergic to peanuts")
    ids = [
        cli("remember", text, "--json", env={"ALICE_NOW": f"2026-02-20T0{hour}:00:00Z"}).json["id"]
        for hour, text in enumerate(texts, start=7)
    ]
    (pair,) = cli("heartbeat", "--peek", "--json").json["settle"]
    assert (pair["id"], pair["with"]["id"]) == (ids[1], ids[0])
    terminal = screen(home, "review")
    go_through(terminal, [key])
    assert terminal.end() == 0
    found = stands(cli, *ids)
    if key == "x":
        assert [place for place, *_ in found] == ["archive", "archive"]
    else:
        assert [replaces for _, replaces, _ in found] == [[ids[1 - at]] if at == won else [] for at in (0, 1)]
        assert [both for *_, both in found] == [[], [ids[0]] if key == "b" else []]
    assert cli("heartbeat", "--json", env={"ALICE_NOW": "2026-02-27T09:00:00Z"}).json["settle"] == []


def test_what_waits_or_is_in_doubt_is_not_told_and_nobody_is_asked(cli: Call, pair: tuple[str, str]) -> None:
    old, new = pair
    third = cli("remember", "ask the team lead what to do with the commits", "--json").json["id"]
    cli("approve", third, "--replaces", old, "--yes")
    assert cli("approve", new, "--yes", "--json").json["ids"] == [new]


def test_what_was_replaced_is_recalled_again_once_nothing_replaces_it(
    home: Path, cli: Call, pair: tuple[str, str]
) -> None:
    old, new = pair
    asked = cli("show", old, "--json").json["payload"]

    def told(actor: str) -> set[str]:
        alice = Alice(home, actor=actor)
        return {one["id"] for one in alice.call("recall", {"query": asked})["matches"]}

    assert told("user") == told("agent:ci") == {old, new}
    cli("reply", "1 new", "--yes")
    assert told("user") == told("agent:ci") == {new}
    cli("retire", new, "--reason", "gone")
    assert told("user") == told("agent:ci") == {old}


def test_what_the_person_replaced_asks_nothing_again(home: Path, cli: Call) -> None:
    """A third rule is compared with what holds now, and not with what waits for that."""
    cli("memorize", "Order beans on Mondays", "--when", "ordering")
    old = cli("heartbeat", "--json").json["items"][0]["id"]
    cli("approve", "1", "--yes")
    cli("memorize", "Order beans on Thursdays", "--when", "ordering")
    assert "which holds?" in cli("heartbeat").stdout
    cli("approve", "1", "--replaces", old, "--yes")
    cli("memorize", "Order beans on Thursdays before three", "--when", "ordering")
    shown = cli("heartbeat").stdout
    assert "Order beans on Thursdays [" in shown and "Mondays" not in shown


@pytest.fixture(params=["en", "zh", "values"])
def both_wait(request: pytest.FixtureRequest, home: Path, cli: Call) -> tuple[str, str]:
    """Two candidates of which one alone can hold; the report shows them as 1 and 2."""
    when, old, new = PAIRS[request.param]
    for text in (old, new):
        cli("memorize", text, "--when", when, "--about", "user")
    first, second = (item["id"] for item in cli("heartbeat", "--json").json["items"])
    return first, second


@table("answer", "commands", "after")
def test_two_that_wait_are_one_question_too(
    cli: Call, both_wait: tuple[str, str], answer: str, commands: tuple[str, ...], after: tuple[str, str]
) -> None:
    for words in commands:
        done = cli(*words.split(), "--yes", "--json").json
        assert sorted(done["ids"]) == sorted(both_wait)
        assert tuple(cli("show", one, "--json").json["set"] for one in both_wait) == after, words
        if words.startswith("reply"):
            kept = [one for one, place in zip(both_wait, after, strict=True) if place == "personal"]
            assert (sorted(done["approved"]), done["left_out"]) == (sorted(kept), [])
        cli("undo", "--yes")
        assert [place for place, *_ in stands(cli, *both_wait)] == ["low_value"] * 2
    assert "alice-exp reply '2 new', or old, both, neither" in cli("heartbeat", "--peek").stdout
    page = cli("heartbeat", "--peek", "--format", "html").stdout
    page = page.replace(both_wait[0], "1").replace(both_wait[1], "2")
    assert f'data-command="{commands[-1]}"' in page, answer


@pytest.mark.parametrize(
    ("keys", "after"),
    [
        ("n", ["archive", "personal"]),
        ("o", ["personal", "archive"]),
        ("b", ["personal"] * 2),
        ("x", ["archive"] * 2),
        ("l", ["low_value"] * 2),
    ],
)
def test_the_review_asks_once_of_two_that_wait(
    home: Path, cli: Call, screen: Open, keys: str, after: list[str]
) -> None:
    when, *texts = PAIRS["en"]
    for text in texts:
        cli("memorize", text, "--when", when, "--about", "user")
    ids = [item["id"] for item in cli("heartbeat", "--json").json["items"]]
    terminal = screen(home, "review")
    go_through(terminal, [*keys])
    assert terminal.end() == 0 and terminal.said.count("Which one holds?") == 1
    assert terminal.said.count("1/1") == 1 and all(text in terminal.said for text in texts)
    assert [place for place, *_ in stands(cli, *ids)] == after


def test_the_page_offers_the_four_answers(cli: Call, pair: tuple[str, str]) -> None:
    old, new = pair
    page = cli("heartbeat", "--peek", "--format", "html").stdout
    for command in (
        f"approve {new} --replaces {old}",
        f"approve {new} --both {old}",
        f"reject {new} --neither {old}",
    ):
        assert f'data-command="{command}"' in page
    assert page.count(f'data-name="{new}"') == 4, "and to reject it keeps the old one"


@table("words", "code")
def test_an_answer_names_one_candidate_and_a_trusted_block(
    cli: Call, pair: tuple[str, str], words: str, code: int
) -> None:
    done = cli(*words.replace("OLD", pair[0]).split(), check=False)
    assert done.code == code


OFF, FINE = "no deployments on Friday afternoons", "it is fine to ship on a Friday afternoon"


@pytest.fixture
def unnamed(home: Path, cli: Call) -> str:
    known = str(cli("memorize", OFF, "--when", "deploying", "--json").json["id"])
    cli("approve", known, "--yes")
    return known


def test_an_agent_says_what_its_text_ends_and_the_person_is_asked(
    home: Path, cli: Call, unnamed: str
) -> None:
    """What rules of words do not see the host's model reads: it is told what is near, and says which of it is over."""
    agent, sent = Alice(home, actor="agent:ci"), {"payload": FINE, "trigger": "deploying late in the week"}
    first = agent.call("memorize", sent)
    assert first["near"] == [{"id": unnamed, "payload": OFF}]
    assert [one["relation"] for one in cli("heartbeat", "--json").json["items"][0]["relations"]] == ["near"]
    second = agent.call("memorize", {**sent, "replaces": [unnamed]})
    assert (second["id"], second["merged"], "near" in second) == (first["id"], True, False)
    assert cli("show", first["id"], "--json").json["observations"] == 0
    agent.call("memorize", {**sent, "replaces": [unnamed]})
    again = cli("show", first["id"], "--json").json
    assert (again["observations"], again["replaces"]) == (1, [unnamed])
    assert "by its proposer's word this no longer holds" in cli("heartbeat").stdout
    assert cli("reply", "approve all", "--yes", check=False).code == 5
    assert stands(cli, unnamed, first["id"]) == [("universal", [], []), ("low_value", [unnamed], [])]
    cli("reply", "1 replaces", "--yes")
    assert stands(cli, unnamed, first["id"]) == [("universal", [], []), ("universal", [unnamed], [])]
    with pytest.raises(NotFoundError):
        agent.call("memorize", {"payload": "use rg", "replaces": ["exp-99999999"]})
    # What is trusted is not the agent's to speak for.
    agent.call("memorize", {"payload": OFF, "trigger": "deploying", "replaces": [first["id"]]})
    assert stands(cli, unnamed) == [("universal", [], [])]


def test_what_shares_no_word_with_it_may_be_over_too(home: Path, cli: Call, unnamed: str) -> None:
    for text in ("八月里不开回顾会", "no deployments on Friday afternoons or evenings"):
        cli("--actor", "agent:ci", "memorize", text, "--when", "x", "--replaces", unnamed)
    for item in cli("heartbeat", "--json").json["items"]:
        found = [(one["id"], one["relation"]) for one in item["relations"] if one["where"] == "trusted"]
        assert found == [(unnamed, "replaces")]


def test_what_is_near_for_an_agent_is_of_its_project_and_holds_no_secret(
    home: Path, cli: Call, unnamed: str
) -> None:
    shop = cli("memorize", "ship on a Friday afternoon, late", "--project", "shop", "--json").json["id"]
    cli("approve", shop, "--yes")
    cli("remember", "the wifi password is hunter2secret99", "--when", "joining the wifi")
    agent = Alice(home, actor="agent:ci")
    (near,) = agent.call("memorize", {"payload": "the wifi password is another since May"})["near"]
    assert near["payload"].startswith("the wifi pass") and "hunter2" not in near["payload"]
    told = agent.call("memorize", {"payload": "one may ship late on a Friday afternoon"}).get("near", [])
    assert shop not in [one["id"] for one in told]


def test_the_one_block_beside_a_candidate_takes_the_answer(home: Path, cli: Call, unnamed: str) -> None:
    new = cli("memorize", FINE, "--when", "deploying late in the week", "--json").json["id"]
    cli("heartbeat")
    cli("reply", "1 replaces", "--yes")
    assert stands(cli, new) == [("universal", [unnamed], [])]
    shop = cli("memorize", "pin each version of the shop", "--project", "shop", "--json").json["id"]
    cli("approve", shop, "--yes")
    other = cli("memorize", "no deployments on Friday evenings", "--when", "deploying", "--json").json["id"]
    cli("approve", other, "--yes")
    for text in (
        "use rg",
        "leave versions of the shop open, pin none",
        "it is fine to ship on a Friday, evening or afternoon",
    ):
        left = cli("memorize", text, "--json").json["id"]
        cli("heartbeat")
        assert "contradicts nothing" in cli("reply", "1 replaces", "--yes", check=False).stderr
        assert stands(cli, left) == [("low_value", [], [])]
        cli("reject", left, "--yes")


@table("text", "code", "places")
def test_an_answer_about_two_that_wait_decides_both_once(
    home: Path, cli: Call, text: str, code: int, places: str
) -> None:
    """``places``: where the two of the pair and a third candidate are afterwards."""
    when, old, new = PAIRS["values"]
    ids = [cli("memorize", one, "--when", when, "--json").json["id"] for one in (old, new)]
    ids.append(cli("memorize", "build the Docker image", "--when", "packing", "--json").json["id"])
    cli("heartbeat")
    numbers = {one["id"]: str(one["number"]) for one in cli("heartbeat", "--peek", "--json").json["items"]}
    written = text
    for letter, one in zip("abc", ids, strict=True):
        written = written.replace(letter.upper(), numbers[one])
    done = cli("reply", written, "--yes", check=False)
    assert done.code == code, done.stderr
    assert "".join(cli("show", one, "--json").json["set"][0] for one in ids) == places

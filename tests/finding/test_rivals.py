from dataclasses import replace

from alice_exp.finding.rules.choice import are_rivals
from alice_exp.model.rules.doubt import waiting
from alice_exp.model.values.block import Block, Doubt, Payload, Placed, path_of
from tests.approvals import approved
from tests.case_tables import table


def trusted(
    name: str, *, day: int = 1, replaces: str = "", both: str = "", doubt: Doubt | None = None
) -> Placed:
    """A block ``a`` approved on a day, which replaces or goes with others (``"b c"``)."""
    block = Block(
        name, Payload(name), replaces=tuple(replaces.split()), both=tuple(both.split()), doubt=doubt
    )
    path = path_of("universal", "tool_usage")
    return Placed(approved(block, path, f"2026-02-{day:02}T09:00:00Z"), path)


@table("one", "other", "nearness", "found")
def test_a_persons_answer_stands_above_nearness(
    one: dict[str, str], other: dict[str, str], nearness: str | None, found: str | None
) -> None:
    assert are_rivals(trusted("a", **one), trusted("b", **other), nearness) == found  # type: ignore[arg-type]


def test_what_a_candidate_claims_is_no_answer() -> None:
    for claim in ({"replaces": "b"}, {"both": "b"}):
        candidate = replace(trusted("a", **claim), path=path_of("low_value", "pending_20260220"))
        assert are_rivals(candidate, trusted("b"), "opposes") == "rival"
        assert are_rivals(candidate, trusted("b"), None) is None
        assert waiting([candidate, trusted("b")]) == frozenset()


def test_a_loser_waits_while_its_winner_is_there_approved_and_not_in_doubt() -> None:
    winner = trusted("a", replaces="b c")
    assert waiting([winner, trusted("b")]) == {"b", "c"}
    assert waiting([trusted("b")]) == frozenset()
    assert (
        waiting([trusted("a", replaces="b", doubt=Doubt(1.2, "2026-02-20", "2026-02-20T09:00:00Z"))])
        == frozenset()
    )
    edited = replace(winner, block=replace(winner.block, payload=Payload("another text")))
    assert waiting([edited]) == frozenset()


def test_what_waits_still_holds_its_own_loser_back() -> None:
    assert waiting([trusted("a", day=2, replaces="b"), trusted("b", replaces="c")]) == {"b", "c"}


@table("blocks", "found")
def test_a_circle_leaves_the_word_said_last(blocks: list[tuple[str, int, str]], found: set[str]) -> None:
    assert waiting([trusted(name, day=day, replaces=of) for name, day, of in blocks]) == found


def test_both_takes_the_word_of_replacing_back() -> None:
    for one, other in (({"both": "b"}, {}), ({}, {"both": "a", "replaces": "c"})):
        pair = [trusted("a", replaces="b", **one), trusted("b", **other)]
        assert "b" not in waiting(pair)

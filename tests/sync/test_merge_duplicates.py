"""Equal candidates that two machines captured apart become one, and nothing is counted twice (DESIGN 3, issue 7)."""

from dataclasses import replace

import pytest

from alice_exp.model.rules.doubt import replayed
from alice_exp.model.rules.lifecycle import outcome
from alice_exp.model.values.block import Archived, Block, Payload, Placed, Record
from alice_exp.sync.rules.merge_blocks import merge, unite
from alice_exp.sync.rules.merge_homes import merge_trees

POOL = "low_value_pool/pending_20260220.jsonc"
TOOLS = "universal/tool_usage.jsonc"
Tree = dict[str, Placed]


def candidate(number: int, said: str = "use rg", **more: object) -> Block:
    at = f"2026-02-2{number}T09:00:00Z"
    made = Block(f"exp-aaaa222{number}", Payload(said), created_at=at, updated_at=at)
    return replace(made, **more)  # type: ignore[arg-type]


def used(block: Block, times: int, scenario: str) -> Block:
    for count in range(times):
        block = outcome(block, True, scenario, f"2026-02-25T09:00:0{count}Z").block
    return block


def tree(*blocks: Block, path: str = POOL) -> Tree:
    return {block.id: Placed(block, path) for block in blocks}


def joined(was: Tree, one: Tree, other: Tree) -> Tree:
    """Merged and united in both orders, which have to agree."""
    results = [unite(merge(was, *sides)[0], was, *sides) for sides in ((one, other), (other, one))]
    assert results[0] == results[1]
    return results[0]


def only(blocks: Tree) -> Block:
    (placed,) = blocks.values()
    return placed.block


def test_two_become_the_older_with_another_observation() -> None:
    now = only(joined({}, tree(candidate(3, "Use  rg!")), tree(candidate(2))))
    assert (now.id, now.payload.content, now.observations) == ("exp-aaaa2222", "use rg", 1)
    assert now.created_at == "2026-02-22T09:00:00Z" and now.updated_at == "2026-02-23T09:00:00Z"


def test_counts_and_evidence_of_both_are_kept_and_may_raise_the_state() -> None:
    now = only(joined({}, tree(used(candidate(2), 2, "here")), tree(used(candidate(3), 1, "there"))))
    assert (now.verifications, now.verifications_local, now.state) == (3, 3, "past")
    assert sorted(piece.scenario for piece in now.evidence) == ["here", "here", "there"]
    assert now.record == Record(3, 0)


def test_a_failure_on_either_machine_stays_in_record_and_doubt() -> None:
    failed = outcome(candidate(3), False, "there", "2026-02-25T09:00:00Z", standing="candidate").block
    now = only(joined({}, tree(used(candidate(2), 1, "here")), tree(failed)))
    assert now.record == Record(1, 1)
    assert now.doubt is not None and now.doubt == replayed(now.evidence, Record(1, 1))


def test_what_was_remembered_on_two_machines_word_for_word_is_one() -> None:
    path = "personal/user_preferences.jsonc"
    now = only(joined({}, tree(candidate(2), path=path), tree(used(candidate(3), 1, "there"), path=path)))
    assert (now.id, now.verifications, now.observations) == ("exp-aaaa2222", 1, 1)
    apart = joined({}, tree(candidate(2), path=path), tree(candidate(3), path=TOOLS))
    assert len(apart) == 2, "about the person, and for all"


def test_what_was_folded_once_is_not_counted_again() -> None:
    """One machine folded the block into its own; the other, which did not know, used it once more."""
    mine, its = used(candidate(2), 1, "here"), used(candidate(3), 2, "there")
    was = tree(its)
    folded = joined({}, tree(mine), was)
    later = joined(was, folded, tree(used(its, 3, "there")))
    assert (only(folded).verifications, only(folded).observations) == (3, 1)
    assert (only(later).verifications, only(later).observations) == (6, 1)
    assert len(only(later).evidence) == 6
    assert only(later).record == Record(6, 0)


def test_what_two_machines_folded_apart_is_counted_once() -> None:
    """A third machine's block came to both, and each folded it into its own, older one."""
    third = used(candidate(4), 2, "third")
    was = tree(third)
    one = joined({}, tree(used(candidate(2), 1, "one")), was)
    now = only(joined(was, one, joined({}, tree(used(candidate(3), 1, "other")), was)))
    assert (now.id, now.verifications, now.observations, len(now.evidence)) == ("exp-aaaa2222", 4, 2, 4)


def test_what_was_folded_on_one_machine_and_written_anew_on_the_other_takes_its_outcomes_along() -> None:
    """What took it in may have been written anew, too: then its outcomes tell where they came from."""
    mine, its = used(candidate(2), 1, "here"), used(candidate(3), 2, "there")
    was = tree(its)
    folded = only(joined({}, tree(mine), was))
    edited = replace(used(its, 3, "there"), payload=Payload("use rg, not grep"), updated_at="2026-02-26")
    for left in (folded, replace(folded, payload=Payload("rg first"), updated_at="2026-02-27")):
        now = joined(was, tree(left), tree(edited))
        first, second = (now[block.id].block for block in (mine, its))
        assert (first.verifications, first.observations, first.record) == (1, 0, Record(1, 0))
        assert (second.verifications, second.observations, second.record) == (5, 0, Record(5, 0))
        assert [piece.scenario for piece in first.evidence] == ["here"]
        assert joined(tree(left), now, tree(used(left, 1, "later")))[mine.id].block.verifications == 2


def test_two_outcomes_of_one_second_are_no_sign_that_one_block_took_in_another() -> None:
    """Both stood side by side before; one machine forgot the first, the other used it."""
    mine, its = used(candidate(2, "use fd"), 1, "here"), used(candidate(3), 1, "here")
    now = joined(tree(mine, its), tree(mine), tree(mine, used(its, 1, "there")))
    assert now[mine.id].block == mine
    assert now[its.id].block.verifications == 2


@pytest.mark.parametrize("place", ["universal", "personal"])
def test_a_candidate_goes_into_what_was_decided_meanwhile(place: str) -> None:
    kept = replace(candidate(3), state="reliable", verifications=12)
    path = f"{place}/tool_usage.jsonc" if place == "universal" else "personal/habits.jsonc"
    (placed,) = joined({}, tree(kept, path=path), tree(used(candidate(2), 1, "there"))).values()
    assert (placed.path, placed.block.id, placed.block.state) == (path, kept.id, "reliable")
    assert (placed.block.verifications, placed.block.observations) == (13, 1)


def test_decided_on_one_machine_and_folded_on_the_other_is_one_block() -> None:
    was = tree(used(candidate(3), 1, "there"))
    folded = joined({}, tree(used(candidate(2), 1, "here")), was)
    one = tree(only(folded), path=TOOLS)
    other = tree(only(was), path=TOOLS)
    now = only(joined(was, one, other))
    assert (now.id, now.verifications, now.observations) == ("exp-aaaa2222", 2, 1)
    kept = joined(was, one, tree(only(was), path="personal/habits.jsonc"))
    assert len(kept) == 2, "what is personal and what is for all are two decisions"
    assert [kept[key].block.verifications for key in sorted(kept)] == [1, 1]


def test_what_was_rejected_on_one_machine_is_not_asked_again_on_the_other() -> None:
    rejected = replace(candidate(3), archived=Archived("low_value/x", "2026-02-23T00:00:00Z", "rejected"))
    (placed,) = joined({}, tree(rejected, path="archive/rejected.jsonc"), tree(candidate(2))).values()
    assert (placed.block.id, placed.place) == (rejected.id, "archive")
    old = tree(replace(rejected, archived=None), path="archive/obsolete.jsonc")
    assert len(joined({}, old, tree(candidate(2)))) == 2, "the world may have changed back"


def test_decided_blocks_distinct_keys_and_a_text_that_gave_way_stay_two() -> None:
    for one, other in (
        (tree(candidate(2), path=TOOLS), tree(candidate(3, "Use rg!"), path=TOOLS)),
        (tree(candidate(2, key="a")), tree(candidate(3, key="b"))),
        (tree(candidate(2), path=TOOLS), tree(candidate(3, replaces=("exp-aaaa2222",)))),
    ):
        united = joined({}, one, other)
        assert {"exp-aaaa2222", "exp-aaaa2223"} <= set(united), united
    both = tree(candidate(2), candidate(3))
    assert len(joined({}, both, tree(candidate(2)))) == 2, "somebody keeps two"


def test_one_key_is_one_block() -> None:
    now = only(joined({}, tree(candidate(2, "use rg", key="k")), tree(candidate(3, "use rg -u", key="k"))))
    assert (now.id, now.observations) == ("exp-aaaa2222", 1)


def test_a_block_with_a_comment_stays_apart() -> None:
    text = '{{"blocks": [{{"id": "{}", {}"payload": "use rg", "created_at": "2026-02-2{}T09:00:00Z"}}]}}'
    one = {POOL: text.format("exp-aaaa2222", "", 2).encode()}
    plain, said = (text.format("exp-aaaa2223", word, 3).encode() for word in ("", "/* mine */ "))
    assert merge_trees({}, one, {POOL: plain})[0][POOL].count(b'"payload"') == 1
    kept = merge_trees({}, one, {POOL: said})[0][POOL]
    assert kept.count(b'"payload"') == 2 and b"/* mine */" in kept

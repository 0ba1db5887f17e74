"""Signals beside reports: sensitivity and specificity by kind, from decisions that have both."""

from alice_exp.learning.rules.impact import qualities


def test_shares_are_of_the_decisions_that_were_reported_so() -> None:
    rows: list[tuple[dict[str, bool], bool | None]] = [
        *[({"tests": True}, True)] * 21, *[({"tests": False}, True)] * 4,
        *[({"tests": False, "words": True}, False)] * 4, *[({"tests": True}, False)] * 2,
        ({"tests": True}, None), ({}, True),
    ]  # fmt: skip
    tests, words = qualities(rows)
    assert (tests.kind, tests.seen, tests.both) == ("tests", 32, 31)
    assert (round(tests.ok.value, 2), round(tests.failed.value, 2)) == (0.84, 0.67)
    assert (words.both, words.failed.value, words.ok.total) == (4, 0.0, 0)


def test_nothing_seen_is_nothing_told() -> None:
    assert qualities([({}, True), ({}, None)]) == ()

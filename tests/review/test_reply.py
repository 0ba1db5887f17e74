"""The reply language: what is said plainly is done, what could mean two things is refused (R2.41, R2.42, B2.20)."""

import pytest

from alice_exp.kernel.errors import UsageError
from alice_exp.review.rules.reply import Decision, left_of, named, read
from tests.case_tables import cases, table

REPORT = tuple(f"exp-{letter * 8}" for letter in "abcdefghijkmnpqrstuvwxyz2")
GROUPS = {"1": REPORT[:2]}
SUBJECTS = {"user": REPORT[:2], "work": REPORT[2:4]}


def said(text: str, size: int = 25) -> str:
    """A reply's decisions on a report of that size, each as its verb, numbers and reason."""
    made = read(text, REPORT[:size], GROUPS, lambda: SUBJECTS)
    rows = ((f"{d.verb} {named(d.ids, REPORT)}", d.reason) for d in made)
    return "; ".join(f"{row} because {reason}" if reason else row for row, reason in rows)


PLAIN = cases(__file__, "PLAIN")

UNCLEAR = cases(__file__, "UNCLEAR")


@pytest.mark.parametrize("row", PLAIN)
def test_what_is_said_plainly_is_understood(row: str) -> None:
    text, _, expected = row.partition(" → ")
    assert said(text.replace("\\n", "\n")) == expected


@pytest.mark.parametrize("text", ["", "  ，", *(text for row in UNCLEAR for text in row.split(" | "))])
def test_what_could_mean_two_things_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        said(text.replace("\\n", "\n"))
    assert caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        *cases(__file__, "test_a_refusal_says_what_it_read_and_asks_back"),
        ("approve " + "1 " * 3000, "a reply has at most 4096 bytes"),
    ],
)
def test_a_refusal_says_what_it_read_and_asks_back(text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        said(text)
    assert str(caught.value) == sentence


@table("text", "size", "expected")
def test_groups_subjects_and_words_for_one_stand_for_their_numbers(
    text: str, size: int, expected: str
) -> None:
    assert said(text, size) == expected


@pytest.mark.parametrize(
    "text", ["第一组不要，1同意", "approve it", "那条不要", "approve exp-aaaaaaaa but not 1"]
)
def test_what_is_decided_twice_or_one_of_several_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        said(text)


def test_a_reading_is_plain_values_and_says_what_is_left() -> None:
    made = read("拒绝 2，因为旧了", REPORT[:3])
    assert made == (Decision("reject", REPORT[1:2], "旧了"),)
    assert left_of(made, REPORT[:3]) == (REPORT[0], REPORT[2])

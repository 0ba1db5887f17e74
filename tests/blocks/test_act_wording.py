"""Acts in the person's language; the commit's own subject is English in every home (DESIGN 5)."""

from collections.abc import Iterator

import pytest

from alice_exp.blocks.cli.lifetime_commands import in_words
from alice_exp.kernel.journal.act import Commit
from alice_exp.terminal import language
from tests.case_tables import table


@pytest.fixture
def chinese() -> Iterator[None]:
    language.choose("zh")
    yield
    language.choose("")


@table("subject", "said")
def test_an_act_is_told_in_chinese(chinese: None, subject: str, said: str) -> None:
    assert in_words(Commit("", subject, "", "user", "")) == said


def test_an_act_is_told_in_english_as_it_is_committed() -> None:
    language.choose("en")
    assert in_words(Commit("", "retire exp-7k2m9q4x", "", "user", "")) == "retire exp-7k2m9q4x"

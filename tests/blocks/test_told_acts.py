"""Acts in the person's language; the commit's own subject is English in every home (DESIGN 5)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from alice_exp.blocks.cli.told_acts import in_words
from alice_exp.kernel.journal.act import Commit
from alice_exp.terminal import language
from tests.conftest import Call


@pytest.fixture
def chinese() -> Iterator[None]:
    language.choose("zh")
    yield
    language.choose("")


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        (
            "outcome exp-7k2m9q4x: past → reliable (10 verified)",
            "结果 exp-7k2m9q4x：曾经 → 可靠（验证 10 次）",
        ),
        (
            "outcome exp-7k2m9q4x: verified, possible (2 verified)",
            "结果 exp-7k2m9q4x：验证，可能（验证 2 次）",
        ),
        ("outcome: ok of dec-l8i7ali4", "结果：成功 dec-l8i7ali4"),
        ("heartbeat 2 blocks: 2 waiting, 0 expired", "日报 2 条经验：2 条等待，0 条到期"),
        ("undo exp-7k2m9q4x: takes back retire 3e616252", "撤销 exp-7k2m9q4x：作废 3e616252"),
        (
            "adopt 2 blocks: personal/clinic_care, 1 new, 1 removed",
            "收进手工改动 2 条经验：personal/clinic_care, 新增 1 条, 删掉 1 条",
        ),
        ("restore exp-7k2m9q4x: into universal/vaccines", "找回 exp-7k2m9q4x：归入 universal/vaccines"),
        ("outcome exp-7k2m9q4x: noted, past (1 verified)", "结果 exp-7k2m9q4x：计入，曾经（验证 1 次）"),
        ("memorize exp-7k2m9q4x", "记下候选 exp-7k2m9q4x"),
        ("Merge branch main: of another tool", "Merge branch main: of another tool"),
    ],
)
def test_an_act_is_told_in_chinese(chinese: None, subject: str, said: str) -> None:
    assert in_words(Commit("", subject, "", "user", "")) == said


def test_an_act_is_told_in_english_as_it_is_committed() -> None:
    language.choose("en")
    assert in_words(Commit("", "retire exp-7k2m9q4x", "", "user", "")) == "retire exp-7k2m9q4x"


def test_what_nobody_approved_takes_in_no_repetition(home: Path, cli: Call) -> None:
    typed = '{"blocks": [{"id": "exp-aaaaaaa2", "payload": "use fd to find files", "trigger": "finding"}]}\n'
    (home / "experiences/universal/tool_usage.jsonc").write_text(typed)
    said = ("memorize", "Use fd to find files.", "--when", "looking for a name", "--json")
    assert cli(*said).json["id"] != "exp-aaaaaaa2"

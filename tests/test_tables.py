"""Tables on a terminal: ids and places are never broken, wide characters keep their columns, prose has room."""

import re

import pytest

from alice_exp.kernel.text.display import cells
from alice_exp.terminal.tables import draw

COLUMNS = ["score", "id", "where", "state", "what is known"]
ROWS = [
    [
        "0.320",
        "exp-vpbcru89",
        "personal/user_preferences",
        "reliable",
        "用中文回答；代码、命令、标识符和提交信息保持英文，" * 3,
    ],
    ["0.148", "exp-m4c4m8x7", "universal/system_info", "past", "use rg"],
]


def drawn(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    draw(COLUMNS, ROWS)
    return plain(capsys)


def plain(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines as a reader sees them: a table is drawn for a terminal, with its styles."""
    return [re.sub(r"\x1b\[[\d;]*m", "", line).rstrip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("width", [80, 100, 140])
def test_nothing_short_is_broken_and_no_line_is_too_long(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = drawn(capsys, monkeypatch, width)
    assert max(map(cells, lines)) <= width
    for row in ROWS:
        assert sum(all(cell in line for cell in row[:4]) for line in lines) == 1


def test_where_prose_has_no_room_beside_it_stands_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = drawn(capsys, monkeypatch, 80)
    at = next(number for number, line in enumerate(lines) if "exp-m4c4m8x7" in line)
    assert lines[at + 1] == "   use rg"
    wide = drawn(capsys, monkeypatch, 140)
    assert any("exp-m4c4m8x7" in line and line.endswith("use rg") for line in wide)


def test_a_terminal_narrower_than_the_short_columns_loses_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join("".join(drawn(capsys, monkeypatch, 44)).split())
    assert "score" in text and "system_info" in text and max(map(cells, drawn(capsys, monkeypatch, 44))) <= 44


def test_two_columns_of_prose_stand_below_where_one_is_not_enough(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    task, action = "run the full test suite on the new runner", "make up && make test && make down"
    draw(
        ["id", "when", "worked", "reward", "task", "action"],
        [
            ["ep-mw99td42", "2026-02-19T07:20:11Z", "yes", "0.85", task, action],
            ["ep-psbojd9v", "2026-02-18T04:10:57Z", "no", "0.20", "排查围栏告警反复触发的原因", ""],
        ],
    )
    lines = [line for line in plain(capsys) if line]
    assert lines[2:] == [
        " ep-mw99td42   2026-02-19T07:20:11Z   yes      0.85",
        f"   {task}",
        f"   {action}",
        " ep-psbojd9v   2026-02-18T04:10:57Z   no       0.20",
        "   排查围栏告警反复触发的原因",
    ]


def test_chinese_with_a_number_in_it_fills_its_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = "周五 15 点以后不要发布，留到周一上午；紧急修复先问值班的人，再看监控"
    draw(["what", "score", "id", "state", "what is known"], [["apply", "0.1", "exp-c78jx2vd", "past", said]])
    lines = [line for line in plain(capsys) if line]
    assert lines[2].endswith("周五 15 点以后不要发布，留到周一上午；")
    assert "".join(line.split()[-1] for line in lines[3:]) == "紧急修复先问值班的人，再看监控"

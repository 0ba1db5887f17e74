"""Lines cut at the width of a terminal: between Chinese characters too, never within a command in quotes."""

import pytest

from alice_exp.kernel.text.display import cells, wrapped

_COMMAND = "'alice-exp reply approve 1, reject 2'"


@pytest.mark.parametrize("width", range(40, 100))
@pytest.mark.parametrize(
    "before", ["", "一共有三条等你决定，", "Three things wait for your decision. Answer with "]
)
def test_a_command_in_quotes_is_not_parted(width: int, before: str) -> None:
    lines = wrapped(f"{before}{_COMMAND}, or go through them with 'alice-exp review'. It isn't long.", width)
    assert any(_COMMAND in line for line in lines)
    assert max(map(cells, lines)) <= width


def test_a_quote_that_never_ends_is_cut_all_the_same() -> None:
    lines = wrapped("see 'alice-exp " + "word " * 30, 40)
    assert max(map(cells, lines)) <= 40 and len(lines) > 3


def test_no_line_ends_with_an_opening_mark() -> None:
    for width in range(8, 40):
        lines = wrapped("其中 23 条与你有关，同意后归入「个人」，其余（未决定的）归入「通用」。", width)
        assert not any(line.endswith(("「", "（")) for line in lines), lines

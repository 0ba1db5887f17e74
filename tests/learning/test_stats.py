"""``stats`` in every form: counts in a fixed order, a picture of how experience grew, both languages (issue 4.8)."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.text.display import cells
from alice_exp.learning.cli.assess_commands import growth

Call = Callable[..., Any]
LATER = {"ALICE_NOW": "2026-02-22T09:00:00Z"}


@pytest.fixture
def told(home: Path, cli: Call) -> Path:
    """Three blocks of two days in three sets and types."""
    cli("remember", "eats spicy food")
    cli("memorize", "use rg", "--type", "rule")
    cli("memorize", "<script>alert(1)</script>", "--type", "fact", env=LATER)
    return home


def test_the_page_stands_alone_and_says_what_json_says(told: Path, cli: Call) -> None:
    page = cli("stats", "--format", "html", env=LATER).stdout
    counts = cli("stats", "--json", env=LATER).json
    assert not re.search(r"https?://|src=|href=|<script|@import|url\(", page)
    assert "default-src 'none'" in page
    assert page.count("<h2>") == 6 and '<path class="line"' in page
    for part in ("by_set", "by_state", "by_type", "by_age", "by_reads"):
        for name, count in counts[part].items():
            assert re.search(
                rf'<span>{name.replace("_", "[ _]")}</span><i style="[^"]+"></i><b>{count}</b>', page
            )
    assert "2026-02-20: 2 blocks · 2026-02-22: 3 blocks" in page
    assert list(counts["by_age"]) == ["today", "this week"]


def test_the_page_and_the_bars_speak_chinese(told: Path, run: Call) -> None:
    page = run("stats", "--format", "html", env={"ALICE_LANG": "zh"}).stdout
    assert '<html lang="zh">' in page
    titles = re.findall("<h2>(.*?)</h2>", page)
    assert titles == ["增长情况", "按经验集", "按状态", "按类型", "按时间", "按读取次数"]
    bars = [line for line in run("stats", env={"ALICE_LANG": "zh"}).stdout.splitlines() if "█" in line]
    assert len({cells(line.partition("█")[0]) for line in bars}) == 1, "the bars begin in one column"


def test_growth_is_drawn_where_the_days_lie() -> None:
    drawn = growth((("2026-01-01", 1), ("2026-01-02", 2), ("2026-01-11", 4)))
    assert "M24.0,168.0H24.0V168.0H91.2V120.0H696.0V24.0H696" in drawn
    assert "M24.0,24.0H24.0V24.0H696" in growth((("2026-01-01", 3),))


def test_an_empty_home_and_a_wrong_format(home: Path, cli: Call) -> None:
    assert "<svg" not in cli("stats", "--format", "html").stdout
    assert cli("stats", "--format", "pdf", check=False).code == 2

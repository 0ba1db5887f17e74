"""The table of sizes: growth is refused, and ``--write`` only lowers."""

from tests import size

TABLE = "# for readers\npackage.lines 100\nroom.model 10\n"


def test_growth_is_told_with_its_row_and_shrinking_lowers_that_row_alone() -> None:
    found = {"package.lines": 90, "room.model": 11, "room.home": 5}

    assert [problem.split(":")[0] for problem in size.told(size.limits(TABLE), found)] == [
        "room.model is 11, 1 above tests/size.txt"
    ]
    assert size.lowered(TABLE, found) == "# for readers\npackage.lines 90\nroom.model 10\n"


def test_every_row_of_the_table_is_measured() -> None:
    assert set(size.limits(size.TABLE.read_text(encoding="utf-8"))) <= set(size.measures())

"""Reading beside an earlier version: the same answer as reading anew, with what stands unchanged taken over."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alice_exp.kernel.jsonc.document import Document, Unchanged
from alice_exp.kernel.jsonc.reader import parse
from tests.case_tables import cases
from tests.fuzz import SCALE

PIECES = cases(__file__, "PIECES")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A file with a list: sound or broken, with comments, JSON5 and members around the list."""
    before = draw(st.sampled_from(["", '"x": 1, ', '"x": {"y": [1]},\n', "// top\n", "'z': 2,"]))
    after = draw(st.sampled_from(["", ",", ', "y": 2', ', "blocks": []', " // end\n"]))
    between = draw(st.sampled_from([",", ", ", ",\n", ",\n // k\n", " /* q */,"]))
    listed = between.join(draw(st.lists(st.sampled_from(PIECES), max_size=9)))
    return f'{{{before}"blocks": [{listed}{draw(st.sampled_from(["", ","]))}]{after}}}'


@st.composite
def versions(draw: st.DrawFn) -> tuple[str, str]:
    """A file and what became of it: something cut out and put in, or another file altogether."""
    old = draw(texts())
    if not draw(st.booleans()):
        return old, draw(texts())
    start = draw(st.integers(0, len(old)))
    end = draw(st.integers(start, len(old)))
    return old, old[:start] + "".join(draw(st.lists(st.sampled_from(PIECES), max_size=3))) + old[end:]


def read(text: str, was: Document | None = None) -> Document:
    return parse(text.encode("utf-8", "surrogatepass"), "universal/x.jsonc", was=was)


@settings(max_examples=300 * SCALE)
@given(versions())
def test_reading_beside_an_earlier_version_is_reading(pair: tuple[str, str]) -> None:
    old, new = pair
    assert repr(read(new, read(old))) == repr(read(new))


def listing(*rows: str) -> str:
    return '{\n  "blocks": [\n' + ",\n".join(f"    {row}" for row in rows) + "\n  ]\n}\n"


ROWS = [f'{{"id": "exp-{letter * 8}", "payload": "{letter}"}}' for letter in "abcde"]
CHANGED = '{"id": "exp-cccccccc", "payload": "other"}'


@pytest.mark.parametrize(
    ("rows", "fresh"),
    [
        (ROWS, []),
        ([*ROWS, CHANGED], [5]),
        ([CHANGED, *ROWS], [0]),
        ([*ROWS[:2], CHANGED, *ROWS[3:]], [2]),
        ([*ROWS[:1], *ROWS[3:]], []),
        (ROWS[:3], []),
    ],
    ids=["nothing", "appended", "put before", "one changed", "taken out", "cut"],
)
def test_what_stands_unchanged_is_the_same_object(rows: list[str], fresh: list[int]) -> None:
    was = read(listing(*ROWS))
    new = read(listing(*rows), was)
    known = {id(item) for item in was.items}
    read_again = [at for at, item in enumerate(new.items) if id(item) not in known]
    # the neighbour of a cut is read again: its end stood where the texts begin to differ
    assert set(fresh) <= set(read_again)
    assert len(read_again) <= len(fresh) + 1
    assert new == read(listing(*rows))


def test_moved_elements_are_known_by_their_text() -> None:
    values: list[Any] = [object() for _ in ROWS]
    was = read(listing(*ROWS))
    known = Unchanged(was, values)
    assert known.of(was) == values
    assert known.of(read(listing(*reversed(ROWS)), was)) == values[::-1]
    assert known.of(read(listing(ROWS[3], CHANGED, ROWS[0]))) == [values[3], None, values[0]]


def test_a_file_without_its_list_has_no_elements() -> None:
    assert list(read("[1]").items) == []
    assert list(read("{").items) == []
    assert list(read('{"blocks": 1}').items) == []


@pytest.mark.parametrize(
    ("old", "new"),
    cases(__file__, "test_what_was_no_element_before_is_read"),
    ids=["taken out of a comment", "put into one", "taken out of a list", "taken out of a text"],
)
def test_what_was_no_element_before_is_read(old: str, new: str) -> None:
    """Unchanged text may mean something else now: only where an element began before are the rest taken over."""
    assert repr(read(new, read(old))) == repr(read(new))

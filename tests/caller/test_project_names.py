"""The names of projects: keys of remotes, of folders, and which older names stay theirs (DESIGN 7)."""

from collections.abc import Sequence

import pytest

from alice_exp.blocks.rules.grounding import held_in
from alice_exp.caller.project import MOST, Projects, Spot, remote_key
from tests.case_tables import cases, table


@pytest.mark.parametrize(
    ("url", "key", "older"),
    [
        *cases(__file__, "test_the_key_of_a_remote_is_its_host_and_whole_path"),
        ("https://example.org/" + "x" * 600, "", ""),
    ],
)
def test_the_key_of_a_remote_is_its_host_and_whole_path(url: str, key: str, older: str) -> None:
    assert remote_key(url, "/home/me/tool") == (key, older)


def repository(path: str, remote: str = "", stamp: str = "1", named: str = "") -> Spot:
    return Spot(path, True, stamp, remote, "/".join(remote.split("/")[-2:]), named)


def told(spots: Sequence[tuple[Spot, str]], there: Sequence[str] = ()) -> tuple[Projects, str]:
    """What a machine knows after these folders (each with the name that is new then), and the last one's names."""
    known = Projects()
    for spot, fresh in spots:
        known, key = known.met(spot, fresh, there.__contains__)
        known = Projects.read(*(one.encode().decode() for one in known.settings().values()))
    return known, known.here(spot, key).names


A, B = "github.com/x/x", "gitlab.example.com/group/x/x"


@pytest.mark.parametrize(
    ("spots", "names"),
    [
        ([(repository("/a", A), "n1")], f"{A} x/x"),
        ([(repository("/a", B), "n1")], f"{B} x/x"),
        ([(repository("/a b=c\udcff"), "n1"), (repository("/a b=c\udcff"), "n2")], "n1"),
        ([(repository("/a", stamp=""), "n1"), (repository("/a", stamp=""), "n2")], "n1"),
        ([(Spot("/a b"), "n1")], "/a%20b"),
        # A remote added later, one that is another now, a repository made of a folder.
        ([(repository("/a"), "n1"), (repository("/a", A), "n2")], f"{A} n1 x/x"),
        ([(repository("/a", "old.org/x/y"), "n1"), (repository("/a", A), "n2")], f"{A} old.org/x/y x/x x/y"),
        ([(Spot("/a"), "n1"), (repository("/a"), "n2"), (repository("/a", A), "n3")], f"{A} n2 x/x /a"),
        # A repository that moved; a copy beside it is none.
        ([(repository("/a"), "n1"), (repository("/b"), "n2")], "n1"),
        ([(repository("/there"), "n1"), (repository("/b"), "n2")], "n2"),
        # Another repository in its place.
        ([(repository("/a"), "n1"), (repository("/a", stamp="2"), "n2")], "n2"),
        ([(repository("/a"), "n1"), (repository("/a", A, "2"), "n2")], f"{A} x/x"),
        ([(Spot("/a"), "n1"), (repository("/a", A, "2"), "n2")], f"{A} x/x"),
        # Two that share a name of 0.2.0: the first has it.
        ([(repository("/a", A), "n1"), (repository("/b", B, "2"), "n2")], B),
        # A name that nobody confirmed.
        ([(repository("/a", A, named="y/y"), "n1")], f"{A} x/x"),
        ([(repository("/a", A, named="none"), "n1")], f"{A} x/x"),
        ([(Spot(), "n1")], ""),
    ],
)
def test_a_folder_keeps_the_names_that_it_had(spots: list[tuple[Spot, str]], names: str) -> None:
    found = told(spots, ["/there"])[1].split()
    assert (found[:1], sorted(found)) == (names.split()[:1], sorted(names.split()))


def test_of_many_folders_those_that_are_gone_are_forgotten_unless_they_have_a_name_of_this_machine() -> None:
    gone = [(repository(f"/r{i}", f"a.org/x/r{i}", str(i)), "") for i in range(MOST)]
    known, _ = told([(repository("/n", stamp="n"), "n1"), *gone, (repository("/m", A), "")], ["/r7"])
    assert [one.key for one in known.roots] == ["n1", "a.org/x/r7", f"a.org/x/r{MOST - 1}", A]


def test_what_is_unsure_is_asked_once() -> None:
    both = [(repository("/a", A), "n1"), (repository("/b", B, "2"), "n2"), (repository("/a", A), "n3")]
    known, _ = told(both)
    assert list(known.asked(list)) == [], "where no block has the name there is nothing to ask"
    assert list(known.asked(lambda: ["X/x", "z/z", ""])) == [(B, "X/x", A)]
    for is_own, names in ((True, (B, "X/x", "x/x")), (False, (B,))):
        said = known.answered(B, "X/x", is_own).answered(B, "x/x", is_own)
        assert list(said.asked(lambda: ["X/x"])) == [] and said.names(B) == names
        assert said.names(A) == (A, "x/x")
    named = repository("/a", A, named="tool")
    known, _ = told([(repository("/a"), "n1"), (replaced := repository("/a", A, "2"), "n2"), (named, "n3")])
    assert known.here(replaced, A).names == f"{A} x/x"
    assert list(known.asked(lambda: ["n1"])) == [(A, "n1", ""), (A, "tool", "")]
    said = known.answered(A, "tool", True).answered(A, "n1", False)
    assert list(said.asked(lambda: ["n1"])) == []
    assert said.here(named, A).names == f"tool {A} x/x"
    assert said.here(repository("/a", A, named="other"), A).names == f"{A} x/x", (
        "one name was confirmed, no other"
    )
    assert said.here(repository("/a", A), A).names == f"{A} x/x"
    none = known.answered(A, "none", True, is_written=True)
    assert none.here(repository("/a", A, named="none"), A).names == ""


def test_what_switches_learning_off_is_every_name_that_a_folder_has_or_gives_itself() -> None:
    named = Spot("/in/a", True, "1", A, "x/x", "other", (A, "x/x", "/in/a", "/in"))
    known, key = Projects().met(named, "n1", bool)
    assert known.here(named, key).switches == {A, "x/x", "other", "/in/a", "/in"}
    assert known.answered(A, "tool", True, is_written=True).here(named, key).switches >= {"tool", "other"}
    second, key = Projects().met(repository("/b", B), "n1", bool)[0].met(named, "n2", bool)
    assert "x/x" in second.here(named, key).switches and "x/x" not in second.here(named, key).names.split()
    spots = [(repository("/a", A), "n1"), (Spot("/a"), "n2"), (last := repository("/a", B, "2"), "n3")]
    assert A in told(spots)[0].here(last, B).switches, "whatever the folder was between two repositories"


@pytest.mark.parametrize("text", ["a", "=", "a=b=c=d", "?", "a?", "=b", "a==b", "%ZZ;"])
def test_a_mistyped_setting_says_nothing(text: str) -> None:
    assert Projects.read(text, text) == Projects()


@table("said", "everywhere")
def test_words_say_whether_they_hold_in_every_project(said: str, everywhere: bool) -> None:
    assert held_in("a/b", "", said) == ("" if everywhere else "a/b")

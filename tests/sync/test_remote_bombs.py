"""A remote's bomb ends in one sentence before anything is read, and nothing of it stays (issue 15, point 9)."""

import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from alice_exp.sync.rules import pack_sizes
from alice_exp.sync.rules.pack_sizes import DEPTH, PATHS, PackSizes, is_shallow, most
from tests.conftest import Call
from tests.sync.crafted_pack import CraftedPack, Entry, head, object_id

Git = Callable[..., str]
GOOD = b'{"blocks": []}\n'


def serve(at: Path, pack: CraftedPack, folder: list[Entry]) -> None:
    root = pack.tree([("40000", b"universal", pack.tree(folder))])
    pack.serve(at, pack.commit(root))


def many_deltas(at: Path) -> None:
    pack, zeros = CraftedPack(), bytes(1 << 20)
    base = pack.add("blob", zeros)
    made = [object_id("blob", zeros)]
    for number in range(40):
        pack.delta(base, len(zeros), tail := b"%04d" % number)
        made.append(object_id("blob", zeros, tail))
    serve(at, pack, [("100644", b"f%04d.jsonc" % place, oid) for place, oid in enumerate(made)])


def much_compressed(at: Path) -> None:
    pack = CraftedPack()
    made = [pack.blob(b"%04d" % number + bytes(1 << 20)) for number in range(12)]
    serve(at, pack, [("100644", b"f%04d.jsonc" % place, oid) for place, oid in enumerate(made)])


def folders_in_folders(at: Path) -> None:
    pack = CraftedPack()
    tree = pack.tree([("100644", b"f", pack.blob(b"x"))])
    for _ in range(12):
        tree = pack.tree([("40000", b"d%d" % number, tree) for number in range(10)])
    pack.serve(at, pack.commit(tree))


def a_deep_folder(at: Path) -> None:
    pack = CraftedPack()
    tree = pack.tree([("100644", b"f", pack.blob(b"x"))])
    for _ in range(2000):
        tree = pack.tree([("40000", b"d", tree)])
    pack.serve(at, pack.commit(tree))


def a_long_folder(at: Path) -> None:
    pack = CraftedPack()
    oid = pack.blob(b"x")
    serve(at, pack, [("100644", b"f%06d.jsonc" % number, oid) for number in range(PATHS + 1)])


def a_name_that_leads_out(at: Path) -> None:
    pack = CraftedPack()
    serve(at, pack, [("100644", b"..", pack.blob(GOOD))])


def gits_own_files(at: Path) -> None:
    pack = CraftedPack()
    modules = pack.blob(b'[submodule "x"]\n\tpath = x\n\turl = https://x.example/x\n')
    folder = pack.tree([("100644", b"a.jsonc", pack.blob(GOOD))])
    root = pack.tree([("100644", b".gitmodules", modules), ("40000", b"universal", folder)])
    pack.serve(at, pack.commit(root))


def a_link(at: Path) -> None:
    pack = CraftedPack()
    serve(at, pack, [("120000", b"a.jsonc", pack.blob(b"/etc/passwd"))])


def another_repository(at: Path) -> None:
    serve(at, CraftedPack(), [("160000", b"a.jsonc", bytes([17] * 20))])


def names_in_other_letters(at: Path) -> None:
    pack = CraftedPack()
    oid = pack.blob(GOOD)
    serve(at, pack, [("100644", b"A.jsonc", oid), ("100644", b"a.jsonc", oid), ("100644", b"\xff\xfe", oid)])


def held(home: Path) -> set[str]:
    """The names of all files of the home's repository that hold history."""
    git_dir = home / "experiences/.git"
    found = (path for name in ("objects", "refs", "alice-incoming") for path in (git_dir / name).rglob("*"))
    return {str(path) for path in found if path.is_file()}


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize(
    ("bomb", "said"),
    [
        (many_deltas, "more than a home can be"),
        (much_compressed, "more than a home can be"),
        (folders_in_folders, "holds folders that no home can have"),
        (a_deep_folder, "holds folders that no home can have"),
        (a_long_folder, "holds folders that no home can have"),
        (a_name_that_leads_out, "takes for broken: error: object"),
        (gits_own_files, "the remote holds .gitmodules"),
        (a_link, "the remote holds universal/a.jsonc"),
        (another_repository, "the remote holds universal/a.jsonc"),
        (names_in_other_letters, "the remote holds universal/A.jsonc"),
    ],
)
def test_it_is_refused_with_a_sentence_and_leaves_nothing(
    home: Path,
    cli: Call,
    world: Path,
    monkeypatch: pytest.MonkeyPatch,
    bomb: Callable[[Path], None],
    said: str,
    private: bool,
) -> None:
    if "more than" in said:  # else a slow fetch, judged on its way, may say this of any bomb
        monkeypatch.setattr(pack_sizes, "_BASE", 1 << 20)
    remote = world / "there.git"
    bomb(remote)
    kept = cli("remember", "I like tea", "--json").json["id"]
    cli("sync", "add", str(remote), "--name", "mine", "--yes", *(["--private"] if private else []))
    before = held(home)
    done = cli("sync", check=False)
    assert done.code == 3 and said in done.stderr and len(done.stderr.splitlines()) == 1
    assert held(home) == before
    assert not list((home / "state").glob("published/mine/.git/alice-incoming"))
    assert cli("show", kept, "--json").json["payload"] == "I like tea"


def test_what_a_killed_process_fetched_is_swept_by_the_next_act(home: Path, cli: Call) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    left = home / "experiences/.git/alice-incoming" / str(gone.pid) / ".git/objects/pack/tmp_pack_x"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"PACK")
    (home / "state/files.json").unlink(missing_ok=True)
    cli("memorize", "use rg")
    assert not left.exists()


def fed(data: bytes, piece: int = 7) -> PackSizes:
    sizes = PackSizes()
    for at in range(0, len(data), piece):
        if sizes.feed(data[at : at + piece]):
            break
    return sizes


def test_the_sizes_of_a_pack_are_told_by_its_heads() -> None:
    pack = CraftedPack()
    base = pack.add("blob", b"a" * 5_000)
    pack.delta(base, 5_000, b"bc")
    pack.add("blob", b"")
    sizes = fed(pack.bytes())
    # The delta counts as what git unpacks of it (two sizes of two bytes, one copy, the tail), and as what it makes.
    assert (sizes.whole, sizes.total, sizes.is_exceeded) == (5_000 + 13, 5_000 + 13 + 5_002, False)


@pytest.mark.parametrize("piece", [1, 12, 13, 14, 4096])
def test_a_pack_too_large_is_known_at_its_first_head(piece: int) -> None:
    data = b"PACK\0\0\0\2\0\0\0\1" + head(3, 600 << 20) + zlib.compress(bytes(1000))
    sizes = fed(data, piece)
    assert sizes.is_exceeded and sizes.packed <= 12 + 5 + piece


def test_too_many_objects_are_known_by_the_first_line() -> None:
    assert fed(b"PACK\0\0\0\2" + (pack_sizes.OBJECTS + 1).to_bytes(4, "big")).is_exceeded


def test_what_is_no_pack_is_left_to_git() -> None:
    assert not fed(b"PACK\0\0\0\2\0\0\0\5" + b"\xb0\x01not zlib at all" * 9).is_exceeded


def test_years_of_acts_on_a_file_of_three_megabytes_are_no_bomb() -> None:
    acts = 30 * 365 * 3
    assert most(acts * 700) > acts * 2.8 * 10**6
    assert most(420 << 10) < 5 * 10**9


def test_the_folders_of_a_home_are_shallow_and_nothing_else_is() -> None:
    chain = {str(n): (1, (str(n + 1),)) for n in range(DEPTH)}
    assert is_shallow({"r": (1, ("u", "p", "elsewhere")), "u": (9, ()), "p": (3, ())})
    assert is_shallow(chain) and not is_shallow(chain | {"a": (0, ("0",)), "b": (0, ("a",))})
    assert not is_shallow({"r": (PATHS + 1, ())}) and not is_shallow(
        {"r": (0, ("u",) * 9), "u": (PATHS // 8, ())}
    )
    doubled = {str(n): (0, (str(n + 1),) * 50) for n in range(8)} | {"8": (1, ())}
    assert not is_shallow(doubled), "and it takes no longer than its names"

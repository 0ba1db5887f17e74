"""A person saves in the middle of an act, and the power goes after it: nothing that was saved or reported is lost."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal import atomic_files, commit_writer, transaction
from alice_exp.kernel.journal.act import Message
from alice_exp.kernel.journal.atomic_files import MARK, ChangedOnDisk
from alice_exp.kernel.journal.git_process import LOST, Repository
from alice_exp.kernel.journal.git_references import RepoConfig
from alice_exp.kernel.journal.transaction import FileChange, recover, write
from tests.conftest import Call

OLD, NEW = b"old\n", b"new\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    (tmp_path / "tree" / "a").mkdir(parents=True)
    made = Repository(tmp_path / "tree")
    made.create()
    act(made, {"a/one": FileChange(None, OLD), "a/two": FileChange(None, OLD)})
    return made


def act(repository: Repository, changes: dict[str, FileChange]) -> str:
    message = Message("Ann <ann@example.org>", 1771578000, "an act\n")
    return write(repository, repository.head(), message, changes)


def left(root: Path) -> list[str]:
    return [path.name for path in root.rglob("*") if MARK in path.name]


def at_exchange(monkeypatch: pytest.MonkeyPatch, *saves: Callable[[], object]) -> None:
    """Something happens after each of the first exchanges of names."""
    real, coming = atomic_files.exchange, list(saves)

    def exchanged(one: Path, other: Path) -> None:
        real(one, other)
        if coming:
            coming.pop(0)()

    monkeypatch.setattr(atomic_files, "exchange", exchanged)


def test_the_latest_of_two_saves_around_an_exchange_back_stands(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One came before the exchange, the next between it and the exchange back."""
    one = repository.work_tree / "a/one"
    head = repository.head()
    real = transaction.take_out

    def saved_before(*given: Any) -> Path:
        one.write_bytes(b"first save\n")
        return real(*given)

    monkeypatch.setattr(transaction, "take_out", saved_before)
    at_exchange(monkeypatch, lambda: one.write_bytes(b"second save\n"))
    changes = {"a/two": FileChange(OLD, None), "a/one": FileChange(OLD, NEW)}
    with pytest.raises(ChangedOnDisk):
        act(repository, changes)
    assert one.read_bytes() == b"second save\n" and (repository.work_tree / "a/two").read_bytes() == OLD
    assert repository.head() == head and not left(repository.work_tree)


def test_a_writer_that_holds_the_old_file_open_calls_the_act_off(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = repository.work_tree / "a/one"
    head = repository.head()
    with one.open("r+b", buffering=0) as held:
        # The first file was compared and found the same; the save comes while the second is exchanged.
        at_exchange(monkeypatch, lambda: None, lambda: held.write(b"late\n"))
        with pytest.raises(ChangedOnDisk):
            act(repository, {"a/one": FileChange(OLD, NEW), "a/two": FileChange(OLD, NEW)})
    assert one.read_bytes() == b"late\n" and (repository.work_tree / "a/two").read_bytes() == OLD
    assert repository.head() == head and not left(repository.work_tree)


def test_an_act_under_which_another_git_moved_the_branch_is_not_told_as_done(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = repository.head()
    named = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    made = repository.run(*named, "commit-tree", f"{base}^{{tree}}", "-p", base, "-m", "by hand")
    theirs = made.decode().strip()
    at_exchange(monkeypatch, lambda: repository.run("update-ref", repository.branch(), theirs))
    with pytest.raises(ProblemError) as refused:
        act(repository, {"a/one": FileChange(OLD, NEW)})
    lost = str(refused.value).rpartition("/")[2]
    assert repository.head() == theirs and repository.parent(lost) == base
    assert repository.run("show", f"{LOST}/{lost}:a/one") == NEW


def test_a_save_after_the_act_is_the_next_hand_edit(repository: Repository) -> None:
    one = repository.work_tree / "a/one"
    with one.open("r+b", buffering=0) as held:
        act(repository, {"a/one": FileChange(OLD, NEW)})
        assert one.read_bytes() == NEW and len(left(repository.work_tree)) == 1
        recover(repository)
        assert len(left(repository.work_tree)) == 1
        held.write(b"late\n")
    assert not recover(repository)
    assert one.read_bytes() == b"late\n" and not left(repository.work_tree)


def test_a_late_save_that_is_older_than_the_file_is_kept_in_git(repository: Repository) -> None:
    one = repository.work_tree / "a/one"
    with one.open("r+b", buffering=0) as held:
        act(repository, {"a/one": FileChange(OLD, NEW)})
        held.write(b"late\n")
    one.write_bytes(b"later\n")
    os.utime(one, (2_000_000_000, 2_000_000_000))
    lost = recover(repository)
    assert one.read_bytes() == b"later\n" and not left(repository.work_tree)
    assert repository.resolve(f"{LOST}/{lost}") == lost
    assert repository.run("show", f"{lost}:a/one") == b"late\n"


def test_what_nobody_wrote_into_is_gone_with_its_writer(repository: Repository) -> None:
    with (repository.work_tree / "a/one").open("ab"):
        act(repository, {"a/one": FileChange(OLD, NEW)})
        assert left(repository.work_tree)
    recover(repository)
    assert not left(repository.work_tree)


@pytest.mark.parametrize("said", [OLD, b"a person's save\n"])
def test_a_crash_right_after_the_exchange_loses_no_save(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    one = repository.work_tree / "a/one"
    one.write_bytes(said)

    class PowerCut(BaseException):
        pass

    def cut() -> None:
        raise PowerCut

    at_exchange(monkeypatch, cut)
    with monkeypatch.context() as patched, pytest.raises(PowerCut):
        patched.setattr(transaction, "let_go", lambda _: False)
        act(repository, {"a/one": FileChange(OLD, NEW)})
    assert not recover(repository) and not repository.resolve("refs/alice/pending")
    assert one.read_bytes() == (NEW if said == OLD else said)
    assert not left(repository.work_tree)


def test_the_oldest_way_of_exchanging_names_keeps_what_came_out(tmp_path: Path) -> None:
    from alice_exp.kernel.journal import atomic_files

    path, new = tmp_path / "a", tmp_path / f".a{MARK}1-00000000-{'0' * 32}{atomic_files.OUT}"
    path.write_bytes(OLD)
    new.write_bytes(NEW)
    atomic_files._exchange_by_links(new, path)
    assert (path.read_bytes(), new.read_bytes(), left(tmp_path)) == (NEW, OLD, [new.name])


# -- a power cut: what was not forced to disk is gone ---------------------------------------------------------------


class Disk:
    """Remembers what was forced to disk, and can leave one of these calls out."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, skipped: int = -1, moved: tuple[str, ...] = ("main", "seen")
    ) -> None:
        self.moved = moved
        self.contents: set[tuple[int, int]] = set()
        self.names: dict[int, dict[str, int]] = {}
        self.forced: list[int] = []
        real = os.fsync

        def synced(handle: int) -> None:
            status, place = os.fstat(handle), Path(f"/proc/self/fd/{handle}").resolve()
            if len(self.forced) == skipped:
                pass
            elif place.is_dir():
                self.names[status.st_ino] = {entry.name: entry.inode() for entry in os.scandir(place)}
            else:
                self.contents.add((status.st_ino, status.st_mtime_ns))
            self.forced.append(status.st_ino)
            real(handle)

        monkeypatch.setattr(os, "fsync", synced)

    def lost(self, *paths: Path) -> list[str]:
        """Those of the paths that a power cut would take: their content, or their name, was not forced to disk."""
        return [str(path) for path in paths if not self._is_named(path) or not self._is_whole(path)]

    def _is_whole(self, path: Path) -> bool:
        # Git forces the contents of its own files by itself, in its own process; what an act moves is not git's.
        is_gits = ".git" in path.parts and path.name not in self.moved
        if not path.is_file() or is_gits:
            return True
        status = path.stat()
        return (status.st_ino, status.st_mtime_ns) in self.contents

    def _is_named(self, path: Path) -> bool:
        names = self.names.get(path.parent.stat().st_ino)
        return names is not None and names.get(path.name) == (path.stat().st_ino if path.exists() else None)


def every(
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    written: Callable[[Disk], list[str]],
    prepare: Callable[[], None] = lambda: None,
) -> int:
    """Something is lost without the call of this ``number``; returns how many calls there are after ``prepare``.

    A directory into which several files go is forced after each of them, and the last time makes up for the others.
    """
    prepare()
    with monkeypatch.context() as patched:
        disk = Disk(patched, number)
        lost = written(disk)
    calls = disk.forced
    is_missed = 0 <= number < len(calls) and calls[number] not in calls[number + 1 :]
    assert bool(lost) == is_missed or (lost and number >= 0), f"without call {number} of {len(calls)}: {lost}"
    return len(calls)


def several(repository: Repository, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An act that changes, removes and adds a file; what of it a power cut would take, when decided and when done."""
    tree, git_dir = repository.work_tree, repository.git_dir
    (tree / "b").mkdir(exist_ok=True)
    # What was made a moment ago would be taken for fresh, and forced once more than it needs.
    for folder in (git_dir / "objects").iterdir():
        os.utime(folder, (1, 1))
    turn = repository.run("rev-list", "--count", "HEAD").decode().strip()
    real, lost = transaction._swap_all, list[str]()

    def decided(*given: Any) -> None:
        lost.extend(disk.lost(git_dir / "refs/alice/pending", *(git_dir / "objects/pack").iterdir()))
        real(*given)

    old, new = (tree / "a/one").read_bytes(), turn.encode()
    changes = {
        "a/one": FileChange(old, new),
        "a/two": FileChange(OLD, None),
        f"b/three{turn}": FileChange(None, new),
    }
    if not (tree / "a/two").exists():
        del changes["a/two"]
    with monkeypatch.context() as patched:
        patched.setattr(transaction, "_swap_all", decided)
        act(repository, changes)
    done = [*(tree / path for path in changes), git_dir / "refs/heads/main", git_dir / "refs/alice/seen"]
    return lost + disk.lost(*done, git_dir / "objects/pack")


def test_an_act_needs_each_of_its_fsyncs(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave any one out, and something of the act would not survive a power cut."""
    calls = every(monkeypatch, -1, lambda disk: several(repository, disk, monkeypatch))
    assert calls >= 8
    for number in range(calls):
        every(monkeypatch, number, lambda disk: several(repository, disk, monkeypatch))


class Died(BaseException):
    """The process ends here."""


def dies(*_: object) -> None:
    raise Died


def test_a_recovery_needs_each_of_its_fsyncs(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """An act that was decided and not begun is finished; leave any one call out, and not all of it is on the disk."""
    tree, git_dir = repository.work_tree, repository.git_dir
    one, fresh = tree / "a/one", list[Path]()

    def prepare() -> None:
        turn = repository.run("rev-list", "--count", "HEAD").decode().strip()
        fresh.append(tree / f"a/fresh{turn}")
        changes = {
            "a/one": FileChange(one.read_bytes(), turn.encode()),
            f"a/{fresh[-1].name}": FileChange(None, NEW),
        }
        with monkeypatch.context() as patched, pytest.raises(Died):
            patched.setattr(transaction, "_swap_all", dies)
            act(repository, changes)

    def written(disk: Disk) -> list[str]:
        assert repository.resolve("refs/alice/pending") and not recover(repository)
        return disk.lost(one, fresh[-1], git_dir / "refs/heads/main", git_dir / "refs/alice/seen")

    calls = every(monkeypatch, -1, written, prepare)
    assert calls >= 5
    for number in range(calls):
        every(monkeypatch, number, written, prepare)


def test_an_act_that_the_disk_refused_for_a_moment_is_on_it_all_the_same(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is decided, so it is finished at once, and what is reported as done survives a power cut."""
    one = repository.work_tree / "a/one"

    def refused(*_: object) -> None:
        raise OSError(5, "Input/output error")

    disk = Disk(monkeypatch)
    monkeypatch.setattr(transaction, "_swap_all", refused)
    act(repository, {"a/one": FileChange(OLD, NEW), "a/two": FileChange(OLD, None)})
    assert one.read_bytes() == NEW and not repository.resolve("refs/alice/pending")
    git_dir = repository.git_dir
    assert not disk.lost(one, repository.work_tree / "a/two", git_dir / "refs/heads/main")


def test_git_itself_is_told_to_force_what_it_writes(repository: Repository) -> None:
    """Objects and references are in git's hands: without these settings a commit is in memory when it is reported."""
    assert repository.run("config", "--get", "core.fsync").strip() == b"all"
    assert repository.run("config", "--get", "core.fsyncMethod").strip() == b"fsync"


def test_a_scratch_directory_of_a_dead_process_is_swept_and_a_living_one_is_not(tmp_path: Path) -> None:
    for maker in (2**22 + 1, os.getppid()):
        (tmp_path / f".owner{MARK}{maker}-x").mkdir()
        (tmp_path / f".owner{MARK}{maker}-x/text").write_text("to be signed")
    assert not atomic_files.sweep(tmp_path, dead_only=True)
    assert left(tmp_path) == [f".owner{MARK}{os.getppid()}-x"]


# -- recovery, once more: what only a careful reader would see ------------------------------------------------------


def test_a_newer_save_stays_before_one_that_a_crashed_act_had_displaced(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = repository.work_tree / "a/one"
    one.write_bytes(b"a person's save\n")
    at_exchange(monkeypatch, dies)
    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr(transaction, "let_go", lambda _: False)
        act(repository, {"a/one": FileChange(OLD, NEW)})
    one.write_bytes(b"a newer one\n")
    lost = recover(repository)
    assert one.read_bytes() == b"a newer one\n" and not left(repository.work_tree)
    assert repository.run("show", f"{lost}:a/one") == b"a person's save\n"


def test_a_recovery_lands_what_is_in_the_files_and_nothing_before(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = repository.head()
    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr(transaction, "_swap_all", dies)
        act(repository, {"a/one": FileChange(OLD, NEW)})
    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr(transaction, "_finish_files", dies)
        recover(repository)
    assert repository.head() == head and repository.resolve("refs/alice/pending")
    assert (
        not recover(repository)
        and repository.head() != head
        and (repository.work_tree / "a/one").read_bytes() == NEW
    )


def test_an_act_whose_branch_outlived_the_power_is_known_as_ours(repository: Repository) -> None:
    before = repository.head()
    done = act(repository, {"a/one": FileChange(OLD, NEW)})
    repository.point([("refs/alice/pending", done, ""), ("refs/alice/seen", before, None)])
    assert not recover(repository)
    assert repository.resolve("refs/alice/seen") == done and not repository.resolve("refs/alice/pending")


def test_a_packed_reference_is_known_by_its_whole_name(repository: Repository) -> None:
    packed = f"{repository.head()} refs/remotes/x/refs/heads/other\n"
    (repository.git_dir / "packed-refs").write_text(packed)
    assert repository.resolve("refs/heads/other") == ""
    assert repository.resolve("refs/remotes/x/refs/heads/other") == repository.head()


def test_many_small_packs_are_packed_as_much_as_few_large_ones(
    home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_writer, "PACKS", 3)
    for number in range(6):
        cli("memorize", f"lesson {number}")
    assert Repository(home / "experiences").packs()[0] <= 4


def test_signatures_name_no_commit_while_gits_index_is_stale(tmp_path: Path) -> None:
    writer = commit_writer.CommitWriter(tmp_path, tmp_path / "files.json", None, RepoConfig)  # type: ignore[arg-type]
    writer.stamps = commit_writer.Stamps("1" * 40)
    for stale in (True, False):
        writer.repository.index_is_stale = stale
        writer.save()
        assert writer.reread().head == ("" if stale else "1" * 40)
        writer.stamps = commit_writer.Stamps("1" * 40)

"""An act moves its references by git's own protocol without starting git; what is unusual is left to git."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import COMMITTER
from alice_exp.kernel.journal.git_process import NO_OBJECT, PENDING, Repository
from alice_exp.kernel.journal.git_references import SEEN, move
from alice_exp.kernel.journal.transaction import FileChange, recover
from tests.kernel.test_durable_files import NEW, OLD, act, repository

__all__ = ["repository"]

MAIN = "refs/heads/main"


def locks(repository: Repository) -> list[str]:
    return sorted(path.name for path in repository.git_dir.rglob("*.lock"))


def prepared(repository: Repository) -> tuple[str, str]:
    """An act that is decided and whose branch has not moved: its commit, and the branch's."""
    old = repository.head()
    commit = act(repository, {"a/one": FileChange(OLD, NEW)})
    repository.point([(MAIN, old, commit), (SEEN, old, None), (PENDING, commit, "")])
    return commit, old


def moved(repository: Repository, commit: str, old: str) -> bool:
    return move(repository, (MAIN, commit, old), [(SEEN, commit)], (PENDING, commit), COMMITTER)


def test_an_act_moves_its_references_without_git_and_git_reads_them(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    verbs: list[str] = []
    start = Repository._start

    def counted(self: Repository, arguments: Any, packing: str = "") -> Any:
        verbs.append(arguments[0])
        return start(self, arguments, packing)

    with monkeypatch.context() as patched:
        patched.setattr(Repository, "_start", counted)
        before = repository.head()
        commit = act(repository, {"a/one": FileChange(OLD, NEW)})
    assert verbs == ["fast-import", "update-index"]
    assert repository.run("rev-parse", "HEAD", MAIN, SEEN).decode().split() == [commit] * 3
    assert not repository.run("for-each-ref", PENDING) and not locks(repository)
    for log in ("HEAD", MAIN):
        said = repository.run("reflog", "show", "--format=%H %gn <%ge>", log).decode().splitlines()
        assert said[0] == f"{commit} {COMMITTER}" and said[1].startswith(before)
    assert repository.run("fsck", "--strict", "--no-dangling") == b""
    assert (repository.git_dir / MAIN).stat().st_mode == (repository.git_dir / "HEAD").stat().st_mode


def _packed(repository: Repository, commit: str) -> None:
    repository.run("pack-refs", "--all")


def _pending_packed(repository: Repository, commit: str) -> None:
    (repository.git_dir / "packed-refs").write_text(f"{commit} {PENDING}\n")


def _symbolic(repository: Repository, commit: str) -> None:
    repository.run("symbolic-ref", SEEN, "refs/heads/other")


def _linked(repository: Repository, commit: str) -> None:
    main = repository.git_dir / MAIN
    main.rename(main.with_name("other"))
    main.symlink_to("other")


def _detached(repository: Repository, commit: str) -> None:
    (repository.git_dir / "HEAD").write_text(f"{commit}\n")


def _without_log(repository: Repository, commit: str) -> None:
    (repository.git_dir / "logs" / "HEAD").unlink()


def _other_log(repository: Repository, commit: str) -> None:
    repository.run("config", "core.logAllRefUpdates", "always")


def _held(name: str) -> Callable[[Repository, str], None]:
    return lambda repository, _: (repository.git_dir / f"{name}.lock").write_text("")  # type: ignore[return-value]


@pytest.mark.parametrize(
    "unusual",
    [
        *(_packed, _pending_packed, _symbolic, _linked, _detached, _without_log, _other_log),
        *map(_held, ("HEAD", "packed-refs", MAIN, SEEN, PENDING)),
    ],
)
def test_what_is_unusual_is_left_to_git(
    unusual: Callable[[Repository, str], None], repository: Repository
) -> None:
    commit, old = prepared(repository)
    unusual(repository, commit)
    held, head = locks(repository), (repository.git_dir / "HEAD").read_text()
    assert not moved(repository, commit, old)
    assert repository.resolve(MAIN) == old and repository.resolve(PENDING) == commit
    assert locks(repository) == held and (repository.git_dir / "HEAD").read_text() == head


def test_a_branch_that_somebody_moved_stays_where_it_is(repository: Repository) -> None:
    commit, old = prepared(repository)
    # With a name of its own: what git makes of the machine's is not to be had on every one.
    named = ("-c", "user.name=x", "-c", "user.email=x@x")
    other = repository.run(*named, "commit-tree", "-m", "mine", f"{old}^{{tree}}", "-p", old).decode().strip()
    repository.point([(MAIN, other, old)])
    with pytest.raises(ProblemError):
        repository.land(commit, old)
    assert repository.head() == other and repository.resolve(PENDING) == commit and not locks(repository)


@pytest.mark.parametrize("call", ["rename", "unlink"])
def test_an_act_that_the_disk_stops_behind_the_branch_is_finished(
    call: str, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, old = prepared(repository)
    real = getattr(os, call)

    def refused(path: str, *to: str) -> None:
        if Path(path).name in ("seen.lock", "pending"):
            raise OSError(28, "no space left on device")
        real(path, *to)

    with monkeypatch.context() as patched, pytest.raises(OSError, match="no space"):
        patched.setattr(os, call, refused)
        moved(repository, commit, old)
    assert repository.head() == commit and repository.resolve(PENDING) == commit and not locks(repository)
    recover(repository)
    assert repository.resolve(SEEN) == commit and not repository.resolve(PENDING)


def test_a_disk_that_refuses_the_log_moves_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, old = prepared(repository)
    real = os.write
    with monkeypatch.context() as patched:
        patched.setattr(
            os, "write", lambda at, data: real(at, data[:20]) if len(data) > 50 else real(at, data)
        )
        assert not moved(repository, commit, old)
    assert repository.head() == old != NO_OBJECT and not locks(repository)

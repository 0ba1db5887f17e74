"""Use cases of the home itself: its default files, its problems, its namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.caller import require_person
from alice_exp.home.record_access import ahead
from alice_exp.home.references import namespace_name, namespace_path
from alice_exp.kernel.errors import NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import NEW_FILE
from alice_exp.model.formats.config_file import PATH, default_text
from alice_exp.model.formats.json_schema import schemas
from alice_exp.model.formats.record_schema import EMPTY
from alice_exp.model.rules.namespaces import NAMESPACES
from alice_exp.model.values.block import PLACES, place_of
from alice_exp.model.values.changes import ChangeSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.kernel.jsonc.problem import Problem
    from alice_exp.model.values.block import Place
    from alice_exp.model.values.snapshot import Snapshot

_EDIT = 'Edit freely: comments, order and formatting are kept; a block needs a "payload" alone.'


@dataclass(frozen=True, slots=True)
class Namespace:
    """One namespace: its place, number of blocks, and whether its file has an error (``stale``)."""

    place: Place
    name: str
    path: str
    blocks: int
    stale: bool


def default_files() -> dict[str, str]:
    """The files of a new home, path to text."""
    files = {one.path: f"// {one.comment}\n// {_EDIT}\n{NEW_FILE}" for one in NAMESPACES}
    return {**files, **EMPTY, PATH: default_text(), **schemas()}


def check(home: Home, now: str = "") -> tuple[Problem, ...]:
    """All errors and warnings of the home's files; with ``now`` also warnings about records from the future."""
    from alice_exp.maintenance.usecases.settings import misset

    snapshot = home.read(PLACES, records=True)
    return (*snapshot.problems, *misset(home), *(ahead(snapshot, now) if now else ()))


def namespaces(home: Home) -> Sequence[Namespace]:
    """The namespaces of all sets, in path order."""
    return [
        Namespace(file.place, file.namespace, file.path, len(file.blocks), file.stale)
        for file in home.read().files
    ]


def namespace(home: Home, name: str) -> Namespace:
    """The namespace ``SET/NAME``; ``NotFoundError`` if there is no such file."""
    path = namespace_path(name)
    for one in namespaces(home):
        if one.path == path:
            return one
    raise NotFoundError("there is no namespace {name}", name=name, hint="see 'alice-exp namespace list'")


def create_namespace(home: Home, caller: Caller, name: str, comment: str = "") -> tuple[str, Commit | None]:
    """Create an empty namespace file; ``RefusedError`` if it exists, ``UsageError`` for the pool."""
    require_person(caller, "create a namespace", f"alice-exp namespace create {name}")
    path = namespace_path(name)
    if place_of(path) == "low_value":
        raise UsageError(
            "the pool's files are made by day", hint="create namespaces in universal or personal"
        )

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, str]:
        if any(file.path == path for file in snapshot.files):
            raise RefusedError("{name} already exists", name=namespace_name(path))
        head = "".join(f"// {line}\n" for line in comment.splitlines() if line.strip())
        act = Act("namespace", caller.actor, caller.now, (), f"create {namespace_name(path)}")
        return ChangeSet(act, texts={path: f"{head}// {_EDIT}\n{NEW_FILE}"}), path

    commit, _ = home.apply(plan)
    return path, commit

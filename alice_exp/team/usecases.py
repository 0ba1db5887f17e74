"""Publish what is approved for a project into its repository, trust what a repository carries, and tell it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from alice_exp.caller.acting import require_person
from alice_exp.home.ports import Brought
from alice_exp.kernel.errors import BusyError, NotFoundError, UsageError
from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.kernel.text.display import TEAMS, with_block, without_block
from alice_exp.kernel.value_class import dataclass, sha256
from alice_exp.model.documents import said
from alice_exp.model.formats.block_schema import block_json, block_of
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import (
    PLACES,
    PUT_AWAY,
    Approved,
    Block,
    Entry,
    Payload,
    Placed,
    content_hash,
)
from alice_exp.model.values.snapshot import ChangeSet, Snapshot
from alice_exp.team.rules import team_file
from alice_exp.team.rules.publication import (
    SIGN,
    Publication,
    is_of_project,
    listed,
    publication,
    same_but_counts,
    skills,
)
from alice_exp.team.rules.team_file import PATH, Lesson, TeamFile, team_id
from alice_exp.team.store import RepositoryFiles, keep_state, state_of

if TYPE_CHECKING:
    from alice_exp.home.session import Session
    from alice_exp.kernel.jsonc import Json
    from alice_exp.sharing.rules.bundle import Refusal

AGENTS = "AGENTS.md"
"""The file of the list for agents without alice-exp."""

WHERE = "universal/team.jsonc"
"""The path of a team's block in memory: it ranks as what is approved, and stands in no file of the home."""

OPPOSES = "it says otherwise than your {id}, which holds"
REJECTED = "you rejected this before, as {id}"
"""Why a key for all leaves a block out."""

_MOVED = ("state", "verifications", "verifications_local", "open_failures", "record", "doubt", "evidence")
"""The keys of a block that its uses move."""


@dataclass(frozen=True, slots=True)
class Teaming:
    """A repository as a session sees it: the project's key and all its names, and the repository's files."""

    session: Session
    project: str
    names: tuple[str, ...]
    files: RepositoryFiles


def entries(session: Session) -> Callable[[str], Entry]:
    """The ledger's newest entry of an id, as the ledger is now."""
    standings = session.home.standings
    standings.follow()
    return standings.entry


@dataclass(frozen=True, slots=True)
class Publishing:
    """What ``publish`` would write: each file's new text by its name (empty: it goes), and what it was when it was
    looked at; skills of other hands whose names are taken; whether git's conflict marks are repaired."""

    publication: Publication
    texts: Mapping[str, str]
    before: bytes | None
    taken: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    repaired: bool = False


def planned(
    teaming: Teaming,
    blocks: Iterable[Placed],
    *,
    agents_md: bool | None = None,
    skills_in: str | None = None,
    by: str = "",
    is_check: bool = False,
) -> Publishing:
    """What ``publish`` would write now; None for what is wished leaves it as the file has it.

    A check leaves the counts alone: how often a block was used is no difference.
    """
    files = teaming.files
    before = files.team_file()
    present = team_file.without_marks(before) if before is not None else TeamFile()
    made = publication(blocks, teaming.names, present, by)
    wished = replace(
        made.file,
        agents_md=made.file.agents_md if agents_md is None else agents_md,
        skills=_folder(made.file.skills if skills_in is None else skills_in),
    )
    if is_check and same_but_counts(wished, present):
        wished = replace(wished, lessons=present.lessons)
    made = replace(made, file=wished)
    texts = {PATH: team_file.written(wished)} if wished.lessons or before is not None else {}
    if wished.agents_md or present.agents_md:
        said, body = files.text(AGENTS), listed(wished) if wished.agents_md else ""
        texts[AGENTS] = (
            with_block(said, body, TEAMS, path=AGENTS) if body else without_block(said, TEAMS, path=AGENTS)
        )
    found, taken = _skill_texts(files, wished, present)
    texts |= found
    was = (before or b"").decode("utf-8", "replace")
    changed = {
        name: text
        for name, text in texts.items()
        # Git may have given a clone other line ends.
        if text.splitlines() != (was if name == PATH else files.text(name)).splitlines()
    }
    return Publishing(made, changed, before, taken, present.refused, team_file.sides_of(was) is not None)


def of_others(teaming: Teaming, file: TeamFile, blocks: Iterable[Placed]) -> tuple[Lesson, ...]:
    """What ``AGENTS.md`` or a skill tells that this home neither approved nor trusts: they are made of the file alone,
    so that CI says the same of them as everybody."""
    if not (file.agents_md or file.skills):
        return ()
    own = {content_hash(one.block) for one in blocks if is_of_project(one, teaming.names)}
    names, of = teaming.names, entries(teaming.session)
    strange = (one for one in file.lessons if content_hash(one.block) not in own)
    return tuple(one for one in strange if _standing(names, of, one.block)[1] != "trusted")


def _folder(name: str) -> str:
    path = PurePosixPath(name)
    if not name or name == "none":
        return ""
    if path.is_absolute() or {"..", ".git"} & {*name.lower().split("/")} or not path.parts:
        raise UsageError(
            "{name} is no folder inside the repository", name=repr(name), hint="write --skills skills"
        )
    return str(path)


def _skill_texts(
    files: RepositoryFiles, wished: TeamFile, present: TeamFile
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The skills' texts by file, and the files of other hands that stand in their places."""
    texts: dict[str, str] = {}
    for folder in {present.skills, wished.skills} - {""}:
        texts.update(dict.fromkeys(files.own_skills(folder), ""))
    if not wished.skills:
        return texts, ()
    own = {f"{wished.skills}/{name}/SKILL.md": text for name, text in skills(wished).items()}
    taken = tuple(name for name in own if (said := files.text(name)) and SIGN not in said)
    return texts | {name: text for name, text in own.items() if name not in taken}, taken


def publish(
    teaming: Teaming, made: Publishing, noted: Callable[[str, tuple[tuple[str, str], ...]], None]
) -> bool:
    """Write what was shown, and let git merge it by id here; whether that had to be set. A person's act.

    ``noted`` is told first what leaves: the SHA-256 of the file, and ids with content hashes. ``BusyError`` where the
    file has changed since it was shown.
    """
    require_person(teaming.session.caller, "publish", "alice-exp project publish")
    if teaming.files.team_file() != made.before:
        raise BusyError("{path} has changed since it was shown", path=PATH, hint="run the command again")
    said = made.publication.file.lessons
    if PATH in made.texts:
        digest = sha256(made.texts[PATH].encode()).hexdigest()
        noted(digest, tuple((one.block.id, content_hash(one.block)) for one in said))
    for name, text in made.texts.items():
        teaming.files.write(name, text)
    return teaming.files.set_driver() if said else False


Standing = Literal["new", "changed", "trusted", "rejected", "own"]
WAITING = ("new", "changed")


@dataclass(frozen=True, slots=True)
class Held:
    """A block of the team's file beside what the ledger says of it: its id here (``team-…``), how it stands, how it is
    told, and of a changed one the words in which it was trusted."""

    lesson: Lesson
    id: str
    standing: Standing
    placed: Placed
    was: str = ""


def held(teaming: Teaming, *, only_trusted: bool = False) -> tuple[tuple[Held, ...], tuple[Refusal, ...]]:
    """The blocks of the team's file in the order of ids, and those that stay out; ``ProblemError`` as reading it.

    ``only_trusted``: the others are not looked into, which takes time.
    """
    data = teaming.files.team_file()
    if data is None:
        return (), ()

    entry_of = entries(teaming.session)
    file = team_file.read(
        data,
        lambda block: _standing(teaming.names, entry_of, block)[1] == "trusted",
        only_known=only_trusted,
    )
    root = teaming.session.root
    uses, words = state_of(root, "uses"), state_of(root, "words")
    # What is approved for the project here: the same words need no second yes.
    blocks = () if only_trusted else teaming.session.home.read()
    own = {content_hash(one.block) for one in blocks if is_of_project(one, teaming.names)}
    author = "" if only_trusted else teaming.files.last_author()
    found = []
    for lesson in file.lessons:
        entry, standing, own_id = _standing(teaming.names, entry_of, lesson.block)
        if standing in WAITING and content_hash(lesson.block) in own:
            standing = "own"
        # An undo goes back to the words of an older yes; version 0.3.0 wrote those of the last one by the id alone.
        told_then = words.get(f"{own_id} {entry.content}") or words.get(own_id, {})
        by = str(told_then.get("author", "")) if standing == "trusted" else author
        placed = _placed(teaming.project, lesson.block, own_id, entry, uses, by)
        was = str(told_then.get("said", "")) if standing == "changed" else ""
        found.append(Held(lesson, own_id, standing, placed, was))
    return tuple(found), file.refused


def _standing(
    names: Sequence[str], entry_of: Callable[[str], Entry], block: Block
) -> tuple[Entry, Standing, str]:
    """The newest entry of a block under any of the project's names, what it says of these words, and the id."""
    found = [(entry_of(own_id), own_id) for own_id in (team_id(name, block.id) for name in names)]
    entry, own_id = next((one for one in found if one[0].content), found[0])
    is_same = entry.content == content_hash(block)
    if entry.standing == "trusted":
        return entry, "trusted" if is_same else "changed", own_id
    return entry, "rejected" if entry.standing in PUT_AWAY and is_same else "new", own_id


def _placed(
    project: str, block: Block, own_id: str, entry: Entry, uses: Mapping[str, Mapping[str, Json]], author: str
) -> Placed:
    """A team's block as it is told here: with its own record of uses, and as approved when it was trusted."""
    # Version 0.3.0 kept the uses by the id alone.
    used = uses.get(f"{own_id} {entry.at}") or uses.get(own_id, {})
    read = block_of({"id": block.id, "payload": "-", "state": "past", **used}, "universal")
    moved = read if isinstance(read, Block) else Block(block.id, Payload("-"), state="past", verifications=1)
    content = content_hash(block)
    whole = replace(
        moved,
        id=own_id,
        payload=block.payload,
        trigger=block.trigger,
        type=block.type,
        project=project,
        # Git names who changed the file last, not who wrote this text.
        origin=f"{project}, file last changed by {author}" if author else project,
        created_at=entry.at,
        updated_at=entry.at,
        approved=Approved(entry.at, entry.by, content) if entry.standing == "trusted" else None,
        entry=replace(entry, id=own_id, path=WHERE, project=project),
    )
    return Placed(whole, WHERE)


def apart(snapshot: Snapshot, blocks: Sequence[Placed]) -> dict[str, tuple[str, str]]:
    """Why a key for all leaves some blocks out, by their ids: the reason, and the id of the block here."""
    from alice_exp.finding.rules.nearness import Neighbourhood

    around = Neighbourhood(snapshot, snapshot.rejected())
    found = {}
    for placed in blocks:
        near = around.relations(placed)
        against = (one for one in near if one.where == "trusted" and one.kind in ("opposes", "replaces"))
        if (one := next(against, None)) is not None:
            found[placed.block.id] = (OPPOSES, one.placed.block.id)
        elif (mark := around.mark(placed)) is not None:
            found[placed.block.id] = (REJECTED, mark.placed.block.id)
    return found


def brought(teaming: Teaming) -> tuple[Brought, ...]:
    """What waits for an answer in a repository, in the order of ids; ``ProblemError`` as reading the file."""
    waiting = meant(held(teaming)[0], ())
    if not waiting:
        return ()
    why = apart(teaming.session.home.read(PLACES), [one.placed for one in waiting])
    return tuple(Brought(one.placed, one.was, why.get(one.id, ("", ""))) for one in waiting)


def meant(blocks: Sequence[Held], references: Sequence[str], *, reject: bool = False) -> tuple[Held, ...]:
    """The blocks that a person named, by the id in the file or the one here (``NotFoundError`` for another), else what
    waits, and unless it is to be turned down, what is silent here, for its uses failed."""
    if not references:
        return tuple(
            one
            for one in blocks
            if one.standing in WAITING
            or (one.standing == "trusted" and is_in_doubt(one.placed.block) and not reject)
        )
    known = {name: one for one in blocks for name in (one.id, one.lesson.block.id)}
    for reference in references:
        if reference not in known:
            raise NotFoundError(
                "{id} does not stand in the team's file",
                id=reference,
                hint="see: alice-exp project trust --dry-run",
            )
    return tuple({known[reference].id: known[reference] for reference in references}.values())


def decide(
    teaming: Teaming, blocks: Sequence[Placed], standing: Literal["trusted", "rejected"]
) -> Commit | None:
    """Trust blocks as they were shown, or turn them down, in one act of a person; what is trusted in doubt is told
    again."""
    require_person(teaming.session.caller, "trust", "alice-exp project trust")
    caller = teaming.session.caller
    entries = tuple(
        Entry(one.block.id, standing, content_hash(one.block), "team", one.block.project) for one in blocks
    )
    verb = "trusted" if standing == "trusted" else "turned down"
    ids = tuple(one.id for one in entries)
    act = Act("trust", caller.actor, caller.now, ids, f"{verb} in {teaming.project}")
    commit, _ = teaming.session.home.apply(lambda _: (ChangeSet(act, decided=entries), None), ())
    root, author = teaming.session.root, teaming.files.last_author()
    words, uses = state_of(root, "words"), state_of(root, "uses")
    for one, entry in zip(blocks, entries, strict=True):
        words.pop(one.block.id, None)
        # Each yes has uses of its own: an undo goes back to those of the yes before, and to the doubt.
        if one.block.id in uses:
            uses[_yes(one.block)] = uses.pop(one.block.id)
        if standing == "trusted":
            words[f"{one.block.id} {entry.content}"] = {"said": said(one), "author": author}
            is_same = one.block.entry is not None and one.block.entry.content == entry.content
            then = uses.get(_yes(one.block), {}) if is_same else {}
            uses[f"{one.block.id} {caller.now}"] = {key: then[key] for key in then if key == "record"}
    keep_state(root, "words", words)
    keep_state(root, "uses", uses)
    if standing == "trusted":
        teaming.files.set_driver()
    return commit


def elsewhere(session: Session, ids: Collection[str]) -> dict[str, Placed]:
    """Trusted blocks of repositories that are not here, without their words: their uses alone."""
    uses, entry_of = state_of(session.root, "uses"), entries(session)
    found = {}
    for own_id in ids:
        if (one := entry_of(own_id)).standing == "trusted":
            block = Block("exp-22222222", Payload("-"))
            found[own_id] = _placed(one.project, block, own_id, one, uses, "")
    return found


def _yes(block: Block) -> str:
    """Under what the uses of a block are kept: its id and the time of the yes that holds."""
    return f"{block.id} {block.created_at}"


def keep(session: Session, blocks: Sequence[Placed]) -> None:
    """Keep how uses of some blocks ended; what was said of them is not kept."""
    uses = state_of(session.root, "uses")
    for one in blocks:
        pieces = tuple(replace(piece, quote="", ref="") for piece in one.block.evidence)
        written = block_json(replace(one.block, evidence=pieces, extra={}), "universal")
        uses[_yes(one.block)] = {key: written[key] for key in _MOVED if key in written}
    keep_state(session.root, "uses", uses)

"""The team's file, ``.alice/experience.jsonc``: read as a stranger's, written in the order of ids, merged by id.

A block in it is its id, type, trigger and payload, the day of its approval, and how its uses ended there. Whatever else
a file says is refused (DESIGN 6).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from alice_exp.blocks.rules.grounding import subject_of
from alice_exp.caller.project import TEAM_FILE
from alice_exp.finding.rules.concerns import begins_with_user
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc.formatting import dump
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.text.display import escaped_json, visible
from alice_exp.kernel.value_class import dataclass, sha256
from alice_exp.model.formats.block_schema import DAY, ID, block_json, block_of
from alice_exp.model.formats.field_readers import Fault
from alice_exp.model.rules.private_facts import kinds_of
from alice_exp.model.rules.secrets import findings
from alice_exp.model.values.block import Block, content_hash

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.kernel.jsonc import Json
    from alice_exp.sharing.rules.bundle import Refusal

PATH = TEAM_FILE
FORMAT, VERSION = "alice-exp team", 1

LARGEST = 4 << 20
"""The most bytes of a file that is read."""
MOST = 5_000
"""The most blocks of a file."""
MOST_TEXT = 4_000
"""The most characters of all texts of one block: eight of them are told at once."""

_CONTENT = ("type", "trigger", "payload")
_COUNTS = ("verified", "ok", "failed")
_FIELDS = {"id", *_CONTENT, "approved", "approved_by", *_COUNTS}
_NAME = re.compile(r"[^\s\x00-\x1f].{0,79}")
_MOST_USES = 1_000_000

_HEAD = """\
// What the people of this project approved for their coding agents. A pull request is its review.
// Written by "alice-exp project publish"; an agent is told of it after "alice-exp project trust".
"""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A block of the team's file: what it says, the day (YYYY-MM-DD) and, where asked for, the name of its approval,
    and how often it was verified, and its uses succeeded and failed, in the home that published it (integers >= 0)."""

    block: Block
    approved: str = ""
    by: str = ""
    verified: int = 0
    ok: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class TeamFile:
    """A file's blocks by id; those that stay out, by id or number; and what else ``publish`` keeps up: the block in
    ``AGENTS.md``, and the folder of skills, relative to the repository (empty: none)."""

    lessons: tuple[Lesson, ...] = ()
    refused: tuple[Refusal, ...] = ()
    agents_md: bool = False
    skills: str = ""


def team_id(project: str, block_id: str) -> str:
    """What a block of a project's file is called here: ``team-`` and twelve hex digits, as no block of a home has."""
    named = f"{project} {block_id}".encode("utf-8", "surrogatepass")
    return f"team-{sha256(named).hexdigest()[:12]}"


OBJECTIONS = (
    "it says nothing",
    "it says too much",
    "it holds hidden signs",
    "it is about a person",
    "it holds a secret or a private fact",
)
"""Why what a block says may neither be published nor told."""


def objection(block: Block) -> str:
    """The first of ``OBJECTIONS`` that holds of a block; empty if none does."""
    trigger, payload = block.trigger, block.payload
    context = (f"{key}={value}" for key, value in trigger.context.items())
    said = "\n".join(
        (trigger.text, *trigger.keywords, *context, payload.kind, payload.content, *payload.steps)
    )
    holds = (
        not (payload.content.strip() or payload.steps),
        len(said) > MOST_TEXT,
        visible(said) != said,
        _is_of_person(block),
        bool(kinds_of(said) or findings(said)),
    )
    return next((reason for reason, is_so in zip(OBJECTIONS, holds, strict=True) if is_so), "")


def _is_of_person(block: Block) -> bool:
    """Whether a block is about a person to whoever reads it: it says so, begins with "I", whoever that is, or with a
    user who is none of a program's."""
    said = block.payload.content
    is_mine = begins_with_user(said) and not said.lower().lstrip().startswith(("the user", "user", "用户"))
    return is_mine or "user" in (block.about, subject_of(block.type, said))


def read(
    data: bytes, known: Callable[[Block], bool] = lambda _: False, *, only_known: bool = False
) -> TeamFile:
    """What a file says; a block that is not sound stays out by itself.

    What is ``known`` by its words was looked into before; with ``only_known`` everything else is left out unread.
    ``ProblemError``, with its place, where the file as a whole cannot be read: no JSONC, another format or version.
    """
    document = parse(data, PATH)
    if (fault := document.problem) is not None:
        is_merged = sides_of(data.decode("utf-8", "replace")) is not None
        raise (replace(fault, hint="run: alice-exp project publish") if is_merged else fault).as_error()
    value = document.value
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ProblemError("this is not a team's file of alice-exp", path=PATH)
    if value.get("version") != VERSION:
        raise ProblemError(
            "this team's file has version {version}; version {known} is read here",
            version=value.get("version"),
            known=VERSION,
            path=PATH,
        )
    items = value.get("blocks")
    if not isinstance(items, list) or len(items) > MOST:
        raise ProblemError('a team\'s file has "blocks", {most} at most', most=MOST, path=PATH)
    said = [item.get("id") if isinstance(item, dict) else None for item in items]
    names = [one if isinstance(one, str) and ID.fullmatch(one) else "" for one in said]
    twice = {name for name, count in Counter(names).items() if name and count > 1}
    lessons, refused = [], []
    for number, (item, name) in enumerate(zip(items, names, strict=True), start=1):
        try:
            if name in twice:
                raise Fault("its id stands twice")
            lesson = _lesson(item, name)
            is_known = known(lesson.block)
            if not is_known and not only_known and (why := objection(lesson.block)):
                raise Fault(why)
            if is_known or not only_known:
                lessons.append(lesson)
        except Fault as unsound:
            refused.append((name or f"block {number}", unsound.template, unsound.values))
    skills = value.get("skills")
    return TeamFile(
        tuple(sorted(lessons, key=lambda one: one.block.id)),
        tuple(refused),
        value.get("agents_md") is True,
        skills if isinstance(skills, str) else "",
    )


def _lesson(item: Json, name: str) -> Lesson:
    if not isinstance(item, dict):
        raise Fault("it is not a block")
    if not name:
        raise Fault("its id is malformed")
    for key in item:
        if key not in _FIELDS:
            raise Fault('"{key}" has no place in a team\'s file', key=key[:40])
    block = block_of({key: item[key] for key in ("id", *_CONTENT) if key in item}, "universal")
    if isinstance(block, str):
        raise Fault("{why}", why=block)
    day, by = item.get("approved", ""), item.get("approved_by", "")
    uses = [item.get(name, 0) for name in _COUNTS]
    if not (isinstance(day, str) and (not day or DAY.fullmatch(day))):
        raise Fault("the day of its approval is none")
    if not (isinstance(by, str) and (not by or (_NAME.fullmatch(by) and visible(by) == by))):
        raise Fault("the name of its approval is none")
    if any(isinstance(one, bool) or not isinstance(one, int) or not 0 <= one <= _MOST_USES for one in uses):
        raise Fault("its counts are not between 0 and {most}", most=_MOST_USES)
    return Lesson(block, day, by, *cast("list[int]", uses))


def written(file: TeamFile) -> str:
    """The file's text: the same blocks give the same bytes, each key on a line of its own, so that git shows and merges
    what changed. What a preview would hide is escaped."""
    whole: dict[str, Json] = {"format": FORMAT, "version": VERSION}
    whole |= {"agents_md": True} if file.agents_md else {}
    whole |= {"skills": file.skills} if file.skills else {}
    whole["blocks"] = [_item(one) for one in sorted(file.lessons, key=lambda one: one.block.id)]
    return f"{_HEAD}{escaped_json(dump(whole))}\n"


def _item(one: Lesson) -> dict[str, Json]:
    said = block_json(one.block, "universal")
    counts: dict[str, Json] = {"approved": one.approved, "approved_by": one.by}
    counts |= {name: getattr(one, name) for name in _COUNTS}
    return {
        "id": one.block.id,
        "type": one.block.type,
        **{key: said[key] for key in ("trigger", "payload") if key in said},
        **{key: value for key, value in counts.items() if value},
    }


def bare(block: Block) -> Block:
    """A block with nothing but what a team's file says of it."""
    return Block(block.id, block.payload, block.trigger, type=block.type)


def merged(was: TeamFile, one: TeamFile, other: TeamFile) -> TeamFile:
    """Two versions of a file with their common ancestor, by id; symmetric in the two.

    Who changed a text wins over who did not, and over who took the block out; of two changes the later approval.
    Uses are added up.
    """
    sides = [{each.block.id: each for each in file.lessons} for file in (was, one, other)]
    found = (_merged(*(side.get(name) for side in sides)) for name in sorted({*sides[1], *sides[2]}))
    return TeamFile(
        tuple(each for each in found if each is not None),
        agents_md=(other if one.agents_md == was.agents_md else one).agents_md,
        skills=(other if one.skills == was.skills else one).skills,
    )


def _merged(was: Lesson | None, one: Lesson | None, other: Lesson | None) -> Lesson | None:
    there = [each for each in (one, other) if each is not None]
    if len(there) == 1 and was is not None:
        return there[0] if content_hash(there[0].block) != content_hash(was.block) else None
    if one is None or other is None:
        return there[0]
    old = content_hash(was.block) if was is not None else ""
    changed = [each for each in there if content_hash(each.block) != old]
    chosen = max(changed or there, key=lambda each: (each.approved, content_hash(each.block), each.by))
    sums = (
        max(0, getattr(one, name) + getattr(other, name) - getattr(was, name))
        if was is not None
        else max(getattr(one, name), getattr(other, name))
        for name in _COUNTS
    )
    return replace(chosen, **dict(zip(_COUNTS, sums, strict=True)))


_MARK = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(?: .*)?$")


def sides_of(text: str) -> tuple[str, str, str] | None:
    """The ancestor (empty where git did not write it), ours and theirs of a text in which git left its conflict marks;
    None where it left none, or they are cut."""
    sides: tuple[list[str], list[str], list[str]] = ([], [], [])
    state, has_base, is_marked = "", False, False
    for line in text.splitlines():
        mark = found[1][0] if (found := _MARK.match(line)) else ""
        if mark:
            if {"": "<", "<": "|=", "|": "=", "=": ">"}[state].find(mark) < 0:
                return None
            has_base, is_marked = has_base or mark == "|", True
            state = "" if mark == ">" else mark
        else:
            for side in {"": sides, "<": sides[1:2], "|": sides[:1], "=": sides[2:]}[state]:
                side.append(line)
    if state or not is_marked:
        return None
    base, ours, theirs = ("\n".join(side) for side in sides)
    return (base if has_base else ""), ours, theirs


def without_marks(data: bytes) -> TeamFile:
    """What a file says that git could not merge: both sides, by id; as ``read`` for one without conflict marks."""
    sides = sides_of(data.decode("utf-8", "replace"))
    if sides is None:
        return read(data)
    base, ours, theirs = (read(side.encode()) if side else TeamFile() for side in sides)
    return merged(base, ours, theirs)


def merge_texts(was: bytes, one: bytes, other: bytes) -> bytes:
    """What git's merge driver writes; ``ProblemError`` where a side cannot be read or holds what stays out."""
    files = [read(data) if data.strip() else TeamFile() for data in (was, one, other)]
    for which, why, values in (each for file in files[1:] for each in file.refused):
        raise ProblemError("{id} cannot be merged: {why}", id=which, why=why.format(**values), path=PATH)
    return written(merged(*files)).encode()

"""What a project publishes: the blocks that may leave, the file that they make, and what an agent without alice-exp
reads of it: a list in ``AGENTS.md``, a skill for each situation."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from alice_exp.finding.rules.choice import forbids, in_order, is_rival
from alice_exp.kernel.value_class import dataclass, sha256
from alice_exp.model.documents import payload_text
from alice_exp.model.rules.doubt import is_in_doubt, waiting
from alice_exp.model.rules.lifecycle import lived
from alice_exp.model.values.block import Block, Placed, content_hash, is_approved, is_put_away
from alice_exp.team.rules.team_file import Lesson, TeamFile, bare, objection

SIGN = "<!-- Written by alice-exp project publish"
"""How every skill of ours says where it is from; a file without it is nobody's to change."""

IN_DOUBT, REPLACED = "it is in doubt", "another one that you trust replaces it"
"""Why a block that is approved for the project is not published, beside ``OBJECTIONS``."""

_SLUG = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME, _LONGEST_DESCRIPTION = 64, 1024
"""What readers of skills take (agentskills.io)."""


@dataclass(frozen=True, slots=True)
class Publication:
    """What ``publish`` writes: the file; of its blocks those that are new, and those that say something else than they
    did; the ids that go, and those that stay here though they are approved for the project, each with the reason."""

    file: TeamFile
    new: tuple[Lesson, ...] = ()
    changed: tuple[Lesson, ...] = ()
    gone: tuple[str, ...] = ()
    withheld: tuple[tuple[str, str], ...] = ()


def is_of_project(placed: Placed, names: Collection[str]) -> bool:
    """Whether a person approved a block for this project, by all its names, and for the work."""
    return (
        placed.place == "universal"
        and placed.block.project in names
        and placed.block.about == "work"
        and placed.block.state != "obsolete"
        and is_approved(placed)
        and not is_put_away(placed)
    )


def publication(
    blocks: Iterable[Placed], names: Collection[str], present: TeamFile, by: str = ""
) -> Publication:
    """What the project's file says next: what is approved for the project here, and what others published.

    ``blocks`` are those of the whole home with its archive. What stands in the file under an id of this home and may
    not leave any more goes; the others' stays as it is. ``by`` is the name under which the approvals leave, or none.
    """
    leaving: dict[str, Lesson] = {}
    withheld: list[tuple[str, str]] = []
    blocks = tuple(blocks)
    own, silent = set(), waiting(blocks)
    was = {one.block.id: one for one in present.lessons}
    for placed in blocks:
        block = placed.block
        own.add(block.id)
        if is_of_project(placed, names):
            why = IN_DOUBT if is_in_doubt(block) else REPLACED * (block.id in silent) or objection(block)
            if why:
                withheld.append((block.id, why))
            else:
                leaving[block.id] = _lesson(block, by)
    others = {name: one for name, one in was.items() if name not in own}
    said = {content_hash(one.block) for one in others.values()}
    mine = {name: one for name, one in leaving.items() if content_hash(one.block) not in said}
    whole = replace(
        present, lessons=tuple((others | mine)[name] for name in sorted({*others, *mine})), refused=()
    )
    new = tuple(one for name, one in mine.items() if name not in was)
    stood = ((one, was[name]) for name, one in mine.items() if name in was)
    changed = tuple(one for one, old in stood if content_hash(one.block) != content_hash(old.block))
    gone = tuple(sorted(set(was) - set(mine) - set(others)))
    return Publication(whole, new, changed, gone, tuple(withheld))


def _lesson(block: Block, by: str) -> Lesson:
    at = block.approved.at[:10] if block.approved is not None else block.created_at[:10]
    record = block.record
    ok, failed = (record.ok, record.failed) if record is not None else (0, 0)
    return Lesson(bare(block), at, by, lived(block), ok, failed)


def same_but_counts(one: TeamFile, other: TeamFile) -> bool:
    """Whether two files say the same: how often what they say was used is no difference."""
    plain = [
        replace(
            file,
            lessons=tuple(replace(each, verified=0, ok=0, failed=0) for each in file.lessons),
            refused=(),
        )
        for file in (one, other)
    ]
    return plain[0] == plain[1]


Parts = Mapping[str, Sequence[Lesson]]
"""What is approved for one situation: what must be kept to, what is done, and what may be done instead of one of these,
under a title each."""


def procedures(lessons: Sequence[Lesson]) -> dict[str, Parts]:
    """The lessons by their situation, in the order of situations; what has none is in none of them."""
    groups: defaultdict[str, list[Lesson]] = defaultdict(list)
    for one in lessons:
        if key := " ".join(one.block.trigger.text.split()).casefold():
            groups[key].append(one)
    found: dict[str, Parts] = {}
    for key in sorted(groups):
        of = {one.block.id: one for one in groups[key]}
        placed = in_order(Placed(one.block, "universal/team.jsonc") for one in of.values())
        told: list[Placed] = []
        for each in placed:
            if not any(is_rival(each, other) for other in told):
                told.append(each)
        parts = {
            "Keep to this:": [one for one in told if forbids(one.block)],
            "Do this:": [one for one in told if not forbids(one.block)],
            "Instead of one of these, where it does not fit:": [one for one in placed if one not in told],
        }
        situation = " ".join(groups[key][0].block.trigger.text.split())
        found[situation] = {title: [of[one.block.id] for one in each] for title, each in parts.items()}
    return found


def skills(file: TeamFile) -> Mapping[str, str]:
    """The skills of a file: the name of each one's folder, and the text of its ``SKILL.md``."""
    found: dict[str, str] = {}
    for situation, parts in procedures(file.lessons).items():
        digest = sha256(situation.casefold().encode()).hexdigest()[:8]
        slug = _SLUG.sub("-", situation.lower()).strip("-")
        name = slug[: _LONGEST_NAME - 9].strip("-") if len(slug) * 2 >= len(situation) else "situation"
        name = name if name == slug and name not in found else f"{name}-{digest}"
        found[name] = _skill(name, situation, parts)
    return found


def _skill(name: str, situation: str, parts: Parts) -> str:
    description = situation[:_LONGEST_DESCRIPTION]
    lines = ["---", f"name: {name}", f"description: {json.dumps(description, ensure_ascii=False)}", "---", ""]
    lines += [f"{SIGN} from .alice/experience.jsonc: change it there. -->", ""]
    lines += [f"# {_plain(situation)}", ""]
    for title, lessons in parts.items():
        if lessons:
            lines += [title, "", *(_row(each) for each in lessons), ""]
    return "\n".join(lines)


def listed(file: TeamFile) -> str:
    """The file's blocks as Markdown for ``AGENTS.md``, by situation; empty where there are none."""
    groups = [(when, (*chain(*parts.values()),)) for when, parts in procedures(file.lessons).items()]
    if always := tuple(one for one in file.lessons if not one.block.trigger.text.strip()):
        groups.insert(0, ("", always))
    lines = ["What the people of this project approved (alice-exp project publish):"] if groups else []
    for situation, lessons in groups:
        lines += ["", f"{_plain(situation)}:" if situation else "Always:", "", *map(_row, lessons)]
    return "\n".join(lines)


def _row(one: Lesson) -> str:
    uses = one.ok + one.failed
    parts = (
        one.block.id,
        f"approved {one.approved}" if one.approved else "",
        f"by {one.by}" if one.by else "",
        f"{one.verified} verified" if one.verified else "",
        f"{one.ok} of {uses} worked" if uses else "",
    )
    said = _plain(payload_text(Placed(one.block, "universal/team.jsonc")))
    return f"- {said} ({', '.join(filter(None, parts))})"


def _plain(text: str) -> str:
    """A text in one line that opens no comment and no fence."""
    return " ".join(text.split()).replace("<!--", "&lt;!--").replace("```", "'''")

"""Rows of a report; words for the project in which a candidate holds, for which of two rivals does, for what came of
last week's approvals, and the questions about the names of projects (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.documents import payload_text, said
from alice_exp.review.rules.arrangement import project_of
from alice_exp.terminal.language import say

if TYPE_CHECKING:
    from alice_exp.home.ports import Brought
    from alice_exp.review.rules.daily_report import Item
    from alice_exp.review.rules.doubts import Question
    from alice_exp.review.rules.weekly import Approval


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a section: its subject (an id, a number, a file), its text, and a remark."""

    label: str
    text: str
    note: str = ""


def shared_project(items: Sequence[Item]) -> str | None:
    """The project of all; None where they differ, or where there is but one, which says its own."""
    values = set(map(project_of, items))
    return values.pop() if len(values) == 1 and (len(items) > 1 or "" in values) else None


def where_it_holds(item: Item) -> str:
    """The project in which a candidate would hold, or that it would hold everywhere."""
    project = project_of(item)
    return say("project {name}", name=project) if project else say("everywhere")


def scoped(place: str, project: str) -> str:
    """A set and namespace, with the project in which a block there holds."""
    return say("{place}, project {name}", place=place, name=project) if project else place


def asked_about(name: str, holder: str) -> str:
    """The question whether a folder, or a repository, is the project of a name."""
    if holder:
        return say(
            "what was learned as {name} is told in {holder}: does it hold here, too?",
            name=name,
            holder=holder,
        )
    return say("is it {name}?", name=name)


def answers(project: str, name: str) -> str:
    """The commands that answer it."""
    return say(
        "yes: alice-exp project is {name} {project} · no: alice-exp project not {name} {project}",
        name=name,
        project=project,
    )


def which_holds(new: str, old: str, *, alike: bool = False) -> str:
    """The commands that say which of two rivals holds: a new one, by its number or id, and an ``old`` one, by its id;
    ``alike``: both wait, or both are trusted."""
    return say(
        "new: alice-exp approve {new} --replaces {old} · old: {holds} · both: approve {new} --both {old} · "
        "neither: reject {new} --neither {old}",
        new=new,
        old=old,
        holds=" ".join(("approve", old, "--replaces", new) if alike else ("reject", new)),
    )


def came_of(approvals: Sequence[Approval]) -> list[Row]:
    """A row for each thing that came of approvals: how many, the first one, and what to do about it or them."""
    rows = []
    for effect in dict.fromkeys(one.effect for one in approvals):
        placed = [one.placed for one in approvals if one.effect == effect]
        block_id, count = placed[0].block.id, len(placed)
        said = {
            "in doubt": say("{count} in doubt", count=count),
            "used": say("{count} without a success", count=count),
            "helped": say("{count} helped", count=count),
            "never used": say("{count} never used: retire?", count=count),
        }
        more = say("and {count} more: alice-exp impact", count=count - 1) if count > 1 else ""
        retire = f"alice-exp retire {block_id} --reason …" if effect == "never used" else ""
        text = f"{block_id} {payload_text(placed[0])}"
        rows.append(Row(said[effect], text, " · ".join(filter(None, (retire, more)))))
    return rows


def brought_rows(one: Brought) -> tuple[str, str, str]:
    """A block that a repository brings: its id, its words beside those that were trusted, and why it stands apart."""
    text, (reason, of) = said(one.placed), one.apart
    whole = f"{text}\n≠ {one.was}" if one.was else text
    return one.placed.block.id, whole, say("left out: {why}", why=say(reason, id=of)) if reason else ""


def doubted(one: Question) -> Row:
    """A block in doubt with those that were told with it, how its last uses ended, and what answers."""
    doubt = one.placed.block.doubt
    day = doubt.since[:10] if doubt is not None else ""
    if not one.beside:
        note = say(
            "since {day}: {failed} of the last {uses} failed; yes: alice-exp keep {id} · no: alice-exp retire {id} "
            "--reason …",
            day=day,
            failed=one.failed,
            uses=one.uses,
            id=one.placed.block.id,
        )
        return Row(one.placed.block.id, payload_text(one.placed), note)
    note = say(
        "since {day}: together {failed} of the last {uses} failed; the one that no longer holds: alice-exp retire ID "
        "--reason …; none: alice-exp keep {id}",
        day=day,
        failed=one.failed,
        uses=one.uses,
        id=one.placed.block.id,
    )
    others = (f"{each.block.id}  {payload_text(each)}" for each in one.beside)
    return Row(one.placed.block.id, "\n".join((payload_text(one.placed), *others)), note)

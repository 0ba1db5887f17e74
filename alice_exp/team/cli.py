"""``project publish`` and ``project trust``: what a project's people approved, through its repository (DESIGN 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer

from alice_exp.caller.acting import require_person
from alice_exp.home.store.list_files import note_written
from alice_exp.kernel.errors import Names, NotFoundError, RefusedError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.value_class import attributes
from alice_exp.model.documents import said, texts
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import PLACES, Placed
from alice_exp.sharing.rules.bundle import Disclosure, Refusal
from alice_exp.sharing.store.peer_identity import shares
from alice_exp.team import usecases as teams
from alice_exp.team.repositories import teaming
from alice_exp.team.rules.team_file import PATH, Lesson
from alice_exp.team.usecases import Held, Publishing, Teaming
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import aside, say
from alice_exp.terminal.options import DryRun


def publish(
    terminal: Terminal,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 6 if the repository's files differ (for CI).")
    ] = False,
    agents_md: Annotated[
        bool | None,
        typer.Option("--agents-md/--no-agents-md", help="Keep a list in AGENTS.md, between markers."),
    ] = None,
    skills: Annotated[
        str | None,
        typer.Option(
            "--skills", metavar="DIR", help="Keep a SKILL.md for each situation there; none: no more."
        ),
    ] = None,
    with_names: Annotated[
        bool, typer.Option("--with-names", help="Say who approved, by your name in git.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Write what is approved for this project into its repository, for the others' agents; you commit it.

    Nothing personal, private or secret leaves, nothing that is in doubt; each text is shown first. What git could not
    merge in the file is repaired.

    Examples: alice-exp project publish · alice-exp project publish --agents-md --skills skills · alice-exp project
    publish --check
    """
    session = terminal.session
    there = session.root.exists()
    if not (check or dry_run):
        require_person(session.caller, say("publish"), "alice-exp project publish")
    opened = teaming(session)
    blocks = session.home.read(PLACES) if there else ()
    made = teams.planned(
        opened,
        blocks,
        agents_md=agents_md,
        skills_in=skills,
        by=opened.files.person() if with_names else "",
        is_check=check,
    )
    others = teams.of_others(opened, made.publication.file, blocks) if there and not check else ()
    _show_publishing(terminal, made, others)
    is_set = False
    if check and (made.refused or made.texts or made.repaired):
        names = Names(made.texts or [PATH])
        raise RefusedError(
            "not what is approved: {names}", names=names, hint="run: alice-exp project publish"
        )
    if made.texts and not (check or dry_run):
        terminal.confirm(say("Write these texts into the repository?"))

        def noted(digest: str, blocks: tuple[tuple[str, str], ...]) -> None:
            session.enter()
            shares(session).record(Disclosure(session.caller.now, opened.project, "publish", digest, blocks))

        is_set = teams.publish(opened, made, noted)
        for name in made.texts:
            note_written(session.root, opened.files.root / name)
    _answer_publishing(terminal, opened, made, others, is_written=not (check or dry_run), is_set=is_set)


def _show_publishing(terminal: Terminal, made: Publishing, others: Iterable[Lesson]) -> None:
    if terminal.wants_document or terminal.quiet:
        return
    for sign, lessons in (("+", made.publication.new), ("~", made.publication.changed)):
        for one in lessons:
            terminal.line(f"{sign} {one.block.id}  {said(Placed(one.block, teams.WHERE))}")
    for one in others:
        terminal.line(f"! {one.block.id}  {said(Placed(one.block, teams.WHERE))}" + aside(say("not yours")))
    for name in made.publication.gone:
        terminal.line(f"- {name}")
    for name in made.texts:
        terminal.line(f"  {name}" + ("" if made.texts[name] else aside(say("goes"))))
    for name, why in made.publication.withheld:
        terminal.note(say("alice-exp: {id} stays here: {why}", id=name, why=say(why)))
    _note_refused(terminal, made.refused)
    for name in made.taken:
        terminal.note(say("alice-exp: {path} is somebody else's and stays as it is", path=name))


def _note_refused(terminal: Terminal, refused: Iterable[Refusal]) -> None:
    for which, why, values in refused:
        terminal.note(say("alice-exp: {id} stays out: {why}", id=which, why=say(why, **values)))


def _answer_publishing(
    terminal: Terminal,
    opened: Teaming,
    made: Publishing,
    others: Sequence[Lesson],
    *,
    is_written: bool,
    is_set: bool,
) -> None:
    file, new, changed = made.publication.file, made.publication.new, made.publication.changed
    change = {one.block.id: "new" for one in new} | {one.block.id: "changed" for one in changed}
    document = {
        "project": opened.project,
        "path": PATH,
        "blocks": [{**_document(one), "change": change.get(one.block.id, "same")} for one in file.lessons],
        "gone": [*made.publication.gone],
        "not_yours": [one.block.id for one in others],
        "withheld": [{"id": name, "why": why} for name, why in made.publication.withheld],
        "refused": _refused(made.refused),
        "files": [*made.texts],
        "taken": [*made.taken],
        "repaired": made.repaired,
        "written": is_written and bool(made.texts),
        "driver": is_set,
    }

    def text() -> None:
        if not (made.texts or file.lessons):
            empty = "{project}: nothing is approved for this project; what is in personal stays with you"
            terminal.line(say(empty, project=opened.project))
        elif not made.texts:
            terminal.line(say("{project}: the repository says what is approved", project=opened.project))
        elif is_written:
            count = len(file.lessons)
            terminal.line(say("{count} blocks stand in {path}: commit it", count=count, path=PATH))
        if others:
            told = "{count} blocks are told to all agents that you neither approved nor trust: alice-exp project trust"
            terminal.line(say(told, count=len(others)))
        if made.repaired and is_written:
            terminal.line(say("what git could not merge is merged by id"))
        if is_set:
            terminal.line(say("git merges {path} by id in this clone", path=PATH))

    terminal.answer(document, text)


def _document(one: Lesson) -> dict[str, Any]:
    return {
        "id": one.block.id,
        **texts(Placed(one.block, teams.WHERE)),
        "approved": one.approved or None,
        "approved_by": one.by or None,
        **attributes(one, "verified ok failed"),
    }


def _refused(rows: Iterable[Refusal]) -> list[dict[str, str]]:
    return [{"id": which, "why": why.format(**values)} for which, why, values in rows]


def _held_document(one: Held, standing: str) -> dict[str, Any]:
    return _document(one.lesson) | {
        "team_id": one.id,
        "standing": standing,
        "was": one.was or None,
        "in_doubt": is_in_doubt(one.placed.block),
    }


_Ids = Annotated[
    list[str], typer.Argument(metavar="[ID…]", help="These alone, also what a key for all leaves out.")
]


def trust(
    terminal: Terminal,
    references: _Ids = [],  # noqa: B006
    reject: Annotated[
        bool, typer.Option("--reject", help="Turn them down: as they are they are told to nobody here.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Show what the repository's people approved, ask once, and let your agents be told it as it stands.

    What changes later, and what comes new, waits for another yes. What opposes a block of yours, or what you rejected,
    is left out and named: trust it by its id.

    Examples: alice-exp project trust · alice-exp project trust exp-7k2m9q4x --reject
    """
    session = terminal.session
    require_person(session.caller, say("trust"), "alice-exp project trust")
    opened = teaming(session)
    found, refused = teams.held(opened)
    if not (found or refused):
        is_empty = opened.files.team_file() is not None
        said = "nothing stands in it" if is_empty else "this repository carries no {path}"
        raise NotFoundError(said, path=PATH, hint="write one: alice-exp project publish" * (not is_empty))
    meant = teams.meant(found, references, reject=reject)
    why = teams.apart(session.home.read(PLACES), [one.placed for one in meant])
    left = {} if references or reject else why
    through = [one for one in meant if one.id not in left]
    _show_waiting(terminal, meant, why, left)
    _note_refused(terminal, refused)
    commit = None
    if through and not dry_run:
        terminal.confirm(
            say("Turn {count} down?" if reject else "Tell your agents these {count}?", count=len(through))
        )
        session.enter()
        placed = [one.placed for one in through]
        commit = teams.decide(opened, placed, "rejected" if reject else "trusted")
    decided = dict.fromkeys((one.id for one in through if commit), "rejected" if reject else "trusted")
    document = {
        "project": opened.project,
        "path": PATH,
        "ids": [*decided],
        "commit": commit_id(commit),
        "blocks": [_held_document(one, decided.get(one.id, one.standing)) for one in found],
        "left_out": [{"id": name, "why": say(reason, id=of)} for name, (reason, of) in left.items()],
        "refused": _refused(refused),
    }
    terminal.answer(document, lambda: _say_trusted(terminal, opened.project, found, decided))
    if not meant:
        terminal.note(say("{project}: nothing waits", project=opened.project))


def _say_trusted(terminal: Terminal, project: str, found: Sequence[Held], decided: Mapping[str, str]) -> None:
    if "rejected" in decided.values():
        terminal.line(say("{count} turned down", count=len(decided)))
    trusted = [one for one in found if decided.get(one.id, one.standing) == "trusted"]
    for one in trusted if not decided else ():
        terminal.line(f"= {one.id}  {said(one.placed)}" + aside(one.placed.block.origin))
    terminal.line(say("{project}: {count} trusted, as they stand", project=project, count=len(trusted)))


def _show_waiting(
    terminal: Terminal,
    meant: Sequence[Held],
    why: dict[str, tuple[str, str]],
    left: Collection[str],
) -> None:
    if terminal.wants_document or terminal.quiet:
        return
    for one in meant:
        sign = {"new": "+", "changed": "~"}.get(one.standing, "?")
        terminal.line(f"{sign} {one.lesson.block.id}  {said(one.placed)}" + aside(one.placed.block.origin))
        if one.was:
            is_reworded = one.was != said(one.placed)
            changed = "trusted before: {text}" if is_reworded else "the same words, of another type: {type}"
            terminal.line("    " + say(changed, text=one.was, type=one.placed.block.type))
        if is_in_doubt(one.placed.block):
            terminal.line("    " + say("in doubt here: a yes says that it still holds"))
        if one.id in why:
            reason, of = why[one.id]
            terminal.line(
                "    " + say("left out: {why}" if one.id in left else "{why}", why=say(reason, id=of))
            )

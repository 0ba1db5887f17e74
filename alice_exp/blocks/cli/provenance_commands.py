"""The commands ``why``, ``log``, ``diff``, ``undo`` and ``restore``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from alice_exp.blocks.cli.lifetime_commands import block_words, in_words, restore_lost
from alice_exp.blocks.usecases import provenance
from alice_exp.blocks.usecases.provenance import LogFilter
from alice_exp.caller.acting import require_person
from alice_exp.home.ports import Changed, Version
from alice_exp.home.session import Session
from alice_exp.kernel.errors import BusyError, ProblemError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.jsonc import plain
from alice_exp.model import documents
from alice_exp.model.formats.block_schema import block_json
from alice_exp.model.rules.doubt import Use, replaced, use
from alice_exp.model.rules.ledger import deciding_again
from alice_exp.model.values.block import CONFIDENCE, TRUST, Placed, Record, is_asked
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import rendered, say
from alice_exp.terminal.options import DryRun


def why(
    terminal: Terminal,
    reference: Annotated[str, typer.Argument(metavar="ID", help="A block's id, or the beginning of it.")],
) -> None:
    """Explain a block: what it says, its evidence, every act that changed it, how it is scored.

    Example: alice-exp why exp-7k2m9q4x
    """
    opened = terminal.session
    block_id, present = provenance.find(opened, reference)
    try:
        life = [*opened.history.states(block_id)][::-1]
    except ProblemError as error:
        if present is None:
            raise
        # What the block says and how it is scored stands in its file; only its past is missing.
        opened.warn(error)
        life = []
    document: dict[str, Any] = {
        "id": block_id,
        "block": block_json(present.block, present.place) | documents.brief(present) if present else None,
        "transitions": [
            {**documents.commit(act), "from": before or None, "to": after or None}
            for act, before, after in life
        ],
        "formula": "score = trust · confidence · importance · decay · match",
    }
    if present:
        document["trust"] = TRUST[present.place]
        document["confidence"] = CONFIDENCE[present.block.state]
        document["importance"] = present.block.importance_factor
        record = present.block.record or Record()
        now = use(present, replaced(opened.home.read(("personal", "universal"))))
        document["use"] = {"use": now, "ok": record.ok, "failed": record.failed}
    terminal.answer(document, lambda: _why(terminal, document, present, life))


def _why(
    terminal: Terminal, document: dict[str, Any], present: Placed | None, life: list[provenance.Step]
) -> None:
    block_id = document["id"]
    if present is None:
        lost = say("{id}  is gone: no word of it was kept, and nothing brings it back", id=block_id)
        gone = say("{id}  is no longer in the home; 'alice-exp restore {id}' brings it back", id=block_id)
        is_kept = any(before or after for _, before, after in life)
        terminal.line(gone if is_kept and life[-1][0].op != "purge" else lost)
    else:
        terminal.line(f"{block_id}  {say(present.block.state)}  {present.place}/{present.namespace}")
        when = documents.trigger_text(present) or say("(none: matched by the payload alone)")
        terminal.pair(say("{name}:", name=say("trigger")), when)
        terminal.pair(say("{name}:", name=say("payload")), documents.payload_text(present))
        for piece in present.block.evidence:
            told = documents.evidence_whole(piece, terminal.local, rendered)
            terminal.pair(say("{name}:", name=say("evidence")), told)
        trust, confidence, importance = (document[name] for name in ("trust", "confidence", "importance"))
        factors = [say("trust") + f" {trust:.1f}", say("confidence") + f" {confidence:.1f}"]
        if importance != 1:
            factors.append(say("importance") + f" {importance:.2f}")
        for sentence in _use(present, document["use"]["use"]):
            terminal.pair(say("{name}:", name=say("use")), sentence)
        total = say(
            "{factors} = {product}, times decay and match",
            factors=" · ".join(factors),
            product=f"{trust * confidence * importance:.2f}",
        )
        terminal.pair(say("{name}:", name=say("score")), total)
    rows = [
        [terminal.local(act.at), act.commit[:8], say(act.op), act.actor, _rise(before, after)]
        for act, before, after in life
    ]
    terminal.table([say("when"), say("commit"), say("act"), say("who"), say("state")], rows)


def _use(placed: Placed, now: Use) -> list[str]:
    """How a block is used, what its outcomes say, and what would change it."""
    block_id, record = placed.block.id, placed.block.record or Record()
    doubt = placed.block.doubt
    how = {
        "told": say("approved: told where it fits, beside what else you approved"),
        "in_doubt": say(
            "in doubt since {day}: 'alice-exp keep {id}' if it still holds, 'alice-exp retire {id} --reason …' if not",
            day=doubt.since[:10] if doubt is not None else "",
            id=block_id,
        ),
        "replaced": say("replaced: what you said holds in its place is told, and this is not"),
        "candidate": say(
            "nobody has decided on it: applied only where nothing approved fits, with a disclaimer"
        ),
        "withheld": say("it failed before anybody decided on it: not applied until the review"),
        "unapproved": say("not approved as it stands: not applied; alice-exp approve {id}", id=block_id),
        "archived": say("in the archive: not used"),
    }
    sentences = [how[now]]
    if placed.block.entry is not None and is_asked(placed):
        said = "Decided otherwise on two machines; what stands holds until you decide again: {ids}."
        sentences.append(say(said, ids=deciding_again(placed.block.entry)))
    if uses := record.ok + record.failed:
        sentences.append(say("{ok} of {uses} uses worked", ok=record.ok, uses=uses))
    if doubt is not None and not doubt.since:
        sentences.append(
            say(
                "doubt {value} of 1: a failure about doubles it, a success halves it",
                value=f"{doubt.value:.2f}",
            )
        )
    return sentences


def log(
    terminal: Terminal,
    reference: Annotated[str, typer.Argument(metavar="[ID]", help="One block alone.")] = "",
    by: Annotated[
        str, typer.Option(metavar="ACTOR", help="Acts of one actor, as agent or agent:claude.")
    ] = "",
    op: Annotated[str, typer.Option(help="Acts of one kind, as approve.")] = "",
    session: Annotated[str, typer.Option(help="Acts of one conversation.")] = "",
    since: Annotated[str, typer.Option(help="From this day or time on.")] = "",
    until: Annotated[str, typer.Option(help="Before this day or time.")] = "",
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="How many at most.")] = 1_000_000,
    texts: Annotated[
        bool, typer.Option("--text", help="What each act changed, too, field by field.")
    ] = False,
) -> None:
    """Show the acts, newest first, in the blocks' own terms.

    Examples: alice-exp log · alice-exp log exp-7k2m9q4x --by agent · alice-exp log --text -n 3
    """
    opened = terminal.session
    opened.home.read(())
    provenance.require_op(opened.history, op)
    block_id = provenance.find(opened, reference)[0] if reference else ""
    filters = LogFilter(block_id, by, op, session, terminal.moment(since), terminal.moment(until), limit)
    acts = list(provenance.log(opened.history, filters))
    steps = opened.history.states(block_id) if block_id else ()
    life = {act.commit: (before, after) for act, before, after in steps}
    states = []
    for act in acts:
        # Those in its trailers, else those in the history of the one block.
        told = dict(act.trailers)
        is_told = "From" in told and "To" in told
        states.append((act, *((told["From"], told["To"]) if is_told else life.get(act.commit, ("", "")))))
    document = [
        {**documents.commit(act), "from": before or None, "to": after or None}
        for act, before, after in states
    ]
    rows = [
        [terminal.local(act.at), act.commit[:8], act.actor, in_words(act), _rise(before, after)]
        for act, before, after in states
    ]
    if texts:
        changes = [provenance.diff(opened.history, act.commit) for act in acts]
        for row, changed in zip(document, changes, strict=True):
            row["changes"] = [_version(version) for version in changed.blocks]
        terminal.answer({"commits": document}, lambda: _texts(terminal, changes))
        return
    columns = [say("when"), say("commit"), say("who"), say("what"), say("state")]
    shown = 5 if any(row[-1] for row in rows) else 4  # a column of nothing takes the room of what was done
    terminal.answer(
        {"commits": document}, lambda: terminal.table(columns[:shown], [row[:shown] for row in rows])
    )


def _texts(terminal: Terminal, changes: list[Changed]) -> None:
    for number, changed in enumerate(changes):
        if number:
            terminal.line()
        _diff(terminal, changed)


def _rise(before: str, after: str) -> str:
    """A change of state as text; empty if it stayed."""
    return "" if before == after else f"{say(before) if before else '–'} → {say(after) if after else '–'}"


def diff(
    terminal: Terminal,
    name: Annotated[
        str, typer.Argument(metavar="[COMMIT]", help="Which act; the newest where none is named.")
    ] = "",
) -> None:
    """Show what one act changed, block by block, field by field.

    Example: alice-exp diff 4f2a91c0
    """
    terminal.session.home.read(())
    changed = provenance.diff(terminal.session.history, name)
    document = {
        **documents.commit(changed.commit),
        "changes": [_version(version) for version in changed.blocks],
        "files": [file.path for file in changed.files],
    }
    terminal.answer(document, lambda: _diff(terminal, changed))


def _version(version: Version) -> dict[str, Any]:
    fields = provenance.field_changes(version)
    return {
        "id": version.block_id,
        "from": version.before.path if version.before else None,
        "to": version.after.path if version.after else None,
        "fields": {name: {"before": before, "after": after} for name, (before, after) in fields.items()},
    }


def _diff(terminal: Terminal, changed: Changed) -> None:
    act = changed.commit
    terminal.line(f"{act.commit[:8]}  {terminal.local(act.at)}  {act.actor}  {in_words(act)}")
    for version in changed.blocks:
        before = version.before.path if version.before else "–"
        after = version.after.path if version.after else "–"
        terminal.line(f"{version.block_id}  {before if before == after else f'{before} → {after}'}")
        for name, (old, new) in provenance.field_changes(version).items():
            for sign, values in zip("-+", _parted(old, new), strict=True):
                for value in values:
                    terminal.line(f"  {sign} {name}: {plain(value)}")
    for file in changed.files:
        terminal.line(file.path)


def _parted(old: object, new: object) -> tuple[list[object], list[object]]:
    """The values removed and added; of two lists, only the items that the other one does not have."""
    if isinstance(old, list) and isinstance(new, list):
        return [one for one in old if one not in new], [one for one in new if one not in old]
    return [one for one in (old,) if one is not None], [one for one in (new,) if one is not None]


def undo(
    terminal: Terminal,
    name: Annotated[
        str,
        typer.Argument(
            metavar="[COMMIT]",
            help="Which act; the newest that still stands where none is named, before what a hook heard.",
        ),
    ] = "",
    by: Annotated[
        str, typer.Option(metavar="ACTOR", help="All acts of one actor, as agent or agent:claude.")
    ] = "",
    session: Annotated[str, typer.Option(help="All acts of one conversation.")] = "",
    since: Annotated[str, typer.Option(help="All acts from this day or time on.")] = "",
    until: Annotated[str, typer.Option(help="Before this day or time.")] = "",
    op: Annotated[str, typer.Option(help="All acts of one kind, as memorize.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Take acts back in one commit; what a later act changed is named and left.

    Examples: alice-exp undo · alice-exp undo 4f2a91c0 --dry-run · alice-exp undo --by agent --since 2026-02-20
    """
    opened = terminal.session
    named = {"--by": by, "--op": op, "--session": session, "--since": since, "--until": until}
    tried = " ".join(filter(None, (name, *(f"{option} {value}" for option, value in named.items() if value))))
    require_person(opened.caller, say("undo"), f"alice-exp undo {tried}".rstrip())
    provenance.require_op(opened.history, op)
    filters = LogFilter("", by, op, session, terminal.moment(since), terminal.moment(until))
    if name and filters != LogFilter():
        raise UsageError("name one act, or say which acts by options, not both")
    opened.home.read(())
    for rehearsal in (True, False) if not dry_run and not terminal.yes else (dry_run,):
        home, elsewhere = terminal.home_for(rehearsal), lambda: _brought(opened)
        undone = provenance.undo(home, opened.history, opened.caller, name, filters, elsewhere)
        if rehearsal and not dry_run and undone.acts:
            _ask(terminal, undone)
    _undone(terminal, undone, dry_run)


def _brought(session: Session) -> frozenset[str]:
    """The commits that a sync brought from another machine."""
    from alice_exp.home.store.git_history import acts_after

    acts = acts_after(session.home.repository, "", "")
    return frozenset(act.commit for act in acts if act.is_from_elsewhere)


def _ask(terminal: Terminal, planned: provenance.Undone) -> None:
    """Show what would be taken back, newest first, and ask a person whether to."""
    for act in planned.acts[:_SHOWN]:
        terminal.note(f"  {terminal.local(act.at)}  {act.actor}  {in_words(act)}")
        for block_id, words in block_words(terminal, [act]).items():
            terminal.note(f"    {block_id}  {words}")
    if (acts := len(planned.acts)) > _SHOWN:
        terminal.note(say("and {count} more", count=acts - _SHOWN))
    question = "Take back {count} acts on {blocks} blocks?"
    terminal.confirm(say(question, count=acts, blocks=len(planned.blocks)))


_SHOWN = 10  # How many acts the question shows.


def _undone(terminal: Terminal, undone: provenance.Undone, dry_run: bool) -> None:
    document = {
        "undone": [documents.commit(act) for act in undone.acts],
        "blocks": list(undone.blocks),
        "conflicts": [target for target, _ in undone.conflicts],
        "changed_by": {target: act.commit for target, act in undone.conflicts if act is not None},
        "commit": commit_id(undone.commit),
    }

    def text() -> None:
        if not undone.acts and not undone.conflicts:
            terminal.line(say("nothing changed"))
        verb = say("would undo") if dry_run else say("undone")
        for act in undone.acts:
            terminal.line(say("{verb}: {subject}", verb=verb, subject=in_words(act)))
        words = block_words(terminal, undone.acts[:_SHOWN])
        for target in undone.blocks:
            terminal.line(f"  {target}  {words.get(target, '')}".rstrip())

    terminal.answer(document, text)
    for target, act in undone.conflicts:
        if act is None:
            terminal.note(say("alice-exp: {id} was changed by a later act and is left as it is", id=target))
        else:
            template = "alice-exp: {id} was changed by {act} ({commit}) and is left as it is"
            terminal.note(say(template, id=target, act=in_words(act), commit=act.commit[:8]))
    if act := undone.instead:
        template = "alice-exp: the newest act that can be taken back is {act}: alice-exp undo {commit}"
        terminal.note(say(template, act=in_words(act), commit=act.commit[:8]))
    if undone.conflicts:
        terminal.exit_code = BusyError.exit_code


def restore(
    terminal: Terminal,
    reference: Annotated[
        str, typer.Argument(metavar="[ID]", help="A block that expired or was deleted.")
    ] = "",
    lost: Annotated[
        bool,
        typer.Option("--lost", help="Every decision of yours that the files lack, as after a reset of git."),
    ] = False,
    lets_go: Annotated[
        bool, typer.Option("--let-go", help="With --lost: these decisions hold no more.")
    ] = False,
) -> None:
    """Bring a block back from history: what expired, what was deleted from a file; or every decision that git took.

    Examples: alice-exp restore exp-7k2m9q4x · alice-exp restore --lost
    """
    opened = terminal.session
    if bool(reference) == lost or (lets_go and not lost):
        raise UsageError("name a block, or say --lost", hint="see 'alice-exp heartbeat'")
    if lost:
        restore_lost(terminal, lets_go=lets_go)
        return
    placed, commit = provenance.restore(opened, reference)
    terminal.answer(
        {**documents.brief(placed), "commit": commit_id(commit)},
        lambda: terminal.line(say("{id}  is back in {place}", id=placed.block.id, place=placed.where)),
    )

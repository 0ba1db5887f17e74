"""The commands ``edit``, ``move``, ``retire``, ``revive`` and ``purge``."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast

import typer

from alice_exp.blocks.rules.undo import Lost
from alice_exp.blocks.usecases import lifetime
from alice_exp.blocks.usecases.lifetime import Lived
from alice_exp.caller.acting import require_person
from alice_exp.home.ports import Purged
from alice_exp.kernel.errors import Names, NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal.act import OPS, Commit, commit_id
from alice_exp.kernel.jsonc.edits import Set
from alice_exp.kernel.jsonc.edits import edit as edited
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.value_class import attributes
from alice_exp.model import documents
from alice_exp.model.values.snapshot import namespace_name
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import language, say
from alice_exp.terminal.options import DryRun

_STATES = re.compile(r"\b(?:possible|past|reliable|obsolete)\b")
_COUNTED = re.compile(r"(.*?) \((\d+) verified\)")
DETAILS = (
    *("a new home", "a new history begins", "the history goes on", "on the screen", "settle a merge"),
    *("content", "fields and comments", "it still holds", "nothing of it is kept"),
    *("trusted in {place}", "turned down in {place}", "into {place}"),
    *("{count} seen again", "{waiting} waiting, {gone} expired"),
    *("{place}, removed", "{place}, comments and layout", "result of {place}"),
    *("add {count} thoughts", "add {place}", "reflect on {place}"),
)
"""What some acts say of themselves, always in the same words: all but a place is a number."""
COUNTS = {"new": "{count} new", "changed": "{count} changed", "removed": "{count} removed"}
"""What adopting an edit says of its blocks."""
_EFFECTS = ("verified", "debounced", "noted", "failed", "needs review", "withheld")
_TAKEN = re.compile(r"(\d+) (new|changed|removed)")
_OUTCOME = re.compile(r"(ok|fail) of (\S+)(.*)")


def in_words(act: Commit) -> str:
    """The act's subject in the person's language; as it is where it is English, or no act's."""
    head, colon, detail = act.subject.partition(": ")
    op, _, target = head.partition(" ")
    if language() == "en" or op not in OPS:
        return act.subject
    blocks = re.fullmatch(r"(\d+) blocks", target)
    target = say("{count} blocks", count=int(blocks[1])) if blocks else target
    return " ".join(filter(None, (say(op), target))) + (f"：{_detail(detail)}" if colon else "")


def told_elsewhere(terminal: Terminal, done: Purged) -> None:
    """Say which files a purge left that say the same; of a conversation, what deletes it."""
    for path in done.elsewhere:
        terminal.note(
            say("alice-exp: {path} still says the same; it is not part of the block and stays", path=path)
        )
        if found := _CONVERSATION.fullmatch(path):
            terminal.note(say("  to delete that conversation: 'alice-exp session forget {id}'", id=found[1]))
    if done.trigger:
        terminal.note(say("alice-exp: what it was for still stands in {few}", few=Names(done.trigger)))
    if done.named:
        # What only names an id is told by its file, not object by object.
        few = Names(sorted({one.partition(" (")[0] for one in done.named}))
        terminal.note(say("alice-exp: its id, and no word of it, stays in {few}", few=few))


_CONVERSATION = re.compile(r"sessions/(.+)\.jsonl")


def _detail(detail: str) -> str:
    """What an act led to; what is not known here stays as it is."""
    for template in DETAILS:
        shape = re.escape(template)
        shape = shape.replace(r"\{place\}", "(?P<place>.+)")
        shape = re.sub(r"\\{(\w+)\\}", lambda named: rf"(?P<{named[1]}>[0-9]+)", shape)
        if found := re.fullmatch(shape, detail):
            return say(template, **{k: v if k == "place" else int(v) for k, v in found.groupdict().items()})
    if found := _OUTCOME.fullmatch(detail):
        return f"{say(found[1])} {found[2]}{found[3]}"
    if detail.startswith("takes back "):
        listed, _, more = detail.removeprefix("takes back ").partition(" and ")
        rows = (row.partition(" ") for row in listed.split(", "))
        acts = [f"{say(op) if op in OPS else op} {rest}".rstrip() for op, _, rest in rows]
        return "，".join(acts + ([say("and {count} more", count=int(more.split()[0]))] if more else []))
    if found := re.fullmatch(r"(\S+) set aside, (.+)", detail):
        return say("{name} set aside", name=found[1]) + f"，{say(found[2])}"
    detail, counted = _TAKEN.subn(lambda row: say(COUNTS[row[2]], count=int(row[1])), detail)
    if counted:
        return detail.replace(", ", "，")
    states = _STATES.sub(lambda word: say(word[0]), detail)
    if found := _COUNTED.fullmatch(states):
        verified = say("{count} verified", count=int(found[2]))
        said = "，".join(say(word) if word in _EFFECTS else word for word in found[1].split(", "))
        return f"{said}（{verified}）"
    return states


def block_words(terminal: Terminal, acts: Sequence[Commit]) -> dict[str, str]:
    """What the blocks of some acts say, by id."""
    versions = (one for act in acts for one in terminal.session.history.changed(act.commit).blocks)
    said = ((one.block_id, one.after or one.before) for one in versions)
    return {block_id: short(documents.payload_text(placed), 60) for block_id, placed in said if placed}


def told_lost(row: Lost) -> tuple[str, str]:
    """What a lost decision was about, and what it was, with its day."""
    day = row.entry.at[:10]
    words = {
        "trusted": say("you approved it on {day}", day=day),
        "rejected": say("you rejected it on {day}", day=day),
        "retired": say("you retired it on {day}", day=day),
    }[row.entry.standing]
    said = say("{what}, as a copy of the ledger says", what=words) if row.is_copied else words
    return documents.payload_text(row.text) if row.text is not None else "", said


def restore_lost(terminal: Terminal, *, lets_go: bool) -> None:
    """Show the decisions that the files lack, and once a person says so put them back or let them go."""
    from alice_exp.blocks.usecases import provenance

    opened = terminal.session
    require_person(opened.caller, "restore", "alice-exp restore --lost")
    rows = provenance.lost(opened.home, opened.history)
    if not rows:
        raise NotFoundError("the files lack no decision of yours", hint="see 'alice-exp heartbeat'")
    for row in () if terminal.json else rows:
        terminal.note("  ".join(filter(None, (row.entry.id, *told_lost(row)))))
    asked = "Let {count} decisions go?" if lets_go else "Put {count} decisions back?"
    terminal.confirm(say(asked, count=len(rows)), is_new=True)
    shown = [row.entry.id for row in rows]
    ids, commit = provenance.restore_lost(opened.home, opened.caller, opened.history, shown, lets_go=lets_go)
    done = "{count} decisions hold no more" if lets_go else "{count} decisions are in the files again"
    text = say(done, count=len(ids))
    terminal.answer({"ids": list(ids), "commit": commit_id(commit)}, lambda: terminal.line(text))


_Id = Annotated[str, typer.Argument(metavar="ID", help="A block's id, or the beginning of it.")]


def edit(terminal: Terminal, reference: _Id, dry_run: DryRun = False) -> None:
    """Open a block's own text in $VISUAL or $EDITOR; what you save is checked, then committed.

    An editor that returns at once has to be told to wait, as EDITOR="code --wait". Example: alice-exp edit exp-7k2m9q4x
    """
    from alice_exp.terminal.editor import in_editor

    caller = terminal.session.caller
    opened = lifetime.open_block(terminal.session.home, caller, reference)
    block_id, place = opened.placed.block.id, namespace_name(opened.placed.path)
    head = (
        say("{id} in {place}: change what you like, save and close.", id=block_id, place=place),
        say("Comments stay with the block. Unchanged or emptied, nothing happens."),
    )
    text = in_editor(
        terminal, block_id, head, f"{opened.text}\n", lambda made: lifetime.faults(opened, made, caller)
    )
    _edited(terminal, opened, text, dry_run=dry_run)


def edit_sentence(terminal: Terminal, reference: str) -> None:
    """Let the person edit what a block says as a sentence; one that is in parts is edited as its file has it."""
    from alice_exp.terminal.editor import in_editor

    session = terminal.session
    opened = lifetime.open_block(session.home, session.caller, reference)
    payload, block_id = opened.placed.block.payload, opened.placed.block.id
    if payload.kind or payload.steps:
        edit(terminal, reference)
        return
    when = documents.trigger_text(opened.placed)
    head = (
        *([say("when: {when}", when=when)] if when else []),
        say("Change what it says, save and close. Unchanged or emptied, nothing happens."),
        say("All of it: alice-exp edit {id}", id=block_id),
    )
    said = in_editor(terminal, block_id, head, payload.content, lambda _: (), plain=True)
    if said is not None:
        document = parse(opened.text.encode())
        said = edited(document, [Set(("payload",), said.strip())]).decode()
    _edited(terminal, opened, said)


def _edited(terminal: Terminal, opened: lifetime.Opened, text: str | None, *, dry_run: bool = False) -> None:
    """Keep the edited text of a block, None where it is as it was, and say so."""
    made = opened.text if text is None else text
    lived = lifetime.edit(terminal.home_for(dry_run), terminal.session.caller, opened, made)
    changed = lived.placed is not lived.before
    said = "{id}  changed" if changed else "{id}  nothing changed"
    _answer(terminal, lived, say(said, id=opened.placed.block.id), {"changed": changed})


def move(
    terminal: Terminal,
    reference: _Id,
    to: Annotated[str, typer.Argument(metavar="SET/NAME", help="As universal/tool_usage.")],
    dry_run: DryRun = False,
) -> None:
    """Move a trusted block into another namespace; nothing leaves personal.

    Example: alice-exp move exp-7k2m9q4x universal/tool_usage
    """
    lived = lifetime.move(terminal.home_for(dry_run), terminal.session.caller, reference, to)
    was, now = namespace_name(lived.before.path), namespace_name(lived.placed.path)
    template = "{id}  is in {now} already" if was == now else "{id}  {was} → {now}"
    _answer(terminal, lived, say(template, id=lived.placed.block.id, was=was, now=now))


def retire(
    terminal: Terminal,
    reference: _Id,
    reason: Annotated[str, typer.Option(help="What has changed; kept with the block.")],
    to: Annotated[
        str, typer.Option(help="obsolete (into the archive), or past (from reliable).")
    ] = "obsolete",
    dry_run: DryRun = False,
) -> None:
    """Take trust from a block because the world has changed.

    Example: alice-exp retire exp-7k2m9q4x --reason "the build moved to uv"
    """
    if to not in ("obsolete", "past"):
        raise UsageError("cannot retire to {to}", to=repr(to), hint="write --to obsolete or --to past")
    target = cast("Literal['obsolete', 'past']", to)
    lived = lifetime.retire(terminal.home_for(dry_run), terminal.session.caller, reference, reason, target)
    _answer(terminal, lived, _moved(lived))


def revive(
    terminal: Terminal,
    reference: _Id,
    from_rejected: Annotated[
        bool, typer.Option("--from-rejected", help="Lift a rejection: it waits in the pool again.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Give an archived block a second chance: possible, with its count, where it came from.

    Examples: alice-exp revive exp-7k2m9q4x · alice-exp revive exp-2m4n6p8q --from-rejected
    """
    from alice_exp.blocks.usecases.provenance import find

    lifted = " --from-rejected" if from_rejected else ""
    require_person(terminal.session.caller, say("revive"), f"alice-exp revive {reference}{lifted}")
    find(terminal.session, reference)
    if not dry_run:
        terminal.require_confirmation()
    lived = lifetime.revive(
        terminal.home_for(dry_run), terminal.session.caller, reference, from_rejected=from_rejected
    )
    line = _moved(lived)
    if lived.placed.place == "universal":
        waits = "it waits for your approval: 'alice-exp approve {id}'"
        stands = say("its approval holds") if lived.approved else say(waits, id=lived.placed.block.id)
        line += f"; {stands}"
    _answer(terminal, lived, line)


def _moved(lived: Lived) -> str:
    before, after = lived.before.block.state, lived.placed.block.state
    return say(
        "{id}  {before} → {after}, {count} verified, in {place}",
        id=lived.placed.block.id,
        before=say(before if lived.before.place != "archive" else lived.before.namespace),
        after=say(after),
        count=lived.placed.block.verifications,
        place=namespace_name(lived.placed.path),
    )


def _answer(terminal: Terminal, lived: Lived, line: str, more: dict[str, Any] | None = None) -> None:
    placed, was = lived.placed, lived.before
    document = {
        **documents.brief(placed),
        "verifications": placed.block.verifications,
        "from": {"set": was.place, "namespace": was.namespace, "state": was.block.state},
        "approved": lived.approved,
        "needs_approval": lived.lost_approval,
        "commit": commit_id(lived.commit),
        **(more or {}),
    }
    terminal.answer(document, lambda: terminal.act(line))
    if lived.lost_approval and not terminal.is_dry:
        template = (
            "alice-exp: {id} says something else now and waits for your approval: 'alice-exp approve {id}'"
        )
        terminal.note(say(template, id=placed.block.id))
    trailers = lived.commit.trailers if lived.commit is not None else ()
    if ("Withdrawn", placed.block.id) in trailers and not terminal.is_dry:
        template = (
            "alice-exp: a secret or a private fact was taken out of {id}, but history keeps the words "
            "('alice-exp purge {id}' forgets every version of it, the present one too)"
        )
        terminal.note(say(template, id=placed.block.id))


def purge(terminal: Terminal, reference: _Id, dry_run: DryRun = False) -> None:
    """Forget a block for good: every version of it goes from the files and from all of history.

    Nothing brings it back. Asks for the id, or takes --yes. Example: alice-exp purge exp-7k2m9q4x
    """
    from alice_exp.blocks.usecases.provenance import find

    session = terminal.session
    require_person(session.caller, say("purge"), f"alice-exp purge {reference}")
    block_id, _ = find(session, reference)
    if dry_run:
        versions = session.home.versions(block_id)
        line = say("{id}  would go from {count} versions of files in history", id=block_id, count=versions)
        terminal.answer({"id": block_id, "versions": versions, "commit": None}, lambda: terminal.line(line))
        return
    terminal.require_confirmation()
    if not terminal.yes:
        asked = "Every version of {id} will be gone for good. Type its id to go on: "
        sys.stderr.write(say(asked, id=block_id))
        sys.stderr.flush()
        if sys.stdin.readline().strip() != block_id:
            raise RefusedError("not confirmed; nothing was changed")
    done = lifetime.purge(session.home, session.caller, block_id)
    document = {
        "id": block_id,
        **attributes(done, "commits versions elsewhere trigger named left"),
        "commit": done.commit.commit,
    }
    line = say(
        "{id}  is gone from {versions} versions of files; {commits} commits were rewritten",
        id=block_id,
        versions=done.versions,
        commits=done.commits,
    )
    terminal.answer(document, lambda: terminal.line(line))
    for name in done.left:
        terminal.note(say("alice-exp: {name} was sent it before, and keeps it", name=name))
    told_elsewhere(terminal, done)

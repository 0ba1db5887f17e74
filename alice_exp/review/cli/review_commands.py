"""The commands ``approve``, ``reject`` and ``reply``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alice_exp.caller.acting import require_person
from alice_exp.kernel.errors import AliceError, BusyError, Hint, NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.model import documents
from alice_exp.model.rules.private_facts import delicate
from alice_exp.model.values.block import Placed
from alice_exp.review.cli import asked_decisions as asked
from alice_exp.review.cli.asked_decisions import About, By, Choice, Match, Project
from alice_exp.review.cli.candidate_card import kinds_held
from alice_exp.review.rules.report_order import Wanted
from alice_exp.review.usecases import decisions, rival_answers
from alice_exp.review.usecases.decisions import Decided, Seen
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say
from alice_exp.terminal.options import DryRun

if TYPE_CHECKING:
    from alice_exp.review.rules.reply import Decision
    from alice_exp.review.store import OpenReport


def approve(
    terminal: Terminal,
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|NUMBER]…", help="What to approve.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Everything that the open report showed.")] = False,
    in_universal: Annotated[
        bool,
        typer.Option("--universal", help="What stands in personal or universal without your approval here."),
    ] = False,
    to: Annotated[
        str, typer.Option(metavar="SET/NAME", help="Where it goes, instead of where the report said.")
    ] = "",
    replacing: Annotated[
        list[str],
        typer.Option(
            "--replaces",
            metavar="ID",
            help="A rival whose place it takes: a trusted one then waits, one that waits is rejected.",
        ),
    ] = [],  # noqa: B006
    both: Annotated[
        list[str], typer.Option("--both", metavar="ID", help="A rival that holds beside it.")
    ] = [],  # noqa: B006
    merging: Annotated[
        str, typer.Option("--merge", metavar="ID", help="A trusted block that says the same: count it there.")
    ] = "",
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="It holds in every project, not where it was learned alone.")
    ] = False,
    about: About = "",
    by: By = "",
    project: Project = "",
    match: Match = "",
    dry_run: DryRun = False,
) -> None:
    """Trust candidates, each in its project: those about you go to personal, the others to universal.

    Examples: alice-exp approve 1 3 · alice-exp approve 2 --everywhere · alice-exp approve --by agent:claude --about
    user · alice-exp approve 3 --replaces exp-7k2m9q4x · alice-exp approve --universal
    """
    wanted = asked.wanted(terminal, about, by, project, match)
    said = [*(references or ["--universal" if in_universal else "--all"]), *(["--to", to] if to else [])]
    said += ["--everywhere"] if everywhere else []
    require_person(terminal.session.caller, say("approve"), f"alice-exp approve {' '.join(said)}")
    if (replacing or both) and merging:
        raise UsageError("a candidate either takes a block's place or is merged into it")
    if everywhere and merging:
        raise UsageError("a block that is merged into another holds where that one does")
    if in_universal and (references or all_ or not wanted.is_any or to or replacing or both or merging):
        raise UsageError("--universal names what it approves, and where that stays")
    replacing, both = ([*decisions.chosen(terminal.session, each)] for each in (replacing, both))
    chosen = asked.standing(terminal) if in_universal else asked.chosen(terminal, references, all_, wanted)
    if {*replacing, *both}.intersection(chosen.ids):
        raise UsageError("a candidate is no rival of itself", hint="name the other one")
    if merging and len(chosen.ids) != 1:
        raise UsageError("one candidate is merged into a block", hint="name one candidate")
    seen = _confirmed(
        terminal, chosen, "approve", dry_run, others=[merging] if merging else [*replacing, *both]
    )
    target = terminal.home_for(dry_run)
    if merging:
        done = rival_answers.merge(target, terminal.session.caller, chosen.ids[0], merging, seen=seen)
    else:
        done = asked.approved(
            terminal,
            chosen.ids,
            to=to,
            bulk=chosen.is_wide,
            replacing=replacing,
            both=both,
            everywhere=everywhere,
            dry_run=dry_run,
            seen=seen,
            asks=asked.may_ask(terminal, chosen),
        )
    _answer(terminal, [("merge" if merging else "approve", done, chosen)])


def reject(
    terminal: Terminal,
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|NUMBER]…", help="What to reject.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Everything that the open report showed.")] = False,
    reason: Annotated[str, typer.Option(help="Why; kept with the block.")] = "",
    neither: Annotated[str, typer.Option(metavar="ID", help="A rival of it: neither of the two holds.")] = "",
    purge: Annotated[
        bool, typer.Option("--purge", help="Keep no version of it, in files or history: for secrets.")
    ] = False,
    about: About = "",
    by: By = "",
    project: Project = "",
    match: Match = "",
    dry_run: DryRun = False,
) -> None:
    """Turn candidates down for good: they are archived, and known again when they come back.

    Examples: alice-exp reject 2 --reason "not what I said" · alice-exp reject --match coffee · alice-exp reject 4
    --purge
    """
    wanted = asked.wanted(terminal, about, by, project, match)
    said = " ".join(references or ["--all"])
    require_person(terminal.session.caller, say("reject"), f"alice-exp reject {said}")
    chosen = asked.chosen(terminal, references, all_, wanted)
    if neither and (len(chosen.ids) != 1 or reason or purge):
        raise UsageError("--neither ends one candidate and its rival, and takes nothing else")
    others = decisions.chosen(terminal.session, [neither] if neither else [])
    seen = _confirmed(terminal, chosen, "purge" if purge else "reject", dry_run, others=others)
    session, target = terminal.session, terminal.home_for(dry_run)
    if neither:
        done = rival_answers.neither(target, session.caller, chosen.ids[0], others[0], seen=seen)
    else:
        done = decisions.reject(target, session.caller, chosen.ids, reason, bulk=chosen.is_wide, seen=seen)
    if purge and not dry_run:
        asked.purged(terminal, done.ids)
    _answer(terminal, [("purge" if purge else "reject", done, chosen)])


def reply(
    terminal: Terminal,
    words: Annotated[
        list[str], typer.Argument(metavar="TEXT…", help="As approve 1-3, reject 4; in Chinese, too.")
    ],
    dry_run: DryRun = False,
) -> None:
    """Answer the report in your own words, in Chinese or English; what is unclear is refused and nothing is done.

    Examples: alice-exp reply 同意 1 3，拒绝 2 · alice-exp reply yes to all except 2 · alice-exp reply 同意所有关于我的
    """
    from alice_exp.review.rules.reply import left_of

    text = " ".join(words)
    require_person(terminal.session.caller, say("reply"), f"alice-exp reply {text}")
    opened = decisions.open_report(terminal.session)
    ids = opened.ids
    try:
        made = _decisions(terminal, text, opened)
    except UsageError as refusal:
        made = _decisions(terminal, _confirmed_wording(terminal, text, ids, refusal), opened)
    made = rival_answers.agreed(terminal.session.home, made, ids, text)
    waiting, _ = decisions.shown_only(terminal.session.home, ids)
    settled = [(one, asked.reached(terminal, one, text)) for one in made if one.verb != "later"]
    seen: dict[str, str] = {}
    for decision, chosen in settled:
        seen |= _confirmed(terminal, chosen, "purge" if decision.also == "purge" else decision.verb, dry_run)
    done = _carried_out(terminal, settled, seen, dry_run)
    decided = {block_id for _, row, _ in done for block_id in row.ids}
    left = [one for one in left_of(made, ids) if one in waiting and one not in decided]
    left += [one for _, row, _ in done for one, why in row.skipped if why in ("private", "rival")]
    _replied(terminal, done, left)


def _decisions(terminal: Terminal, text: str, opened: OpenReport) -> tuple[Decision, ...]:
    """What the strict grammar reads; ``UsageError`` where it refuses."""
    from alice_exp.review.rules.reply import more, named, of_rivals, read
    from alice_exp.review.rules.reply_clauses import unclear

    rest, rivals = of_rivals(text, opened.ids)
    plain, also = more(rest)
    told = {one for rival in rivals for one in rival.ids}
    ids = ["" if one in told else one for one in opened.ids]
    whole = read(plain, opened.ids, opened.groups, lambda: _subjects(terminal)) if plain and told else ()
    if twice := told & {one for decision in whole if not decision.is_wide for one in decision.ids}:
        raise unclear(
            "I read: {reading}; two decisions name {what}", reading=text, what=named([*twice], opened.ids)
        )
    groups = {name: tuple(one for one in row if one in ids) for name, row in opened.groups.items()}
    made = read(plain, ids, groups, lambda: _subjects(terminal)) if plain or not rivals else ()
    verbs = [one.verb for one in made if one.verb != "later"]
    if also and verbs != ["reject" if also == "purge" else "approve"]:
        raise _of_one(also)
    return (*rivals, *(replace(one, also=also) for one in made))


def _of_one(also: str) -> UsageError:
    example = say("approve 1 everywhere") if also == "everywhere" else say("reject and purge 1")
    hint = Hint("write it with its verb, in a reply of its own: {example}", example=example)
    return UsageError("{text} goes with one decision", text=also, hint=hint)


def _subjects(terminal: Terminal) -> dict[str, tuple[str, ...]]:
    from alice_exp.review.usecases.todays_report import heartbeat

    report, _ = heartbeat(terminal.session, peek=True)
    return {
        name: tuple(i.placed.block.id for i in report.items if Wanted(about=name).holds(i))
        for name in ("user", "work")
    }


def _confirmed_wording(terminal: Terminal, text: str, ids: Sequence[str], refusal: UsageError) -> str:
    """What a refused reply may have meant, in plain words, once the person at the terminal says so; elsewhere raises
    the refusal, whose hint gives these words. Nothing is done by a guess, with ``--yes`` neither."""
    from alice_exp.review.rules.reply import more
    from alice_exp.review.usecases.rival_answers import waiting, wording

    # Other words for it would drop what it says of one decision alone.
    if also := next(filter(None, (more(part)[1] for part in text.replace("，", ",").split(","))), ""):
        raise _of_one(also)
    waits = waiting(terminal.session, ids)
    if not (plain := wording(terminal.session, text, ids, waits)):
        refusal.hint = _example(refusal.hint, ids, waits)
        raise refusal
    if not sys.stdin.isatty() or terminal.json or terminal.yes:
        refusal.hint = say("if you mean this, write: alice-exp reply {plain}", plain=plain)
        raise refusal
    terminal.confirm(say("I read: {reading}. Is that what you mean?", reading=plain), is_new=True)
    return plain


def _example(hint: str, ids: Sequence[str], waits: Mapping[str, Placed]) -> str:
    """The hint of a refused reply: its example with one or two numbers that wait; none approves what holds a secret
    or a private fact while another one could be."""
    from alice_exp.review.rules.reply_clauses import EXAMPLE

    known = [(bool(delicate(waits[one].block)), at) for at, one in enumerate(ids, start=1) if one in waits]
    numbers = [number for _, number in sorted(known)]
    if hint != EXAMPLE:
        return hint
    if len(numbers) < 2:
        return (
            say("answer by alice-exp reply: approve, reject or leave")
            if numbers
            else "see 'alice-exp heartbeat --peek'"
        )
    return say("for example: alice-exp reply approve {one}, reject {two}", one=numbers[0], two=numbers[1])


def _carried_out(
    terminal: Terminal, settled: Sequence[tuple[Decision, Choice]], seen: Seen, dry_run: bool
) -> list[tuple[str, Decided, Choice]]:
    """What each decision of a reply did; raises the first refusal where none did anything, else warns of each."""
    done: list[tuple[str, Decided, Choice]] = []
    failed: list[AliceError] = []
    target, own = terminal.home_for(dry_run), terminal.session.caller
    caller = replace(own, reply=own.new_id("rep") if len(settled) > 1 else "")
    for decision, chosen in (row for row in settled if row[1].ids):
        also = decision.also
        how: dict[str, Any] = {"reason": decision.reason, "bulk": chosen.is_wide, "seen": seen}
        try:
            if also in ("new", "old", "both", "neither"):
                row = rival_answers.answer_rivals(target, caller, chosen.ids[0], also, seen=seen)  # type: ignore[arg-type]
            elif decision.verb == "approve":
                how |= {"dry_run": dry_run, "reply": caller.reply, "everywhere": also == "everywhere"}
                asks = asked.may_ask(terminal, chosen) and len(settled) == 1
                row = asked.approved(terminal, chosen.ids, asks=asks, **how)
            else:
                row = decisions.reject(target, caller, chosen.ids, **how)
            if also == "purge" and not dry_run:
                asked.purged(terminal, row.ids)
            done.append(("purge" if also == "purge" else decision.verb, row, chosen))
        except (RefusedError, NotFoundError) as error:
            failed.append(error)
    # With some decisions carried out the others are warnings: an error would hide what was done.
    if failed and not done:
        raise failed[0]
    for failure in failed:
        terminal.warn(failure)
        terminal.exit_code = failure.exit_code
    return done


def _confirmed(
    terminal: Terminal, chosen: Choice, verb: str, dry_run: bool, *, others: Sequence[str] = ()
) -> dict[str, str]:
    """Show what is about to be decided and was not shown yet; its content hashes, by id. A person is asked before many
    are decided at once and before what they see first here; every approval needs one or ``--yes`` (DESIGN 6)."""
    ids = chosen.ids
    if chosen.is_wide and not dry_run:
        # Nobody is asked about what no yes to many takes along: secrets, private facts, rivals.
        if verb == "approve" and ids:
            ids = asked.approved(terminal, ids, bulk=True, dry_run=True, seen=chosen.hashes).ids
        asked.show_all(terminal, ids)
    seen = asked.show_unseen(terminal, () if chosen.is_wide else chosen.ids, others) | dict(chosen.hashes)
    if dry_run:
        return seen
    is_asked = chosen.is_wide or (seen and sys.stdin.isatty() and not terminal.json)
    if verb == "purge" or (ids and is_asked):
        terminal.confirm(say(_ASKS[verb], count=len(ids)), is_new=bool(seen) or chosen.is_wide)
    elif ids and verb == "approve":
        terminal.require_confirmation()
    return seen


_ASKS = {
    "purge": "Reject {count} candidates, and keep no word?",
    "approve": "Approve {count} candidates?",
    "reject": "Reject {count} candidates?",
}


def _replied(terminal: Terminal, done: Sequence[tuple[str, Decided, Choice]], left: Sequence[str]) -> None:
    """Tell what a reply decided, and ``left``, the ids that it left waiting."""
    commits = [row.commit.commit for _, row, _ in done if row.commit]
    of: dict[str, list[str]] = {"approve": [], "reject": []}
    for verb, row, _ in done:
        for placed in row.placed:
            of["approve" if asked.verb_of(placed, verb) == "approve" else "reject"].append(placed.block.id)
    sides = {"approved": of["approve"], "rejected": of["reject"], "left_out": [*left]}

    def counts() -> None:
        if not any(row.placed for _, row, _ in done):
            terminal.line(say("nothing was decided"))
        elif left:
            rows = [*(of.items() if not terminal.is_dry else ()), ("left", left)]
            terminal.line(" · ".join(asked.counted(terminal, verb, ids) for verb, ids in rows if ids))

    _answer(terminal, done, {"commits": commits, **sides}, counts)


def _document(done: Sequence[tuple[str, Decided, Choice]]) -> dict[str, object]:
    rows = [row for _, row, _ in done]
    commits = [row.commit for row in rows if row.commit]
    return {
        "ids": [block_id for row in rows for block_id in row.ids],
        "commit": commit_id(commits[-1]) if commits else None,
        "blocks": [_block(placed) for row in rows for placed in row.placed],
        "skipped": [{"id": block_id, "why": why} for row in rows for block_id, why in row.skipped],
        "rivals": [
            {"id": rival.new.block.id, "relation": rival.kind, "with": _block(rival.old)}
            for row in rows
            for rival in row.rivals
        ],
        "left": sum(chosen.left for _, _, chosen in done),
    }


def _block(placed: Placed) -> dict[str, object]:
    """A decided block with its texts: for a program they are what was decided, whatever a report showed."""
    return documents.brief(placed) | documents.texts(placed) | {"project": placed.block.project or None}


def _answer(
    terminal: Terminal,
    done: Sequence[tuple[str, Decided, Choice]],
    more: Mapping[str, object] = MappingProxyType({}),
    below: Callable[[], None] = lambda: None,
) -> None:
    """Tell what decisions did, ``below`` that what else there is to say, and what they left as it is."""

    def text() -> None:
        for verb, row, _ in done:
            for placed in row.placed:
                terminal.line(asked.decided_line(terminal, placed, verb))
        below()

    terminal.answer({**_document(done), **more}, text)
    for verb, row, chosen in done:
        for placed in row.placed if verb == "approve" else ():
            if kinds := kinds_held(delicate(placed.block)):
                kept = "alice-exp: {id} holds {kinds}; history holds it from now on, until 'alice-exp purge {id}'"
                terminal.note(say(kept, id=placed.block.id, kinds=kinds))
        if chosen.left:
            left = "alice-exp: only counted, and left: {count}; see 'alice-exp heartbeat --page 2'"
            terminal.note(say(left, count=chosen.left))
        for line in asked.left_lines(terminal, row):
            terminal.note(line)
        if row.skipped:
            terminal.exit_code = BusyError.exit_code

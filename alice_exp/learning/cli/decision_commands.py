"""The commands ``decide``, ``outcome``, ``keep`` and ``distill``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from alice_exp.caller.acting import require_person
from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.value_class import attributes
from alice_exp.learning import documents as learning_documents
from alice_exp.model import documents
from alice_exp.model.rules.lifecycle import Change
from alice_exp.model.values.block import Placed, is_of_team
from alice_exp.terminal.console import Terminal, short, stale_mark, team_of
from alice_exp.terminal.language import aside, rendered, say
from alice_exp.terminal.options import Came, DryRun, Ids, Project, Surroundings, context_of, json_or_text

if TYPE_CHECKING:
    from alice_exp.finding.rules.ranking import Match
    from alice_exp.learning.usecases.decision_outcome import Decision, DecisionOutcome
    from alice_exp.learning.usecases.propose_from_episodes import Distilled, Judged


_WORDS = {"ok": True, "成功": True, "fail": False, "失败": False, "失敗": False}


def decide(
    terminal: Terminal,
    task: Annotated[str, typer.Argument(metavar="TASK")],
    context: Surroundings = [],  # noqa: B006
    project: Project = "",
) -> None:
    """Choose what to apply to a task: what you approved, all that fits; else the pool with a disclaimer.

    Report what came of it with the decision's id. Example: alice-exp decide "deploy to production" --context env=prod
    """
    if not task.strip():
        raise UsageError("say what is to be done", hint='alice-exp decide "deploy to production"')
    # Imported here, so that `outcome` does not pay for what `decide` loads.
    from alice_exp.learning.usecases.decision_outcome import decide as choose

    here = terminal.session.names_of(project)
    made = choose(terminal.session, task, context_of(context), here)
    failures = (learning_documents.failed(one.episode) for one in made.failures)
    warnings = [*map(rendered, made.warnings), *(say(template, **values) for template, values in failures)]
    document = {
        **attributes(made, "decision tier"),
        **learning_documents.procedure(made),
        "applied": [*map(learning_documents.matched, made.applied)],
        "observing": [*map(learning_documents.matched, made.observing)],
        "warnings": warnings,
        "disclaim": made.disclaim,
    }
    is_found = made.tier != "reasoning"
    terminal.answer(document, lambda: _decision(terminal, made, warnings, here), is_found=is_found)


def _decision(terminal: Terminal, made: Decision, warnings: list[str], project: str) -> None:
    terminal.line(f"{made.decision}  {say(made.tier)}")
    for title, found in (
        (say("keep to this"), made.constraints),
        (say("do this"), made.steps),
        (say("try one of these"), made.alternatives),
        (say("not told now"), made.observing),
    ):
        if found:
            terminal.line(say("{name}:", name=title))
        for one in found:
            terminal.line(f"  {one.placed.block.id}  {_told(one, project)}")
    if not made.applied:
        terminal.line(say("nothing that is trusted fits: use your own reasoning"))
    if learning_documents.is_untested(made):
        terminal.line(say(learning_documents.UNTESTED))
    if made.disclaim:
        # The first is the source's sentence, Chinese in the fields of JSON in any language (B5.14).
        warnings = [say("⚠️ low-value experience in use: nothing of higher value fits"), *warnings[1:]]
    for warning in warnings:
        terminal.note(warning)
    if made.is_kept:
        terminal.line(say("then: alice-exp outcome {decision} ok|fail", decision=made.decision))


def _told(found: Match, project: str) -> str:
    """A block in one line, whole, with where it comes from, and that another project keeps it from being told."""
    # Imported here, so that `outcome` does not pay for it.
    from alice_exp.finding.rules.ranking import is_foreign

    placed = found.placed
    block = placed.block
    where, holds = placed.where, block.project
    if is_of_team(placed):
        where, holds = team_of(placed), ""
    elif is_foreign(placed, project):
        holds = say("it holds in {place} alone", place=block.project)
    day = block.approved.at[:10] if block.approved is not None else ""
    review = say("approved on {day}", day=day) if day else ""
    parts = (where, review if found.approved else say("not reviewed"), holds, doubt_of(placed))
    when, text = documents.trigger_text(placed), documents.payload_text(placed)
    said = say("{title}: {text}", title=when, text=text) if when else text
    return " ".join(said.split()) + stale_mark(placed) + "".join(map(aside, filter(None, parts)))


def doubt_of(placed: Placed) -> str:
    """Since when a block is in doubt and what its record says; empty where it is not."""
    if (found := learning_documents.doubt(placed)) is None:
        return ""
    since, ok, failed = found["since"], found["ok"], found["failed"]
    return say("in doubt since {day}: {ok} of {uses} worked", day=since[:10], ok=ok, uses=ok + failed)


def outcome(
    terminal: Terminal,
    reference: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="The decision or the block that was used; last: what was told newest."
        ),
    ],
    result: Annotated[str, typer.Argument(metavar="ok|fail", help="Whether it worked.")],
    scenario: str = "",
    note: str = "",
    came: Came = "",
    reward: float | None = None,
    used: Ids = [],  # noqa: B006
    skipped: Ids = [],  # noqa: B006
    action: str = "",
) -> None:
    """Report whether it worked: successes raise blocks, failures lower them, once a scenario.

    Of a decision all that was applied counts, but what --skipped names, or what --used names alone. A person may say
    "last" for the newest decision, or showing of a hook, that has no outcome.

    Examples: alice-exp outcome dec-7k2m9q4x ok · alice-exp outcome exp-7k2m9q4x fail --scenario "repo alice"
    """
    result = result.lower()
    if result not in _WORDS:
        raise UsageError("unknown outcome {result}", result=repr(result), hint="write ok or fail")
    opened = terminal.session
    if reference == "last":
        from alice_exp.learning.store import decisions

        # Of several sessions at once an agent would report on another's task; it has the id.
        require_person(opened.caller, "report on the last", "alice-exp outcome last ok")
        newest = decisions(opened).newest()
        reference = newest.decision
        terminal.note(f"{reference}: {one_line(newest.task, 200)}")
    if not reference.startswith("dec-"):
        if came or used or skipped or action or reward is not None:
            raise UsageError(
                "--result, --reward, --action, --used and --skipped belong to the outcome of a decision"
            )
        from alice_exp.learning.usecases.decision_outcome import report_outcome

        done = report_outcome(opened, reference, _WORDS[result], scenario, note)
        document = learning_documents.changed(done.placed, done.change) | {"commit": commit_id(done.commit)}
        terminal.answer(document, lambda: _line(terminal, done.placed, done.change))
        return
    from alice_exp.learning.usecases.decision_outcome import report_decision

    told = json_or_text(came) if came else None
    closed = report_decision(
        opened, reference, _WORDS[result], scenario, note, told, reward, action, used, skipped
    )
    _all(terminal, closed)


def _line(terminal: Terminal, placed: Placed, change: Change) -> None:
    before, after = say(change.before), say(change.after)
    moved, count = f"{before} → {after}" if before != after else after, placed.block.verifications
    effect = say(documents.effect_word(change.word))
    line = "{id}  {effect}: {moved}, {count} verified"
    terminal.line(say(line, id=placed.block.id, effect=effect, moved=moved, count=count))


def _all(terminal: Terminal, closed: DecisionOutcome) -> None:
    from alice_exp.episodes.usecases import cleaned

    first = learning_documents.changed(*closed.changes[0]) if closed.changes else {}
    document = {
        "id": closed.decision.decision,
        "state": first.get("state"),
        "verifications": first.get("verifications"),
        "effect": first.get("effect"),
        "blocks": [learning_documents.changed(placed, change) for placed, change in closed.changes],
        "episode": closed.episode.id,
        "pruned": list(closed.pruned),
        "message": cleaned(len(closed.pruned)) if closed.pruned else None,
        "missing": list(closed.missing),
        "commit": commit_id(closed.commit),
    }

    def text() -> None:
        for placed, change in closed.changes:
            _line(terminal, placed, change)
        terminal.line(say("recorded as {episode}", episode=closed.episode.id))
        if closed.pruned:
            terminal.line(say("{count} low-value episodes were pruned", count=len(closed.pruned)))

    terminal.answer(document, text)
    for why in [merge.fallback for merge in closed.merges if merge.fallback]:
        terminal.note(say("alice-exp: the model gave no summary ({why}); the rule did", why=why))
    for block_id in closed.missing:
        terminal.note(say("alice-exp: {id} is no longer in the home and was left out", id=block_id))


def keep(
    terminal: Terminal,
    reference: Annotated[str, typer.Argument(metavar="ID", help="The block that still holds.")],
    note: Annotated[str, typer.Option(help="A remark that is kept as evidence.")] = "",
) -> None:
    """It still holds: end the doubt in a block, and forget its open failures; a person's act.

    What no longer holds: alice-exp retire. Example: alice-exp keep exp-7k2m9q4x
    """
    from alice_exp.blocks.usecases.lifetime import keep as kept

    done = kept(terminal.session.home, terminal.session.caller, reference, note)
    block = done.placed.block
    document = {
        "id": block.id,
        "doubt": block.doubt.value if block.doubt is not None else 0.0,
        "commit": commit_id(done.commit),
    }
    terminal.answer(document, lambda: terminal.line(say("{id}  still holds", id=block.id)))


def distill(
    terminal: Terminal,
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[EPISODE]", help="The lesson of these episodes alone.")
    ] = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="How many proposals at most.")] = 20,
    explain: Annotated[bool, typer.Option("--explain", help="Show counts, rates and intervals.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Find what repeats in episodes and propose it: what worked as advice, what failed as a warning.

    Proposals wait in the pool with their episodes as evidence. Example: alice-exp distill --explain
    """
    opened = terminal.rehearsing(dry_run)
    from alice_exp.learning.usecases.propose_from_episodes import distil

    done = distil(opened, references or (), limit)
    document = {
        "ids": [] if dry_run else list(done.ids),
        "proposals": [_document(one, explain, dry_run) for one in done.judged],
        "refused": done.count("refused"),
        "known": done.count("known"),
        "episodes": done.episodes,
        "commit": commit_id(done.commit),
    }
    terminal.answer(document, lambda: _tell(terminal, done, explain, dry_run))


def _document(one: Judged, explain: bool, dry_run: bool) -> dict[str, Any]:
    proposal = one.proposal
    document: dict[str, Any] = {
        "id": None if dry_run and one.verdict == "proposed" else one.block or None,
        "verdict": one.verdict,
        "kind": proposal.kind,
        "type": proposal.support.type,
        "payload": proposal.payload.content,
        "trigger": proposal.trigger.text,
        "context": dict(proposal.trigger.context),
        "episodes": list(proposal.episodes),
    }
    if explain:
        support = proposal.support
        document["explain"] = {
            **attributes(support, "basis trait"),
            **attributes(support.own, "successes total"),
            "rate": round(support.own.value, 4),
            "interval": [round(support.own.low, 4), round(support.own.high, 4)],
            "others": {"successes": support.others.successes, "total": support.others.total},
            "difference": [round(support.low, 4), round(support.high, 4)],
        }
    return document


def _tell(terminal: Terminal, done: Distilled, explain: bool, dry_run: bool) -> None:
    for one in done.judged:
        proposal = one.proposal
        if one.verdict == "proposed":
            where = say("would be proposed") if dry_run else one.block
        else:
            where = say(
                "known as {id}" if one.verdict == "known" else "rejected before as {id}", id=one.block
            )
        said = say("{name}: {text}", name=say(proposal.kind), text=short(proposal.payload.content, 90))
        terminal.line(f"{where}  {said}")
        if explain:
            template, values = proposal.explanation
            terminal.line(f"  {say(template, **values)}")
            terminal.pair(say("evidence"), ", ".join(proposal.episodes[-5:]))
    if not done.judged:
        terminal.line(say("nothing repeats in {count} episodes", count=done.episodes))

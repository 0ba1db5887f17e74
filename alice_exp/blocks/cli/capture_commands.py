"""The commands ``memorize`` and ``remember``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from alice_exp.blocks.rules.grounding import subject_of
from alice_exp.blocks.usecases.capture import Captured, Draft, completed, held_for
from alice_exp.blocks.usecases.capture import memorize as keep
from alice_exp.blocks.usecases.capture import remember as keep_word
from alice_exp.kernel.errors import Names, ProblemError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.jsonc import Json
from alice_exp.model.documents import brief
from alice_exp.model.formats.block_schema import block_of
from alice_exp.model.rules.private_facts import Delicate, delicate, destination
from alice_exp.model.values.block import (
    ABOUT,
    BLOCK_TYPES,
    CONTENT,
    HELD,
    About,
    Block,
    Evidence,
    Payload,
    Placed,
    Trigger,
)
from alice_exp.model.values.snapshot import namespace_name, namespace_path, type_named
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say
from alice_exp.terminal.options import DryRun, Ids, Pairs, Project, context_of, json_lines

_TAKEN = frozenset(CONTENT) - {"origin"}
"""What a line of JSONL may say of a block: where it comes from is for the program to say."""


def memorize(
    terminal: Terminal,
    payload: Annotated[str, typer.Argument(metavar="PAYLOAD")] = "",
    when: str = "",
    source: Annotated[
        str, typer.Option("--from", metavar="FILE|-", help="Many at once: a block's fields a line (JSONL).")
    ] = "",
    namespace: Annotated[
        str, typer.Option(help="Where approval shall take it, as universal/tool_usage.")
    ] = "",
    type: Annotated[str, typer.Option(help=f"{', '.join(BLOCK_TYPES)}.")] = "fact",
    about: str = "",
    tag: list[str] = [],  # noqa: B006
    context: Pairs = [],  # noqa: B006
    evidence: list[str] = [],  # noqa: B006
    quote: Ids = [],  # noqa: B006
    everywhere: Annotated[bool, typer.Option("--everywhere")] = False,
    replaces: Ids = [],  # noqa: B006
    key: Annotated[str, typer.Option(help="An outside name, unique with its type.")] = "",
    importance: float = 0.5,
    lived: Annotated[
        bool, typer.Option("--lived", help="It was met, not inferred: past, one verification.")
    ] = False,
    project: Project = "",
    dry_run: DryRun = False,
) -> None:
    """Keep something learned as a candidate, until a person decides.

    Examples: alice-exp memorize "use rg" --when "searching code" · alice-exp memorize --from lessons.jsonl
    """
    if source and payload:
        raise UsageError("give a payload or --from, not both")
    session = terminal.rehearsing(dry_run)
    suggested = namespace_name(namespace_path(namespace)) if namespace else ""
    if source:
        held = held_for(session, project)
        drafts = [draft_of(number, fields, source, suggested, held) for number, fields in json_lines(source)]
    else:
        draft = Draft(
            _payload(payload),
            Trigger(when, (), context_of(context)),
            key=key,
            type=type_named(type),
            tags=tuple(tag),
            evidence=tuple(map(_evidence, evidence)),
            importance=importance,
            suggested=suggested,
            lived=lived,
        )
        subject = _about(about) if about else None
        drafts = [completed(session, draft, subject, quote, project, everywhere, replaces)]
    captured = keep(session.target, session.caller, drafts)
    if source:
        _bulk_answer(terminal, captured)
    else:
        _answer(terminal, captured)


def remember(
    terminal: Terminal,
    payload: Annotated[str, typer.Argument(metavar="PAYLOAD", help="What to remember, in your own words.")],
    when: str = "",
    namespace: Annotated[str, typer.Option(help="Which file of personal, as workflow_habits.")] = "",
    type: Annotated[str, typer.Option(help=f"{', '.join(BLOCK_TYPES)}.")] = "fact",
    tag: list[str] = [],  # noqa: B006
    context: Pairs = [],  # noqa: B006
    importance: float = 0.5,
    project: Annotated[
        str, typer.Option(metavar="NAME|.", help="Only for this project; else it holds everywhere.")
    ] = "",
    dry_run: DryRun = False,
) -> None:
    """Keep a person's explicit word: into personal, trusted at once.

    Example: alice-exp remember "I like spicy food" --when "choosing food"
    """
    draft = Draft(
        _payload(payload, 'alice-exp remember "I like tables" --when "comparing options"'),
        Trigger(when, (), context_of(context)),
        type=type_named(type),
        about="user",
        project=terminal.session.names_of(project, learning=True) if project else "",
        tags=tuple(tag),
        importance=importance,
    )
    _answer(terminal, keep_word(terminal.home_for(dry_run), terminal.session.caller, draft, namespace))


def _payload(text: str, example: str = 'alice-exp memorize "use rg" --when "searching code"') -> Payload:
    if not text.strip():
        raise UsageError("a block needs a payload: what to do or to believe", hint=example)
    return Payload(text)


def _about(name: str) -> About:
    if name in ABOUT:
        return name
    raise UsageError("unknown subject {name}", name=repr(name), hint="write --about work or --about user")


def draft_of(
    number: int,
    fields: dict[str, Json],
    source: str,
    suggested: str,
    held: Callable[[Draft], str] = lambda _: "",
) -> Draft:
    """A draft from one line of JSONL; fields that only acts may set are dropped. ``held`` gives the project of one for
    which the line names none."""
    wanted = {key: value for key, value in fields.items() if key in _TAKEN}
    block = block_of(wanted, "low_value")
    if not isinstance(block, Block):
        raise ProblemError("{why}", why=block, path=source, line=number, column=1)
    # What was said in a conversation only its reader knows.
    noted = tuple(replace(one, kind="note") if one.kind == "session" else one for one in block.evidence)
    content = {name: getattr(block, name) for name in CONTENT} | {"evidence": noted}
    content["suggested"] = block.suggested or suggested
    draft = Draft(**content, lived=fields.get("lived") is True)
    draft = draft if "project" in wanted else replace(draft, project=held(draft))
    if "about" in wanted:
        return draft
    return replace(draft, about=subject_of(draft.type, draft.payload.content, draft.suggested))


def _answer(terminal: Terminal, captured: Captured) -> None:
    placed = captured.placed[0]
    assert placed is not None

    def text() -> None:
        place = namespace_name(placed.path)
        if captured.merged:
            terminal.act(say("{id}  known already, seen again ({place})", id=placed.block.id, place=place))
        elif placed.place == "low_value":
            goal = namespace_name(destination(placed.block))
            template = (
                "{id}  would wait for your decision; approval would take it to {goal}"
                if terminal.is_dry
                else "{id}  waits for your decision; approval takes it to {goal}"
            )
            terminal.line(say(template, id=placed.block.id, goal=goal))
        else:
            terminal.act(say("{id}  remembered in {place}", id=placed.block.id, place=place))

    found = delicate(placed.block)
    document = {
        **brief(placed),
        "commit": commit_id(captured.commit),
        "merged": captured.merged > 0,
        "secrets": [{"kind": one.kind, "at": one.at} for one in found],
    }
    terminal.answer(document, text)
    _warn_of_secrets(terminal, placed, found)


def _warn_of_secrets(terminal: Terminal, placed: Placed, found: Sequence[Delicate]) -> None:
    """Name the secrets and private facts that were kept, and what removes them for good."""
    if not found:
        return
    kinds = Names(dict.fromkeys(say(one.kind) for one in found))
    if terminal.is_dry:
        template = "alice-exp: it holds {kinds}"
    elif placed.path == HELD:
        template = (
            "alice-exp: {id} holds {kinds}; it is in no history until it is approved, "
            "and rejecting leaves no word"
        )
    else:
        template = "alice-exp: {id} holds {kinds}; to keep no word of it: 'alice-exp purge {id}'"
    terminal.note(say(template, id=placed.block.id, kinds=kinds))


def _bulk_answer(terminal: Terminal, captured: Captured) -> None:
    kept = {placed.block.id: placed for placed in captured.placed if placed is not None}
    # A new candidate stands in HELD if anything is delicate in it (``pool_path``): each is looked over once.
    found = {one: delicate(p.block) for one, p in kept.items() if p.path == HELD or p.block.observations}
    document = {
        "ids": list(captured.ids),
        "commit": commit_id(captured.commit),
        "merged": captured.merged,
        "refused": len(captured.refused),
        "refused_by": list(captured.refused),
        "secrets": [
            {"id": block_id, "kind": one.kind, "at": one.at} for block_id, row in found.items() for one in row
        ],
    }

    def text() -> None:
        tell_waiting(terminal, len(set(captured.ids)), terminal.is_dry)
        if captured.merged:
            terminal.line(say("{count} were known already, seen again", count=captured.merged))
        tell_refused(terminal, captured.refused)

    terminal.answer(document, text)
    holding = [block_id for block_id, row in found.items() if row]
    for block_id in holding[:_NAMED]:
        _warn_of_secrets(terminal, kept[block_id], found[block_id])
    if (more := len(holding) - _NAMED) > 0:
        template = "alice-exp: {count} more hold a secret or a private fact; the report marks them"
        terminal.note(say(template, count=more))


def tell_waiting(terminal: Terminal, count: int, dry_run: bool) -> None:
    """Say how many candidates wait, or would wait."""
    template = (
        "{count} would wait for your decision" if dry_run else "{count} candidates wait for your decision"
    )
    terminal.line(say(template, count=count))


def tell_refused(terminal: Terminal, refused: Sequence[str]) -> None:
    """Say how many were rejected before, where any was."""
    if refused:
        terminal.line(say("{count} were rejected before and not taken in", count=len(refused)))


_NAMED = 5
"""How many of a bulk's blocks that hold a secret are named one by one."""


def _evidence(text: str) -> Evidence:
    """The id of an episode as a citation (it is not pruned while the block lives), any other text as a quote."""
    from alice_exp.model.formats.record_schema import EPISODE_ID

    return Evidence("episode", ref=text) if EPISODE_ID.fullmatch(text) else Evidence("note", quote=text)

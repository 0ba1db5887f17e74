"""The commands ``recall``, ``list`` and ``show``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alice_exp.finding import documents as finding_documents
from alice_exp.finding.usecases import (
    Filters,
    Shown,
    episodes_beside,
    level_named,
    listing,
    replaced_ones,
    search,
)
from alice_exp.finding.usecases import recall as read
from alice_exp.finding.usecases import show as look
from alice_exp.kernel.errors import ProblemError, UsageError
from alice_exp.kernel.text.display import cells
from alice_exp.model import documents
from alice_exp.model.values.block import SETS
from alice_exp.model.values.snapshot import type_named
from alice_exp.terminal.console import Terminal, scoped, short, stale_mark
from alice_exp.terminal.language import aside, rendered, say
from alice_exp.terminal.options import (
    ChangedSince,
    Project,
    Sets,
    Surroundings,
    Tags,
    Top,
    Types,
    context_of,
    json_lines,
    places_of,
)
from alice_exp.terminal.streams import json_text

if TYPE_CHECKING:
    from collections.abc import Callable

    # `list` and `show` rank nothing.
    from alice_exp.finding.rules.ranking import Match


def recall(
    terminal: Terminal,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="What you want to know, in your own words.")
    ] = "",
    context: Surroundings = [],  # noqa: B006
    top: Top = 10,
    set_: Sets = [],  # noqa: B006
    namespace: Annotated[str, typer.Option(help="One namespace's name alone.")] = "",
    min_state: Annotated[str, typer.Option(help="possible, past, reliable or super_reliable.")] = "possible",
    type: Types = [],  # noqa: B006
    tag: Tags = [],  # noqa: B006
    since: ChangedSince = "",
    min_importance: Annotated[float, typer.Option(help="From 0 to 1.")] = 0.0,
    origin: Annotated[str, typer.Option(help="local, shared_from_NAME or import:KIND.")] = "",
    scenario: Annotated[str, typer.Option(help="With an outcome in this scenario.")] = "",
    project: Project = "",
    explain: Annotated[bool, typer.Option("--explain", help="Show every factor of the score.")] = False,
    queries: Annotated[
        str, typer.Option(metavar="FILE|-", help="Many queries: {qid, query, context?} a line (JSONL).")
    ] = "",
) -> None:
    """Say what is known, best first; nothing where nothing fits (exit 4).

    Examples: alice-exp recall "search code" · alice-exp recall 部署 --context env=prod --explain
    """
    filters = Filters(
        places_of(set_),
        namespace,
        level_named(min_state),
        types=tuple(type_named(name) for name in type),
        tags=tuple(tag),
        since=terminal.moment(since),
        min_importance=min_importance,
        origin=origin,
        scenario=scenario,
        project=terminal.session.names_of(project),
    )
    if bool(query.strip()) == bool(queries):
        raise UsageError(
            "give a query or --queries FILE, one of the two", hint='alice-exp recall "search code"'
        )
    if queries:
        _many(terminal, queries, top, filters)
        return
    found = read(terminal.session, query, context_of(context), top, filters)
    document: dict[str, Any] = {"query": query, "matches": [_explained(one, explain) for one in found]}
    beside = _episodes(terminal, query, filters, document)

    def text() -> None:
        if found or not beside:
            _matches(terminal, found, explain)
        for line in beside:
            terminal.line(line)

    terminal.answer(document, text, is_found=bool(found or beside))


def _episodes(terminal: Terminal, query: str, filters: Filters, document: dict[str, Any]) -> list[str]:
    """The lines of the episodes that fit, which go into the document too."""
    # Episodes have neither set nor state, tags nor importance: who asks for those asks for blocks.
    if filters != Filters(since=filters.since, project=filters.project):
        lived = []
    else:
        lived = episodes_beside(terminal.session.home, query, filters.since)
    document["episodes"] = [finding_documents.lived(*one) for one in lived]
    if not lived:
        return []
    from alice_exp.finding.rules.ranking import episode_text

    return [
        f"{one.id}  {terminal.local(one.at)}  {short(episode_text(one, rendered), 200)}" for _, one in lived
    ]


def _explained(found: Match, explain: bool) -> dict[str, Any]:
    document = finding_documents.match(found)
    if explain:
        document["explain"] = {
            "score": "trust · confidence · decay · match · importance",
            "importance": found.importance,
            "text_match": round(found.text_match, 6),
            "context_match": found.context_match,
            **({} if found.cosine is None else {"cosine": found.cosine}),
        }
    return document


def _matches(terminal: Terminal, found: list[Match], explain: bool) -> None:
    if not found:
        terminal.note(say("no match"))
        return
    columns: list[tuple[str, Callable[[Match], str]]] = [(say("score"), lambda one: f"{one.score:.3f}")]
    if explain:
        columns += [
            (say("trust"), lambda one: f"{one.trust:.1f}"),
            (say("confidence"), lambda one: f"{one.confidence:.1f}"),
            (say("decay"), lambda one: f"{one.decay:.3f}"),
            (say("match"), lambda one: f"{one.match:.3f}"),
        ]
        if any(one.importance != 1 for one in found):
            columns.append((say("importance"), lambda one: f"{one.importance:.2f}"))
        if any(one.cosine is not None for one in found):
            columns.append((say("cosine"), lambda one: "–" if one.cosine is None else f"{one.cosine:.3f}"))
    columns += [
        (say("id"), lambda one: one.placed.block.id),
        (say("where"), lambda one: scoped(say(one.placed.where), one.placed.block.project)),
        (say("state"), lambda one: say(one.placed.block.state)),
        (say("what is known"), _told),
    ]
    terminal.table([name for name, _ in columns], [[cell(one) for _, cell in columns] for one in found])


def _told(one: Match) -> str:
    mark = "" if one.approved else say(" ⚠ not reviewed")
    return documents.payload_text(one.placed) + mark + stale_mark(one.placed)


def _many(terminal: Terminal, source: str, top: int, filters: Filters) -> None:
    asked = []
    for number, fields in json_lines(source):
        query, context = fields.get("query"), fields.get("context", {})
        if not isinstance(query, str) or not isinstance(context, dict) or "qid" not in fields:
            raise ProblemError(
                'a query is {{"qid", "query", "context"?}}',
                path=source,
                line=number,
                column=1,
                hint="query is a text, context an object",
            )
        asked.append((fields["qid"], query, context))
    answers = search(terminal.session, [(query, context) for _, query, context in asked], filters, top)
    for (qid, _, _), found in zip(asked, answers, strict=True):
        row = {
            "qid": qid,
            "ids": [one.placed.block.id for one in found],
            "keys": [one.placed.block.key for one in found],
        }
        sys.stdout.write(json_text(row, None))


def list_blocks(
    terminal: Terminal,
    set_: Sets = [],  # noqa: B006
    namespace: Annotated[str, typer.Option(help="One namespace's name alone.")] = "",
    state: Annotated[list[str], typer.Option(help="States; may be repeated.")] = [],  # noqa: B006
    type: Types = [],  # noqa: B006
    tag: Tags = [],  # noqa: B006
    since: ChangedSince = "",
    min_importance: Annotated[float, typer.Option(help="From 0 to 1.")] = 0.0,
    origin: Annotated[str, typer.Option(help="local, shared_from_NAME or import:KIND.")] = "",
    scenario: Annotated[str, typer.Option(help="With an outcome in this scenario.")] = "",
    min_reads: Annotated[int, typer.Option(min=0, help="Read at least so often.")] = 0,
    min_consolidation: Annotated[float, typer.Option(help="Settled at least so much, from 0 to 1.")] = 0.0,
    sort: Annotated[str, typer.Option(help="reads, consolidation, updated or verified, most first.")] = "",
    archived: Annotated[bool, typer.Option("--archived", help="The archive too.")] = False,
    limit: Annotated[
        int, typer.Option("-n", "--limit", "--top", min=1, help="How many at most.")
    ] = 1_000_000,
) -> None:
    """List blocks: where they are, what state they have, what they say.

    Examples: alice-exp list --set personal · alice-exp list --state reliable --sort reads -n 10 --json
    """
    filters = Filters(
        places_of(set_),
        namespace,
        states=tuple(level_named(name) for name in state),
        types=tuple(type_named(name) for name in type),
        tags=tuple(tag),
        since=terminal.moment(since),
        min_importance=min_importance,
        origin=origin,
        scenario=scenario,
        min_reads=min_reads,
        min_consolidation=min_consolidation,
    )
    shown = listing(terminal.session, filters, archived=archived, order=sort, most=limit)
    # Building thousands of documents takes as long as the table, so only the one that is printed is built.
    blocks = [finding_documents.block(one) for one in shown] if terminal.wants_document else []
    bare = filters == Filters(SETS) and not archived
    terminal.answer({"blocks": blocks}, lambda: _listing(terminal, shown, bare=bare))


def _listing(terminal: Terminal, shown: list[Shown], *, bare: bool) -> None:
    if not shown:
        nothing = say("nothing is kept yet: 'alice-exp remember \"…\"' keeps your own word")
        terminal.note(nothing if bare else say("no block matches"))
        return
    rows = [
        [
            one.placed.block.id,
            one.placed.where,
            say(one.level),
            str(one.placed.block.verifications),
            short(documents.payload_text(one.placed), 60) + stale_mark(one.placed),
        ]
        for one in shown
    ]
    terminal.table([say("id"), say("where"), say("state"), say("verified"), say("what is known")], rows)


def show(
    terminal: Terminal,
    reference: Annotated[
        str, typer.Argument(metavar="ID", help="A block's id, or the beginning of it, or TYPE/KEY.")
    ],
) -> None:
    """Show one block with all that it says and all that follows from it.

    Examples: alice-exp show exp-7k2m9q4x · alice-exp show feature/async_io
    """
    shown = look(terminal.session, reference)
    terminal.answer(finding_documents.block(shown), lambda: _block(terminal, shown))


def _block(terminal: Terminal, shown: Shown) -> None:
    document = finding_documents.block(shown)
    block = shown.placed.block
    silent = say("replaced: not told") if block.id in replaced_ones(terminal.session) else ""
    terminal.line(f"{block.id}  {say(shown.level)}  {shown.placed.where}{stale_mark(shown.placed)}")
    rows = [
        (say("trigger"), document["trigger"]),
        (say("payload"), document["payload"]),
        (say("type"), say(block.type)),
        (say("about"), say("work") if block.about == "work" else say("the user")),
        (say("verified"), str(block.verifications)),
        (say("seen again"), str(block.observations)),
        (say("confidence"), document["confidence"]),
        (say("trust"), document["trust"]),
        (say("decay"), f"{shown.decay:.3f}"),
        (say("importance"), f"{block.importance:g}"),
        (say("project"), block.project),
        (say("tags"), ", ".join(block.tags)),
        (say("related"), ", ".join(block.related)),
        (say("replaces"), ", ".join(block.replaces)),
        (say("holds beside"), ", ".join(block.both)),
        (say("origin"), say("this machine") if block.origin == "local" else block.origin),
        (say("created"), terminal.local(block.created_at)),
        (say("updated"), terminal.local(block.updated_at)),
        (say("approved"), say("yes") + aside(silent) if shown.approved else say("no")),
        *(
            (say("evidence"), documents.evidence_whole(piece, terminal.local, rendered))
            for piece in block.evidence
        ),
    ]
    widest = max(cells(label) for label, _ in rows)
    for label, value in rows:
        if value != "":
            terminal.pair(label, str(value), widest + 1)

"""The commands ``episode …``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from alice_exp.episodes import usecases as episode_book
from alice_exp.episodes.rules.retention import Weighed
from alice_exp.episodes.rules.search_episodes import Filters, Match, listed, statistics
from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.jsonc import plain
from alice_exp.kernel.text.times import iso_time, seconds
from alice_exp.kernel.value_class import attributes
from alice_exp.model.formats.record_import import import_episodes
from alice_exp.model.formats.record_schema import EPISODES_PATH, episode_json
from alice_exp.model.values.block import SETS
from alice_exp.model.values.records import Episode, EpisodeBook
from alice_exp.terminal import options
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say
from alice_exp.terminal.options import Came, DryRun, Pairs, Since, Surroundings, Top, Until
from alice_exp.terminal.streams import json_text

Recent = Annotated[str, typer.Option(help="Of this span of time alone, as 30d or 12h.")]
Success = Annotated[bool | None, typer.Option("--success/--failed", help="Only such.")]
Kind = Annotated[str, typer.Option(help="One kind of task alone.")]
LeastReward = Annotated[float, typer.Option(help="From 0 to 1.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="An episode's id, or the beginning of it.")]

_NAMES = {"at": "when", "cited_by": "cited by", "success": "worked"}
"""What a person reads for the names of fields that are no words."""


def add(
    terminal: Terminal,
    source: Annotated[
        str, typer.Argument(metavar="[FILE|-]", help="Episodes as JSON or JSONL, instead of options.")
    ] = "",
    task: str = "",
    context: Pairs = [],  # noqa: B006
    action: str = "",
    result: Came = "",
    success: Annotated[bool | None, typer.Option("--success/--failed")] = None,
    reward: float | None = None,
    reflection: str = "",
    type: str = "",
    at: Annotated[str, typer.Option(help="When it happened (else now).")] = "",
    dry_run: DryRun = False,
) -> None:
    """Record what happened in a task; failures are as useful as successes.

    Examples: alice-exp episode add --task "search code" --action rg --success --reward 0.9 · alice-exp episode add -
    """
    opened = terminal.rehearsing(dry_run)
    if bool(source) == bool(task.strip()):
        raise UsageError(
            "give --task, or a file of episodes", hint='alice-exp episode add --task "search code" --success'
        )
    if source:
        data = options.source_bytes(source)
        kept = episode_book.add_episodes(opened, import_episodes(data, source, opened.caller.now))
    else:
        if success is None:
            raise UsageError("say whether it worked", hint="add --success or --failed")
        came, then = options.json_or_text(result) if result else None, terminal.moment(at)
        kept = episode_book.add_episode(
            opened, task, options.context_of(context), action, came, success, reward, reflection, type, then
        )
    _kept(terminal, kept)


def list_episodes(
    terminal: Terminal,
    since: Since = "",
    until: Until = "",
    recent: Recent = "",
    success: Success = None,
    type: Kind = "",
    min_reward: LeastReward = 0.0,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="How many at most.")] = 1_000_000,
) -> None:
    """List what happened, newest first.

    Example: alice-exp episode list --failed --recent 30d
    """
    filters = _filters(terminal, recent, since, success, type, min_reward)
    episodes = (terminal.records(EPISODES_PATH).episodes or EpisodeBook()).episodes
    found = listed(episodes, filters, terminal.moment(until), limit)
    document = {"episodes": [_document(one) for one in found]}
    terminal.answer(document, lambda: terminal.table(_columns(), [_row(terminal, one) for one in found]))


def show(terminal: Terminal, reference: Id) -> None:
    """Show one episode whole, and which blocks rest on it.

    Example: alice-exp episode show ep-7k2m9q4x
    """
    snapshot = terminal.records(EPISODES_PATH, SETS)
    episode = episode_book.named(snapshot.episodes or EpisodeBook(), reference)
    living = (placed.block for placed in snapshot.within(*SETS))
    cited = [block.id for block in living if any(piece.ref == episode.id for piece in block.evidence)]

    def text() -> None:
        told = _document(episode) | {
            "success": _worked(episode),
            "at": terminal.local(episode.at),
            "cited_by": ", ".join(cited),
        }
        for name, value in told.items():
            if name != "timestamp" and value not in (None, "", [], {}):
                terminal.line(say("{name}:", name=say(_NAMES.get(name, name))) + f" {plain(value)}")
        if episode.result_truncated:
            shortened = "the result was shortened; it had {count} characters"
            terminal.line(say(shortened, count=episode.result_length))

    terminal.answer({**_document(episode), "cited_by": cited}, text)


def similar(
    terminal: Terminal,
    task: Annotated[str, typer.Argument(metavar="TASK", help="What is to be done, in your own words.")],
    context: Surroundings = [],  # noqa: B006
    top: Top = 5,
    recent: Recent = "",
    success: Success = None,
    type: Kind = "",
    min_reward: LeastReward = 0.0,
    by_words: Annotated[
        bool, typer.Option("--by-words", help="Weigh words as recall does, not by the 0.4 / 0.6 formula.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score came about.")] = False,
) -> None:
    """Find episodes like a task, best first; nothing where nothing is alike (exit 4).

    With --context the 0.4 / 0.6 formula alone decides. Without, words find what the formula does not, with a score
    below its 0.3, and a task of more than 16 keywords is ranked by words.

    Examples: alice-exp episode similar "search code" --success · alice-exp episode similar 部署 --context env=prod
    """
    filters = _filters(terminal, recent, "", success, type, min_reward)
    records, where = terminal.records(EPISODES_PATH), options.context_of(context)
    found = episode_book.similar(terminal.session, records, task, where, top, filters, by_words)

    def text() -> None:
        if found:
            terminal.line(say("{count} similar episodes", count=len(found)))
            rows = [[f"{one.score:.3f}", *_row(terminal, one.episode)] for one in found]
            terminal.table([say("score"), *_columns()], rows)
        else:
            terminal.line(say("no similar episode"))
        for one in found if explain else ():
            terminal.line(f"{one.episode.id}  {_formula(one)}")

    matches = [_match_document(one, explain) for one in found]
    said = {"message": episode_book.found(len(found))} if found else {}
    terminal.answer({"matches": matches, **said}, text, is_found=bool(found))


def reflect(
    terminal: Terminal,
    reference: Id,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was learned.")],
) -> None:
    """Say afterwards what was learned from an episode.

    Example: alice-exp episode reflect ep-7k2m9q4x "look for INVALID indexes first"
    """
    done = episode_book.reflect(terminal.session, reference, text)
    document = {**attributes(done.episode, "id reflection"), "commit": commit_id(done.commit)}
    terminal.answer(document, lambda: terminal.line(say("{id}  reflected on", id=done.episode.id)))


def stats(terminal: Terminal) -> None:
    """Count the episodes: how many, how well they went, of which kinds, since when.

    Example: alice-exp episode stats
    """
    snapshot = terminal.records(EPISODES_PATH)
    counts = statistics((snapshot.episodes or EpisodeBook()).episodes)
    capacity = episode_book.capacity_of(snapshot)
    document = {
        **attributes(counts, "total successful average_reward oldest_timestamp newest_timestamp"),
        "capacity": capacity,
        "types": dict(counts.types),
    }

    def text() -> None:
        line = "{total} episodes of at most {capacity}, {successful} successful, mean reward {reward}"
        total, successful, reward = counts.total, counts.successful, f"{counts.average_reward:.2f}"
        terminal.line(say(line, total=total, capacity=capacity, successful=successful, reward=reward))
        if counts.total:
            span = (counts.oldest_timestamp, counts.newest_timestamp)
            terminal.line(" – ".join(terminal.local(iso_time(at / 1000)) for at in span))
        for name, count in counts.types.items():
            terminal.line(f"  {name}  {count}")

    terminal.answer(document, text)


def prune(
    terminal: Terminal,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would go and why; change nothing.")
    ] = False,
) -> None:
    """Take away the fifth of the episodes that is worth least; what a living block cites stays, git keeps the rest.

    An addition does this by itself when the capacity is exceeded. Example: alice-exp episode prune --dry-run
    """
    pruned = episode_book.clean(terminal.session, dry=dry_run)
    gone = [_weighed_document(one) for one in pruned.pruning.removed]
    document: dict[str, Any] = {
        "pruned": [one["id"] for one in gone],
        "message": episode_book.cleaned(len(gone)),
        "removed": gone,
        "left": len(pruned.pruning.book.episodes),
        "commit": commit_id(pruned.commit),
    }
    if dry_run:
        document["weighed"] = [_weighed_document(one) for one in pruned.pruning.weighed]

    def text() -> None:
        if dry_run:
            weighed = pruned.pruning.weighed
            _factors(terminal, weighed, set(document["pruned"]))
            terminal.line(say("would take away {count} of {total}", count=len(gone), total=len(weighed)))
        else:
            terminal.line(say("{count} low-value episodes were pruned", count=len(gone)))

    terminal.answer(document, text)


def restore(
    terminal: Terminal,
    reference: Annotated[str, typer.Argument(metavar="ID", help="An episode that was pruned or deleted.")],
) -> None:
    """Bring an episode back from history.

    Example: alice-exp episode restore ep-7k2m9q4x
    """
    kept = episode_book.restore_episode(terminal.session, reference)
    _kept(terminal, kept, say("{id}  is back", id=kept.ids[0]))


def export(
    terminal: Terminal,
    target: Annotated[str, typer.Argument(metavar="[FILE]", help="A new file; else to stdout.")] = "-",
    lines: Annotated[bool, typer.Option("--jsonl", help="One episode a line.")] = False,
) -> None:
    """Give all episodes out as one JSON array, which 'episode import' takes back as it is.

    Example: alice-exp episode export episodes.json
    """
    book = terminal.records(EPISODES_PATH).episodes or EpisodeBook()
    items = [episode_json(episode) for episode in book.episodes]
    whole = "".join(json_text(item, None) for item in items) if lines else json_text(items)
    options.write_apart(terminal.session.root, target, whole)
    if target != "-":
        terminal.note(say("{count} episodes written to {target}", count=len(items), target=target))


def import_(
    terminal: Terminal,
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="JSON or JSONL, as export makes it.")],
    replace: Annotated[
        bool, typer.Option("--replace/--merge", help="Keep nothing else; or add what is not there.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Take episodes in, whole or not at all; what is here already is not added twice.

    Examples: alice-exp episode import episodes.json · alice-exp episode import - --replace --yes
    """
    episodes = import_episodes(options.source_bytes(source), source, terminal.session.caller.now)
    if replace and not dry_run:
        question = "Replace all episodes by the {count} of {source}?"
        terminal.confirm(say(question, count=len(episodes), source=source))
    kept = episode_book.take_in(terminal.rehearsing(dry_run), episodes, replaces=replace)
    _kept(terminal, kept, say("{count} of {total} taken in", count=len(kept.ids), total=len(episodes)))


def _document(episode: Episode) -> dict[str, Any]:
    """An episode with its derived values: the type, and the time in milliseconds."""
    return {
        **episode_json(episode),
        "context": dict(episode.context),
        **attributes(episode, "action result at timestamp reflection"),
        "type": episode.task_type,
    }


def _match_document(found: Match, explain: bool) -> dict[str, Any]:
    """A similar episode; with ``explain`` the terms of its score."""
    similarity = found.similarity
    parts = {"task": round(similarity.task, 6), "context": round(similarity.context, 6)}
    told = {"explain": {"rule": similarity.rule, **parts}} if explain else {}
    return {**_document(found.episode), "score": found.score, **told}


def _weighed_document(one: Weighed) -> dict[str, Any]:
    """An episode with the factors of its importance (R0.37)."""
    own = one.retention
    return {
        **attributes(one.episode, "id task"),
        "reward": own.reward,
        "recency": round(own.recency, 6),
        "uniqueness": round(own.uniqueness, 6),
        "popularity": own.popularity,
        "importance": round(own.score, 6),
        "cited": one.is_cited,
    }


def _worked(episode: Episode) -> str:
    return say("not reported") if episode.unreported else say("yes") if episode.success else say("no")


def _row(terminal: Terminal, episode: Episode) -> list[str]:
    return [
        episode.id,
        terminal.local(episode.at),
        _worked(episode),
        f"{episode.reward:.2f}",
        short(episode.task, 60),
        short(episode.action, 40),
    ]


def _formula(found: Match) -> str:
    similarity = found.similarity
    if similarity.rule == "task_and_context":
        return f"0.4 · {similarity.task:.4f} + 0.6 · {similarity.context:.4f} = {found.score:.4f}"
    if similarity.rule == "words":
        return f"{say('by words, weighed as recall does')}: {found.score:.4f}"
    return f"{say('task alone, the query has no context')}: {found.score:.4f}"


def _factors(terminal: Terminal, weighed: tuple[Weighed, ...], gone: set[str]) -> None:
    """Print every episode with the factors of its importance, the lowest first."""
    rows = []
    for one in sorted(weighed, key=Weighed.rank):
        episode = one.episode
        numbers = attributes(one.retention, "reward recency uniqueness popularity score").values()
        fate = say("goes") if episode.id in gone else say("cited") if one.is_cited else ""
        rows.append([episode.id, *(f"{number:.3f}" for number in numbers), fate, short(episode.task, 50)])
    shares = (("reward", 0.4), ("recency", 0.3), ("uniqueness", 0.2), ("popularity", 0.1))
    factors = [f"{say(name)} {share}" for name, share in shares]
    terminal.table([say("id"), *factors, say("importance"), "", say("task")], rows)


def _columns() -> list[str]:
    return [say("id"), say("when"), say("worked"), say("reward"), say("task"), say("action")]


def _kept(terminal: Terminal, kept: episode_book.Kept, sentence: str = "") -> None:
    document: dict[str, Any] = {
        "id": kept.ids[0] if len(kept.ids) == 1 else None,
        "ids": list(kept.ids),
        "pruned": list(kept.pruned),
        "message": episode_book.cleaned(len(kept.pruned)) if kept.pruned else None,
        "left": list(kept.left),
        "result_truncated": [one.id for one in kept.episodes if one.result_truncated],
        "commit": commit_id(kept.commit),
    }

    def text() -> None:
        if sentence or len(kept.ids) != 1:
            terminal.act(sentence or say("{count} episodes recorded", count=len(kept.ids)))
        else:
            terminal.act(say("{id}  recorded", id=kept.ids[0]))
        if document["result_truncated"]:
            terminal.line(say("{count} long results were shortened", count=len(document["result_truncated"])))
        if kept.pruned:
            terminal.line(say("{count} low-value episodes were pruned", count=len(kept.pruned)))

    terminal.answer(document, text)
    for one in kept.left:
        terminal.note(say("alice-exp: {id} says something else here and was left as it is", id=one))


def _filters(
    terminal: Terminal, recent: str, since: str, success: bool | None, type: str, least: float
) -> Filters:
    """Filters of a search; its time is strictly later (R0.33), ``since`` itself is included."""
    span = options.window(recent)
    begins = [seconds(terminal.session.caller.now) - span] if span else []
    # The filter is strict, and times have milliseconds.
    begins += [seconds(terminal.moment(since)) - 0.001] if since else []
    return Filters(iso_time(max(begins)) if begins else "", success, type, least)

"""Draws tables for a person at a terminal, through rich: one or two columns of prose, the others short and unbroken.

If there is too little room for the prose beside the other columns, it is placed below them on lines of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from alice_exp.kernel.errors import Hint, Names, UsageError
from alice_exp.kernel.jsonc import plain
from alice_exp.kernel.text.display import cells, visible, wrapped
from alice_exp.terminal.language import say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

READABLE = 36
"""The least width of prose beside the other columns; with less it moves below them."""

_GAP = 3
_INDENT = 3

_STYLES = {
    "reliable": "green",
    "super_reliable": "bold green",
    "past": "cyan",
    "possible": "yellow",
    "obsolete": "dim",
}


def draw(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print the rows to stdout, as wide as the terminal; every cell must be escaped and a single line."""
    from rich.console import Console

    console = Console(highlight=False, force_terminal=True)
    widths = [max([cells(name), *(cells(row[i]) for row in rows)]) for i, name in enumerate(columns)]
    prose = widths.index(max(widths))
    room = console.width - (sum(widths) - widths[prose] + _GAP * (len(columns) - 1)) - 2
    below = _below(widths, console.width) if widths[prose] > room and room < READABLE else []
    if below:
        _stacked(console, columns, rows, below)
    else:
        _beside(console, columns, rows, prose if room >= READABLE else -1, room)


def _below(widths: Sequence[int], room: int) -> list[int]:
    """The one or two widest columns, in order, without which the others fit; none if that is not enough."""
    for count in (1, 2):
        below = sorted(sorted(range(len(widths)), key=lambda position: -widths[position])[:count])
        short = [width for position, width in enumerate(widths) if position not in below]
        if short and sum(short) + _GAP * (len(short) - 1) + 2 <= room:
            return below
    return []


def _beside(
    console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], prose: int, room: int
) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for position, name in enumerate(columns):
        table.add_column(name, overflow="fold", no_wrap=prose >= 0 and position != prose)
    for row in rows:
        # rich breaks lines only at spaces, so Chinese with a number in it would leave half a line empty.
        listed = [*row]
        if prose >= 0 and cells(row[prose]) > room:
            listed[prose] = "\n".join(wrapped(row[prose], room))
        table.add_row(*(Text(cell, style=_style(cell)) for cell in listed))
    console.print(table)


def _stacked(
    console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], below: Sequence[int]
) -> None:
    from rich.text import Text

    short = [position for position in range(len(columns)) if position not in below]
    widths = {i: max([cells(columns[i]), *(cells(row[i]) for row in rows)]) for i in short}
    console.print()

    def line(texts: Sequence[str], style: str = "") -> Text:
        parts: list[tuple[str, str]] = [(" ", "")]
        for text, width in zip((texts[i] for i in short), widths.values(), strict=True):
            parts += [(text, style or _style(text)), (" " * (width - cells(text) + _GAP), "")]
        return Text.assemble(*parts)

    console.print(line(columns, "bold"))
    console.print(Text(" " + "─" * (console.width - 2)))
    for row in rows:
        console.print(line(row))
        for nth, position in enumerate(below):
            for told in wrapped(row[position], console.width - _INDENT - 1) if row[position] else ():
                console.print(Text(" " * _INDENT + told, style="dim" if nth else ""))
    console.print()


def _style(cell: str) -> str:
    return next((style for state, style in _STYLES.items() if cell in (state, say(state))), "")


_BLOCK = """
id key type about trigger payload state verifications verifications_local observations open_failures record doubt
project importance emotional_weight tags related replaces both shareable origin access_count last_accessed_at
consolidation_score evidence reported approved suggested archived created_at updated_at set namespace level
trigger_detail payload_detail confidence trust decay stale
"""
_CANDIDATE = """
number id trigger payload state confidence type about suggested evidence expires_at days_left new changed explicit
proposed_by proposed_at session seen project approval group relations secrets
"""
_MATCH = """
id set namespace state key trigger payload score match confidence trust decay approved stale project
"""
_EPISODE = """
id task context action result success reward at reflection type timestamp result_truncated result_length access_count
note told unreported project
"""
_SEGMENT = """
id start end segment_length compression_level summary key_events events is_compressed start_timestamp end_timestamp
"""
_THOUGHT = "number at thought context action result metadata"
_IMPORTED = "payload trigger type about"
_REMOTE = "name address private at synced"

LISTS: Mapping[str, tuple[str, str]] = {
    "heartbeat": ("items", _CANDIDATE),
    "context": ("matches", f"{_MATCH} source at"),
    "recall": ("matches", f"{_MATCH} explain"),
    "decide": ("applied", "id trigger payload approved from set state doubt"),
    "list": ("blocks", _BLOCK),
    "log": ("commits", "commit act at op actor blocks subject trailers from to changes"),
    "diff": ("changes", "id from to fields"),
    "check": ("problems", "path line column message severity hint"),
    "doctor": ("checks", "name severity mended problems"),
    "impact": ("blocks", "id ok uses verdict payload"),
    "config list": ("config", "key value default kind doc proposed"),
    "namespace list": ("namespaces", "set namespace path blocks stale"),
    "namespace show": ("blocks", _BLOCK),
    "episode list": ("episodes", _EPISODE),
    "episode similar": ("matches", f"{_EPISODE} score explain"),
    "event list": ("segments", _SEGMENT),
    "event segments": ("segments", _SEGMENT),
    "event narrative": ("segments", "id start end segment_length text key_events"),
    "event search": ("matches", f"{_THOUGHT} segment score text"),
    "event expand": ("thoughts", _THOUGHT),
    "distill": ("proposals", "id verdict kind type payload trigger context episodes explain"),
    "import claude-md": ("candidates", _IMPORTED),
    "import mem0": ("candidates", _IMPORTED),
    "import basic-memory": ("candidates", _IMPORTED),
    "import jsonl": ("candidates", _IMPORTED),
    "session extract": ("candidates", "id payload importance type explicit replaces quote"),
    "heard": ("sentences", "id session project at text"),
    "session list": ("sessions", "id at last_at messages unextracted ended"),
    "session show": ("messages", "index ref role content tool_calls tool_call_id at speaker key extracted"),
    "session search": (
        "matches",
        "ref key session index role speaker at text score by_words by_day by_speaker",
    ),
    "session window": ("messages", "role content tool_calls tool_call_id"),
    "share list": (
        "blocks",
        "id set namespace state level payload shareable verifications_local leaves lacks",
    ),
    "share log": ("shared", "at to way sha256 blocks"),
    "peer list": ("peers", "name id paired_at address"),
    "peer discover": ("found", "instance addresses name invites"),
    "sync": ("remotes", f"{_REMOTE} taken given commit conflicts asked published candidates merged error"),
    "sync list": ("remotes", _REMOTE),
    "help": ("commands", "group name summary"),
}
"""Under which key of its document a command's list stands, and its fields' names; any other answer is one row."""


def written(document: object, command: str, format: str, fields: str) -> str:
    """The document in ``format`` (empty: tsv), of each row or of the one answer the named fields alone.

    TSV and CSV begin with the fields' names; in TSV a text's tabs, line breaks and backslashes are escaped by a
    backslash; what is a list or an object is JSON. ``UsageError`` for a field that no row has and, in a list, none can
    have (``LISTS``), whether there are rows or not.
    """
    listed, can_have = LISTS.get(command, ("", ""))
    rows: Any = document.get(listed) if isinstance(document, dict) else document
    is_list = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    held: list[dict[str, Any]] = rows if is_list else [document] if isinstance(document, dict) else []
    names = [name.strip() for name in fields.split(",") if name.strip()]
    known = list(dict.fromkeys(key for row in held for key in row))
    may_have = can_have.split() if is_list else []
    for name in names if known or may_have else ():
        if name not in known and name not in may_have:
            hint = Hint("fields are {names}", names=Names(known or may_have))
            raise UsageError("there is no field {name}", name=repr(name), hint=hint)
    chosen = [{name: row.get(name) for name in names} if names else row for row in held]
    if format == "json":
        from alice_exp.terminal.streams import json_text

        if is_list:
            return json_text({**document, listed: chosen} if isinstance(document, dict) else chosen)
        return json_text(chosen[0] if chosen else document)
    if not (header := names or known):
        return ""
    cells_of = ((row.get(name) for name in header) for row in chosen)
    table = [header, *(["" if value is None else plain(value) for value in row] for row in cells_of)]
    if format == "csv":
        import csv
        import io

        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(table)
        text = out.getvalue()
    else:
        text = "".join("\t".join(cell.translate(_ESCAPES) for cell in row) + "\n" for row in table)
    # Without what a terminal would obey, since a pipe often ends at one; --json has every character. In TSV, where a
    # backslash stands twice, \u{1b} can be read back.
    return "\t".join(visible(part) for part in text.split("\t"))


_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})

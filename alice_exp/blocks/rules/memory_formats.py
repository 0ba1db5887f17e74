"""Readers of other programs' memories in Markdown: instruction files, basic-memory notes, rows of mem0.

Each piece keeps its line and its original words; nothing is interpreted beyond its kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.display import blank_block, blanked
from alice_exp.kernel.text.times import iso_time
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import DAY
from alice_exp.model.values.block import BLOCK_TYPES, About, BlockType

MOST_TEXT = 16_000
"""The characters of one piece that are kept."""

# Each is tried at the beginning of a line; what ends a line is looked for from there, so that no line takes its square.
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_BULLET = re.compile(r"^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_OTHER = re.compile(r"^\s*(?:@\S|\||>|!\[)")
_IMPORT = re.compile(r"^\s*@\S+\s*$")
# Claude Code's memories say so in paragraphs of their own; without its rule a reason is no rule.
_REASON = re.compile(r"^\s*\*\*(?:Why|How to apply):?\*\*")
_INDEX = re.compile(r"^\[[^\]]*\]\([^)\s]+\.md\)")
_OBSERVATION = re.compile(r"^\s*[-*]\s+\[([^\[\]]{1,40})\]\s+(.*)$")
_TAG = re.compile(r"(?<!\S)#([\w-]+)")
# As basic-memory 0.24 has it: a time is a line of a transcript, a single sign a box of a task list, and what clings to
# a word, as in @effective(2026-06-10), is no context.
_NO_CATEGORY = re.compile(r"\d{1,3}:\d{2}[\d:.,]*(?:\s+-\s+\d{1,3}:\d{2}[\d:.,]*)?|[xX]|\W?")
_CATEGORIES: Mapping[str, BlockType] = {
    **{one: one for one in BLOCK_TYPES},
    "decision": "rule",
    "requirement": "rule",
    "technique": "solution",
    "method": "solution",
    "tip": "solution",
}


_FACTS = ("user", "project", "reference")
"""The types of Claude Code's memory files that hold facts; feedback, and a file without a type, hold rules."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One memory of a file: its payload, its trigger, and its ``line`` (from 1)."""

    payload: str
    trigger: str = ""
    type: BlockType = "fact"
    about: About = "work"
    tags: tuple[str, ...] = ()
    name: str = ""
    at: str = ""
    line: int = 0


def claude_md(text: str) -> tuple[Piece, ...]:
    """The bullets and paragraphs of an instruction file (CLAUDE.md, AGENTS.md …), each with its headings as trigger.

    A code block and an import (``@file``) stay with the rule that they follow; alone they are skipped, like comments,
    tables, quotations, the block that ``prime --into`` wrote, and the lines of an index (``- [Title](file.md) …``). The
    front matter of a memory file that Claude Code wrote is no rule: its description is the trigger, its type says whom
    it is about.
    """
    fields, body, skipped = _front_matter(text)
    kind = fields.get("type", "") if "name" in fields or "description" in fields else ""
    type: BlockType = "fact" if kind in _FACTS else "rule"
    about: About = "user" if kind == "user" else "work"
    told = fields.get("description") or fields.get("name", "")
    return tuple(
        Piece(passage, " · ".join(headings) or told, type, about, line=line + skipped)
        for passage, headings, line in _passages(blanked(blank_block(body), *_COMMENT))
        if not _OTHER.match(passage) and not _INDEX.match(passage)
    )


_PROVENANCE = re.compile(r"\s\(exp-[a-z2-9]{8}(?:, [^()]*)?\)$")
"""What ``project publish`` puts behind each item of a skill."""


def skill(text: str) -> tuple[Piece, ...]:
    """The items and paragraphs of a ``SKILL.md``, each with the skill's description as trigger; lines that only
    announce a list are none."""
    fields, body, skipped = _front_matter(text)
    when = fields.get("description") or fields.get("name", "")
    return tuple(
        Piece(_PROVENANCE.sub("", passage), when, "rule", line=line + skipped)
        for passage, _, line in _passages(blanked(body, *_COMMENT))
        if not _OTHER.match(passage) and not passage.rstrip().endswith((":", "："))
    )


def basic_memory(text: str) -> tuple[Piece, ...]:
    """The observations of a note, ``- [category] text #tag (context)``; its title is the trigger.

    The boxes of a task list and what stands in a code block are none.
    """
    fields, body, skipped = _front_matter(text)
    title = fields.get("title", "")
    found = []
    fenced = False
    for number, line in enumerate(body.splitlines(), start=skipped + 1):
        fenced = fenced != bool(_FENCE.match(line))
        if fenced:
            continue
        heading = _HEADING.match(line)
        if heading and not title:
            title = _closed(heading[2])
        observation = _OBSERVATION.match(line)
        if not observation or _is_relation(line) or _NO_CATEGORY.fullmatch(observation[1].strip()):
            continue
        category, content = observation[1].strip().lower(), observation[2].strip()
        content, context = _with_context(content)
        tags = tuple(dict.fromkeys((category, *_TAG.findall(content))))
        plain = " ".join(_TAG.sub("", content).split())
        if plain:
            trigger = " · ".join(part for part in (title, context) if part)
            kind = _CATEGORIES.get(category, "fact")
            found.append(Piece(plain[:MOST_TEXT], trigger, kind, tags=tags, line=number))
    return tuple(found)


def _closed(heading: str) -> str:
    """A heading's text without the signs that may close it (``# Name ##``)."""
    text = heading.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if bare != text and bare[-1:].strip() == "" else text


def _is_relation(line: str) -> bool:
    """Whether a line ends in ``[[Name]]``."""
    text = line.rstrip()
    _, opened, name = text[:-2].rpartition("[[")
    return text.endswith("]]") and bool(opened and name) and "]" not in name


def _with_context(text: str) -> tuple[str, str]:
    """An observation, and what it has in brackets at its end behind a blank."""
    body, opened, context = text.removesuffix(")").rpartition("(")
    if not text.endswith(")") or not opened or ")" in context or not body[-1:].isspace():
        return text, ""
    return body.rstrip(), context


def _front_matter(text: str) -> tuple[dict[str, str], str, int]:
    """The flat ``key: value`` lines between the first two ``---``, the rest, and the number of lines before it."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return {}, text, 0
    end = next((index for index, line in enumerate(lines[1:], start=1) if line.strip() == "---"), 0)
    if not end:
        return {}, text, 0
    pairs = (line.partition(":") for line in lines[1:end])
    fields = {key.strip(): value.strip().strip("\"'") for key, colon, value in pairs if colon}
    return fields, "\n".join(lines[end + 1 :]), end + 1


@dataclass
class _Open:
    """A passage that may continue on the next line: its parts, the headings and bullets above, its line and indent.

    Behind an empty line (``closed``) only a code block still belongs to it.
    """

    parts: list[str]
    above: tuple[str, ...]
    line: int
    indent: int
    closed: bool = False

    @property
    def text(self) -> str:
        """What it says, as much of it as is kept."""
        return "".join(self.parts)[:MOST_TEXT]


def _passages(text: str) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Each bullet and each paragraph, its lines joined, its code below it, with the headings and bullets above it."""
    headings: list[tuple[int, str]] = []
    bullets: list[_Open] = []
    current: _Open | None = None
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        fence, heading, bullet = _FENCE.match(line), _HEADING.match(line), _BULLET.match(line)
        if fenced or fence:
            fenced = fenced != bool(fence)
            if current is not None:
                current.parts.append(f"\n{line.rstrip()}")
            continue
        if not line.strip():
            if current is not None:
                current.closed = True
            continue
        if current is not None:
            goes_on = not (current.closed or heading or bullet)
            if goes_on and _IMPORT.match(line):
                current.parts.append(f"\n{line.strip()}")
                continue
            if _REASON.match(line) or (goes_on and not _OTHER.match(line)):
                current.parts.append(f" {line.strip()}")
                current.closed = False
                continue
            yield current.text, current.above, current.line
            bullets = [*(one for one in bullets if one.indent < current.indent), current]
            current = None
        if heading:
            headings = [
                *(one for one in headings if one[0] < len(heading[1])),
                (len(heading[1]), _closed(heading[2])),
            ]
            bullets = []
            continue
        indent = len(line) - len(line.lstrip())
        over = [one.text for one in bullets if one.indent < indent and bullet]
        above = (*(name for level, name in headings if level > 1), *over)
        current = _Open([bullet[2].strip() if bullet else line.strip()], above, number, indent)
    if current is not None:
        yield current.text, current.above, current.line


def pieces_of(kind: str, texts: Sequence[tuple[str, str]]) -> tuple[tuple[str, Piece], ...]:
    """The pieces of files given as (path, text), each with its path; ``kind`` is claude-md, skill or basic-memory.

    An empty bullet is no piece.
    """
    reader = {"claude-md": claude_md, "skill": skill, "basic-memory": basic_memory}[kind]
    return tuple((path, piece) for path, text in texts for piece in reader(text) if piece.payload.strip())


_COMMENT = ("<!--", "-->")


def mem0_pieces(rows: Iterable[Mapping[str, Json]], today: str) -> tuple[Piece, ...]:
    """The memories in rows of a mem0 export or store, without what an agent said and what expired before ``today``."""
    found = (_memory(row, number, today) for number, row in enumerate(rows, start=1))
    return tuple(piece for piece in found if piece is not None)


def _memory(row: Mapping[str, Json], line: int, today: str) -> Piece | None:
    memory = next(
        (row[key] for key in ("memory", "text", "data", "content") if isinstance(row.get(key), str)), ""
    )
    if not isinstance(memory, str) or not memory.strip():
        return None
    # With infer=False mem0 keeps every message; the agent's own words are no memory of the person.
    if row.get("role") in ("assistant", "system", "tool"):
        return None
    until = row.get("expiration_date")
    if isinstance(until, str) and DAY.match(until) and until[:10] < today:
        return None
    tags, at = _tags(row), ""
    with suppress(ValueError):
        at = iso_time(row["created_at"]) if row.get("created_at") else ""
    is_agents = row.get("agent_id") and not row.get("user_id")
    about: About = "work" if is_agents or row.get("attributed_to") == "assistant" else "user"
    return Piece(
        _whole(memory).strip()[:MOST_TEXT],
        type="preference" if any("preference" in tag for tag in tags) else "fact",
        about=about,
        tags=tags,
        name=_whole(str(row.get("id", ""))),
        at=at,
        line=line,
    )


def _whole(text: str) -> str:
    """The text with halves of characters, which JSON may spell and no file can contain, joined or replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _tags(row: Mapping[str, Json]) -> tuple[str, ...]:
    own = row.get("metadata")
    named = [row.get("categories"), own.get("category") if isinstance(own, dict) else row.get("category")]
    listed = [one for each in named for one in (each if isinstance(each, list) else [each])]
    return tuple(dict.fromkeys(_whole(one) for one in listed if isinstance(one, str) and one))


def mem0_export(text: str, path: str) -> Iterator[Mapping[str, Json]]:
    """The rows of a mem0 export: a list, an object with ``results`` or ``memories``, or one object a line.

    Raises ``ProblemError`` for a text that is not JSON.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ProblemError("this file is nested too deeply", path=path, line=1, column=1) from None
    except ValueError:
        yield from _lines(text, path)
        return
    if isinstance(value, dict):
        value = next(
            (value[key] for key in ("results", "memories") if isinstance(value.get(key), list)), [value]
        )
    rows = value if isinstance(value, list) else []
    yield from (row for row in rows if isinstance(row, dict))


def _lines(text: str, path: str) -> Iterator[Mapping[str, Json]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            column = error.colno if isinstance(error, json.JSONDecodeError) else 1
            raise ProblemError("this is not JSON", path=path, line=number, column=column) from None
        if isinstance(row, dict):
            yield row

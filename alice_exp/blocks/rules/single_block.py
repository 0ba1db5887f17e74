"""The text of a single block for editing: cut from its file, then parsed, checked and completed."""

from __future__ import annotations

from dataclasses import replace

from alice_exp.kernel.jsonc import Document, Edit, Set, cut, edit, locate, parse
from alice_exp.kernel.jsonc.problem import Problem
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import block_indexes
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.values.block import Block, Placed, content_hash

# The text is parsed inside a file of its own, so that it is checked by the same rules as a whole file.
_FRAME = '{{\n"blocks": [\n{}\n]\n}}\n'
_ABOVE = 2
"""The lines of the frame above the block's text."""

_BY_ACTS_ALONE = ("approved", "archived")


@dataclass(frozen=True, slots=True)
class Alone:
    """An edited block: the block and its text with comments, or the problems (``block`` is ``None`` then).

    ``emptied`` means that nothing but comments and blanks is left. Lines of problems count from the text's first.
    """

    block: Block | None
    raw: str = ""
    problems: tuple[Problem, ...] = ()
    emptied: bool = False


def block_text(data: bytes, path: str, block_id: str) -> str:
    """A block's text with its comments, dedented, without a trailing comma; empty if it is not in the file."""
    document = parse(data, path)
    index = block_indexes(document).get(block_id)
    return "" if index is None else cut(document, ("blocks", index)).text


def read_alone(text: str, old: Placed, now: str) -> Alone:
    """Read the edited text of ``old``: checked like a file, and completed with its id and times.

    ``updated_at`` follows a change of content (DESIGN 3). A change of the id, or of fields that only acts may write
    (approval, archiving), is a problem.
    """
    document = parse(_FRAME.format(text).encode("utf-8", "surrogatepass"), old.path)
    if document.problem is not None:
        return Alone(None, problems=(_above(document.problem),))
    value = document.value
    listed = value.get("blocks") if isinstance(value, dict) else None
    if listed == []:
        return Alone(None, emptied=True)
    if not isinstance(listed, list) or len(listed) != 1 or list(value) != ["blocks"]:  # type: ignore[arg-type]
        return Alone(None, problems=(_fault(document, (), "this is one block: what stands in { … }"),))
    blocks, problems = read_blocks(document)
    faults = tuple(_above(problem) for problem in problems if problem.severity == "error")
    if faults or not blocks:
        return Alone(None, problems=faults)
    return _checked(document, blocks[0], old, now)


def _checked(document: Document, block: Block, old: Placed, now: str) -> Alone:
    if block.id not in ("", old.block.id):
        fault = _fault(document, ("id",), "an id stays what it is: {id}", id=old.block.id)
        return Alone(None, problems=(fault,))
    for name in _BY_ACTS_ALONE:
        if getattr(block, name) != getattr(old.block, name):
            fault = _fault(
                document, (name,), '"{name}" is written by acts alone; leave it as it was', name=name
            )
            return Alone(None, problems=(fault,))
    edits = _completed(block, old.block, now)
    if edits:
        document = parse(edit(document, edits), old.path)
        block = read_blocks(document)[0][0]
    return Alone(block, cut(document, ("blocks", 0)).text)


def _completed(block: Block, old: Block, now: str) -> list[Edit]:
    edits: list[Edit] = []
    at = ("blocks", 0)
    if not block.id:
        edits.append(Set((*at, "id"), old.id))
    if not block.created_at:
        edits.append(Set((*at, "created_at"), old.created_at or now))
    changed = content_hash(block) != content_hash(old)
    if not block.updated_at or (changed and block.updated_at == old.updated_at):
        edits.append(Set((*at, "updated_at"), now if changed else old.updated_at or now))
    return edits


def _above(problem: Problem) -> Problem:
    return replace(problem, line=max(1, problem.line - _ABOVE))


def _fault(document: Document, below: tuple[str, ...], template: str, **values: object) -> Problem:
    span = locate(document, ("blocks", 0, *below)) or locate(document, ("blocks", 0)) or (0, 0)
    line, column = document.position(span[0])
    return _above(Problem(document.path, line, column, template, values))

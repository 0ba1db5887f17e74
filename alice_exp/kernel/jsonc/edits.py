"""Edits of a document that leave every other character of its text as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import TypeAlias, cast

from alice_exp.kernel.jsonc import Json, Pointer
from alice_exp.kernel.jsonc.containers import Container, Fresh, Replacement, gap_between
from alice_exp.kernel.jsonc.document import Document, find, offspring
from alice_exp.kernel.jsonc.formatting import Raw, Style, Value, indent_at, one_line, raw_plain, render, shift
from alice_exp.kernel.jsonc.grammar import DEPTH
from alice_exp.kernel.jsonc.reader import is_deeper
from alice_exp.kernel.jsonc.scan import Child
from alice_exp.kernel.value_class import dataclass

_UNIT = re.compile(r"[{\[][ ]*\r?\n(?:[ \t]*//[^\n]*\n)*([ \t]+)")
_BEGINNING = 1 << 16
"""The number of characters in which the indentation of a file is looked for."""


@dataclass(frozen=True, slots=True)
class Set:
    """Set the value at ``pointer``; a missing member is added, with its missing parents."""

    pointer: Pointer
    value: Json


@dataclass(frozen=True, slots=True)
class Insert:
    """Insert an element before the ``index``-th (0 to the length) of the array at ``pointer``."""

    pointer: Pointer
    index: int
    value: Value


@dataclass(frozen=True, slots=True)
class Append:
    """Append elements to the array at ``pointer``; a missing array is created."""

    pointer: Pointer
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove the member or element at ``pointer``, with the comments that belong to it."""

    pointer: Pointer


Edit: TypeAlias = Set | Insert | Append | Remove


def edit(document: Document, edits: Sequence[Edit]) -> bytes:
    """The file's new bytes, with its BOM. All pointers refer to the document before any of the edits.

    ValueError if the document has a problem, two edits contradict each other (one at or below what another sets or
    removes), or a value cannot be written; LookupError if there is nothing at a pointer.
    """
    if document.problem is not None:
        raise ValueError("a document with a problem is not edited")
    _refuse_contradictions(edits)
    plan = _Plan(document)
    for one in edits:
        plan.take(one)
    pieces: list[str] = []
    done = 0
    for change in sorted(plan.replacements()):
        pieces += (document.text[done : change.start], change.text)
        done = change.end
    pieces.append(document.text[done:])
    return ("\ufeff" if document.bom else "").encode() + "".join(pieces).encode("utf-8")


def cut(document: Document, pointer: Pointer) -> Raw:
    """The array element at ``pointer`` as dedented text, with the comments that ``Remove`` would remove.

    LookupError if there is none, ValueError if the pointer does not end in an index or the document has a problem.
    """
    if document.problem is not None or not pointer or not isinstance(pointer[-1], int):
        raise ValueError("only an element of an array can be cut out")
    container, child = find(document, pointer[:-1]), find(document, pointer)
    if container is None or child is None:
        raise LookupError(f"nothing at {pointer}")
    kids, text, at = offspring(document, pointer[:-1], container), document.text, pointer[-1]
    is_first, is_last = at == 0, at == len(kids) - 1
    before = container.value + 1 if is_first else kids[at - 1].end
    after = container.end - 1 if is_last else kids[at + 1].start
    lead = gap_between(text, before, child.start, is_first, False).lead
    trail = gap_between(text, child.end, after, False, is_last).trailing
    piece = lead.lstrip() + text[child.start : child.end] + trail
    return Raw(shift(piece.strip(), indent_at(text, child.start), "", "\n"))


def _refuse_contradictions(edits: Sequence[Edit]) -> None:
    closed: set[Pointer] = set()
    for one in edits:
        if isinstance(one, Set | Remove):
            if one.pointer in closed:
                raise ValueError(f"two edits of {one.pointer}")
            closed.add(one.pointer)
    # Insert and Append work inside their pointer, so a Set or Remove of the array itself contradicts them too.
    for one in edits:
        inside = len(one.pointer) + (isinstance(one, Insert | Append))
        if any(one.pointer[:length] in closed for length in range(inside)):
            raise ValueError(f"an edit inside another one, at {one.pointer}")


@dataclass
class _Change:
    """All edits of one container: removed children, ``grown`` (added by Set) and inserted ones."""

    span: Child
    removed: set[str | int] = field(default_factory=set)
    grown: dict[str, Value] = field(default_factory=dict)
    inserted: list[tuple[int | None, Value]] = field(default_factory=list)


class _Plan:
    """The edits, grouped by the container that they change."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._style = _style(document.text)
        self._changes: dict[Pointer, _Change] = {}
        self._replaced: list[Replacement] = []

    def take(self, one: Edit) -> None:
        """Add an edit."""
        match one:
            case Set(pointer, value):
                self._set(pointer, value)
            case Insert(pointer, index, value):
                self._array(pointer).inserted.append((index, _writable(value, len(pointer) + 1)))
            case Append(pointer, values):
                added = [_writable(value, len(pointer) + 1) for value in values]
                if find(self._document, pointer) is None:
                    self._grow(pointer, cast("Value", added), True)
                elif added:
                    self._array(pointer).inserted += [(None, value) for value in added]
            case Remove(pointer):
                if not pointer or find(self._document, pointer) is None:
                    raise LookupError(f"nothing to remove at {pointer}")
                self._change(pointer[:-1]).removed.add(pointer[-1])

    def replacements(self) -> Iterable[Replacement]:
        """All replacements in the text; they do not overlap."""
        yield from self._replaced
        for pointer, change in self._changes.items():
            yield from self._container(pointer, change).replacements()

    def _set(self, pointer: Pointer, value: Json) -> None:
        _writable(value, len(pointer))
        child = find(self._document, pointer)
        if child is None:
            self._grow(pointer, value, False)
            return
        old = self._document.value
        for step in pointer:
            old = old[step]  # type: ignore[index]
        # An equal value keeps its notation, such as 0x10 or single quotes.
        if one_line(old) != one_line(value):
            self._replaced.append(Replacement(child.value, child.end, self._rendered(pointer, child, value)))

    def _rendered(self, pointer: Pointer, child: Child, value: Json) -> str:
        text = self._document.text
        indent = indent_at(text, child.start)
        shares_line = text[text.rfind("\n", 0, child.start) + 1 : child.start].strip()
        is_short = "\n" not in text[child.value : child.end]
        if pointer and shares_line and is_short and isinstance(value, dict | list):
            return one_line(value)
        before = child.value - text.rfind("\n", 0, child.value) - 1
        return render(value, indent, len(pointer), self._style, before, child.key is not None)

    def _change(self, pointer: Pointer) -> _Change:
        if pointer not in self._changes:
            span = find(self._document, pointer)
            if span is None or self._document.text[span.value] not in "[{":
                raise LookupError(f"no object or array at {pointer}")
            self._changes[pointer] = _Change(span)
        return self._changes[pointer]

    def _array(self, pointer: Pointer) -> _Change:
        change = self._change(pointer)
        if self._document.text[change.span.value] != "[":
            raise ValueError(f"no array at {pointer}")
        return change

    def _grow(self, pointer: Pointer, value: Value, is_more: bool) -> None:
        depth = len(pointer) - 1
        while find(self._document, pointer[:depth]) is None:
            depth -= 1
        change = self._change(pointer[:depth])
        names = [step for step in pointer[depth:] if isinstance(step, str)]
        if self._document.text[change.span.value] != "{" or len(names) != len(pointer) - depth:
            raise LookupError(f"{pointer[depth:]} has no place at {pointer[:depth]}")
        change.grown[names[0]] = _graft(change.grown.get(names[0]), names[1:], value, is_more)

    def _container(self, pointer: Pointer, change: _Change) -> Container:
        kids = offspring(self._document, pointer, change.span)
        if self._document.text[change.span.value] == "{":
            removed = {index for index, kid in enumerate(kids) if str(kid.key) in change.removed}
        else:
            removed = {step for step in change.removed if isinstance(step, int)}
        fresh = [Fresh(len(kids), name, value) for name, value in change.grown.items()]
        for index, value in change.inserted:
            if index is not None and not 0 <= index <= len(kids):
                raise LookupError(f"no place {index} in {pointer}")
            fresh.append(Fresh(len(kids) if index is None else index, None, value))
        fresh.sort(key=lambda one: one.index)
        return Container(self._document.text, change.span, len(pointer), self._style, kids, removed, fresh)


def _graft(base: Value | None, path: Sequence[str], value: Value, is_more: bool) -> Value:
    """``base`` with a value at ``path``; missing parents are created."""
    if not path:
        if is_more and isinstance(base, list) and isinstance(value, list):
            return [*base, *value]
        return value
    branch = base if isinstance(base, dict) else {}
    branch[path[0]] = cast("Json", _graft(branch.get(path[0]), path[1:], value, is_more))
    return branch


def _writable(value: Value, depth: int) -> Value:
    """The value, unless it would be nested too deep at ``depth`` (ValueError). NaN and the like fail on writing."""
    plain = raw_plain(value) if isinstance(value, Raw) else value
    if isinstance(plain, dict | list) and is_deeper(plain, DEPTH - depth):
        raise ValueError(f"a value is nested deeper than {DEPTH} levels")
    return value


def _style(text: str) -> Style:
    end = text.find("\n")
    newline = "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"
    unit = _UNIT.search(text, 0, _BEGINNING)
    return Style(unit[1] if unit else "  ", newline)

"""JSONC and JSON5 files that people edit: reading with exact faults, and edits that touch nothing else.

What stands behind a name is loaded when it is first used: a command that only asks the index pays for none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.kernel.jsonc.document import Document, Unchanged
    from alice_exp.kernel.jsonc.edits import Append, Edit, Insert, Remove, Set
    from alice_exp.kernel.jsonc.formatting import Raw
    from alice_exp.kernel.jsonc.problem import Json, Pointer

_MODULES = {
    "Document": "document",
    "Unchanged": "document",
    "Append": "edits",
    "Edit": "edits",
    "Insert": "edits",
    "Remove": "edits",
    "Set": "edits",
    "Raw": "formatting",
}

__all__ = [
    "Append",
    "Document",
    "Edit",
    "Insert",
    "Raw",
    "Remove",
    "Set",
    "Unchanged",
    "cut",
    "dump",
    "edit",
    "locate",
    "locate_key",
    "parse",
]


def parse(data: bytes, path: str = "", spans_of: str = "blocks", was: Document | None = None) -> Document:
    """Read a file's bytes; a fault becomes the document's ``problem``, no bytes raise. See ``read.parse``."""
    from alice_exp.kernel.jsonc import reader as read

    return read.parse(data, path, spans_of, was)


def locate(document: Document, pointer: Pointer) -> tuple[int, int] | None:
    """The span (start, end) of the value at ``pointer``; None where there is none."""
    from alice_exp.kernel.jsonc import pointers as find

    return find.locate(document, pointer)


def locate_key(document: Document, pointer: Pointer) -> tuple[int, int] | None:
    """The span of the key token of the member at ``pointer``; None for anything else."""
    from alice_exp.kernel.jsonc import pointers as find

    return find.locate_key(document, pointer)


def edit(document: Document, edits: Sequence[Edit]) -> bytes:
    """The file's new bytes after edits that all speak of the document as it is. See ``edits.edit``."""
    from alice_exp.kernel.jsonc import edits as surgical

    return surgical.edit(document, edits)


def cut(document: Document, pointer: Pointer) -> Raw:
    """The array element at ``pointer`` as text with the comments that belong to it. See ``edits.cut``."""
    from alice_exp.kernel.jsonc import edits as surgical

    return surgical.cut(document, pointer)


def dump(
    value: Json, indent_unit: str = "  ", depth: int = 0, newline: str = "\n", width: int | None = None
) -> str:
    """A freshly written value, as an element at ``depth``. See ``write.dump``."""
    from alice_exp.kernel.jsonc import formatting as write

    return write.dump(value, indent_unit, depth, newline, write.WIDTH if width is None else width)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(name)
    value = getattr(import_module(f"alice_exp.kernel.jsonc.{_MODULES[name]}"), name)
    globals()[name] = value
    return value

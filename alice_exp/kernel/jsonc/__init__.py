"""Reads and edits JSONC and JSON5 files that people maintain: exact fault positions, edits that touch nothing else.

Each name is imported from its module on first use. Modules that a cold ``recall`` loads write ``jsonc.parse`` rather
than ``from ... import parse``, so that a command that only queries the index imports none of this.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc.document import Document, Unchanged, locate, locate_key
    from alice_exp.kernel.jsonc.edits import Append, Edit, Insert, Remove, Set, cut, edit
    from alice_exp.kernel.jsonc.formatting import Raw, dump
    from alice_exp.kernel.jsonc.reader import parse

# Strings, which no tool that renames modules sees; kept in step with the imports above by hand.
_MODULES = {
    "Append": "edits",
    "Document": "document",
    "Edit": "edits",
    "Insert": "edits",
    "Raw": "formatting",
    "Remove": "edits",
    "Set": "edits",
    "Unchanged": "document",
    "cut": "edits",
    "dump": "formatting",
    "edit": "edits",
    "locate": "document",
    "locate_key": "document",
    "parse": "reader",
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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(name)
    value = getattr(import_module(f"alice_exp.kernel.jsonc.{_MODULES[name]}"), name)
    globals()[name] = value
    return value

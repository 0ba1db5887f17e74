"""JSONC and JSON5 files that people edit: reading with exact faults, and edits that touch nothing else.

What stands behind a name is loaded when it is first asked for. What a command that only asks the index loads too says
``jsonc.parse`` and imports no name: such a command pays for none of this.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from alice_exp.text.jsonc.document import Document, Unchanged
    from alice_exp.text.jsonc.edits import Append, Edit, Insert, Remove, Set, cut, edit
    from alice_exp.text.jsonc.find import locate, locate_key
    from alice_exp.text.jsonc.read import parse
    from alice_exp.text.jsonc.write import Raw, dump

_MODULES = {
    "Append": "edits",
    "Document": "document",
    "Edit": "edits",
    "Insert": "edits",
    "Raw": "write",
    "Remove": "edits",
    "Set": "edits",
    "Unchanged": "document",
    "cut": "edits",
    "dump": "write",
    "edit": "edits",
    "locate": "find",
    "locate_key": "find",
    "parse": "read",
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
    value = getattr(import_module(f"alice_exp.text.jsonc.{_MODULES[name]}"), name)
    globals()[name] = value
    return value

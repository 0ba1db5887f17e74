"""JSONC and JSON5 files that people edit: reading with exact faults, and edits that touch nothing else.

Names are loaded when they are first used: a command that only reads does not pay for editing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from alice_exp.text.jsonc.document import Document
    from alice_exp.text.jsonc.edits import Append, Edit, Insert, Remove, Set, cut, edit
    from alice_exp.text.jsonc.find import locate, locate_key
    from alice_exp.text.jsonc.read import parse
    from alice_exp.text.jsonc.write import Raw, dump

_MODULES = {
    "Document": "document",
    "Append": "edits",
    "Edit": "edits",
    "Insert": "edits",
    "Remove": "edits",
    "Set": "edits",
    "cut": "edits",
    "edit": "edits",
    "locate": "find",
    "locate_key": "find",
    "parse": "read",
    "Raw": "write",
    "dump": "write",
}

__all__ = [
    "Append",
    "Document",
    "Edit",
    "Insert",
    "Raw",
    "Remove",
    "Set",
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

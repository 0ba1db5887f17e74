"""Reads and edits JSONC and JSON5 files that people maintain: exact fault positions, edits that touch nothing else.

Each name is imported from its module on first use. Modules that a cold ``recall`` loads write ``jsonc.parse`` rather
than ``from ... import parse``, so that a command that only queries the index imports none of this.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc.document import Document as Document
    from alice_exp.kernel.jsonc.document import Unchanged as Unchanged
    from alice_exp.kernel.jsonc.document import locate as locate
    from alice_exp.kernel.jsonc.document import locate_key as locate_key
    from alice_exp.kernel.jsonc.edits import Append as Append
    from alice_exp.kernel.jsonc.edits import Edit as Edit
    from alice_exp.kernel.jsonc.edits import Insert as Insert
    from alice_exp.kernel.jsonc.edits import Remove as Remove
    from alice_exp.kernel.jsonc.edits import Set as Set
    from alice_exp.kernel.jsonc.edits import cut as cut
    from alice_exp.kernel.jsonc.edits import edit as edit
    from alice_exp.kernel.jsonc.formatting import Raw as Raw
    from alice_exp.kernel.jsonc.formatting import dump as dump
    from alice_exp.kernel.jsonc.reader import is_deeper as is_deeper
    from alice_exp.kernel.jsonc.reader import parse as parse

# Strings, which no tool that renames modules sees; kept in step with the imports above by hand.
_MODULES = {
    "document": ("Document", "Unchanged", "locate", "locate_key"),
    "edits": ("Append", "Edit", "Insert", "Remove", "Set", "cut", "edit"),
    "formatting": ("Raw", "dump"),
    "reader": ("is_deeper", "parse"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            value = getattr(import_module(f"alice_exp.kernel.jsonc.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(name)

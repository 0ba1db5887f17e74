"""JSONC and JSON5 files that people edit: reading with exact faults, and edits that touch nothing else."""

from alice_exp.text.jsonc.document import Document
from alice_exp.text.jsonc.edit import Append, Edit, Insert, Remove, Set, cut, edit
from alice_exp.text.jsonc.find import locate, locate_key
from alice_exp.text.jsonc.read import parse
from alice_exp.text.jsonc.write import Raw, dump

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

"""Reads and edits JSONC and JSON5 files that people maintain: exact fault positions, edits that touch nothing else.

Modules that a cold ``recall`` loads import ``reader`` and ``document`` where they call them: a command that only
queries the index reads no file.
"""

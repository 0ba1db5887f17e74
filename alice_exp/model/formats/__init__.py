"""Converts the files of a home to values and back: fields, schemas, edits."""

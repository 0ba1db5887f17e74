"""The files of a home as values and back: fields, schemas, edits."""

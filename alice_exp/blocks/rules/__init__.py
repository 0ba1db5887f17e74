"""Undo, one block as a text, the formats of other memories."""

"""Use cases on single blocks."""

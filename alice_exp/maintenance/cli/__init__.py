"""The commands that keep a home."""

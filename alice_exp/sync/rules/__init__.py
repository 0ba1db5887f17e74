"""Merging blocks, files and homes."""

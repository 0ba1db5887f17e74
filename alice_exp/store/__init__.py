"""Edges that keep the truth: the home directory, its files, its git history."""

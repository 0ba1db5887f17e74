"""Talking, searching, what an agent is told of its user."""

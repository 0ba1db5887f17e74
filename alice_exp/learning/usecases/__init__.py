"""Deciding, judging the outcome, proposing lessons, counting."""

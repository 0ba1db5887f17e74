"""Recall, list, show: the index, ranking, silence."""

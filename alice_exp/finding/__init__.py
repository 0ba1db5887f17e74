"""Search over blocks and what was said: recall, list and show, the indexes, ranking, silence."""

"""Search over blocks: recall, list and show, the index, ranking, silence."""

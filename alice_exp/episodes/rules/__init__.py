"""Pure rules of episodes: similarity search, uniqueness and retention."""

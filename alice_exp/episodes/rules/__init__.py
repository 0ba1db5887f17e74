"""Which episodes are alike, unique, worth keeping."""

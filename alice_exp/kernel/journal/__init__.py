"""The journal: file changes and the git commit that records them, written atomically. See ``docs/journal.md``."""

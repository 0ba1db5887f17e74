"""The journal: file changes and the git commit that records them, written atomically. See ``journal.md``."""

"""The home on disk: two doors (read, apply), hand edits, git history, purge, the session value."""

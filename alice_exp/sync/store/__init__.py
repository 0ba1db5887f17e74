"""Git remotes, and the merge driver for a plain ``git pull``."""

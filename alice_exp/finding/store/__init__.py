"""The index of blocks and the index of what was said, both derived from the home's files."""

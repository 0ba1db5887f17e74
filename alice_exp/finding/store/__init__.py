"""The search index and the vector cache, both derived from the home's files."""

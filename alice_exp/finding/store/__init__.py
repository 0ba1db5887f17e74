"""The search index and the vectors, both derived."""

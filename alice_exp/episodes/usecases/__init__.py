"""Recording and searching episodes."""

"""Random acts against what must always hold."""

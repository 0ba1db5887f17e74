"""A home in a directory."""

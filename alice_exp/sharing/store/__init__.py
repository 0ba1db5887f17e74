"""The network and the keys."""

"""Stores of sharing: identity and keys, network, disclosure log."""

"""Sharing between people: bundles, peers, the local network."""

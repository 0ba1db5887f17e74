"""Between people: bundles, peers, the local network."""

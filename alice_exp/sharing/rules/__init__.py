"""Pure rules of sharing: what may leave, and what may come in."""

"""What may leave, and what of a received thing may come in."""

"""Edges of blocks: the log of reads, and other programs' databases."""

"""Pure functions on text: tokens, times, terminal columns, and word lists from data files."""

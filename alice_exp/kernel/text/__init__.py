"""Words, times and terminal cells: pure functions of texts."""

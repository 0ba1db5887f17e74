"""Windows, summaries, dates, search, extraction."""

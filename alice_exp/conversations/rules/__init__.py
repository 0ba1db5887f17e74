"""Pure rules of conversations: context windows, summaries, dates, search, extraction."""

"""Pure rules of conversations: context windows, summaries, transcripts, extraction."""

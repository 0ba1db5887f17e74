"""Use cases of conversations: sessions, message search, extraction."""

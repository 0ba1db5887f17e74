"""Use cases of conversations: sessions, message search, memories for an agent."""

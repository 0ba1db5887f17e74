"""Conversations: sessions, context windows, search, extraction of candidates."""

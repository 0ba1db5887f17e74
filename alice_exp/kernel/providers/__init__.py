"""Clients for language models and embedders behind OpenAI-compatible servers."""

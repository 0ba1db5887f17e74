"""Language models and embedders behind an OpenAI-compatible server."""

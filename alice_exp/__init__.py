"""alice-exp: an agent's experience in plain files that a person reads, reviews and trusts."""

__version__ = "0.1.0"

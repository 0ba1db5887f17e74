"""Frozen dataclasses for everything that a home stores."""

"""Exporting, importing, exchanging."""

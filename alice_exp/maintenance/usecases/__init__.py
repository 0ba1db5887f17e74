"""Checks, settings, namespaces, watching."""

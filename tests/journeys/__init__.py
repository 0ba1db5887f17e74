"""REQUIREMENTS D, acceptance check by acceptance check."""

"""The commands ``alice-exp episode …``."""

"""The commands ``alice-exp event …``."""

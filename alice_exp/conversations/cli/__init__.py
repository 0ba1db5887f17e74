"""The commands ``alice-exp session …``."""

"""The commands ``alice-exp share …`` and ``alice-exp peer …``."""

"""The commands ``alice-exp session …``, ``context`` and ``prime``."""

"""The commands ``mcp``, ``connect``, ``disconnect`` and ``hook``."""

"""The commands ``mcp``, ``connect``, ``disconnect``, ``hook``, ``context``, ``prime`` and ``heard``."""

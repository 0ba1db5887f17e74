"""An agent's way in: the MCP server, connecting hosts."""

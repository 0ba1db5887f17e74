"""An agent's way in: the MCP server, connecting hosts, what an agent is told."""

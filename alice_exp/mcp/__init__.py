"""The agents' face: a Model Context Protocol server over stdio. What only a person may do does not exist here."""

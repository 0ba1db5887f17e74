"""Use cases of agents' hosts: what an agent is told, what a hook answers, and what is read of a conversation."""

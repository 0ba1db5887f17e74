"""Use cases of agents' hosts: what a hook answers, and what is read of a conversation."""

"""Pure rules of signatures."""

"""What happened, task by task."""

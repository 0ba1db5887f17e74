"""Episodes: records of tasks, their search and their retention."""

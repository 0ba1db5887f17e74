"""The report in every form, and the commands that answer it."""

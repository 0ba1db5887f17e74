"""Pictures of the real program for the manual, made on a terminal of 80 columns."""

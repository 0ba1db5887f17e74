"""What the report shows, and what an answer means."""
